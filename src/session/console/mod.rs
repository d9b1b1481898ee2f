//! The console: a virtual database for whoever runs pgsieve, after the model of PgBouncer's. It
//! shows pools, clients, connections and what was done, and holds pools back or lets them go on.
//!
//! A session of it has no upstream and never gets one; what its client sends is a command or is
//! refused. It holds no text of a statement. Its client has proved who it is as every other one,
//! and what it may do is looked up with each command: settings may change meanwhile.
//!
//! * `access`: whom it is for; `context`: what it needs
//! * `command`: what can be asked; `views`: what is shown; `acts`: what is done; `table`: an answer
//! * `messages`: what a client of it may send; `traffic`: what was done in databases
//!
//! <https://www.pgbouncer.org/usage.html#admin-console>

pub mod access;
pub mod acts;
pub mod command;
pub mod context;
mod messages;
mod table;
pub mod traffic;
mod views;

use std::convert::Infallible;
use std::sync::Arc;
use std::task::Poll;

use bytes::BytesMut;
use jiff::Timestamp;
use tokio::time::{Instant, MissedTickBehavior, interval};

use self::access::ConsoleRole;
use self::acts::ActError;
use self::command::{ConsoleAct, ConsoleCommand, HELP};
use self::messages::ConsoleMessage;
use super::drain::DrainReceiver;
use super::lapse::Lapse;
use super::login::LoginContext;
use super::login::console_login::OpenedConsole;
use super::registry::RegisteredSession;
use super::reply::{self, CloseReason};
use super::session_end::SessionEnd;
use crate::limits;
use crate::net::framed_stream::{FramedStream, PeerError};
use crate::sqlstate;
use crate::telemetry::counters::session_gauges::SessionStateHandle;
use crate::telemetry::labels::{ConsoleOutcome, SessionState};
use crate::telemetry::session_info::SessionInfo;
use crate::upstream::backend_signals::SessionSignals;
use crate::wire::backend::TransactionStatus;
use crate::wire::encode;

/// One session of the console.
struct ConsoleSession<'c> {
    login_context: &'c LoginContext,
    info: &'c SessionInfo,
    user: Box<str>,
    signals: Arc<SessionSignals>,
    client: FramedStream,
    /// After an error in the extended protocol: nothing counts before the next Sync.
    is_skipping: bool,
    bytes_in: u64,
    bytes_out: u64,
}

/// How a session of the console has ended.
pub(in crate::session) struct ConsoleEnd {
    /// Why.
    pub ending: SessionEnd,
    /// Bytes that the client has sent.
    pub bytes_in: u64,
    /// Bytes that it got.
    pub bytes_out: u64,
}

/// Serves a client of the console until it is gone. May be cancelled: its connection is closed.
pub(in crate::session) async fn serve(
    opened: OpenedConsole,
    info: &Arc<SessionInfo>,
    (login_context, draining): (&LoginContext, &DrainReceiver),
    state_handle: SessionStateHandle,
) -> ConsoleEnd {
    let OpenedConsole {
        client,
        user,
        admission,
        ends,
        cancel,
        place: _place,
        ..
    } = opened;
    let signals = cancel.wishes();
    state_handle.set_alone(SessionState::Idle);
    let member = RegisteredSession {
        user: user.clone(),
        admission: admission.clone(),
        info: Arc::clone(info),
        since: Timestamp::now(),
        own_connection: None,
        state_handle,
        activity: Arc::default(),
        signals: Arc::clone(&signals),
    };
    let registry = &login_context.session_registry;
    let _registration = registry.register(info.id(), member);
    let now = login_context.login_settings.now();
    if !now.still_admits(&user, &admission) {
        signals.end();
    }
    let _lapse = ends.map(|ends| Lapse::at(ends, Arc::clone(&signals)));
    let mut session = ConsoleSession {
        login_context,
        info,
        user,
        signals,
        client,
        is_skipping: false,
        bytes_in: 0,
        bytes_out: 0,
    };
    let Err(ending) = session.run(draining).await;
    session.close(ending).await
}

/// Notes what was done in databases at the end of each period, as long as it is polled.
pub async fn keep_history(login_context: Arc<LoginContext>) {
    let mut periods = interval(limits::console::STATS_PERIOD);
    periods.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // As long as the process serves.
    loop {
        periods.tick().await;
        let traffic = views::traffic(&login_context);
        login_context.console.history.note(Instant::now(), traffic);
    }
}

impl ConsoleSession<'_> {
    /// Answers command after command.
    async fn run(&mut self, draining: &DrainReceiver) -> Result<Infallible, SessionEnd> {
        let mut out = BytesMut::new();
        encode::ready_for_query(&mut out, TransactionStatus::Idle);
        self.send(&out).await?;
        loop {
            let message = self.next(draining).await?;
            let mut out = BytesMut::new();
            match message {
                ConsoleMessage::Terminate => return Err(SessionEnd::Terminated),
                ConsoleMessage::Sync => {
                    self.is_skipping = false;
                    encode::ready_for_query(&mut out, TransactionStatus::Idle);
                }
                _ if self.is_skipping => continue,
                ConsoleMessage::Ignored => continue,
                ConsoleMessage::Extended => {
                    self.is_skipping = true;
                    error(&mut out, &simple_protocol_only());
                }
                ConsoleMessage::FunctionCall => {
                    error(&mut out, &simple_protocol_only());
                    encode::ready_for_query(&mut out, TransactionStatus::Idle);
                }
                ConsoleMessage::Command(text) => {
                    self.command(&text, draining, &mut out).await?;
                    encode::ready_for_query(&mut out, TransactionStatus::Idle);
                }
            }
            self.send(&out).await?;
            // Whoever sends many at once gets no more than its turn.
            tokio::task::yield_now().await;
        }
    }

    /// The next message. The server's wish to stop, and that of an administrator, come first.
    async fn next(&mut self, draining: &DrainReceiver) -> Result<ConsoleMessage, SessionEnd> {
        let idle_until = Instant::now() + limits::console::IDLE_TIME_MAX;
        loop {
            if draining.has_begun() {
                return Err(SessionEnd::Ended(CloseReason::Shutdown));
            }
            if self.signals.ends() {
                return Err(self.ordered_end());
            }
            if let Some(message) = messages::cut(&mut self.client.inbox)? {
                return Ok(message);
            }
            let before = self.client.inbox.len();
            tokio::select! {
                biased;
                () = draining.begun() => {}
                () = until_ended(&self.signals) => {}
                filled = self.client.fill(idle_until) => filled.map_err(of_peer)?,
            }
            self.bytes_in += as_u64(self.client.inbox.len().saturating_sub(before));
        }
    }

    /// Appends the answer to a command, all of it but ReadyForQuery.
    async fn command(
        &mut self,
        text: &str,
        draining: &DrainReceiver,
        out: &mut BytesMut,
    ) -> Result<(), SessionEnd> {
        let access = &self.login_context.login_settings.now().console;
        let Some(role) = access.role_of(&self.user) else {
            return Err(SessionEnd::Ended(CloseReason::Terminated));
        };
        match ConsoleCommand::read(text) {
            None => error(out, &not_a_command(text)),
            Some(ConsoleCommand::Empty) => encode::empty_query_response(out),
            Some(ConsoleCommand::Help) => {
                reply::notice(out, "Console usage", Some(HELP));
                encode::command_complete(out, "SHOW").map_err(|_| INTERNAL)?;
            }
            Some(ConsoleCommand::Show(view)) => {
                let table = views::show(view, self.login_context);
                if table.more() > 0 {
                    let told = format!("{} rows more are not shown", table.more());
                    reply::notice(out, &told, None);
                }
                table.encode(out).map_err(|_| INTERNAL)?;
            }
            Some(ConsoleCommand::Act(act)) => match self.act(&act, role, draining).await? {
                Ok(()) => encode::command_complete(out, act.name()).map_err(|_| INTERNAL)?,
                Err(refused) => error(out, &refused),
            },
        }
        Ok(())
    }

    /// Does something, unless its client cancels it, leaves, or has to.
    async fn act(
        &mut self,
        act: &ConsoleAct,
        role: ConsoleRole,
        draining: &DrainReceiver,
    ) -> Result<Result<(), ActError>, SessionEnd> {
        let whose = (self.info, self.login_context);
        let signals = Arc::clone(&self.signals);
        let mut work = std::pin::pin!(acts::run(act, role, whose));
        let mut cancelled = std::pin::pin!(signals.until_cancelled());
        cancelled.as_mut().enable();
        loop {
            let before = self.client.inbox.len();
            let far = Instant::now() + limits::console::IDLE_TIME_MAX;
            let ending = tokio::select! {
                biased;
                done = &mut work => return Ok(done),
                () = &mut cancelled => {
                    acts::cancel(act, whose);
                    return Ok(Err(cancelled_act(act)));
                }
                () = draining.begun() => Some(SessionEnd::Ended(CloseReason::Shutdown)),
                () = until_ended(&signals) => Some(self.ordered_end()),
                filled = self.client.fill(far), if before < limits::LOGIN_INBOX_BYTES => {
                    match filled {
                        // It asks for more, or says nothing for long: it is still there.
                        Ok(()) | Err(PeerError::TimedOut) => None,
                        Err(error) => Some(of_peer(error)),
                    }
                }
            };
            self.bytes_in += as_u64(self.client.inbox.len().saturating_sub(before));
            if let Some(ending) = ending {
                acts::record(act, ConsoleOutcome::Unfinished, whose);
                return Err(ending);
            }
        }
    }

    async fn send(&mut self, out: &BytesMut) -> Result<(), SessionEnd> {
        let deadline = Instant::now() + limits::console::ANSWER_TIME_MAX;
        let sent = self.client.send(out, deadline).await;
        // Half an answer may be out: there is nobody to say more to.
        sent.map_err(|_| SessionEnd::ClientGone)?;
        self.bytes_out += as_u64(out.len());
        Ok(())
    }

    /// An administrator, or the end of its token.
    fn ordered_end(&self) -> SessionEnd {
        SessionEnd::Ended(match self.signals.has_lapsed() {
            true => CloseReason::Lapsed,
            false => CloseReason::Terminated,
        })
    }

    /// Says why, where there is somebody to hear it.
    async fn close(self, ending: SessionEnd) -> ConsoleEnd {
        let mut out = BytesMut::new();
        if let SessionEnd::Ended(reason) = ending {
            reply::close_message(&mut out, reason);
        }
        if ending != SessionEnd::ClientGone {
            self.client.send_and_close(&out).await;
        }
        ConsoleEnd {
            ending,
            bytes_in: self.bytes_in,
            bytes_out: self.bytes_out + as_u64(out.len()),
        }
    }
}

/// Ready when somebody wants the session to end. May be cancelled.
async fn until_ended(signals: &SessionSignals) {
    std::future::poll_fn(|context| {
        signals.wake(context.waker());
        match signals.ends() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    })
    .await
}

fn of_peer(error: PeerError) -> SessionEnd {
    match error {
        PeerError::Closed | PeerError::Broken(_) => SessionEnd::ClientGone,
        PeerError::TimedOut => SessionEnd::Ended(CloseReason::Idle),
        PeerError::Malformed(cause) => cause.into(),
        // Messages of such a length are refused before.
        PeerError::TooMuch => INTERNAL,
    }
}

fn error(out: &mut BytesMut, told: &ActError) {
    reply::command_error(out, (told.sqlstate, &told.message), told.hint);
}

fn not_a_command(text: &str) -> ActError {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = words.chars().filter(|letter| !letter.is_control());
    let shown: String = shown
        .take(limits::console::SHOWN_COMMAND_CHARS_MAX)
        .collect();
    ActError {
        sqlstate: sqlstate::SYNTAX_ERROR,
        message: format!("not a command of the console: {shown}"),
        hint: Some("SHOW HELP lists the commands; each is sent by itself."),
    }
}

fn simple_protocol_only() -> ActError {
    ActError {
        sqlstate: sqlstate::FEATURE_NOT_SUPPORTED,
        message: "the console speaks the simple protocol only".into(),
        hint: Some("Have the driver send texts without preparing them, as psql does."),
    }
}

fn cancelled_act(act: &ConsoleAct) -> ActError {
    ActError {
        sqlstate: sqlstate::QUERY_CANCELED,
        message: format!("{} was canceled by its user", act.name()),
        hint: None,
    }
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// What cannot happen: every text of an answer fits a message.
const INTERNAL: SessionEnd = SessionEnd::Ended(CloseReason::Internal);
