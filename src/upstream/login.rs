//! Logs in to the upstream, step by step: each step is a value that only the step before can make,
//! and the password is asked for only when the upstream asks.
//!
//! Never sends a password in clear over a network, never does more password hashing than Postgres
//! would ask for, and keeps the upstream's own words for the client.
//!
//! <https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-START-UP>

use std::fmt;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use tokio::time::Instant;

use super::connect::{Upstream, UpstreamConnectError};
use super::identity::ServerIdentity;
use super::login_refusal;
use super::outbox::Outbox;
use super::password::{ScramAnswer, ScramFault};
use super::writer::UpstreamFrames;
use crate::auth::login_secret::LoginSecret;
use crate::engine::Engine;
use crate::limits;
use crate::net::framed_stream::{OwnedMessage, PeerError};
use crate::wire::backend::{self, Authentication};
use crate::wire::encode::EncodeError;
use crate::wire::malformed::MalformedMessage;
use crate::wire::startup::ProtocolVersion;

/// Who logs in, to what, with which settings.
#[derive(Debug, Clone, Copy)]
pub struct LoginRequest<'a> {
    /// The user.
    pub user: &'a str,
    /// The database.
    pub database: &'a str,
    /// The settings of the session, the read-only ones among them.
    pub parameters: &'a [(String, String)],
}

/// What the upstream wants to see first.
#[derive(Debug)]
pub enum AuthRequirement {
    /// Nothing: it knows pgsieve's host or certificate, or believes anybody.
    Nothing(ExpectReady),
    /// The user's password.
    Password(ExpectPassword),
}

/// How the upstream wanted a user to prove who they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpstreamAuthMethod {
    /// Not by a word: it knows the host or the certificate, or believes anybody.
    Nothing,
    /// By the password in clear.
    Cleartext,
    /// By an MD5 of the password.
    Md5,
    /// By SCRAM-SHA-256.
    Scram,
}

/// The upstream waits for a password.
#[derive(Debug)]
pub struct ExpectPassword {
    talk: LoginExchange,
    challenge: AuthChallenge,
}

/// The upstream is content; its parameters and key are on the way.
#[derive(Debug)]
pub struct ExpectReady {
    talk: LoginExchange,
}

/// A session at the upstream, logged in and idle. Not yet proved to be read-only.
#[derive(Debug)]
pub struct UpstreamSession {
    /// The connection.
    pub framed: UpstreamFrames,
    /// What it reported of itself (ParameterStatus), in its order. Sessions on connections of one
    /// pool have it in common.
    pub parameters: Arc<Vec<(String, String)>>,
    /// One of these that this session has another value of.
    pub own_parameter: Option<(&'static str, Box<str>)>,
    /// What a cancel request for it must say, if it can be cancelled.
    pub key: Option<UpstreamKey>,
    /// The protocol that it speaks.
    pub version: ProtocolVersion,
    /// The notices that it sent, as whole messages, for the client.
    pub notices: Bytes,
    /// Which server it is at, once that was asked and told.
    pub server: Option<ServerIdentity>,
    /// Of which engine that is, once it is proved.
    pub engine: Engine,
}

/// What cancels a statement of an upstream session.
#[derive(Clone, PartialEq, Eq)]
pub struct UpstreamKey {
    /// The process id.
    pub pid: i32,
    /// The secret.
    pub secret: Box<[u8]>,
}

/// Why there is no session at the upstream.
#[derive(Debug, Clone)]
pub enum UpstreamLoginError {
    /// No connection.
    Connect(UpstreamConnectError),
    /// The connection was lost, or what came is no message.
    Link(PeerError),
    /// The upstream said no; this is its whole ErrorResponse.
    Refused(OwnedMessage),
    /// It asks for the password in clear, over a connection that others can read.
    CleartextInClear,
    /// It asks for Kerberos, SSPI or another way that pgsieve does not carry.
    UnsupportedMethod,
    /// It needs a password and there is none to give.
    NoPassword,
    /// It asks for the password itself, and only the keys of a SCRAM proof are known.
    OnlyKeys,
    /// The SCRAM exchange went wrong on the upstream's side.
    Scram(ScramFault),
    /// What is to be sent cannot be said in the protocol (a NUL, too long).
    Unsaid(EncodeError),
    /// A message that does not belong here.
    OutOfPlace(u8),
    /// It sent more messages or notices than a login needs.
    TooMuch,
}

#[derive(Debug)]
enum AuthChallenge {
    Cleartext,
    Md5 { salt: [u8; 4] },
    Sasl { mechanisms: Vec<String> },
}

/// Connects and says who wants in. A server or pooler that does not negotiate, but refuses a
/// version it does not know, is asked again with 3.0.
///
/// May be cancelled: the connection is dropped.
///
/// # Errors
/// There is no connection, or it is lost; the upstream refuses the login, or asks for a proof that
/// is not given: in clear over a connection in clear, say.
pub async fn begin(
    upstream: &Upstream,
    request: LoginRequest<'_>,
    deadline: Instant,
) -> Result<AuthRequirement, UpstreamLoginError> {
    match begin_with(upstream, request, ProtocolVersion::V3_2, deadline).await {
        Err(UpstreamLoginError::Refused(error)) if is_version_refused(&error) => {
            begin_with(upstream, request, ProtocolVersion::V3_0, deadline).await
        }
        outcome => outcome,
    }
}

impl AuthRequirement {
    /// What was asked for.
    pub fn proof(&self) -> UpstreamAuthMethod {
        match self {
            Self::Nothing(_) => UpstreamAuthMethod::Nothing,
            Self::Password(asked) => match asked.challenge {
                AuthChallenge::Cleartext => UpstreamAuthMethod::Cleartext,
                AuthChallenge::Md5 { .. } => UpstreamAuthMethod::Md5,
                AuthChallenge::Sasl { .. } => UpstreamAuthMethod::Scram,
            },
        }
    }
}

impl ExpectPassword {
    /// Answers with the password, or with what stands in for it. May be cancelled: the connection
    /// is dropped.
    ///
    /// # Errors
    /// The upstream refuses the password, does not prove that it knows it, or is lost; or the
    /// password cannot be sent.
    pub async fn answer(
        self,
        user: &str,
        secret: &LoginSecret,
        deadline: Instant,
    ) -> Result<ExpectReady, UpstreamLoginError> {
        let Self {
            mut talk,
            challenge,
        } = self;
        match (challenge, secret) {
            (AuthChallenge::Cleartext, LoginSecret::Password(password)) => {
                talk.password(password.reveal().as_bytes(), deadline)
                    .await?
            }
            (AuthChallenge::Md5 { salt }, LoginSecret::Password(password)) => {
                let hashed = super::password::md5(user, password, salt);
                talk.password(hashed.as_bytes(), deadline).await?;
            }
            (AuthChallenge::Cleartext | AuthChallenge::Md5 { .. }, LoginSecret::Keys(_)) => {
                return Err(UpstreamLoginError::OnlyKeys);
            }
            (AuthChallenge::Sasl { mechanisms }, secret) => {
                talk.sasl(&mechanisms, secret, deadline).await?;
            }
        }
        match talk.authentication(deadline).await? {
            AuthStep::Content => Ok(ExpectReady { talk }),
            AuthStep::Challenge(_) | AuthStep::SaslContinue(_) | AuthStep::SaslFinal(_) => {
                Err(UpstreamLoginError::OutOfPlace(b'R'))
            }
        }
    }
}

impl ExpectReady {
    /// Reads on until the upstream is ready. May be cancelled: the connection is dropped.
    ///
    /// # Errors
    /// The upstream refuses the login after all or is lost, or says something that no login needs.
    pub async fn finish(self, deadline: Instant) -> Result<UpstreamSession, UpstreamLoginError> {
        let mut talk = self.talk;
        let (mut parameters, mut key) = (Vec::new(), None);
        loop {
            let message = talk.next(deadline).await?;
            match message.kind {
                b'S' => {
                    let (name, value) = understood(backend::parameter_status(message.body()))?;
                    parameters.push((name.to_owned(), value.to_owned()));
                }
                b'K' => {
                    let (pid, secret) = understood(backend::backend_key_data(message.body()))?;
                    key = Some(UpstreamKey {
                        pid,
                        secret: secret.into(),
                    });
                }
                b'Z' if message.body() == IDLE => break,
                kind => return Err(UpstreamLoginError::OutOfPlace(kind)),
            }
        }
        let LoginExchange {
            framed,
            version,
            notices,
            ..
        } = talk;
        Ok(UpstreamSession {
            framed,
            parameters: Arc::new(parameters),
            own_parameter: None,
            key,
            version,
            notices: notices.freeze(),
            server: None,
            engine: Engine::default(),
        })
    }
}

impl UpstreamSession {
    /// The value of a reported setting.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let mut found = self.reported().rev();
        found
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    /// All reported settings, in their order.
    pub fn reported(&self) -> impl DoubleEndedIterator<Item = (&str, &str)> {
        let parameters = self.parameters.iter();
        parameters.map(|(name, value)| match &self.own_parameter {
            Some((own, value)) if name == own => (name.as_str(), &**value),
            Some(_) | None => (name.as_str(), value.as_str()),
        })
    }

    /// The major version that the server reports; 0 when it reports none that can be read.
    pub fn major_version(&self) -> u16 {
        let version = self.parameter("server_version").unwrap_or_default();
        let digits = version.split(|c: char| !c.is_ascii_digit()).next();
        digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
    }
}

impl fmt::Debug for UpstreamKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "UpstreamKey({}, …)", self.pid)
    }
}

/// For logs: of the upstream's own words only the SQLSTATE, since they may quote.
impl fmt::Display for UpstreamLoginError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(error) => write!(formatter, "{error}"),
            Self::Link(error) => write!(formatter, "{error}"),
            Self::Refused(message) => {
                formatter.write_str(&login_refusal::refusal_text(sqlstate_of(message)))
            }
            Self::CleartextInClear => {
                formatter.write_str("it asks for the password in clear without TLS")
            }
            Self::UnsupportedMethod => {
                formatter.write_str("it asks for a login method that pgsieve does not carry")
            }
            Self::NoPassword => formatter.write_str("it asks for a password and none is known"),
            Self::OnlyKeys => formatter.write_str(
                "it asks for the password itself, and only the keys of a SCRAM proof are known: \
                 have pg_hba.conf ask this user for scram-sha-256",
            ),
            Self::Scram(fault) => write!(formatter, "SCRAM: {fault}"),
            Self::Unsaid(cause) => write!(formatter, "not to be said: {cause}"),
            Self::OutOfPlace(kind) => {
                write!(formatter, "message `{}` out of place", kind.escape_ascii())
            }
            Self::TooMuch => formatter.write_str("it says more than a login needs"),
        }
    }
}

impl std::error::Error for UpstreamLoginError {}

/// The SQLSTATE of an ErrorResponse.
pub fn sqlstate_of(message: &OwnedMessage) -> Option<&str> {
    backend::error_fields(message.body()).ok()?.get(b'C')
}

/// The body of ReadyForQuery outside of a transaction.
const IDLE: &[u8] = b"I";

/// A login under way.
#[derive(Debug)]
struct LoginExchange {
    framed: UpstreamFrames,
    version: ProtocolVersion,
    notices: BytesMut,
    messages: usize,
}

/// One step of the upstream's authentication, owned.
enum AuthStep {
    Content,
    Challenge(AuthChallenge),
    SaslContinue(Vec<u8>),
    SaslFinal(Vec<u8>),
}

impl LoginExchange {
    /// The next message that is neither notice nor refusal.
    async fn next(&mut self, deadline: Instant) -> Result<OwnedMessage, UpstreamLoginError> {
        loop {
            let message = self
                .framed
                .backend(deadline)
                .await
                .map_err(UpstreamLoginError::Link)?;
            self.messages = self.messages.saturating_add(1);
            if self.messages > limits::UPSTREAM_LOGIN_MESSAGES_MAX {
                return Err(UpstreamLoginError::TooMuch);
            }
            match message.kind {
                b'E' => return Err(UpstreamLoginError::Refused(message)),
                b'N' => self.keep(&message)?,
                _ => return Ok(message),
            }
        }
    }

    fn keep(&mut self, notice: &OwnedMessage) -> Result<(), UpstreamLoginError> {
        if self.notices.len().saturating_add(notice.bytes.len()) > limits::LOGIN_NOTICE_BYTES_MAX {
            return Err(UpstreamLoginError::TooMuch);
        }
        self.notices.extend_from_slice(&notice.bytes);
        Ok(())
    }

    async fn authentication(&mut self, deadline: Instant) -> Result<AuthStep, UpstreamLoginError> {
        loop {
            let message = self.next(deadline).await?;
            match message.kind {
                b'R' => return step(&message),
                b'v' => {
                    let body = message.body();
                    let offer = understood(backend::negotiate_protocol_version(body))?;
                    self.version = self.version.min(offer.newest);
                }
                kind => return Err(UpstreamLoginError::OutOfPlace(kind)),
            }
        }
    }

    async fn password(
        &mut self,
        password: &[u8],
        deadline: Instant,
    ) -> Result<(), UpstreamLoginError> {
        let mut out = Outbox::default();
        out.password(password).map_err(UpstreamLoginError::Unsaid)?;
        self.framed
            .send(&out, deadline)
            .await
            .map_err(UpstreamLoginError::Link)
    }

    async fn sasl(
        &mut self,
        mechanisms: &[String],
        secret: &LoginSecret,
        deadline: Instant,
    ) -> Result<(), UpstreamLoginError> {
        let certificate = self.framed.stream.peer_certificate();
        let answer = ScramAnswer::choose(mechanisms, certificate, secret);
        let answer = answer.map_err(UpstreamLoginError::Scram)?;
        let answer = answer.ok_or(UpstreamLoginError::UnsupportedMethod)?;
        let mut out = Outbox::default();
        out.sasl_initial_response(answer.mechanism(), answer.message())
            .map_err(UpstreamLoginError::Unsaid)?;
        self.framed
            .send(&out, deadline)
            .await
            .map_err(UpstreamLoginError::Link)?;
        let AuthStep::SaslContinue(challenge) = self.authentication(deadline).await? else {
            return Err(UpstreamLoginError::OutOfPlace(b'R'));
        };
        let answer = answer
            .prove(challenge)
            .await
            .map_err(UpstreamLoginError::Scram)?;
        let mut out = Outbox::default();
        out.sasl_response(answer.message())
            .map_err(UpstreamLoginError::Unsaid)?;
        self.framed
            .send(&out, deadline)
            .await
            .map_err(UpstreamLoginError::Link)?;
        // Without this proof of the server, an impostor could have said "Ok" at once.
        let AuthStep::SaslFinal(proof) = self.authentication(deadline).await? else {
            return Err(UpstreamLoginError::OutOfPlace(b'R'));
        };
        answer.check(&proof).map_err(UpstreamLoginError::Scram)
    }
}

async fn begin_with(
    upstream: &Upstream,
    request: LoginRequest<'_>,
    version: ProtocolVersion,
    deadline: Instant,
) -> Result<AuthRequirement, UpstreamLoginError> {
    let framed = upstream
        .connect(deadline)
        .await
        .map_err(UpstreamLoginError::Connect)?;
    let mut talk = LoginExchange {
        framed,
        version,
        notices: BytesMut::new(),
        messages: 0,
    };
    let mut pairs = vec![("user", request.user), ("database", request.database)];
    let settings = request.parameters.iter();
    pairs.extend(settings.map(|(name, value)| (name.as_str(), value.as_str())));
    let mut out = Outbox::default();
    out.startup(version, pairs)
        .map_err(UpstreamLoginError::Unsaid)?;
    talk.framed
        .send(&out, deadline)
        .await
        .map_err(UpstreamLoginError::Link)?;
    let private = talk.framed.stream.is_tls() || upstream.settings().endpoint.is_local();
    match talk.authentication(deadline).await? {
        AuthStep::Content => Ok(AuthRequirement::Nothing(ExpectReady { talk })),
        AuthStep::Challenge(AuthChallenge::Cleartext) if !private => {
            Err(UpstreamLoginError::CleartextInClear)
        }
        AuthStep::Challenge(challenge) => Ok(AuthRequirement::Password(ExpectPassword {
            talk,
            challenge,
        })),
        AuthStep::SaslContinue(_) | AuthStep::SaslFinal(_) => {
            Err(UpstreamLoginError::OutOfPlace(b'R'))
        }
    }
}

fn step(message: &OwnedMessage) -> Result<AuthStep, UpstreamLoginError> {
    Ok(match understood(backend::authentication(message.body()))? {
        Authentication::Ok => AuthStep::Content,
        Authentication::CleartextPassword => AuthStep::Challenge(AuthChallenge::Cleartext),
        Authentication::Md5Password { salt } => AuthStep::Challenge(AuthChallenge::Md5 { salt }),
        Authentication::Sasl(mechanisms) => AuthStep::Challenge(AuthChallenge::Sasl {
            mechanisms: mechanisms.into_iter().map(str::to_owned).collect(),
        }),
        Authentication::SaslContinue(data) => AuthStep::SaslContinue(data.to_vec()),
        Authentication::SaslFinal(data) => AuthStep::SaslFinal(data.to_vec()),
        Authentication::Unsupported { .. } => return Err(UpstreamLoginError::UnsupportedMethod),
    })
}

fn is_version_refused(error: &OwnedMessage) -> bool {
    matches!(sqlstate_of(error), Some("0A000" | "08P01"))
}

fn understood<T>(read: Result<T, MalformedMessage>) -> Result<T, UpstreamLoginError> {
    read.map_err(|malformed| UpstreamLoginError::Link(PeerError::Malformed(malformed)))
}
