//! The share of a worker thread, and of the threads beside it, that one session may take.
//!
//! * `turn`: the cost of a turn, and the queue of sessions that have used theirs up
//! * `throttle`: pauses of sessions that never rest, while processors are short
//! * `worker_load`: how much each worker has to do, and which sessions move for it
//! * `large_text`: texts that are judged on a thread of their own
//! * `user_shares`: the share of one user in something that all have in common

pub mod large_text;
pub mod throttle;
pub mod turn;
pub(super) mod user_shares;
pub mod worker_load;
