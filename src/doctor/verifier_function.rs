//! The function that tells pgsieve the verifiers of users: whether it can be asked, and whether
//! anybody else can; and the SQL that makes it. Printed, never run.
//!
//! It runs with the rights of a superuser, because nobody else reads `pg_authid`: it names all that
//! it uses with its schema, has a search_path of its own, and tells nothing of superusers, of roles
//! that may not log in or whose password has ended, and no hash that would log in by itself.

use tokio::time::timeout;
use tokio_postgres::Client;
use tokio_postgres::types::Type;

use super::check;
use super::check::FindingSeverity;
use super::finding::{DoctorFindings, Finding, FixScope};
use super::sql_names::{qualified, sql_name};
use crate::auth::function_name::FunctionName;
use crate::limits;
use crate::upstream::account::UpstreamAccount;
use crate::upstream::connect::Upstream;
use crate::upstream::snapshot;
use crate::upstream::verifier_lookup::{LookupAnswer, lookup};

/// Which function, where, and who calls it.
#[derive(Debug, Clone)]
pub struct VerifierFunction {
    /// Its name.
    pub function: FunctionName,
    /// Who calls it.
    pub account: UpstreamAccount,
    /// The database that has it.
    pub database: String,
}

/// What the catalogs say of it.
struct FunctionRights {
    is_public: bool,
}

/// Asks for the caller itself, and looks who else may.
///
/// May be cancelled: the connection is dropped.
pub async fn examine(upstream: &Upstream, examined: &VerifierFunction) -> Vec<Finding> {
    let mut findings = DoctorFindings::default();
    let looked = timeout(
        limits::EXAMINATION_TIME_MAX,
        look(upstream, examined, &mut findings),
    );
    if let Err(failure) = looked
        .await
        .unwrap_or_else(|_elapsed| Err("no answer in time".into()))
    {
        findings.names(
            check::LOOKUP_FUNCTION,
            FindingSeverity::Warning,
            vec![failure],
        );
    }
    findings.findings
}

async fn look(
    upstream: &Upstream,
    examined: &VerifierFunction,
    findings: &mut DoctorFindings,
) -> Result<(), String> {
    let (account, database) = (&examined.account, &examined.database);
    let connected = snapshot::connect(upstream, account, database).await;
    let (client, _task) = connected.map_err(|error| {
        format!(
            "as {} in {}: {error}",
            sql_name(&account.user),
            sql_name(database)
        )
    })?;
    let (function, role) = (&examined.function, &account.user);
    let name = qualified(function.schema(), function.name());
    let told = lookup(&client, function, role).await;
    let told = told.map_err(|failure| format!("{name}: {failure}"))?;
    match told {
        LookupAnswer::Verifier(_) | LookupAnswer::Unusable(_) => {
            findings.ok(check::LOOKUP_FUNCTION);
        }
        // Where it is a superuser, or has no password, that is as it should be.
        LookupAnswer::Nobody => {
            let names = vec![format!("{name} has no verifier of {}", sql_name(role))];
            findings.names(check::LOOKUP_FUNCTION, FindingSeverity::Note, names);
        }
    }
    let rights = rights(&client, function).await;
    match rights {
        Some(FunctionRights { is_public: true }) => {
            let names = vec![name.clone()];
            findings.names(check::LOOKUP_PUBLIC, FindingSeverity::Danger, names);
            let revoke = format!("REVOKE ALL ON FUNCTION {name} FROM PUBLIC");
            findings.add_fix(FixScope::Choice, revoke);
        }
        Some(FunctionRights { is_public: false }) => findings.ok(check::LOOKUP_PUBLIC),
        None => findings.unseen(check::LOOKUP_PUBLIC),
    }
    Ok(())
}

async fn rights(client: &Client, function: &FunctionName) -> Option<FunctionRights> {
    let named = [
        (function.schema(), Type::TEXT),
        (function.name(), Type::TEXT),
    ];
    let [schema, name] = &named;
    let row = client
        .query_typed(
            RIGHTS,
            &[(&schema.0, schema.1.clone()), (&name.0, name.1.clone())],
        )
        .await;
    let row = row.ok()?;
    let is_public = row.first()?.try_get(0).ok()?;
    Some(FunctionRights { is_public })
}

impl VerifierFunction {
    /// What makes it, in order, for a role that calls it. For a superuser, in its database.
    pub fn statements(&self, caller: &str) -> Vec<String> {
        let (schema, caller) = (sql_name(self.function.schema()), sql_name(caller));
        let name = qualified(self.function.schema(), self.function.name());
        vec![
            format!("CREATE SCHEMA IF NOT EXISTS {schema}"),
            format!(
                "CREATE OR REPLACE FUNCTION {name}(username text, OUT usename text, OUT passwd \
                 text)\n  RETURNS SETOF record\n  LANGUAGE sql STABLE STRICT SECURITY \
                 DEFINER\n  SET search_path TO pg_catalog, pg_temp\nAS $${BODY}$$"
            ),
            format!("REVOKE ALL ON FUNCTION {name}(text) FROM PUBLIC"),
            format!("GRANT USAGE ON SCHEMA {schema} TO {caller}"),
            format!("GRANT EXECUTE ON FUNCTION {name}(text) TO {caller}"),
        ]
    }
}

/// Of an MD5 hash its first letters say what it is; more of it would log in.
const BODY: &str = "
  SELECT a.rolname::pg_catalog.text,
         CASE WHEN a.rolpassword LIKE 'SCRAM-SHA-256$%' THEN a.rolpassword
              ELSE pg_catalog.left(a.rolpassword, 3) END
    FROM pg_catalog.pg_authid a
   WHERE a.rolname = $1
     AND a.rolcanlogin
     AND NOT a.rolsuper
     AND (a.rolvaliduntil IS NULL OR a.rolvaliduntil > pg_catalog.now())
";

const RIGHTS: &str = "SELECT pg_catalog.bool_or(EXISTS ( \
    SELECT FROM pg_catalog.aclexplode( \
      coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) a \
     WHERE a.grantee = 0 AND a.privilege_type = 'EXECUTE')) \
    FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace \
   WHERE n.nspname = $1 AND p.proname = $2";
