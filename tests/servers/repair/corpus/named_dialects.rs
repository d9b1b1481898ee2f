//! A policy that names a dialect loses no repair: what is repaired without the name is repaired
//! with it, and as certainly, unless the dialect means something else by what was meant.

use std::collections::BTreeMap;
use std::sync::Arc;

use pgsieve::dialect;
use pgsieve::dialect::partial_reading::{self, DialectShare};
use pgsieve::gate::{Gate, ParameterTypes, SessionNames};
use pgsieve::policy::{Dialect, Policy, Recoverer, RepairSettings};
use pgsieve::repair::{
    Attempt, AttemptOutcome, Confidence, RepairConclusion, RepairRequest, SessionDatabase,
    repair_statement,
};

use crate::repair::corpus::statements::{Class, Entry, entries};
use crate::repair::corpus::world::{Rows, World};

/// What became of a statement, the better the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    /// It stays an error.
    Unrepaired,
    /// Its repair gives other rows than were meant.
    OtherRows,
    /// Its repair is likely.
    Likely,
    /// It is certain.
    Exact,
}

#[test]
fn mysql() {
    check(Dialect::Mysql);
}

#[test]
fn tsql() {
    check(Dialect::Tsql);
}

#[test]
fn bigquery() {
    check(Dialect::Bigquery);
}

#[test]
fn sqlite() {
    check(Dialect::Sqlite);
}

#[test]
fn snowflake() {
    check(Dialect::Snowflake);
}

#[test]
fn duckdb() {
    check(Dialect::Duckdb);
}

/// A repair, by what it gives and by whom it was made.
struct RepairedEntry {
    fate: Fate,
    text: String,
    /// Whether the dialect translated the client's own text.
    is_translated: bool,
}

/// In how many parts the statements are dealt out among the dialects.
const SHARES: usize = 3;

fn check(dialect: Dialect) {
    let Some(mut world) = World::start() else {
        return;
    };
    let applied =
        include_str!("../../../../policies/agent.yaml").replace("likely: hint", "likely: apply");
    let named = applied.replace("dialect: auto", &format!("dialect: {}", dialect.name()));
    assert_ne!(applied, named);
    let policies = [applied, named].map(|yaml| Arc::new(Policy::from_yaml(&yaml).unwrap()));
    let gates = policies.clone().map(Gate::without_fingerprints);
    let (mut schema, mut names) = ("", SessionNames::default());
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let mut lost = Vec::new();
    let all = entries();
    let repairable = all.iter().filter(|entry| entry.class != Class::Trap);
    // Each statement with two of the dialects.
    let place = Dialect::ALL.iter().position(|one| *one == dialect);
    let share = place.expect("a dialect") % SHARES;
    let is_every_case = std::env::var_os("EVERY_CASE").is_some();
    for (number, entry) in repairable.enumerate() {
        if !is_every_case && number % SHARES != share {
            continue;
        }
        if schema != entry.schema {
            schema = entry.schema;
            names = world.session(schema, &policies[0]);
        }
        let [without, with] = gates
            .each_ref()
            .map(|gate| repaired(entry, (gate, &names), &mut world));
        if with.fate >= without.fate {
            *counts.entry("kept".to_owned()).or_default() += 1;
            continue;
        }
        let what = format!("{:?} to {:?}", without.fate, with.fate);
        let why = match with.fate {
            Fate::Unrepaired => "lost",
            _ if with.is_translated => "the dialect reads it so",
            Fate::Likely => "the dialect may mean something else by the repaired text",
            Fate::OtherRows | Fate::Exact => "lost",
        };
        let why = match why {
            "lost" => why,
            why if with.fate == Fate::Likely && !with.is_translated => {
                match means_the_same(&with.text, dialect, &names) {
                    true => "lost",
                    false => why,
                }
            }
            why => why,
        };
        *counts.entry(format!("{what}, {why}")).or_default() += 1;
        let (place, failing) = (&entry.place, &entry.failing);
        let line = format!(
            "{place} {what} ({why}): {failing}\n  without: {}\n  with: {}",
            without.text, with.text
        );
        match why {
            "lost" => lost.push(line),
            _ => println!("{line}"),
        }
    }
    println!("{}: {counts:?}", dialect.name());
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

fn repaired(
    entry: &Entry,
    (gate, names): (&Gate, &SessionNames),
    world: &mut World,
) -> RepairedEntry {
    let request = RepairRequest {
        user: "",
        gate,
        names,
        parameters: &ParameterTypes::none_given(),
        text: &entry.failing,
        failure: None,
        earlier_dialect: None,
    };
    let outcome = repair_statement(&request, world);
    let applied = |step: &&Attempt| step.outcome == AttemptOutcome::Applied;
    let steps: Vec<&Attempt> = outcome.attempts.iter().filter(applied).collect();
    let is_translated = (steps.iter()).any(|step| step.recoverer == Recoverer::Dialect);
    let (fate, text) = match &outcome.ending {
        RepairConclusion::Repaired(repaired) => {
            let text = repaired.permit.text().to_owned();
            let meant = entry.meant.as_deref().map(|meant| world.rows(meant));
            let is_exact = (steps.iter()).all(|step| step.confidence == Confidence::Exact);
            let fate = match (meant, world.rows(&text)) {
                (Some(Ok(meant)), Ok(rows)) if agree(&meant, &rows) && is_exact => Fate::Exact,
                (Some(Ok(meant)), Ok(rows)) if agree(&meant, &rows) => Fate::Likely,
                (_, _) => Fate::OtherRows,
            };
            (fate, text)
        }
        RepairConclusion::Failed(advice) => (Fate::Unrepaired, format!("{:?}", advice.hint)),
        RepairConclusion::NotNeeded => (Fate::Unrepaired, "it runs".to_owned()),
    };
    RepairedEntry {
        fate,
        text,
        is_translated,
    }
}

/// Whether rows are the same, numbers by value.
fn agree(one: &Rows, other: &Rows) -> bool {
    let number = |cell: &Option<String>| cell.as_deref().and_then(|cell| cell.parse::<f64>().ok());
    let same = |(one, other): (&Option<String>, &Option<String>)| match (number(one), number(other))
    {
        (Some(one), Some(other)) => (one - other).abs() <= one.abs() * 1e-9,
        (_, _) => one == other,
    };
    one.len() == other.len()
        && (one.iter().zip(other))
            .all(|(one, other)| one.len() == other.len() && one.iter().zip(other).all(same))
}

/// Whether a dialect means the same as Postgres by a text, as far as it can say it.
fn means_the_same(text: &str, dialect: Dialect, names: &SessionNames) -> bool {
    let open = ParameterTypes::none_given();
    let database = SessionDatabase::of(names, &open).expect("a snapshot");
    let spellings = partial_reading::of(dialect, DialectShare::Spellings).expect("a reading");
    let settings = RepairSettings::default();
    let own = dialect::translate(text, dialect, Some(&database), 15);
    let plain = dialect::translation_from(text, spellings, Some(&database), 15, &settings);
    match (own, plain) {
        (Some(Ok(own)), Some(Ok(plain))) => own == plain.text,
        (_, _) => false,
    }
}
