//! The expression of a calculated column: one value for each row, made of columns.
//!
//! What may stand in it are kinds of nodes that are listed here. It is read twice, behind SELECT
//! and in parentheses: neither of the two could be left in the middle by what can stand in the
//! other.

use std::fmt;
use std::ops::Range;

use super::super::model::{ModelPiece, SessionValue, pieces_with};
use super::access::SYSTEM_COLUMNS;
use super::model_sql::{self, ModelSqlError, enclosed, filled};
use sql::lexer::{TokenKind, tokens};
use sql::tree::{self, Node, SetOperation, nodes};

/// An expression whose references to columns can be written anew.
pub(super) struct ScalarExpression {
    /// It, with a literal in each value's place.
    text: String,
    values: Vec<(Range<usize>, SessionValue)>,
    /// The references, in order.
    pub(super) columns: Vec<ColumnReference>,
}

/// A reference to a column.
pub(super) struct ColumnReference {
    /// What stands before its dot.
    pub(super) qualifier: Option<String>,
    /// The column.
    pub(super) name: String,
    /// The bytes of what stands before its dot, or the place before it.
    span: Range<usize>,
}

/// What is wrong with an expression. Nothing of its text is shown but names of columns.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ExpressionError {
    Empty,
    Sql(ModelSqlError),
    NotOne,
    Subquery,
    Aggregate,
    Window,
    Row,
    Star,
    LongName,
    SystemColumn { name: String },
    Unsupported,
}

impl ScalarExpression {
    /// Reads an expression.
    pub(super) fn read(sql: &str) -> Result<Self, ExpressionError> {
        if sql.trim().is_empty() {
            return Err(ExpressionError::Empty);
        }
        model_sql::pieces(&format!("{SELECT}{sql}")).map_err(|wrong| match wrong {
            // Its places are those of a longer text.
            ModelSqlError::Syntax { .. } => ModelSqlError::Syntax { at: None }.into(),
            ModelSqlError::NoColumn | ModelSqlError::Into | ModelSqlError::Locking => {
                ExpressionError::NotOne
            }
            wrong => wrong.into(),
        })?;
        let pieces = enclosed(OPENS, sql).map_err(|_| ExpressionError::NotOne)?;
        let (text, values) = filled(&pieces, "'x'");
        let bare = tree::parse(&format!("{SELECT}{text}")).map_err(|_| ExpressionError::NotOne)?;
        only_value(&bare)?;
        let whole = format!("{OPENS}{text})");
        let parsed = tree::parse(&whole).map_err(|_| ExpressionError::NotOne)?;
        let columns = references(only_value(&parsed)?, &whole)?;
        let values = values.into_iter();
        Ok(Self {
            values: values.map(|(span, value)| (span, value.clone())).collect(),
            columns,
            text,
        })
    }

    /// The pieces, with each reference behind the name that `qualifier` gives it, in quotes.
    pub(super) fn pieces(
        &self,
        qualifier: impl Fn(&ColumnReference) -> String,
    ) -> Option<Vec<ModelPiece>> {
        let columns = self.columns.iter().map(|column| {
            let dot = if column.span.is_empty() { "." } else { "" };
            let text = format!("{}{dot}", qualifier(column));
            (column.span.clone(), ModelPiece::Sql(text))
        });
        let values = self.values.iter();
        let values = values.map(|(span, value)| (span.clone(), ModelPiece::Value(value.clone())));
        pieces_with(&self.text, columns.chain(values).collect())
    }
}

impl From<ModelSqlError> for ExpressionError {
    fn from(wrong: ModelSqlError) -> Self {
        Self::Sql(wrong)
    }
}

/// The value of a SELECT that has nothing else.
pub(super) fn only_value(parsed: &tree::SyntaxTree) -> Result<Node<'_>, ExpressionError> {
    let mut statements = parsed.statements();
    let (Some(only), None) = (statements.next(), statements.next()) else {
        return Err(ExpressionError::NotOne);
    };
    let Node::SelectStmt(select) = only.node else {
        return Err(ExpressionError::NotOne);
    };
    let is_none = |node: Node<'_>| matches!(node, Node::None);
    let is_bare = select.op == SetOperation::SETOP_NONE
        && select.from_clause().is_empty()
        && select.distinct_clause().is_empty()
        && select.group_clause().is_empty()
        && select.window_clause().is_empty()
        && select.sort_clause().is_empty()
        && select.values_lists().is_empty()
        && select.locking_clause().is_empty()
        && select.with_clause().is_none()
        && select.into_clause().is_none()
        && is_none(select.where_clause())
        && is_none(select.having_clause())
        && is_none(select.limit_count())
        && is_none(select.limit_offset());
    let mut targets = select.target_list().iter();
    match (targets.next(), targets.next()) {
        (Some(target), None) if is_bare && target.name().is_none() => Ok(target.val()),
        _ => Err(ExpressionError::NotOne),
    }
}

/// The references of a value, where it is one value of kinds that may stand here.
fn references(value: Node<'_>, text: &str) -> Result<Vec<ColumnReference>, ExpressionError> {
    if matches!(value, Node::RowExpr(_)) {
        return Err(ExpressionError::Row);
    }
    let mut found = Vec::new();
    let mut waiting = vec![value];
    while let Some(node) = waiting.pop() {
        match node {
            Node::ColumnRef(column) => {
                found.push(reference(column, text)?);
                continue;
            }
            Node::FuncCall(call) => plain_call(call)?,
            Node::SubLink(_) | Node::SelectStmt(_) => return Err(ExpressionError::Subquery),
            Node::A_Star(_) => return Err(ExpressionError::Star),
            Node::GroupingFunc(_) => return Err(ExpressionError::Aggregate),
            Node::None
            | Node::NodeList(_)
            | Node::A_Const(_)
            | Node::A_Expr(_)
            | Node::A_ArrayExpr(_)
            | Node::A_Indirection(_)
            | Node::A_Indices(_)
            | Node::BoolExpr(_)
            | Node::BooleanTest(_)
            | Node::NullTest(_)
            | Node::CaseExpr(_)
            | Node::CaseWhen(_)
            | Node::CoalesceExpr(_)
            | Node::MinMaxExpr(_)
            | Node::CollateClause(_)
            | Node::NamedArgExpr(_)
            | Node::RowExpr(_)
            | Node::SQLValueFunction(_)
            | Node::TypeCast(_)
            | Node::TypeName(_)
            | Node::String(_)
            | Node::Integer(_) => {}
            _ => return Err(ExpressionError::Unsupported),
        }
        tree::children(node, &mut waiting).map_err(|_| ExpressionError::Unsupported)?;
    }
    found.sort_by_key(|column| column.span.start);
    Ok(found)
}

/// A call of a function, without what only aggregates and window functions have.
fn plain_call(call: &nodes::FuncCall) -> Result<(), ExpressionError> {
    if call.over().is_some() {
        return Err(ExpressionError::Window);
    }
    let is_aggregate = call.agg_star
        || call.agg_distinct
        || call.agg_within_group
        || !call.agg_order().is_empty()
        || !matches!(call.agg_filter(), Node::None);
    match is_aggregate {
        true => Err(ExpressionError::Aggregate),
        false => Ok(()),
    }
}

fn reference(column: &nodes::ColumnRef, text: &str) -> Result<ColumnReference, ExpressionError> {
    let fields = column.fields().iter().map(|field| match field {
        Node::A_Star(_) => Err(ExpressionError::Star),
        field => field.as_str().ok_or(ExpressionError::Unsupported),
    });
    let fields = fields.collect::<Result<Vec<&str>, ExpressionError>>()?;
    let (qualifier, name) = match fields.as_slice() {
        [name] => (None, *name),
        [qualifier, name] => (Some((*qualifier).to_owned()), *name),
        _ => return Err(ExpressionError::LongName),
    };
    if SYSTEM_COLUMNS.contains(&name) {
        return Err(ExpressionError::SystemColumn { name: name.into() });
    }
    let at = usize::try_from(column.location).ok();
    let mut found = tokens(text);
    let token = found.find(|token| Some(token.span.start) == at);
    let token = token.filter(|token| {
        let kinds = [TokenKind::Word, TokenKind::QuotedName];
        kinds.contains(&token.kind)
    });
    let span = token.map(|token| match qualifier {
        Some(_) => token.span,
        None => token.span.start..token.span.start,
    });
    let before = OPENS.len();
    let span = span.and_then(|span| {
        let (start, end) = (span.start.checked_sub(before), span.end.checked_sub(before));
        Some(start?..end?)
    });
    Ok(ColumnReference {
        qualifier,
        name: name.to_owned(),
        span: span.ok_or(ExpressionError::Unsupported)?,
    })
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Self::Sql(wrong) => return wrong.fmt(formatter),
            Self::SystemColumn { name } => {
                return write!(
                    formatter,
                    "{name} is a column of the server, which no model has"
                );
            }
            Self::Empty => "an expression is wanted, such as total - refunded",
            Self::NotOne => "exactly one expression is wanted, without a name and clauses",
            Self::Subquery => "an expression holds no query: write the column in the model's sql",
            Self::Aggregate => {
                "an aggregate is of many rows, and a column is calculated for each: a metric, or \
                 the model's sql, has aggregates"
            }
            Self::Window => "a window function is of many rows: write it in the model's sql",
            Self::Row => "one value is wanted, and this is a row",
            Self::Star => "each column is named here, in place of *",
            Self::LongName => {
                "a column is named alone, or behind the model's name or that of a relationship; \
                 a field of a column is written (column).field"
            }
            Self::Unsupported => {
                "columns, constants, operators, CASE, casts and calls of functions make an \
                 expression: write anything else in the model's sql"
            }
        };
        formatter.write_str(words)
    }
}

const SELECT: &str = "SELECT ";
const OPENS: &str = "SELECT (";
