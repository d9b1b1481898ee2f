//! `auth_query`: PgBouncer asks the database for the secrets of users that are not listed, by a
//! statement. pgsieve asks a function, and takes no other statement.

use super::ImportWork;
use super::target::ChosenTarget;
use crate::auth::function_name::FunctionName;
use crate::cli::import::configuration::ConnectionEntry;

/// Who asks, and where.
pub struct BouncerQuery<'w> {
    user: &'w str,
    statement: &'w str,
    database: Option<&'w str>,
}

impl<'w> BouncerQuery<'w> {
    /// The one that all databases have; nothing where nobody asks, or each another one.
    pub fn of(work: &ImportWork<'w>, target: &ChosenTarget<'w>) -> Option<Self> {
        let configuration = work.configuration;
        let of_all = |name: &str| {
            let own = |entry: &'w ConnectionEntry| entry.text(name);
            let given = configuration.text(name);
            let mut words = target
                .entries
                .iter()
                .map(|entry| own(entry).unwrap_or(given));
            let first = words.next().unwrap_or(given);
            words.all(|word| word == first).then_some(first)
        };
        let user = of_all("auth_user").filter(|user| !user.is_empty())?;
        let database = of_all("auth_dbname")?;
        Some(Self {
            user,
            statement: of_all("auth_query")?,
            database: (!database.is_empty()).then_some(database),
        })
    }

    /// Whether clients may be led to the server as they are led there: the user that all of them
    /// are, if there is one, must not be the one that asks.
    pub fn fits(&self, target: &ChosenTarget<'_>) -> bool {
        target.user.is_none_or(|(user, _)| user != self.user)
    }

    /// Writes what becomes of it.
    pub fn carry(&self, work: &mut ImportWork<'_>, target: &ChosenTarget<'_>) {
        let place = work.place("auth_user");
        let draft = &mut work.draft;
        draft.word("client.auth.method", "auth_query", "");
        draft.word("client.auth.query.user", self.user, "");
        if let Some(database) = self.database {
            draft.word("client.auth.query.database", database, "");
        }
        if target.user.is_some() {
            draft.word("client.auth.query.upstream_user", "url", "");
        }
        let words = match function_in(self.statement) {
            Some(function) => {
                draft.word("client.auth.query.function", function.to_string(), "");
                "the function is called as PgBouncer calls it, in one database for all \
                 (client.auth.query.database; else that of the server's URL); only SCRAM verifiers \
                 let anybody in. `pgsieve doctor --config FILE` says whether it can be"
            }
            None => {
                "pgsieve calls a function and takes no other statement: have a superuser run what \
                 `pgsieve doctor --config FILE --sql` prints; only SCRAM verifiers let anybody in"
            }
        };
        draft.decide("auth_query", &place, words);
        let kept = work.listed_password(self.user);
        let kept = kept.and_then(|password| {
            let name = format!("{}.password", self.user);
            work.secrets.keep(&name, password)
        });
        let place = work.place("auth_file");
        match kept {
            Some(path) => work.draft.word("client.auth.query.password_file", path, ""),
            None => {
                let words = format!(
                    "give client.auth.query.password_file, unless the server lets {} in without a \
                     password",
                    self.user
                );
                work.draft.decide("auth_file: auth_user", &place, words);
            }
        }
        let others = match &work.listed {
            Some(Ok(listed)) => listed.users.iter().any(|user| user.name != self.user),
            Some(Err(_)) | None => false,
        };
        if others {
            let words = "users of the file are let in by the password that the database has of \
                         them, as all others";
            work.draft.differs("auth_file", &place, words);
        }
    }
}

/// The function of a statement that calls one and does nothing else: `SELECT … FROM s.name($1)`.
fn function_in(statement: &str) -> Option<FunctionName> {
    let lower = statement.to_ascii_lowercase();
    let at = lower.find(FROM)?;
    let called = statement.get(at.checked_add(FROM.len())?..)?.trim();
    let called = called.trim_end_matches(';').trim_end();
    let name = called.strip_suffix(')')?.trim_end().strip_suffix("$1")?;
    let name = name.trim_end().strip_suffix('(')?.trim_end();
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_.".contains(c);
    let folded = name.to_ascii_lowercase();
    FunctionName::parse(&folded).filter(|_| folded.chars().all(is_plain))
}

const FROM: &str = " from ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_call_of_one_function_is_one() {
        for (statement, wanted) in [
            (
                "SELECT username, password FROM bouncer.get_auth($1)",
                Some("bouncer.get_auth"),
            ),
            (
                "select * from Public.User_Search( $1 ) ;",
                Some("public.user_search"),
            ),
            (
                "SELECT usename, passwd FROM pg_shadow WHERE usename=$1",
                None,
            ),
            ("SELECT a, b FROM get_auth($1)", None),
            ("SELECT a, b FROM s.f($1) WHERE a <> 'x'", None),
            ("SELECT a, b FROM s.f($1), s.g($1)", None),
            ("SELECT a, b FROM \"S\".f($1)", None),
            ("SELECT 1", None),
            ("", None),
        ] {
            let found = function_in(statement).map(|found| found.to_string());
            assert_eq!(found.as_deref(), wanted, "{statement}");
        }
    }
}
