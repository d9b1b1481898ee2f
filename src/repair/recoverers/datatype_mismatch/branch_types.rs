//! Types that do not go together: the branches of CASE and COALESCE, the arms of UNION, and numbers
//! where a condition is asked for.

use crate::expression_editor::{ExpressionChange, ExpressionEditor, ExpressionRepair};
use crate::{Confidence, RecovererAnswer, RepairContext};
use dialect::calls::call::text_confidence;
use dialect::sql_type::SqlType;
use sql::extent::TokenRange;
use sql::node_access;
use sql::tree::{Node, SetOperation, nodes};

/// Changes everything of a text whose types do not go together, or says why it cannot be changed.
pub fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    let Some(all) = context.statement().and_then(node_access::all) else {
        return RecovererAnswer::Silent;
    };
    let mut editor = ExpressionEditor::new(context);
    let mut advice = None;
    // Children come after their parents.
    for node in all.into_iter().rev() {
        let mut repairs = Vec::new();
        for condition in conditions(node) {
            repairs.push(number_as_condition(&editor, condition));
        }
        if let Some(branches) = branches(&editor, node) {
            repairs.push(common_type_repair(&editor, &branches, UntypedStrings::Open));
        }
        if let Node::SelectStmt(select) = node {
            let columns = columns(&editor, select).into_iter();
            repairs.extend(
                columns.map(|column| common_type_repair(&editor, &column, UntypedStrings::Open)),
            );
        }
        for repair in repairs {
            match repair {
                ExpressionRepair::NotNeeded => {}
                ExpressionRepair::Changes(changes, confidence) => {
                    editor.apply(&changes, confidence)
                }
                ExpressionRepair::Advice(words) => advice = advice.or(Some(words)),
            }
        }
    }
    match advice {
        Some(words) => RecovererAnswer::hint(words.to_owned()),
        None => editor.answer(),
    }
}

/// A value that has to go together with others.
#[derive(Clone, Copy)]
pub(crate) struct TypedBranch<'s> {
    pub(crate) node: Node<'s>,
    pub(crate) run: Option<TokenRange>,
}

/// What strings without a type are among others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum UntypedStrings {
    /// They become what the others are.
    Open,
    /// One of them is nothing but text.
    Text,
}

/// The values of CASE, COALESCE, GREATEST and LEAST.
pub(crate) fn branches<'s>(
    editor: &ExpressionEditor<'_, 's>,
    node: Node<'s>,
) -> Option<Vec<TypedBranch<'s>>> {
    let ground = &editor.ground;
    match node {
        Node::CaseExpr(case) => {
            let results = case.args().iter().filter_map(|when| match when {
                Node::CaseWhen(when) => Some(when.result()),
                _ => None,
            });
            let otherwise = Some(case.defresult()).filter(|node| !matches!(node, Node::None));
            let all = results.chain(otherwise).map(|node| TypedBranch {
                node,
                run: ground.expression(node),
            });
            Some(all.collect())
        }
        Node::CoalesceExpr(coalesce) => {
            let word = ground.at(node_access::place(coalesce.location)?)?;
            let runs = ground.list(word.checked_add(1)?)?;
            let all = coalesce.args().iter().zip(runs);
            let all = all.map(|(node, run)| TypedBranch {
                node,
                run: Some(run),
            });
            Some(all.collect())
        }
        _ => None,
    }
}

/// The columns of a set operation, each with the values that its arms give. Nothing for the arms of
/// another one.
pub(crate) fn columns<'s>(
    editor: &ExpressionEditor<'_, 's>,
    select: &'s nodes::SelectStmt,
) -> Vec<Vec<TypedBranch<'s>>> {
    if select.op == SetOperation::SETOP_NONE {
        return Vec::new();
    }
    let mut arms: Vec<&nodes::SelectStmt> = Vec::new();
    let mut waiting = vec![select];
    while let Some(arm) = waiting.pop() {
        match (arm.larg(), arm.rarg()) {
            (Some(left), Some(right)) => waiting.extend([right, left]),
            _ => arms.push(arm),
        }
    }
    let width = arms.first().map_or(0, |arm| arm.target_list().len());
    let has_star = |arm: &&nodes::SelectStmt| {
        arm.target_list().iter().any(|target| match target.val() {
            Node::ColumnRef(column) => column
                .fields()
                .iter()
                .any(|field| matches!(field, Node::A_Star(_))),
            _ => false,
        })
    };
    if arms
        .iter()
        .any(|arm| arm.target_list().len() != width || has_star(arm))
    {
        return Vec::new();
    }
    let column = |place: usize| {
        let values = arms
            .iter()
            .filter_map(|arm| arm.target_list().iter().nth(place));
        let values = values.map(|target| TypedBranch {
            node: target.val(),
            run: editor.ground.expression(target.val()),
        });
        values.collect()
    };
    (0..width).map(column).collect()
}

/// Makes values of one type of values of several.
pub(crate) fn common_type_repair(
    editor: &ExpressionEditor<'_, '_>,
    branches: &[TypedBranch<'_>],
    strings: UntypedStrings,
) -> ExpressionRepair {
    let kinds: Vec<SqlType> = branches
        .iter()
        .map(|one| editor.kinds.kind(one.node))
        .collect();
    let has = |wanted: SqlType| kinds.contains(&wanted);
    let is_null = |node: Node<'_>| matches!(node, Node::A_Const(constant) if constant.isnull);
    let known = branches.iter().zip(&kinds).filter(|(one, kind)| {
        !is_null(one.node) && (**kind != SqlType::Literal || strings == UntypedStrings::Text)
    });
    let known: Vec<(TypedBranch<'_>, SqlType)> = known.map(|(one, kind)| (*one, *kind)).collect();
    let numbers = known.iter().any(|(_, kind)| kind.is_number());
    let moments = known.iter().any(|(_, kind)| kind.is_temporal());
    let texts = has(SqlType::Text) || strings == UntypedStrings::Text;
    if has(SqlType::Unclear) {
        return ExpressionRepair::NotNeeded;
    }
    let others = |kind: SqlType| known.iter().any(|(_, own)| *own != kind);
    if texts && others(SqlType::Text) {
        return all_text(editor, &known, strings);
    }
    if has(SqlType::Bool) && numbers {
        return all_truth(&known);
    }
    if has(SqlType::Interval) && numbers {
        return all_intervals(&known);
    }
    match moments && numbers {
        true => ExpressionRepair::Advice(MOMENT_AND_NUMBER),
        false => ExpressionRepair::NotNeeded,
    }
}

/// Everything as text: what is written out is written as text. A column of numbers beside a column
/// of texts may as well be the wrong column.
fn all_text(
    editor: &ExpressionEditor<'_, '_>,
    values: &[(TypedBranch<'_>, SqlType)],
    strings: UntypedStrings,
) -> ExpressionRepair {
    let mut changes = Vec::new();
    let mut confidence = Confidence::Exact;
    for (value, kind) in values {
        if matches!(kind, SqlType::Text | SqlType::Literal) {
            continue;
        }
        let (Some(run), Some(_)) = (value.run, text_confidence(*kind)) else {
            return ExpressionRepair::Advice(CAST_TO_TEXT);
        };
        let digits = editor.written(run);
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        if kind.is_number() && plain && node_access::constant_integer(value.node).is_some() {
            changes.push(ExpressionChange::Spelled(run, format!("'{digits}'")));
        } else if strings == UntypedStrings::Open && values.iter().any(is_computed_text) {
            return ExpressionRepair::Advice(CAST_TO_TEXT);
        } else {
            changes.push(ExpressionChange::Cast(run, "text"));
            confidence = Confidence::Likely;
        }
    }
    match changes.is_empty() {
        true => ExpressionRepair::NotNeeded,
        false => ExpressionRepair::Changes(changes, confidence),
    }
}

/// Whether a value is text that is not written out.
fn is_computed_text(value: &(TypedBranch<'_>, SqlType)) -> bool {
    value.1 == SqlType::Text && node_access::constant_text(value.0.node).is_none()
}

/// Conditions and numbers: written ones and zeros are true and false.
fn all_truth(values: &[(TypedBranch<'_>, SqlType)]) -> ExpressionRepair {
    let literal = |node| match node_access::constant_integer(node) {
        Some(0) => Some("false"),
        Some(1) => Some("true"),
        _ => None,
    };
    let mut truths = Vec::new();
    let mut numbers = Vec::new();
    for (value, kind) in values {
        let Some(run) = value.run else {
            return ExpressionRepair::Advice(TRUTH_AND_NUMBER);
        };
        match kind {
            SqlType::Bool => numbers.push(ExpressionChange::Cast(run, "int")),
            kind if kind.is_number() => match literal(value.node) {
                Some(word) => truths.push(Some(ExpressionChange::Spelled(run, word.to_owned()))),
                None => truths.push(None),
            },
            _ => return ExpressionRepair::Advice(TRUTH_AND_NUMBER),
        }
    }
    let all_written: Option<Vec<ExpressionChange>> = truths.into_iter().collect();
    ExpressionRepair::Changes(all_written.unwrap_or(numbers), Confidence::Exact)
}

/// Intervals and written zeros.
fn all_intervals(values: &[(TypedBranch<'_>, SqlType)]) -> ExpressionRepair {
    let mut changes = Vec::new();
    for (value, kind) in values {
        match (kind, node_access::constant_integer(value.node), value.run) {
            (SqlType::Interval, _, _) => {}
            (_, Some(0), Some(run)) => {
                changes.push(ExpressionChange::Spelled(run, "INTERVAL '0'".into()))
            }
            _ => return ExpressionRepair::Advice(INTERVAL_AND_NUMBER),
        }
    }
    ExpressionRepair::Changes(changes, Confidence::Exact)
}

/// What has to be a condition directly under a node.
fn conditions(node: Node<'_>) -> Vec<Node<'_>> {
    let all: Vec<Node<'_>> = match node {
        Node::BoolExpr(operator) => operator.args().iter().collect(),
        Node::SelectStmt(select) => vec![select.where_clause(), select.having_clause()],
        Node::JoinExpr(join) => vec![join.quals()],
        Node::FuncCall(call) => vec![call.agg_filter()],
        Node::CaseExpr(case) if matches!(case.arg(), Node::None) => {
            let whens = case.args().iter().filter_map(|when| match when {
                Node::CaseWhen(when) => Some(when.expr()),
                _ => None,
            });
            whens.collect()
        }
        _ => Vec::new(),
    };
    let mut all = all;
    all.retain(|node| !matches!(node, Node::None | Node::BoolExpr(_)));
    all
}

/// A number where a condition is asked for: one that is not zero, as in MySQL and SQLite.
fn number_as_condition(editor: &ExpressionEditor<'_, '_>, node: Node<'_>) -> ExpressionRepair {
    let kind = editor.kinds.kind(node);
    match kind {
        // `x = 1 OR 2`: whoever writes this means a list.
        kind if kind.is_number() && matches!(node, Node::A_Const(_)) => {
            ExpressionRepair::Advice(LIST)
        }
        kind if kind.is_number() => match editor.ground.expression(node) {
            Some(run) => {
                ExpressionRepair::Changes(vec![ExpressionChange::NotZero(run)], Confidence::Exact)
            }
            None => ExpressionRepair::Advice(NUMBER),
        },
        SqlType::Text => ExpressionRepair::Advice(TEXT),
        _ => ExpressionRepair::NotNeeded,
    }
}

const LIST: &str = "A number alone is no condition: x IN (1, 2) asks for one of several values.";

const NUMBER: &str = "A number is no condition: x <> 0 asks whether it is not zero.";

const TEXT: &str = "A text is no condition: compare it with a value.";

const CAST_TO_TEXT: &str = "The values have no type in common: cast each of them with ::text.";

const TRUTH_AND_NUMBER: &str = "A condition and a number have no type in common: cast with ::int.";

const INTERVAL_AND_NUMBER: &str = "An interval and a number have no type in common: write INTERVAL '30 days', or EXTRACT(DAY FROM x).";

const MOMENT_AND_NUMBER: &str = "A date and a number have no type in common: write the date out ('2020-01-01'), or EXTRACT(YEAR FROM x).";
