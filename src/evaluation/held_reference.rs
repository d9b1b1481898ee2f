//! What an answer is held against: the rows of a reference, and whether their order matters.

use super::dataset::Reference;
use super::proxy_session::StatementAnswer;
use super::question_sessions::{QuestionSessions, RepairSwitch};
use super::report::{AnswerOutcome, ReferenceReport, ReferenceState};
use super::result_comparison::{ColumnKind, ComparedResult, ComparisonRules, ResultMatch, compare};
use crate::sql::tree::{self, Node};
use crate::wire_client::session::SessionFault;

/// The rows that answer a question: any of these.
pub(super) struct HeldReference {
    /// What the report says of it.
    pub(super) report: ReferenceReport,
    results: Vec<HeldResult>,
}

struct HeldResult {
    rows: ComparedResult,
    in_order: bool,
}

/// What came of one statement of a reference.
enum RanReference {
    Rows { held: HeldResult, repaired: bool },
    Fails(Option<String>),
    TooLarge,
}

impl HeldReference {
    /// Runs the statements of a reference, as they stand; where one fails, with repairs.
    pub(super) async fn of(
        reference: Option<&Reference>,
        sessions: &mut QuestionSessions<'_>,
    ) -> Self {
        let statements: &[String] = match reference {
            None => return Self::without(ReferenceState::None, None),
            Some(Reference::Rows(rows)) => return Self::of_rows(rows),
            Some(Reference::Statement(statement)) => std::slice::from_ref(statement),
            Some(Reference::AnyOf(statements)) => statements,
        };
        let (mut results, mut any_repaired) = (Vec::new(), false);
        let mut worst = (ReferenceState::Fails, None);
        for statement in statements {
            match ran(statement, sessions).await {
                RanReference::Rows { held, repaired } => {
                    results.push(held);
                    any_repaired |= repaired;
                }
                RanReference::Fails(sqlstate) => worst = (ReferenceState::Fails, sqlstate),
                RanReference::TooLarge => worst = (ReferenceState::TooLarge, None),
            }
        }
        if results.is_empty() {
            return Self::without(worst.0, worst.1);
        }
        Self {
            report: ReferenceReport {
                state: ReferenceState::Known,
                sqlstate: None,
                repaired: any_repaired,
            },
            results,
        }
    }

    fn without(state: ReferenceState, sqlstate: Option<String>) -> Self {
        Self {
            report: ReferenceReport {
                state,
                sqlstate,
                repaired: false,
            },
            results: Vec::new(),
        }
    }

    /// Rows that stand in the dataset; of which kind their columns are only an answer can tell.
    fn of_rows(rows: &[Vec<Option<String>>]) -> Self {
        let rows = ComparedResult {
            columns: Vec::new(),
            rows: rows.to_vec(),
        };
        let held = HeldResult {
            rows,
            in_order: false,
        };
        Self {
            results: vec![held],
            ..Self::without(ReferenceState::Known, None)
        }
    }

    /// What an answer comes to, and in what it is wrong.
    pub(super) fn judge(
        &self,
        answer: &Result<StatementAnswer, SessionFault>,
        rules: ComparisonRules,
    ) -> (AnswerOutcome, Option<String>) {
        let failed = |class: &str| (AnswerOutcome::Failed, Some(class.to_owned()));
        let answer = match answer {
            Ok(answer) => answer,
            Err(SessionFault::Refused(error)) => return failed(&error.sqlstate),
            Err(SessionFault::Lost) => return failed("connection"),
            Err(SessionFault::TimedOut) => return failed("timeout"),
            Err(SessionFault::Unsayable) => return failed("unsayable"),
            Err(SessionFault::TooLarge) if self.results.is_empty() => {
                return (AnswerOutcome::Runs, None);
            }
            Err(SessionFault::TooLarge) => {
                return (AnswerOutcome::Wrong, Some("too_large".to_owned()));
            }
        };
        let found = match &answer.result {
            Ok(found) => found,
            Err(error) => return failed(&error.sqlstate),
        };
        let mut first = None;
        for held in &self.results {
            match held.compare(found, rules) {
                ResultMatch::Same => return (AnswerOutcome::Right, None),
                other => _ = first.get_or_insert(other),
            }
        }
        match first {
            Some(other) => (AnswerOutcome::Wrong, Some(other.name().to_owned())),
            None => (AnswerOutcome::Runs, None),
        }
    }
}

impl HeldResult {
    fn compare(&self, found: &ComparedResult, rules: ComparisonRules) -> ResultMatch {
        let rules = ComparisonRules {
            in_order: self.in_order && !rules.as_sets,
            ..rules
        };
        if !self.rows.columns.is_empty() {
            return compare(&self.rows, found, rules);
        }
        let width = self.rows.rows.first().map_or(found.columns.len(), Vec::len);
        let mut columns = found.columns.clone();
        columns.resize(width, ColumnKind::Text);
        let wanted = ComparedResult {
            columns,
            rows: self.rows.rows.clone(),
        };
        compare(&wanted, found, rules)
    }
}

async fn ran(statement: &str, sessions: &mut QuestionSessions<'_>) -> RanReference {
    let plain = sessions.run(statement, RepairSwitch::Off).await;
    let (answer, repaired) = match plain {
        Ok(answer) if answer.result.is_err() => {
            (sessions.run(statement, RepairSwitch::On).await, true)
        }
        other => (other, false),
    };
    match answer {
        Ok(answer) if answer.is_cut => RanReference::TooLarge,
        Ok(answer) => {
            let ran = answer.repair.and_then(|repair| repair.ran);
            match answer.result {
                Ok(rows) => RanReference::Rows {
                    held: HeldResult {
                        in_order: orders_rows(ran.as_deref().unwrap_or(statement)),
                        rows,
                    },
                    repaired,
                },
                Err(error) => RanReference::Fails(Some(error.sqlstate)),
            }
        }
        Err(SessionFault::TooLarge) => RanReference::TooLarge,
        Err(SessionFault::Refused(error)) => RanReference::Fails(Some(error.sqlstate)),
        Err(_) => RanReference::Fails(None),
    }
}

/// Whether the outermost query of a text has ORDER BY.
fn orders_rows(text: &str) -> bool {
    let Ok(parsed) = tree::parse(text) else {
        return false;
    };
    let last = parsed.statements().last().map(|statement| statement.node);
    matches!(last, Some(Node::SelectStmt(select)) if !select.sort_clause().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn answer(columns: &[ColumnKind], rows: &[&[&str]]) -> Result<StatementAnswer, SessionFault> {
        let rows = rows
            .iter()
            .map(|row| row.iter().map(|text| Some((*text).to_owned())).collect());
        Ok(StatementAnswer {
            result: Ok(ComparedResult {
                columns: columns.to_vec(),
                rows: rows.collect(),
            }),
            repair: None,
            is_cut: false,
            elapsed: Duration::ZERO,
        })
    }

    #[test]
    fn rows_of_a_dataset_take_the_kinds_of_the_answer() {
        let text = |texts: &[&str]| texts.iter().map(|text| Some((*text).to_owned())).collect();
        let held = HeldReference::of_rows(&[text(&["1.5", "a"]), text(&["2", "b"])]);
        let rules = ComparisonRules::default();
        let judge = |columns: &[ColumnKind], rows: &[&[&str]]| {
            let (outcome, class) = held.judge(&answer(columns, rows), rules);
            (outcome, class.unwrap_or_default())
        };
        use ColumnKind::{Exact, Text};
        let right = (AnswerOutcome::Right, String::new());
        assert_eq!(
            judge(&[Exact, Text], &[&["2.0", "b"], &["1.50", "a"]]),
            right
        );
        let wrong = |class: &str| (AnswerOutcome::Wrong, class.to_owned());
        assert_eq!(judge(&[Exact], &[&["2"], &["1.5"]]), wrong("other_columns"));
        assert_eq!(judge(&[Exact, Text], &[&["2", "b"]]), wrong("other_count"));
        assert_eq!(
            judge(&[Exact, Text], &[&["2", "b"], &["1", "a"]]),
            wrong("other_values")
        );
        let lost = held.judge(&Err(SessionFault::TimedOut), rules);
        assert_eq!(lost, (AnswerOutcome::Failed, Some("timeout".to_owned())));
    }

    #[test]
    fn an_order_is_the_outermost_querys() {
        assert!(orders_rows("SELECT a FROM t ORDER BY a LIMIT 3;"));
        assert!(orders_rows(
            "SELECT a FROM t UNION SELECT b FROM u ORDER BY 1"
        ));
        assert!(!orders_rows(
            "SELECT a FROM (SELECT a FROM t ORDER BY a) AS s"
        ));
        assert!(!orders_rows("SELECT TOP 3 a FROM t ORDER BY a"));
    }
}
