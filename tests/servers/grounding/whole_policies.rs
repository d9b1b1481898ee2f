//! Ways of hiding that change a whole policy, each with what it hides and what it shows.

use std::fs;
use std::sync::OnceLock;

use crate::support::command::pgsieve;
use crate::support::{ADMIN, Options, Stack};

const SCHEMA: &[&str] = &[
    "CREATE SCHEMA shop",
    "CREATE SCHEMA aside",
    "CREATE TABLE shop.listed (id int PRIMARY KEY, word text, mail text)",
    "CREATE TABLE shop.parrot_table (id int PRIMARY KEY, listed int REFERENCES shop.listed)",
    "CREATE TABLE aside.parrot_aside (id int)",
    "COMMENT ON COLUMN shop.listed.id IS 'as in parrot_table'",
    "CREATE TABLE shop.columns (id int, parrot_column text, CHECK (parrot_column <> ''))",
    "INSERT INTO shop.listed SELECT n, 'word', 'parrot@value' FROM generate_series(1, 100) n",
    "INSERT INTO shop.columns SELECT n, 'parrot value' FROM generate_series(1, 100) n",
    "ANALYZE",
];

/// A policy, and what it shows in spite of what it hides.
struct WholePolicy {
    name: &'static str,
    text: &'static str,
    shows: &'static str,
}

const LISTS: &str = "relations: {allow: [shop.listed]}\ncolumns: {deny: [\"*.*.mail\"]}";

const POLICIES: &[WholePolicy] = &[
    WholePolicy {
        name: "allowed_relations",
        text: LISTS,
        shows: "shop.listed",
    },
    WholePolicy {
        name: "allowed_by_pattern",
        text: "relations: {allow: [\"shop.l*\"]}\ncolumns: {mask: {mail: null}}",
        shows: "shop.listed",
    },
    WholePolicy {
        name: "allowed_columns",
        text: "relations: {allow: [shop.listed, shop.columns]}\n\
               columns: {allow: [shop.columns.id, shop.listed.id, shop.listed.word]}",
        shows: "shop.columns",
    },
    WholePolicy {
        name: "new_are_refused",
        text: "relations: {allow: [\"shop.*\"], new: refuse, known: [shop.listed]}\n\
               columns: {deny: [\"*.*.mail\"]}",
        shows: "shop.listed",
    },
    WholePolicy {
        name: "nothing_new_at_all",
        text: "relations: {new: refuse, known: [shop.listed]}\ncolumns: {deny: [shop.listed.mail]}",
        shows: "shop.listed",
    },
    WholePolicy {
        name: "masked_in_part",
        text: "relations: {allow: [shop.listed]}\ncolumns: {mask: {\"*.*.mail\": partial}}",
        shows: "mail",
    },
    WholePolicy {
        name: "masked_by_a_key",
        text: "relations: {allow: [shop.listed]}\ncolumns: {mask: {\"shop.*.m*\": hash}}",
        shows: "shop.listed",
    },
    WholePolicy {
        name: "masked_by_a_name_alone",
        text: "relations: {allow: [shop.listed]}\ncolumns: {mask: {mail: last(4)}}",
        shows: "mail",
    },
    // Models, masks and conditions are in force where all else is observed.
    WholePolicy {
        name: "observed_mask",
        text: "mode: observe\nrelations: {deny: [aside.*]}\nmodels:\n  \
               shop.parrot_table: {sql: SELECT 1 AS id}\ncolumns: {mask: {mail: partial}}",
        shows: "mail",
    },
];

fn database() -> &'static Stack {
    static SHARED: OnceLock<Stack> = OnceLock::new();
    SHARED.get_or_init(|| {
        let stack = Stack::start(Options::default());
        stack.prepare(SCHEMA);
        stack
    })
}

fn told(name: &str, policy: &str, format: &str) -> String {
    let stack = database();
    let file = stack.folder().join(format!("whole_{name}.yaml"));
    fs::write(&file, format!("name: {name}\nextends: agent\n{policy}\n")).unwrap();
    let (url, file) = (stack.direct_url(ADMIN), file.display().to_string());
    let asked = ["ground", "--upstream", &url, "--policy", &file];
    let how = ["--facets", "all", "--format", format];
    let output = pgsieve(&[&asked[..], &how].concat(), "");
    let both = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(both).unwrap();
    assert_eq!(output.status.code(), Some(0), "{name}: {text}");
    text
}

#[test]
fn what_lists_leave_out_and_masks_cover_is_in_no_format() {
    for WholePolicy { name, text, shows } in POLICIES {
        let is_observed = text.contains("mode: observe");
        for format in ["markdown", "m-schema", "ddl", "json"] {
            let told = told(name, text, format);
            let last = shows.rsplit('.').next().unwrap_or(shows);
            assert!(told.contains(last), "{name}, {format}: {told}");
            // What is only observed may be read: its names are told, and values that a mask or a
            // model takes away are not.
            let words: &[&str] = match is_observed {
                true => &["parrot@", "listed int"],
                false => &["parrot"],
            };
            for word in words {
                assert!(!told.contains(word), "{name}, {format}: {told}");
            }
        }
    }
}

#[test]
fn without_the_lists_all_of_it_is_told() {
    let told = told("plain", "", "json");
    for word in [
        "parrot_table",
        "parrot_aside",
        "as in parrot_table",
        "parrot_column",
        "parrot@value",
        "parrot value",
    ] {
        assert!(told.contains(word), "{word}: {told}");
    }
}
