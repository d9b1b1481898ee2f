//! The wire as a whole: streams chopped anywhere, and two other implementations as witnesses.

#[cfg(test)]
mod pgwire_accepts;
#[cfg(test)]
mod pgwire_agrees;
#[cfg(test)]
mod postgres_protocol_agrees;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod streams;
