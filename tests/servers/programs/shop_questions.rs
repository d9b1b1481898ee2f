//! The questions about the sample shop, and what the scripted generators write for them, each run
//! through a pgsieve with the default policy: every answer has the fate that its script tells.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use pgsieve::choose::candidate::Candidate;
use pgsieve::demo::questions::{self, AnswerFate, ScriptedAnswer, ShopQuestion};
use pgsieve::demo::sample;
use serde_json::{Value, json};

use super::demo::contents;
use crate::support::command::pgsieve;
use crate::support::raw::{Frame, kinds, values};
use crate::support::{Options, RawClient, Stack};

/// What became of a text.
#[derive(Debug)]
struct RunOutcome {
    answer: Vec<Frame>,
    rows: Vec<Vec<String>>,
}

impl RunOutcome {
    fn of(client: &mut RawClient, text: &str) -> Self {
        let answer = client.query(text);
        let rows = values(&answer).into_iter().map(normalized).collect();
        Self { answer, rows }
    }

    fn error(&self) -> Option<&Frame> {
        self.answer.iter().find(|frame| frame.kind == b'E')
    }

    fn notices(&self) -> Vec<String> {
        let notices = self.answer.iter().filter(|frame| frame.kind == b'N');
        notices.filter_map(|notice| notice.field(b'M')).collect()
    }

    fn repaired(&self) -> bool {
        let notices = self.notices();
        notices
            .iter()
            .any(|said| said.starts_with("pgsieve repaired"))
    }

    /// None where the statement failed.
    fn fate(&self, right: &RunOutcome, ordered: bool) -> Option<AnswerFate> {
        if self.error().is_some() {
            return None;
        }
        let (mut own, mut wanted) = (self.rows.clone(), right.rows.clone());
        if !ordered {
            own.sort();
            wanted.sort();
        }
        Some(match (own == wanted, self.repaired()) {
            (true, false) => AnswerFate::Right,
            (true, true) => AnswerFate::Repaired,
            (false, _) => AnswerFate::Wrong,
        })
    }
}

/// Numbers without the zeroes that only say of which type they are.
fn normalized(row: Vec<String>) -> Vec<String> {
    let values = row.into_iter().map(|value| match value.parse::<f64>() {
        Ok(number) => format!("{number:.6}"),
        Err(_) => value,
    });
    values.collect()
}

/// Whether the statement as a whole has an order.
fn is_ordered(gold: &ShopQuestion) -> bool {
    let end = gold.gold_sql.rsplit(')').next().unwrap();
    end.contains(" ORDER BY ") && !gold.gold_sql.contains("DISTINCT ON")
}

fn stack() -> &'static Stack {
    static STACK: LazyLock<Stack> = LazyLock::new(|| {
        Stack::start(Options {
            shop: true,
            ..Options::default()
        })
    });
    &STACK
}

fn login() -> RawClient {
    let mut client = RawClient::login(stack().proxied_address(), &stack().login(sample::ROLE));
    for setting in ["SET timezone = 'UTC'", "SET statement_timeout = '4s'"] {
        assert!(kinds(&client.query(setting)).starts_with('C'));
    }
    client
}

/// The right rows of each question.
fn gold() -> HashMap<String, (ShopQuestion, RunOutcome)> {
    let mut client = login();
    let questions = questions::shop().unwrap().into_iter();
    questions
        .map(|question| {
            let outcome = RunOutcome::of(&mut client, &question.gold_sql);
            (question.id.clone(), (question, outcome))
        })
        .collect()
}

/// The statement of an answer. One of another dialect goes as the object that says so.
fn sent(print: &str) -> String {
    let Ok(value @ Value::Object(_)) = serde_json::from_str(print) else {
        return print.to_owned();
    };
    let candidate = Candidate::of_json(&value).unwrap();
    match candidate.dialect {
        Some(_) => print.to_owned(),
        None => candidate.sql,
    }
}

fn is_right_at_the_second_attempt(
    client: &mut RawClient,
    answer: &ScriptedAnswer,
    first: &RunOutcome,
    (question, right): &(ShopQuestion, RunOutcome),
) {
    let hint = first.error().unwrap().field(b'H');
    assert!(hint.is_some(), "{}: no hint", question.id);
    let second = answer.second.as_deref().unwrap();
    let second = RunOutcome::of(client, &sent(second));
    let fate = second.fate(right, is_ordered(question));
    assert_eq!(fate, Some(AnswerFate::Right), "{}", question.id);
}

/// Runs each answer of a script, but for malformed ones, and counts the fates.
fn check_script(script: &str) -> BTreeMap<String, usize> {
    let gold = gold();
    let mut client = login();
    let mut counts = BTreeMap::new();
    for one in questions::script(script).unwrap() {
        let known = &gold[&one.id];
        for answer in &one.answers {
            *counts.entry(format!("{:?}", answer.expect)).or_default() += 1;
            if answer.expect == AnswerFate::Malformed {
                continue;
            }
            let outcome = RunOutcome::of(&mut client, &sent(&answer.print));
            match outcome.fate(&known.1, is_ordered(&known.0)) {
                Some(fate) => assert_eq!(fate, answer.expect, "{}: {outcome:?}", one.id),
                None => {
                    assert_eq!(answer.expect, AnswerFate::Second, "{}: {outcome:?}", one.id);
                    is_right_at_the_second_attempt(&mut client, answer, &outcome, known);
                }
            }
        }
    }
    println!("{counts:?}");
    counts
}

#[test]
fn every_gold_statement_runs_as_it_is_written() {
    for (id, (_, outcome)) in gold() {
        assert!(outcome.error().is_none(), "{id}: {outcome:?}");
        assert_eq!(outcome.notices(), Vec::<String>::new(), "{id}");
        let rows = outcome.rows.len();
        assert!((1..=40).contains(&rows), "{id}: {rows} rows");
    }
}

#[test]
fn the_good_generator_is_right_but_for_two() {
    let counts = check_script(questions::GOOD);
    assert_eq!(
        counts,
        BTreeMap::from([("Right".into(), 58), ("Wrong".into(), 2)])
    );
}

#[test]
fn each_answer_of_the_sloppy_generator_has_the_fate_that_its_script_tells() {
    check_script(questions::SLOPPY);
}

#[test]
fn no_attack_of_the_hostile_generator_leaves_a_trace() {
    let before = contents(stack());
    for one in questions::script(questions::HOSTILE).unwrap() {
        for answer in &one.answers {
            let object = serde_json::from_str(&answer.print).ok();
            let inside = object.and_then(|value| Candidate::of_json(&value).ok());
            for text in [
                Some(answer.print.clone()),
                inside.map(|candidate| candidate.sql),
            ] {
                let Some(text) = text else { continue };
                let outcome = RunOutcome::of(&mut login(), &text);
                let failed = outcome.error().is_some();
                let wanted = answer.expect == AnswerFate::Refused;
                assert_eq!(failed, wanted, "{:?}: {outcome:?}", one.attack);
                assert!(!failed || outcome.rows.is_empty(), "{:?}", one.attack);
            }
        }
    }
    assert_eq!(contents(stack()), before);
}

#[test]
fn the_generators_are_commands() {
    let shop = questions::shop().unwrap();
    let request = json!({"id": shop[0].id, "question": shop[0].question, "run": 1, "attempt": 1});
    for generator in ["good", "sloppy", "hostile"] {
        let output = pgsieve(&["demo-generator", generator], &request.to_string());
        assert_eq!(output.status.code(), Some(0), "{generator}");
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.contains("customers"), "{printed}");
    }
    let malformed = json!({"id": "s57", "question": shop[56].question, "run": 1, "attempt": 1});
    let output = pgsieve(&["demo-generator", "sloppy"], &malformed.to_string());
    assert_eq!(output.status.code(), Some(1));
    for (input, why) in [
        ("SELECT 1", "no JSON object"),
        (r#"{"question": "Who is it?"}"#, "none of the sample shop's"),
    ] {
        let output = pgsieve(&["demo-generator", "good"], input);
        assert_eq!(output.status.code(), Some(2), "{input}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(why), "{said}");
    }
    let help = pgsieve(&["--help"], "");
    assert!(
        !String::from_utf8(help.stdout)
            .unwrap()
            .contains("demo-generator")
    );
}
