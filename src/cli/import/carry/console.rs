//! `console`: whom PgBouncer's virtual database was for.

use super::ImportWork;
use crate::limits::console::USERS_MAX;
use crate::session::console::access::CONSOLE_DATABASE;

/// Writes it, where clients prove to pgsieve who they are.
pub fn carry(work: &mut ImportWork<'_>) {
    for (name, path) in [
        ("admin_users", "console.users"),
        ("stats_users", "console.stats_users"),
    ] {
        let names = work.configuration.text(name).split(',').map(str::trim);
        let names: Vec<String> = names
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect();
        if !names.is_empty() {
            users(work, (name, path), names);
        }
    }
    let configuration = work.configuration;
    let mut databases = configuration.databases.iter();
    let hidden = databases.find(|entry| entry.name == CONSOLE_DATABASE);
    if let Some(entry) = hidden
        && work.draft.has(&["console.users", "console.stats_users"])
    {
        let words = "with users of the console, its name is the console's: without them it leads \
                     to the database";
        let subject = format!("[databases] {CONSOLE_DATABASE}");
        let place = entry.place.to_string();
        work.draft.left_out(subject, &place, words);
    }
}

fn users(
    work: &mut ImportWork<'_>,
    (name, path): (&'static str, &'static str),
    mut names: Vec<String>,
) {
    let place = work.place(name);
    let is_proved = matches!(
        work.draft.given("client.auth.method"),
        Some("scram" | "auth_query" | "cert")
    );
    if !is_proved {
        let words = format!(
            "{path} names users who prove to pgsieve who they are: client.auth.method scram, \
             auth_query, cert or oidc"
        );
        work.draft.left_out(name, &place, words);
        return;
    }
    if names.len() > USERS_MAX {
        names.truncate(USERS_MAX);
        let words = format!("at most {USERS_MAX} names: those behind them are not there");
        work.draft.left_out(name, &place, words);
    }
    let known = work.draft.user_names();
    // Of those who are in the database nothing is known here.
    let are_listed = work.draft.given("client.auth.method") != Some("auth_query");
    let unknown: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| are_listed && !known.contains(name))
        .collect();
    if !unknown.is_empty() {
        let words = format!(
            "nobody can log in to the console under a name that client.auth.users has not: {}",
            unknown.join(", ")
        );
        work.draft.left_out(name, &place, words);
    }
    let words = "the console is the database pgsieve, not pgbouncer";
    work.draft.differs(name, &place, words);
    work.draft.words(path, names);
}
