//! Conditions with a subquery: EXISTS, IN, ANY and ALL.

use sqlparser::ast::{BinaryOperator, Expr, Query};

use super::Translator;
use super::compare::{ComparisonOperator, ComparisonPurpose};
use super::folding;
use super::translated::Translated;
use super::untranslatable::TranslateResult;
use crate::source::{CaseSensitivity, untyped};
use crate::sql_type::SqlType;

/// The conditions that a subquery is part of; none for any other expression.
pub fn condition(
    translator: &mut Translator<'_>,
    expr: &Expr,
) -> TranslateResult<Option<Translated>> {
    let written = match expr {
        Expr::InSubquery {
            expr,
            subquery,
            negated,
        } => in_subquery(translator, expr, subquery, *negated)?,
        Expr::AnyOp {
            left,
            compare_op,
            right,
            is_some: _,
        } => quantified(translator, left, compare_op, right, "ANY")?,
        Expr::AllOp {
            left,
            compare_op,
            right,
        } => quantified(translator, left, compare_op, right, "ALL")?,
        Expr::Exists { subquery, negated } => {
            let written = translator.query(subquery)?;
            let not = if *negated { "NOT " } else { "" };
            Translated {
                is_primary: !*negated,
                name: Some("exists".to_owned()),
                ..Translated::compound(format!("{not}EXISTS ({})", written.text), SqlType::Bool)
                    .never_null(true)
            }
        }
        _ => return Ok(None),
    };
    Ok(Some(written))
}

/// `x IN (SELECT …)`
fn in_subquery(
    translator: &mut Translator<'_>,
    expr: &Expr,
    query: &Query,
    negated: bool,
) -> TranslateResult<Translated> {
    let not = if negated { "NOT IN" } else { "IN" };
    if let Expr::Tuple(parts) = expr {
        return row_in_subquery(translator, parts, query, not);
    }
    beside_subquery(translator, expr, query, not, ComparisonPurpose::Equality)
}

/// `x > ALL (SELECT …)`, `x = ANY (SELECT …)`
fn quantified(
    translator: &mut Translator<'_>,
    expr: &Expr,
    op: &BinaryOperator,
    right: &Expr,
    quantifier: &str,
) -> TranslateResult<Translated> {
    match (ComparisonOperator::of(op), right) {
        (Some(comparison), Expr::Subquery(query)) if !matches!(expr, Expr::Tuple(_)) => {
            let operator = format!("{} {quantifier}", comparison.text());
            beside_subquery(translator, expr, query, &operator, comparison.purpose())
        }
        _ => translator.refuse("ANY and ALL"),
    }
}

/// A value and the values of a subquery.
fn beside_subquery(
    translator: &mut Translator<'_>,
    expr: &Expr,
    query: &Query,
    operator: &str,
    purpose: ComparisonPurpose,
) -> TranslateResult<Translated> {
    let subject = translator.value(expr)?;
    let written = translator.query(query)?;
    let column = written.columns.only().cloned();
    let alike = translator.source.semantics().equality == CaseSensitivity::Insensitive;
    let kind = column
        .as_ref()
        .map_or(SqlType::Unclear, |column| column.kind);
    // What the subquery gives is compared as it is, or not at all.
    let is_text = subject.kind == SqlType::Text || kind == SqlType::Text;
    if purpose == ComparisonPurpose::Order && is_text {
        return translator.refuse("texts that are put in order beside ANY and ALL");
    }
    let text = match (subject.kind, kind, column) {
        (SqlType::Text, SqlType::Text, Some(column))
            if alike && !subject.case_sensitive && !column.case_sensitive =>
        {
            let name = translator.make_name("listed");
            let column = super::name::quoted(&column.name).into_owned();
            format!(
                "{} {operator} (SELECT {} FROM ({}) AS {name})",
                folding::comparison_key(translator, &subject.text),
                folding::comparison_key(translator, &format!("{name}.{column}")),
                written.text
            )
        }
        (one, other, _)
            if translator.source.has_text_timestamps() && one.is_other_temporal(other) =>
        {
            return translator.refuse("a date compared with timestamps");
        }
        (one, other, _) if one.compares_directly(other) => {
            format!("{} {operator} ({})", subject.operand(), written.text)
        }
        (SqlType::Unclear, _, _) | (_, SqlType::Unclear, _) if !alike => {
            format!("{} {operator} ({})", subject.operand(), written.text)
        }
        _ => return Err(untyped(&subject, "a value of the subquery's type")),
    };
    Ok(Translated::operation(text, SqlType::Bool))
}

fn row_in_subquery(
    translator: &mut Translator<'_>,
    parts: &[Expr],
    query: &Query,
    not: &str,
) -> TranslateResult<Translated> {
    let mut subjects = Vec::new();
    for part in parts {
        subjects.push(translator.value(part)?);
    }
    let written = translator.query(query)?;
    let alike = translator.source.semantics().equality == CaseSensitivity::Insensitive;
    let fits = match &written.columns {
        super::scope::KnownColumns::Known(columns) if columns.len() == subjects.len() => {
            columns.iter().zip(&subjects).all(|(column, subject)| {
                let letters = alike && column.kind == SqlType::Text && !column.case_sensitive;
                subject.kind.compares_directly(column.kind) && !letters
            })
        }
        _ => false,
    };
    if !fits {
        return translator.refuse("rows of texts, or of unknown types, compared with a subquery");
    }
    let texts: Vec<&str> = subjects.iter().map(|one| one.text.as_str()).collect();
    let text = format!("({}) {not} ({})", texts.join(", "), written.text);
    Ok(Translated::operation(text, SqlType::Bool))
}
