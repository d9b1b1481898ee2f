//! Each way in which a policy, a role's rights or row security hide something: it is in no facet,
//! format or budget, and it is told as soon as the hiding is taken away.

use std::fs;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::support::command::pgsieve;
use crate::support::{ADMIN, READER, Stack};

/// Something with a canary in it.
struct HidingCase {
    /// The word that must not be told.
    canary: &'static str,
    /// What makes it.
    setup: &'static [&'static str],
    hidden_by: HiddenBy,
}

enum HiddenBy {
    /// An entry in this section of the policy.
    Entry(&'static str, &'static str),
    /// The rights of the reader; the administrator has them.
    Rights,
}

use HiddenBy::{Entry, Rights};

const CASES: &[HidingCase] = &[
    HidingCase {
        canary: "canary_exact",
        setup: &["CREATE TABLE shop.canary_exact (id int)"],
        hidden_by: Entry("relations.deny", "shop.canary_exact"),
    },
    HidingCase {
        canary: "canary_pattern",
        setup: &["CREATE TABLE shop.canary_pattern_1 (id int)"],
        hidden_by: Entry("relations.deny", "\"shop.canary_pattern*\""),
    },
    HidingCase {
        canary: "canary_whole_schema",
        setup: &[
            "CREATE SCHEMA canary_whole_schema",
            "CREATE TABLE canary_whole_schema.x (id int)",
            "CREATE TYPE canary_whole_schema.mood AS ENUM ('fine')",
            "CREATE TABLE shop.moods (mood canary_whole_schema.mood, all_of canary_whole_schema.mood[])",
        ],
        hidden_by: Entry("relations.deny", "\"canary_whole_schema.*\""),
    },
    HidingCase {
        canary: "canary_marker",
        setup: &[
            "CREATE TABLE shop.canary_named (id int)",
            "CREATE TABLE shop.commented (id int)",
            "COMMENT ON TABLE shop.commented IS 'canary_marker, beside CANARY_NAMED'",
        ],
        hidden_by: Entry("relations.deny", "shop.canary_named"),
    },
    HidingCase {
        canary: "canary_of_function",
        setup: &[
            "CREATE FUNCTION shop.canary_denied_call(int) RETURNS int LANGUAGE sql IMMUTABLE \
             AS 'SELECT $1'",
            "CREATE TABLE shop.called (id int)",
            "COMMENT ON COLUMN shop.called.id IS 'canary_of_function canary_denied_call'",
        ],
        hidden_by: Entry("functions.deny", "shop.canary_denied_call(integer)"),
    },
    HidingCase {
        canary: "canary_row_type",
        setup: &[
            "CREATE TABLE shop.canary_row_type (id int)",
            "CREATE TABLE shop.with_row (id int, part shop.canary_row_type, parts shop.canary_row_type[])",
            "CREATE FUNCTION shop.of_row(shop.canary_row_type) RETURNS int LANGUAGE sql IMMUTABLE \
             AS 'SELECT 1'",
        ],
        hidden_by: Entry("relations.deny", "shop.canary_row_type"),
    },
    HidingCase {
        canary: "canary_far_key",
        setup: &[
            "CREATE TABLE shop.canary_far_key (id int PRIMARY KEY)",
            "CREATE TABLE shop.with_key (id int PRIMARY KEY, far int REFERENCES shop.canary_far_key)",
        ],
        hidden_by: Entry("relations.deny", "shop.canary_far_key"),
    },
    HidingCase {
        canary: "canary_column",
        setup: &[
            "CREATE TABLE shop.columns (id int, canary_column text, UNIQUE (id, canary_column))",
            "CREATE INDEX canary_column_index ON shop.columns (canary_column)",
            "COMMENT ON COLUMN shop.columns.id IS 'not canary_column'",
        ],
        hidden_by: Entry("columns.deny", "shop.columns.canary_column"),
    },
    HidingCase {
        canary: "canary_label",
        setup: &[
            "CREATE TYPE shop.kind AS ENUM ('canary_label')",
            "CREATE TABLE shop.kinds (id int, kind_of_it shop.kind)",
        ],
        hidden_by: Entry("columns.deny", "\"*.*.kind_of_*\""),
    },
    HidingCase {
        canary: "canary_value",
        setup: &[
            "CREATE TABLE shop.valued (id int, worth text)",
            "INSERT INTO shop.valued SELECT n, 'canary_value' FROM generate_series(1, 100) n",
        ],
        hidden_by: Entry("columns.deny", "shop.valued.worth"),
    },
    HidingCase {
        canary: "canary_null_mask",
        setup: &[
            "CREATE TABLE shop.masked (id int, motto text)",
            "INSERT INTO shop.masked SELECT n, 'canary_null_mask' FROM generate_series(1, 100) n",
        ],
        hidden_by: Entry("columns.mask", "shop.masked.motto: null"),
    },
    HidingCase {
        canary: "canary_short_mask",
        setup: &[
            "CREATE TABLE shop.shortened (id int, phone text)",
            "INSERT INTO shop.shortened SELECT n, 'canary_short_mask' FROM generate_series(1, 100) n",
        ],
        hidden_by: Entry("columns.mask", "shop.shortened.phone: last(2)"),
    },
    HidingCase {
        canary: "canary_row_value",
        setup: &[
            "CREATE TABLE shop.regions (id int, region text)",
            "INSERT INTO shop.regions SELECT n, 'canary_row_value' FROM generate_series(1, 100) n",
        ],
        hidden_by: Entry("rows", "shop.regions: \"region = 'eu'\""),
    },
    HidingCase {
        canary: "canary_not_given",
        setup: &["CREATE TABLE shop.covered (id int, canary_not_given text)"],
        hidden_by: Entry("models", "shop.covered: {sql: SELECT id FROM shop.covered}"),
    },
    HidingCase {
        canary: "canary_in_model",
        setup: &[
            "CREATE TABLE shop.changed (id int, word text)",
            "INSERT INTO shop.changed SELECT n, 'canary_in_model' FROM generate_series(1, 100) n",
        ],
        hidden_by: Entry(
            "models",
            "shop.changed: {sql: \"SELECT id, left(word, 3) AS word FROM shop.changed\"}",
        ),
    },
    HidingCase {
        canary: "canary_schema_right",
        setup: &[
            "CREATE SCHEMA canary_schema_right",
            "CREATE TABLE canary_schema_right.x (id int)",
            "GRANT SELECT ON canary_schema_right.x TO PUBLIC",
        ],
        hidden_by: Rights,
    },
    HidingCase {
        canary: "canary_type_right",
        setup: &[
            "CREATE SCHEMA canary_type_right",
            "CREATE TYPE canary_type_right.mood AS ENUM ('fine')",
            "CREATE DOMAIN canary_type_right.worded AS text",
            "CREATE TABLE shop.typed (a canary_type_right.mood, b canary_type_right.worded)",
        ],
        hidden_by: Rights,
    },
    HidingCase {
        canary: "canary_table_right",
        setup: &[
            "CREATE TABLE shop.canary_table_right (id int)",
            "REVOKE ALL ON shop.canary_table_right FROM PUBLIC",
        ],
        hidden_by: Rights,
    },
    HidingCase {
        canary: "canary_column_right",
        setup: &["CREATE TABLE shop.some_columns (id int, canary_column_right text)"],
        hidden_by: Rights,
    },
    HidingCase {
        canary: "canary_function_right",
        setup: &[
            "CREATE FUNCTION shop.canary_function_right(int) RETURNS int LANGUAGE sql IMMUTABLE \
             AS 'SELECT $1'",
            "REVOKE ALL ON FUNCTION shop.canary_function_right(int) FROM PUBLIC",
        ],
        hidden_by: Rights,
    },
    HidingCase {
        canary: "canary_row_security",
        setup: &[
            "CREATE TABLE shop.secured (id int, note text)",
            "INSERT INTO shop.secured SELECT n, 'canary_row_security' FROM generate_series(2, 99) n",
            "ALTER TABLE shop.secured ENABLE ROW LEVEL SECURITY",
            "CREATE POLICY own ON shop.secured USING (id = 1)",
        ],
        hidden_by: Rights,
    },
    HidingCase {
        canary: "canary_no_policy",
        setup: &[
            "CREATE TABLE shop.closed (id int, note text)",
            "INSERT INTO shop.closed SELECT n, 'canary_no_policy' FROM generate_series(1, 4321) n",
            "ALTER TABLE shop.closed ENABLE ROW LEVEL SECURITY",
        ],
        hidden_by: Rights,
    },
    HidingCase {
        canary: "canary_model_right",
        setup: &[],
        hidden_by: Rights,
    },
];

/// A database with all of it.
fn hiding_database() -> &'static Stack {
    static SHARED: OnceLock<Stack> = OnceLock::new();
    SHARED.get_or_init(|| {
        let stack = Stack::start(crate::support::Options::default());
        let mut all = vec!["CREATE SCHEMA shop", "CREATE TABLE shop.open (id int)"];
        all.extend(CASES.iter().flat_map(|case| case.setup));
        stack.prepare(&all);
        let rights = [
            format!("GRANT USAGE ON SCHEMA shop, canary_whole_schema TO {READER}"),
            format!("GRANT SELECT ON ALL TABLES IN SCHEMA shop, canary_whole_schema TO {READER}"),
            format!("REVOKE ALL ON shop.canary_table_right, shop.some_columns FROM {READER}"),
            format!("GRANT SELECT (id) ON shop.some_columns TO {READER}"),
            "ANALYZE".to_owned(),
        ];
        stack.prepare(&rights.iter().map(String::as_str).collect::<Vec<_>>());
        stack
    })
}

/// The policy with all entries but those of one case.
fn policy_without(canary: Option<&str>) -> String {
    let entries = |wanted: &str| {
        let entries = CASES.iter().filter_map(|case| match case.hidden_by {
            Entry(section, entry) if section == wanted && Some(case.canary) != canary => {
                Some(entry)
            }
            Entry(..) | Rights => None,
        });
        entries.collect::<Vec<_>>().join(", ")
    };
    let models = entries("models");
    let comma = if models.is_empty() { "" } else { ", " };
    format!(
        "name: hiding\nextends: agent\n\
         relations: {{deny: [{}]}}\n\
         columns: {{deny: [{}], mask: {{{}}}}}\n\
         rows: {{{}}}\n\
         models: {{{models}{comma}shop.canary_model_right: {{new: true, \
           sql: SELECT id FROM shop.canary_table_right}}}}\n\
         functions: {{allow: [shop.of_row, shop.canary_denied_call, shop.canary_function_right], deny: [{}]}}\n",
        entries("relations.deny"),
        entries("columns.deny"),
        entries("columns.mask"),
        entries("rows"),
        entries("functions.deny"),
    )
}

/// What is printed, and the complaints.
fn grounded(user: &str, without: Option<&str>, arguments: &[&str]) -> (String, Option<i32>) {
    static FILES: AtomicU32 = AtomicU32::new(0);
    let stack = hiding_database();
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let file = stack.folder().join(format!("hiding_{number}.yaml"));
    fs::write(&file, policy_without(without)).unwrap();
    let (url, file) = (stack.direct_url(user), file.display().to_string());
    let all = [
        &["ground", "--upstream", &url, "--policy", &file],
        arguments,
    ]
    .concat();
    let output = pgsieve(&all, "");
    let both = [output.stdout, output.stderr].concat();
    (String::from_utf8(both).unwrap(), output.status.code())
}

fn told_canary(text: &str) -> Option<&str> {
    let place = text.to_lowercase().find("canary")?;
    text.get(place.saturating_sub(60)..(place + 60).min(text.len()))
}

#[test]
fn what_is_hidden_in_any_way_is_in_no_format_and_no_budget() {
    for (user, more) in [(READER, &[][..]), (ADMIN, &["--role", READER][..])] {
        for format in ["markdown", "m-schema", "ddl", "json"] {
            for budget in ["100000", "900"] {
                let arguments = ["--facets", "all", "--format", format, "--budget", budget];
                let (text, status) = grounded(user, None, &[&arguments, more].concat());
                assert_eq!(status, Some(0), "{user} {format}: {text}");
                assert_eq!(told_canary(&text), None, "{user} {format} {budget}");
                assert!(
                    !text.contains("4321"),
                    "{user} {format}: hidden rows are counted"
                );
            }
        }
        for facet in [
            "info",
            "tables",
            "columns",
            "keys",
            "fk:4",
            "functions",
            "models",
        ] {
            let arguments = ["--facets", facet, "--relation", "shop.open"];
            let (text, _) = grounded(user, None, &[&arguments, more].concat());
            assert_eq!(told_canary(&text), None, "{user} {facet}");
        }
    }
}

#[test]
fn what_is_hidden_in_any_way_is_told_where_nothing_hides_it() {
    let untold = CASES.iter().filter(|case| {
        let (user, without) = match case.hidden_by {
            Entry(..) => (READER, Some(case.canary)),
            Rights => (ADMIN, None),
        };
        let arguments = ["--facets", "all", "--format", "json"];
        let (text, status) = grounded(user, without, &arguments);
        assert_eq!(status, Some(0), "{}: {text}", case.canary);
        !text.contains(case.canary)
    });
    let untold: Vec<&str> = untold.map(|case| case.canary).collect();
    assert_eq!(untold, [""; 0]);
}

#[test]
fn asking_for_what_is_hidden_is_answered_like_asking_for_nothing() {
    let asked = |name: &str| {
        let (text, status) = grounded(READER, None, &["--relation", name]);
        (text.replace(name, "NAME"), status)
    };
    let nothing = asked("shop.nothing");
    assert_eq!(nothing.1, Some(2));
    for name in [
        "shop.canary_exact",
        "shop.canary_pattern_1",
        "canary_whole_schema.x",
        "canary_schema_right.x",
        "shop.canary_table_right",
        "shop.canary_model_right",
    ] {
        assert_eq!(asked(name), nothing, "{name}");
    }
}
