//! What becomes of every statement of the corpus, in the default mode and with `likely: apply`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pgsieve::gate::{Gate, ParameterTypes, SessionNames, Verdict};
use pgsieve::policy::Policy;
use pgsieve::repair::{RepairConclusion, RepairOutcome, RepairRequest, repair_statement};
use pgsieve::sql::fingerprint::Fingerprinter;

use crate::repair::corpus::statements::{Class, Entry, entries};
use crate::repair::corpus::world::World;

/// What became of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    /// Its repair gives the rows that were meant.
    Right,
    /// Its repair gives other rows, or a trap was repaired.
    Wrong,
    /// It stays an error, with a hint.
    Hinted,
    /// It stays an error, without one.
    Bare,
}

/// The counts of one mode.
#[derive(Default)]
struct Figures {
    fates: BTreeMap<(&'static str, Fate), u32>,
    codes: BTreeMap<String, u32>,
    latencies: Vec<Duration>,
}

#[test]
fn failing_statements_give_the_rows_that_were_meant_or_an_error() {
    let Some(mut world) = World::start() else {
        return;
    };
    let all = entries();
    assert!(all.len() >= 600, "only {} statements", all.len());
    let traps = all
        .iter()
        .filter(|entry| entry.class == Class::Trap)
        .count();
    assert!(traps >= 150, "only {traps} traps");
    is_sound(&mut world, &all);
    let agent = include_str!("../../../../policies/agent.yaml");
    let default = measure(&mut world, &all, "default", agent);
    let applied = agent.replace("likely: hint", "likely: apply");
    let applied = measure(&mut world, &all, "likely: apply", &applied);
    assert_eq!(default.wrong(), 0, "wrong rows in the default mode");
    let answered = applied.count(|_, fate| matches!(fate, Fate::Right | Fate::Wrong));
    assert!(
        applied.wrong() * 100 <= answered,
        "wrong rows with likely: apply"
    );
    let exact = default.share("Exact", Fate::Right);
    assert!(exact >= 0.95, "exact: {exact}");
    let likely = applied.share("Likely", Fate::Right);
    assert!(likely >= 0.70, "likely: {likely}");
    assert_eq!(
        default.count(|class, fate| class == "Trap" && fate == Fate::Bare),
        0,
        "traps without a hint"
    );
}

/// What is said to fail fails, and what is meant runs.
fn is_sound(world: &mut World, all: &[Entry]) {
    let mut problems = Vec::new();
    let mut schema = "";
    for entry in all {
        if schema != entry.schema {
            schema = entry.schema;
            world.session(schema, &Policy::agent());
        }
        if world.rows(&entry.failing).is_ok() {
            problems.push(format!("{}: it runs: {}", entry.place, entry.failing));
        }
        if let Some(Err(error)) = entry.meant.as_deref().map(|meant| world.rows(meant)) {
            problems.push(format!("{}: {error}: {:?}", entry.place, entry.meant));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn measure(world: &mut World, all: &[Entry], mode: &str, yaml: &str) -> Figures {
    let mut figures = Figures::default();
    let policy = Arc::new(Policy::from_yaml(yaml).unwrap());
    let gate = Gate::new(Arc::clone(&policy), Fingerprinter::new(None, [7; 32]));
    let mut schema = "";
    let mut names = None;
    for entry in all {
        if schema != entry.schema {
            schema = entry.schema;
            names = Some(world.session(schema, &policy));
        }
        let names = names.as_ref().unwrap();
        world.compiling = Duration::ZERO;
        let request = RepairRequest {
            user: "",
            gate: &gate,
            names,
            parameters: &ParameterTypes::none_given(),
            text: &entry.failing,
            failure: None,
            earlier_dialect: None,
        };
        let begun = Instant::now();
        let outcome = repair_statement(&request, world);
        figures
            .latencies
            .push(begun.elapsed().saturating_sub(world.compiling));
        let fate = fate_of(entry, &outcome, world);
        let said = said(&outcome);
        let class = name(entry.class);
        *figures.fates.entry((class, fate)).or_default() += 1;
        let direct = world.rows(&entry.failing).err();
        let code = direct
            .as_deref()
            .unwrap_or("runs")
            .chars()
            .take(5)
            .collect();
        *figures.codes.entry(code).or_default() += 1;
        if fate != Fate::Right && !(entry.class == Class::Trap && fate == Fate::Hinted) {
            let (place, failing) = (&entry.place, &entry.failing);
            println!("{mode} {place} {class} {fate:?}: {failing:?}\n      {said:.300}");
        }
    }
    figures.print(mode);
    figures
}

fn fate_of(entry: &Entry, outcome: &RepairOutcome, world: &World) -> Fate {
    match &outcome.ending {
        RepairConclusion::NotNeeded => panic!("{}: it does not fail", entry.place),
        RepairConclusion::Failed(advice) if advice.hint.is_some() => Fate::Hinted,
        RepairConclusion::Failed(_) if is_refused(entry) => Fate::Hinted,
        RepairConclusion::Failed(_) => Fate::Bare,
        RepairConclusion::Repaired(repaired) => {
            let Some(meant) = &entry.meant else {
                // What fails while it runs gives no rows: the client gets its own error.
                let rows = world.rows(repaired.permit.text());
                return if rows.is_ok() {
                    Fate::Wrong
                } else {
                    Fate::Hinted
                };
            };
            let meant = world.rows(meant);
            let meant = meant.unwrap_or_else(|error| panic!("{}: {error}", entry.place));
            match world.rows(repaired.permit.text()) {
                Ok(rows) if rows == meant => Fate::Right,
                Ok(_) => Fate::Wrong,
                Err(_) => Fate::Bare,
            }
        }
    }
}

/// Whether the gate refuses it for what it would do, or the server for a reason that no repair
/// is made for: both tell the client why.
fn is_refused(entry: &Entry) -> bool {
    let gate = Gate::without_fingerprints(Arc::new(Policy::agent()));
    let judgement = gate.judge((&*entry.failing).into(), &SessionNames::of_no_database());
    matches!(judgement.verdict, Verdict::Refused(refusal) if !refusal.hint.is_empty())
}

/// What the client would be told, and what was tried.
fn said(outcome: &RepairOutcome) -> String {
    let tried: Vec<&str> = (outcome.attempts.iter())
        .filter_map(|step| step.text.as_deref())
        .collect();
    match &outcome.ending {
        RepairConclusion::NotNeeded => "it runs".to_owned(),
        RepairConclusion::Repaired(repaired) => {
            format!("{} => {}", repaired.message(), repaired.permit.text())
        }
        RepairConclusion::Failed(advice) => {
            format!("{:?} {:?} tried {tried:?}", advice.detail, advice.hint)
        }
    }
}

fn name(class: Class) -> &'static str {
    match class {
        Class::Exact => "Exact",
        Class::Likely => "Likely",
        Class::Trap => "Trap",
    }
}

impl Figures {
    fn count(&self, wanted: impl Fn(&str, Fate) -> bool) -> u32 {
        let fates = self.fates.iter();
        fates
            .filter(|((class, fate), _)| wanted(class, *fate))
            .map(|(_, count)| count)
            .sum()
    }

    fn wrong(&self) -> u32 {
        self.count(|_, fate| fate == Fate::Wrong)
    }

    fn share(&self, of: &str, fate: Fate) -> f64 {
        let part = self.count(|class, own| class == of && own == fate);
        f64::from(part) / f64::from(self.count(|class, _| class == of).max(1))
    }

    fn print(&self, mode: &str) {
        println!("\n== {mode}");
        for class in ["Exact", "Likely", "Trap"] {
            let all = self.count(|own, _| own == class);
            let of = |fate| self.count(|own, found| own == class && found == fate);
            println!(
                "{class:6} {all:4}: right {}, wrong {}, error with a hint {}, without {}",
                of(Fate::Right),
                of(Fate::Wrong),
                of(Fate::Hinted),
                of(Fate::Bare)
            );
        }
        println!("what the server says of them: {:?}", self.codes);
        let mut sorted = self.latencies.clone();
        sorted.sort();
        let at = |share: usize| {
            sorted
                .get(sorted.len() * share / 100)
                .copied()
                .unwrap_or_default()
        };
        println!(
            "a repair beyond the server's own time: median {:?}, 95 % {:?}\n",
            at(50),
            at(95)
        );
    }
}
