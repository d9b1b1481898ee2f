//! Bounds of the groundings that a running pgsieve gives out, each with its reason.

use std::time::Duration;

/// Groundings of one database that are kept while its snapshot holds: one for each user and choice
/// of facets that asks often. What was not used for longest is made anew when it is asked for.
pub const KEPT_MAX: usize = 16;

/// Bytes of them together as JSON, of which the documents and their indexes are a few times as
/// many: room for some of databases with thousands of tables.
pub const KEPT_BYTES_MAX: usize = 16 << 20;

/// Versions of one database whose names are remembered under one policy: those of the last weeks,
/// where a schema changes a few times a day.
pub const GIVEN_MAX: usize = 64;

/// Bytes of their names together: some of databases with thousands of tables.
pub const GIVEN_BYTES_MAX: usize = 16 << 20;

/// Policies whose versions are remembered to those bounds. Under more, those that were given out
/// longest ago are forgotten first.
pub const GIVEN_POLICIES_MAX: usize = 8;

/// Groundings that are made at once: each reads the catalog on a connection of its own and judges
/// a statement for each relation.
pub const AT_ONCE_MAX: usize = 2;

/// How long a request waits for one: shorter than a connection to the admin address lasts
/// ([`super::ADMIN_TIME_MS_MAX`]). It is made to its end meanwhile, and kept.
pub const ANSWER_WAIT: Duration = Duration::from_millis(4_000);

/// How long the making of one may take.
pub const MAKING_TIME_MAX: Duration = Duration::from_secs(60);

/// How often it is looked at whether those that sessions stand on are still true. They are made
/// again only where the catalog or the policy has changed.
pub const LOOK_INTERVAL: Duration = Duration::from_millis(500);

/// How much longer that rests after a database that did not answer: nobody is helped by a login
/// every moment where none is let in.
pub const PAUSE_FACTOR: u32 = 10;

/// Bytes of a question: more than anybody asks, less than a request may have
/// ([`super::ADMIN_REQUEST_BYTES_MAX`]).
pub const QUESTION_BYTES_MAX: usize = 2_000;

/// How long a statement may take by which a grounding learns what a session reads. What takes
/// longer is left out.
pub const STATEMENT_TIME_MAX: Duration = Duration::from_secs(5);

/// Sessions that are opened for one grounding, one after the other where one is lost.
pub const SESSIONS_MAX: usize = 5;
