//! What a client meets before anything else: the certificates that it is shown, how it proves who
//! it is, and as what the server is reported to it.
//!
//! All of it belongs together (a proof may be bound to the certificate), so it is renewed at once,
//! and a login is held to what there was when it began.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use super::AdmittedCaller;
use crate::auth::ClientAuth;
use crate::auth::settings::UserAttributes;
use crate::net::client_tls::ClientTls;
use crate::session::console::access::ConsoleAccess;
use crate::session::context::reported_role::ReportAs;
use crate::session::login::disabled_users::DisabledUsers;

/// The way in.
#[derive(Debug)]
pub struct LoginSettings {
    /// TLS for clients.
    pub tls: ClientTls,
    /// How clients prove who they are.
    pub auth: ClientAuth,
    /// What is known of users beside their names.
    pub attributes: UserAttributes,
    /// Who may not log in.
    pub disabled: DisabledUsers,
    /// As what the server is reported to clients.
    pub report_as: ReportAs,
    /// Whom the console is for.
    pub console: ConsoleAccess,
}

/// What let a session in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdmissionProof {
    /// Its user, as the settings have it.
    Name,
    /// The name in its certificate.
    Certificate(Box<str>),
    /// A token of the MCP server, whose file says who is let in.
    McpToken,
}

impl AdmissionProof {
    /// A caller of the MCP server, or a client whose certificate is listed by a name, or another.
    pub(in crate::session) fn of(caller: Option<&AdmittedCaller>, listed: Option<&str>) -> Self {
        match (caller, listed) {
            (Some(_), _) => Self::McpToken,
            (None, Some(name)) => Self::Certificate(name.into()),
            (None, None) => Self::Name,
        }
    }
}

impl LoginSettings {
    /// Whether a session may go on that was let in before: its user is not disabled, and still
    /// listed where users are, with the name of its certificate if that is what it was let in for.
    pub fn still_admits(&self, user: &str, admission: &AdmissionProof) -> bool {
        let certificate_name = match admission {
            AdmissionProof::Name => None,
            AdmissionProof::Certificate(name) => Some(&**name),
            AdmissionProof::McpToken => return !self.disabled.has(user),
        };
        !self.disabled.has(user) && self.auth.still_lists(user, certificate_name)
    }
}

/// The way in as of now.
pub struct CurrentLoginSettings {
    held: RwLock<Arc<LoginSettings>>,
}

impl CurrentLoginSettings {
    /// Begins with this one.
    pub fn new(login_settings: LoginSettings) -> Self {
        Self {
            held: RwLock::new(Arc::new(login_settings)),
        }
    }

    /// The way in, for one login from its first byte to its end.
    pub fn now(&self) -> Arc<LoginSettings> {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&held)
    }

    /// Logins that begin from now on come this way.
    pub fn renew(&self, login_settings: Arc<LoginSettings>) {
        *self.held.write().unwrap_or_else(PoisonError::into_inner) = login_settings;
    }
}

impl fmt::Debug for CurrentLoginSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CurrentLoginSettings")
    }
}
