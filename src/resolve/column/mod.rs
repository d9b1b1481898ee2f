//! What a reference to a column means: `c`, `t.c`, `s.t.c`, `d.s.t.c`, a whole row, or a function
//! of one.
//!
//! The nearest query that has the name wins; two in the same query are an error of the statement,
//! which the server reports itself.
//!
//! <https://www.postgresql.org/docs/current/sql-expressions.html#SQL-EXPRESSIONS-COLUMN-REFS>

pub mod field;
pub mod name;

use super::missing_name::MissingObject;
use super::scope::SystemColumns;
use super::{
    Analysis, ColumnCompleteness, ColumnSource, InferredType, Scope, ScopeItem, SqlName, TooDeep,
    UsedObject,
};
use catalog::{Oid, RelationId};
use sql::tree::{Node, list, nodes};

/// A value that a reference names.
#[derive(Clone, Debug)]
pub(crate) struct ColumnValue {
    /// Its type.
    pub inferred: InferredType,
    /// The relation and the number of the column that it passes on unchanged, if any.
    pub origin: Option<(RelationId, i16)>,
    /// Where it is read.
    pub via: ColumnSource,
}

/// What a name was found to be.
pub(crate) enum ColumnLookup<T> {
    One(T),
    /// Several things of the same query.
    Ambiguous,
    /// It cannot be told: something in the same query is not known in full.
    Unclear,
    Nothing,
}

/// A reference, taken apart.
pub(crate) enum ParsedReference<'a> {
    /// A name alone.
    Bare(&'a str),
    /// A name, or a star, of something that is named.
    Of(ColumnQualifier<'a>, LastPart<'a>),
    /// A star alone.
    Star,
    /// More parts than a name can have.
    Strange,
}

/// What stands before the last part of a reference.
#[derive(Clone, Copy)]
pub(crate) struct ColumnQualifier<'a> {
    pub schema: Option<&'a str>,
    pub name: &'a str,
}

/// The last part of a reference.
pub(crate) enum LastPart<'a> {
    Column(&'a str),
    Star,
}

impl<'a> Analysis<'a> {
    /// What a reference to a column means. The use is noted.
    ///
    /// # Errors
    /// The text nests deeper than the analysis goes.
    pub fn column(
        &mut self,
        reference: &'a nodes::ColumnRef,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        Ok(self.column_value(reference, scope)?.inferred)
    }

    /// The same, with where the value comes from.
    pub(crate) fn column_value(
        &mut self,
        reference: &'a nodes::ColumnRef,
        scope: &Scope<'_, 'a>,
    ) -> Result<ColumnValue, TooDeep> {
        let at = reference.location;
        match ParsedReference::of(reference.fields()) {
            ParsedReference::Bare(name) => self.bare(name, at, scope),
            ParsedReference::Of(qualifier, LastPart::Column(name)) => {
                self.qualified(qualifier, name, at, scope)
            }
            ParsedReference::Of(qualifier, LastPart::Star) => match self.item(qualifier, scope)? {
                ColumnLookup::One(item) => self.whole_row(&item, at),
                found => {
                    self.note_no_entry(&found, qualifier, at, scope);
                    Ok(self.no_item(&found, qualifier, "*", at, scope))
                }
            },
            ParsedReference::Star | ParsedReference::Strange => Ok(self.unclear_value(at)),
        }
    }

    /// The column of a name in the nearest query that has one; only the innermost where `levels`
    /// is one.
    pub(crate) fn find_bare(
        &mut self,
        name: &str,
        levels: usize,
        scope: &Scope<'_, 'a>,
    ) -> Result<ColumnLookup<ColumnValue>, TooDeep> {
        for level in scope.chain().take(levels) {
            let mut found = ColumnLookup::Nothing;
            self.charge_work(level.visible().len())?;
            for item in level.visible() {
                if item.is_seen_unqualified() {
                    self.charge_work(item.columns.len())?;
                    let own = self.column_of(item, name, SystemColumns::Both);
                    found = found.or_both(own);
                }
            }
            if !matches!(found, ColumnLookup::Nothing) {
                return Ok(found);
            }
        }
        Ok(ColumnLookup::Nothing)
    }

    /// The item that a qualifier means, in the nearest query that has one.
    pub(crate) fn item(
        &mut self,
        qualifier: ColumnQualifier<'_>,
        scope: &Scope<'_, 'a>,
    ) -> Result<ColumnLookup<ScopeItem<'a>>, TooDeep> {
        let relation = match qualifier.schema {
            None => None,
            Some(schema) => match self.relation_in(schema, qualifier.name) {
                Some(id) => Some(id),
                None => return Ok(ColumnLookup::Nothing),
            },
        };
        for level in scope.chain() {
            let mut found = ColumnLookup::Nothing;
            self.charge_work(level.items.len())?;
            for item in level.visible() {
                let meant = match relation {
                    None => item.is_called(qualifier.name),
                    Some(id) => item.relation == Some(id) && item.schema.is_some(),
                };
                if meant {
                    found = found.or_both(ColumnLookup::One(item));
                }
            }
            match found {
                ColumnLookup::Nothing => {}
                ColumnLookup::One(item) => return Ok(ColumnLookup::One(item.clone())),
                ColumnLookup::Ambiguous | ColumnLookup::Unclear => {
                    return Ok(ColumnLookup::Ambiguous);
                }
            }
        }
        Ok(ColumnLookup::Nothing)
    }

    fn bare(
        &mut self,
        name: &'a str,
        at: i32,
        scope: &Scope<'_, 'a>,
    ) -> Result<ColumnValue, TooDeep> {
        match self.find_bare(name, usize::MAX, scope)? {
            ColumnLookup::One(value) => Ok(self.noted(value, at)),
            ColumnLookup::Unclear => Ok(self.unclear_value(at)),
            ColumnLookup::Ambiguous => Ok(self.ambiguous(None, name, at)),
            ColumnLookup::Nothing => {
                let qualifier = ColumnQualifier { schema: None, name };
                match self.item(qualifier, scope)? {
                    ColumnLookup::One(item) => self.whole_row(&item, at),
                    ColumnLookup::Ambiguous | ColumnLookup::Unclear => {
                        Ok(self.ambiguous(None, name, at))
                    }
                    ColumnLookup::Nothing => match self.argument(name) {
                        Some(value) => Ok(value),
                        None => {
                            self.note_no_column(None, name, at);
                            Ok(self.missing(None, name, at, scope))
                        }
                    },
                }
            }
        }
    }

    fn qualified(
        &mut self,
        qualifier: ColumnQualifier<'a>,
        name: &'a str,
        at: i32,
        scope: &Scope<'_, 'a>,
    ) -> Result<ColumnValue, TooDeep> {
        let item = match self.item(qualifier, scope)? {
            ColumnLookup::One(item) => item,
            ColumnLookup::Nothing => {
                return Ok(match self.argument_of(qualifier, name, at) {
                    Some(value) => value,
                    None => {
                        self.note_no_entry(&ColumnLookup::<()>::Nothing, qualifier, at, scope);
                        self.missing(Some(qualifier.name), name, at, scope)
                    }
                });
            }
            found => return Ok(self.no_item(&found, qualifier, name, at, scope)),
        };
        self.charge_work(item.columns.len())?;
        match self.column_of(&item, name, SystemColumns::Qualified) {
            ColumnLookup::One(value) => Ok(self.noted(value, at)),
            ColumnLookup::Ambiguous => Ok(self.ambiguous(Some(qualifier.name), name, at)),
            ColumnLookup::Unclear => Ok(self.unclear_value(at)),
            ColumnLookup::Nothing => {
                let row = item.row_type();
                match self.field_call(&row, name, at) {
                    Some(inferred) => {
                        self.whole_row(&item, at)?;
                        Ok(ColumnValue::computed(inferred))
                    }
                    None => {
                        self.note_no_column(Some(qualifier.name), name, at);
                        Ok(self.missing(Some(qualifier.name), name, at, scope))
                    }
                }
            }
        }
    }

    /// The column of an item. `least` is the reference's own way to system columns.
    fn column_of(
        &self,
        item: &ScopeItem<'a>,
        name: &str,
        least: SystemColumns,
    ) -> ColumnLookup<ColumnValue> {
        let mut found = ColumnLookup::Nothing;
        for column in item.columns.iter() {
            if column.name.as_str() == name {
                found = found.or_both(ColumnLookup::One(ColumnValue {
                    inferred: column.inferred.clone(),
                    origin: column.origin,
                    via: column.via,
                }));
            }
        }
        let seen = item.system_columns == SystemColumns::Both || item.system_columns == least;
        match found {
            ColumnLookup::Nothing if seen => match self.system_column(item.relation, name) {
                Some(value) => ColumnLookup::One(value),
                None => found,
            },
            ColumnLookup::Nothing if item.completeness == ColumnCompleteness::Open => {
                ColumnLookup::Unclear
            }
            found => found,
        }
    }

    fn system_column(&self, relation: Option<RelationId>, name: &str) -> Option<ColumnValue> {
        let (_, number, oid) = SYSTEM_COLUMNS.iter().find(|(own, ..)| *own == name)?;
        let known = self.catalog.index().type_of_oid(Oid(*oid));
        Some(ColumnValue {
            inferred: known.map_or(InferredType::Unclear, InferredType::Known),
            origin: relation.map(|relation| (relation, *number)),
            via: ColumnSource::Relation,
        })
    }

    fn noted(&mut self, value: ColumnValue, at: i32) -> ColumnValue {
        let what = UsedObject::Column {
            inferred: value.inferred.clone(),
            origin: value.origin,
            via: value.via,
        };
        self.note_at(at, what);
        value
    }

    fn whole_row(&mut self, item: &ScopeItem<'a>, at: i32) -> Result<ColumnValue, TooDeep> {
        let inferred = item.row_type();
        let what = UsedObject::WholeRow {
            inferred: inferred.clone(),
            relation: item.relation,
        };
        self.note_at(at, what);
        if item.relation.is_none() {
            // A join that has a name: its row is made of columns of relations.
            self.charge_work(item.columns.len())?;
            for column in item
                .columns
                .iter()
                .filter(|own| own.via == ColumnSource::Relation)
            {
                self.note_at(at, column.read());
            }
        }
        Ok(ColumnValue::computed(inferred))
    }

    fn ambiguous(&mut self, qualifier: Option<&'a str>, name: &'a str, at: i32) -> ColumnValue {
        let what = UsedObject::AmbiguousColumn {
            qualifier: qualifier.map(SqlName::from),
            name: name.into(),
        };
        self.note_at(at, what);
        ColumnValue::computed(InferredType::Unclear)
    }

    fn missing(
        &mut self,
        qualifier: Option<&'a str>,
        name: &'a str,
        at: i32,
        scope: &Scope<'_, 'a>,
    ) -> ColumnValue {
        self.note_visible(at, scope);
        let what = UsedObject::MissingColumn {
            qualifier: qualifier.map(SqlName::from),
            name: name.into(),
        };
        self.note_at(at, what);
        ColumnValue::computed(InferredType::Unclear)
    }

    /// Notes that a qualifier means no item of FROM.
    pub(crate) fn note_no_entry<T>(
        &mut self,
        found: &ColumnLookup<T>,
        qualifier: ColumnQualifier<'a>,
        at: i32,
        scope: &Scope<'_, 'a>,
    ) {
        if matches!(found, ColumnLookup::Nothing) {
            self.note_missing_entry(qualifier.name, at, scope);
        }
    }

    /// Notes that a name means no column.
    fn note_no_column(&mut self, qualifier: Option<&'a str>, name: &'a str, at: i32) {
        self.note_missing(at, || MissingObject::Column {
            qualifier: qualifier.map(SqlName::from),
            name: name.into(),
        });
    }

    /// A qualifier that means no one item.
    pub(crate) fn no_item<T>(
        &mut self,
        found: &ColumnLookup<T>,
        qualifier: ColumnQualifier<'a>,
        name: &'a str,
        at: i32,
        scope: &Scope<'_, 'a>,
    ) -> ColumnValue {
        match found {
            ColumnLookup::Nothing => self.missing(Some(qualifier.name), name, at, scope),
            ColumnLookup::One(_) | ColumnLookup::Ambiguous | ColumnLookup::Unclear => {
                self.ambiguous(Some(qualifier.name), name, at)
            }
        }
    }

    fn unclear_value(&mut self, at: i32) -> ColumnValue {
        self.note_at(at, UsedObject::Unclear);
        ColumnValue::computed(InferredType::Unclear)
    }
}

impl ColumnValue {
    /// A value that passes nothing on unchanged.
    pub(crate) fn computed(inferred: InferredType) -> Self {
        Self {
            inferred,
            origin: None,
            via: ColumnSource::Query,
        }
    }
}

impl<T> ColumnLookup<T> {
    /// Both of two places of the same query.
    fn or_both(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, other) => other,
            (found, Self::Nothing) => found,
            (Self::Unclear, _) | (_, Self::Unclear) => Self::Unclear,
            (Self::One(_) | Self::Ambiguous, Self::One(_) | Self::Ambiguous) => Self::Ambiguous,
        }
    }
}

impl<'a> ParsedReference<'a> {
    /// Takes the parts of a reference apart.
    pub(crate) fn of(fields: &'a list::NodeList) -> Self {
        // Of four parts the first is the database, which can only be the one that is connected to.
        let first = fields.len().saturating_sub(MOST_PARTS);
        let mut parts = [const { None }; MOST_PARTS];
        if first > 1 {
            return Self::Strange;
        }
        for (part, node) in parts.iter_mut().zip(fields.iter().skip(first)) {
            *part = match node {
                Node::A_Star(_) => Some(LastPart::Star),
                Node::String(name) => name.sval().map(LastPart::Column),
                _ => return Self::Strange,
            };
        }
        let of = |schema, name, last| Self::Of(ColumnQualifier { schema, name }, last);
        match parts {
            [Some(LastPart::Column(name)), None, None] => Self::Bare(name),
            [Some(LastPart::Star), None, None] => Self::Star,
            [Some(LastPart::Column(name)), Some(last), None] => of(None, name, last),
            [
                Some(LastPart::Column(schema)),
                Some(LastPart::Column(name)),
                Some(last),
            ] => of(Some(schema), name, last),
            _ => Self::Strange,
        }
    }
}

/// A schema, a relation and a column.
const MOST_PARTS: usize = 3;

/// The columns that every table has: their numbers and the oids of their types.
///
/// <https://www.postgresql.org/docs/current/ddl-system-columns.html>
pub(crate) const SYSTEM_COLUMNS: [(&str, i16, u32); 6] = [
    ("ctid", -1, 27),
    ("xmin", -2, 28),
    ("cmin", -3, 29),
    ("xmax", -4, 28),
    ("cmax", -5, 29),
    ("tableoid", -6, 26),
];
