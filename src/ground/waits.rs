//! Everything that somebody waits for, and what ends it: one row for each state in which pgsieve
//! waits for a peer, a thread or a person.
//!
//! A state that is not here has no clock. Where a row says a time, the code of that state takes it
//! from [`WaitState::bound`] or from the same line of [`crate::limits`]. `tests/tidy/waits.rs`
//! holds that every file that waits is the place of a row; `src/session/tests/silence.rs` drives
//! the states of a session with peers that say nothing, and `src/session/tests/faulty_upstream.rs`
//! with such as say anything.

use std::time::Duration;

use crate::limits;

/// What ends a wait in which nobody says anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitEnd {
    /// A clock of pgsieve's own.
    Within(Duration),
    /// The time that the statement may run, as the policy and the session have it, and as much on
    /// top. Where nothing bounds the statement it is [`WaitEnd::Peer`].
    Statement(Duration),
    /// A setting.
    Setting(&'static str),
    /// Only the peer: it is an ordinary state, and it may last. A peer that is gone without a word
    /// is found by TCP: after [`limits::KEEPALIVE_IDLE`] and some probes where all that was sent
    /// has arrived, else when the system gives up sending it again (on Linux some 16 minutes).
    Peer,
    /// Nobody: it comes by itself, in order, after each look at the sockets of the worker.
    Order,
    /// Whoever runs pgsieve: the policy or the settings ask for the wait. The end of the process's
    /// drain ends it, too.
    Operator(&'static str),
}

macro_rules! waits {
    ($($(#[doc = $doc:literal])+ $name:ident: $end:expr, at [$($place:literal),+ $(,)?];)+) => {
        /// One state.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum WaitState {
            $($(#[doc = $doc])+ $name,)+
        }

        impl WaitState {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// What ends it.
            pub const fn end(self) -> WaitEnd {
                match self {
                    $(Self::$name => $end,)+
                }
            }

            /// The files whose code waits so.
            pub const fn places(self) -> &'static [&'static str] {
                match self {
                    $(Self::$name => &[$($place),+],)+
                }
            }
        }
    };
}

waits! {
    // --- a session: `Relay::waits_for` says which
    /// The client's next statement, or the rest of its batch.
    Client: WaitEnd::Setting("limits.idle_time"),
        at [
            "src/session/io/mod.rs", "src/session/io/worker_move.rs", "src/session/mod.rs",
            "src/session/policy_limits/idle_timeout.rs",
        ];
    /// The end of a session's token: the session goes on meanwhile.
    Lapse: WaitEnd::Setting("client.auth.oidc.expired_sessions"), at ["src/session/lapse.rs"];
    /// The client takes what it is sent. Who reads slowly is served slowly.
    ClientReads: WaitEnd::Peer,
        at [
            "src/session/io/mod.rs", "src/session/io/sockets.rs", "src/net/stream.rs",
            "src/net/peer_socket.rs", "src/net/uring/ring_socket.rs",
            "src/net/uring/receiving.rs", "src/net/uring/sending.rs",
        ];
    /// The client that has said goodbye, or sends nothing more, while its statements run: without a
    /// byte for it.
    Departure: WaitEnd::Within(limits::DEPARTURE_GRACE), at ["src/session/io/timeouts.rs"];
    /// The upstream's answer to what was sent, pgsieve's own questions included.
    Answer: WaitEnd::Statement(limits::UPSTREAM_GRACE),
        at ["src/session/io/timeouts.rs", "src/session/io/mod.rs", "src/upstream/outbox.rs", "src/upstream/writer.rs"];
    /// The rest of a message that the upstream has begun although nothing is asked of it.
    UpstreamFrame: WaitEnd::Within(limits::UPSTREAM_GRACE), at ["src/session/io/timeouts.rs"];
    /// The end of a connection of which the upstream has said that it ends it.
    UpstreamCloses: WaitEnd::Within(limits::UPSTREAM_GRACE), at ["src/session/io/timeouts.rs"];
    /// The judgement of a large text on another thread.
    Judgement: WaitEnd::Within(limits::JUDGEMENT_TIME_MAX),
        at ["src/session/io/timeouts.rs", "src/session/scheduling/large_text.rs", "src/upstream/fair_slots.rs"];
    /// A repair on another thread, its turn included.
    Repair: WaitEnd::Within(limits::REPAIR_TIME_MAX),
        at [
            "src/session/repair/executor.rs",
            "src/session/scheduling/throttle.rs",
        ];
    /// The cancel of a result that was cut.
    CutCancel: WaitEnd::Within(limits::OWN_CANCEL_TIME_MAX),
        at ["src/upstream/cancel/mod.rs", "src/session/io/background.rs"];
    /// The cancel or the end of another session, which a statement has asked for.
    Signal: WaitEnd::Within(limits::SIGNAL_END_TIME_MAX), at [
        "src/session/io/mod.rs", "src/session/signal_calls.rs", "src/session/upstream_side.rs",
        "src/upstream/backend_signals.rs", "src/upstream/cancel/mod.rs",
    ];
    /// Room in the audit, where the settings want every line on record.
    AuditRoom: WaitEnd::Operator("audit.on_full: block"),
        at ["src/session/tracing.rs", "src/telemetry/mod.rs", "src/telemetry/audit/queue.rs"];
    /// The next turn of a session that has used up its own.
    Turn: WaitEnd::Order, at ["src/session/scheduling/turn.rs"];
    /// A server replays what the client has named.
    Replay: WaitEnd::Setting("upstream.min_lsn_wait"), at [
        "src/session/pooling/awaited_lsn.rs", "src/upstream/servers/replay.rs",
        "src/upstream/servers/server_state.rs",
    ];
    /// A server that has ended a statement says whether it stops.
    StopQuestion: WaitEnd::Within(limits::upstreams::STOP_QUESTION_TIME_MAX),
        at [
            "src/session/pooling/checkout.rs", "src/session/pooling/last_words.rs",
            "src/upstream/servers/stopping.rs",
        ];
    /// A connection of the pool: one that others give back, or a new one.
    PoolConnection: WaitEnd::Setting("pool.query_wait"), at [
        "src/session/pooling/checkout.rs", "src/upstream/pool/mod.rs", "src/upstream/pool/one_pool.rs",
        "src/upstream/pool/account_turns.rs", "src/upstream/pool/database_bound.rs",
        "src/upstream/pool/password_proof.rs", "src/upstream/pool/source.rs",
        "src/upstream/servers/session_home.rs",
    ];
    /// The login of a connection of a pool that nobody has asked for yet.
    PoolRefill: WaitEnd::Within(limits::pools::CONNECT_TIME_MAX),
        at ["src/upstream/pool/upkeep.rs", "src/upstream/pool/source.rs"];
    /// The end of a pause of the database, while a connection of its pool is wanted.
    PoolPause: WaitEnd::Setting("pool.query_wait"), at ["src/upstream/pool/one_pool.rs"];
    /// The end of the last connection of a database that is being paused. Its session hears its
    /// client, its cancel and the drain meanwhile.
    ConsolePause: WaitEnd::Operator("PAUSE"),
        at ["src/session/console/acts.rs", "src/upstream/pool/administration.rs"];
    /// The settings that somebody at the console wants to be read again.
    ConsoleReload: WaitEnd::Within(limits::console::RELOAD_WAIT),
        at ["src/session/console/acts.rs"];
    /// The next command of a client of the console.
    ConsoleClient: WaitEnd::Within(limits::console::IDLE_TIME_MAX),
        at ["src/session/console/mod.rs"];
    /// A client of the console takes its answer.
    ConsoleAnswer: WaitEnd::Within(limits::console::ANSWER_TIME_MAX),
        at ["src/session/console/mod.rs"];
    /// What a connection says of its settings, or its taking those of a session.
    PoolSettings: WaitEnd::Within(limits::pools::SETTLE_TIME_MAX),
        at ["src/session/pooling/checkout.rs", "src/upstream/pool/connection.rs"];
    /// The first look at each of several servers, before a login goes to one.
    ServerLook: WaitEnd::Within(limits::upstreams::FIRST_LOOK_WAIT_MAX), at [
        "src/session/login/login_server.rs", "src/upstream/servers/mod.rs",
        "src/upstream/servers/server_state.rs",
    ];
    /// What a server says when it is looked at, and the pause before the next look.
    ServerProbe: WaitEnd::Within(limits::upstreams::PROBE_PAUSE_MAX),
        at ["src/upstream/servers/probe.rs"];
    /// Memory, for a message or an answer that is longer than most.
    Memory: WaitEnd::Within(limits::MEMORY_WAIT_MAX),
        at ["src/session/memory/mod.rs", "src/session/memory/budget.rs"];
    /// Nothing that anybody knows of: a fault of pgsieve's own.
    Nobody: WaitEnd::Within(limits::UPSTREAM_GRACE), at ["src/session/io/timeouts.rs"];

    // --- how it ends
    /// The client takes the last words.
    LastWords: WaitEnd::Within(limits::FAREWELL_TIME_MAX), at [
        "src/net/framed_stream.rs", "src/session/close.rs", "src/session/shared.rs",
        "src/server/client_assigner.rs",
    ];
    /// A peer closes behind the last words.
    Linger: WaitEnd::Within(limits::LINGER_TIME_MAX), at ["src/net/framed_stream.rs"];
    /// The upstream lets go of a session that another one has ended.
    EndedLinger: WaitEnd::Within(limits::ENDED_LINGER_TIME_MAX),
        at ["src/upstream/lease.rs", "src/net/framed_stream.rs", "src/session/close.rs"];
    /// The upstream takes the goodbye.
    Goodbye: WaitEnd::Within(limits::FAREWELL_TIME_MAX),
        at ["src/upstream/lease.rs", "src/upstream/pool/idle_connection.rs"];
    /// The cancel of a statement that nobody waits for any more.
    AbandonedCancel: WaitEnd::Within(limits::OWN_CANCEL_TIME_MAX),
        at ["src/upstream/lease.rs", "src/upstream/cancel/mod.rs"];
    /// Room in the audit for the last lines of a session, where every line is wanted.
    LastRecord: WaitEnd::Operator("audit.on_full: block"), at ["src/session/mod.rs"];
    /// Running statements finish while the server drains.
    Drain: WaitEnd::Setting("limits.drain_timeout"),
        at ["src/server/mod.rs", "src/server/worker.rs", "src/session/drain.rs"];
    /// Clients leave by themselves before a drain.
    WaitForClients: WaitEnd::Setting("limits.wait_for_clients"), at ["src/server/mod.rs"];
    /// Sessions that were told to close do.
    Close: WaitEnd::Within(limits::ending::CLOSE_TIMEOUT), at ["src/server/mod.rs"];

    // --- a login
    /// All of a client's part and the upstream's. The drain ends it at once.
    Login: WaitEnd::Within(limits::LOGIN_TIME_MAX), at [
        "src/session/login/mod.rs", "src/session/login/attempt.rs", "src/session/login/upstream_login.rs",
        "src/session/login/console_login.rs", "src/session/login/greeting.rs", "src/session/login/pending_logins.rs",
        "src/session/login/queried_proof.rs", "src/session/login/password_login.rs", "src/auth/mod.rs", "src/auth/password_request.rs",
        "src/auth/scram.rs", "src/auth/scram_exchange.rs", "src/auth/queried.rs", "src/auth/oidc/mod.rs",
        "src/upstream/login.rs", "src/upstream/password.rs", "src/upstream/verify.rs",
        "src/upstream/session_settings.rs", "src/net/framed_stream.rs",
    ];
    /// The keys that tokens are checked with, asked of their issuer.
    IssuerKeys: WaitEnd::Within(limits::DOCUMENT_FETCH_TIME_MAX),
        at ["src/auth/oidc/keyring.rs", "src/net/https.rs"];
    /// The verifier of a user, asked of one server; whoever asks for the same user waits with it.
    Verifier: WaitEnd::Within(limits::verifiers::QUESTION_TIME_MAX),
        at ["src/upstream/verifier_lookup/"];
    /// Room in the audit before a login begins.
    LoginRecord: WaitEnd::Within(limits::AUDIT_LOGIN_WAIT_MAX), at ["src/session/login/mod.rs"];
    /// The upstream's address, its connection and its TLS.
    UpstreamConnect: WaitEnd::Within(limits::UPSTREAM_CONNECT_TIME_MAX),
        at ["src/upstream/connect.rs"];
    /// The pause before an upstream that has no room is tried again; it doubles with each try.
    UpstreamAgain: WaitEnd::Within(limits::UPSTREAM_LOGIN_PAUSE), at ["src/upstream/login_retry.rs"];
    /// The first load of a database's catalog.
    FirstLoad: WaitEnd::Within(limits::CATALOG_FIRST_LOAD_WAIT_MAX),
        at ["src/upstream/catalog_cache/mod.rs", "src/upstream/catalog_cache/published.rs"];

    // --- cancels
    /// A place among the cancels that are under way.
    CancelTurn: WaitEnd::Within(limits::CANCEL_TURN_TIME_MAX),
        at ["src/upstream/cancel/mod.rs", "src/upstream/cancel/slots.rs"];
    /// One cancel request: a connection of its own, and its end.
    Cancel: WaitEnd::Within(limits::CANCEL_TIME_MAX),
        at ["src/upstream/cancel/mod.rs", "src/upstream/cancel/peers.rs"];

    // --- connections of pgsieve's own
    /// A compile connection, or a place for one.
    SideTurn: WaitEnd::Within(limits::COMPILE_WAIT_MAX), at ["src/upstream/compile_pool/pool.rs"];
    /// The compile of one text, a login included.
    SideCompile: WaitEnd::Within(limits::COMPILE_TIME_MAX),
        at ["src/upstream/compile_pool/run.rs", "src/upstream/compile_pool/connection.rs"];
    /// The question for a queryid, a login and a compile included, and the pause behind it.
    QueryId: WaitEnd::Within(limits::COMPILE_TIME_MAX),
        at ["src/upstream/compile_pool/queryids.rs", "src/upstream/compile_pool/connection.rs"];
    /// The login of a connection for the catalogs.
    CatalogConnect: WaitEnd::Within(limits::CATALOG_CONNECT_TIME_MAX), at [
        "src/upstream/catalog_cache/connection.rs", "src/upstream/account.rs",
        "src/upstream/catalog_cache/catalog_account.rs", "src/upstream/snapshot/connect.rs",
    ];
    /// One look whether a catalog has changed.
    CatalogCheck: WaitEnd::Within(limits::CATALOG_CHECK_TIME_MAX), at [
        "src/upstream/catalog_cache/refresh_task.rs", "src/upstream/catalog_cache/connection.rs",
        "src/upstream/catalog_cache/replication_lag.rs", "src/upstream/snapshot/change_marker.rs",
    ];
    /// The load of a catalog.
    CatalogLoad: WaitEnd::Within(limits::CATALOG_LOAD_TIME_MAX), at [
        "src/upstream/catalog_cache/connection.rs", "src/upstream/snapshot/mod.rs",
        "src/upstream/snapshot/catalog_query.rs", "src/upstream/snapshot/support_functions.rs",
        "src/upstream/snapshot/details.rs", "src/upstream/snapshot/lint_facts.rs",
        "src/upstream/snapshot/replayed_login.rs",
        "src/upstream/read_session.rs",
    ];
    /// An examination of the upstream, all of it.
    Examination: WaitEnd::Within(limits::EXAMINATION_TIME_MAX), at ["src/doctor/"];

    // --- the admin address and what goes out by itself
    /// A request to the admin address, from accept to close.
    AdminRequest: WaitEnd::Within(Duration::from_millis(limits::ADMIN_TIME_MS_MAX)), at [
        "src/server/admin/connection.rs", "src/net/stalling_stream.rs", "src/server/admin/routes.rs",
        "src/server/admin/mod.rs", "src/server/admin/connection_limit.rs", "src/server/admin/actions.rs",
    ];
    /// A page that is followed.
    AdminFollower: WaitEnd::Within(limits::ADMIN_FOLLOWED_TIME_MAX),
        at ["src/server/admin/event_stream.rs", "src/server/admin/stream_limit.rs"];
    /// A grounding that somebody asks for: it is made to its end behind that.
    Grounding: WaitEnd::Within(limits::served_groundings::ANSWER_WAIT),
        at ["src/server/admin/grounding.rs", "src/server/grounding/service.rs"];
    /// The database's answers that a grounding is made of.
    GroundingReading: WaitEnd::Within(limits::served_groundings::MAKING_TIME_MAX),
        at ["src/server/grounding/reading.rs"];
    /// The next look at the groundings that sessions stand on.
    GroundingLook: WaitEnd::Within(limits::served_groundings::LOOK_INTERVAL),
        at ["src/server/grounding/watch.rs"];
    /// A batch of spans at its collector.
    TraceExport: WaitEnd::Within(limits::TRACE_EXPORT_TIME_MAX),
        at ["src/telemetry/traces/export.rs"];
    /// A batch of audit lines at a collector.
    AuditExport: WaitEnd::Within(limits::collectors::AUDIT_EXPORT_TIME_MAX),
        at ["src/telemetry/audit/collector/mod.rs", "src/telemetry/audit/collector/transport.rs"];
    /// An exchange of counts with the store of limits, and the pause before the next one.
    LimitsStore: WaitEnd::Within(limits::shared_counts::EXCHANGE_TIME_MAX),
        at ["src/server/limits_store/mod.rs", "src/server/limits_store/connection.rs"];
    /// The catalog that the policies' tests are run against, before any client is let in.
    PolicyTests: WaitEnd::Operator("policy.tests"), at ["src/server/reload/policy_tests.rs"];
    /// The next client, or the next look at the files of policies: nobody waits for these.
    Nothing: WaitEnd::Peer, at [
        "src/server/budget_file.rs", "src/server/listener.rs", "src/server/worker.rs",
        "src/server/reload/mod.rs", "src/net/uring/driver.rs",
        "src/upstream/catalog_cache/server_choice.rs",
    ];
}

impl WaitState {
    /// The time of its own clock; none where something else ends it.
    pub const fn bound(self) -> Option<Duration> {
        match self.end() {
            WaitEnd::Within(time) => Some(time),
            WaitEnd::Statement(_)
            | WaitEnd::Setting(_)
            | WaitEnd::Operator(_)
            | WaitEnd::Peer
            | WaitEnd::Order => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wait_has_an_end_and_a_place() {
        for wait in WaitState::ALL {
            match wait.end() {
                WaitEnd::Within(time) | WaitEnd::Statement(time) => {
                    assert!(!time.is_zero(), "{wait:?}")
                }
                WaitEnd::Setting(name) | WaitEnd::Operator(name) => {
                    assert!(!name.is_empty(), "{wait:?}")
                }
                WaitEnd::Order => assert_eq!(*wait, WaitState::Turn),
                // Ordinary states that belong to a peer, each for a reason in its line.
                WaitEnd::Peer => assert!(
                    matches!(wait, WaitState::ClientReads | WaitState::Nothing),
                    "{wait:?}"
                ),
            }
            assert!(!wait.places().is_empty(), "{wait:?}");
        }
    }
}
