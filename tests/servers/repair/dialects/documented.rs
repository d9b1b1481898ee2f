//! Corpora whose rows are those of a dialect's documentation: nobody can run it here.

use pgsieve::policy::{Dialect, RepairSettings};
use pgsieve::repair::Confidence;

use crate::repair::dialects::checks::{Came, Case, World, agree, cases};
use crate::repair::dialects::repaired::gate;

/// Runs a corpus of at least so many texts: no rows are wrong, and nine of ten are right.
pub async fn check(name: &str, dialect: Dialect, corpus: &str, least: usize) {
    let Some(world) = World::of(name, SCHEMA).await else {
        return;
    };
    let cases = cases(corpus);
    assert!(cases.len() >= least, "{} texts", cases.len());
    let (mut right, mut likely, mut refused, mut bad) = (0, 0, 0, Vec::new());
    for case in &cases {
        match problem(&world, dialect, case).await {
            Ok(Met::Right) => right += 1,
            Ok(Met::Likely) => likely += 1,
            Ok(Met::Refused) => refused += 1,
            Ok(Met::Wrong) => bad.push(format!("{}\n  is wrong", case.text)),
            Err(problem) => bad.push(format!("{}\n  {problem}", case.text)),
        }
    }
    let all = cases.len();
    println!("{name}: {all} texts, {right} right, {likely} likely, {refused} refused");
    let count = bad.len();
    assert!(bad.is_empty(), "{count} of {all}:\n{}", bad.join("\n"));
}

/// Runs a corpus as a client would send it, who names no dialect: likely repairs are applied.
pub async fn check_unnamed(name: &str, tables: &str, corpus: &str, least: usize) {
    let Some(world) = World::of(name, tables).await else {
        return;
    };
    let gates = [gate("hint", "auto"), gate("apply", "auto")];
    let cases = cases(corpus);
    assert!(cases.len() >= least, "{} texts", cases.len());
    let (mut right, mut likely, mut refused, mut untouched) = (0, 0, 0, 0);
    let (mut wrong, mut bad) = (Vec::new(), Vec::new());
    for case in &cases {
        if world.client.prepare(&case.text).await.is_ok() {
            untouched += 1;
            if case.wanted != "untouched" {
                bad.push(format!("{}\n  runs as it is", case.text));
            }
            continue;
        }
        match met(case, world.unnamed(&case.text, &gates).await) {
            Ok(Met::Right) => right += 1,
            Ok(Met::Likely) => likely += 1,
            Ok(Met::Refused) => refused += 1,
            Ok(Met::Wrong) => wrong.push(case.text.as_str()),
            Err(problem) => bad.push(format!("{}\n  {problem}", case.text)),
        }
    }
    let (all, others) = (cases.len(), wrong.len());
    println!(
        "{name}: {all} texts, {right} right, {likely} likely, {refused} refused, {untouched} run as \
         they are; {others} are likely and have other rows:\n{}",
        wrong.join("\n")
    );
    let count = bad.len();
    assert!(bad.is_empty(), "{count} of {all}:\n{}", bad.join("\n"));
}

/// What a case met that met what is wanted.
enum Met {
    Right,
    Likely,
    Refused,
    /// It is known to have other rows.
    Wrong,
}

async fn problem(world: &World, dialect: Dialect, case: &Case) -> Result<Met, String> {
    let settings = RepairSettings::default();
    met(case, world.run(&case.text, dialect, &settings).await)
}

fn met(case: &Case, came: Came) -> Result<Met, String> {
    let ordered = case.wanted.ends_with("ordered");
    let word = case.wanted.split(' ').next().unwrap();
    match (word, came) {
        ("right" | "likely", Came::Rows(confidence, rows)) => {
            let sure = (confidence == Confidence::Exact) == (word == "right");
            let is_known = case.wanted == "likely wrong";
            let is_checked = !case.wanted.ends_with("unchecked");
            if is_checked && agree(&case.rows, &rows, ordered) == is_known {
                Err(format!("WRONG {rows:?}\n  instead of {:?}", case.rows))
            } else if !sure {
                Err(format!("{confidence:?}"))
            } else if is_known {
                Ok(Met::Wrong)
            } else if word == "right" {
                Ok(Met::Right)
            } else {
                Ok(Met::Likely)
            }
        }
        ("refused", Came::Refused(hint)) => {
            let words = case.wanted.strip_prefix("refused ").unwrap_or_default();
            match hint.to_lowercase().contains(&words.to_lowercase()) {
                true => Ok(Met::Refused),
                false => Err(format!("hint: {hint}")),
            }
        }
        ("fails", Came::Failed(_)) | ("unread", Came::Unread) => Ok(Met::Refused),
        (_, Came::Rows(_, rows)) => Err(format!("ran: {rows:?}")),
        (_, Came::Refused(hint)) => Err(format!("refused: {hint}")),
        (_, Came::Unread) => Err("unread".to_owned()),
        (_, Came::Failed(why)) => Err(format!("failed: {why}")),
    }
}

const SCHEMA: &str = include_str!("../../../data/dialects/tables.sql");
