//! What people know of a database and its catalog does not say: typed records.
//!
//! They are told: in groundings, and in HINTs of statements that fail on the names that a record is
//! about. No record lets anything through or keeps anything out: what a metric stands for is judged
//! as a client's text is, and a relationship is read along only where a model of the policy says
//! so.

use std::fmt;

use super::access::{Glob, RelationPattern};
use super::metric::KnownMetric;
use super::model::SessionValue;
use ground::words::words;

/// The records of a policy, by kind and then by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyKnowledge {
    /// They.
    pub records: Vec<KnowledgeRecord>,
}

impl PolicyKnowledge {
    /// The metrics that can be read under a name of their own.
    pub fn readable_metrics(&self) -> impl Iterator<Item = (&KnowledgeRecord, &KnownMetric)> {
        self.records.iter().filter_map(|record| {
            let KnowledgeContent::Metric(metric) = &record.content else {
                return None;
            };
            let is_readable = metric.readable_as.is_some();
            is_readable.then_some((record, &**metric))
        })
    }

    /// The same of those that a user is told of; of a user who is not known, those that everybody
    /// is told of.
    pub fn metrics_for(&self, user: Option<&str>) -> impl Iterator<Item = &KnownMetric> {
        let told = self
            .readable_metrics()
            .filter(move |(record, _)| match user {
                Some(user) => record.is_for(user),
                None => record.users.is_empty(),
            });
        told.map(|(_, metric)| metric)
    }

    /// The value of a session that decides which metrics it can read, where one does.
    pub fn value_of_metrics(&self) -> Option<&'static SessionValue> {
        let mut metrics = self.readable_metrics();
        let is_for_some = metrics.any(|(record, _)| !record.users.is_empty());
        is_for_some.then_some(&SessionValue::User)
    }

    /// Whether it has records that a HINT may cite.
    pub fn is_cited(&self) -> bool {
        let mut records = self.records.iter();
        records.any(|record| match &record.content {
            KnowledgeContent::Term { .. }
            | KnowledgeContent::Quirk { .. }
            | KnowledgeContent::Correction { .. }
            | KnowledgeContent::Relationship(_)
            | KnowledgeContent::Metric(_) => true,
            KnowledgeContent::Example { .. }
            | KnowledgeContent::Clarify { .. }
            | KnowledgeContent::Style { .. } => false,
        })
    }
}

/// One thing that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnowledgeRecord {
    /// Its name among those of its kind; of a term, the word itself.
    pub name: String,
    /// What is known.
    pub content: KnowledgeContent,
    /// The relations and columns that it is about; none: the database as a whole.
    pub about: Vec<AboutPattern>,
    /// The users that are told; none: everybody.
    pub users: Vec<Glob>,
    /// Where it stands, for messages.
    pub place: String,
}

/// What is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnowledgeContent {
    /// A word of the business.
    Term {
        /// What it means.
        meaning: String,
    },
    /// What is odd about a column or a relation.
    Quirk {
        /// In words.
        note: String,
    },
    /// What people write, and what is right.
    Correction {
        /// The wrong shape.
        wrong: String,
        /// What is written in its place.
        right: String,
    },
    /// A join that the database does not declare.
    Relationship(KnownRelationship),
    /// A figure of the business, and how it is computed.
    Metric(Box<KnownMetric>),
    /// A question and the SELECT that answers it.
    Example {
        /// The question.
        question: String,
        /// The SELECT.
        sql: String,
    },
    /// What has to be asked of a person before a question can be answered.
    Clarify {
        /// What a question leaves open.
        when: String,
        /// What is asked.
        ask: String,
    },
    /// How statements are to be written.
    Style {
        /// In words.
        note: String,
    },
}

words! {
    /// The kinds of records, in the order in which they are told.
    KnowledgeKind {
        /// [`KnowledgeContent::Term`].
        Term => "term",
        /// [`KnowledgeContent::Quirk`].
        Quirk => "quirk",
        /// [`KnowledgeContent::Correction`].
        Correction => "correction",
        /// [`KnowledgeContent::Relationship`].
        Relationship => "relationship",
        /// [`KnowledgeContent::Metric`].
        Metric => "metric",
        /// [`KnowledgeContent::Example`].
        Example => "example",
        /// [`KnowledgeContent::Clarify`].
        Clarify => "clarify",
        /// [`KnowledgeContent::Style`].
        Style => "style",
    }
}

/// A join from the rows of one relation to the one row of another that belongs to each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownRelationship {
    /// The columns that point.
    pub from: NamedColumns,
    /// The columns that they point to, in the same order.
    pub to: NamedColumns,
    /// What there is to say of it; empty where nothing is.
    pub note: String,
}

/// Columns of one relation: `shop.orders(customer_no)`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedColumns {
    /// The schema.
    pub schema: String,
    /// The relation.
    pub relation: String,
    /// The columns, at least one.
    pub columns: Vec<String>,
}

/// What a record is about: relations, or columns of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AboutPattern {
    /// The relations.
    pub relation: RelationPattern,
    /// The columns; none: the relations themselves.
    pub column: Option<Glob>,
}

impl KnowledgeRecord {
    /// What kind of record it is.
    pub fn kind(&self) -> KnowledgeKind {
        match &self.content {
            KnowledgeContent::Term { .. } => KnowledgeKind::Term,
            KnowledgeContent::Quirk { .. } => KnowledgeKind::Quirk,
            KnowledgeContent::Correction { .. } => KnowledgeKind::Correction,
            KnowledgeContent::Relationship(_) => KnowledgeKind::Relationship,
            KnowledgeContent::Metric(_) => KnowledgeKind::Metric,
            KnowledgeContent::Example { .. } => KnowledgeKind::Example,
            KnowledgeContent::Clarify { .. } => KnowledgeKind::Clarify,
            KnowledgeContent::Style { .. } => KnowledgeKind::Style,
        }
    }

    /// Whether a user is told.
    pub fn is_for(&self, user: &str) -> bool {
        self.users.is_empty() || self.users.iter().any(|pattern| pattern.matches(user))
    }

    /// Its words, each with what it is in the record.
    pub fn texts(&self) -> Vec<(&'static str, &str)> {
        match &self.content {
            KnowledgeContent::Term { meaning } => vec![("term", &self.name), ("meaning", meaning)],
            KnowledgeContent::Quirk { note } | KnowledgeContent::Style { note } => {
                vec![("note", note)]
            }
            KnowledgeContent::Correction { wrong, right } => {
                vec![("wrong", wrong), ("right", right)]
            }
            KnowledgeContent::Relationship(known) => vec![("note", &known.note)],
            KnowledgeContent::Metric(known) => vec![("note", &known.note)],
            KnowledgeContent::Example { question, sql } => {
                vec![("question", question), ("sql", sql)]
            }
            KnowledgeContent::Clarify { when, ask } => vec![("when", when), ("ask", ask)],
        }
    }
}

impl AboutPattern {
    /// Whether it is about a relation, or about columns of it.
    pub fn names_relation(&self, schema: &str, relation: &str) -> bool {
        self.relation.names(schema, relation)
    }

    /// Whether it is about a column: named as such, or with its relation.
    pub fn names_column(&self, schema: &str, relation: &str, column: &str) -> bool {
        self.relation.names(schema, relation)
            && self
                .column
                .as_ref()
                .is_none_or(|pattern| pattern.matches(column))
    }
}

impl fmt::Display for AboutPattern {
    /// As a policy writes it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RelationPattern { schema, name } = &self.relation;
        write!(formatter, "{schema}.{name}")?;
        match &self.column {
            Some(column) => write!(formatter, ".{column}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for NamedColumns {
    /// As a policy writes them.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (schema, relation) = (Glob::new(&self.schema), Glob::new(&self.relation));
        let columns = self.columns.iter().map(|name| Glob::new(name).to_string());
        let columns = columns.collect::<Vec<_>>().join(", ");
        write!(formatter, "{schema}.{relation}({columns})")
    }
}
