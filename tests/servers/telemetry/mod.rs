//! Audit, log, metrics and traces of a whole pgsieve.

mod audit;
mod audit_collector;
mod batches;
mod canary;
mod faults;
mod hostile;
mod logs;
mod metrics;
mod queryid;
pub mod standby;
mod table;
mod traces;
