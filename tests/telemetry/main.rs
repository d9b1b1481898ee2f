//! The audit and the metrics as an operator sees them: what a line holds, what is kept when the
//! queue is full, rotation, the chain, permissions, and what a scrape shows.

#[cfg(test)]
mod chain;
#[cfg(test)]
mod files;
#[cfg(test)]
mod full;
#[cfg(test)]
mod lines;
#[cfg(test)]
mod scrape;
#[cfg(test)]
mod support;
#[cfg(test)]
mod syslog;
#[cfg(test)]
mod top;
