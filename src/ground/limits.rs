//! The bounds of what a peer or an operator can make grow, each with its reason. A bound that
//! concerns one table or one algorithm alone stands beside that.
//!
//! A hostile client can hurt its own connection only: whatever it can make grow, loop, wait or
//! retry stops at one of these numbers.

pub mod capture;
pub mod choice;
pub mod collectors;
pub mod console;
pub mod demo;
pub mod ending;
pub mod evaluation;
pub mod knowledge;
pub mod lints;
pub mod mcp;
pub mod pools;
pub mod receipts;
pub mod rings;
pub mod served_groundings;
pub mod shared_counts;
pub mod upstreams;
pub mod verifiers;
pub mod workers;

use std::time::Duration;

// --- wire

/// The length word of the first packet of a connection, at most, in bytes after the word itself:
/// Postgres's own `MAX_STARTUP_PACKET_LENGTH`. Nobody is known yet, so nobody gets more.
pub const FIRST_PACKET_BYTES_MAX: i32 = 10_000;

/// Pairs in one StartupMessage: real clients send fewer than 20; this keeps the search for
/// repeated names cheap.
pub const STARTUP_PARAMETERS_MAX: usize = 256;

/// The length word of a password or SASL message: Postgres's own `PG_MAX_AUTH_TOKEN_LENGTH`, which
/// leaves room for the long tokens that clouds use as passwords.
pub const LOGIN_FRAME_BYTES_MAX: i32 = 65_535;

/// The length word of a Query or Parse message. Postgres takes 1 GiB; a statement is held whole to
/// be judged, and texts that people, agents and dashboards write stay far below 16 MiB.
pub const STATEMENT_FRAME_BYTES_MAX: i32 = 16 * 1024 * 1024;

/// The length word of a Bind message: as a statement, since long lists travel as parameters too.
pub const BIND_FRAME_BYTES_MAX: i32 = 16 * 1024 * 1024;

/// The length word of messages that carry one name: Postgres's own `PQ_SMALL_MESSAGE_LIMIT`.
pub const SMALL_FRAME_BYTES_MAX: i32 = 10_000;

/// The length word of messages that pgsieve only refuses or skips (FunctionCall, CopyData): room
/// for the chunks that drivers send, so that the answer is a clear refusal and not a lost session.
pub const REFUSED_FRAME_BYTES_MAX: i32 = 1024 * 1024;

/// The length word of upstream messages that pass without being held: rows, copied data,
/// descriptions, notifications. It is what the protocol can say; only the header is looked at.
pub const UPSTREAM_STREAM_FRAME_BYTES_MAX: i32 = i32::MAX;

/// The length word of an error or notice of the upstream, which is held whole: it can quote a
/// statement of full size twice.
pub const UPSTREAM_ERROR_FRAME_BYTES_MAX: i32 = 2 * STATEMENT_FRAME_BYTES_MAX + 1024 * 1024;

/// The length word of a ParameterDescription: 65,535 parameters of four bytes each.
pub const UPSTREAM_PARAMETERS_FRAME_BYTES_MAX: i32 = 4 + 2 + 4 * 65_535;

/// The length word of every other upstream message: libpq's own bound.
pub const UPSTREAM_SMALL_FRAME_BYTES_MAX: i32 = 30_000;

/// Bytes of a cancel key, at least: protocol 3.0 has four.
pub const CANCEL_SECRET_BYTES_MIN: usize = 4;

/// Bytes of a cancel key, at most: what protocol 3.2 allows.
pub const CANCEL_SECRET_BYTES_MAX: usize = 256;

/// Bytes of one field in an error or notice that pgsieve composes: enough for any sentence of
/// ours, and a quoted name cannot make an answer large.
pub const ANSWER_FIELD_BYTES_MAX: usize = 8 * 1024;

// --- sql

/// Runs of operator characters up to this length are read as often as the lexer likes: at most this
/// many times their bytes. No operator of Postgres is longer than 63; comments in real SQL are
/// ruled off with lines of 80 to 200 stars or dashes.
pub const OPERATOR_RUN_BYTES_MAX: usize = 256;

/// A longer run may hold this many tokens (operators and comment openers): each makes the lexer
/// read the rest of the run once. A banner of stars holds one, an operator before it two.
pub const OPERATOR_RUN_TOKENS_MAX: usize = 8;

/// Bytes of a text in which the place of a syntax error is searched. The search parses beginnings
/// of it some twelve times: together no more than one statement of the largest size judged.
pub const SYNTAX_POSITION_BYTES_MAX: usize = 16 << 10;

/// Bytes of a name that the server keeps, NAMEDATALEN less one: longer ones are cut by it.
pub const NAME_BYTES_MAX: usize = 63;

// --- resolve

/// How many levels of queries, joins and expressions the analysis of names follows into each other.
/// Beyond, a statement is judged by all that its names could mean. People and tools nest tens of
/// levels; each level takes a few kilobytes of the thread's stack.
pub const RESOLVE_DEPTH_MAX: usize = 150;

/// How many domains may lie over each other, and arrays of domains of arrays. Real ones have one or
/// two; a snapshot that says more is not believed.
pub const DOMAINS_NESTED_MAX: usize = 32;

/// How many columns the analysis of names looks at, copies or makes for one statement. A statement
/// over a hundred tables of a hundred columns takes a million; names that multiply (sub-selects
/// that return `t.*, t.*` of each other) would take any number.
pub const RESOLVE_WORK_MAX: usize = 20_000_000;

// --- gate

/// How many characters the first line of an error has at most, where names are of ordinary length:
/// half of the clients show nothing else, and show it in one line.
pub const FIRST_LINE_CHARACTERS_MAX: usize = 100;

/// How long the name of what a refusal is about may be to be recorded: a qualified name and some
/// types of arguments.
pub const SUBJECT_BYTES_MAX: usize = 256;

/// How many words of a refused statement are read for what it is about: the longest head of a
/// statement of Postgres's grammar has fewer before the name.
pub const HEAD_WORDS_MAX: usize = 12;

/// Prepared statements and portals that one session may hold, each; drivers cache some hundreds.
pub const SESSION_NAMES_MAX: usize = 10_000;

/// Bytes of the texts of a session's prepared statements and portals, all together: kept to judge
/// them again when the database changes. Drivers cache some hundred statements of some kB.
pub const SESSION_TEXT_BYTES_MAX: usize = 16 << 20;

/// The longest statement that any policy may admit, in bytes: as long as the longest Query message
/// that the wire accepts needs to be, and short enough that one parse never holds a thread for a
/// second.
pub const STATEMENT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The same where a policy does not say it: no person and few programs write more.
pub const STATEMENT_BYTES: usize = 1024 * 1024;

/// The statements in one message. Drivers send up to about ten; a message of many more is judged in
/// time that grows with it, so it ends here.
pub const STATEMENTS_PER_MESSAGE_MAX: usize = 1_000;

/// What a policy may give of the rows of one cursor WITH HOLD. The server writes them into a
/// temporary file at COMMIT; a bound beyond what it could write in an hour would be none.
pub const HELD_ROWS_MAX: u64 = 1_000_000_000;

/// What a policy may give of cursors WITH HOLD at a time in one session. Each takes up to the
/// server's `work_mem`, and behind that a file, until it is closed.
pub const HELD_CURSORS_MAX: u64 = 1_000;

/// The settings in one StartupMessage, `options` included. Clients send about ten.
pub const STARTUP_SETTINGS_MAX: usize = 100;

/// The verdicts that one worker thread remembers. Applications use hundreds of different texts.
pub const JUDGEMENTS_CACHED_MAX: usize = 4_096;

/// The bytes of text that those verdicts may hold, keys included: 8 MiB per worker thread.
pub const JUDGEMENT_CACHE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The longest text whose verdict is remembered. Long texts cost more to keep than they save.
pub const JUDGEMENT_CACHED_TEXT_BYTES_MAX: usize = 16 * 1024;

/// Domains over arrays of domains that are looked through for a cast: more layers than anybody has;
/// a type that nests deeper is taken for the worst.
pub const TYPE_LAYERS_MAX: usize = 16;

// --- telemetry

/// Characters kept of a name that a client chooses (user, database, application_name) in metrics
/// and audit. Postgres's own names end at 63 bytes; more than that is only ever noise.
pub const AUDIT_NAME_CHARS_MAX: usize = 64;

/// Names of one sort (relations, functions, settings) on one audit line: a statement that reads
/// more relations than this is written by a machine, and the line says how many it lacks.
pub const AUDIT_NAMES_MAX: usize = 64;

/// Bytes that names of one sort take on one audit line: 64 relations with names of usual length.
/// Postgres gives a name 63 bytes and a function a hundred types.
pub const AUDIT_NAMES_BYTES_MAX: usize = 4 << 10;

/// The mark: bytes of audit lines from which on the queue is full. At some 500 bytes a line this is
/// 8,000 statements: more than a slow disk's hiccup, and little enough to stay far below the memory
/// goal. Lines that must be on record are taken beyond it, and their session then waits: a few
/// lines for each connection there can be, 1000 of them some 2 MiB. As much again is with the
/// writer, once as it came and once with its seals.
pub const AUDIT_QUEUE_BYTES_MAX: usize = 4 << 20;

/// Bytes of waiting audit lines at which the writer is woken before its time. Below it nobody is
/// woken: a wake-up costs more than the statement's own work.
pub const AUDIT_WAKE_BYTES: usize = 256 << 10;

/// How long an audit line may wait before it is written, in milliseconds.
pub const AUDIT_WRITE_INTERVAL_MS: u64 = 100;

/// Lines per second that go to stderr; more are counted and summed up in one line. A client that
/// breaks the protocol in a loop must not fill a disk.
pub const LOG_LINES_PER_SECOND_MAX: u64 = 50;

/// Statements that a worker counts by itself before it adds them to the shared metrics; a scrape
/// does not wait for it.
pub const TALLY_STATEMENTS_MAX: u32 = 256;

/// Policies whose statements are counted by themselves; what is under others is counted together.
/// Each can have some hundreds of time series in use.
pub const POLICY_LABELS_MAX: usize = 32;

/// Users whose statements and refusals are counted by themselves, at a time; the rest is counted
/// together. A dashboard of more lines than this is read by nobody.
pub const USER_LABELS_MAX: usize = 100;

/// Fingerprints whose refusals are counted by themselves, at a time; the rest is counted together.
/// Clients make as many as they like: these are the first that came.
pub const FINGERPRINT_LABELS_MAX: usize = 100;

/// Relations, columns, functions and settings whose refusals are counted by themselves, at a time;
/// the rest is counted together. A dashboard of more lines than this is read by nobody.
pub const SUBJECT_LABELS_MAX: usize = 100;

/// Upstreams that are counted by themselves: as many as anybody would name in one file.
pub const UPSTREAM_LABELS_MAX: usize = 16;

/// How long a policy, user or fingerprint keeps its own time series without being counted: an hour
/// is longer than any alert looks back for a rise, and what comes after it deserves the place.
pub const LABEL_IDLE_TIME: Duration = Duration::from_secs(3600);

/// Buckets of a histogram, the one without end not counted: four to a decade are plenty.
pub const HISTOGRAM_BUCKETS_MAX: usize = 24;

/// Combinations of path, kind and verdict that a worker counts by itself for one policy before it
/// adds one to the shared metrics: what a driver sends over and over is half a dozen.
pub const TALLY_COMBINATIONS_MAX: usize = 8;

/// The pause between two questions whether the upstream is a standby and how far behind: scrapes
/// come less often.
pub const UPSTREAM_LAG_PAUSE: Duration = Duration::from_secs(2);

/// How long its answer counts, in times that it takes to the next one: two may be missed by a
/// server that is slow.
pub const UPSTREAM_LAG_POLLS_MAX: u32 = 3;

/// How long the last audit lines may take to reach their sink when the process ends.
pub const AUDIT_LAST_FLUSH: Duration = Duration::from_secs(5);

// --- net, auth, upstream, login

/// From accept to the moment a client may send its first statement, the upstream's part included:
/// half of Postgres's own `authentication_timeout`, so the upstream never gives up before us.
pub const LOGIN_TIME_MAX: Duration = Duration::from_secs(30);

/// Finding and reaching the upstream, its TLS handshake included: a host that drops packets must
/// not use up the whole login.
pub const UPSTREAM_CONNECT_TIME_MAX: Duration = Duration::from_secs(10);

/// How often a login is tried again that the upstream had no room for, or was not there for: with
/// the pauses, within some two seconds. What takes longer is for the client to hear of.
pub const UPSTREAM_LOGIN_RETRIES_MAX: u32 = 4;

/// The longest pause before the first of them; each pause is twice the one before.
pub const UPSTREAM_LOGIN_PAUSE: Duration = Duration::from_millis(120);

/// Silence after which a TCP peer is probed: a NAT forgets a quiet connection after minutes.
pub const KEEPALIVE_IDLE: Duration = Duration::from_secs(60);

/// The pause between two probes.
pub const KEEPALIVE_PAUSE: Duration = Duration::from_secs(15);

/// Probes without an answer after which a peer is gone: with the silence before them, two minutes.
pub const KEEPALIVE_PROBES_MAX: u32 = 4;

/// Saying goodbye (the last error, TLS close_notify) to a peer that may not read it.
pub const FAREWELL_TIME_MAX: Duration = Duration::from_secs(2);

/// One cancel request from its arrival to the upstream's close of the connection that carried it.
pub const CANCEL_TIME_MAX: Duration = Duration::from_secs(10);

/// Cancel requests under way at once: each costs an upstream connection for a moment, which the
/// server neither counts nor lets wait. Far more than a busy dashboard ever sends.
pub const CANCELS_MAX: usize = 64;

/// The cancels of one client (a user at an address) under way at once: half of all, so that one
/// whose hundred sessions end together leaves places for the others.
pub const CANCELS_OF_CLIENT_MAX: usize = 32;

/// Cancels that wait for a place, in all; each is a session that ends or a client that asks, and
/// the two together are bounded by the connections.
pub const CANCELS_WAITING_MAX: usize = 8_192;

/// Those of one client: as many sessions as the settings give when they do not say.
pub const CANCELS_WAITING_OF_CLIENT_MAX: usize = 1_024;

/// How long a cancel waits for a place: the statement that it is for may have ended since.
pub const CANCEL_TURN_TIME_MAX: Duration = Duration::from_secs(20);

/// How long pgsieve goes on trying to cancel a statement that nobody waits for, all tries and turns
/// together; after that its own time ends it.
pub const OWN_CANCEL_TIME_MAX: Duration = Duration::from_secs(30);

/// How long the end of a session is waited for at most that `pg_terminate_backend(pid, timeout)`
/// ends: it takes a moment, or its peers are gone and it takes as long as its farewells.
pub const SIGNAL_END_TIME_MAX: Duration = Duration::from_secs(30);

/// The pause between two looks whether it has ended: nobody notices so little.
pub const SIGNAL_END_PAUSE: Duration = Duration::from_millis(10);

/// How much a login conversation may hold unread. Postgres's own bound for a startup packet is
/// 10,000 bytes and for a password message 64 kB; an upstream error with its fields fits as well.
pub const LOGIN_INBOX_BYTES_MAX: usize = 72 * 1024;

/// The read buffer that a login starts with: a startup packet and a SCRAM step fit.
pub const LOGIN_INBOX_BYTES: usize = 1024;

/// Messages an upstream may send before it is ready: about 15 ParameterStatus, one per
/// authentication step and the notices of login event triggers. An upstream that talks on is
/// broken.
pub const UPSTREAM_LOGIN_MESSAGES_MAX: usize = 256;

/// Bytes of NoticeResponse from an upstream login that are kept for the client.
pub const LOGIN_NOTICE_BYTES_MAX: usize = 64 * 1024;

/// Addresses of one upstream host that are tried; all of them share one time limit.
pub const UPSTREAM_ADDRESSES_MAX: usize = 8;

/// How long a peer may take to hear the last words before the socket is closed over them.
pub const LINGER_TIME_MAX: Duration = Duration::from_millis(200);

/// Reads (1 kB each) of what a peer still sends after our last words.
pub const LINGER_READS_MAX: usize = 64;

/// How long the upstream may take to let go of a session that another one has ended: its statement
/// is cancelled, and parallel workers end within a second. After that the client is told all the
/// same.
pub const ENDED_LINGER_TIME_MAX: Duration = Duration::from_secs(5);

/// Reads (1 kB each) of what the upstream still sends of it: what sockets hold, which is some
/// megabytes, in pieces as small as they come.
pub const ENDED_LINGER_READS_MAX: usize = 65_536;

// --- upstream: catalog

/// Rows of one kind (columns, functions, …) that are read of a database: fifty times the columns
/// of the largest database that is measured, and an oid space would still fit.
pub const CATALOG_ROWS_MAX: usize = 2_000_000;

/// Databases of one upstream whose catalogs are kept at a time. Each may take tens of megabytes and
/// one connection of the upstream; what is not used makes room for what is.
pub const CATALOGS_MAX: usize = 16;

/// How long a catalog is kept that no session uses: an application that reconnects every few
/// minutes should find it loaded.
pub const CATALOG_IDLE_TIME_MAX: Duration = Duration::from_secs(600);

/// The pause between two looks whether anything changed, when the settings do not say: half of the
/// second that a change may stay unseen at most.
pub const CATALOG_POLL_INTERVAL: Duration = Duration::from_millis(500);

/// What `catalog.poll_interval` may be: where transactions have ended since the last look, one
/// costs the upstream some eight milliseconds, and a change that stays unseen for longer than ten
/// seconds is an open door.
pub const CATALOG_POLL_INTERVAL_BOUNDS: (Duration, Duration) =
    (Duration::from_millis(100), Duration::from_secs(10));

/// How often a catalog is loaded anew although nothing seems to have changed, when the settings do
/// not say: what no look could see (a server's extension files, say) is seen then.
pub const CATALOG_REFRESH_INTERVAL: Duration = Duration::from_secs(600);

/// What `catalog.refresh_interval` may be: a load costs the upstream up to a second.
pub const CATALOG_REFRESH_INTERVAL_BOUNDS: (Duration, Duration) =
    (Duration::from_secs(5), Duration::from_secs(86_400));

/// How long a catalog may be used of which nobody knows whether it still holds, when the settings
/// do not say: an upstream's restart or a lost packet ends within it.
pub const CATALOG_AGE_MAX: Duration = Duration::from_secs(10);

/// What `catalog.age_max` may be. It is longer than the longest pause between two looks, or every
/// catalog would be withdrawn between them.
pub const CATALOG_AGE_MAX_BOUNDS: (Duration, Duration) =
    (Duration::from_secs(1), Duration::from_secs(300));

/// One look whether anything changed, answer included: half of the usual bound on age.
pub const CATALOG_CHECK_TIME_MAX: Duration = Duration::from_secs(5);

/// The least pause between two looks, whoever wants one: clients can cause them.
pub const CATALOG_CHECK_PAUSE: Duration = Duration::from_millis(50);

/// A load takes under a second for thousands of tables. One that takes longer than this will not
/// end.
pub const CATALOG_LOAD_TIME_MAX: Duration = Duration::from_secs(60);

/// The least age of a catalog that is loaded anew on mere suspicion: clients can raise it.
pub const CATALOG_SUSPICION_LOAD_PAUSE: Duration = Duration::from_secs(30);

/// The pause after a failed attempt; it doubles with each one in a row.
pub const CATALOG_RETRY_PAUSE: Duration = Duration::from_millis(200);

/// What it doubles to at most: an upstream that is back should be noticed soon.
pub const CATALOG_RETRY_PAUSE_MAX: Duration = Duration::from_secs(5);

/// What it is at most where statements go without a catalog meanwhile, and the server only has to
/// be reached: as long as the usual pause between two looks, since clients can cause it.
pub const CATALOG_MISSED_PAUSE: Duration = Duration::from_millis(500);

/// What it doubles to where the upstream does not let the account in: that is seldom set right
/// within seconds, and no server should take pgsieve for somebody who guesses passwords.
pub const CATALOG_REFUSED_PAUSE_MAX: Duration = Duration::from_secs(60);

/// How long a login waits for the first load of its database: well within what clients wait for
/// a connection.
pub const CATALOG_FIRST_LOAD_WAIT_MAX: Duration = Duration::from_secs(15);

/// Servers behind one address whose catalogs of one database are kept at a time: half of all
/// places, so that a balancer before many standbys leaves room for other databases.
pub const CATALOG_SERVERS_MAX: usize = CATALOGS_MAX / 2;

/// Tries in a row to reach the one server that is wanted: a balancer that picks one of two misses
/// it eight times in a row once in 256.
pub const SERVER_TRIES_MAX: u32 = 8;

/// The longest pause between two of them: each is a login. Half of it is random, so that two who
/// seek each other's server do not take turns for ever.
pub const SERVER_PAUSE: Duration = Duration::from_millis(40);

/// Attempts in a row that are made at once because a client has logged in meanwhile: where the
/// server lets clients in and not the cache, that keeps to its pauses.
pub const CATALOG_URGED_TRIES_MAX: u32 = 3;

/// How long a connection for the catalogs may take until it is ready: a login, and two questions.
pub const CATALOG_CONNECT_TIME_MAX: Duration = Duration::from_secs(10);

/// How long one query of the catalogs may take at the upstream: two hundred times what the largest
/// database that is measured takes for all of them.
pub const CATALOG_STATEMENT_TIME_MAX: Duration = Duration::from_secs(30);

/// How long the reading waits for a lock: somebody locks a catalog for a rewrite once in years.
pub const CATALOG_LOCK_TIME_MAX: Duration = Duration::from_secs(5);

// --- session

/// Bytes that one read takes in; a buffer of this size is shared by all sessions of a worker, so
/// it costs memory once per core and stays in the processor's cache.
pub const READ_BYTES: usize = 64 * 1024;

/// Above this much unsent text nothing more is read from the client: the upstream sets the pace.
pub const OUTBOX_BYTES_MAX: usize = 256 * 1024;

/// Bytes that are made room for with the first of several messages that go to an upstream together:
/// a Bind with a few values, and what follows it.
pub const OUTBOX_BYTES_FIRST: usize = 256;

/// A buffer of a session that grew beyond this is given back when it is empty: a thousand idle
/// clients must not keep what one large statement once needed.
pub const BUFFER_BYTES_KEPT: usize = 16 * 1024;

/// Answers owed to one client. Ordinary pipelines stay under some thousands; at about 200 bytes an
/// entry this bounds a session's pending replies to 3 MiB. A longer pipeline waits for its answers.
pub const PENDING_REPLIES_MAX: usize = 16_384;

/// How long one session may keep its worker's thread before others have theirs: what an ordinary
/// statement waits for beside any number of busy sessions. The change from one to the next takes
/// some ten microseconds, a twenty-fifth of it.
pub const TURN_TIME: Duration = Duration::from_micros(250);

/// How often a worker looks at how long it has waited for a processor: some time slices of Linux.
pub const THROTTLE_LOOK: Duration = Duration::from_millis(5);

/// The part of its time that a worker may wait for a processor before sessions that never pause
/// have to: eight ordinary clients on two processors make it wait for a sixteenth, floods for half.
pub const THROTTLE_WAITING_SHARE: u32 = 8;

/// The runtime's clock has no finer ticks.
pub const THROTTLE_TICK: Duration = Duration::from_millis(1);

/// The first pause for one turn, and the last before there is none: half of a turn.
pub const THROTTLE_PAUSE_MIN: Duration = Duration::from_micros(125);

/// The longest pause for one turn: sessions that never pause themselves still have a third of the
/// thread between them. Four times as much gives ordinary clients nothing, as measured.
pub const THROTTLE_PAUSE_MAX: Duration = Duration::from_micros(500);

/// How many times as long as a repair computed its user's place for it stays taken, for each step
/// of the pause above, while processors are short: with all places of a user, half of a processor.
pub const THROTTLE_RESTS: u32 = 8;

/// The longest such rest: a user whose statements fail now and then does not notice it.
pub const THROTTLE_REST_MAX: Duration = Duration::from_millis(100);

/// Who rests so many times as long as it has worked has its whole turn again: a session that takes
/// less than a ninth of the thread never waits in the queue of those that take more.
pub const TURN_RESTS: u32 = 8;

/// Messages of one turn: as many of the cheapest ones as fit into its time.
pub const TURN_MESSAGES_MAX: u32 = 256;

/// Bytes that one turn may move: two full reads, some sixty microseconds.
pub const TURN_BYTES_MAX: u32 = 128 * 1024;

/// Above this much that a client has not read nothing more is taken from it: one that sends what is
/// refused and never reads fills no memory.
pub const REPLY_BYTES_MAX: usize = 256 * 1024;

/// Texts above this are judged on a thread of their own: one of 64 KiB takes up to ten
/// milliseconds, which the other sessions of a worker should not wait for, and none above this is
/// remembered. The worst of 16 KiB, with nothing but casts and calls, take about one.
pub const INLINE_JUDGE_BYTES_MAX: usize = JUDGEMENT_CACHED_TEXT_BYTES_MAX;

/// A large text is judged anew when the catalog or the search_path has changed meanwhile. Catalogs
/// change once in a while, the search_path with the few answers that are owed at the moment.
pub const LARGE_JUDGED_ANEW_MAX: u32 = 8;

/// A clamped text is judged again; one that is clamped more often than it can hold settings is not
/// ours to understand.
pub const CLAMP_ROUNDS_MAX: usize = 8;

/// What a client is told of values that were lowered in one text: a few settings. A text can name
/// the same ones thousands of times.
pub const CLAMP_NOTICE_BYTES_MAX: usize = 1024;

/// What an upstream may take beyond the time that its statement may run, before it is given up: a
/// server notices the end of that time when it looks, and a sort or a slow disk keeps it from
/// looking. It is also how long it may take for the rest of a message that it has begun, or to
/// close a connection whose end it has announced, when nothing is asked of it.
pub const UPSTREAM_GRACE: Duration = Duration::from_secs(10);

/// How long what still runs may go on without a byte for a client that has said goodbye or sends
/// nothing more, before it counts as gone: one that only asked ahead and reads on gets its answers.
pub const DEPARTURE_GRACE: Duration = Duration::from_millis(500);

/// Time between two looks whether a client is still there that is not being read: what it sent
/// before stands before its end.
pub const DEPARTURE_LOOK_INTERVAL: Duration = Duration::from_millis(250);

/// Bytes of a client that is not being read that are read all the same, so that its end is seen: a
/// pipeline of some ten thousand statements, and no more than waits for an upstream.
pub const READ_AHEAD_BYTES_MAX: usize = 256 * 1024;

/// How long a text may wait for its judgement on another thread: a thread takes a second for the
/// longest text, and others may come before it.
pub const JUDGEMENT_TIME_MAX: Duration = Duration::from_secs(60);

/// How often an upstream may fail to say whether it is read-only before it is taken for one that is
/// not: a question can be cancelled, or run out of time, by itself.
pub const READ_ONLY_CHECKS_MAX: u32 = 5;

/// Copy-in messages that are dropped after a refused COPY FROM STDIN: a client may have sent its
/// data before it could read the refusal. More than this is not a race but an attack.
pub const COPY_LEFTOVERS_MAX: u32 = 100_000;

/// Search paths that may hold at once before they count as unknown: a pipeline of more changes is
/// no driver's.
pub const SEARCH_PATHS_POSSIBLE_MAX: usize = 4;

/// Bytes of a token that a client logs in with: those with long lists of groups have some 10 kB.
pub const LOGIN_TOKEN_BYTES_MAX: usize = 32 << 10;

/// Values of one claim of a token: issuers put some 200 groups at most into one. Policies look
/// through them at each login.
pub const CLAIM_VALUES_MAX: usize = 256;

/// Keys of an issuer: two or three are in use at a time, and some publish old ones beside them.
pub const JWKS_KEYS_MAX: usize = 64;

/// How old an issuer's keys may be before they are fetched again: what it withdraws lets nobody in
/// for longer than that.
pub const JWKS_AGE_MAX: Duration = Duration::from_secs(600);

/// The least pause between two fetches of keys: anybody can come with a token of an unknown key.
pub const JWKS_FETCH_PAUSE: Duration = Duration::from_secs(30);

/// How long an issuer's keys hold while it does not answer: over an outage, and not for ever.
pub const JWKS_OUTAGE_MAX: Duration = Duration::from_secs(86_400);

/// A document over HTTPS, from its host's name to its last byte: well within the time of a login.
pub const DOCUMENT_FETCH_TIME_MAX: Duration = Duration::from_secs(10);

/// Reaching one address of its host.
pub const DOCUMENT_CONNECT_TIME_MAX: Duration = Duration::from_secs(3);

/// Bytes of one: a set of keys has some 10 kB.
pub const DOCUMENT_BYTES_MAX: usize = 1 << 20;

/// Bytes in front of it.
pub const DOCUMENT_HEAD_BYTES_MAX: usize = 64 << 10;

/// The pause between two looks at the clock while a session's token runs out: should the clock be
/// set, the session ends that much later at most.
pub const LAPSE_LOOK_INTERVAL: Duration = Duration::from_secs(30);

/// By how much an issuer's clock and ours may differ, when the settings do not say.
pub const TOKEN_CLOCK_SKEW: Duration = Duration::from_secs(30);

/// What `client.auth.oidc.clock_skew` may be: a token that has expired lets in for as long.
pub const TOKEN_CLOCK_SKEW_BOUNDS: (Duration, Duration) =
    (Duration::from_secs(0), Duration::from_secs(300));

/// Names of one kind that are known of a certificate: more than one has; policies look through them
/// at each login.
pub const CERTIFICATE_NAMES_MAX: usize = 32;

/// Users with attributes in the settings, and attributes of one: more than a file holds that people
/// write.
pub const ATTRIBUTES_MAX: usize = 10_000;

/// Names and patterns of disabled users: each login is held against all of them.
pub const DISABLED_USERS_MAX: usize = 1_000;

/// The longest value of a setting that is kept for models, in bytes: names of tenants and users are
/// short. A longer one counts as not known.
pub const SESSION_VALUE_BYTES_MAX: usize = 1024;

// --- session: memory

/// Bytes of the process's memory that clients may take in sum when the settings do not say, above
/// what each session has free: half of the gibibyte that the smallest machines and containers have,
/// enough for two of the largest statements to be judged at a time, or for ten of the largest
/// values on their way.
pub const MEMORY_BYTES: u64 = 512 << 20;

/// The least that `limits.memory` can ask for: a Bind of the largest size fits twice.
pub const MEMORY_BYTES_MIN: u64 = 128 << 20;

/// The most that `limits.memory` can ask for, a tebibyte.
pub const MEMORY_BYTES_BOUND: u64 = 1 << 40;

/// Bytes that a session holds without taking them from that: an ordinary statement, its answers and
/// some prepared statements. Clients that take no more than this never wait for others.
pub const MEMORY_BYTES_FREE: usize = 64 * 1024;

/// Who wants no more than this at once goes before those who want more, and has the last part of
/// the budget.
pub const MEMORY_SMALL_BYTES: usize = 1 << 20;

/// The part of the budget that only small wants may have: one in so many.
pub const MEMORY_SMALL_PART: usize = 8;

/// How long a session waits for memory before its statement is refused with 53200: three turns of
/// those before it.
pub const MEMORY_WAIT_MAX: Duration = Duration::from_secs(15);

/// How long memory is kept for a frame whose end does not come, while others wait: time for 16 MiB
/// at 30 Mbit/s.
pub const MEMORY_TURN_MAX: Duration = Duration::from_secs(5);

/// Times the length of its frame that a large text takes in all while it is judged. Trees of
/// `f(),f(),…` and `a.b,a.b,…` take 75 times the text, chains like `a+a+…` 164 times, as measured.
pub const MEMORY_JUDGED_FACTOR: usize = 165;

/// The same for a text that is longer than the policy allows, and is not parsed: as it came, as it
/// is handed to the thread, and as the thread copies it.
pub const MEMORY_UNPARSED_FACTOR: usize = 3;

/// Times the length of a frame that only passes, or of an error of the upstream: as it came, and on
/// its way.
pub const MEMORY_PASSED_FACTOR: usize = 2;

/// Bytes that one answer owed takes, with what its event will need.
pub const MEMORY_OWED_BYTES: usize = 640;

// --- server

/// Clients that were accepted and not yet taken up by their worker; more are turned away.
pub const ACCEPTED_WAITING_MAX: usize = 1_024;

/// Threads per worker that judge large texts: there is a worker for each core, and more threads
/// than that take its time from the sessions. Each holds one parse tree at a time.
pub const JUDGE_THREADS_MAX: usize = 1;

/// Connections that the kernel may hold ready for us; a storm beyond it is retried by TCP.
pub const LISTEN_BACKLOG: i32 = 1_024;

/// Pause after the system refused to accept (no descriptor free): trying at once would spin.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Clients without a place that are being told so at once; more are closed without a word.
pub const TURNED_AWAY_MAX: usize = 256;

// --- admin

/// Names that the admin address may be asked for by: a service has a few, in one form or another.
pub const ADMIN_HOSTS_MAX: usize = 32;

/// Connections to the admin address at a time: a few scrapers and probes, and no more.
pub const ADMIN_CONNECTIONS_MAX: usize = 16;

/// How long a connection to the admin address is left alone before it may have to give way to one
/// that comes: a request that was sent with it is read by then. A crowd of a thousand that says
/// nothing is through in two seconds.
pub const ADMIN_GRACE: Duration = Duration::from_millis(20);

/// Bytes of an admin request's head. A scraper's is some 300; cookies of a browser fit as well.
pub const ADMIN_REQUEST_BYTES_MAX: usize = 8 << 10;

/// How long an admin connection may last from accept to close, in milliseconds.
pub const ADMIN_TIME_MS_MAX: u64 = 5_000;

/// How long an answer waits for everything to be read again: within the time of a connection. What
/// takes longer goes on without it.
pub const ADMIN_RELOAD_WAIT: Duration = Duration::from_millis(4_000);

/// Sessions that are listed at a time: a few megabytes, which a peer takes within its time.
pub const ADMIN_SESSIONS_MAX: usize = 10_000;

/// Bytes of an answer of the admin address that `pgsieve sessions` and `pgsieve reload` read.
pub const ADMIN_ANSWER_BYTES_MAX: usize = 16 << 20;

/// How long they wait for it: longer than the address takes.
pub const ADMIN_ANSWER_TIME: Duration = Duration::from_secs(8);

/// Pages that are followed at a time, apart from the connections above: the screens of a team, some
/// twice. Each gets some kilobytes a second.
pub const ADMIN_FOLLOWERS_MAX: usize = 8;

/// How long a page is followed on one connection; it then asks anew, and who is gone for good
/// without a word does not keep its room.
pub const ADMIN_FOLLOWED_TIME_MAX: Duration = Duration::from_secs(3_600);

/// How long a page is followed at least before it may have to give way to one that comes.
pub const ADMIN_FOLLOW_TURN: Duration = Duration::from_secs(60);

/// How long a page that comes waits for the one that gives way to be gone.
pub const ADMIN_CUT_TIME: Duration = Duration::from_secs(1);

/// How long a peer of the admin address may take nothing of what is sent to it.
pub const ADMIN_STALL_MAX: Duration = Duration::from_secs(10);

/// Bytes that the system keeps for a peer of the admin address that has not read them yet.
pub const ADMIN_SEND_BYTES: usize = 64 << 10;

/// Rows of the live page's lists that are sent: what a person scrolls through.
pub const PAGE_ROWS_MAX: usize = 100;

/// Users that the live page names; the others are a number.
pub const PAGE_USERS_MAX: usize = 30;

/// How long the admin address rests when no connection can be accepted, in milliseconds.
pub const ADMIN_PAUSE_MS: u64 = 100;

// --- config

/// Bytes of a settings file, or of a file that settings name for a secret or a policy. They are
/// written by people; anything larger is the wrong file.
pub const CONFIG_FILE_BYTES_MAX: u64 = 1 << 20;

/// Threads that serve clients, at most: more cores than this are shared by several processes.
pub const WORKERS_MAX: usize = 256;

/// Clients at a time when the settings do not say. Each holds one connection of the upstream,
/// whose own default is 100.
pub const CONNECTIONS_MAX: u64 = 1_000;

/// The most that `limits.connections_max` can ask for: beyond it, descriptors and ports run out.
pub const CONNECTIONS_MAX_BOUND: u64 = 100_000;

/// Of all places for clients, the part (a quarter) for connections that are waited for before they
/// have logged in: those that say nothing leave most places to those that do.
pub const PENDING_LOGINS_PART: usize = 4;

/// Connections that may be waited for before their login on any server, as long as it has places:
/// the clients of a pool that come all at once.
pub const PENDING_LOGINS_MIN: usize = 64;

/// Connections that may be waited for before their login, at most: a login takes a fraction of a
/// second, so this is thousands of logins a second, and each holds a descriptor and a buffer.
pub const PENDING_LOGINS_MAX: usize = 1_000;

/// How long a connection is never told to give way to another: long enough for a login over a slow
/// line and a busy processor.
pub const PENDING_LOGIN_GRACE: Duration = Duration::from_secs(1);

// --- cli

/// Bytes of a text that `check` reads whole: dumps of queries, not of databases. So it is of a
/// manifest of dbt: those of thousands of models have less.
pub const CHECK_TEXT_BYTES_MAX: u64 = 64 << 20;

/// How long `repair --execute` waits for one statement, whatever the policy allows it: a person
/// waits as well.
pub const REPAIR_COUNT_TIME_MAX: Duration = Duration::from_secs(600);

/// Foreign keys that a grounding follows from the relations that were asked for: further away most
/// schemas are one piece.
pub const GROUNDING_KEY_STEPS_MAX: usize = 4;

/// Rows of a relation in which a grounding looks for values: enough for what occurs often, and read
/// quickly.
pub const GROUNDING_SAMPLED_ROWS_MAX: usize = 1_000;

/// Values of a column that a grounding tells; a column that has more is not one of few values.
pub const GROUNDING_SAMPLES_MAX: usize = 10;

/// Letters of a value that a grounding tells: longer ones are texts and no labels.
pub const GROUNDING_SAMPLE_LETTERS_MAX: usize = 40;

/// Words of a question that a grounding looks for: longer ones are no questions, and each word is
/// compared with many names.
pub const GROUNDING_QUESTION_WORDS_MAX: usize = 100;

/// Bytes of a line of an audit that `policy suggest` reads: far more than the names, and all else,
/// that one line may hold.
pub const SUGGEST_LINE_BYTES_MAX: u64 = 256 << 10;

/// Relations, functions or settings that `policy suggest` counts, each: no person reads a policy
/// that lists more, and an audit of any length then fits into memory.
pub const SUGGEST_NAMES_MAX: usize = 20_000;

/// Bytes of a line that `hash-password` reads. SCRAM takes any length; a person does not.
pub const PASSWORD_BYTES_MAX: u64 = 4096;

// --- demo

/// The oldest Postgres that the private cluster starts: the oldest one that pgsieve is tried on.
pub const POSTGRES_MAJOR_MIN: u32 = 13;

/// How long a private Postgres may take to come up. A cold start on two busy cores takes about two
/// seconds; a machine that needs a minute is better told than waited for.
pub const CLUSTER_START_SECONDS_MAX: u64 = 60;

/// How long a private Postgres may take to stop: longer than its supervisor waits, which ends one
/// that does not stop by itself after ten seconds.
pub const CLUSTER_STOP_SECONDS_MAX: u64 = 30;

/// Pause between two looks at a server that is coming up: short beside the start itself.
pub const CLUSTER_POLL_MS: u64 = 20;

/// How often a start is tried again on another port, when somebody else took the free one first.
pub const CLUSTER_PORT_ATTEMPTS_MAX: u32 = 4;

/// Ports that are tried before the system is asked for one: of the fixed ones hardly any is taken.
pub const FREE_PORT_ATTEMPTS_MAX: u32 = 16;

/// The port that clients of pgsieve connect to, unless it is told another one.
pub const LISTEN_PORT_USUAL: u16 = 6432;

/// The port of metrics and health, unless pgsieve is told another one.
pub const ADMIN_PORT_USUAL: u16 = 9432;

// --- repair

/// The longest text that is repaired. Longer ones are generated by programs, and every look at one
/// costs in proportion.
pub const REPAIR_BYTES_MAX: usize = 64 * 1024;

/// Changed texts in one repair, preprocessors counted: each of those changes a text at most once
/// between two attempts, and a policy allows at most [`REPAIR_ATTEMPTS_MAX`] of these.
pub const REPAIR_ROUNDS_MAX: usize = 32;

/// The most attempts that a policy may allow for one statement.
pub const REPAIR_ATTEMPTS_MAX: u32 = 10;

/// The longest repaired statement that is shown in a HINT as a whole.
pub const REPAIR_SHOWN_BYTES_MAX: usize = 4096;

/// The longest HINT about a failure, without a statement in it: more is not read.
pub const HINT_CHARACTERS_MAX: usize = 300;

// --- preprocessors

/// How often the names of a text are quoted and resolved anew: once for relations, once for what
/// qualifies columns, once for columns, and once for each query that reads from another one whose
/// columns have got other names by that.
pub const QUOTE_PASSES_MAX: usize = 12;

/// Names that are compared with those that a text has and nothing is called by. A statement of ten
/// wide tables with a hundred such names takes a tenth of it.
pub const QUOTE_COMPARISONS_MAX: usize = 2_000_000;

/// Wrappings around one statement, one inside of another.
pub const UNWRAP_LAYERS_MAX: usize = 8;

/// How often the grammar is asked while a statement is unwrapped.
pub const UNWRAP_PARSES_MAX: usize = 48;

/// Places where a statement may begin or end that are tried in one layer.
pub const UNWRAP_PLACES_MAX: usize = 8;

/// Lines of a statement after which its end is looked for.
pub const UNWRAP_LINES_MAX: usize = 2_000;

// --- names

/// Joins inside joins that are followed when another spelling of a name is looked for. People write
/// ten; every relation keeps the joins that it is part of.
pub const NAMES_JOINS_MAX: usize = 128;

/// How deep names of results that stand for expressions with such names are followed. People write
/// two.
pub const NAMES_EXPANSION_DEPTH_MAX: usize = 6;

/// Names of one text that do not exist and are looked for. People and models write some ten; more
/// are written to keep somebody busy.
pub const NAMES_MISSING_MAX: usize = 400;

/// Such names, times the columns that each may have meant: ten in a query of ten wide tables are a
/// twentieth of it.
pub const NAMES_COMPARISONS_MAX: usize = 200_000;

/// Relations whose names or columns are looked at for one text, where no setting says how many.
pub const NAMES_RELATIONS_MAX: usize = 4_000;

// --- repair: joins

/// Numbered names that are tried for a table that a repair joins: none is free only in texts made
/// for it.
pub const JOIN_ALIASES_MAX: u32 = 9;

/// Expressions in one GROUP BY that those of the result are compared with. With more nothing is
/// said of the query: each is compared with every part of the result.
pub const GROUP_EXPRESSIONS_MAX: usize = 64;

// --- upstream/compile_pool

/// Connections of one account in one database on which texts are compiled: a compile takes about a
/// millisecond, so two serve a thousand repairs in a second.
pub const COMPILE_CONNECTIONS_OF_ACCOUNT_MAX: usize = 2;

/// Such connections in all: a third of the connections that a server takes when nobody says.
pub const COMPILE_CONNECTIONS_MAX: usize = 32;

/// How long a repair waits for one of them: its client waits as well, and has an error coming.
pub const COMPILE_WAIT_MAX: Duration = Duration::from_secs(1);

/// How long the server may take to compile one text, waiting for locks included.
pub const COMPILE_STATEMENT_TIME_MAX: Duration = Duration::from_secs(2);

/// One compile from the wish to the answer, a login included.
pub const COMPILE_TIME_MAX: Duration = Duration::from_secs(5);

/// Connections on which one text is tried: one that rested, and a new one where it was lost.
pub const COMPILE_TRIES_MAX: u32 = 2;

/// How long such a connection is kept that nobody uses: an agent that fails often fails again soon.
pub const COMPILE_IDLE_TIME_MAX: Duration = Duration::from_secs(30);

/// The pause after a login in vain: an account that is let in no more must not be locked for it.
pub const COMPILE_RETRY_PAUSE: Duration = Duration::from_secs(1);

/// Texts of one account in one database whose queryid is still to be asked for: what a program
/// sends when it starts. What finds no room is asked for when it comes again.
pub const QUERYIDS_ASKED_MAX: usize = 32;

/// Bytes of a text whose queryid is asked for: longer ones are lists of values.
pub const QUERYID_TEXT_BYTES_MAX: usize = 16 << 10;

/// The pause between two such questions: at most 50 compiles a second are added to an account's.
pub const QUERYID_PAUSE: Duration = Duration::from_millis(20);

/// How long nothing is asked where the server computes no queryids or lets nobody in to ask: once a
/// minute shows when that changes, and costs a login that counts against the role's.
pub const QUERYID_SILENCE: Duration = Duration::from_secs(60);

/// How long a queryid is taken to be true: without a catalog nobody sees that a table is a new one.
pub const QUERYID_AGE_MAX: Duration = Duration::from_secs(600);

/// Queryids that are remembered, a hundred bytes each.
pub const QUERYIDS_KNOWN_MAX: usize = 32_768;

/// Bytes of a statement that a server shows at the least; one more than a character is cut off.
pub const ACTIVITY_BYTES_MIN: usize = 96;

// --- session: repairs

/// Repairs under way at once in the whole process; more wait for their turn. Each holds a thread
/// that mostly waits for a server.
pub const REPAIRS_MAX: usize = 32;

/// Those of one user of the database: with a quarter of the places for each, three whose statements
/// all fail leave some for everybody else.
pub const REPAIRS_OF_USER_MAX: usize = 8;

/// How long a client waits for a repair, its turn included, before its statement goes its ordinary
/// way: a repair takes some milliseconds, and a person or program waits for an error.
pub const REPAIR_TIME_MAX: Duration = Duration::from_secs(5);

/// Bytes of a batch that are kept until its Parse has succeeded: the longest text that is repaired,
/// and parameters of an ordinary size.
pub const RETAINED_BYTES_MAX: usize = 128 * 1024;

/// How often a read that failed for a reason of the moment (40001) is sent again. With the pauses
/// below that is some 300 ms; who fails for longer fails.
pub const RETRIES_MAX: u32 = 3;

/// The pause before a read is sent again the first time; it doubles each time, and up to half of it
/// is left to chance.
pub const RETRY_PAUSE: Duration = Duration::from_millis(40);

// --- dialect

/// The longest path into the tree of a foreign text, in tokens. The library that reads it frees
/// trees by recursion, and every level of a translation takes a few kilobytes of stack.
pub const DIALECT_PATH_MAX: usize = 320;

/// Expressions that are written for one foreign text: more than a text of the largest size has.
pub const DIALECT_STEPS_MAX: usize = 20_000;

/// Queries in a foreign text, set operations and subqueries counted: each is a level of the tree.
pub const DIALECT_QUERIES_MAX: usize = 64;

/// Steps from keys to columns to keys that are followed when it is asked what a GROUP BY decides:
/// as many as tables in the longest chain of joins that people write, and more.
pub const DETERMINED_ROUNDS_MAX: usize = 32;

// --- syntax errors

/// Kinds of mistakes that are repaired in one text, one after the other: each kind once, and those
/// that are repaired word by word some more.
pub const SYNTAX_ROUNDS_MAX: usize = 24;

/// How often the grammar is asked while a text is repaired. Each question takes as long as the text
/// is; most texts take under ten.
pub const SYNTAX_PARSES_MAX: usize = 400;

/// Apostrophes between two letters that are tried, each by itself and all together.
pub const SYNTAX_APOSTROPHES_MAX: usize = 16;

/// Relations that a text that does not parse can name.
pub const SYNTAX_RELATIONS_MAX: usize = 64;

/// Relations whose names are no words that are looked for in a text, one by one.
pub const SYNTAX_SPACED_NAMES_MAX: usize = 256;

/// Names that are no words, times tokens, that are compared with each other.
pub const SYNTAX_COMPARISONS_MAX: usize = 4_000_000;

/// How many tokens back the opening of a parenthesis is looked for.
pub const SYNTAX_TOKENS_BACK_MAX: usize = 1_000;

/// Places where a parenthesis is tried.
pub const SYNTAX_PARENTHESES_MAX: usize = 48;

// --- dialect/calls

/// How deep an expression is looked into for its kind and its extent, where something in it is
/// foreign. What a person or a model writes by hand nests less; deeper ones are left alone.
pub const FUNCTIONS_DEPTH_MAX: usize = 64;

/// How many foreign calls of one text are looked at: each costs a search of what was changed
/// before it.
pub const FUNCTIONS_CALLS_MAX: usize = 512;

/// How many places of one text are changed for their types: each is compared with those before it.
/// A list of values that a person or a model writes is shorter.
pub const FUNCTIONS_CHANGES_MAX: usize = 2048;

// --- session: plans

/// Plans that one worker knows: as many different statements as dashboards and agents send within
/// the time that a plan is believed. Each takes some 150 bytes.
pub const PLANS_KNOWN_MAX: usize = 8_192;

/// Bytes of a plan that are read: the numbers of its top node stand behind a few names, of which
/// none is longer than 63 characters of up to six bytes each.
pub const PLAN_HEAD_BYTES: usize = 4_096;

/// Bytes of notices that are kept while a plan is asked for, should the question fail: then they
/// are the client's.
pub const PLAN_NOTICE_BYTES_MAX: usize = 16 * 1024;

/// How often the plan of one statement is asked for because what it was judged by has changed in
/// between.
pub const PLANS_ASKED_ANEW_MAX: u32 = 4;

// --- session/policy_limits

/// Users that are remembered for what they have done: more than have an account in a database; each
/// takes some hundred bytes. Those with nothing to remember are forgotten first.
pub const ACCOUNTS_MAX: usize = 65_536;

/// The part of what is left of a budget that a result takes at once: so small that others of the
/// user are not refused for what this one will not need.
pub const BUDGET_PART: u64 = 16;

/// Rows that a result takes out of a budget at once: a lock for so many is not felt.
pub const BUDGET_ROWS_AT_ONCE: u64 = 1024;

/// Bytes of the same.
pub const BUDGET_BYTES_AT_ONCE: u64 = 1 << 20;

/// How often a result that was cut is cancelled when too many other cancels are under way, or the
/// upstream takes no connection.
pub const CUT_CANCEL_TRIES_MAX: u32 = 5;

/// The pause before it is tried again.
pub const CUT_CANCEL_PAUSE: Duration = Duration::from_millis(100);

// --- server/reload

/// Time between two looks at the files of policies. One read of some files of people's size a
/// second costs nothing; who waits for a change waits no longer than this twice.
pub const POLICY_LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// How long files of policies must stand still before they are read: an editor may be in the middle
/// of writing, and half a list of what is denied is a policy as well.
pub const POLICY_SETTLE_TIME: Duration = Duration::from_millis(300);

/// Looks for files that stand still before the next interval: a file that is written all the time
/// is read when it pauses.
pub const POLICY_SETTLE_LOOKS_MAX: u32 = 10;

/// Wishes to have everything read again that wait: each reads all, so those behind the first mean
/// the same.
pub const RELOADS_WAITING_MAX: usize = 8;

/// Letters of a value that are told of a key that waits for a restart.
pub const SHOWN_VALUE_MAX: usize = 200;

/// Problems of a file of policies that are told in the log: the first ones cause the others.
pub const POLICY_PROBLEMS_TOLD_MAX: usize = 20;

/// Time between two looks whether the catalog is there that the policies' tests wait for.
pub const POLICY_TESTS_LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// Databases that are looked into for the tests of one policy, in vain: each may take as long as a
/// connection may.
pub const POLICY_TESTS_DATABASES_MAX: usize = 4;

/// Files of policies that are looked at: who has more has a folder of something else.
pub const POLICY_FILES_LOOKED_AT_MAX: usize = 256;

// --- gate/models

/// How often models are put into one text, references to their columns counted. People name a
/// table a few times; each name costs the text of a model.
pub const MODEL_PUTS_MAX: usize = 256;

/// Bytes that models add to one text: what the parser is given beyond what the policy lets a
/// client send.
pub const MODEL_BYTES_MAX: usize = 1_048_576;

/// How many conditions of a statement are looked at for one name of a model: people write a few.
pub const MODEL_CONDITIONS_MAX: usize = 64;

/// How deep AND and OR nest in a condition that is evaluated within a model.
pub const MODEL_CONDITION_DEPTH_MAX: usize = 8;

/// Bytes of the conditions that are evaluated within one model: some thousand keys in a list.
pub const MODEL_CONDITION_BYTES_MAX: usize = 64 * 1024;

/// For how many search_paths a model remembers whether it means the same there: all sessions of
/// most databases have one or two.
pub const MODEL_PATHS_KEPT_MAX: usize = 16;

// --- gate/function_bodies

/// How many bodies of functions are read for one statement. A function of SQL calls a few others;
/// what reaches hundreds is told by none of them.
pub const BODIES_READ_MAX: usize = 256;

/// For how many bodies, each under one search_path of one role, it is remembered what they run:
/// a database with thousands of functions has sessions with a few paths.
pub const BODIES_KEPT_MAX: usize = 16_384;

/// For how many search_paths bodies are remembered: all sessions of most databases have one or two,
/// one for each tenant in some.
pub const BODY_PATHS_KEPT_MAX: usize = 256;

// --- gate/access

/// How many columns a hint lists that may be read: a client can write so many by hand, and a hint
/// stays a few lines.
pub const ACCESS_HINT_COLUMNS_MAX: usize = 40;

/// How many relations, functions and settings of one text the audit names, of each: real statements
/// have a few dozen at the most.
pub const NAMED_MAX: usize = 256;

// --- policy

/// Combinations of entries in a policy's `match` that are compared with the policies before it,
/// when it is looked for what nobody would ever get.
pub const POLICY_CORNERS_MAX: usize = 10_000;

/// Texts that one policy is made of, its own included: who has to look through more of them to know
/// what holds does not know it.
pub const POLICY_LAYERS_MAX: usize = 9;

/// Policies of one server: each judges every database with an effect graph of its own.
pub const POLICIES_MAX: usize = 64;

/// Bytes of a model's SELECT. It is put into every statement that names the model.
pub const MODEL_SQL_BYTES_MAX: usize = 64 * 1024;

/// Models of one policy: each is compiled against the catalog whenever that changes.
pub const MODELS_MAX: usize = 1_000;

/// Masks of one policy, and conditions on rows: each is compared with every relation and column of
/// the catalog whenever that changes.
pub const MASKS_AND_FILTERS_MAX: usize = 1_000;

/// Bytes of what a policy says in words of a model or a column of it: it is read by a model of
/// language together with that of many others.
pub const ABOUT_BYTES_MAX: usize = 2_000;

/// The deepest that `limits.nesting` can ask for: nothing that a person or a model writes nests
/// deeper, and the parser gives up a little beyond.
pub const NESTING_BOUND: u64 = 1_000;

/// The most rows that a limit of results can ask for: more than a client can take in.
pub const RESULT_ROWS_BOUND: u64 = 1_000_000_000_000;

/// From here on a bound on the bytes of a result holds nothing back that is sent behind it: who
/// asks ahead would wait for every answer, and a result meets it once in a great while. It is what
/// a client reads in a tenth of a second.
pub const RESULT_BYTES_ASKED_AHEAD: u64 = 1 << 20;

/// The most bytes that a limit of results can ask for, a petabyte.
pub const RESULT_BYTES_BOUND: u64 = 1 << 50;

/// The most statements in a day that a limit can ask for: ten million in a second.
pub const STATEMENTS_PER_DAY_BOUND: u64 = 1_000_000_000_000;

/// The most statements of one user at a time that a limit can ask for: as many as clients.
pub const CONCURRENCY_BOUND: u64 = 100_000;

/// The highest cost, number of rows or rate that a limit can ask for.
pub const ESTIMATE_BOUND: f64 = 1e15;

/// The lowest rate of statements in a second: about one in a quarter of an hour.
pub const RATE_LEAST: f64 = 0.001;

/// The longest that a plan may be believed: tables change in a day.
pub const PLAN_AGE_BOUND: Duration = Duration::from_secs(86_400);

/// The longest idle time that can be asked for: settings of the server hold no more.
pub const IDLE_TIME_BOUND: Duration = Duration::from_secs(24 * 86_400);

// --- warnings

/// How long before its end a certificate is warned of: a month, in which a renewal by hand gets
/// through its approvals, and when that of a 90-day certificate by a program is due.
pub const CERTIFICATE_EXPIRY_NOTICE: Duration = Duration::from_secs(30 * 86_400);

/// Superusers among clients that the log tells of, each once: a server has a handful.
pub const SUPERUSERS_TOLD_MAX: usize = 50;

/// Names in one warning: a line is read to its end; the rest is counted.
pub const WARNED_NAMES_MAX: usize = 10;

// --- telemetry/audit

/// Audit files that were put aside and are kept, unless told otherwise: with the files of 100 MiB
/// that an operator would choose, a gigabyte.
pub const AUDIT_FILES_KEPT: usize = 10;

/// The most that `audit.rotate_bytes` can ask for, a pebibyte: more than a file system holds.
pub const AUDIT_ROTATE_BYTES_BOUND: u64 = 1 << 50;

// --- gate/cache

/// Bytes of a statement's names as an audit line shows them that are kept with the names; a longer
/// text is put together for each line.
pub const NAMES_RENDERED_BYTES_MAX: usize = 512;

/// Shapes of statements whose names one worker thread remembers, for the record: as many as the
/// verdicts that it keeps.
pub const SHAPES_KNOWN_MAX: usize = 4_096;

/// The bytes of text that those may hold: 2 MiB per worker thread.
pub const SHAPES_BYTES_MAX: usize = 2 << 20;
// --- traces

/// Texts above this are not searched for the comment with their trace: it is done between other
/// sessions' work, as judging is.
pub const TRACE_TEXT_BYTES_MAX: usize = 64 * 1024;

/// Keys of an sqlcommenter comment that are read; frameworks write less than ten.
pub const TRACE_COMMENT_PAIRS_MAX: usize = 64;

/// Statements in a second that are sampled because their clients say that the parent is: a client
/// can say so of all. Their spans are some ten batches, and leave room in the queue for the others.
pub const TRACE_FOLLOWED_PER_SECOND_MAX: u64 = 1_000;

/// Answers owed among which an Execute looks for its Parse, to go on with its trace: drivers send
/// both together, and a pipeline of thousands is not searched once for each of its Executes.
pub const TRACE_PARSE_BEHIND_MAX: usize = 64;

/// Things done to one statement that get a span: a statement that is repaired has a dozen.
pub const TRACE_PHASES_MAX: usize = 64;

/// Spans that wait for the collector: some seconds of a thousand sampled statements each, a few
/// megabytes. What comes on top is dropped and counted.
pub const TRACE_QUEUE_SPANS_MAX: usize = 8192;

/// Spans in one request: what OpenTelemetry's exporters have, a quarter of a megabyte.
pub const TRACE_BATCH_SPANS: usize = 512;

/// How long spans gather before they are sent, unless there is a batch of them.
pub const TRACE_EXPORT_PAUSE: Duration = Duration::from_secs(1);

/// How long the collector may take for a batch, retries included.
pub const TRACE_EXPORT_TIME_MAX: Duration = Duration::from_secs(5);

/// How long the last spans may take to reach the collector when the process ends. They are worth
/// less than a quick restart.
pub const TRACE_LAST_FLUSH: Duration = Duration::from_secs(2);

// --- telemetry/recent

/// Rows of the live page's lists of the latest refusals, repairs and alarms, each: what a person
/// scrolls through. Each takes some 300 bytes, or what names of their longest take.
pub const RECENT_ROWS_MAX: usize = 200;

/// How many of those rows one user can have, so that its flood leaves room for the others.
pub const RECENT_ROWS_OF_USER_MAX: usize = 100;

/// Refused fingerprints whose history is kept. Each takes about a kilobyte.
pub const RECENT_FINGERPRINTS_MAX: usize = 512;

/// How many of those one user can have, so that its flood leaves room for the others.
pub const RECENT_FINGERPRINTS_OF_USER_MAX: usize = 256;

/// Times that are kept of one fingerprint, besides its counts by minute.
pub const RECENT_TIMES_MAX: usize = 20;

/// Pairs of rule and hint that are kept of one fingerprint: policies differ, and are few.
pub const RECENT_CAUSES_MAX: usize = 4;

/// Users that are named for one fingerprint; more are a number.
pub const RECENT_USERS_OF_FINGERPRINT_MAX: usize = 8;

/// Users whose refusals are counted by name; those with the fewest give way.
pub const RECENT_USERS_MAX: usize = 200;

// --- telemetry/live

/// Time between two readings for the live page.
pub const PULSE_INTERVAL: Duration = Duration::from_secs(1);

/// Seconds of history of the live page: five minutes, each second takes some 500 bytes.
pub const PULSE_SECONDS: usize = 300;

/// Seconds that a percentile is drawn for.
pub const PULSE_PART_SECONDS: usize = 10;
/// Bytes of waiting audit lines at which even `on_full: block` drops lines of what was permitted.
/// Sessions stop at the mark, so only pipelines that were under way then and strangers that connect
/// get here; for 1000 connections it is some 130 lines each.
pub const AUDIT_QUEUE_BYTES_CEILING: usize = 64 << 20;

/// Bytes of a statement's text that an encrypted audit keeps: longer ones are lists of values. With
/// four recipients that are 12 KiB on a line, and with names still a syslog datagram.
pub const AUDIT_TEXT_BYTES_MAX: usize = 8 << 10;

/// Recipients that a text is encrypted to: each costs the writer a key agreement a line.
pub const AUDIT_TEXT_RECIPIENTS_MAX: usize = 4;

/// Identities in a file that `audit open` tries: each is tried on every line.
pub const AUDIT_TEXT_IDENTITIES_MAX: usize = 64;

/// How long the queue is full before the audit counts as stuck: pgsieve is not ready then. Twenty
/// times what the writer waits for lines, and longer than a disk hiccups.
pub const AUDIT_STUCK_AFTER: Duration = Duration::from_secs(2);

/// How long a login waits for room in the audit before the client hears why it is not let in: less
/// than what clients wait for a connection.
pub const AUDIT_LOGIN_WAIT_MAX: Duration = Duration::from_secs(8);

/// Bytes of a batch that are sealed and written in one go, so that rotation can come between two.
pub const AUDIT_CHUNK_BYTES: usize = 64 << 10;

/// Memory that the audit's buffers keep when they are empty: what a full queue needed.
pub const AUDIT_BUFFER_BYTES_KEPT: usize = 2 * AUDIT_QUEUE_BYTES_MAX;

/// How long the writer goes on trying when the process ends and the audit cannot be written.
pub const AUDIT_CLOSING_TIME_MAX: Duration = Duration::from_secs(2);

/// The pause after a rotation that failed; meanwhile the file grows beyond its size.
pub const AUDIT_ROTATE_AGAIN: Duration = Duration::from_secs(5);

/// How long a syslog receiver may take to accept a connection, and a line.
pub const AUDIT_SYSLOG_TIME_MAX: Duration = Duration::from_secs(2);

/// Places that audit lines go to at once: a file, standard output and two receivers.
pub const AUDIT_TARGETS_MAX: usize = 4;

/// Bytes of one audit line, newline included, that are read back: far more than a line can have. A
/// longer one is no line of the audit's.
pub const AUDIT_LINE_BYTES_MAX: u64 = 1 << 20;

/// Files that an audit is looked for in when one is named: FILE and FILE.1 to this.
pub const AUDIT_FILES_MAX: usize = 1000;

/// Faults of an audit that `audit verify` tells with their places; the others are counted.
pub const AUDIT_FAULTS_TOLD_MAX: usize = 100;

/// Gaps in an audit that are remembered, in case their lines come later.
pub const AUDIT_GAPS_MAX: usize = 1024;

/// Fingerprints, users and the like that `audit top` counts one by one; twice as many are held
/// before those that occur least are forgotten.
pub const AUDIT_TOP_KEYS_MAX: usize = 10_000;

/// Names of users that `audit top` shows for a fingerprint; the others are counted.
pub const AUDIT_TOP_USERS_MAX: usize = 8;

// --- admin.token_file

/// The shortest token of the live page: nobody guesses sixteen random letters over the network.
pub const TOKEN_BYTES_MIN: usize = 16;

/// The longest one: it is sent in one header.
pub const TOKEN_BYTES_MAX: usize = 1_024;
// --- cli/health

/// How long a health check waits for its answer, unless told otherwise: shorter than the pause
/// between two checks of any orchestrator.
pub const HEALTH_TIME: Duration = Duration::from_secs(3);

/// How long it can be told to wait.
pub const HEALTH_TIME_BOUNDS: (Duration, Duration) =
    (Duration::from_millis(100), Duration::from_secs(60));

/// Bytes of an answer that a health check reads: the verdict is in the first line, and a line for
/// each database and policy follows.
pub const HEALTH_ANSWER_BYTES_MAX: usize = 64 * 1024;

/// Lines of a report that a health check prints: orchestrators keep what it says.
pub const HEALTH_LINES_MAX: usize = 20;
// --- doctor

/// How long one question of an examination may take at the upstream: a catalog of a hundred
/// thousand relations is read in a few seconds.
pub const EXAMINATION_STATEMENT_TIME: &str = "30s";

/// How long an examination may take to connect: a login, and a few questions.
pub const EXAMINATION_CONNECT_TIME_MAX: Duration = Duration::from_secs(10);

/// How long a whole examination may take: fifty questions, hardly any of which takes a second.
pub const EXAMINATION_TIME_MAX: Duration = Duration::from_secs(180);

/// Rows that one question of an examination may bring: grants to one role on fifty thousand tables.
pub const EXAMINATION_ROWS_MAX: usize = 200_000;

/// The bytes of the rows that one question may bring: rows of catalogs have some hundred each.
pub const EXAMINATION_BYTES_MAX: usize = 256 << 20;

/// Names that one finding lists, beside the count of all of them.
pub const EXAMINATION_NAMES_MAX: usize = 20;

/// Statements in the script that mends what was found. What is more is said to be missing.
pub const EXAMINATION_STATEMENTS_MAX: usize = 5_000;

/// The oldest major version that still gets fixes: the last releases of 13 and 14 were those of
/// November 2025 and November 2026.
pub const POSTGRES_SUPPORTED_MAJOR_MIN: u16 = 15;
