//! Clients that share connections to the upstream, each for a transaction.

mod carried;
mod named;
mod shared;
mod sizes;
mod walk;
