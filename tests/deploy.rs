//! What puts pgsieve somewhere: the health check with a real pgsieve, and the image, the compose
//! file, its parts' settings and the systemd unit, each read as what will read it reads it.
//!
//! That the image builds and runs is shown by `docker/verify`, where an engine can be started.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[path = "deploy/compose.rs"]
mod compose;
#[path = "deploy/health.rs"]
mod health;
#[path = "deploy/image.rs"]
mod image;
#[path = "deploy/libclang.rs"]
mod libclang;
#[path = "deploy/stack.rs"]
mod stack;
#[path = "deploy/text.rs"]
mod text;
#[path = "deploy/unit.rs"]
mod unit;
#[path = "deploy/watchers.rs"]
mod watchers;
