//! Reads what a database contains, over a connection of its own.
//!
//! * `connect` makes the connection: a session of our own, which `replayed_login` gives to
//!   tokio-postgres
//! * [`load`] reads everything in one transaction, so that nothing is seen half changed
//! * `change_marker` tells cheaply whether that would bring anything new
//! * `error`: why that did not work
//! * `catalog_query` runs one query and takes its rows apart; `relations`, `data_types`,
//!   `functions`, `support_functions` and `roles` say what is asked
//! * [`load_details`] reads what is told of it all besides, for a grounding; [`load_lint_facts`]
//!   what lints know
//!
//! Reads only catalogs that every role may read. Never writes, never sends anything of a client.
//!
//! <https://www.postgresql.org/docs/current/catalogs.html>

mod catalog_query;
mod change_marker;
mod connect;
mod data_types;
mod details;
mod error;
mod functions;
mod lint_facts;
mod relations;
mod replayed_login;
mod roles;
mod support_functions;

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Waker};

use tokio_postgres::{Client, SimpleQueryMessage};

pub use self::change_marker::{ChangeMarker, marker};
pub use self::connect::{connect, connect_hearing, hand_over};
pub use self::details::load_details;
pub use self::error::{CatalogPart, LoadError};
pub use self::lint_facts::load_lint_facts;
pub use super::account::{OwnSessionError, UpstreamAccount};

use self::catalog_query::{CatalogReader, TextEncoding};
use crate::catalog::catalog_rows::{CatalogRows, TypeRow};
use crate::limits;

/// Everything that a snapshot is made of, as one moment shows it.
///
/// May be cancelled: the transaction is rolled back before the connection does anything else.
///
/// # Errors
/// The connection is lost, or the server refuses, is of an unknown version, says what is not
/// documented, or has more of something than pgsieve takes.
pub async fn load(client: &Client) -> Result<CatalogRows, LoadError> {
    match read(client, WantedEncoding::Text).await {
        // Whoever may make an object may give it such a name: that one is not readable, no more.
        Err(error) if error.is_of_encoding() => read(client, WantedEncoding::Bytes).await,
        read => read,
    }
}

async fn read(client: &Client, wanted: WantedEncoding) -> Result<CatalogRows, LoadError> {
    let mut transaction = ReadTransaction::begin(client).await?;
    let script = transaction.script(wanted).await?;
    let reader = CatalogReader { client, script };
    let (major, other_encoding) = (
        transaction.major,
        transaction.encoding != ServerEncoding::Utf8,
    );
    // The queries are sent together and answered in this order.
    let (roles, functions, types, relations, supports) = tokio::try_join!(
        roles::read(reader, major),
        functions::read(reader, major),
        data_types::read(reader, major),
        relations::read(reader, major),
        support_functions::read(reader, major),
    )?;
    transaction.commit().await?;
    let types = types.join(&functions.casts);
    let mut rows = CatalogRows {
        server_major: major,
        other_encoding,
        search_path: roles.search_path,
        schemas: roles.schemas,
        relations: relations.relations,
        columns: relations.columns,
        keys: relations.keys,
        inheritance: relations.inheritance,
        policies: relations.policies,
        types,
        functions: functions.functions,
        operators: functions.operators,
        casts: functions.casts,
        supports,
        roles: roles.roles,
        members: roles.members,
    };
    add_makers_of_states(&mut rows, &functions.read_states);
    Ok(rows)
}

/// An aggregate whose state begins as a text runs the input function of the state's type.
fn add_makers_of_states(rows: &mut CatalogRows, states: &[(u32, u32)]) {
    for (aggregate, state) in states {
        let place = rows
            .types
            .binary_search_by_key(state, |row: &TypeRow| row.oid);
        let makers = place.ok().and_then(|place| rows.types.get(place));
        let makers = makers.map(|row| row.makers.clone()).unwrap_or_default();
        if makers.is_empty() {
            continue;
        }
        let place = rows
            .functions
            .binary_search_by_key(aggregate, |row| row.oid);
        if let Some(function) = place.ok().and_then(|place| rows.functions.get_mut(place)) {
            function.parts.extend(makers);
        }
    }
}

/// How text is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WantedEncoding {
    /// As UTF-8, where the server can say it so.
    Text,
    /// As the bytes that the server keeps.
    Bytes,
}

/// How a database keeps text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ServerEncoding {
    Utf8,
    /// As bytes that it gives no meaning: SQL_ASCII.
    Bytes,
    Other,
}

/// A transaction that is rolled back when it is dropped.
struct ReadTransaction<'c> {
    client: &'c Client,
    major: u16,
    encoding: ServerEncoding,
    open: bool,
}

impl<'c> ReadTransaction<'c> {
    /// Begins it. Nothing in it looks anywhere but in pg_catalog, whatever the session's settings.
    async fn begin(client: &'c Client) -> Result<Self, LoadError> {
        let mut transaction = Self {
            client,
            major: 0,
            encoding: ServerEncoding::Other,
            open: true,
        };
        let said = client.simple_query(BEGIN).await;
        let said = said.map_err(|error| LoadError::of(CatalogPart::Session, &error))?;
        let row = said.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        transaction.encoding = match row.and_then(|row| row.get(1)) {
            Some("UTF8") => ServerEncoding::Utf8,
            Some("SQL_ASCII") => ServerEncoding::Bytes,
            _ => ServerEncoding::Other,
        };
        let number: u32 = row
            .and_then(|row| row.get(0))
            .and_then(|number| number.parse().ok())
            .ok_or(LoadError::UnknownVersion)?;
        let major = u16::try_from(number / 10_000);
        transaction.major = major.map_err(|_error| LoadError::UnknownVersion)?;
        if u32::from(transaction.major) < limits::POSTGRES_MAJOR_MIN {
            return Err(LoadError::UnknownVersion);
        }
        Ok(transaction)
    }

    /// Has the server send text as it is wanted; what its bytes mean.
    async fn script(&mut self, wanted: WantedEncoding) -> Result<TextEncoding, LoadError> {
        let (as_kept, script) = match (self.encoding, wanted) {
            // A server that converts nothing is as good a reason to take bytes.
            (ServerEncoding::Bytes, _) => (true, TextEncoding::Utf8),
            (ServerEncoding::Utf8, _) => (false, TextEncoding::Utf8),
            (ServerEncoding::Other, WantedEncoding::Text) => (false, TextEncoding::Utf8),
            (ServerEncoding::Other, WantedEncoding::Bytes) => (true, TextEncoding::Other),
        };
        if as_kept {
            let set = self.client.batch_execute(AS_KEPT).await;
            set.map_err(|error| LoadError::of(CatalogPart::Session, &error))?;
        }
        Ok(script)
    }

    async fn commit(mut self) -> Result<(), LoadError> {
        let ended = self.client.batch_execute("COMMIT").await;
        ended.map_err(|error| LoadError::of(CatalogPart::Session, &error))?;
        self.open = false;
        Ok(())
    }
}

impl Drop for ReadTransaction<'_> {
    /// Sends what ends it; the connection reads the answer away.
    fn drop(&mut self) {
        if self.open {
            let mut ending = pin!(self.client.batch_execute("ROLLBACK"));
            // Sending is done by the first poll; there is nobody to wait for the rest.
            let _sent = ending
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()))
                .is_ready();
        }
    }
}

/// Then nothing is converted. Texts of queries are ASCII, and so are those of errors that count.
const AS_KEPT: &str = "SET LOCAL client_encoding TO 'SQL_ASCII'";

/// Compiled plans and helper processes cost more than they bring for these queries.
const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; \
    SET LOCAL search_path TO pg_catalog; \
    SET LOCAL jit TO off; \
    SET LOCAL max_parallel_workers_per_gather TO 0; \
    SELECT current_setting('server_version_num'), current_setting('server_encoding')";
