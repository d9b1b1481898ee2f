//! Real servers for tests.
//!
//! ```text
//! let stack = Stack::shared();                      // default policy; one pgsieve for all tests
//! let stack = Stack::start(Options::default());     // a pgsieve and a database of one's own
//! let stack = Stack::start(Options { policy: Some("bi"), ..Options::default() });
//! let stack = Stack::start(Options { tree_only: true, ..Options::default() });  // sees no names
//! let stack = Stack::start(Options { shop: true, ..Options::default() });  // with the sample rows
//! let Some(stack) = Stack::on_version(18) else { return };   // where its programs can be had
//!
//! let client = stack.proxied(APP).await;            // tokio-postgres through pgsieve
//! let direct = stack.direct(ADMIN).await;           // … and past it
//! assert_eq!(sql::rows(&client, "SELECT 1").await, [["1"]]);
//! let refused = sql::refusal(&client, "DELETE FROM t").await;       // its DbError
//!
//! let mut raw = RawClient::login(stack.proxied_address(), &stack.login(APP));   // bytes
//! raw.send(&frames::query("SELECT 1"));
//! let answer = raw.until_ready();                   // Vec<Frame>, ReadyForQuery last
//! ```
//!
//! Postgres is shared by all tests of this program ([`shared_cluster`]), each `Stack` has a
//! database of its own in it. Passwords are asked for by SCRAM; the password of a role is its name.
//! Roles: [`ADMIN`] is superuser, [`APP`] owns the database and its tables, [`READER`] only reads.
//! Everything is gone when the tests end, also when they are killed.

pub mod bouncer;
pub mod collector;
pub mod command;
pub mod frames;
pub mod installed;
#[expect(dead_code, reason = "some of it is for tests that need no server")]
pub mod log_collector;
pub mod ports;
pub mod raw;
pub mod recorded_peer;
pub mod recorder;
pub mod redis_server;
pub mod shared;
pub mod sql;
mod stack;
pub mod switch;

pub use raw::RawClient;
pub use shared::{ADMIN, APP, READER, VERSIONS, own_cluster, shared_cluster};
pub use stack::{Options, Stack, UNREPAIRED, until};
