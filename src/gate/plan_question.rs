//! The question for the plan of a read, before it runs: EXPLAIN, never with ANALYZE, of its own
//! text.
//!
//! A permit for the question is made of the permit of the read itself, or, where the read stands
//! inside of another statement (COPY, EXPLAIN ANALYZE, a message of several), of the permit that
//! its own piece of the text gets from this gate. That is sound:
//!
//! - What EXPLAIN makes the server do is the first part of what the read makes it do: to parse, to
//!   look names up, to plan. Whoever may run the read may have it planned.
//! - That it is EXPLAIN, of one statement, of the same kind, and runs nothing, is asked of the
//!   grammar and not of the prefix.
//! - What it shows (estimates over rows that a policy hides, too) never reaches the client. That is
//!   the session's part, and why rules against EXPLAIN, which a client's own meets, do not apply.

use crate::statement_kind;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::rules::{copy, explain_analyze};
use super::{
    Facts, Gate, ParameterTypes, PreparedStatement, ReadPermit, Refusal, Rule, SessionEffect,
    SessionNames, StatementKind, Verdict,
};
use ground::sqlstate;
use policy::{ExplainAnalyze, Policy};
use sql::lexer::{Token, TokenKind, tokens};
use sql::tree::{self, Node, ParsedStatement, SyntaxTree, nodes};

/// What has to be asked before a text runs.
#[derive(Debug, Default)]
pub struct PlanCheck {
    /// The questions, in the order of the text.
    pub questions: Vec<PlanInquiry>,
    /// Whether a transaction ends in the text before something that is asked for: where one is
    /// open, it would be planned as what it is not.
    pub ends_transaction: bool,
}

/// One question.
#[derive(Debug)]
pub struct PlanInquiry {
    /// The EXPLAIN.
    pub permit: ReadPermit<'static>,
    /// How many characters further on things stand in the EXPLAIN than in the text that runs; none
    /// where a place in one says nothing of the other.
    pub shift: Option<i64>,
}

impl Gate {
    /// The questions for the plans of what the text of a Query message reads; none where nothing
    /// in it has a plan. A read with parameters has none: in a Query it fails.
    ///
    /// # Errors
    /// The refusal of a text that cannot be asked about before it runs.
    pub fn plans_of(
        &self,
        permit: &ReadPermit<'_>,
        names: &SessionNames,
    ) -> Result<PlanCheck, Box<Refusal>> {
        self.plans_with(permit, &SourceMessage::Query, names)
    }

    /// The same for a prepared statement that is bound: its values come with the question.
    ///
    /// # Errors
    /// The refusal of a statement that cannot be asked about, or may not run any more.
    pub fn plans_of_prepared(
        &self,
        prepared: &PreparedStatement,
        names: &SessionNames,
    ) -> Result<PlanCheck, Box<Refusal>> {
        if !may_have_plans(prepared.facts.kind, &self.policy) {
            return Ok(PlanCheck::default());
        }
        let text = Cow::Borrowed(&*prepared.text);
        match self.judge_with(text, &prepared.parameters, names).verdict {
            // Its text is the PREPARE that made it: its parameters have types with names only.
            Verdict::Permitted(permit) if permit.facts().kind != prepared.facts.kind => {
                Err(unplannable())
            }
            Verdict::Permitted(permit) => {
                self.plans_with(&permit, &SourceMessage::Parse(&prepared.parameters), names)
            }
            Verdict::Refused(refusal) => Err(refusal),
            Verdict::Clamped(_) => Err(unplannable()),
        }
    }

    fn plans_with(
        &self,
        permit: &ReadPermit<'_>,
        source: &SourceMessage<'_>,
        names: &SessionNames,
    ) -> Result<PlanCheck, Box<Refusal>> {
        if !may_have_plans(permit.facts().kind, &self.policy) {
            return Ok(PlanCheck::default());
        }
        // It was parsed before, so it is parsed now.
        let tree = tree::parse(permit.original()).map_err(|_| unplannable())?;
        let mut planning = PlanCheck::default();
        let mut has_ended = false;
        for statement in tree.statements() {
            if ends_transaction(statement.node) {
                has_ended = true;
            }
            let Some(piece) = piece(permit.original(), &statement, names, &self.policy)? else {
                continue;
            };
            if source.fails(permit.original(), &piece.place) {
                continue;
            }
            planning.ends_transaction |= has_ended;
            let is_whole = permit.facts().statements == 1 && piece.place == statement.span();
            let question = if !piece.queries.is_empty() {
                self.question_for(&piece, names)?
            } else if is_whole {
                explain(permit, piece.kind, 0)?
            } else {
                self.question_for_inner(permit.original(), &piece, source, names)?
            };
            planning.questions.push(question);
        }
        let moves = |effect: &SessionEffect| {
            matches!(
                effect,
                SessionEffect::SearchPathSet { .. }
                    | SessionEffect::SettingSet { .. }
                    | SessionEffect::DiscardAll
                    | SessionEffect::Prepare { .. }
            )
        };
        let is_several = permit.facts().statements > 1;
        if is_several && !planning.questions.is_empty() && permit.facts().effects.iter().any(moves)
        {
            return Err(unplannable());
        }
        Ok(planning)
    }

    /// A read that is written as something else: the first of its queries that may run.
    fn question_for(
        &self,
        piece: &PlannedRead,
        names: &SessionNames,
    ) -> Result<PlanInquiry, Box<Refusal>> {
        let judged = piece.queries.iter().find_map(|query| {
            let judgement = self.judge(Cow::Borrowed(query), names);
            match judgement.verdict {
                Verdict::Permitted(permit) => Some(explain(&permit, piece.kind, 0)),
                Verdict::Refused(_) | Verdict::Clamped(_) => None,
            }
        });
        let question = judged.unwrap_or_else(|| Err(unplannable()))?;
        Ok(PlanInquiry {
            shift: None,
            ..question
        })
    }

    /// A read inside of another statement, judged by itself.
    fn question_for_inner(
        &self,
        text: &str,
        piece: &PlannedRead,
        source: &SourceMessage<'_>,
        names: &SessionNames,
    ) -> Result<PlanInquiry, Box<Refusal>> {
        let before = text.get(..piece.place.start).ok_or_else(unplannable)?;
        let own = text.get(piece.place.clone()).ok_or_else(unplannable)?;
        let judgement = self.judge_with(Cow::Borrowed(own), &source.parameters(), names);
        let Verdict::Permitted(permit) = judgement.verdict else {
            return Err(unplannable());
        };
        let before = i64::try_from(before.chars().count()).unwrap_or(i64::MAX);
        let is_another = permit.facts().rewritten.is_some();
        let question = explain(&permit, piece.kind, before)?;
        Ok(PlanInquiry {
            shift: question.shift.filter(|_| !is_another),
            ..question
        })
    }
}

impl Refusal {
    /// For a read that would run without a plan being known, where the policy wants plans.
    pub fn of_unplannable() -> Box<Self> {
        unplannable()
    }

    /// For a plan above a bound of the policy. The estimate is told where it is no secret;
    /// `is_explainable` says whether the client's own EXPLAIN would show it.
    pub fn of_plan(bound: PlanBound, estimate: Option<f64>, is_explainable: bool) -> Box<Self> {
        let (message, key, hint) = match bound.rule {
            Rule::PlanRows => (
                "the statement would return more rows than the policy allows",
                "max_plan_rows",
                "Add a filter or a LIMIT, or aggregate, so that fewer rows are returned.",
            ),
            _ if is_explainable => (
                "the statement would cost more than the policy allows",
                "max_plan_cost",
                "Add a filter on an indexed column or a LIMIT, or read fewer tables; EXPLAIN shows \
                 the plan.",
            ),
            _ => (
                "the statement would cost more than the policy allows",
                "max_plan_cost",
                "Add a filter on an indexed column or a LIMIT, or read fewer tables.",
            ),
        };
        let limit = bound.limit;
        let refusal = Self::new(bound.rule, message, hint);
        match estimate {
            Some(estimate) => refusal.about(format_args!("{estimate} expected, {key} is {limit}")),
            None => refusal.about(format_args!("{key} is {limit}")),
        }
    }
}

/// A bound of the policy on plans.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanBound {
    /// Its rule.
    pub rule: Rule,
    /// The bound.
    pub limit: f64,
}

/// What kind of message a text came in.
enum SourceMessage<'a> {
    /// A Query: no parameters.
    Query,
    /// A Parse that gave these types.
    Parse(&'a ParameterTypes),
}

impl SourceMessage<'_> {
    fn parameters(&self) -> ParameterTypes {
        match self {
            Self::Query => ParameterTypes::none_given(),
            Self::Parse(parameters) => ParameterTypes::clone(parameters),
        }
    }

    /// Whether a piece of such a text is sure to fail before it runs: there are no parameters in a
    /// Query. As a question it would fail otherwise, because questions are always prepared.
    fn fails(&self, text: &str, piece: &Range<usize>) -> bool {
        let own = text.get(piece.clone()).unwrap_or_default();
        let mut all = tokens(own);
        matches!(self, Self::Query) && all.any(|token| token.kind == TokenKind::Parameter)
    }
}

/// A read in a text.
struct PlannedRead {
    /// Its bytes.
    place: Range<usize>,
    /// What it is.
    kind: StatementKind,
    /// The queries that it may be, where its own text is none.
    queries: Vec<String>,
}

impl PlannedRead {
    fn of(place: Range<usize>, kind: StatementKind) -> Self {
        Self {
            place,
            kind,
            queries: Vec::new(),
        }
    }
}

/// Whether anything of this kind has a plan.
fn may_have_plans(kind: StatementKind, policy: &Policy) -> bool {
    match kind {
        StatementKind::Select
        | StatementKind::Values
        | StatementKind::Table
        | StatementKind::Declare
        | StatementKind::Copy
        | StatementKind::Execute
        | StatementKind::Several => true,
        StatementKind::Explain => policy.statements().explain_analyze != ExplainAnalyze::Refuse,
        _ => false,
    }
}

/// The read of a statement, where it has one that runs.
fn piece(
    text: &str,
    statement: &ParsedStatement<'_>,
    names: &SessionNames,
    policy: &Policy,
) -> Result<Option<PlannedRead>, Box<Refusal>> {
    let whole = statement.span();
    let kind = statement_kind::of(statement.node);
    match statement.node {
        Node::SelectStmt(_) | Node::DeclareCursorStmt(_) => Ok(Some(PlannedRead::of(whole, kind))),
        Node::ExecuteStmt(execute) => {
            let known = names.prepared(execute.name().unwrap_or_default());
            let kind_run = known.map(|prepared| prepared.facts.kind);
            match kind_run {
                Some(StatementKind::Select | StatementKind::Values | StatementKind::Table) => {
                    Ok(Some(PlannedRead::of(whole, kind)))
                }
                Some(run) if !may_have_plans(run, policy) => Ok(None),
                // It runs something that itself runs something, or stands for nothing yet.
                Some(_) | None => Err(unplannable()),
            }
        }
        Node::CopyStmt(relation) if relation.relation().is_some() => Ok(Some(PlannedRead {
            place: whole,
            kind: StatementKind::Select,
            queries: copy::planned(relation),
        })),
        Node::CopyStmt(copy) => {
            let place = in_parentheses(text, whole).ok_or_else(unplannable)?;
            let kind = statement_kind::of(copy.query());
            Ok(Some(PlannedRead::of(place, kind)))
        }
        Node::ExplainStmt(explain) if explain_analyze::runs(explain) => {
            let place = behind_options(text, whole).ok_or_else(unplannable)?;
            let kind = statement_kind::of(explain.query());
            Ok(Some(PlannedRead::of(place, kind)))
        }
        _ => Ok(None),
    }
}

/// The EXPLAIN of a text that may run.
fn explain(
    permit: &ReadPermit<'_>,
    kind: StatementKind,
    before: i64,
) -> Result<PlanInquiry, Box<Refusal>> {
    let text = [EXPLAIN, permit.text()].concat();
    let tree = tree::parse(&text).map_err(|_| unplannable())?;
    let is_asked = only_explain(&tree).is_some_and(|asked| {
        !explain_analyze::runs(asked) && is_alike(statement_kind::of(asked.query()), kind)
    });
    if !is_asked {
        return Err(unplannable());
    }
    let prefix = i64::try_from(EXPLAIN.len()).unwrap_or(i64::MAX);
    let permitted = permit.facts();
    let facts = Facts::bare(
        StatementKind::Explain,
        None,
        1,
        permitted.basis,
        permitted.depth,
    );
    Ok(PlanInquiry {
        permit: ReadPermit::issue(Cow::Owned(text), Arc::new(facts)),
        shift: Some(prefix.saturating_sub(before)),
    })
}

/// Whether two kinds are the same, or queries both: with a model in it a TABLE is a SELECT.
fn is_alike(one: StatementKind, other: StatementKind) -> bool {
    let is_query = |kind: StatementKind| kind.is_query() && kind != StatementKind::Explain;
    one == other || is_query(one) && is_query(other)
}

fn only_explain(tree: &SyntaxTree) -> Option<&nodes::ExplainStmt> {
    let mut statements = tree.statements();
    match (statements.next()?.node, statements.next()) {
        (Node::ExplainStmt(explain), None) => Some(explain),
        _ => None,
    }
}

/// Whether a transaction, or a part of it, ends with this statement.
fn ends_transaction(node: Node<'_>) -> bool {
    matches!(
        statement_kind::of(node),
        StatementKind::Commit | StatementKind::Rollback
    )
}

/// What stands in the first parentheses of a statement, as the query of COPY does.
fn in_parentheses(text: &str, statement: Range<usize>) -> Option<Range<usize>> {
    let mut rest = words_of(text, statement)?;
    let opening = rest.find(|token| text.get(token.span.clone()) == Some("("))?;
    let closing = closing(text, &mut rest)?;
    Some(opening.span.end..closing)
}

/// What an EXPLAIN with ANALYZE runs.
fn behind_options(text: &str, statement: Range<usize>) -> Option<Range<usize>> {
    let end = statement.end;
    let mut rest = words_of(text, statement)?.skip(1).peekable();
    let is = |token: &Token, word: &str| {
        text.get(token.span.clone())
            .is_some_and(|own| own.eq_ignore_ascii_case(word))
    };
    if rest.next_if(|token| is(token, "(")).is_some() {
        closing(text, &mut rest)?;
    } else {
        rest.next_if(|token| is(token, "ANALYZE") || is(token, "ANALYSE"))?;
        rest.next_if(|token| is(token, "VERBOSE"));
    }
    Some(rest.next()?.span.start..end)
}

/// Where the parenthesis closes that was opened last.
fn closing(text: &str, rest: &mut impl Iterator<Item = Token>) -> Option<usize> {
    let mut open = 1_usize;
    for token in rest {
        match text.get(token.span.clone()) {
            Some("(") => open += 1,
            Some(")") => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(token.span.start);
        }
    }
    None
}

/// The tokens of a statement that mean something to the grammar, by their places in the text.
fn words_of(text: &str, statement: Range<usize>) -> Option<impl Iterator<Item = Token>> {
    let start = statement.start;
    let own = text.get(statement)?;
    let placed = tokens(own).map(move |token| Token {
        kind: token.kind,
        span: token.span.start + start..token.span.end + start,
    });
    Some(placed.filter(|token| !token.kind.is_blank()))
}

fn unplannable() -> Box<Refusal> {
    Refusal::new(
        Rule::PlanCost,
        "the plan of the statement cannot be asked for before it runs, and the policy bounds plans",
        "Send the query as a statement of its own; run what was prepared in SQL by EXECUTE.",
    )
    .with_sqlstate(sqlstate::FEATURE_NOT_SUPPORTED)
}

/// The name of the prepared statement and the portal of a question. A question that fails may leave
/// them there, and what they would tell is not for the client: nothing that it has made under this
/// name is ever run.
pub const QUESTION_NAME: &str = "pgsieve_plan";

/// All that stands before a text that is asked about.
const EXPLAIN: &str = "EXPLAIN (FORMAT JSON) ";
