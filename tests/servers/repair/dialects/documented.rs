//! Corpora whose rows are those of a dialect's documentation: nobody can run it here.

use pgsieve::policy::{Dialect, RepairSettings};
use pgsieve::repair::Confidence;

use crate::repair::dialects::checks::{Came, Case, World, agree, cases};

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
            Err(problem) => bad.push(format!("{}\n  {problem}", case.text)),
        }
    }
    let all = cases.len();
    println!("{name}: {all} texts, {right} right, {likely} likely, {refused} refused");
    let count = bad.len();
    assert!(bad.is_empty(), "{count} of {all}:\n{}", bad.join("\n"));
}

/// What a case met that met what is wanted.
enum Met {
    Right,
    Likely,
    Refused,
}

async fn problem(world: &World, dialect: Dialect, case: &Case) -> Result<Met, String> {
    let settings = RepairSettings::default();
    let ordered = case.wanted.ends_with("ordered");
    let word = case.wanted.split(' ').next().unwrap();
    match (word, world.run(&case.text, dialect, &settings).await) {
        ("right" | "likely", Came::Rows(confidence, rows)) => {
            let sure = (confidence == Confidence::Exact) == (word == "right");
            if !agree(&case.rows, &rows, ordered) {
                Err(format!("WRONG {rows:?}\n  instead of {:?}", case.rows))
            } else if !sure {
                Err(format!("{confidence:?}"))
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
