//! What `check` and `repair` see of a database: its catalog, read once. The statements that are
//! checked are never sent there.

use std::env;
use std::fmt;
use std::sync::Arc;

use tokio::runtime;

use crate::catalog::Catalog;
use crate::config::sources::{FlagValue, SettingsSources};
use crate::config::{self, DatabaseSettings, SettingsProblem};
use crate::doctor::{ExamineError, login_roles};
use crate::grounding::CatalogDetails;
use crate::lint::DatabaseFacts;
use crate::offline::script_session::ScriptSession;
use crate::upstream::account::{OwnSessionError, UpstreamAccount};
use crate::upstream::catalog_cache::catalog_account::CatalogAccounts;
use crate::upstream::connect::Upstream;
use crate::upstream::snapshot;

/// A database that was looked into.
pub struct DatabaseVisit {
    /// The session that the input stands for.
    pub script: ScriptSession,
    /// The way there.
    pub upstream: Arc<Upstream>,
    /// Who looked.
    pub account: UpstreamAccount,
    /// Its name.
    pub database: String,
    /// Who logs in for it at pgsieve.
    pub user: String,
}

/// A database as it was seen.
pub struct SeenDatabase {
    /// What it contains.
    pub catalog: Catalog,
    /// The way there.
    pub upstream: Upstream,
    /// Who looked.
    pub account: UpstreamAccount,
    /// Its name.
    pub database: String,
}

/// Connects, reads the catalog and goes away again; waits for it.
///
/// # Errors
/// Each thing that is wrong, with its place: the URL, the login, or the catalog, which was not
/// understood.
pub fn read_database_blocking(url: &str) -> Result<SeenDatabase, Vec<SettingsProblem>> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| unread(&error.kind()))?;
    runtime.block_on(read_database(url))
}

/// The names of the databases of that server.
///
/// # Errors
/// The URL is wrong, or the server does not let the user in or does not answer.
pub fn databases(url: &str) -> Result<Vec<String>, Vec<SettingsProblem>> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| unread(&error.kind()))?;
    let way = way(url)?;
    let looked = login_roles::load_server_names(&way.upstream, &way.account, &way.database);
    let named = runtime.block_on(looked).map_err(|error| unread(&error))?;
    Ok(named.databases)
}

/// The same within a runtime.
///
/// # Errors
/// Each thing that is wrong, with its place: the URL, the login, or the catalog, which was not
/// understood.
pub async fn read_database(url: &str) -> Result<SeenDatabase, Vec<SettingsProblem>> {
    let found = of_url(url)?;
    let account = CatalogAccounts::new(found.account.clone()).current();
    let DatabaseLogin {
        upstream,
        account,
        database,
    } = login_of(found, account)?;
    let catalog = read(&upstream, &account, &database).await?;
    Ok(SeenDatabase {
        catalog,
        upstream,
        account,
        database,
    })
}

/// What is told of a database that was looked into, beside its catalog.
///
/// # Errors
/// The database cannot be reached or read.
pub async fn read_details(
    login: &DatabaseLogin,
    with_statistics: bool,
) -> Result<CatalogDetails, Vec<SettingsProblem>> {
    let connected = snapshot::connect(&login.upstream, &login.account, &login.database).await;
    let (client, _task) = connected.map_err(|error| refused(&error))?;
    let loaded = snapshot::load_details(&client, with_statistics).await;
    loaded.map_err(|error| unread(&error))
}

/// What lints know of the database of a URL, beside its catalog; waits for it.
///
/// # Errors
/// The database cannot be reached or read.
pub fn read_lint_facts_blocking(url: &str) -> Result<DatabaseFacts, Vec<SettingsProblem>> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| unread(&error.kind()))?;
    runtime.block_on(read_lint_facts(&way(url)?))
}

/// The same of a database that was looked into.
///
/// # Errors
/// The database cannot be reached or read.
pub async fn read_lint_facts(login: &DatabaseLogin) -> Result<DatabaseFacts, Vec<SettingsProblem>> {
    let connected = snapshot::connect(&login.upstream, &login.account, &login.database).await;
    let (client, _task) = connected.map_err(|error| refused(&error))?;
    let loaded = snapshot::load_lint_facts(&client).await;
    loaded.map_err(|error| unread(&error))
}

/// The way to a database.
pub struct DatabaseLogin {
    /// The way.
    pub upstream: Upstream,
    /// Who logs in.
    pub account: UpstreamAccount,
    /// Its name.
    pub database: String,
}

/// The way to the database of a URL, for the user whom it names.
///
/// # Errors
/// Each thing that is wrong, with its place in the URL and what it leaves to the environment.
pub fn way(url: &str) -> Result<DatabaseLogin, Vec<SettingsProblem>> {
    let found = of_url(url)?;
    let account = UpstreamAccount::of(&found.upstream);
    login_of(found, account)
}

fn of_url(url: &str) -> Result<DatabaseSettings, Vec<SettingsProblem>> {
    config::database(&SettingsSources {
        variables: variables(),
        flags: vec![FlagValue {
            path: "upstream.url",
            name: "--upstream",
            value: url.to_owned(),
        }],
        ..SettingsSources::default()
    })
}

fn login_of(
    found: DatabaseSettings,
    account: Option<UpstreamAccount>,
) -> Result<DatabaseLogin, Vec<SettingsProblem>> {
    let Some(account) = account else {
        return Err(problem(
            "--upstream",
            "names no user: postgres://user@host/name",
        ));
    };
    let database = found.upstream.database.clone();
    let database = database.unwrap_or_else(|| account.user.clone());
    let upstream = Upstream::load(found.upstream).map_err(|error| unread(&error))?;
    Ok(DatabaseLogin {
        upstream,
        account,
        database,
    })
}

/// Why a database cannot be examined; where a password is missing, the ways to give one.
pub fn unexamined_by(why: &ExamineError) -> Vec<SettingsProblem> {
    match why {
        ExamineError::Connect(OwnSessionError::NoPassword) => unexamined(&PASSWORD_WANTED),
        why => unexamined(why),
    }
}

/// Why a database cannot be examined.
pub fn unexamined(why: &dyn fmt::Display) -> Vec<SettingsProblem> {
    problem(
        "--upstream",
        &format!("the database cannot be examined: {why}"),
    )
}

async fn read(
    upstream: &Upstream,
    account: &UpstreamAccount,
    database: &str,
) -> Result<Catalog, Vec<SettingsProblem>> {
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
fn refused(why: &OwnSessionError) -> Vec<SettingsProblem> {
    match why {
        OwnSessionError::NoPassword => unread(&PASSWORD_WANTED),
        why => unread(why),
    }
}

fn unread(why: &dyn fmt::Display) -> Vec<SettingsProblem> {
    problem("--upstream", &format!("the catalog cannot be read: {why}"))
}

fn problem(place: &str, what: &str) -> Vec<SettingsProblem> {
    vec![SettingsProblem {
        place: place.into(),
        what: what.into(),
    }]
}

/// What is said where the server asks for a password and there is none.
const PASSWORD_WANTED: &str = "the server asks for a password and none is given: give one in the \
    address (postgres://user:password@host/name), in PGPASSWORD, in ~/.pgpass or the file of \
    PGPASSFILE (which nobody else may read: 0600), in a service (PGSERVICE), or in the file of \
    PGSIEVE_UPSTREAM_PASSWORD_FILE";
