//! A text beside a foreign key: `country = 'France'`, where countries have numbers and names.
//!
//! Where what the key refers to has one column of text alone, that is compared; where it has
//! several, the client is told which.

use crate::dependencies::keys;
use crate::scopes::query_scopes::QueryScopes;
use crate::{RecovererAnswer, RepairContext, SessionDatabase};
use catalog::quote::quoted;
use catalog::{Column, KeyKind, RelationId};
use dialect::sql_type::SqlType;
use sql::edit::TextEdit;
use sql::node_access;
use sql::tree::Node;

/// A foreign key of one column, and what it refers to.
struct ReferredKey<'c> {
    relation: RelationId,
    key: &'c Column,
    /// The columns of text there that the client may read.
    texts: Vec<&'c Column>,
}

/// Compares what the key refers to, where that is one thing.
pub(super) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    find(context).unwrap_or(RecovererAnswer::Silent)
}

fn find(context: &RepairContext<'_>) -> Option<RecovererAnswer> {
    let (statement, resolution) = (context.statement()?, context.resolution?);
    let (database, at) = (context.database?, context.failure.position?);
    let scopes = QueryScopes::of(statement, resolution, database.catalog, database.mask)?;
    let (operator, column) = comparison(node_access::all(statement)?, at)?;
    let place = scopes.column_at(column)?;
    let (relation, number) = scopes.column(place)?.origin?;
    let referred = referred_key(database, relation, number)?;
    let names = database.catalog.names();
    let table = database.catalog.relation_name(referred.relation);
    let spelled = |column: &Column| quoted(names.text(column.name)).into_owned();
    let key = spelled(referred.key);
    let literal = token_at(context, at)?;
    let written = context.text.get(literal.clone())?;
    if !written.contains(char::is_alphabetic) {
        return None;
    }
    let [only] = referred.texts.as_slice() else {
        let texts = referred.texts.iter().take(CANDIDATES_MAX);
        let texts: Vec<String> = texts.map(|column| spelled(column)).collect();
        let first = texts.first()?;
        return Some(RecovererAnswer::hint(format!(
            "The value is compared with a key of {table}, which is a number: its texts are {}, \
             as in … IN (SELECT {key} FROM {table} WHERE {first} = …).",
            texts.join(", ")
        )));
    };
    let text = spelled(only);
    let operator_span = token_at(context, operator)?;
    let edits = vec![
        TextEdit {
            span: operator_span,
            replacement: "IN".to_owned(),
        },
        TextEdit {
            span: literal,
            replacement: format!("(SELECT {key} FROM {table} WHERE {text} = {written})"),
        },
    ];
    Some(RecovererAnswer::likely(
        edits,
        format!("the value is a {text} of {table}, which the key refers to"),
    ))
}

/// Where the sign of equality and the column stand that a string is compared with.
fn comparison(all: Vec<Node<'_>>, at: usize) -> Option<(usize, i32)> {
    all.into_iter().find_map(|node| {
        let Node::A_Expr(operation) = node else {
            return None;
        };
        let (Node::ColumnRef(column), Node::A_Const(constant)) =
            (operation.lexpr(), operation.rexpr())
        else {
            return None;
        };
        let is_it = node_access::place(constant.location) == Some(at)
            && node_access::last_name(operation.name()) == Some("=");
        let sign = node_access::place(operation.location).filter(|_| is_it)?;
        Some((sign, column.location))
    })
}

/// What the only foreign key of a column refers to.
fn referred_key<'c>(
    database: &SessionDatabase<'c>,
    relation: RelationId,
    number: i16,
) -> Option<ReferredKey<'c>> {
    let (catalog, rights) = (database.catalog, database.rights());
    let mut found = catalog.keys_of(relation).iter().filter_map(|key| {
        let KeyKind::Foreign { to, to_columns } = &key.kind else {
            return None;
        };
        match (&*key.columns, &**to_columns) {
            ([from], [into]) if *from == number => Some((*to, *into)),
            _ => None,
        }
    });
    let (to, into) = found.next().filter(|_| found.next().is_none())?;
    let covered = database.mask.is_some_and(|mask| mask.covers(to));
    if covered || !keys::hold(catalog, to, false) || !rights.sees_relation(to) {
        return None;
    }
    let readable = |column: &&Column| rights.may_read_column(to, column);
    let key = keys::column(catalog, to, into).filter(readable)?;
    let columns = catalog.columns_of(to).iter();
    let texts = columns
        .filter(readable)
        .filter(|column| SqlType::of(catalog, column.type_id) == SqlType::Text);
    Some(ReferredKey {
        relation: to,
        key,
        texts: texts.collect(),
    })
}

/// Where the token stands that begins at a place.
fn token_at(context: &RepairContext<'_>, at: usize) -> Option<std::ops::Range<usize>> {
    let token = context.tokens.iter().find(|token| token.span.start == at)?;
    Some(token.span.clone())
}

/// The client is told of no more columns.
const CANDIDATES_MAX: usize = 3;
