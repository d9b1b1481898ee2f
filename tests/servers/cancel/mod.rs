//! Cancels: by the key of a session, and by process id.

mod answers;
mod by_pid;
mod peers;
mod shared_connections;
