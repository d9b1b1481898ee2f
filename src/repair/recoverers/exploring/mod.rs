//! Statements by which other systems and tools tell what there is: the first that most agents send.
//!
//! # Sees
//! `SHOW TABLES`, `DESCRIBE orders`, `PRAGMA table_info(orders)`, `EXEC sp_columns orders`, `\dt`;
//! `sqlite_master`, `sys.tables`, `user_tab_columns`; information_schema in capitals and quotes.
//!
//! # Why
//! Each has one meaning, and a plain SELECT over pg_catalog or information_schema returns what it
//! asks for, with the columns that the other system names.
//!
//! # Before
//! - `SHOW TABLES`
//! - `SELECT table_name FROM "INFORMATION_SCHEMA"."TABLES"`
//!
//! # After
//! - `SELECT … AS "Tables_in_public" FROM pg_catalog.pg_class c …`
//! - `SELECT table_name FROM information_schema.tables`
//!
//! # When not
//! What Postgres does not keep, as the statement that made a table; a relation that does not exist.
//! What the role may not read, or the policy hides, is not listed and not named.
//!
//! [`words`], [`statement`] and [`psql_command`] read statements, [`listings`] has their queries;
//! [`dictionary`] has the relations of other systems, [`dictionary_query`] and [`dictionary_calls`]
//! put them into a query ([`query_text`]), [`table_functions`] those that are called;
//! [`mysql_columns`] are those that information_schema has in MySQL alone; [`quoted_names`] is for
//! texts that the grammar does not read, [`lookup`] for what is named.

mod dictionary;
mod dictionary_calls;
mod dictionary_query;
mod listings;
mod lookup;
mod mysql_columns;
mod psql_command;
mod query_text;
mod quoted_names;
mod statement;
mod table_functions;
mod words;

use self::dictionary_query::{DictionaryAnswer, QueryOrigin};
use self::listings::{ListingFilter, of_listing, of_relation};
use self::lookup::{Lookup, literal};
use self::psql_command::PsqlCommand;
use self::statement::ExploringStatement;
use self::words::StatementWords;
use crate::{
    Confidence, FailureClass, RecovererAnswer, Repair, RepairContext, SessionDatabase, TextChange,
};
use policy::DialectChoice;
use sql::edit;

/// Translates a text that asks what there is.
pub(super) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    let Some(database) = context.database else {
        return RecovererAnswer::Silent;
    };
    if context.settings.dialect == DialectChoice::Off {
        return RecovererAnswer::Silent;
    }
    match context.failure.class {
        FailureClass::SyntaxError | FailureClass::UndefinedObject => {
            of_statement(context, database).unwrap_or_else(|| of_quoted_names(context, database))
        }
        FailureClass::UndefinedTable => of_query(context, database),
        FailureClass::UndefinedFunction => match table_functions::recover(context, database) {
            RecovererAnswer::Silent => of_query(context, database),
            answer => answer,
        },
        FailureClass::UndefinedColumn => mysql_columns::recover(context, database),
        FailureClass::AmbiguousColumn
        | FailureClass::GroupingError
        | FailureClass::DatatypeMismatch
        | FailureClass::DuplicateAlias
        | FailureClass::InvalidColumnReference
        | FailureClass::InvalidTextRepresentation => RecovererAnswer::Silent,
    }
}

fn of_statement(
    context: &RepairContext<'_>,
    database: &SessionDatabase<'_>,
) -> Option<RecovererAnswer> {
    let statement = match psql_command::read(context.text) {
        Some(PsqlCommand::Known(statement)) => statement,
        Some(PsqlCommand::Unknown) => return Some(RecovererAnswer::hint(PSQL.to_owned())),
        None => statement::read(StatementWords::of(context)?)?,
    };
    let lookup = Lookup::new(database);
    let answer = match statement {
        ExploringStatement::List {
            listing,
            schema,
            like,
            confidence,
        } => {
            let schema = lookup.schema(schema.as_deref().unwrap_or_default());
            schema.map(|schema| {
                let filter = ListingFilter { schema, like };
                (of_listing(listing, &filter, &lookup), confidence)
            })
        }
        ExploringStatement::Relation {
            form,
            name,
            like,
            confidence,
        } => lookup.relation(&name).map(|found| {
            let query = of_relation(form, found, like.as_deref(), &lookup);
            (query, found.confidence.max(confidence))
        }),
        ExploringStatement::Definition { name } => {
            let named = lookup.relation(&name).map(|found| lookup.parts(found.id));
            Err(named.map_or_else(|advice| advice, |(schema, name)| definition(schema, name)))
        }
    };
    Some(match answer {
        Ok((text, confidence)) => whole(text, confidence, LISTED),
        Err(advice) => RecovererAnswer::hint(advice),
    })
}

/// What a table was made by, as far as anybody knows.
fn definition(schema: &str, name: &str) -> String {
    format!(
        "Postgres does not keep the statement that made a relation. Its columns: SELECT column_name, \
         data_type, is_nullable, column_default FROM information_schema.columns WHERE table_schema \
         = {} AND table_name = {} ORDER BY ordinal_position",
        literal(schema),
        literal(name)
    )
}

fn of_query(context: &RepairContext<'_>, database: &SessionDatabase<'_>) -> RecovererAnswer {
    if !(context.statement()).is_some_and(dictionary_query::names_dictionary) {
        return RecovererAnswer::Silent;
    }
    let (text, settings) = (context.text, context.settings);
    match dictionary_query::look(text, database, settings, QueryOrigin::Client) {
        None => RecovererAnswer::Silent,
        Some(DictionaryAnswer::Hint(advice)) => RecovererAnswer::hint(advice),
        Some(DictionaryAnswer::Edits(edits, confidence)) => {
            RecovererAnswer::changed(confidence, edits, vec![CATALOGS.to_owned()])
        }
    }
}

/// information_schema with its names in backticks or brackets.
fn of_quoted_names(context: &RepairContext<'_>, database: &SessionDatabase<'_>) -> RecovererAnswer {
    let Some((text, confidence)) = quoted_names::without_quotes(context) else {
        return RecovererAnswer::Silent;
    };
    let settings = context.settings;
    match dictionary_query::look(&text, database, settings, QueryOrigin::ForeignQuotes) {
        None if quoted_names::reads_information_schema(&text) => whole(text, confidence, CATALOGS),
        None => RecovererAnswer::Silent,
        Some(DictionaryAnswer::Hint(advice)) => RecovererAnswer::hint(advice),
        Some(DictionaryAnswer::Edits(edits, sure)) => match edit::apply(&text, edits) {
            Ok(text) => whole(text, confidence.max(sure), CATALOGS),
            Err(_) => RecovererAnswer::Silent,
        },
    }
}

fn whole(text: String, confidence: Confidence, change: &str) -> RecovererAnswer {
    RecovererAnswer::Repaired(Repair {
        confidence,
        rewritten: TextChange::Text(text),
        change: change.to_owned(),
    })
}

const LISTED: &str = "a query of the catalogs lists what the statement of another system asks for";

const CATALOGS: &str = "the catalogs of Postgres stand for those of another system";

const PSQL: &str = "Commands with a backslash are psql's own, and no SQL. SELECT table_schema, \
     table_name FROM information_schema.tables lists the relations that you may read; \
     information_schema.columns has their columns.";

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;

    use crate::laws::{ExpectedRepair, OutputNameLaw, RepairCase, ask, check_in, fuzzed, world};
    use crate::repair_loop::failure_of;
    use crate::{Confidence, FailureClass, RecovererAnswer, SessionDatabase};
    use catalog::fixture::CatalogFixture;
    use dialect::session_database::fixture::session;
    use gate::{Gate, ParameterTypes, Verdict};
    use policy::{Policy, Recoverer};
    use sql::fingerprint::Fingerprinter;
    use sql::tree;

    /// What an answer to a text is: its mark in the files of cases, and what stands behind `=`.
    fn answer(
        text: &str,
        sqlstate: &str,
        policy: Policy,
        world: CatalogFixture,
    ) -> (char, String, String) {
        let session = session(world, &policy);
        let gate = Gate::new(Arc::new(policy), Fingerprinter::new(None, [7; 32]));
        let repair = match ask(Recoverer::Dialect, text, sqlstate, None, &session, &gate) {
            RecovererAnswer::Silent | RecovererAnswer::Doubted => {
                return ('T', String::new(), String::new());
            }
            RecovererAnswer::Hinted(hint) => return ('H', hint.advice, String::new()),
            RecovererAnswer::Repaired(repair) => repair,
        };
        let after = repair.rewritten.text(text).unwrap();
        let tree = tree::parse(&after).unwrap_or_else(|_| panic!("{after}: does not parse"));
        let open = ParameterTypes::none_given();
        let database = SessionDatabase::of(&session, &open).unwrap();
        let resolution = database.resolve(&tree).unwrap();
        let names: Vec<&str> = (resolution.output.columns.iter())
            .map(|column| column.name.as_str())
            .collect();
        let mark = match repair.confidence {
            Confidence::Exact => 'E',
            Confidence::Likely | Confidence::Guess => 'L',
        };
        (mark, names.join(","), after)
    }

    /// The SQLSTATE and the text of a line.
    fn case(line: &str) -> (&str, &str, String) {
        let (mark, text) = line.split_once(' ').unwrap();
        let (sqlstate, text) = match text.strip_prefix('⟪') {
            Some(rest) => rest.split_once('⟫').unwrap(),
            None => ("42601", text),
        };
        (mark, sqlstate, text.replace("\\\\", "\\"))
    }

    fn check_cases(file: &str) {
        let rows: Vec<&str> = (file.lines())
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .collect();
        let mut left = rows.iter().peekable();
        let (mut right, mut mistakes) = (Vec::new(), Vec::new());
        while let Some(line) = left.next() {
            let wanted = left.next_if(|next| next.starts_with("= "));
            let wanted = wanted.map_or("", |wanted| &wanted[2..]);
            let (mark, sqlstate, text) = case(line);
            let (found, told, after) = answer(&text, sqlstate, Policy::agent(), world());
            let is_right = mark == found.to_string()
                && match (found, wanted.split_once(" / ")) {
                    ('H', _) => told.contains(wanted),
                    ('T', _) => true,
                    (_, None) => told == wanted,
                    (_, Some((names, part))) => told == names && after.contains(part),
                };
            match is_right {
                true => right.push((found, sqlstate, text, after)),
                false => mistakes.push(format!("{line}: {found} {told} {after}")),
            }
        }
        let wrong = mistakes.len();
        assert!(
            wrong == 0,
            "{wrong} and {}: {}",
            right.len(),
            mistakes.join("\n")
        );
        for (found, sqlstate, before, after) in &right {
            let wanted = match found {
                'E' => ExpectedRepair::Exact(after),
                'L' => ExpectedRepair::Likely(after),
                _ => continue,
            };
            let case = RepairCase { before, wanted };
            let names = OutputNameLaw::Kept;
            check_in(world(), Recoverer::Dialect, sqlstate, names, &[case]);
        }
    }

    /// Whatever the policy shows of the catalogs, what it hides is neither listed nor named.
    #[test]
    fn what_the_policy_hides_is_not_named() {
        for view in ["open", "policy"] {
            let policy = || {
                Policy::from_yaml(&format!(
                    "name: hiding\nextends: agent\ncatalog_view: {view}\n\
                     relations: {{deny: [public.payments, archive.*]}}\n\
                     columns: {{deny: [public.orders.total_amount]}}\n"
                ))
                .unwrap()
            };
            for (text, sqlstate) in [
                ("SHOW TABLES", "42704"),
                ("SHOW FULL COLUMNS FROM orders", "42601"),
                ("SHOW INDEX FROM orders", "42601"),
                ("DESCRIBE orders", "42601"),
                ("PRAGMA table_info(orders)", "42601"),
                ("PRAGMA foreign_key_list(orders)", "42601"),
                ("PRAGMA index_list(orders)", "42601"),
                ("EXEC sp_columns orders", "42601"),
                ("\\dt", "42601"),
                ("\\d orders", "42601"),
                ("\\dn", "42601"),
                ("\\l", "42601"),
                ("SELECT name FROM sqlite_master", "42P01"),
                (
                    "SELECT OBJECT_NAME(object_id) AS o, name FROM sys.columns",
                    "42P01",
                ),
                (
                    "SELECT TYPE_NAME(user_type_id) AS t FROM sys.columns",
                    "42P01",
                ),
                (
                    "SELECT SCHEMA_NAME(schema_id) AS s FROM sys.tables",
                    "42P01",
                ),
                ("SELECT * FROM all_tab_columns", "42P01"),
            ] {
                let (mark, told, after) = answer(text, sqlstate, policy(), world());
                assert_eq!(mark, 'E', "{text}: {told}");
                assert!(!after.contains("payments") && !after.contains("invoices"));
                let policy = policy();
                let session = session(world(), &policy);
                let gate = Gate::new(Arc::new(policy), Fingerprinter::new(None, [7; 32]));
                let verdict = gate.judge(after.as_str().into(), &session).verdict;
                match verdict {
                    Verdict::Permitted(_) | Verdict::Clamped(_) => {}
                    Verdict::Refused(refusal) => panic!("{view} {text}: {}", refusal.message),
                }
            }
            // What is refused before is given to a repair all the same.
            for text in [
                "SELECT name FROM sqlite_master",
                "SELECT name FROM sys.tables",
            ] {
                let policy = policy();
                let session = session(world(), &policy);
                let gate = Gate::new(Arc::new(policy), Fingerprinter::new(None, [7; 32]));
                if let Verdict::Refused(refusal) = gate.judge(text.into(), &session).verdict {
                    let class = failure_of(&refusal, text).map(|failure| failure.class);
                    assert_eq!(
                        class,
                        Some(FailureClass::UndefinedTable),
                        "{}",
                        refusal.message
                    );
                }
            }
            for text in [
                "DESCRIBE payment",
                "DESCRIBE payments",
                "\\d archive.invoices",
            ] {
                let (mark, told, _) = answer(text, "42601", policy(), world());
                assert_eq!(mark, 'H', "{text}");
                let told = told
                    .replace("relation payments", "")
                    .replace("archive.invoices", "");
                assert!(
                    !told.contains("payments") && !told.contains("invoices"),
                    "{told}"
                );
            }
            let (_, _, after) = answer("DESCRIBE orders", "42601", policy(), world());
            assert!(after.contains("a.attnum NOT IN (5)"), "{after}");
        }
    }

    #[test]
    fn any_text_is_looked_at() {
        let words = prop::sample::select(vec![
            "SHOW",
            "TABLES",
            "FROM",
            "LIKE",
            "DESCRIBE",
            "PRAGMA",
            "table_info",
            "(",
            ")",
            "orders",
            "'",
            "`",
            "[",
            "]",
            "\\",
            "\\dt",
            "EXEC",
            "sp_help",
            "@",
            "=",
            ".",
            ";",
            "é",
            "\"",
            "*",
            "SELECT",
            "INFORMATION_SCHEMA",
            "sys.tables",
            "sqlite_master",
            ",",
            "OBJECT_ID",
        ]);
        let looks = ["42601", "42704", "42P01", "42883"]
            .map(|sqlstate| fuzzed(world(), Recoverer::Dialect, sqlstate));
        let mut runner = TestRunner::new(ProptestConfig::with_cases(200));
        let tried = runner.run(&prop::collection::vec(words, 0..12), |words| {
            for look in &looks {
                look(&words.join(" "));
                look(&words.concat());
            }
            Ok(())
        });
        tried.unwrap();
    }

    #[test]
    fn cases_come_to_what_they_should() {
        for file in [
            include_str!("../../../../tests/data/corpus/recoverers/exploring.txt"),
            include_str!("../../../../tests/data/corpus/recoverers/held_out_exploring.txt"),
            include_str!("../../../../tests/data/corpus/recoverers/later_exploring.txt"),
        ] {
            check_cases(file);
        }
    }
}
