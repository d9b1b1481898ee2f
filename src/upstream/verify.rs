//! Proof, after every login, that the session behind a client cannot write: what was asked for in
//! the StartupMessage is what the upstream says it has. And what only the upstream knows: where
//! names are looked up, and which server it is.
//!
//! <https://www.postgresql.org/docs/current/runtime-config-client.html#GUC-DEFAULT-TRANSACTION-READ-ONLY>

use std::collections::BTreeMap;
use std::fmt;

use tokio::time::Instant;

use super::connect::LearnedFacts;
use super::engine::EngineSetting;
use super::engine::known::EngineMismatch;
use super::engine::profile::{EngineProfile, EngineService, IdentityAnswers};
use super::engine::signs;
use super::identity::{IdentityQuery, ServerIdentity};
use super::login::UpstreamSession;
use super::outbox::Outbox;
use super::session_settings;
use super::session_settings::RowAnswer;
use crate::engine::Engine;
use crate::net::framed_stream::PeerError;
use crate::sqlstate;
use crate::telemetry::labels::Tripwire;

/// A setting that has to have a certain value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProvedSetting {
    /// `transaction_read_only`: this very transaction.
    TransactionReadOnly,
    /// `default_transaction_read_only`: every transaction from now on.
    DefaultTransactionReadOnly,
    /// `standard_conforming_strings`: texts hold the statements that the gate saw.
    StandardConformingStrings,
    /// `client_encoding`: bytes mean the characters that the gate saw.
    ClientEncoding,
}

/// Why a session is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerifyError {
    /// A setting is not what was asked for: the upstream, or something before it, ignored the
    /// StartupMessage. This is a tripwire.
    Differs(ProvedSetting),
    /// The upstream answered something else than one value.
    NoAnswer(ProvedSetting),
    /// The upstream does not say where it looks names up.
    NoSearchPath,
    /// The upstream answered something else than the settings that it was asked for.
    NoSettings,
    /// It is not of the engine that it should be of.
    OtherEngine(EngineMismatch),
    /// It does not say of which engine it is, and the settings do not name one.
    NoEngine,
    /// No session of its engine can be made to be what was asked for.
    Unserved(Engine),
    /// Sessions of its engine cannot share connections.
    Unshared(Engine),
    /// The upstream has ended the session: it shuts down, say.
    Ended,
    /// The connection was lost.
    Link(PeerError),
}

impl VerifyError {
    /// The alarm that this is, if it is one.
    pub fn tripwire(&self) -> Option<Tripwire> {
        match self {
            Self::Differs(setting) => Some(match setting {
                ProvedSetting::TransactionReadOnly => Tripwire::ReadOnlyNotVerified,
                ProvedSetting::DefaultTransactionReadOnly => Tripwire::ReadOnlyReportedOff,
                ProvedSetting::StandardConformingStrings => Tripwire::LexerSettingChanged,
                ProvedSetting::ClientEncoding => Tripwire::EncodingChanged,
            }),
            _ => None,
        }
    }

    /// Whether there is no session any more, rather than one that is not what was asked for:
    /// another try may do better.
    pub fn is_loss(&self) -> bool {
        match self {
            Self::Ended | Self::Link(_) => true,
            Self::Differs(_)
            | Self::NoAnswer(_)
            | Self::NoSearchPath
            | Self::NoSettings
            | Self::OtherEngine(_)
            | Self::NoEngine
            | Self::Unserved(_)
            | Self::Unshared(_) => false,
        }
    }
}

impl ProvedSetting {
    /// Its name at the upstream.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TransactionReadOnly => "transaction_read_only",
            Self::DefaultTransactionReadOnly => "default_transaction_read_only",
            Self::StandardConformingStrings => "standard_conforming_strings",
            Self::ClientEncoding => "client_encoding",
        }
    }

    /// What it has to be.
    pub const fn wanted(self) -> &'static str {
        match self {
            Self::TransactionReadOnly
            | Self::DefaultTransactionReadOnly
            | Self::StandardConformingStrings => "on",
            Self::ClientEncoding => "UTF8",
        }
    }
}

/// What a session was found to be.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifiedSession {
    /// Its search_path, as the setting is written.
    pub search_path: String,
    /// The settings that were asked for, by their names in lower case; none in it where the session
    /// has none. What the upstream did not say is not here.
    pub settings: BTreeMap<String, Option<String>>,
}

impl fmt::Debug for VerifiedSession {
    /// Without the values.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("VerifiedSession")
    }
}

/// Checks what was reported, and asks for what is not reported: `transaction_read_only` on every
/// server, its default on servers before 14, the search_path on servers before 18, the settings in
/// `asked` if there are any, and which server it is; of which engine it is where that is not
/// reported and was not found yet.
///
/// Not to be cancelled and gone on with: an answer may be under way.
///
/// # Errors
/// A setting is not what was asked for, or the upstream does not say; it is of an engine that it
/// should not be of, or that is not served; or the session is lost.
pub async fn verify(
    session: &mut UpstreamSession,
    asked: &[&str],
    learned: LearnedFacts<'_>,
    deadline: Instant,
) -> Result<VerifiedSession, VerifyError> {
    let reported = signs::reported(&session.parameters);
    if let Some(engine) = reported {
        // What it is says more than what it lacks.
        note_engine(session, engine, learned)?;
    }
    check_reported(session)?;
    let engine = learned.engine.of_report(reported);
    // All questions are under way together.
    let first = ProvedSetting::TransactionReadOnly;
    let no_answer = VerifyError::NoAnswer(first);
    let who = identity_question(engine, learned);
    let out = questions(who, engine, asked)?;
    let sent = session.framed.send(&out, deadline).await;
    sent.map_err(VerifyError::Link)?;
    let value = shown(session, no_answer, deadline).await?;
    check(first, Some(&value))?;
    let told = match who {
        Some(who) => server(session, who, deadline).await?,
        None => IdentityAnswer::Server(None),
    };
    let engine = match engine {
        Some(engine) => Some(engine),
        None => told_engine(session, learned, deadline).await?,
    };
    let settings = if asked.is_empty() {
        BTreeMap::new()
    } else {
        session_settings::answers(session, asked, deadline).await?
    };
    session.server = match told {
        IdentityAnswer::Server(server) => server,
        IdentityAnswer::NotAll => {
            learned.reticence.note();
            reduced_identity(session, deadline).await?
        }
    };
    if session
        .parameter(ProvedSetting::DefaultTransactionReadOnly.name())
        .is_none()
    {
        ask(session, ProvedSetting::DefaultTransactionReadOnly, deadline).await?;
    }
    let search_path = match session.parameter(SEARCH_PATH) {
        Some(reported) => reported.to_owned(),
        None => show(session, SEARCH_PATH, VerifyError::NoSearchPath, deadline).await?,
    };
    // Something may have been reported anew in between.
    check_reported(session)?;
    // That it could write is worse than that it is another one.
    note_engine(session, engine.ok_or(VerifyError::NoEngine)?, learned)?;
    Ok(VerifiedSession {
        search_path,
        settings,
    })
}

impl fmt::Display for VerifyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Differs(setting) => {
                write!(formatter, "{} is not {}", setting.name(), setting.wanted())
            }
            Self::NoAnswer(setting) => {
                write!(
                    formatter,
                    "the upstream does not say what {} is",
                    setting.name()
                )
            }
            Self::NoSearchPath => {
                formatter.write_str("the upstream does not say what search_path is")
            }
            Self::NoSettings => {
                formatter.write_str("the upstream does not say what settings of the policy are")
            }
            Self::OtherEngine(EngineMismatch::Named { named, found }) => write!(
                formatter,
                "upstream.engine is {}, and the server is {}: it says {}",
                named.name(),
                found.title(),
                EngineProfile::of(*found).sign
            ),
            Self::OtherEngine(EngineMismatch::Mixed { first, found }) => write!(
                formatter,
                "the servers of a database are of one engine, and one is {}, where another one is \
                 {}",
                found.title(),
                first.title()
            ),
            Self::NoEngine => formatter.write_str(
                "the upstream does not say of which engine it is: name it in upstream.engine",
            ),
            Self::Unserved(engine) => {
                let why = match EngineProfile::of(*engine).service {
                    EngineService::Refused(why) => why,
                    EngineService::Served => "it was another one before",
                };
                write!(formatter, "{} is not served: {why}", engine.title())
            }
            Self::Unshared(engine) => write!(
                formatter,
                "connections to {} do not tell what was set in them, so sessions cannot share \
                 them: pool.mode, or pool_mode of the database, has to be session",
                engine.title()
            ),
            Self::Ended => formatter.write_str("the upstream has ended the session"),
            Self::Link(error) => write!(formatter, "{error}"),
        }
    }
}

impl std::error::Error for VerifyError {}

/// Takes down of which engine the session's server is, if it may be of that.
fn note_engine(
    session: &mut UpstreamSession,
    engine: Engine,
    learned: LearnedFacts<'_>,
) -> Result<(), VerifyError> {
    session.engine = engine;
    let noted = learned.engine.note(engine, learned.shared_engine);
    noted.map_err(VerifyError::OtherEngine)?;
    match EngineProfile::of(engine).service {
        EngineService::Served => Ok(()),
        EngineService::Refused(_) => Err(VerifyError::Unserved(engine)),
    }
}

/// Everything that is asked together.
fn questions(
    who: Option<IdentityQuery>,
    engine: Option<Engine>,
    asked: &[&str],
) -> Result<Outbox, VerifyError> {
    let first = ProvedSetting::TransactionReadOnly;
    let no_answer = VerifyError::NoAnswer(first);
    let mut out = Outbox::default();
    out.show(first.name()).map_err(|_| no_answer)?;
    if let Some(who) = who {
        out.server_identity(who).map_err(|_| no_answer)?;
    }
    if engine.is_none() {
        out.server_engine().map_err(|_| VerifyError::NoEngine)?;
    }
    let put = out.current_settings(asked);
    put.map_err(|_| VerifyError::NoSettings)?;
    Ok(out)
}

/// What is asked of the server that the session is at.
fn identity_question(engine: Option<Engine>, learned: LearnedFacts<'_>) -> Option<IdentityQuery> {
    let profile = engine.map(EngineProfile::of);
    match profile.map(|profile| profile.identity) {
        Some(IdentityAnswers::Unasked) => None,
        Some(IdentityAnswers::Answered) | None => Some(learned.reticence.question()),
    }
}

/// The engine that the server says it is of; where it does not say, the one that the settings name,
/// if they name one.
async fn told_engine(
    session: &mut UpstreamSession,
    learned: LearnedFacts<'_>,
    deadline: Instant,
) -> Result<Option<Engine>, VerifyError> {
    let (columns, no_answer) = (signs::COLUMNS, VerifyError::NoEngine);
    let answer = session_settings::answer(session, columns, no_answer, deadline).await?;
    Ok(match (answer, learned.shared_engine.setting()) {
        (RowAnswer::Row(row), _) => Some(signs::told(&row)),
        (RowAnswer::Refused(_) | RowAnswer::Nothing, EngineSetting::Named(named)) => Some(named),
        (RowAnswer::Refused(_) | RowAnswer::Nothing, EngineSetting::Auto) => None,
    })
}

/// A value that is not there is not the right one.
fn check(setting: ProvedSetting, value: Option<&str>) -> Result<(), VerifyError> {
    match value {
        Some(value) if value == setting.wanted() => Ok(()),
        Some(_) | None => Err(VerifyError::Differs(setting)),
    }
}

fn check_reported(session: &UpstreamSession) -> Result<(), VerifyError> {
    for setting in [
        ProvedSetting::StandardConformingStrings,
        ProvedSetting::ClientEncoding,
    ] {
        check(setting, session.parameter(setting.name()))?;
    }
    let default = ProvedSetting::DefaultTransactionReadOnly;
    match session.parameter(default.name()) {
        Some(value) => check(default, Some(value)),
        None => Ok(()),
    }
}

async fn ask(
    session: &mut UpstreamSession,
    setting: ProvedSetting,
    deadline: Instant,
) -> Result<(), VerifyError> {
    let no_answer = VerifyError::NoAnswer(setting);
    let value = show(session, setting.name(), no_answer, deadline).await?;
    check(setting, Some(&value))
}

/// The value of a setting; `no_answer` where the upstream answers anything else.
async fn show(
    session: &mut UpstreamSession,
    name: &'static str,
    no_answer: VerifyError,
    deadline: Instant,
) -> Result<String, VerifyError> {
    let mut out = Outbox::default();
    out.show(name).map_err(|_| no_answer)?;
    let sent = session.framed.send(&out, deadline).await;
    sent.map_err(VerifyError::Link)?;
    shown(session, no_answer, deadline).await
}

/// The answer to a SHOW.
async fn shown(
    session: &mut UpstreamSession,
    no_answer: VerifyError,
    deadline: Instant,
) -> Result<String, VerifyError> {
    match session_settings::answer(session, 1, no_answer, deadline).await? {
        RowAnswer::Row(values) => values.into_iter().next().flatten().ok_or(no_answer),
        RowAnswer::Refused(_) | RowAnswer::Nothing => Err(no_answer),
    }
}

/// What an upstream says of itself.
enum IdentityAnswer {
    /// Which server it is; none where that is not understood.
    Server(Option<ServerIdentity>),
    /// The role may not know all of it.
    NotAll,
}

/// The answer to the question which server it is.
async fn server(
    session: &mut UpstreamSession,
    asked: IdentityQuery,
    deadline: Instant,
) -> Result<IdentityAnswer, VerifyError> {
    let no_answer = VerifyError::NoSettings;
    let answer = session_settings::answer(session, asked.columns(), no_answer, deadline).await?;
    Ok(match answer {
        RowAnswer::Row(values) => {
            let values: Vec<Option<&str>> = values.iter().map(Option::as_deref).collect();
            IdentityAnswer::Server(ServerIdentity::read(&values))
        }
        RowAnswer::Refused(code) if asked == IdentityQuery::Whole && is_withheld(&code) => {
            IdentityAnswer::NotAll
        }
        RowAnswer::Refused(_) | RowAnswer::Nothing => IdentityAnswer::Server(None),
    })
}

/// Asks once more, for what everybody may know.
async fn reduced_identity(
    session: &mut UpstreamSession,
    deadline: Instant,
) -> Result<Option<ServerIdentity>, VerifyError> {
    let (asked, mut out) = (IdentityQuery::WithoutSystem, Outbox::default());
    let put = out.server_identity(asked);
    put.map_err(|_| VerifyError::NoSettings)?;
    let sent = session.framed.send(&out, deadline).await;
    sent.map_err(VerifyError::Link)?;
    match server(session, asked, deadline).await? {
        IdentityAnswer::Server(server) => Ok(server),
        IdentityAnswer::NotAll => Ok(None),
    }
}

/// Whether a function is not for everybody, or not there at all.
fn is_withheld(code: &str) -> bool {
    let known = [
        sqlstate::INSUFFICIENT_PRIVILEGE,
        sqlstate::UNDEFINED_FUNCTION,
    ];
    known.iter().any(|known| known.as_str() == code)
}

/// The setting that says where names are looked up.
const SEARCH_PATH: &str = "search_path";

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use std::time::Duration;

    use bytes::Bytes;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::UnixStream;
    use tokio::task::JoinHandle;

    use super::*;
    use crate::net::framed_stream::FramedStream;
    use crate::net::stream::PeerStream;
    use crate::upstream::engine::known::{KnownEngine, SharedEngine};
    use crate::upstream::identity::SystemIdWithheld;
    use crate::upstream::writer::UpstreamStream;
    use crate::wire::startup::ProtocolVersion;

    /// A session with an upstream that reports and answers the given things.
    fn against(reported: &[(&str, &str)], answers: &[&[u8]]) -> (UpstreamSession, JoinHandle<()>) {
        let (near, mut far) = UnixStream::pair().unwrap();
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let session = UpstreamSession {
            framed: FramedStream::new(UpstreamStream::new(PeerStream::Unix(near))),
            parameters: Arc::new(reported.iter().map(own).collect()),
            own_parameter: None,
            key: None,
            version: ProtocolVersion::V3_0,
            notices: Bytes::new(),
            server: None,
            engine: Engine::default(),
        };
        let answers: Vec<Vec<u8>> = answers.iter().map(|answer| answer.to_vec()).collect();
        let server = tokio::spawn(async move {
            for answer in answers {
                // One question each.
                let mut head = [0_u8; 5];
                far.read_exact(&mut head).await.unwrap();
                let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
                let mut text = vec![0; usize::try_from(length).unwrap() - 4];
                far.read_exact(&mut text).await.unwrap();
                far.write_all(&answer).await.unwrap();
            }
            far.shutdown().await.unwrap();
            let _rest = far.read_to_end(&mut Vec::new()).await;
        });
        (session, server)
    }

    /// What is known of a server.
    #[derive(Default)]
    struct Known {
        reticence: SystemIdWithheld,
        engine: KnownEngine,
        shared: SharedEngine,
    }

    impl Known {
        /// One that was found to be a Postgres.
        fn postgres() -> Self {
            let known = Self::default();
            known.engine.note(Engine::Postgres, &known.shared).unwrap();
            known
        }

        fn named(engine: Engine) -> Self {
            Self {
                shared: SharedEngine::new(EngineSetting::Named(engine), false),
                ..Self::default()
            }
        }

        fn learned(&self) -> LearnedFacts<'_> {
            LearnedFacts {
                reticence: &self.reticence,
                engine: &self.engine,
                shared_engine: &self.shared,
            }
        }

        /// One run against an upstream that reports and answers the given things.
        async fn run(
            &self,
            reported: &[(&str, &str)],
            answers: &[&[u8]],
        ) -> (Result<String, VerifyError>, UpstreamSession) {
            let (mut session, server) = against(reported, answers);
            let deadline = Instant::now() + Duration::from_secs(5);
            let outcome = verify(&mut session, &[], self.learned(), deadline).await;
            session.framed = FramedStream::new(UpstreamStream::new(PeerStream::Unix(
                UnixStream::pair().unwrap().0,
            )));
            server.await.unwrap();
            (outcome.map(|verified| verified.search_path), session)
        }
    }

    /// One run against a Postgres that reports and answers the given things.
    async fn check_verify(
        reported: &[(&str, &str)],
        answers: &[&[u8]],
    ) -> Result<String, VerifyError> {
        Known::postgres().run(reported, answers).await.0
    }

    /// The row of an answer to the question of which engine it is.
    fn engine_row(version: &str, others: [Option<&str>; 3]) -> Vec<u8> {
        let mut body = vec![0, 4];
        for value in [Some(version)].into_iter().chain(others) {
            match value {
                None => body.extend((-1_i32).to_be_bytes()),
                Some(value) => {
                    body.extend(i32::try_from(value.len()).unwrap().to_be_bytes());
                    body.extend(value.as_bytes());
                }
            }
        }
        let length = i32::try_from(body.len() + 4).unwrap().to_be_bytes();
        [b"D", &length[..], &body, b"Z\0\0\0\x05I"].concat()
    }

    #[tokio::test]
    async fn which_engine_it_is_is_asked_once() {
        let known = Known::default();
        let citus = engine_row("PostgreSQL 16.2", [None, Some("32"), None]);
        let (outcome, session) = known.run(&FIRM, &[ON, WHO, &citus, PUBLIC]).await;
        assert_eq!(
            (outcome, session.engine),
            (Ok("public".into()), Engine::Citus)
        );
        let (outcome, session) = known.run(&FIRM, &[ON, WHO, PUBLIC]).await;
        assert_eq!(
            (outcome, session.engine),
            (Ok("public".into()), Engine::Citus)
        );
    }

    #[tokio::test]
    async fn what_reports_its_engine_is_not_asked() {
        const COCKROACH: [(&str, &str); 4] = [
            ("standard_conforming_strings", "on"),
            ("client_encoding", "UTF8"),
            ("server_version", "13.0.0"),
            ("crdb_version", "CockroachDB CCL v24.1.0"),
        ];
        // Neither which server it is: it could not say. Its default is not reported.
        let known = Known::default();
        let (outcome, session) = known.run(&COCKROACH, &[ON, ON, PUBLIC]).await;
        assert_eq!(outcome, Ok("public".into()));
        assert_eq!(session.engine, Engine::CockroachDb);
        assert!(session.server.is_none());
        for writable in [&[OFF][..], &[ON, OFF]] {
            let (outcome, _) = known.run(&COCKROACH, writable).await;
            assert!(
                matches!(outcome, Err(VerifyError::Differs(_))),
                "{outcome:?}"
            );
        }
        // Another one is there now.
        let postgres = engine_row("PostgreSQL 16.2", [None; 3]);
        let (outcome, session) = known.run(&FIRM, &[ON, WHO, &postgres, PUBLIC]).await;
        assert_eq!(
            (outcome, session.engine),
            (Ok("public".into()), Engine::Postgres)
        );
        // And what was known of it is no more.
        let (outcome, session) = known.run(&COCKROACH, &[ON, ON, PUBLIC]).await;
        assert_eq!(
            (outcome, session.engine),
            (Ok("public".into()), Engine::CockroachDb)
        );
    }

    #[tokio::test]
    async fn an_engine_that_is_named_is_held_to_it() {
        let mismatch = |named, found| {
            Err(VerifyError::OtherEngine(EngineMismatch::Named {
                named,
                found,
            }))
        };
        let known = Known::named(Engine::CockroachDb);
        let postgres = engine_row("PostgreSQL 16.2", [None; 3]);
        let (outcome, _) = known.run(&FIRM, &[ON, WHO, &postgres, PUBLIC]).await;
        assert_eq!(outcome, mismatch(Engine::CockroachDb, Engine::Postgres));
        let known = Known::named(Engine::Postgres);
        let (outcome, _) = known.run(&[("crdb_version", "x")], &[]).await;
        assert_eq!(outcome, mismatch(Engine::Postgres, Engine::CockroachDb));
        let words = outcome.unwrap_err().to_string();
        assert!(
            words.contains("postgres") && words.contains("CockroachDB"),
            "{words}"
        );
    }

    #[tokio::test]
    async fn what_does_not_say_its_engine_is_what_the_settings_name_or_nothing() {
        const REFUSED: &[u8] = b"E\0\0\0\x13VERROR\0C42501\0\0Z\0\0\0\x05I";
        for unclear in [REFUSED, NOTHING] {
            let known = Known::default();
            let (outcome, _) = known.run(&FIRM, &[ON, WHO, unclear, PUBLIC]).await;
            assert_eq!(outcome, Err(VerifyError::NoEngine));
            let known = Known::named(Engine::CockroachDb);
            let (outcome, session) = known.run(&FIRM, &[ON, WHO, unclear, PUBLIC]).await;
            assert_eq!(
                (outcome, session.engine),
                (Ok("public".into()), Engine::CockroachDb)
            );
        }
    }

    #[tokio::test]
    async fn what_cannot_be_made_read_only_is_not_served() {
        // It reports no standard_conforming_strings; what it is says more than that.
        for reported in [("server_version", "8.0.2"), ("padb_version", "1.0.77467")] {
            let (outcome, _) = Known::default().run(&[reported], &[]).await;
            assert_eq!(outcome, Err(VerifyError::Unserved(Engine::Redshift)));
        }
    }

    const ON: &[u8] = b"D\0\0\0\x0c\0\x01\0\0\0\x02onC\0\0\0\x09SHOW\0Z\0\0\0\x05I";
    const OFF: &[u8] = b"D\0\0\0\x0d\0\x01\0\0\0\x03offC\0\0\0\x09SHOW\0Z\0\0\0\x05I";
    const LATE: &[u8] = b"S\0\0\0\x26default_transaction_read_only\0off\0";
    const PUBLIC: &[u8] = b"D\0\0\0\x10\0\x01\0\0\0\x06publicZ\0\0\0\x05I";
    const IN_BLOCK: &[u8] = b"D\0\0\0\x0c\0\x01\0\0\0\x02onZ\0\0\0\x05T";
    const NULL: &[u8] = b"D\0\0\0\x0a\0\x01\xff\xff\xff\xffZ\0\0\0\x05I";
    const WHO: &[u8] =
        b"D\0\0\0\x24\0\x03\0\0\0\x100002c0ffee000001\0\0\0\x015\0\0\0\x017Z\0\0\0\x05I";
    const LESS: &[u8] = b"D\0\0\0\x1f\0\x02\0\0\0\x100002c0ffee000001\0\0\0\x015Z\0\0\0\x05I";
    const NOTHING: &[u8] = b"C\0\0\0\x09SHOW\0Z\0\0\0\x05I";
    const FIRM: [(&str, &str); 3] = [
        ("standard_conforming_strings", "on"),
        ("client_encoding", "UTF8"),
        ("default_transaction_read_only", "on"),
    ];

    #[tokio::test]
    async fn a_session_that_is_what_was_asked_for_is_used() {
        let on_public = || Ok("public".to_owned());
        assert_eq!(check_verify(&FIRM, &[ON, WHO, PUBLIC]).await, on_public());
        // Before 14 the default is asked for.
        let older = check_verify(&FIRM[..2], &[ON, WHO, ON, PUBLIC]).await;
        assert_eq!(older, on_public());
        // From 18 on the search_path is reported.
        let newer = [FIRM.as_slice(), &[("search_path", "\"$user\", public")]].concat();
        let reported = Ok("\"$user\", public".to_owned());
        assert_eq!(check_verify(&newer, &[ON, WHO]).await, reported);
    }

    #[tokio::test]
    async fn everything_else_is_not() {
        use ProvedSetting::*;
        use VerifyError::*;
        let firm = |name: &str, value: &'static str| {
            let mut all = FIRM;
            for pair in &mut all {
                if pair.0 == name {
                    pair.1 = value;
                }
            }
            all
        };
        for (reported, answers, error) in [
            (FIRM, vec![OFF], Differs(TransactionReadOnly)),
            (FIRM, vec![ON, WHO, NULL], NoSearchPath),
            (FIRM, vec![ON, WHO, NOTHING], NoSearchPath),
            (FIRM, vec![NULL], NoAnswer(TransactionReadOnly)),
            (FIRM, vec![IN_BLOCK], NoAnswer(TransactionReadOnly)),
            (FIRM, vec![NOTHING], NoAnswer(TransactionReadOnly)),
            (
                FIRM,
                vec![&b"E\0\0\0\x05\0"[..]],
                NoAnswer(TransactionReadOnly),
            ),
            (
                FIRM,
                vec![&b"Z\0\0\0\x05I"[..]],
                NoAnswer(TransactionReadOnly),
            ),
            (
                firm("default_transaction_read_only", "off"),
                vec![],
                Differs(DefaultTransactionReadOnly),
            ),
            (
                firm("standard_conforming_strings", "off"),
                vec![],
                Differs(StandardConformingStrings),
            ),
            (
                firm("client_encoding", "SJIS"),
                vec![],
                Differs(ClientEncoding),
            ),
            (
                firm("client_encoding", "SQL_ASCII"),
                vec![],
                Differs(ClientEncoding),
            ),
        ] {
            assert_eq!(
                check_verify(&reported, &answers).await,
                Err(error),
                "{error}"
            );
        }
        let late = [LATE, ON].concat();
        let changed = check_verify(&FIRM, &[&late, WHO, PUBLIC]).await;
        assert_eq!(changed, Err(Differs(DefaultTransactionReadOnly)));
        let older = check_verify(&FIRM[..2], &[ON, WHO, OFF]).await;
        assert_eq!(older, Err(Differs(DefaultTransactionReadOnly)));
        assert_eq!(
            check_verify(&[], &[]).await,
            Err(Differs(StandardConformingStrings))
        );
    }

    /// What an upstream tells of itself that answers so, and whether it is asked again for all.
    async fn check_server(answers: &[&[u8]]) -> (Option<ServerIdentity>, IdentityQuery) {
        let known = Known::postgres();
        let (outcome, session) = known.run(&FIRM, answers).await;
        outcome.unwrap();
        (session.server, known.reticence.question())
    }

    #[tokio::test]
    async fn the_server_says_who_it_is_as_far_as_it_may() {
        const NOT_YOURS: &[u8] = b"E\0\0\0\x13VERROR\0C42501\0\0Z\0\0\0\x05I";
        let (whole, next) = check_server(&[ON, WHO, PUBLIC]).await;
        assert_eq!(next, IdentityQuery::Whole);
        let (less, next) = check_server(&[ON, NOT_YOURS, LESS, PUBLIC]).await;
        assert_eq!(next, IdentityQuery::WithoutSystem);
        assert!(whole.unwrap().is_same(&less.unwrap()));
        // A pooler's own words, or nothing at all.
        for unclear in [NOTHING, b"E\0\0\0\x13VERROR\0C08P01\0\0Z\0\0\0\x05I"] {
            assert!(check_server(&[ON, unclear, PUBLIC]).await.0.is_none());
        }
    }

    #[tokio::test]
    async fn a_session_that_ends_is_lost_and_not_writable() {
        const SHUT_DOWN: &[u8] = b"E\0\0\0\x13VFATAL\0C57P01\0\0";
        for answers in [
            &[SHUT_DOWN][..],
            &[ON, SHUT_DOWN],
            &[ON, WHO, SHUT_DOWN],
            &[],
        ] {
            let error = check_verify(&FIRM, answers).await.unwrap_err();
            assert!(error.is_loss(), "{error}");
        }
    }
}
