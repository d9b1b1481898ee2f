//! The record of a policy's knowledge that the HINT of a failing statement cites: at most one, and
//! only one that a grounding of the same session tells.
//!
//! Which it is, in this order:
//! 1. a `correction` whose `wrong` is in the statement ([`statement_names`]), those first that have
//!    a name of the error;
//! 2. a `term` or `metric` that is the unknown name: both have the same words, split at case and
//!    underscores, whatever their endings;
//! 3. a `quirk` about a column that the error names, then about one that the statement names;
//! 4. a `relationship` between two relations of the statement, whose columns it does not have, or
//!    from one of them to one that has the missing column; where types do not fit, one whose
//!    columns the statement has;
//! 5. a `quirk` about a relation that the statement names.
//!
//! Where the unknown name is none of a column, quirks are about what the error names: a relation of
//! that name in whatever schema. Failures on types and values are told no term, and no quirk
//! about a relation: no name is unknown there. What is wrong in its shape (syntax, grouping) is
//! told corrections alone. A `style`, a
//! `clarify` and an `example` are never cited: they say how to write a statement and what to ask
//! before one is written, and not what a name means.
//!
//! Names of the statement are compared as the server reads them: without quotes in small letters,
//! qualified or found over the search_path. Whether something is hidden is asked as for a
//! grounding, but only of what the record names. What was not asked counts as hidden.
//!
//! * `failure`: what a failure is about; `statement_names`: the names of a statement, and whether
//!   something wrong is in it; `telling`: whether a record may be told

mod failure;
mod statement_names;
mod telling;
#[cfg(test)]
mod tests;

use catalog::{Catalog, FunctionId, Mask, RelationId, RoleId, SchemaId};
use ground::limits::knowledge::cited_records;
use policy::knowledge::{KnownRelationship, NamedColumns};
use policy::{KnowledgeContent, KnowledgeRecord};

use self::failure::{FailureSubject, SubjectKind};
use self::statement_names::StatementNames;
use self::telling::AskedGate;
use super::document::GroundedRecord;
use super::retrieval::words::{stem, words};

/// What a citation is made of.
pub struct CitationSource<'s> {
    /// What the database contains.
    pub catalog: &'s Catalog,
    /// The session's role; none where the snapshot does not know it.
    pub role: Option<RoleId>,
    /// What the policy hides.
    pub mask: Option<&'s Mask>,
    /// Where names without a schema are looked up.
    pub path: &'s [SchemaId],
    /// Whether the gate lets such a session read these columns of a relation.
    pub is_read: &'s dyn Fn(RelationId, &[&str]) -> bool,
    /// Whether it lets it call a function.
    pub is_called: &'s dyn Fn(FunctionId) -> bool,
    /// What the policy knows, for this user.
    pub knowledge: &'s [&'s KnowledgeRecord],
}

/// A statement that failed.
#[derive(Clone, Copy, Debug)]
pub struct FailedStatement<'f> {
    /// The SQLSTATE of its error.
    pub sqlstate: &'f str,
    /// The words of its error.
    pub message: &'f str,
    /// The statement; none where it is not at hand.
    pub text: Option<&'f str>,
}

/// Whether failures with an error like this may be told a record.
pub fn is_citable(sqlstate: &str, message: &str) -> bool {
    FailureSubject::of(sqlstate, message).is_some()
}

/// Words that cite a record about a failure, in so many characters at most.
pub fn cite(
    source: &CitationSource<'_>,
    failed: &FailedStatement<'_>,
    characters_max: usize,
) -> Option<String> {
    let subject = FailureSubject::of(failed.sqlstate, failed.message)?;
    let statement = failed.text.and_then(StatementNames::of).unwrap_or_default();
    let asked = AskedGate::new(source);
    let search = RecordSearch {
        named: named_relations(source, &statement, &subject),
        asked: &asked,
        source,
        statement,
        subject,
    };
    let ranked = source.knowledge.iter();
    let ranked = ranked.filter_map(|record| Some((search.rank(record)?, *record)));
    let mut ranked: Vec<(CitationRank, &KnowledgeRecord)> = ranked.collect();
    // Among those of one rank the order of the policy holds.
    ranked.sort_by_key(|(rank, _)| *rank);
    let likeliest = ranked.into_iter().take(cited_records::RECORDS_MAX);
    let mut told = likeliest.filter_map(|(_, record)| Some(sentence(&asked.told(record)?)));
    told.find(|words| words.chars().count() <= characters_max)
}

/// Why a record is cited: the first of these is the best reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CitationRank {
    CorrectionOfName,
    CorrectionOfStatement,
    Term,
    QuirkOfName,
    QuirkOfColumn,
    Relationship,
    QuirkOfRelation,
}

/// What records are held against.
struct RecordSearch<'s> {
    source: &'s CitationSource<'s>,
    asked: &'s AskedGate<'s>,
    statement: StatementNames,
    subject: FailureSubject,
    /// The relations that the statement or the error names. Some may be hidden.
    named: Vec<RelationId>,
}

impl RecordSearch<'_> {
    fn rank(&self, record: &KnowledgeRecord) -> Option<CitationRank> {
        let is_shape = self.subject.kind == SubjectKind::Shape;
        match &record.content {
            KnowledgeContent::Correction { wrong, .. } => self.correction(wrong),
            _ if is_shape => None,
            KnowledgeContent::Term { .. } | KnowledgeContent::Metric(_) => {
                self.is_unknown(&record.name)
            }
            KnowledgeContent::Quirk { .. } => self.quirk(record),
            KnowledgeContent::Relationship(known) => self.relationship(known),
            KnowledgeContent::Example { .. }
            | KnowledgeContent::Clarify { .. }
            | KnowledgeContent::Style { .. } => None,
        }
    }

    fn correction(&self, wrong: &str) -> Option<CitationRank> {
        let wrong = StatementNames::of(wrong)?;
        let mut failing = self.subject.last_parts();
        let rank = match failing.any(|name| wrong.has_last(name)) {
            true => CitationRank::CorrectionOfName,
            false => CitationRank::CorrectionOfStatement,
        };
        self.statement.has_shape(&wrong).then_some(rank)
    }

    fn is_unknown(&self, term: &str) -> Option<CitationRank> {
        let stems = |text: &str| -> Vec<String> {
            let words = words(text);
            words.iter().map(|word| stem(word)).collect()
        };
        let term = stems(term);
        let mut failing = self.subject.last_parts();
        let is_it = !term.is_empty() && failing.any(|name| stems(name) == term);
        is_it.then_some(CitationRank::Term)
    }

    fn quirk(&self, record: &KnowledgeRecord) -> Option<CitationRank> {
        let catalog = self.source.catalog;
        let is_name = self.subject.kind != SubjectKind::Value;
        let mut best: Option<CitationRank> = None;
        for id in &self.named {
            let (schema, name) = names_of(catalog, *id);
            let about = record.about.iter();
            for pattern in about.filter(|pattern| pattern.names_relation(schema, name)) {
                // That something hidden is there must not be told by what is cited.
                let Some(shown) = self.asked.shown(*id) else {
                    break;
                };
                let rank = match &pattern.column {
                    None if is_name => Some(CitationRank::QuirkOfRelation),
                    None => None,
                    Some(glob) => {
                        let columns = shown.iter().filter(|column| glob.matches(column));
                        columns.filter_map(|column| self.column(column)).min()
                    }
                };
                best = [best, rank].into_iter().flatten().min();
            }
        }
        best
    }

    fn column(&self, name: &str) -> Option<CitationRank> {
        let mut failing = self.subject.last_parts();
        let is_named = || self.statement.has_last(name);
        match failing.any(|own| own == name) {
            true => Some(CitationRank::QuirkOfName),
            false => is_named().then_some(CitationRank::QuirkOfColumn),
        }
    }

    fn relationship(&self, known: &KnownRelationship) -> Option<CitationRank> {
        let catalog = self.source.catalog;
        let is_named = |side: &NamedColumns| {
            let mut named = self.named.iter().map(|id| names_of(catalog, *id));
            named.any(|own| own == (side.schema.as_str(), side.relation.as_str()))
        };
        let sides = [&known.from, &known.to];
        let columns = || sides.into_iter().flat_map(|side| &side.columns);
        let [is_from, is_to] = sides.map(is_named);
        let mut all = columns();
        let is_due = match (self.subject.kind, is_from, is_to) {
            (SubjectKind::Column, true, true) => !all.all(|name| self.statement.has_last(name)),
            (SubjectKind::Column, true, false) => self.is_missing_in(&known.to),
            (SubjectKind::Column, false, true) => self.is_missing_in(&known.from),
            (SubjectKind::Value, true, true) => all.any(|name| self.statement.has_last(name)),
            _ => false,
        };
        is_due.then_some(CitationRank::Relationship)
    }

    /// Whether a relation has a column that the error names.
    fn is_missing_in(&self, side: &NamedColumns) -> bool {
        let catalog = self.source.catalog;
        let Some(id) = catalog.relation_named(&side.schema, &side.relation) else {
            return false;
        };
        let shown = self.asked.shown(id).unwrap_or_default();
        let mut failing = self.subject.last_parts();
        failing.any(|name| shown.contains(&name))
    }
}

/// The relations that a statement names, qualified or over the search_path; where what the error
/// names is no column, those alone that are called so, in whatever schema.
fn named_relations(
    source: &CitationSource<'_>,
    statement: &StatementNames,
    subject: &FailureSubject,
) -> Vec<RelationId> {
    let catalog = source.catalog;
    let mut found: Vec<RelationId> = Vec::new();
    let mut keep = |id: RelationId| {
        if !found.contains(&id) {
            found.push(id);
        }
    };
    if subject.kind == SubjectKind::Name {
        let failing = subject.last_parts();
        let names = failing.filter_map(|name| catalog.names().find(name));
        let called = names.flat_map(|name| catalog.index().relations(name));
        called.copied().for_each(keep);
        return found;
    }
    for chain in statement.chains() {
        let pairs = chain.windows(2).filter_map(|pair| match pair {
            [schema, name] => catalog.relation_named(schema, name),
            _ => None,
        });
        pairs.for_each(&mut keep);
        let first = chain.first().and_then(|name| catalog.names().find(name));
        let called = first.map_or(&[][..], |name| catalog.index().relations(name));
        let in_schema = |schema: &SchemaId| {
            let mut called = called.iter().copied();
            called.find(|id| catalog.relation(*id).schema == *schema)
        };
        source
            .path
            .iter()
            .find_map(in_schema)
            .into_iter()
            .for_each(&mut keep);
    }
    found
}

/// The schema of a relation, and its name.
fn names_of(catalog: &Catalog, id: RelationId) -> (&str, &str) {
    let (relation, names) = (catalog.relation(id), catalog.names());
    let schema = catalog.schema(relation.schema).name;
    (names.text(schema), names.text(relation.name))
}

fn sentence(record: &GroundedRecord) -> String {
    let whole = record.sentence();
    let words: Vec<&str> = whole.split_whitespace().collect();
    let words = words.join(" ");
    let end = if words.ends_with(['.', '!', '?']) {
        ""
    } else {
        "."
    };
    match record.kind {
        // The word of a term is its name.
        "term" => format!("Known (term): {words}{end}"),
        kind => format!("Known ({kind} {}): {words}{end}", record.name),
    }
}
