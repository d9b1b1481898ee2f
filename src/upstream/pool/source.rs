//! How connections of a pool are opened: as whom, where, with which settings.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::time::Instant;

use super::connection::ConnectionBase;
use crate::limits;
use crate::upstream::account::{UpstreamAccount, log_in_once, log_in_patiently};
use crate::upstream::connect::Upstream;
use crate::upstream::engine::profile::{EngineProfile, SetValueAnswers};
use crate::upstream::login::{
    LoginRequest, UpstreamAuthMethod, UpstreamLoginError, UpstreamSession, sqlstate_of,
};
use crate::upstream::verify::{VerifyError, verify};

/// How the connections of one session are opened.
pub struct ConnectionSource {
    upstream: Arc<Upstream>,
    account: UpstreamAccount,
    database: Box<str>,
    parameters: Box<[(String, String)]>,
    /// Settings that are asked for when the connection is proved.
    asked: Box<[Box<str>]>,
    class: ConnectionClass,
    /// Whether a server that is not there is given up at once.
    is_hasty: bool,
}

/// How sessions begin that may have a source in common.
#[derive(Clone, Copy)]
pub struct SessionBeginning<'b> {
    /// The way to their server.
    pub upstream: &'b Arc<Upstream>,
    /// The name that it has for their database.
    pub database: &'b str,
    /// Their parameters of the StartupMessage.
    pub parameters: &'b [(String, String)],
    /// Settings that are read when a connection is there.
    pub asked: &'b [&'b str],
    /// Whether a server that is not there is given up at once: there are others.
    pub is_hasty: bool,
}

/// Those that the sessions of one account in one database have in common.
#[derive(Default)]
pub struct SharedSources {
    known: Mutex<Vec<Weak<ConnectionSource>>>,
}

/// A connection that has just been opened, and what it began with.
pub type OpenedConnection = (UpstreamSession, ConnectionBase);

/// A digest of all that connections begin with by the wish of their sessions: those of one class
/// may serve each other's sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionClass(blake3::Hash);

/// Why no connection was opened.
#[derive(Debug, Clone)]
pub enum OpenError {
    /// The upstream was not reached, or does not let the account in.
    Login(UpstreamLoginError),
    /// The session is not what was asked for.
    NotReadOnly(VerifyError),
}

impl<'b> SessionBeginning<'b> {
    /// Those that all of them begin with.
    fn shared_parameters(&self) -> impl Iterator<Item = &'b (String, String)> + use<'b> {
        let named = self.parameters.iter();
        named.filter(|(name, _)| !name.eq_ignore_ascii_case(FOLLOWED))
    }
}

impl ConnectionSource {
    /// Of sessions of an account that begin like this.
    pub fn new(begins: SessionBeginning<'_>, account: UpstreamAccount) -> Self {
        let SessionBeginning {
            upstream,
            database,
            parameters: _,
            asked,
            is_hasty,
        } = begins;
        let parameters: Box<[_]> = begins.shared_parameters().cloned().collect();
        let mut hasher = blake3::Hasher::new();
        let pairs = parameters.iter().flat_map(|(name, value)| [name, value]);
        let words = pairs.map(String::as_str).chain(asked.iter().copied());
        for word in words {
            // No name or value has a zero in it.
            hasher.update(word.as_bytes()).update(&[0]);
        }
        Self {
            upstream: Arc::clone(upstream),
            account,
            database: database.into(),
            parameters,
            asked: asked.iter().map(|name| (*name).into()).collect(),
            class: ConnectionClass(hasher.finalize()),
            is_hasty,
        }
    }

    /// Whether it opens connections of sessions that begin like this, of its account.
    pub fn is_of(&self, begins: &SessionBeginning<'_>) -> bool {
        Arc::ptr_eq(&self.upstream, begins.upstream)
            && *self.database == *begins.database
            && self.is_hasty == begins.is_hasty
            && self.parameters.iter().eq(begins.shared_parameters())
            && (self.asked.iter().map(AsRef::as_ref)).eq(begins.asked.iter().copied())
    }

    /// The same at another server.
    #[must_use]
    pub fn at(&self, upstream: Arc<Upstream>) -> Self {
        Self {
            upstream,
            account: self.account.clone(),
            database: self.database.clone(),
            parameters: self.parameters.clone(),
            asked: self.asked.clone(),
            class: self.class,
            is_hasty: self.is_hasty,
        }
    }

    /// The database.
    pub fn database(&self) -> &str {
        &self.database
    }

    /// Who logs in.
    pub fn account(&self) -> &UpstreamAccount {
        &self.account
    }

    /// Whose connections may serve its sessions.
    pub fn class(&self) -> ConnectionClass {
        self.class
    }

    /// Logs in, and proves that the session is read-only.
    ///
    /// May be cancelled: the connection is dropped.
    ///
    /// # Errors
    /// The upstream cannot be reached in time or does not let the account in, or the session is not
    /// proved to be read-only.
    pub async fn open(&self) -> Result<OpenedConnection, OpenError> {
        Ok(self.open_telling().await?.0)
    }

    /// The same, and how the upstream wanted the account to prove itself.
    ///
    /// May be cancelled: the connection is dropped.
    ///
    /// # Errors
    /// As of [`open`](Self::open).
    pub async fn open_telling(&self) -> Result<(OpenedConnection, UpstreamAuthMethod), OpenError> {
        self.open_as(self.is_hasty).await
    }

    /// The same, and whatever stands in its way is not waited for.
    ///
    /// May be cancelled: the connection is dropped.
    ///
    /// # Errors
    /// As of [`open`](Self::open).
    pub async fn open_once(&self) -> Result<OpenedConnection, OpenError> {
        Ok(self.open_as(true).await?.0)
    }

    async fn open_as(
        &self,
        is_hasty: bool,
    ) -> Result<(OpenedConnection, UpstreamAuthMethod), OpenError> {
        let deadline = Instant::now() + limits::pools::CONNECT_TIME_MAX;
        let request = LoginRequest {
            user: &self.account.user,
            database: &self.database,
            parameters: &self.parameters,
        };
        let whose = (self.account.user.as_str(), self.account.secret.as_ref());
        let session = match is_hasty {
            true => {
                let deadline = Instant::now() + limits::upstreams::LOGIN_TIME_MAX;
                log_in_once(&self.upstream, whose, request, deadline).await
            }
            false => log_in_patiently(&self.upstream, whose, request, deadline).await,
        };
        let (mut session, method) = session.map_err(OpenError::Login)?;
        let asked: Vec<&str> = self.asked.iter().map(AsRef::as_ref).collect();
        let learned = self.upstream.learned();
        let verified = verify(&mut session, &asked, learned, deadline).await;
        let verified = verified.map_err(OpenError::NotReadOnly)?;
        // What one session sets would stay there for the next one.
        if EngineProfile::of(session.engine).set_values == SetValueAnswers::Untold {
            let unshared = VerifyError::Unshared(session.engine);
            return Err(OpenError::NotReadOnly(unshared));
        }
        let base = ConnectionBase::of(&session, verified);
        Ok(((session, base), method))
    }
}

impl SharedSources {
    /// The one of sessions that begin like this. The account is always the same.
    pub fn of(
        &self,
        begins: SessionBeginning<'_>,
        account: UpstreamAccount,
    ) -> Arc<ConnectionSource> {
        let mut sources = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = sources.iter().filter_map(Weak::upgrade);
        if let Some(known) = known.find(|known| known.is_of(&begins)) {
            return known;
        }
        let source = Arc::new(ConnectionSource::new(begins, account));
        sources.retain(|source| source.strong_count() > 0);
        if sources.len() < limits::pools::SOURCES_SHARED_MAX {
            sources.push(Arc::downgrade(&source));
        }
        source
    }
}

impl OpenError {
    /// Whether the upstream does not let the account in, whatever else is asked of it.
    pub fn is_refusal_of_account(&self) -> bool {
        match self {
            Self::Login(UpstreamLoginError::Refused(message)) => {
                sqlstate_of(message).is_some_and(|code| code.starts_with(ACCOUNT_REFUSED))
            }
            Self::Login(_) | Self::NotReadOnly(_) => false,
        }
    }
}

/// The class of invalid authorization specification.
const ACCOUNT_REFUSED: &str = "28";

impl fmt::Debug for ConnectionSource {
    /// Without the account and the values that clients give.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ConnectionSource")
    }
}

/// The setting that each session has for itself and no connection begins with.
pub const FOLLOWED: &str = "application_name";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upstream::address::UpstreamSettings;

    fn upstream() -> Arc<Upstream> {
        let settings = UpstreamSettings::parse("postgres://one").unwrap();
        Arc::new(Upstream::load(settings).unwrap())
    }

    fn account() -> UpstreamAccount {
        UpstreamAccount {
            user: "ann".to_owned(),
            secret: None,
        }
    }

    fn parameters(given: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        given.iter().map(owned).collect()
    }

    #[test]
    fn sessions_that_begin_alike_have_one_in_common() {
        let (one, other) = (upstream(), upstream());
        let sources = SharedSources::default();
        let given = parameters(&[("jit", "off"), (FOLLOWED, "psql")]);
        let begins = SessionBeginning {
            upstream: &one,
            database: "sales",
            parameters: &given,
            asked: &["app.tenant"],
            is_hasty: false,
        };
        let first = sources.of(begins, account());
        let named = parameters(&[("jit", "off"), ("Application_Name", "another")]);
        let unnamed = parameters(&[("jit", "off")]);
        for parameters in [&given, &named, &unnamed] {
            let alike = sources.of(
                SessionBeginning {
                    parameters,
                    ..begins
                },
                account(),
            );
            assert!(Arc::ptr_eq(&first, &alike), "{parameters:?}");
        }
        let more = parameters(&[("jit", "off"), ("work_mem", "4MB")]);
        let another = parameters(&[("jit", "on")]);
        let none = parameters(&[]);
        let apart = [
            SessionBeginning {
                upstream: &other,
                ..begins
            },
            SessionBeginning {
                database: "sale",
                ..begins
            },
            SessionBeginning {
                parameters: &more,
                ..begins
            },
            SessionBeginning {
                parameters: &another,
                ..begins
            },
            SessionBeginning {
                parameters: &none,
                ..begins
            },
            SessionBeginning {
                asked: &[],
                ..begins
            },
            SessionBeginning {
                asked: &["app.tenant", "app.region"],
                ..begins
            },
            SessionBeginning {
                asked: &["app.region"],
                ..begins
            },
            SessionBeginning {
                is_hasty: true,
                ..begins
            },
        ];
        let mut all = vec![first];
        for begins in apart {
            let source = sources.of(begins, account());
            assert!(source.is_of(&begins));
            assert!(
                all.iter()
                    .all(|known| !Arc::ptr_eq(known, &source) && !known.is_of(&begins))
            );
            all.push(source);
        }
    }

    #[test]
    fn those_of_sessions_that_have_ended_take_no_room() {
        let upstream = upstream();
        let sources = SharedSources::default();
        let of = |number: usize| {
            let parameters = parameters(&[("work_mem", &number.to_string())]);
            let begins = SessionBeginning {
                upstream: &upstream,
                database: "sales",
                parameters: &parameters,
                asked: &[],
                is_hasty: false,
            };
            sources.of(begins, account())
        };
        let most = limits::pools::SOURCES_SHARED_MAX;
        let held: Vec<_> = (0..most).map(of).collect();
        assert!(Arc::ptr_eq(&held[1], &of(1)));
        // There is no room for it: each session has its own.
        let beyond = of(most);
        assert!(!Arc::ptr_eq(&beyond, &of(most)));
        drop(held);
        let next = of(most + 1);
        assert!(Arc::ptr_eq(&next, &of(most + 1)));
        assert_eq!(sources.known.lock().unwrap().len(), 1);
    }
}
