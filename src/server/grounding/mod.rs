//! What a session may read, told: the command and the admin address tell it by this one path.
//!
//! * `grounded_session`: a session that is told; `reading`: what its database has to be asked
//! * `service`: the same for a running pgsieve; `request`: what can be asked of it; `failure`: why
//!   it has no answer; `people`: as whom users log in
//! * `watch`: whether what sessions stand on is still true

pub mod failure;
pub mod grounded_session;
pub mod people;
pub mod reading;
pub mod request;
pub mod service;
pub mod watch;
