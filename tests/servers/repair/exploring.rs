//! Statements by which other systems tell what there is, on the wire: in both protocols, inside and
//! outside of transaction blocks, and by the rows that come back.

use crate::support::raw::{Frame, kinds};
use crate::support::{Options, READER, RawClient, Stack, frames, until};

const TABLES: &[&str] = &[
    "CREATE SCHEMA depot",
    "CREATE TABLE depot.makers (id int PRIMARY KEY, name varchar(30) NOT NULL)",
    "CREATE TABLE depot.parts (id int PRIMARY KEY, maker_id int REFERENCES depot.makers, \
     price numeric(8,2) DEFAULT 1)",
    "GRANT USAGE ON SCHEMA depot TO reader",
    "GRANT SELECT ON depot.makers, depot.parts TO reader",
];

/// Statements, and the first column of their rows.
const CASES: &[(&str, &[&str])] = &[
    ("SHOW TABLES FROM depot", &["makers", "parts"]),
    ("SHOW TABLES LIKE 'depot%'", &[]),
    ("SHOW TABLES LIKE 'mak%'", &["depot.makers"]),
    ("DESCRIBE depot.parts", &["id", "maker_id", "price"]),
    (
        "SHOW COLUMNS FROM parts FROM depot LIKE '%id'",
        &["id", "maker_id"],
    ),
    ("SHOW INDEX FROM depot.parts", &["parts"]),
    ("PRAGMA table_info('depot.makers')", &["0", "1"]),
    ("PRAGMA foreign_key_list('depot.parts')", &["0"]),
    (
        "EXEC sp_columns @table_name = 'makers', @table_owner = 'depot'",
        &["=", "="],
    ),
    ("\\dt depot.*", &["depot", "depot"]),
    ("\\d depot.makers", &["id", "name"]),
    (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'depot.%' ORDER BY 1",
        &["depot.makers", "depot.parts"],
    ),
    (
        "SELECT t.name FROM sys.tables t JOIN sys.schemas s ON s.schema_id = t.schema_id \
         WHERE s.name = 'depot' ORDER BY 1",
        &["makers", "parts"],
    ),
    (
        "SELECT c.name, TYPE_NAME(c.user_type_id) FROM sys.columns c WHERE c.object_id = \
         OBJECT_ID('depot.makers') ORDER BY c.column_id",
        &["id", "name"],
    ),
    (
        "SELECT column_name FROM all_tab_columns WHERE owner = 'DEPOT' AND table_name = 'MAKERS' \
         ORDER BY column_id",
        &["id", "name"],
    ),
    (
        "SELECT table_name FROM `depot.INFORMATION_SCHEMA.TABLES` ORDER BY 1",
        &["makers", "parts"],
    ),
    ("```sql\nSHOW TABLES FROM depot;\n```", &["makers", "parts"]),
    ("```\nSHOW TABLES LIKE 'mak%'\n```", &["depot.makers"]),
    ("SHOW COLUMNS FROM `depot`.`makers`", &["id", "name"]),
    (
        "SELECT [name] FROM [sys].[columns] WHERE [object_id] = OBJECT_ID('depot.makers') \
         ORDER BY column_id",
        &["id", "name"],
    ),
    (
        "SELECT TOP 1 t.name FROM sys.tables t WHERE SCHEMA_NAME(t.schema_id) = 'depot' \
         ORDER BY t.name",
        &["makers"],
    ),
    (
        "SELECT name FROM sqlite_master WHERE type=\"table\" AND name LIKE 'depot.m%'",
        &["depot.makers"],
    ),
    (
        "SELECT COLUMN_NAME FROM [INFORMATION_SCHEMA].[COLUMNS] WHERE TABLE_NAME = 'makers' \
         ORDER BY ORDINAL_POSITION",
        &["id", "name"],
    ),
    (
        "SELECT `column_type` FROM `information_schema`.`columns` WHERE table_name = 'makers' \
         ORDER BY ordinal_position",
        &["integer", "character varying(30)"],
    ),
    (
        "SELECT column_key FROM information_schema.columns WHERE table_name = 'makers' \
         ORDER BY ordinal_position",
        &["PRI", ""],
    ),
    (
        "SELECT table_name, table_comment FROM information_schema.tables WHERE table_schema = \
         'depot' AND table_name = 'makers'",
        &["makers"],
    ),
    (
        "SELECT REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME FROM \
         INFORMATION_SCHEMA.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = 'depot' AND TABLE_NAME = 'parts' \
         AND REFERENCED_TABLE_NAME IS NOT NULL",
        &["makers"],
    ),
    (
        "SELECT column_name FROM all_tab_columns WHERE table_name = UPPER('makers') \
         ORDER BY column_id",
        &["id", "name"],
    ),
    (
        "SELECT p.name FROM pragma_table_info('depot.makers') p ORDER BY p.cid",
        &["id", "name"],
    ),
];

fn stack() -> Stack {
    let stack = Stack::start(Options::default());
    stack.prepare(TABLES);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    until(|| {
        let answer = client.query("DESCRIBE depot.parts");
        kinds(&answer).contains('D').then_some(())
    })
    .expect("the catalog is known");
    stack
}

/// The first column of the rows of an answer.
fn first_column(answer: &[Frame], text: &str) -> Vec<String> {
    let error = answer.iter().find(|frame| frame.kind == b'E');
    assert!(error.is_none(), "{text}: {error:?}");
    let rows = answer.iter().filter(|frame| frame.kind == b'D');
    rows.map(|row| {
        let length = i32::from_be_bytes(row.body[2..6].try_into().unwrap());
        let end = 6 + usize::try_from(length).unwrap();
        String::from_utf8(row.body[6..end].to_vec()).unwrap()
    })
    .collect()
}

#[test]
fn what_there_is_is_told_in_every_way() {
    let stack = stack();
    for block in [false, true] {
        for extended in [false, true] {
            let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
            if block {
                client.query("BEGIN");
            }
            for (text, wanted) in CASES {
                let answer = match extended {
                    false => client.query(text),
                    true => {
                        client.send(&frames::extended(text, &[], false));
                        client.until_ready()
                    }
                };
                let found = first_column(&answer, text);
                match wanted.first() {
                    Some(&"=") => assert_eq!(found.len(), wanted.len(), "{text}"),
                    _ => assert_eq!(found, *wanted, "{text}"),
                }
            }
            let answer = match extended {
                false => client.query("SHOW TABLES"),
                true => {
                    client.send(&frames::extended("SHOW TABLES", &[], false));
                    client.until_ready()
                }
            };
            let found = first_column(&answer, "SHOW TABLES");
            assert!(found.contains(&"depot.parts".to_owned()), "{found:?}");
        }
    }
}

#[test]
fn an_ordinary_show_is_left_alone() {
    let stack = stack();
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    assert_eq!(kinds(&client.query("SHOW server_version")), "TDCZ");
    let answer = client.query("SHOW no_such_setting");
    assert_eq!(answer[0].sqlstate(), "42704");
    client.query("BEGIN");
    let answer = client.query("DESCRIBE no_such_table");
    assert_eq!(answer[0].sqlstate(), "42601");
    assert_eq!(kinds(&client.query("SHOW TABLES")), "EZ");
}
