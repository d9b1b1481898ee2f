//! `explain_analyze`: EXPLAIN ANALYZE, which runs the statement that it explains.
//!
//! # Sees
//! EXPLAIN with ANALYZE in any spelling whose value is not plainly false, and options of EXPLAIN
//! that are not known.
//!
//! # Why
//! It executes the statement. Under `explain_analyze: reads` it passes over a statement that would
//! pass by itself; the statement is judged either way.
//!
//! # Before
//! - `EXPLAIN ANALYZE SELECT 1`
//! - `EXPLAIN (VERBOSE, ANALYZE true) SELECT 1`
//!
//! # After
//! - `EXPLAIN SELECT 1`
//! - `EXPLAIN (ANALYZE false, FORMAT json) SELECT 1`
//! - `EXPLAIN (ANALYZE, BUFFERS) SELECT 1` (bi)
//!
//! # When not
//! EXPLAIN without it only plans; its statement is judged all the same, because planning evaluates
//! functions.

use crate::context::JudgeContext;
use crate::rules::{RuleResult, node_unknown};
use crate::{Refusal, Rule};
use catalog::quoted;
use policy::ExplainAnalyze;
use sql::tree::{ConstValue, Node, nodes};

pub(crate) fn check(node: Node<'_>, context: &JudgeContext<'_>) -> RuleResult {
    let Node::ExplainStmt(explain) = node else {
        return Err(node_unknown::refusal(node));
    };
    if let Some(option) = explain.options().iter().find(|option| !is_known(option)) {
        let name = quoted(option.defname().unwrap_or_default());
        return Err(Refusal::new(
            Rule::ExplainAnalyze,
            &format!("EXPLAIN ({name}) is not allowed: the option is not known here"),
            "Use VERBOSE, COSTS, SETTINGS, BUFFERS, SUMMARY, MEMORY or FORMAT.",
        ));
    }
    match context.policy.statements().explain_analyze {
        ExplainAnalyze::Refuse if runs(explain) => Err(refusal()),
        ExplainAnalyze::Refuse | ExplainAnalyze::Reads => Ok(()),
    }
}

/// Whether the statement is executed: any ANALYZE option whose value is not plainly false. The
/// server takes the last of several; here one is enough.
pub(crate) fn runs(explain: &nodes::ExplainStmt) -> bool {
    explain
        .options()
        .iter()
        .any(|option| name_is(option, "analyze") && !is_false(option))
}

fn refusal() -> Box<Refusal> {
    Refusal::new(
        Rule::ExplainAnalyze,
        "EXPLAIN ANALYZE is not allowed: it would run the statement",
        "EXPLAIN without ANALYZE is accepted.",
    )
}

fn is_known(option: &nodes::DefElem) -> bool {
    OPTIONS.iter().any(|known| name_is(option, known))
}

fn name_is(option: &nodes::DefElem, name: &str) -> bool {
    option
        .defname()
        .is_some_and(|given| given.eq_ignore_ascii_case(name))
}

/// False as `defGetBoolean` reads it; what that would not accept is not false.
fn is_false(option: &nodes::DefElem) -> bool {
    match option.arg() {
        Node::Integer(number) => number.ival == 0,
        Node::Boolean(value) => !value.boolval,
        Node::String(text) => is_false_word(text.sval().unwrap_or_default()),
        Node::A_Const(constant) => match constant.val() {
            Some(ConstValue::Integer(number)) => number == 0,
            Some(ConstValue::Boolean(value)) => !value,
            Some(ConstValue::String(text)) => is_false_word(text),
            _ => false,
        },
        _ => false,
    }
}

fn is_false_word(word: &str) -> bool {
    word.eq_ignore_ascii_case("false") || word.eq_ignore_ascii_case("off")
}

const OPTIONS: [&str; 12] = [
    "analyze",
    "verbose",
    "costs",
    "settings",
    "generic_plan",
    "buffers",
    "wal",
    "timing",
    "summary",
    "format",
    "memory",
    "serialize",
];

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::{check, check_bi};

    #[test]
    fn analyze_is_seen_in_every_spelling() {
        check(
            Rule::ExplainAnalyze,
            &[
                "EXPLAIN ANALYZE SELECT 1",
                "EXPLAIN ANALYSE VERBOSE SELECT 1",
                "EXPLAIN (ANALYZE) SELECT 1",
                "EXPLAIN (analyze on) SELECT 1",
                "EXPLAIN (ANALYZE 'true') SELECT 1",
                "EXPLAIN (ANALYZE 1) SELECT 1",
                "EXPLAIN (ANALYZE 2) SELECT 1",
                "EXPLAIN (\"ANALYZE\") SELECT 1",
                "EXPLAIN (ANALYSE true) SELECT 1",
                "EXPLAIN (BUFFERS, ANALYZE) SELECT 1",
                "EXPLAIN (ANALYZE, ANALYZE false) SELECT 1",
                "EXPLAIN (ANALYZE false, ANALYZE) SELECT 1",
                "EXPLAIN (new_option) SELECT 1",
            ],
            &[
                "EXPLAIN SELECT 1",
                "EXPLAIN VERBOSE SELECT 1",
                "EXPLAIN (ANALYZE false) SELECT 1",
                "EXPLAIN (ANALYZE off, COSTS off) SELECT 1",
                "EXPLAIN (ANALYZE 0) SELECT 1",
                "EXPLAIN (ANALYZE 'FALSE') SELECT 1",
                "EXPLAIN (FORMAT json) SELECT 1",
                "EXPLAIN DECLARE c CURSOR FOR SELECT 1",
            ],
        );
    }

    #[test]
    fn reads_may_be_analyzed_where_the_policy_says_so() {
        check_bi(
            Rule::ExplainAnalyze,
            &["EXPLAIN (other) SELECT 1"],
            &[
                "EXPLAIN ANALYZE SELECT 1",
                "EXPLAIN (ANALYZE, BUFFERS) TABLE t",
            ],
        );
        check_bi(
            Rule::Ddl,
            &["EXPLAIN ANALYZE CREATE TABLE x AS SELECT 1"],
            &[],
        );
        check_bi(Rule::SelectInto, &["EXPLAIN ANALYZE SELECT 1 INTO x"], &[]);
        check_bi(
            Rule::WriteStatement,
            &["EXPLAIN ANALYZE DELETE FROM t"],
            &[],
        );
        check_bi(Rule::PreparedName, &["EXPLAIN ANALYZE EXECUTE p"], &[]);
    }
}
