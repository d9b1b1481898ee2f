//! Tests of a session without sockets: message tables, floods, silent and faulty peers. Test code
//! only.
//!
//! * `exchange`: the table that every test of messages is written in
//! * `cited_records`: records of knowledge in HINTs
//! * `faulty_upstream`, `silence`: peers that send wrong messages, or none
//! * `floods`: ordinary sessions beside sessions that flood
//! * `forwarding`: that bytes forwarded are bytes approved
//! * `model_values`: what is known of the values that models read
//! * `receipts`: where receipts stand among them
//! * `session_size`: the memory of a session that does nothing

#[cfg(test)]
mod cited_records;
#[cfg(test)]
pub(in crate::session) mod exchange;
#[cfg(test)]
mod faulty_upstream;
#[cfg(test)]
mod floods;
#[cfg(test)]
mod forwarding;
#[cfg(test)]
mod model_values;
#[cfg(test)]
mod receipts;
#[cfg(test)]
mod session_size;
#[cfg(test)]
mod silence;
