//! What puts pgsieve somewhere: the health check with a real pgsieve, copies behind a balancer, and
//! the image, the compose file, its parts' settings and the systemd unit, each read as what will
//! read it reads it.
//!
//! That the image builds and runs is shown by `docker/verify`, where an engine can be started.

mod balancer;
mod compose;
mod health;
mod image;
mod kubernetes;
mod libclang;
mod stack;
mod text;
mod unit;
mod watchers;
