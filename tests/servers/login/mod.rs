//! Who may log in: every way of proving oneself, on both legs, against a real Postgres, with the
//! clients that people use and with bytes that no client sends.

mod admission;
mod again;
mod attributes;
mod cancels;
pub mod certificate_claims;
mod disabled;
mod eighteen;
mod first_bytes;
mod impostors;
mod leaving;
mod listening;
pub mod oidc;
mod passthrough;
mod queried;
mod raw;
mod remembered;
mod report_as;
mod roles;
mod scram_messages;
pub mod sessions;
mod settings;
mod silent_connections;
mod support;
mod tls_failures;
mod unproven;
mod upstream_tls;
