//! `pgsieve policy init`: the beginning of a policy, written for a person to go on with; from a
//! database's catalog, where one is named. No row is read.
//!
//! What it guesses says so. What it writes is a sound policy, and its tests pass: those that would
//! not are left out.

pub(in crate::cli) mod column_guess;

use std::io::Write;
use std::sync::Arc;

use crate::catalog::quote::quoted;
use crate::catalog::{Catalog, RelationId, RelationKind};
use crate::cli::policy::init::column_guess::{Guess, guess, mask};
use crate::cli::policy::rewrite::{Listed, Written};
use crate::cli::policy::suggest::{names_of, of_the_server, pattern};
use crate::cli::policy::test::misused;
use crate::cli::policy::trial::{judge, world};
use crate::cli::{Outcome, complain, fail, said};
use crate::config::Problem;
use crate::offline::assumptions::{Person, World};
use crate::offline::judge::{Answer, Judge};
use crate::policy::Policy;

/// The flags of `policy init`.
#[derive(clap::Args)]
#[command(after_help = EXIT_STATUS)]
pub struct Flags {
    /// Whom the policy is for.
    #[arg(long = "for", value_name = "WHOM")]
    whom: Whom,
    /// The database: postgres://[user[:password]@]host[:port]/[name]. Only its catalog is read.
    #[arg(long, value_name = "URL")]
    upstream: Option<String>,
    /// The name of the policy [default: as it is for].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The users that it is for, a pattern such as agent_* [default: all].
    #[arg(long, value_name = "PATTERN")]
    user: Option<String>,
    /// The database that it is for, a pattern [default: all].
    #[arg(long, value_name = "PATTERN")]
    database: Option<String>,
}

/// Whom a policy is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Whom {
    /// A program that asks what a language model makes up.
    Agent,
    /// Dashboards and the people in front of them.
    Bi,
    /// Who looks after the database, and reads all of it.
    Dba,
}

/// Prints it.
pub fn run(flags: &Flags, out: &mut impl Write) -> Outcome {
    let world = match world(flags.upstream.as_deref()) {
        Ok(world) => world,
        Err(problems) => return misused(&problems),
    };
    let found = world.catalog.as_deref().map(Found::of);
    if let Some(found) = &found {
        for name in &found.unnamed {
            complain(format_args!(
                "{name} has a * in its name, so that no pattern names it alone: it is left out"
            ));
        }
    }
    match text(flags, &world, found.as_ref()) {
        Ok(text) => said(out.write_all(text.as_bytes())),
        Err(Unfit::Name(problems)) => misused(&problems),
        Err(Unfit::Policy(problems)) => {
            for problem in problems {
                complain(format_args!("what was written is no policy: {problem}"));
            }
            fail(format_args!("nothing is printed"))
        }
    }
}

/// Why there is no text.
enum Unfit {
    Name(Vec<Problem>),
    Policy(Vec<crate::policy::Problem>),
}

/// What a database has that is worth to be named.
#[derive(Default)]
struct Found {
    /// What may be read: the pattern, what it is, and how its name stands in SQL.
    relations: Vec<Readable>,
    /// What is left out as a guess.
    secret: Vec<(String, String)>,
    /// Columns that probably hold something about a person, or a secret.
    columns: Vec<Column>,
    /// What no pattern can name.
    unnamed: Vec<String>,
}

struct Readable {
    pattern: String,
    kind: &'static str,
    sql: String,
    /// A column that no guess is about.
    plain: Option<String>,
}

struct Column {
    pattern: String,
    guess: Guess,
    /// What is read in its place, where something is.
    mask: Option<&'static str>,
    type_name: String,
    statement: String,
}

impl Found {
    fn of(catalog: &Catalog) -> Self {
        let mut found = Self::default();
        let mut all: Vec<RelationId> = catalog.relations().map(|(id, _)| id).collect();
        all.sort_by_key(|id| names_of(catalog, *id));
        let children: Vec<RelationId> = catalog
            .relations()
            .filter(|(_, relation)| relation.kind == RelationKind::PartitionedTable)
            .flat_map(|(_, relation)| relation.children.iter().copied())
            .collect();
        for id in all {
            let (relation, (_, name)) = (catalog.relation(id), names_of(catalog, id));
            let kind = match relation.kind {
                RelationKind::Table => "table",
                RelationKind::PartitionedTable => "partitioned table",
                RelationKind::View => "view",
                RelationKind::MaterializedView => "materialized view",
                _ => continue,
            };
            let is_of_server = of_the_server(catalog.schema(relation.schema).kind)
                || names_of(catalog, id).0.starts_with("pg_")
                || name.starts_with("pg_");
            if is_of_server || children.contains(&id) {
                continue;
            }
            match pattern(names_of(catalog, id)) {
                Some(own) => found.relation(catalog, id, own, kind),
                None => found.unnamed.push(catalog.relation_name(id)),
            }
        }
        found
    }

    fn relation(&mut self, catalog: &Catalog, id: RelationId, own: String, kind: &'static str) {
        let (schema, name) = names_of(catalog, id);
        let sql = format!("{}.{}", quoted(schema), quoted(name));
        if guess(name, "text") == Some(Guess::Secret) {
            self.secret.push((own, sql));
            return;
        }
        let mut plain = None;
        for column in catalog.columns_of(id) {
            let column_name = catalog.names().text(column.name);
            let type_name = catalog.type_name(column.type_id);
            let Some(guess) = guess(column_name, &type_name) else {
                plain.get_or_insert_with(|| quoted(column_name).into_owned());
                continue;
            };
            if column_name.contains('*') {
                self.unnamed.push(format!("{sql}.{column_name}"));
                continue;
            }
            // Who masks a column of a view has looked at the whole of it.
            let is_view = kind.ends_with("view");
            self.columns.push(Column {
                pattern: format!("{own}.{}", part(column_name)),
                guess,
                mask: mask(guess, &type_name).filter(|_| !is_view),
                type_name,
                statement: format!("SELECT {} FROM {sql}", quoted(column_name)),
            });
        }
        self.relations.push(Readable {
            pattern: own,
            kind,
            sql,
            plain,
        });
    }
}

/// A name as a part of a pattern.
fn part(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    match name.chars().all(plain) {
        true => name.to_owned(),
        false => format!("\"{}\"", name.replace('"', "\"\"")),
    }
}

fn text(flags: &Flags, world: &World, found: Option<&Found>) -> Result<String, Unfit> {
    let name = flags.name.as_deref().unwrap_or(flags.whom.name());
    let is_taken = Policy::text_of(name).is_some();
    let name = match (is_taken, &flags.name) {
        (true, None) => format!("our-{name}"),
        (true, Some(_)) => {
            return Err(Unfit::Name(vec![Problem {
                place: "--name".into(),
                what: format!("{name} is the name of a built-in policy"),
            }]));
        }
        (false, _) => name.to_owned(),
    };
    let mut out = Written::default();
    head(flags, world, found, &name, &mut out);
    match found {
        Some(found) => body(flags.whom, found, &mut out),
        None => general(flags.whom, &mut out),
    }
    limits(flags.whom, &mut out);
    let body = out.finish();
    let policy = Policy::from_yaml(&body).map_err(Unfit::Policy)?;
    let judge = judge(&Arc::new(policy), world).map_err(Unfit::Name)?;
    let tests = tests(flags, found, world, &judge);
    let text = format!("{body}\n{tests}");
    Policy::from_yaml(&text).map_err(Unfit::Policy)?;
    Ok(text)
}

fn head(flags: &Flags, world: &World, found: Option<&Found>, name: &str, out: &mut Written) {
    let whom = flags.whom.name();
    let from = match found {
        Some(_) => format!("from the catalog of {}", world.database.replace('\n', " ")),
        None => "without a database: --upstream URL writes one from its catalog".to_owned(),
    };
    out.comment(
        0,
        &format!(
            "A beginning, by pgsieve policy init --for {whom}, {from}.\nRead all of it; what is \
             marked \"guess\" is guessed from names and types, and what is missing was not \
             guessed.\n\n  pgsieve policy print FILE                  what holds in the end, and \
             from where\n  pgsieve policy check FILE --upstream URL   what is wrong with it\n  \
             pgsieve policy test FILE --upstream URL    the tests at the end\n\nmode: observe \
             refuses nothing of this and counts it: to see for a day what it would do.",
        ),
    );
    out.gap();
    out.word(0, "name", name);
    out.comment(0, "Everything that is not said here is as it is there.");
    out.word(0, "extends", flags.whom.base());
    out.word(0, "mode", "enforce");
    if flags.user.is_none() && flags.database.is_none() {
        out.comment(0, "For all sessions that no other policy fits. For some:");
        out.comment(0, "  match: {user: [\"agent_*\"], database: [shop]}");
        return;
    }
    out.open(0, "match");
    let keys = [("user", &flags.user), ("database", &flags.database)];
    for (key, pattern) in keys {
        if let Some(pattern) = pattern {
            out.word(1, key, pattern);
        }
    }
}

/// The lists, from a catalog.
fn body(whom: Whom, found: &Found, out: &mut Written) {
    out.gap();
    if whom == Whom::Dba {
        out.comment(
            0,
            "Nothing is hidden: while a policy hides anything it also hides pg_stats and what \
             others run.\nTo hide columns all the same:",
        );
        out.comment(0, "columns:");
        let shown = found.columns.iter().map(Column::listed);
        let shown = shown.map(|own| format!("    - {}  # {}", own.word, own.comment));
        let shown: Vec<String> = shown.collect();
        out.comment(0, &format!("  deny:\n{}", shown.join("\n")));
        return;
    }
    out.comment(
        0,
        "What may be read, and nothing else: what is made later is not.",
    );
    out.open(0, "relations");
    let readable = found.relations.iter().map(|own| Listed {
        word: own.pattern.clone(),
        comment: own.kind.to_owned(),
    });
    out.list(1, "allow", &readable.collect::<Vec<_>>());
    for (secret, _) in &found.secret {
        out.comment(
            1,
            &format!("  - {secret}  (guess: holds secrets, by its name; left out)"),
        );
    }
    out.comment(
        1,
        "A view that reads what is hidden below is hidden as well, and so is one of a relation \
         with a mask.",
    );
    out.word(1, "through_views", "check");
    out.gap();
    out.comment(
        0,
        "What nobody reads, and what is read in part: the first letter, or the last ones. A model \
         can\nshow something else instead: see the README.",
    );
    out.open(0, "columns");
    let hidden = found.columns.iter().filter(|column| column.mask.is_none());
    out.list(1, "deny", &hidden.map(Column::listed).collect::<Vec<_>>());
    let masked = found.columns.iter().filter_map(|column| {
        let mask = column.mask?;
        Some((column.listed(), mask.to_owned()))
    });
    out.words(1, "mask", &masked.collect::<Vec<_>>());
}

impl Column {
    fn listed(&self) -> Listed {
        let (told, type_name) = (self.guess.told(), &self.type_name);
        Listed {
            word: self.pattern.clone(),
            comment: format!("guess: {told}, by name and type ({type_name})"),
        }
    }
}

/// The same without one.
fn general(whom: Whom, out: &mut Written) {
    out.gap();
    if whom == Whom::Dba {
        out.comment(
            0,
            "Nothing is hidden: while a policy hides anything it also hides pg_stats and what \
             others run.",
        );
        return;
    }
    out.comment(
        0,
        "Which relations may be read; without it, all. Names are schema.relation:\nrelations: \
         {allow: [shop.orders, shop.customers]}\nWhat nobody reads, in whatever relation; a guess \
         at what yours are called.",
    );
    out.open(0, "columns");
    let guesses = GENERAL.iter().map(|word| Listed {
        word: (*word).to_owned(),
        comment: "guess".to_owned(),
    });
    out.list(1, "deny", &guesses.collect::<Vec<_>>());
}

fn limits(whom: Whom, out: &mut Written) {
    out.gap();
    let (comment, keys): (&str, &[(&str, &str)]) = match whom {
        Whom::Agent => (
            "How much a statement and a user get.",
            &[
                ("result_rows", "1000"),
                ("result_bytes", "4MiB"),
                ("statements_per_day", "10000"),
            ],
        ),
        Whom::Bi => (
            "How much a statement gets.",
            &[("result_rows", "1000000"), ("result_bytes", "256MiB")],
        ),
        Whom::Dba => ("How long who does nothing stays.", &[("idle_time", "8h")]),
    };
    out.comment(0, comment);
    out.open(0, "limits");
    for (key, value) in keys {
        out.word(1, key, value);
    }
}

/// Tests of what was written, those that hold.
fn tests(flags: &Flags, found: Option<&Found>, world: &World, judge: &Judge) -> String {
    let mut wanted: Vec<(String, &str)> = vec![
        ("SELECT 1".into(), ""),
        ("CREATE TABLE t (a integer)".into(), "ddl"),
    ];
    if let Some(found) = found {
        let readable = found.relations.iter().find(|own| own.plain.is_some());
        if let Some(Readable { sql, plain, .. }) = readable {
            let plain = plain.as_deref().unwrap_or_default();
            wanted.push((format!("SELECT {plain} FROM {sql}"), ""));
            wanted.push((format!("DELETE FROM {sql}"), "write_statement"));
        }
        if flags.whom != Whom::Dba {
            let (masked, hidden): (Vec<&Column>, _) =
                found.columns.iter().partition(|own| own.mask.is_some());
            let hidden = hidden.into_iter().take(COLUMNS_TESTED_MAX);
            wanted.extend(hidden.map(|own| (own.statement.clone(), "column_denied")));
            let masked = masked.into_iter().take(COLUMNS_TESTED_MAX);
            wanted.extend(masked.map(|own| (own.statement.clone(), "")));
            let secret = found.secret.iter().take(1);
            wanted.extend(secret.map(|(_, sql)| (format!("TABLE {sql}"), "relation_denied")));
        }
    }
    let who = Person {
        user: flags.user.as_deref().unwrap_or("app").replace('*', "1"),
        ..Person::default()
    };
    let holds = |(statement, rule): &(String, &str)| {
        let mut course = judge.session(world, &who);
        let answer = judge.hear(statement, &mut course).answer;
        match (rule, &answer) {
            (&"", Answer::Permit) => true,
            (&"", _) | (_, Answer::Permit) => false,
            (rule, answer) => answer.rules() == [*rule],
        }
    };
    let mut text = String::from("# What must hold. Write down what must for you.\ntests:\n");
    for (statement, rule) in wanted.iter().filter(|one| holds(one)) {
        let statement = serde_json::Value::from(statement.as_str());
        let user = serde_json::Value::from(who.user.as_str());
        let expected = match *rule {
            "" => "permit".to_owned(),
            rule => format!("refuse, rule: {rule}"),
        };
        text.push_str(&format!(
            "  - {{statement: {statement}, user: {user}, expect: {expected}}}\n"
        ));
    }
    text
}

impl Whom {
    fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Bi => "bi",
            Self::Dba => "dba",
        }
    }

    /// The policy that it extends.
    fn base(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Bi | Self::Dba => "bi",
        }
    }
}

/// Hidden columns that get a test each: enough to see that hiding works.
const COLUMNS_TESTED_MAX: usize = 5;

/// What columns are called that hold secrets, or name a person.
const GENERAL: &[&str] = &[
    "*.*.*password*",
    "*.*.*passwd*",
    "*.*.*secret*",
    "*.*.*token*",
    "*.*.*api_key*",
    "*.*.*private_key*",
    "*.*.*email*",
    "*.*.*phone*",
    "*.*.ssn",
    "*.*.*iban*",
    "*.*.*card_number*",
    "*.*.*birth*",
    "*.*.*salary*",
    "*.*.*passport*",
];

const EXIT_STATUS: &str = "Exit status: 0 where a policy was printed; 1 where none could be made; 2 \
    where the question was wrong.";
