//! The closed sets of words that metrics and audit lines may carry as labels.
//!
//! Rules, kinds of statements and objects, recoverers and what comes of repairs are sets of other
//! rooms.

use std::time::Duration;

use crate::words::words;

words! {
    /// The way a statement came to pgsieve.
    ProtocolPath {
        /// A Query message.
        Query => "query",
        /// A Parse message: judged and prepared, not run.
        Parse => "parse",
        /// A Bind message.
        Bind => "bind",
        /// An Execute message: the run of what a Parse prepared.
        Execute => "execute",
        /// A FunctionCall message, always refused.
        FunctionCall => "function_call",
        /// A CopyData, CopyDone or CopyFail that no COPY asked for.
        Copy => "copy",
        /// The settings of a startup packet.
        Startup => "startup",
        /// A message that pgsieve does not know.
        Other => "other",
    }
}

words! {
    /// What became of a text at the gate.
    StatementOutcome {
        /// It ran as it was sent.
        Permitted => "permitted",
        /// It ran with a value lowered to what the policy allows.
        Clamped => "clamped",
        /// A changed text ran in its place.
        Repaired => "repaired",
        /// It did not run.
        Refused => "refused",
        /// It ran, and its result ended in an error where the policy's limit did.
        Cut => "cut",
        /// It ran, and its result ended where the policy's limit did.
        Truncated => "truncated",
        /// It did not run because an earlier message failed and everything up to Sync is skipped.
        Skipped => "skipped",
    }
}

words! {
    /// For how long a grounding has been stale that a session stands on.
    StaleGroundingAge {
        /// Less than a minute.
        Minute => "minute",
        /// Less than an hour.
        Hour => "hour",
        /// Less than a day.
        Day => "day",
        /// A day or more.
        Older => "older",
    }
}

impl StaleGroundingAge {
    /// The one of a time.
    pub fn of(time: Duration) -> Self {
        match time.as_secs() {
            ..60 => Self::Minute,
            60..3_600 => Self::Hour,
            3_600..86_400 => Self::Day,
            86_400.. => Self::Older,
        }
    }
}

words! {
    /// A file of certificates that pgsieve holds.
    HeldCertificate {
        /// What clients are shown.
        ClientListener => "client_listener",
        /// What certificates of clients are checked by.
        ClientAuthority => "client_authority",
        /// What the upstream is shown.
        UpstreamClient => "upstream_client",
        /// What the upstream's certificate is checked by.
        UpstreamAuthority => "upstream_authority",
        /// What the host of an issuer's keys is checked by.
        IssuerAuthority => "issuer_authority",
        /// What the servers of other databases are shown.
        DatabaseClient => "database_client",
        /// What their certificates are checked by.
        DatabaseAuthority => "database_authority",
        /// What other copies of pgsieve are shown.
        PeerClient => "peer_client",
        /// What their certificates are checked by.
        PeerAuthority => "peer_authority",
        /// What the certificate of the store of limits is checked by.
        StoreAuthority => "store_authority",
    }
}

words! {
    /// What should be mended about settings that work.
    SettingsWarning {
        /// Local clients are let in without proof of who they are.
        TrustInUse => "trust_in_use",
        /// Others can read a file that holds a secret.
        FileExposed => "file_exposed",
        /// A certificate has ended.
        CertificateExpired => "certificate_expired",
        /// A certificate ends soon.
        CertificateExpiresSoon => "certificate_expires_soon",
        /// Clients come from other hosts in clear.
        ListeningWithoutTls => "listening_without_tls",
        /// Users can log in and have no policy.
        UserWithoutPolicy => "user_without_policy",
        /// A login at the upstream is a superuser's.
        UpstreamSuperuser => "upstream_superuser",
        /// A login at the upstream owns tables.
        UpstreamOwner => "upstream_owner",
        /// Budgets of a day begin anew with each start.
        BudgetsForgotten => "budgets_forgotten",
        /// Counts of users go to another host in clear.
        StoreInClear => "store_in_clear",
        /// The audit has the texts of statements, encrypted.
        TextsRecorded => "texts_recorded",
        /// A file has the texts of statements that failed, in clear.
        CaptureInUse => "capture_in_use",
        /// A policy is for a database that is not there.
        DatabaseUnknown => "database_unknown",
        /// A policy is for a user that nobody can be.
        UserUnknown => "user_unknown",
        /// A policy is for members of a role that is not there.
        RoleUnknown => "role_unknown",
    }
}

words! {
    /// What the memory of verdicts knew of a text.
    CacheAnswer {
        /// The verdict was known.
        Hit => "hit",
        /// It was not.
        Miss => "miss",
        /// It was not asked: the text was judged where nothing is remembered.
        Unasked => "unasked",
    }
}

words! {
    /// What became of a statement that failed while there is a capture.
    CaptureOutcome {
        /// Its text was written.
        Kept => "kept",
        /// It is no read, or mentions a password.
        NoRead => "no_read",
        /// It is longer than what is kept.
        TooLong => "too_long",
        /// Too many waited to be written.
        QueueFull => "queue_full",
        /// The file has as much as it may have.
        FileFull => "file_full",
        /// The file could not be written.
        Unwritten => "unwritten",
    }
}

words! {
    /// What became of a span.
    SpanOutcome {
        /// The collector has it.
        Exported => "exported",
        /// There was no room for it.
        Dropped => "dropped",
        /// The collector did not take it.
        Failed => "failed",
    }
}

words! {
    /// Whether a plan that was known spoke for a statement.
    PlanAnswer {
        /// One did.
        Hit => "hit",
        /// None did: it is asked for.
        Miss => "miss",
    }
}

words! {
    /// What became of a statement that was repaired or could have been.
    RepairedOutcome {
        /// The changed text ran and brought no error.
        Succeeded => "succeeded",
        /// The changed text ran and failed as well.
        Failed => "failed",
        /// The repair was only offered as a hint.
        Hinted => "hinted",
        /// The policy only observes repairs.
        Observed => "observed",
    }
}

words! {
    /// What a client's session is at.
    SessionState {
        /// It is not in yet.
        Login => "login",
        /// Nothing is under way and no transaction open.
        Idle => "idle",
        /// A statement is under way.
        Active => "active",
        /// Nothing is under way in an open transaction.
        InTransaction => "in_transaction",
        /// The same in a transaction that has failed.
        FailedTransaction => "failed_transaction",
    }
}

words! {
    /// What a session at the upstream is at.
    UpstreamState {
        /// Nothing is under way and no transaction open.
        Idle => "idle",
        /// A statement is under way.
        Active => "active",
        /// Nothing is under way in an open transaction, failed or not.
        InTransaction => "in_transaction",
    }
}

words! {
    /// What came of an exchange with the store of limits.
    StoreAnswer {
        /// The store has answered.
        Answered => "answered",
        /// It has not.
        Failed => "failed",
    }
}

words! {
    /// What came of the wish for a connection of a pool.
    CheckoutOutcome {
        /// One that had the session's settings.
        Reused => "reused",
        /// One that was brought to them.
        Replayed => "replayed",
        /// A new one.
        Opened => "opened",
        /// None was free in time.
        TimedOut => "timed_out",
        /// None could be opened.
        Failed => "failed",
    }
}

words! {
    /// What a connection of a pool is at.
    PooledConnectionState {
        /// No session has it.
        Idle => "idle",
        /// A session has it, or it is being opened.
        Used => "used",
    }
}

words! {
    /// Why a session keeps its connection until its end.
    PinReason {
        /// It has used SQL's PREPARE or EXECUTE.
        SqlPrepare => "sql_prepare",
        /// It has a cursor WITH HOLD.
        HeldCursor => "held_cursor",
        /// It has set too many settings that no module describes, or those by which literals in its
        /// prepared statements were read.
        Settings => "settings",
        /// It has given a name to a statement twice.
        NamedStatement => "named_statement",
    }
}

words! {
    /// Why a session goes on with another worker.
    WorkerMoveReason {
        /// Its own has too much to do.
        Busy => "busy",
        /// One worker can do what its own and another have to do.
        Together => "together",
    }
}

words! {
    /// Why a session moved to another server.
    MoveReason {
        /// Its server was not there.
        Away => "away",
        /// Its server was started again, or became another one.
        Restarted => "restarted",
        /// Another server is wanted more.
        Wanted => "wanted",
        /// The policy of the session lets it be at other servers now.
        Policy => "policy",
        /// Its server died before the first byte of an answer, which runs once more elsewhere.
        Lost => "lost",
    }
}

words! {
    /// What came of an attempt to reach the upstream.
    CheckOutcome {
        /// It was reached.
        Reached => "reached",
        /// Its name was not found.
        UnknownHost => "unknown_host",
        /// Nobody answers there.
        Unreachable => "unreachable",
        /// It took longer than it may.
        TimedOut => "timed_out",
        /// It does not offer the TLS that the settings insist on, or does not speak Postgres.
        NotPostgres => "not_postgres",
        /// The TLS handshake failed.
        TlsHandshake => "tls_handshake",
    }
}

words! {
    /// Why TLS with a peer could not be agreed on.
    TlsFailure {
        /// The peer went away in the middle of it.
        PeerGone => "peer_gone",
        /// The peer does not offer TLS, which the settings insist on.
        NotOffered => "not_offered",
        /// What the peer sends is no TLS: plain bytes, or another protocol.
        NotTls => "not_tls",
        /// No version of TLS is known to both.
        NoSharedVersion => "no_shared_version",
        /// No cipher, curve or kind of signature is known to both.
        NoSharedCipher => "no_shared_cipher",
        /// The protocol that is to be spoken within it (ALPN) is another one, or was not named.
        NoSharedProtocol => "no_shared_protocol",
        /// The peer shows no certificate, and has to.
        CertificateAbsent => "certificate_absent",
        /// No authority that is known vouches for the peer's certificate.
        CertificateUnknownAuthority => "certificate_unknown_authority",
        /// The peer's certificate is over, or does not hold yet.
        CertificateOutOfTime => "certificate_out_of_time",
        /// The peer's certificate is for another host.
        CertificateOtherHost => "certificate_other_host",
        /// Something else is wrong with the peer's certificate.
        CertificateBad => "certificate_bad",
        /// The peer does not know the authority of our certificate.
        RefusedUnknownAuthority => "refused_unknown_authority",
        /// The peer does not accept our certificate, or wants one.
        RefusedCertificate => "refused_certificate",
        /// The peer does not know the name that it was asked for.
        RefusedName => "refused_name",
        /// The peer ended it with another alert.
        Refused => "refused",
        /// The peer breaks the rules of TLS.
        Misbehaved => "misbehaved",
    }
}

words! {
    /// Whether a limit was enforced.
    LimitMode {
        /// It was.
        Enforce => "enforce",
        /// It was only counted.
        Observe => "observe",
    }
}

words! {
    /// What became of a setting in a connection string.
    StartupSettingOutcome {
        /// The session has the most that the policy allows.
        Lowered => "lowered",
        /// The session was begun without it.
        Ignored => "ignored",
    }
}

words! {
    /// The kind of socket a client came through.
    ClientTransport {
        /// TCP.
        Tcp => "tcp",
        /// A Unix socket.
        Unix => "unix",
        /// The MCP server of this process.
        Mcp => "mcp",
    }
}

words! {
    /// Why a connection was turned away before it could log in.
    RefusedBecause {
        /// All places are taken.
        ConnectionsMax => "connections_max",
        /// pgsieve is shutting down.
        Draining => "draining",
        /// It said nothing, and gave way to a connection that came after it.
        GaveWay => "gave_way",
        /// The login did not finish in time.
        LoginTimeout => "login_timeout",
        /// Its login could not be put on record: the audit takes no lines.
        AuditFull => "audit_full",
        /// TLS is required and the client did not ask for it.
        TlsRequired => "tls_required",
        /// The TLS handshake failed.
        TlsHandshake => "tls_handshake",
        /// The operating system gave out no more sockets or memory.
        Accept => "accept",
        /// Replication and other kinds of sessions that pgsieve does not carry.
        Unsupported => "unsupported",
    }
}

words! {
    /// The way a client proves who it is.
    LoginMethod {
        /// The client's own password, tried at the upstream.
        Passthrough => "passthrough",
        /// The same, which the upstream has accepted a short while ago and was not asked about.
        PassthroughCached => "passthrough_cached",
        /// A SCRAM-SHA-256 verifier held by pgsieve.
        Scram => "scram",
        /// SCRAM-SHA-256 bound to the TLS channel.
        ScramPlus => "scram_plus",
        /// A client certificate.
        Certificate => "cert",
        /// A token of an OpenID Connect issuer.
        Oidc => "oidc",
        /// A token of the MCP server.
        McpToken => "mcp_token",
        /// A token of an OAuth issuer, at the MCP server.
        McpOauth => "mcp_oauth",
        /// Nothing: allowed only on loopback or a Unix socket.
        Trust => "trust",
    }
}

words! {
    /// How a login ended.
    LoginOutcome {
        /// The session is open.
        Accepted => "accepted",
        /// The password, proof or certificate was wrong, or the user unknown.
        BadCredentials => "bad_credentials",
        /// The startup packet asked for something the policy refuses.
        RefusedSettings => "refused_settings",
        /// No policy is for the session, or not any more.
        RefusedPolicy => "refused_policy",
        /// The way of login is not allowed over this kind of connection.
        RefusedMethod => "refused_method",
        /// The upstream turned the login down.
        UpstreamRefused => "upstream_refused",
        /// The upstream could not be reached.
        UpstreamUnreachable => "upstream_unreachable",
        /// The upstream's session was not read-only when it was checked.
        UpstreamNotReadOnly => "upstream_not_read_only",
        /// The user has as many connections as the policy gives.
        TooManyConnections => "too_many_connections",
        /// The client went away or broke the protocol before the login was done.
        Abandoned => "abandoned",
        /// It took longer than allowed.
        TimedOut => "timed_out",
        /// pgsieve was told to stop.
        Drained => "drained",
    }
}

words! {
    /// The alarms of promise 2: each fires when the last line of defence was needed.
    Tripwire {
        /// The upstream reported `default_transaction_read_only` as off.
        ReadOnlyReportedOff => "read_only_reported_off",
        /// After login, `SHOW transaction_read_only` was not on.
        ReadOnlyNotVerified => "read_only_not_verified",
        /// The upstream answered with the command tag of a write.
        WriteTag => "write_tag",
        /// The upstream reported a lexer setting (`standard_conforming_strings`) changed.
        LexerSettingChanged => "lexer_setting_changed",
        /// The upstream reported a `client_encoding` other than UTF8.
        EncodingChanged => "encoding_changed",
        /// The upstream asked for COPY data, which no permitted statement does.
        CopyInAsked => "copy_in_asked",
        /// The upstream reported a role other than the one logged in.
        RoleChanged => "role_changed",
    }
}

words! {
    /// In what way a peer broke the wire protocol.
    ViolationKind {
        /// A message type that is not known.
        UnknownMessage => "unknown_message",
        /// A length that is impossible or over its bound.
        BadLength => "bad_length",
        /// A message that is larger than allowed.
        TooLarge => "too_large",
        /// A body that does not read as its type says.
        Malformed => "malformed",
        /// Text that is not valid UTF-8.
        NotUtf8 => "not_utf8",
        /// A message that is right by itself, at the wrong moment.
        OutOfOrder => "out_of_order",
        /// Plain bytes that were sent ahead of a TLS handshake.
        BytesBeforeTls => "bytes_before_tls",
        /// A first packet that is no startup packet.
        BadStartup => "bad_startup",
        /// A queue that grew past its bound because the peer did not follow the rules.
        Overrun => "overrun",
    }
}

words! {
    /// One of the two legs of a session.
    SessionLeg {
        /// The left side.
        Client => "client",
        /// The real Postgres.
        Upstream => "upstream",
    }
}

words! {
    /// Who raised an error that a client got.
    ErrorOrigin {
        /// pgsieve itself.
        Gate => "gate",
        /// The real Postgres.
        Upstream => "upstream",
    }
}

words! {
    /// Why a session ended.
    ClosedBecause {
        /// Every connection of its pool was busy for too long, or its database paused.
        PoolBusy => "pool_busy",
        /// The client said Terminate.
        Terminate => "terminate",
        /// The client's socket closed without a Terminate.
        ClientGone => "client_gone",
        /// The upstream's connection ended.
        UpstreamGone => "upstream_gone",
        /// The upstream did not answer within the statement's time, or not go on.
        UpstreamSilent => "upstream_silent",
        /// The client broke the wire protocol.
        ClientViolation => "client_violation",
        /// The upstream broke the wire protocol.
        UpstreamViolation => "upstream_violation",
        /// A tripwire fired.
        Tripwire => "tripwire",
        /// The policies have changed, and none of them is for the session.
        NoPolicy => "no_policy",
        /// pgsieve was told to stop.
        Drained => "drained",
        /// Another session of the same user ended it, by pg_terminate_backend.
        Terminated => "terminated",
        /// A bound on time or idleness was reached.
        TimedOut => "timed_out",
        /// More memory was needed than was left for all clients together.
        OutOfMemory => "out_of_memory",
        /// A result met its bound where nothing else could be said.
        ResultLimit => "result_limit",
        /// The login did not succeed.
        LoginFailed => "login_failed",
        /// The connection carried a cancel request only.
        CancelRequest => "cancel_request",
        /// The session panicked.
        Panic => "panic",
    }
}

words! {
    /// What came of a command of the console that does something.
    ConsoleOutcome {
        /// It was done.
        Done => "done",
        /// The user may not, or it is not in the state for it.
        Refused => "refused",
        /// Its user has cancelled it: what it had begun was taken back.
        Cancelled => "cancelled",
        /// Its session ended before it was done: what it had begun holds on.
        Unfinished => "unfinished",
    }
}

words! {
    /// What came of reading the policies again.
    PolicyReload {
        /// They hold now.
        Loaded => "loaded",
        /// They are those that hold already.
        Unchanged => "unchanged",
        /// Something is wrong with them: those of before hold.
        Rejected => "rejected",
    }
}

words! {
    /// What became of a cancel request.
    CancelOutcome {
        /// It was handed to the upstream.
        Forwarded => "forwarded",
        /// The key belongs to no open session.
        UnknownKey => "unknown_key",
        /// It was sent on to the other copies of pgsieve: its session is not at this one.
        SentToPeers => "sent_to_peers",
        /// Another copy asked, and its session is not at this one either.
        NotHere => "not_here",
        /// Too many waited, or its turn did not come in time.
        Busy => "busy",
        /// The upstream could not be reached.
        Failed => "failed",
    }
}

words! {
    /// What became of a call of pg_cancel_backend or pg_terminate_backend.
    SignalOutcome {
        /// It was carried out.
        Sent => "sent",
        /// No session of the same owner has this process id.
        Nobody => "nobody",
        /// The upstream did not take the cancel.
        NotSent => "not_sent",
        /// The session had not ended in time.
        NotEnded => "not_ended",
    }
}

words! {
    /// Why pgsieve cancels a statement by itself.
    CancelCause {
        /// Its client is gone, or was given up on.
        Abandoned => "abandoned",
        /// Its result was cut by a limit.
        Cut => "cut",
    }
}

words! {
    /// What came of an attempt to load a catalog.
    CatalogLoad {
        /// It differs from the one before, or is the first.
        Loaded => "loaded",
        /// It is the same as the one before.
        Same => "same",
        /// There is none.
        Failed => "failed",
    }
}

words! {
    /// Why a catalog could not be loaded or checked.
    CatalogFailure {
        /// The upstream could not be connected to.
        Unreachable => "unreachable",
        /// The upstream does not let the account in.
        Refused => "refused",
        /// The session is not read-only.
        NotReadOnly => "not_read_only",
        /// The upstream refused to answer a question.
        Query => "query",
        /// The connection ended.
        Lost => "lost",
        /// It took longer than it may.
        TimedOut => "timed_out",
        /// The upstream's answers do not fit together, or are of a version that is not known.
        NotUnderstood => "not_understood",
        /// There is more of it than pgsieve takes.
        TooLarge => "too_large",
        /// A fault of pgsieve.
        Panicked => "panicked",
        /// Nobody has checked it for too long.
        Unchecked => "unchecked",
        /// Another server answers than the one whose catalog it is.
        OtherServer => "other_server",
        /// The server does not tell who it is.
        Unidentified => "unidentified",
        /// Catalogs of the upstream's engine are not read.
        Engine => "engine",
    }
}

words! {
    /// The way bytes went, seen from pgsieve.
    ByteDirection {
        /// Received by pgsieve.
        In => "in",
        /// Sent by pgsieve.
        Out => "out",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::object_kind::ObjectKind;
    use crate::gate::{Rule, StatementKind};
    use crate::policy::{Recoverer, Strictness};
    use crate::repair::{AttemptOutcome, Confidence};
    use crate::words::Word;

    fn check<L: Word>() {
        let mut names = Vec::new();
        for (place, label) in L::ALL.iter().enumerate() {
            assert_eq!(label.index(), place, "{} is out of place", label.name());
            assert!(
                !names.contains(&label.name()),
                "{} occurs twice",
                label.name()
            );
            names.push(label.name());
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            assert!(
                label.name().chars().all(plain),
                "{} is no label",
                label.name()
            );
        }
    }

    #[test]
    fn every_set_is_in_order_without_repeats() {
        check::<ProtocolPath>();
        check::<StatementOutcome>();
        check::<SpanOutcome>();
        check::<CacheAnswer>();
        check::<PlanAnswer>();
        check::<RepairedOutcome>();
        check::<SessionState>();
        check::<UpstreamState>();
        check::<CheckOutcome>();
        check::<CheckoutOutcome>();
        check::<PooledConnectionState>();
        check::<PinReason>();
        check::<MoveReason>();
        check::<WorkerMoveReason>();
        check::<StoreAnswer>();
        check::<LimitMode>();
        check::<StartupSettingOutcome>();
        check::<ClientTransport>();
        check::<RefusedBecause>();
        check::<LoginMethod>();
        check::<LoginOutcome>();
        check::<Tripwire>();
        check::<ViolationKind>();
        check::<SessionLeg>();
        check::<ClosedBecause>();
        check::<CancelOutcome>();
        check::<SignalOutcome>();
        check::<CatalogLoad>();
        check::<CatalogFailure>();
        check::<ByteDirection>();
        check::<ObjectKind>();
        check::<Rule>();
        check::<StatementKind>();
        check::<Recoverer>();
        check::<Strictness>();
        check::<Confidence>();
        check::<AttemptOutcome>();
    }
}
