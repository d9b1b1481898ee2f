//! Several servers with the same contents.

use std::time::Duration;

/// Servers that one address may name: each is looked at again and again, and has a label of its own
/// in metrics.
pub const SERVERS_MAX: usize = super::UPSTREAM_LABELS_MAX;

/// Databases, or patterns of their names, that are at servers of their own: a login looks through
/// all of them, and the servers of each are looked at again and again.
pub const DATABASES_MAX: usize = 64;

/// The pause between two looks at a server that answers.
pub const PROBE_INTERVAL: Duration = Duration::from_secs(1);

/// The same where a look is a connection and no more.
pub const CONNECT_INTERVAL: Duration = Duration::from_secs(5);

/// How long no login is tried again at a server that has refused one: it would be refused again,
/// and each is a line in its log.
pub const REFUSED_PAUSE: Duration = Duration::from_secs(60);

/// The same where it has not the database: a standby may have it soon.
pub const MISSING_DATABASE_PAUSE: Duration = Duration::from_secs(5);

/// The time that a server has for one answer to a look. One that is stopped answers nothing, and
/// takes connections all the same.
pub const PROBE_TIME_MAX: Duration = Duration::from_secs(3);

/// The first pause before a server that did not answer is looked at again; each is longer.
pub const PROBE_PAUSE: Duration = Duration::from_millis(500);

/// The longest of those pauses.
pub const PROBE_PAUSE_MAX: Duration = Duration::from_secs(10);

/// The time that a login has at one of several servers, before it is tried at another one.
pub const LOGIN_TIME_MAX: Duration = Duration::from_secs(5);

/// How long a login waits until it is known of each server what it is.
pub const FIRST_LOOK_WAIT_MAX: Duration = Duration::from_secs(4);

/// How far a standby may be behind, unless the settings say otherwise.
pub const LAG_MAX: Duration = Duration::from_secs(30);

/// How long a read waits until its server has replayed what its client has named, unless the
/// settings say otherwise.
pub const MIN_LSN_WAIT: Duration = Duration::from_secs(1);

/// The least time between two looks at what a server has replayed, while a read waits for it: a
/// standby that keeps up is behind by less.
pub const REPLAY_LOOK_PAUSE: Duration = Duration::from_millis(10);

/// How long a server may leave looks at it unanswered until what is under way there counts as lost:
/// one that is merely slow has answered a second look by then.
pub const SILENCE_MAX: Duration = Duration::from_secs(5);

/// The time between two looks of a session whether its server has fallen silent.
pub const SILENCE_LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// How long it is asked of a server that has ended a statement whether it stops: the client waits
/// for the answer, and hears of the end after that. A machine that is busy with a restart takes
/// seconds to let a session in.
pub const STOP_QUESTION_TIME_MAX: Duration = Duration::from_secs(10);

/// How often in a row a session is moved because its policy does not permit its server, without a
/// message of its client's between: as long as the catalogs of two servers have different members
/// of the roles that policies are chosen by, they send it to and fro.
pub const POLICY_MOVES_MAX: u32 = 10;

/// The pause before each but the first of those moves: both catalogs are looked at meanwhile.
pub const POLICY_MOVE_PAUSE: Duration = Duration::from_secs(1);

/// Bytes of messages that are kept to be run once more elsewhere, should their server die before it
/// answers: what an agent writes, and no more than a read brings.
pub const UNANSWERED_BYTES_MAX: usize = 64 * 1024;

/// Other copies of pgsieve that the settings may name: each is asked for every cancel whose session
/// is none of this one's.
pub const PEERS_MAX: usize = 16;

/// Addresses of one of those names that are asked: the name of a service stands for all its copies.
pub const PEER_ADDRESSES_MAX: usize = 64;
