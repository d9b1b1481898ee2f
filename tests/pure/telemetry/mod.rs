//! The audit and the metrics as an operator sees them: what a line holds, what is kept when the
//! queue is full, rotation, the chain, permissions, and what a scrape shows.

mod chain;
mod copies;
mod files;
mod full;
mod lines;
mod scrape;
mod support;
mod syslog;
mod top;
