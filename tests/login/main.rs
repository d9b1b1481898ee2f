//! Who may log in: every way of proving oneself, on both legs, against a real Postgres, with the
//! clients that people use and with bytes that no client sends.

#[cfg(test)]
mod admission;
#[cfg(test)]
mod again;
#[cfg(test)]
mod cancels;
#[cfg(test)]
mod eighteen;
#[cfg(test)]
mod first_bytes;
#[cfg(test)]
mod impostors;
#[cfg(test)]
mod passthrough;
#[cfg(test)]
mod raw;
#[cfg(test)]
mod scram_messages;
#[cfg(test)]
mod settings;
#[cfg(test)]
mod support;
#[cfg(test)]
mod tls_failures;
#[cfg(test)]
mod unproven;
#[cfg(test)]
mod upstream_tls;
