//! Nothing is written and nothing escapes, whatever is asked and however it is sent.

mod alarms;
mod effects;
mod function_paths;
pub mod hidden;
mod nothing_written;
mod read_write;
mod same_verdict;
mod same_verdict_by_claims;
mod server_directories;
mod shapes;
mod stored_queries;
mod temporary;
