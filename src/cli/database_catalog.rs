//! What `check` and `repair` see of a database: its catalog, read once. The statements that are
//! checked are never sent there.

use std::env;
use std::fmt;
use std::sync::Arc;

use tokio::runtime;

use crate::catalog::Catalog;
use crate::config::sources::{Flag, Sources};
use crate::config::{self, Database, Problem};
use crate::doctor::{ExamineError, login_roles};
use crate::offline::script_session::Course;
use crate::upstream::account::{Account, ConnectError};
use crate::upstream::catalog_cache::catalog_account::Accounts;
use crate::upstream::connect::Upstream;
use crate::upstream::snapshot;

/// A database that was looked into.
pub struct Visit {
    /// The session that the input stands for.
    pub course: Course,
    /// The way there.
    pub upstream: Arc<Upstream>,
    /// Who looked.
    pub account: Account,
    /// Its name.
    pub database: String,
    /// Who the session belongs to.
    pub role: String,
}

/// A database as it was seen.
pub struct Seen {
    /// What it contains.
    pub catalog: Catalog,
    /// The way there.
    pub upstream: Upstream,
    /// Who looked.
    pub account: Account,
    /// Its name.
    pub database: String,
}

/// Connects, reads the catalog and goes away again; waits for it.
pub fn look(url: &str) -> Result<Seen, Vec<Problem>> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| unread(&error.kind()))?;
    runtime.block_on(see(url))
}

/// The names of the databases of that server.
pub fn databases(url: &str) -> Result<Vec<String>, Vec<Problem>> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| unread(&error.kind()))?;
    let way = way(url)?;
    let looked = login_roles::look(&way.upstream, &way.account, &way.database);
    let named = runtime.block_on(looked).map_err(|error| unread(&error))?;
    Ok(named.databases)
}

/// The same within a runtime.
pub async fn see(url: &str) -> Result<Seen, Vec<Problem>> {
    let found = of_url(url)?;
    let account = Accounts::new(found.account.clone()).current();
    let Way {
        upstream,
        account,
        database,
    } = way_of(found, account)?;
    let catalog = read(&upstream, &account, &database).await?;
    Ok(Seen {
        catalog,
        upstream,
        account,
        database,
    })
}

/// The way to a database.
pub struct Way {
    /// The way.
    pub upstream: Upstream,
    /// Who logs in.
    pub account: Account,
    /// Its name.
    pub database: String,
}

/// The way to the database of a URL, for the user whom it names.
pub fn way(url: &str) -> Result<Way, Vec<Problem>> {
    let found = of_url(url)?;
    let account = Account::of(&found.upstream);
    way_of(found, account)
}

fn of_url(url: &str) -> Result<Database, Vec<Problem>> {
    config::database(&Sources {
        variables: variables(),
        flags: vec![Flag {
            path: "upstream.url",
            name: "--upstream",
            value: url.to_owned(),
        }],
        ..Sources::default()
    })
}

fn way_of(found: Database, account: Option<Account>) -> Result<Way, Vec<Problem>> {
    let Some(account) = account else {
        return Err(problem(
            "--upstream",
            "names no user: postgres://user@host/name",
        ));
    };
    let database = found.upstream.database.clone();
    let database = database.unwrap_or_else(|| account.user.clone());
    let upstream = Upstream::load(found.upstream).map_err(|error| unread(&error))?;
    Ok(Way {
        upstream,
        account,
        database,
    })
}

/// Why a database cannot be examined; where a password is missing, the ways to give one.
pub fn unexamined_by(why: &ExamineError) -> Vec<Problem> {
    match why {
        ExamineError::Connect(ConnectError::NoPassword) => unexamined(&PASSWORD_WANTED),
        why => unexamined(why),
    }
}

/// Why a database cannot be examined.
pub fn unexamined(why: &dyn fmt::Display) -> Vec<Problem> {
    problem(
        "--upstream",
        &format!("the database cannot be examined: {why}"),
    )
}

async fn read(
    upstream: &Upstream,
    account: &Account,
    database: &str,
) -> Result<Catalog, Vec<Problem>> {
    let connected = snapshot::connect(upstream, account, database).await;
    let (client, _task) = connected.map_err(|error| refused(&error))?;
    let loaded = snapshot::load(&client).await;
    let rows = loaded.map_err(|error| unread(&error))?;
    Catalog::build(rows).map_err(|error| unread(&error))
}

/// What is not Unicode cannot be one of ours; its name would have to be.
fn variables() -> Vec<(String, String)> {
    let all = env::vars_os();
    all.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// Why nobody could log in; where a password is missing, the ways to give one.
fn refused(why: &ConnectError) -> Vec<Problem> {
    match why {
        ConnectError::NoPassword => unread(&PASSWORD_WANTED),
        why => unread(why),
    }
}

fn unread(why: &dyn fmt::Display) -> Vec<Problem> {
    problem("--upstream", &format!("the catalog cannot be read: {why}"))
}

fn problem(place: &str, what: &str) -> Vec<Problem> {
    vec![Problem {
        place: place.into(),
        what: what.into(),
    }]
}

/// What is said where the server asks for a password and there is none.
const PASSWORD_WANTED: &str = "the server asks for a password and none is given: give one in the \
    address (postgres://user:password@host/name), in PGPASSWORD, in ~/.pgpass or the file of \
    PGPASSFILE (which nobody else may read: 0600), in a service (PGSERVICE), or in the file of \
    PGSIEVE_UPSTREAM_PASSWORD_FILE";
