//! Three generators of SQL that follow a script, so that an evaluation can be shown without a
//! model: [`GeneratorKind::Good`], [`GeneratorKind::Sloppy`] and [`GeneratorKind::Hostile`].
//!
//! They take a question and print, as a command that somebody names with `--generate` does. They
//! know the questions of [`super::questions`] and no others. The same request always has the same
//! answer.

mod request;

use std::fmt;

pub use request::{GeneratorRequest, PreviousFailure};

use super::questions::{self, ScriptedAnswer};

/// Which generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeneratorKind {
    /// Nearly always right.
    Good,
    /// Writes what a middling model writes.
    Sloppy,
    /// Attacks.
    Hostile,
}

impl GeneratorKind {
    /// The word by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Sloppy => "sloppy",
            Self::Hostile => "hostile",
        }
    }
}

/// What a generator prints, and how it ends.
#[derive(Debug, PartialEq, Eq)]
pub struct GeneratorOutput {
    /// On its standard output.
    pub text: String,
    /// Its exit status.
    pub status: u8,
}

/// Why a generator has no answer.
#[derive(Debug)]
pub enum GeneratorError {
    /// The script that it follows is broken.
    Script(serde_json::Error),
    /// The question is none of the shop's.
    UnknownQuestion,
}

/// The answer of a generator.
///
/// # Errors
/// It does not know the question.
pub fn answer(
    kind: GeneratorKind,
    request: &GeneratorRequest,
) -> Result<GeneratorOutput, GeneratorError> {
    let script = match kind {
        GeneratorKind::Good => questions::GOOD,
        GeneratorKind::Sloppy => questions::SLOPPY,
        GeneratorKind::Hostile => questions::HOSTILE,
    };
    let script = questions::script(script).map_err(GeneratorError::Script)?;
    let id = known_id(request)?;
    let found = script.into_iter().find(|one| one.id == id);
    let mut answers = found.ok_or(GeneratorError::UnknownQuestion)?.answers;
    let chosen = choice(&id, request.run, answers.len());
    if chosen >= answers.len() {
        return Err(GeneratorError::UnknownQuestion);
    }
    Ok(told(answers.swap_remove(chosen), request.previous.as_ref()))
}

/// Questions are known by their names, and by their texts where somebody named them otherwise.
fn known_id(request: &GeneratorRequest) -> Result<String, GeneratorError> {
    let shop = questions::shop().map_err(GeneratorError::Script)?;
    let by_text = |one: &&questions::ShopQuestion| one.question == request.question;
    let by_name = shop.iter().find(|one| request.id.as_ref() == Some(&one.id));
    let found = by_name.or_else(|| shop.iter().find(by_text));
    let id = found.map(|one| one.id.clone());
    id.ok_or(GeneratorError::UnknownQuestion)
}

/// Only who is told what to do better does it better.
fn told(answer: ScriptedAnswer, previous: Option<&PreviousFailure>) -> GeneratorOutput {
    let text = match answer.second {
        Some(second) if previous.is_some_and(PreviousFailure::helps) => second,
        Some(_) | None => answer.print,
    };
    GeneratorOutput {
        text,
        status: answer.status,
    }
}

/// Which of several answers a run gets: by a hash (FNV-1a), so that runs differ and none changes.
fn choice(id: &str, run: u32, among: usize) -> usize {
    let bytes = id.bytes().chain(run.to_le_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    // The upper half: the lowest bits of such a hash depend on those of the bytes alone.
    let upper = usize::try_from(hash >> 32).unwrap_or_default();
    upper.checked_rem(among).unwrap_or_default()
}

impl fmt::Display for GeneratorError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Script(error) => write!(out, "the script is broken: {error}"),
            Self::UnknownQuestion => {
                out.write_str("the question is none of the sample shop's: id is s01 to s60")
            }
        }
    }
}

impl std::error::Error for GeneratorError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::questions::AnswerFate;

    fn request(id: &str, run: u32, hint: Option<&str>) -> GeneratorRequest {
        GeneratorRequest {
            id: Some(id.to_owned()),
            question: String::new(),
            run,
            previous: hint.map(|hint| PreviousFailure {
                hint: Some(hint.to_owned()),
                suggested_sql: None,
            }),
        }
    }

    #[test]
    fn every_question_has_an_answer_of_its_script() {
        for (kind, script) in [
            (GeneratorKind::Good, questions::GOOD),
            (GeneratorKind::Sloppy, questions::SLOPPY),
            (GeneratorKind::Hostile, questions::HOSTILE),
        ] {
            for one in questions::script(script).unwrap() {
                for run in 1..5 {
                    let output = answer(kind, &request(&one.id, run, None)).unwrap();
                    let scripted = one.answers.iter();
                    let mut same = scripted.filter(|answer| answer.print == output.text);
                    assert!(same.any(|answer| answer.status == output.status));
                    let again = answer(kind, &request(&one.id, run, None)).unwrap();
                    assert_eq!(output, again);
                }
            }
        }
    }

    #[test]
    fn a_hint_brings_the_second_text_and_its_lack_the_first_again() {
        let mut seen = 0;
        for one in questions::script(questions::SLOPPY).unwrap() {
            let scripted = &one.answers[0];
            if one.answers.len() > 1 || scripted.expect != AnswerFate::Second {
                continue;
            }
            seen += 1;
            let without = PreviousFailure {
                hint: None,
                suggested_sql: None,
            };
            let mut asked = request(&one.id, 1, Some("cast it"));
            let helped = answer(GeneratorKind::Sloppy, &asked).unwrap();
            assert_eq!(Some(&helped.text), scripted.second.as_ref());
            asked.previous = Some(without);
            let unhelped = answer(GeneratorKind::Sloppy, &asked).unwrap();
            assert_eq!(unhelped.text, scripted.print);
        }
        assert_eq!(seen, 8);
    }

    #[test]
    fn runs_of_the_sloppy_generator_differ() {
        let run = |number| {
            let ids = (1..=60).map(|id| format!("s{id:02}"));
            let answers = ids.map(|id| {
                let output = answer(GeneratorKind::Sloppy, &request(&id, number, None));
                output.unwrap().text
            });
            answers.collect::<Vec<_>>()
        };
        let (first, second, third) = (run(1), run(2), run(3));
        assert!(first != second && second != third && first != third);
        let other = first.iter().zip(&second).filter(|(one, two)| one != two);
        assert!(other.count() <= 9, "most of a run is as the one before");
    }

    #[test]
    fn a_question_is_known_by_its_text_too_and_no_other_is() {
        let mut asked = request("17", 1, None);
        asked.question = "How many customers get the newsletter?".to_owned();
        assert!(answer(GeneratorKind::Good, &asked).is_ok());
        asked.question = "How many elephants are there?".to_owned();
        let unknown = answer(GeneratorKind::Good, &asked);
        assert!(matches!(unknown, Err(GeneratorError::UnknownQuestion)));
    }
}
