//! SHOW LISTS: how many there are of what.

use std::collections::BTreeSet;

use crate::session::console::table::ColumnType::{Int4, Text};
use crate::session::console::table::{ConsoleColumn, ConsoleTable, known};
use crate::session::console::views::{known_databases, pools, servers};
use crate::session::login::LoginContext;

const COLUMNS: &[ConsoleColumn] = &[ConsoleColumn("list", Text), ConsoleColumn("items", Int4)];

pub(super) fn table(login_context: &LoginContext) -> ConsoleTable {
    let mut users: BTreeSet<Box<str>> = BTreeSet::new();
    let mut clients = 0;
    login_context.session_registry.each(|_, member| {
        clients += 1;
        users.insert(member.info.user().into());
    });
    let mut table = ConsoleTable::of(COLUMNS);
    for (list, items) in [
        ("databases", known_databases(login_context).len()),
        ("users", users.len()),
        ("pools", pools::count(login_context)),
        ("used_clients", clients),
        ("used_servers", servers::count(login_context)),
    ] {
        table.add(vec![known(list), known(items)]);
    }
    table
}
