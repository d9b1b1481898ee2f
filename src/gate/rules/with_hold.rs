//! `with_hold`: cursors that outlive their transaction.
//!
//! # Sees
//! DECLARE … CURSOR WITH HOLD, as `statements.with_hold` says: where it is `refuse`, all of them;
//! where it has bounds, one more than `max_cursors` in a session, and the row behind the last of
//! `max_rows`, where a FETCH or MOVE comes to it. Under any policy those of a statement that
//! changes settings.
//!
//! # Why
//! At COMMIT the server runs the statement to its end and keeps the rows, outside of any
//! transaction's bounds: `statement_timeout` does not hold there (tried on 15 and 18), only the
//! clock of the session does, which ends it. So the query gets a LIMIT of one row more than
//! `max_rows`, where its own is not below that. A client that comes to that row gets an error that
//! names the key, never a result that is shorter without a word. What a statement sets it sets
//! then, behind everything that was sent before.
//!
//! # Before
//! - `DECLARE c CURSOR WITH HOLD FOR SELECT 1` (strict)
//! - `DECLARE c CURSOR WITH HOLD FOR SELECT set_config('timezone', 'UTC', false)`
//!
//! # After
//! - `DECLARE c CURSOR FOR SELECT 1`
//! - `DECLARE c CURSOR WITH HOLD FOR SELECT 1 LIMIT 10000`
//!
//! # When not
//! The statement of the cursor is judged by itself, held or not. Where a cursor ends within its
//! bound, every direction of FETCH and MOVE passes: the server is asked whether it does, before
//! LAST, ABSOLUTE from the end and what leads behind the bound. Where it does not, those are
//! refused, since what they give depends on rows that the server was not asked for; and so they are
//! where it cannot be asked, in the message that declares the cursor.

use crate::context::JudgeContext;
use crate::rules::{RuleResult, node_unknown};
use crate::{Facts, Refusal, Rule, judge};
use ground::sqlstate;
use policy::WithHold;
use sql::edit::TextEdit;
use sql::lexer::{Token, TokenKind, tokens};
use sql::tree::{ConstValue, LimitOption, Node, nodes};

pub(crate) fn check(node: Node<'_>, context: &mut JudgeContext<'_>) -> RuleResult {
    let Node::DeclareCursorStmt(declare) = node else {
        return Err(node_unknown::refusal(node));
    };
    match context.policy.statements().with_hold {
        _ if !judge::holds(declare) => Ok(()),
        WithHold::Allow => Ok(()),
        WithHold::Refuse => Err(Refusal::new(
            Rule::WithHold,
            "CURSOR WITH HOLD is not allowed: it outlives its transaction",
            "DECLARE the cursor without WITH HOLD, inside a transaction.",
        )),
        WithHold::Bounded { rows_max, .. } => bound(declare, rows_max, context),
    }
}

/// What a cursor runs that is held.
pub(crate) fn check_inner(inner: &Facts) -> RuleResult {
    if inner.effects.is_empty() {
        return Ok(());
    }
    Err(Refusal::new(
        Rule::WithHold,
        "CURSOR WITH HOLD is not allowed for a statement that changes settings",
        "SET what is to be set in a statement of its own.",
    )
    .with_sqlstate(sqlstate::FEATURE_NOT_SUPPORTED))
}

/// The rows that a client may get of a cursor whose query is bounded; none where its own LIMIT is
/// not above that.
pub(crate) fn counted(declare: &nodes::DeclareCursorStmt, rows_max: u64) -> Option<u64> {
    match LimitBound::of(declare.query()) {
        LimitBound::Rows(own) if own <= rows_max => None,
        LimitBound::Rows(_) | LimitBound::Other | LimitBound::None => Some(rows_max),
    }
}

/// The LIMIT of a query.
enum LimitBound {
    /// There is none.
    None,
    /// So many rows at most.
    Rows(u64),
    /// What the text does not say, or more than a number of rows: ALL, a value, WITH TIES.
    Other,
}

impl LimitBound {
    fn of(query: Node<'_>) -> Self {
        let Node::SelectStmt(select) = query else {
            return Self::Other;
        };
        let constant = match select.limit_count() {
            Node::None => return Self::None,
            Node::A_Const(constant) if !constant.isnull => constant.val(),
            _ => return Self::Other,
        };
        match constant {
            Some(ConstValue::Integer(rows))
                if select.limit_option != LimitOption::LIMIT_OPTION_WITH_TIES =>
            {
                u64::try_from(rows).map_or(Self::Other, Self::Rows)
            }
            _ => Self::Other,
        }
    }
}

/// Bounds the query to one row more than a client may get, where it is not bounded so. What comes
/// of it is judged again, and then has that LIMIT.
fn bound(
    declare: &nodes::DeclareCursorStmt,
    rows_max: u64,
    context: &mut JudgeContext<'_>,
) -> RuleResult {
    let most = rows_max.saturating_add(1);
    let bound = LimitBound::of(declare.query());
    if matches!(bound, LimitBound::Rows(own) if own <= most) {
        return Ok(());
    }
    let (start, end) = query_of(context).ok_or_else(unbounded)?;
    let edit = |at: usize, words: String| TextEdit {
        span: at..at,
        replacement: words,
    };
    match bound {
        LimitBound::None => context.edits.push(edit(end, format!(" LIMIT {most}"))),
        LimitBound::Rows(_) | LimitBound::Other => {
            context
                .edits
                .push(edit(start, "SELECT * FROM (".to_owned()));
            context
                .edits
                .push(edit(end, format!(") AS held LIMIT {most}")));
        }
    }
    Ok(())
}

/// Where the query of the DECLARE at hand begins and ends: behind the first FOR, which no name is
/// without quotes.
fn query_of(context: &JudgeContext<'_>) -> Option<(usize, usize)> {
    let (text, offset) = (
        context.text.get(context.statement.clone())?,
        context.statement.start,
    );
    let is = |token: &Token, word: &str| {
        let own = text.get(token.span.clone());
        own.is_some_and(|own| own.eq_ignore_ascii_case(word))
    };
    let mut words = tokens(text).filter(|token| !token.kind.is_blank());
    words.find(|token| token.kind == TokenKind::Word && is(token, "for"))?;
    let mut query = words.filter(|token| !is(token, ";"));
    let first = query.next()?;
    let end = query.last().map_or(first.span.end, |last| last.span.end);
    Some((offset + first.span.start, offset + end))
}

fn unbounded() -> Box<Refusal> {
    Refusal::new(
        Rule::WithHold,
        "CURSOR WITH HOLD is not allowed: its query cannot be bounded",
        "DECLARE the cursor without WITH HOLD, inside a transaction.",
    )
    .with_sqlstate(sqlstate::FEATURE_NOT_SUPPORTED)
}

#[cfg(test)]
mod tests {
    use crate::rules::check::{agent_with, check, check_bi, check_strict, gate};
    use crate::{Rule, SessionNames, Verdict};
    use policy::Policy;

    #[test]
    fn held_cursors_are_a_choice_of_the_policy() {
        check_strict(
            Rule::WithHold,
            &[
                "DECLARE c NO SCROLL CURSOR WITH HOLD FOR SELECT 1",
                "DECLARE c CURSOR WITH HOLD FOR SELECT 1 LIMIT 1",
            ],
            &["DECLARE c BINARY SCROLL CURSOR WITHOUT HOLD FOR SELECT 1"],
        );
        let sets = "DECLARE c CURSOR WITH HOLD FOR SELECT set_config('search_path', 'a', false)";
        let silent = &[
            "DECLARE c CURSOR WITH HOLD FOR SELECT 1 LIMIT 10000",
            "DECLARE c CURSOR FOR SELECT set_config('search_path', 'a', false)",
        ];
        check(Rule::WithHold, &[], silent);
        check_bi(Rule::WithHold, &[], silent);
        for policy in [Policy::agent(), Policy::bi()] {
            assert_eq!(bounded(policy, sets), Err(Rule::WithHold));
        }
        let writes = "DECLARE c CURSOR WITH HOLD FOR SELECT nextval('s')";
        assert_eq!(bounded(Policy::bi(), writes), Err(Rule::FunctionEffects));
        let locks = "DECLARE c CURSOR WITH HOLD FOR SELECT 1 FROM t FOR UPDATE";
        assert_eq!(bounded(Policy::bi(), locks), Err(Rule::LockingClause));
    }

    /// The text that runs in the place of one.
    fn bounded(policy: Policy, text: &str) -> Result<String, Rule> {
        let gate = gate(policy);
        let names = SessionNames::of_no_database();
        let mut text = text.to_owned();
        for _ in 0..2 {
            match gate.judge(text.as_str().into(), &names).verdict {
                Verdict::Permitted(permit) => return Ok(permit.text().to_owned()),
                Verdict::Refused(refusal) => return Err(refusal.rule),
                Verdict::Clamped(clamp) => text = clamp.text,
            }
        }
        panic!("{text}: lowered without end");
    }

    #[test]
    fn a_query_gets_a_limit_of_one_row_more() {
        let policy = || agent_with(&[("max_rows: 10000", "max_rows: 9")], "");
        let declare = "declare \"for\" no scroll cursor with hold /* for */ for ";
        for (query, runs) in [
            ("SELECT a FROM t", "SELECT a FROM t LIMIT 10"),
            ("SELECT a FROM t ; -- é", "SELECT a FROM t LIMIT 10 ; -- é"),
            ("SELECT a FROM t -- all", "SELECT a FROM t LIMIT 10 -- all"),
            ("SELECT a FROM t LIMIT 9", "SELECT a FROM t LIMIT 9"),
            ("SELECT a FROM t LIMIT 0", "SELECT a FROM t LIMIT 0"),
            ("SELECT a FROM t LIMIT 10", "SELECT a FROM t LIMIT 10"),
            (
                "SELECT a FROM t FETCH FIRST ROW ONLY",
                "SELECT a FROM t FETCH FIRST ROW ONLY",
            ),
            (
                "SELECT a FROM t OFFSET 5",
                "SELECT a FROM t OFFSET 5 LIMIT 10",
            ),
            (
                "SELECT a FROM t ORDER BY a",
                "SELECT a FROM t ORDER BY a LIMIT 10",
            ),
            ("VALUES (1), (2)", "VALUES (1), (2) LIMIT 10"),
            ("TABLE t", "TABLE t LIMIT 10"),
            ("(SELECT a FROM t)", "(SELECT a FROM t) LIMIT 10"),
            ("SELECT", "SELECT LIMIT 10"),
            (
                "SELECT a FROM t UNION (SELECT b FROM u LIMIT 5)",
                "SELECT a FROM t UNION (SELECT b FROM u LIMIT 5) LIMIT 10",
            ),
            (
                "WITH x AS (SELECT a FROM t LIMIT 1) SELECT * FROM x",
                "WITH x AS (SELECT a FROM t LIMIT 1) SELECT * FROM x LIMIT 10",
            ),
        ] {
            let text = format!("{declare}{query}");
            assert_eq!(
                bounded(policy(), &text).as_deref(),
                Ok(&*format!("{declare}{runs}"))
            );
        }
        for query in [
            "SELECT a FROM t LIMIT 11",
            "SELECT a FROM t LIMIT 99999999999",
            "SELECT a FROM t LIMIT ALL",
            "SELECT a FROM t LIMIT NULL",
            "SELECT a FROM t LIMIT $1 OFFSET 3",
            "SELECT a FROM t ORDER BY a LIMIT 2 + 2",
            "SELECT a FROM t LIMIT -1",
            "SELECT a FROM t LIMIT 2.5",
            "SELECT a FROM t ORDER BY a FETCH FIRST 2 ROWS WITH TIES",
            "(SELECT a FROM t LIMIT 11)",
            "WITH x AS (SELECT 1) TABLE x LIMIT (SELECT 20)",
        ] {
            let text = format!("{declare}{query} ;-- x");
            let runs = format!("{declare}SELECT * FROM ({query}) AS held LIMIT 10 ;-- x");
            assert_eq!(bounded(policy(), &text), Ok(runs));
        }
    }

    #[test]
    fn each_of_several_is_bounded() {
        let text = "BEGIN; DECLARE a CURSOR WITH HOLD FOR SELECT 1; DECLARE b CURSOR FOR SELECT 2; \
             DECLARE c CURSOR WITH HOLD FOR SELECT 3 LIMIT ALL; COMMIT";
        let runs = "BEGIN; DECLARE a CURSOR WITH HOLD FOR SELECT 1 LIMIT 1000001; DECLARE b CURSOR \
             FOR SELECT 2; DECLARE c CURSOR WITH HOLD FOR SELECT * FROM (SELECT 3 LIMIT ALL) AS \
             held LIMIT 1000001; COMMIT";
        assert_eq!(bounded(Policy::bi(), text).as_deref(), Ok(runs));
    }
}
