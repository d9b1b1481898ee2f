//! The console, the virtual database for whoever runs pgsieve.

mod access;
mod acts;
mod modes;
mod shows;

use pgsieve::wire::backend::row_description;

use crate::settings::reload::{Rig, folder, verifier, with_users, write};
use crate::support::raw::{Frame, Login, rows, values};
use crate::support::{APP, RawClient};

/// A pgsieve whose clients share so many connections, with a console for `ann` alone, which `eve`
/// may look at, and not `ben`.
fn rig(size: usize) -> Rig {
    rig_with(
        &format!("pool: {{mode: transaction, size: {size}}}\n"),
        CONSOLE,
    )
}

fn rig_with(settings: &str, console: &str) -> Rig {
    let folder = folder();
    write(&folder, "app", APP);
    let user = |name: &str| {
        write(&folder, name, &verifier(name));
        format!(
            "      - {{name: {name}, verifier_file: '{{own}}/{name}', upstream_user: {APP}, \
             upstream_password_file: '{{own}}/app'}}\n"
        )
    };
    let users = ["ann", "ben", "eve"].map(user).concat();
    let text = format!(
        "{}policy: {{file: bi}}\n{settings}{console}",
        with_users(&users)
    );
    Rig::start(folder, &text)
}

const CONSOLE: &str = "console: {users: [ann], stats_users: [eve]}\n";

/// A client of the console.
fn console(rig: &Rig, user: &str) -> RawClient {
    console_login(rig, user, user).unwrap_or_else(|error| panic!("{error:?}"))
}

fn console_login(rig: &Rig, user: &str, password: &str) -> Result<RawClient, Frame> {
    let login = Login {
        user,
        password,
        database: "pgsieve",
        parameters: &[("application_name", "watcher")],
    };
    RawClient::try_login(rig.stack.proxied_address(), &login)
}

/// A client of the database, who calls itself so.
fn client(rig: &Rig) -> RawClient {
    rig.login("ben", "ben").unwrap()
}

/// The names of the columns of an answer, with their types.
fn columns(answer: &[Frame]) -> Vec<(String, u32)> {
    let described = answer.iter().find(|frame| frame.kind == b'T');
    let described = described.unwrap_or_else(|| panic!("no rows: {answer:?}"));
    let columns = row_description(&described.body).unwrap();
    let named = columns
        .iter()
        .map(|column| (column.name.to_owned(), column.type_oid));
    named.collect()
}

/// The values of one column in the rows in which others have these values.
fn column(answer: &[Frame], wanted: &str, others: &[(&str, &str)]) -> Vec<String> {
    let columns = columns(answer);
    let at = |name: &str| {
        let mut named = columns.iter();
        let place = named.position(|(known, _)| known == name);
        place.unwrap_or_else(|| panic!("{name} in {columns:?}"))
    };
    let fits = |row: &Vec<String>| others.iter().all(|(name, value)| row[at(name)] == *value);
    let rows = values(answer).into_iter().filter(fits);
    rows.map(|row| row[at(wanted)].clone()).collect()
}

/// What a client hears of a command: its tag, or its SQLSTATE.
fn heard(client: &mut RawClient, command: &str) -> String {
    let answer = client.query(command);
    outcome(&answer)
}

fn outcome(answer: &[Frame]) -> String {
    let told = answer
        .iter()
        .find(|frame| matches!(frame.kind, b'C' | b'E'));
    match told {
        Some(frame) if frame.kind == b'E' => frame.sqlstate(),
        Some(frame) => String::from_utf8_lossy(&frame.body)
            .trim_end_matches('\0')
            .to_owned(),
        None => String::new(),
    }
}

/// Sessions of clients at the database, by their process ids, asked past pgsieve.
fn backends(rig: &Rig) -> Vec<String> {
    let login = rig.stack.login(crate::support::ADMIN);
    let mut direct = RawClient::login(rig.stack.direct_address(), &login);
    let asked = format!(
        "SELECT pid FROM pg_stat_activity WHERE datname = '{}' AND usename = '{APP}' AND \
         application_name NOT LIKE 'pgsieve%' ORDER BY pid",
        rig.stack.database()
    );
    rows(&direct.query(&asked))
}

/// Whether the console says that the database is paused.
fn is_paused(rig: &Rig, console: &mut RawClient) -> bool {
    let answer = console.query("SHOW DATABASES");
    column(&answer, "paused", &[("name", rig.stack.database())]) == ["1"]
}
