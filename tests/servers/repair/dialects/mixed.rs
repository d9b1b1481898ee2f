//! Texts that were written for Postgres with a slip of another dialect: the slip is repaired, and
//! nothing else of them changes its meaning.

use crate::repair::dialects::checks::{World, agree};
use crate::repair::dialects::repaired::{RepairedStatement, gate};

#[tokio::test]
async fn what_was_written_for_postgres_keeps_its_meaning() {
    let Some(world) = World::of("mixed", SCHEMA).await else {
        return;
    };
    let (sure, bold) = (gate("hint", "auto"), gate("apply", "auto"));
    let (mut right, mut likely, mut refused, mut bad) = (0, 0, 0, Vec::new());
    for case in CORPUS.split("\n---- ").skip(1) {
        let (wanted, body) = case.split_once('\n').unwrap();
        let (text, meant) = body.split_once("\n==== ").unwrap();
        let truth = world.asked(meant).await.unwrap();
        let mut outcome = "error";
        let mut problem = String::new();
        for (gate, name) in [(&bold, "likely"), (&sure, "exact")] {
            match world.repaired(text, gate).await {
                RepairedStatement::Rows(became, rows) if !agree(&truth, &rows, false) => {
                    problem = format!("WRONG {rows:?}\n  instead of {truth:?}\n  by {became}");
                }
                RepairedStatement::Rows(..) => outcome = name,
                RepairedStatement::Breaks(why) => problem = format!("breaks: {why}"),
                RepairedStatement::Fails(advice) if problem.is_empty() => problem = advice,
                RepairedStatement::Fails(_) => {}
            }
        }
        match outcome {
            _ if problem.starts_with("WRONG") => {}
            "exact" => right += 1,
            "likely" => likely += 1,
            _ => refused += 1,
        }
        let may_fail = wanted == "mended or error" && !problem.starts_with("WRONG");
        if outcome == "error" && !may_fail || problem.starts_with("WRONG") {
            bad.push(format!("{text}\n  {problem}"));
        } else if std::env::var_os("SHOW").is_some() && outcome != "exact" {
            eprintln!("{outcome}: {text}\n   {problem}");
        }
    }
    println!("Mixed: {right} right, {likely} likely, {refused} refused");
    assert!(bad.is_empty(), "{}:\n{}", bad.len(), bad.join("\n"));
}

const SCHEMA: &str = include_str!("../../../data/dialects/tables.sql");

const CORPUS: &str = include_str!("../../../data/dialects/mixed.sql");
