//! The calculated columns of a model: they are put into its SELECT when the policy is read.
//!
//! The model's own SELECT becomes `SELECT "model".*, (expression) AS "name" FROM (…) AS "model"`.
//! What is at the other side of a relationship is read by a query in the place of a value, which
//! multiplies no row: two matches are an error, and none is NULL. Each reference is written behind
//! a name that is made here, so that none means a column that happens to be closer.

use std::collections::{BTreeMap, BTreeSet};

use super::super::calculated::{CalculatedColumn, CalculatedColumns};
use super::super::knowledge::{
    KnowledgeContent, KnowledgeRecord, KnownRelationship, NamedColumns, PolicyKnowledge,
};
use super::super::metric::in_quotes;
use super::super::model::ModelPiece;
use super::super::similar_names::nearest;
use super::super::yaml::section::{PlacedProblems, report};
use super::super::yaml::tree::YamlPlace;
use super::expression::{ColumnReference, ScalarExpression};
use super::model_sql;
use ground::limits::{MODEL_SQL_BYTES_MAX, NAME_BYTES_MAX};
use sql::node_access::last_name;
use sql::tree::{self, Node, SetOperation};

/// A column as the policy writes it.
pub(super) struct WrittenColumn {
    /// Its name.
    pub(super) name: String,
    /// Its expression.
    pub(super) expression: String,
    /// Where that stands.
    pub(super) place: YamlPlace,
    /// Its path.
    pub(super) path: String,
}

/// What columns of a model can be calculated from.
pub(super) struct ModelBasis<'p> {
    /// The model's schema.
    pub(super) schema: &'p str,
    /// Its name.
    pub(super) name: &'p str,
    /// Its own SELECT.
    pub(super) pieces: Vec<ModelPiece>,
    /// The relationships among the records of the policy.
    pub(super) knowledge: &'p PolicyKnowledge,
}

impl ModelBasis<'_> {
    /// The SELECT with columns beside its own.
    pub(super) fn with_columns(
        self,
        mut written: Vec<WrittenColumn>,
        problems: &mut PlacedProblems,
    ) -> Option<(Vec<ModelPiece>, CalculatedColumns)> {
        let Some(first) = written.first() else {
            return Some((self.pieces, CalculatedColumns::default()));
        };
        let (place, path) = (first.place, first.path.clone());
        written.sort_by(|one, other| one.name.cmp(&other.name));
        let own = own_columns(&self.pieces);
        let mut pieces = vec![ModelPiece::Sql(format!("SELECT {MODEL}.*"))];
        let mut all = Vec::with_capacity(written.len());
        for column in &written {
            let made = match own.contains(&column.name) {
                true => Err(format!("its SELECT gives a column {} already", column.name)),
                false => self.column(column),
            };
            match made {
                Ok((calculated, own)) => {
                    all.push(calculated);
                    pieces.extend(own);
                }
                Err(what) => report(problems, column.place, &column.path, &what),
            }
        }
        if all.len() < written.len() {
            return None;
        }
        let calculated = CalculatedColumns {
            pieces: pieces.len(),
            all,
        };
        pieces.push(ModelPiece::Sql(" FROM (".into()));
        pieces.extend(self.pieces);
        pieces.push(ModelPiece::Sql(format!(") AS {MODEL}")));
        if let Err(what) = check(&pieces, &calculated) {
            report(problems, place, &path, &what);
            return None;
        }
        Some((pieces, calculated))
    }

    /// A column, with the pieces that stand for it behind those before it.
    fn column(
        &self,
        written: &WrittenColumn,
    ) -> Result<(CalculatedColumn, Vec<ModelPiece>), String> {
        if written.name.is_empty() || written.name.len() > NAME_BYTES_MAX {
            return Err(format!("a name of 1 to {NAME_BYTES_MAX} bytes is wanted"));
        }
        let expression = ScalarExpression::read(&written.expression);
        let expression = expression.map_err(|wrong| wrong.to_string())?;
        let mut own = BTreeSet::new();
        let mut others: BTreeMap<&str, FollowedRelationship<'_>> = BTreeMap::new();
        for reference in &expression.columns {
            let Some(relationship) = self.relationship_of(reference)? else {
                own.insert(reference.name.clone());
                continue;
            };
            let (name, known) = relationship;
            own.extend(known.from.columns.iter().cloned());
            let before = others.len();
            let other = others.entry(name).or_insert_with(|| FollowedRelationship {
                alias: format!("\"r{}\"", before + 1),
                known,
                read: known.to.columns.iter().cloned().collect(),
            });
            other.read.insert(reference.name.clone());
        }
        let qualifier = |reference: &ColumnReference| {
            let other = reference.qualifier.as_deref();
            let other = other.and_then(|name| others.get(name));
            other.map_or(MODEL.to_owned(), |other| other.alias.clone())
        };
        let value = expression.pieces(qualifier);
        let value = value.ok_or("its names cannot be placed")?;
        let (begin, end) = match others.is_empty() {
            true => ("(", ")".to_owned()),
            false => {
                let joins: String = others.values().map(FollowedRelationship::join).collect();
                ("(SELECT (", format!(") FROM (SELECT) AS \"one\"{joins})"))
            }
        };
        let mut pieces = vec![ModelPiece::Sql(format!(", {begin}"))];
        pieces.extend(value);
        let end = format!("{end} AS {}", in_quotes(&written.name));
        pieces.push(ModelPiece::Sql(end));
        let others = others.into_values();
        let calculated = CalculatedColumn {
            name: written.name.clone(),
            own: own.into_iter().collect(),
            others: others.map(FollowedRelationship::reads).collect(),
        };
        Ok((calculated, pieces))
    }

    /// The relationship that a reference follows; none where it is about the model itself.
    fn relationship_of(
        &self,
        reference: &ColumnReference,
    ) -> Result<Option<(&str, &KnownRelationship)>, String> {
        let Some(qualifier) = &reference.qualifier else {
            return Ok(None);
        };
        let all = self.knowledge.records.iter().filter_map(relationship);
        let found = all.clone().find(|(name, _)| name == qualifier);
        let (schema, name) = (self.schema, self.name);
        match (found, qualifier == name) {
            (None, true) => Ok(None),
            (Some(_), true) => Err(format!(
                "{qualifier} is the model and a relationship: call the relationship otherwise"
            )),
            (Some((_, known)), false) if !is_of((schema, name), &known.from) => Err(format!(
                "the relationship {qualifier} leads from {}, and this is {schema}.{name}",
                known.from
            )),
            (Some(found), false) => Ok(Some(found)),
            (None, false) => {
                let near = nearest(qualifier, all.map(|(name, _)| name));
                let near = near.map_or_else(String::new, |near| format!("did you mean {near}? "));
                Err(format!(
                    "{qualifier} is neither the model nor a relationship of it; {near}\
                     relationships stand under knowledge.relationship"
                ))
            }
        }
    }
}

/// A relationship that an expression follows.
struct FollowedRelationship<'k> {
    /// What its other side is called, in quotes.
    alias: String,
    known: &'k KnownRelationship,
    /// The columns that are read there.
    read: BTreeSet<String>,
}

impl FollowedRelationship<'_> {
    fn join(&self) -> String {
        let KnownRelationship { from, to, .. } = self.known;
        let alias = &self.alias;
        let pairs = to.columns.iter().zip(&from.columns).map(|(there, here)| {
            let (there, here) = (in_quotes(there), in_quotes(here));
            format!("{alias}.{there} = {MODEL}.{here}")
        });
        let pairs = pairs.collect::<Vec<_>>().join(" AND ");
        let (schema, relation) = (in_quotes(&to.schema), in_quotes(&to.relation));
        format!(" LEFT JOIN {schema}.{relation} AS {alias} ON {pairs}")
    }

    fn reads(self) -> NamedColumns {
        NamedColumns {
            schema: self.known.to.schema.clone(),
            relation: self.known.to.relation.clone(),
            columns: self.read.into_iter().collect(),
        }
    }
}

fn relationship(record: &KnowledgeRecord) -> Option<(&str, &KnownRelationship)> {
    match &record.content {
        KnowledgeContent::Relationship(known) => Some((&record.name, known)),
        _ => None,
    }
}

fn is_of((schema, name): (&str, &str), columns: &NamedColumns) -> bool {
    columns.schema == schema && columns.relation == name
}

/// The columns of a SELECT that can be told without a catalog.
fn own_columns(pieces: &[ModelPiece]) -> BTreeSet<String> {
    let (text, _) = model_sql::filled(pieces, "'x'");
    let parsed = tree::parse(&text).ok();
    let only = parsed
        .as_ref()
        .and_then(|parsed| parsed.statements().next());
    let Some(Node::SelectStmt(select)) = only.map(|only| only.node) else {
        return BTreeSet::new();
    };
    let named = select.target_list().iter().filter_map(|target| {
        let column = match target.val() {
            Node::ColumnRef(column) => last_name(column.fields()),
            _ => None,
        };
        target.name().or(column).map(str::to_owned)
    });
    named.collect()
}

/// Whether the whole is one SELECT of the model's columns and these.
fn check(pieces: &[ModelPiece], calculated: &CalculatedColumns) -> Result<(), String> {
    let bytes = pieces.iter().map(|piece| match piece {
        ModelPiece::Sql(sql) => sql.len(),
        ModelPiece::Value(_) => 0,
    });
    if bytes.sum::<usize>() > MODEL_SQL_BYTES_MAX {
        return Err(format!(
            "together with its calculated columns a model has at most {MODEL_SQL_BYTES_MAX} bytes"
        ));
    }
    model_sql::check(pieces).map_err(|wrong| wrong.to_string())?;
    let (text, _) = model_sql::filled(pieces, "'x'");
    let parsed = tree::parse(&text).map_err(|_| UNPLACED)?;
    let mut statements = parsed.statements();
    let (Some(only), None) = (statements.next(), statements.next()) else {
        return Err(UNPLACED.into());
    };
    let Node::SelectStmt(select) = only.node else {
        return Err(UNPLACED.into());
    };
    let mut targets = select.target_list().iter();
    let is_star = targets.next().is_some_and(|first| first.name().is_none());
    let names: Vec<Option<&str>> = targets.map(|target| target.name()).collect();
    let wanted = calculated.all.iter().map(|column| column.name.as_str());
    let mut from = select.from_clause().iter();
    let is_model = matches!(
        (from.next(), from.next()),
        (Some(Node::RangeSubselect(_)), None)
    );
    let is_plain = select.op == SetOperation::SETOP_NONE
        && matches!(select.where_clause(), Node::None)
        && select.with_clause().is_none();
    match is_star && is_model && is_plain && names.into_iter().eq(wanted.map(Some)) {
        true => Ok(()),
        false => Err(UNPLACED.into()),
    }
}

/// What the model's own SELECT is called within.
const MODEL: &str = "\"model\"";

const UNPLACED: &str = "its columns cannot be put into its SELECT";

#[cfg(test)]
#[path = "calculated_tests.rs"]
mod tests;
