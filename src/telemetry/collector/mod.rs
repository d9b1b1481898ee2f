//! What spans and the audit have in common on their way to a collector of OpenTelemetry.
//!
//! Nothing of what a collector says is ever repeated: it may say what it was sent.
//!
//! * `settings`: where it is, and the headers that go with each request
//! * `http`: the client for its HTTP, and the headers as gRPC has them
//! * `fault`: what is told of an error

pub mod fault;
pub mod http;
pub mod settings;
