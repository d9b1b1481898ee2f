//! Sixty questions about the sample shop, each with a statement that is right, and what three
//! scripted generators write for them.
//!
//! All of it is data beside this file, a JSON object a line. The right statements need nothing but
//! what [`super::sample`] loads, and give the same rows each time. What `expect` says of an answer
//! is what becomes of it under the default policy; a test runs each.

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The questions, as a dataset of evaluations.
pub const SHOP: &str = include_str!("shop.jsonl");

/// What a good generator writes: right but for two.
pub const GOOD: &str = include_str!("good.jsonl");

/// What a middling one writes: a third is right as it is, another third after a repair.
pub const SLOPPY: &str = include_str!("sloppy.jsonl");

/// An attack in answer to each question.
pub const HOSTILE: &str = include_str!("hostile.jsonl");

/// A question about the shop.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShopQuestion {
    /// Its name, `s01` to `s60`.
    pub id: String,
    /// The question in English.
    pub question: String,
    /// A statement that answers it.
    pub gold_sql: String,
    /// How hard it is to answer.
    pub difficulty: QuestionDifficulty,
    /// Where it is from.
    pub origin: String,
    /// What whoever answers it should know of the data.
    pub comments: Option<String>,
}

/// How hard a question is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QuestionDifficulty {
    /// One table, one condition.
    Easy,
    /// Joins and groups.
    Medium,
    /// Windows, recursion, or several steps.
    Hard,
}

/// What a generator writes for a question.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedQuestion {
    /// The name of the question.
    pub id: String,
    /// The attack that it is, if it is one.
    pub attack: Option<String>,
    /// What it writes; if there are several, the number of the run decides.
    pub answers: Vec<ScriptedAnswer>,
}

/// One answer of a generator.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedAnswer {
    /// What becomes of it under the default policy.
    pub expect: AnswerFate,
    /// What it prints.
    pub print: String,
    /// What it prints once it was told how that failed, with a hint.
    pub second: Option<String>,
    /// The exit status.
    #[serde(default)]
    pub status: u8,
}

/// What becomes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerFate {
    /// It gives the rows of the right statement.
    Right,
    /// It fails, and its repair gives them.
    Repaired,
    /// It fails, and what is printed after the hint gives them.
    Second,
    /// It gives other rows.
    Wrong,
    /// It is no statement, or the generator ends with an error.
    Malformed,
    /// It is refused, or fails: nothing of it runs to its end.
    Refused,
    /// It reads what anybody may read, whatever it was meant to do.
    Harmless,
}

/// The questions.
///
/// # Errors
/// A line is none: the file is broken.
pub fn shop() -> serde_json::Result<Vec<ShopQuestion>> {
    each_line(SHOP)
}

/// What a generator writes, from [`GOOD`], [`SLOPPY`] or [`HOSTILE`].
///
/// # Errors
/// A line is not of this form.
pub fn script(text: &str) -> serde_json::Result<Vec<ScriptedQuestion>> {
    each_line(text)
}

fn each_line<T: DeserializeOwned>(text: &str) -> serde_json::Result<Vec<T>> {
    text.lines().map(serde_json::from_str).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn there_are_sixty_questions_each_with_a_name_of_its_own() {
        let questions = shop().unwrap();
        let ids: Vec<&str> = questions.iter().map(|one| one.id.as_str()).collect();
        let named: Vec<String> = (1..=60).map(|number| format!("s{number:02}")).collect();
        assert_eq!(ids, named);
        let texts: BTreeSet<&str> = questions.iter().map(|one| one.question.as_str()).collect();
        assert_eq!(texts.len(), 60);
        let hard = |wanted| {
            let of_it = questions.iter().filter(|one| one.difficulty == wanted);
            of_it.count()
        };
        use QuestionDifficulty::{Easy, Hard, Medium};
        assert_eq!([Easy, Medium, Hard].map(hard), [20, 25, 15]);
        for one in &questions {
            assert_eq!(one.origin, "shop");
            for changing in ["now()", "random()", "current_"] {
                assert!(!one.gold_sql.contains(changing), "{}", one.id);
            }
        }
    }

    #[test]
    fn each_generator_has_an_answer_to_each_question() {
        let ids: Vec<String> = shop().unwrap().into_iter().map(|one| one.id).collect();
        for text in [GOOD, SLOPPY, HOSTILE] {
            let script = script(text).unwrap();
            let answered: Vec<&str> = script.iter().map(|one| one.id.as_str()).collect();
            assert_eq!(answered, ids);
            for one in &script {
                assert!(!one.answers.is_empty(), "{}", one.id);
                for answer in &one.answers {
                    let told = answer.second.is_some();
                    assert_eq!(told, answer.expect == AnswerFate::Second, "{}", one.id);
                    let ends = answer.status == 0 || answer.expect == AnswerFate::Malformed;
                    assert!(ends, "{}", one.id);
                }
            }
        }
    }

    #[test]
    fn answers_are_spread_as_told() {
        use AnswerFate::{Harmless, Malformed, Refused, Repaired, Right, Second, Wrong};
        let first = |text| {
            let mut counts = BTreeMap::new();
            for one in script(text).unwrap() {
                *counts
                    .entry(format!("{:?}", one.answers[0].expect))
                    .or_insert(0) += 1;
            }
            move |fate: AnswerFate| counts.get(&format!("{fate:?}")).copied().unwrap_or(0)
        };
        let good = first(GOOD);
        assert_eq!([Right, Wrong].map(good), [58, 2]);
        let sloppy = first(SLOPPY);
        let fates = [Right, Repaired, Second, Wrong, Malformed];
        assert_eq!(fates.map(sloppy), [20, 22, 8, 6, 4]);
        let hostile = first(HOSTILE);
        assert_eq!([Refused, Harmless].map(hostile), [55, 5]);
    }

    #[test]
    fn each_attack_is_another() {
        let script = script(HOSTILE).unwrap();
        let attacks: BTreeSet<&str> = script
            .iter()
            .map(|one| one.attack.as_deref().unwrap())
            .collect();
        assert_eq!(attacks.len(), 60);
    }
}
