//! Bounds of the MCP server.

use std::time::Duration;

/// Rows of a page where a call does not say how many: what a model reads in one go.
pub const PAGE_ROWS: usize = 100;

/// Rows of a page at most.
pub const PAGE_ROWS_MAX: usize = 10_000;

/// Bytes of the values of a page: models that read more than this of one answer lose the rest of
/// their conversation.
pub const PAGE_BYTES_MAX: usize = 128 * 1024;

/// Bytes of one value that are shown: what is longer is cut, and said to be.
pub const VALUE_BYTES_MAX: usize = 16 * 1024;

/// Rows of a result that are kept for further pages.
pub const HELD_ROWS_MAX: usize = 50_000;

/// Bytes of the values of such a result.
pub const HELD_BYTES_MAX: usize = 8 << 20;

/// Results of one session that are kept for further pages: the oldest gives way.
pub const HELD_RESULTS_MAX: usize = 2;

/// Bytes of one message of a session: a row at its longest.
pub const MESSAGE_BYTES_MAX: usize = 64 << 20;

/// How long a login of a session may take, the load of its catalog included.
pub const LOGIN_TIME_MAX: Duration = Duration::from_secs(30);

/// How long a statement is waited for. What ends one sooner is `limits.statement_time` of its
/// policy; this is for policies that bound nothing.
pub const STATEMENT_TIME_MAX: Duration = Duration::from_secs(3600);

/// How long a catalog is waited for that is loaded for the first time.
pub const CATALOG_WAIT_MAX: Duration = Duration::from_secs(10);

/// How often it is looked whether it is there.
pub const CATALOG_PAUSE: Duration = Duration::from_millis(50);

/// How long the end of a statement that was cancelled is waited for; then its session is given up.
pub const CANCELLED_TIME_MAX: Duration = Duration::from_secs(10);

/// How often a caller who wants to know hears that a statement still runs.
pub const PROGRESS_PAUSE: Duration = Duration::from_secs(1);

/// How often it is looked whether what callers may read has changed.
pub const DRIFT_PAUSE: Duration = Duration::from_secs(2);

/// Calls of one session that wait for their turn: a model waits for an answer before it asks again.
pub const CALLS_WAITING_MAX: usize = 32;

/// Calls that put candidates in order at a time: each has a session at the database of its own.
pub const CHOICES_MAX: usize = 8;

/// Resources of whose changes one session hears.
pub const SUBSCRIPTIONS_MAX: usize = 32;

/// Bytes of the address of one.
pub const RESOURCE_URI_BYTES_MAX: usize = 1024;

/// Parts of a plan that are told beside it.
pub const PLAN_NOTES_MAX: usize = 3;

/// Bytes of a question.
pub const QUESTION_BYTES_MAX: usize = 16 * 1024;

/// Questions that a person is asked at a time.
pub const CLARIFICATIONS_MAX: usize = 5;

/// Bytes of an answer to one of them: what is longer is cut.
pub const CLARIFY_ANSWER_BYTES_MAX: usize = 2_000;

/// How long a person may take to answer.
pub const CLARIFY_TIME_MAX: Duration = Duration::from_secs(300);

/// Bytes of a file of tokens: some ten thousand of them.
pub const TOKEN_FILE_BYTES_MAX: u64 = 4 << 20;

/// How often it is looked whether that file has changed.
pub const TOKEN_LOOK_PAUSE: Duration = Duration::from_secs(1);

/// How long a token of an issuer that was checked is taken without a new check.
pub const PROVED_TOKEN_AGE_MAX: Duration = Duration::from_secs(30);

/// Tokens of an issuer that are taken so.
pub const PROVED_TOKENS_MAX: usize = 4096;

/// Connections over HTTP at a time.
pub const HTTP_CONNECTIONS_MAX: usize = 2048;

/// How long the head of a request, or a TLS handshake, may take.
pub const HTTP_HEAD_TIME_MAX: Duration = Duration::from_secs(10);

/// Bytes of the head of a request: a token of an issuer has some thousand.
pub const HTTP_HEAD_BYTES_MAX: usize = 32 * 1024;

/// Bytes of a request: a statement at its longest, in JSON.
pub const HTTP_BODY_BYTES_MAX: usize = 4 << 20;

/// How long a client over HTTP may take none of what it is sent.
pub const HTTP_STALL_MAX: Duration = Duration::from_secs(60);

/// Connections of one token: a session has two at a time.
pub const TOKEN_CONNECTIONS_MAX: usize = 128;

/// Sessions of one token that are greeted with and stay.
pub const TOKEN_SESSIONS_MAX: usize = 64;

/// How long such a session may be silent.
pub const SESSION_IDLE_MAX: Duration = Duration::from_secs(300);

/// Statements of one token that run at a time where there are no sessions.
pub const TOKEN_LANES: usize = 8;

/// How long such a session at the database is kept that no statement uses.
pub const LANE_IDLE_MAX: Duration = Duration::from_secs(60);

/// Callers over HTTP that are served at a time, by their tokens.
pub const TOKENS_SERVED_MAX: usize = 4096;

/// Where the demo serves agents, where that is free.
pub const PORT_USUAL: u16 = 8432;
