//! What a client meets before anything else: the certificates that it is shown, how it proves who
//! it is, and as what the server is reported to it.
//!
//! All of it belongs together (a proof may be bound to the certificate), so it is renewed at once,
//! and a login is held to what there was when it began.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use crate::auth::Auth;
use crate::auth::settings::Attributes;
use crate::net::client_tls::ClientTls;
use crate::session::context::reported_role::ReportAs;

/// The way in.
#[derive(Debug)]
pub struct Entrance {
    /// TLS for clients.
    pub tls: ClientTls,
    /// How clients prove who they are.
    pub auth: Auth,
    /// What is known of users beside their names.
    pub attributes: Attributes,
    /// As what the server is reported to clients.
    pub report_as: ReportAs,
}

/// The way in as of now.
pub struct CurrentEntrance {
    held: RwLock<Arc<Entrance>>,
}

impl CurrentEntrance {
    /// Begins with this one.
    pub fn new(entrance: Entrance) -> Self {
        Self {
            held: RwLock::new(Arc::new(entrance)),
        }
    }

    /// The way in, for one login from its first byte to its end.
    pub fn now(&self) -> Arc<Entrance> {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&held)
    }

    /// Logins that begin from now on come this way.
    pub fn renew(&self, entrance: Arc<Entrance>) {
        *self.held.write().unwrap_or_else(PoisonError::into_inner) = entrance;
    }
}

impl fmt::Debug for CurrentEntrance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CurrentEntrance")
    }
}
