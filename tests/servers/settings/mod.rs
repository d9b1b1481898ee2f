//! Settings: read, checked, reloaded, mistaken, and what is warned of.

mod administer;
mod all_or_none;
mod hardening;
mod mistakes;
pub mod reload;
mod reload_logins;
mod serve_check;
mod sinks;
mod warnings;
