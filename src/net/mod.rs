//! Sockets: plain, Unix and TLS ones as one kind of stream, and the TLS settings of both legs.
//!
//! The one door to rustls and rcgen, and the way to one document over HTTPS. Knows bytes and
//! certificates, and nothing of logins.

pub mod certificate_expiry;
pub mod channel_binding;
pub mod client_tls;
pub mod dev_certificates;
pub mod file_limit;
pub mod framed_stream;
pub mod https;
pub mod peer_socket;
pub mod pem;
pub mod stalling_stream;
pub mod stream;
pub mod tls_failure;
pub mod upstream_tls;
pub mod uring;
