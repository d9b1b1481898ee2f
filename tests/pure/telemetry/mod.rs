//! The audit and the metrics as an operator sees them: what a line holds, what is kept when the
//! queue is full, rotation, the chain, permissions, and what a scrape shows.

mod chain;
mod collector;
mod copies;
mod files;
mod full;
mod lines;
#[path = "../../support/log_collector.rs"]
mod log_collector;
mod scrape;
mod support;
mod syslog;
mod top;
