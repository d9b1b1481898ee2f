//! What the statements of a text do to cursors of SQL: where each puts one, by the words of the
//! text alone. The session counts by it how far a cursor WITH HOLD has come.
//! <https://www.postgresql.org/docs/current/sql-fetch.html>

use std::fmt;

use crate::context::JudgeContext;
use crate::judge;
use crate::rules::with_hold;
use policy::WithHold;
use sql::tree::{FetchDirection, Node, nodes};

/// One statement that does something to a cursor.
#[derive(Clone, PartialEq, Eq)]
pub struct CursorStep {
    /// Which statement of the text, from 0.
    pub statement: u32,
    /// The cursor's name.
    pub name: Box<str>,
    /// What becomes of it.
    pub action: CursorAction,
}

impl CursorStep {
    /// Whether it declares a cursor WITH HOLD.
    pub fn holds(&self) -> bool {
        matches!(self.action, CursorAction::Holds { .. })
    }
}

/// What a statement does to a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorAction {
    /// DECLARE of a cursor that ends with its transaction.
    Declares,
    /// DECLARE of one WITH HOLD.
    Holds {
        /// The rows that a client may get of it; none where its own LIMIT is not above that.
        rows_max: Option<u64>,
    },
    /// FETCH or MOVE.
    Runs(CursorMovement),
    /// CLOSE.
    Closes,
}

/// Where a FETCH or MOVE goes. `u64::MAX` rows are ALL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorMovement {
    /// So many rows on.
    Forward(u64),
    /// So many rows back.
    Backward(u64),
    /// To this row; before the first one at 0, from the end where it is negative.
    To(i64),
    /// To the row that stands so far from here.
    By(i64),
}

/// Notes what a statement that passed does, where the policy bounds cursors.
pub(crate) fn note(node: Node<'_>, context: &mut JudgeContext<'_>) {
    let WithHold::Bounded { rows_max, .. } = context.policy.statements().with_hold else {
        return;
    };
    let (name, deed) = match node {
        Node::DeclareCursorStmt(declare) if judge::holds(declare) => {
            let rows_max = with_hold::counted(declare, rows_max);
            (declare.portalname(), CursorAction::Holds { rows_max })
        }
        Node::DeclareCursorStmt(declare) => (declare.portalname(), CursorAction::Declares),
        Node::FetchStmt(fetch) => (
            fetch.portalname(),
            CursorAction::Runs(CursorMovement::of(fetch)),
        ),
        Node::ClosePortalStmt(close) => match close.portalname() {
            Some(name) => (Some(name), CursorAction::Closes),
            None => return,
        },
        _ => return,
    };
    context.cursor_steps.push(CursorStep {
        statement: context.index,
        name: super::truncated_name(name.unwrap_or_default()).into(),
        action: deed,
    });
}

impl CursorMovement {
    fn of(fetch: &nodes::FetchStmt) -> Self {
        let count = fetch.how_many;
        // FETCH_ALL is the largest number.
        let rows = match count.unsigned_abs() {
            rows if rows >= i64::MAX.unsigned_abs() => u64::MAX,
            rows => rows,
        };
        match (fetch.direction, count < 0) {
            (FetchDirection::FETCH_FORWARD, false) | (FetchDirection::FETCH_BACKWARD, true) => {
                Self::Forward(rows)
            }
            (FetchDirection::FETCH_FORWARD, true) | (FetchDirection::FETCH_BACKWARD, false) => {
                Self::Backward(rows)
            }
            (FetchDirection::FETCH_ABSOLUTE, _) => Self::To(count),
            // FETCH_RELATIVE, the last that the grammar has.
            _ => Self::By(count),
        }
    }
}

impl fmt::Debug for CursorStep {
    /// Without the name, which the client chose.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "CursorStep({} {:?})",
            self.statement, self.action
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::check::gate;
    use crate::{SessionNames, Verdict};
    use policy::Policy;

    /// What the statements of a text do, behind a cursor `c` that stands.
    fn deeds(text: &str) -> Vec<CursorAction> {
        let text = format!("DECLARE c CURSOR FOR SELECT 1; {text}");
        let names = SessionNames::of_no_database();
        let judgement = gate(Policy::bi()).judge(text.as_str().into(), &names);
        assert!(matches!(judgement.verdict, Verdict::Permitted(_)), "{text}");
        let steps = judgement.facts.cursor_steps.iter();
        steps.skip(1).map(|step| step.action).collect()
    }

    #[test]
    fn every_direction_is_known() {
        let all = u64::MAX;
        for (words, way) in [
            ("", CursorMovement::Forward(1)),
            ("NEXT", CursorMovement::Forward(1)),
            ("PRIOR", CursorMovement::Backward(1)),
            ("FIRST", CursorMovement::To(1)),
            ("LAST", CursorMovement::To(-1)),
            ("ABSOLUTE 7", CursorMovement::To(7)),
            ("ABSOLUTE -7", CursorMovement::To(-7)),
            ("ABSOLUTE 0", CursorMovement::To(0)),
            ("RELATIVE 7", CursorMovement::By(7)),
            ("RELATIVE -7", CursorMovement::By(-7)),
            ("7", CursorMovement::Forward(7)),
            ("-7", CursorMovement::Backward(7)),
            ("0", CursorMovement::Forward(0)),
            ("ALL", CursorMovement::Forward(all)),
            ("FORWARD", CursorMovement::Forward(1)),
            ("FORWARD 7", CursorMovement::Forward(7)),
            ("FORWARD -7", CursorMovement::Backward(7)),
            ("FORWARD ALL", CursorMovement::Forward(all)),
            ("BACKWARD", CursorMovement::Backward(1)),
            ("BACKWARD 7", CursorMovement::Backward(7)),
            ("BACKWARD -7", CursorMovement::Forward(7)),
            ("BACKWARD ALL", CursorMovement::Backward(all)),
        ] {
            for verb in ["FETCH", "MOVE"] {
                let text = format!("{verb} {words} FROM c");
                assert_eq!(deeds(&text), [CursorAction::Runs(way)], "{text}");
            }
        }
    }

    #[test]
    fn each_statement_is_noted_with_its_place() {
        assert_eq!(deeds("CLOSE c"), [CursorAction::Closes]);
        assert_eq!(
            deeds("CLOSE ALL; EXPLAIN DECLARE d CURSOR FOR SELECT 1"),
            []
        );
        assert_eq!(
            deeds("SELECT 1; DECLARE d CURSOR WITH HOLD FOR SELECT 1 LIMIT 5; MOVE d"),
            [
                CursorAction::Holds { rows_max: None },
                CursorAction::Runs(CursorMovement::Forward(1))
            ]
        );
        assert_eq!(
            deeds("DECLARE d CURSOR WITH HOLD FOR SELECT 1 LIMIT 1000001"),
            [CursorAction::Holds {
                rows_max: Some(1_000_000)
            }]
        );
        let text = "SHOW geqo; DECLARE c CURSOR FOR SELECT 1; SHOW geqo; CLOSE c";
        let judgement = gate(Policy::bi()).judge(text.into(), &SessionNames::of_no_database());
        let steps = judgement.facts.cursor_steps.iter();
        let places: Vec<u32> = steps.map(|step| step.statement).collect();
        assert_eq!(places, [1, 3]);
        let strict = Policy::from_yaml(include_str!("../../../policies/strict.yaml")).unwrap();
        let judgement = gate(strict).judge("CLOSE c".into(), &SessionNames::of_no_database());
        assert!(judgement.facts.cursor_steps.is_empty());
    }
}
