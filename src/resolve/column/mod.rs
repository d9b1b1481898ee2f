//! What a reference to a column means: `c`, `t.c`, `s.t.c`, `d.s.t.c`, a whole row, or a function
//! of one.
//!
//! The nearest query that has the name wins; two in the same query are an error of the statement,
//! which the server reports itself.
//!
//! <https://www.postgresql.org/docs/current/sql-expressions.html#SQL-EXPRESSIONS-COLUMN-REFS>

pub mod field;
pub mod name;

use super::missing_name::AbsentThing;
use super::scope::SystemColumns;
use super::{Analysis, Completeness, Inferred, Item, Name, Scope, TooDeep, Via, What};
use crate::catalog::{Oid, RelationId};
use crate::sql::tree::{Node, list, nodes};

/// A value that a reference names.
#[derive(Clone, Debug)]
pub(in crate::resolve) struct Value {
    /// Its type.
    pub inferred: Inferred,
    /// The relation and the number of the column that it passes on unchanged, if any.
    pub origin: Option<(RelationId, i16)>,
    /// Where it is read.
    pub via: Via,
}

/// What a name was found to be.
pub(in crate::resolve) enum Found<T> {
    One(T),
    /// Several things of the same query.
    Ambiguous,
    /// It cannot be told: something in the same query is not known in full.
    Unclear,
    Nothing,
}

/// A reference, taken apart.
pub(in crate::resolve) enum Reference<'a> {
    /// A name alone.
    Bare(&'a str),
    /// A name, or a star, of something that is named.
    Of(Qualifier<'a>, Part<'a>),
    /// A star alone.
    Star,
    /// More parts than a name can have.
    Strange,
}

/// What stands before the last part of a reference.
#[derive(Clone, Copy)]
pub(in crate::resolve) struct Qualifier<'a> {
    pub schema: Option<&'a str>,
    pub name: &'a str,
}

/// The last part of a reference.
pub(in crate::resolve) enum Part<'a> {
    Column(&'a str),
    Star,
}

impl<'a> Analysis<'a> {
    /// What a reference to a column means. The use is noted.
    pub fn column(
        &mut self,
        reference: &'a nodes::ColumnRef,
        scope: &Scope<'_, 'a>,
    ) -> Result<Inferred, TooDeep> {
        Ok(self.column_value(reference, scope)?.inferred)
    }

    /// The same, with where the value comes from.
    pub(in crate::resolve) fn column_value(
        &mut self,
        reference: &'a nodes::ColumnRef,
        scope: &Scope<'_, 'a>,
    ) -> Result<Value, TooDeep> {
        let at = reference.location;
        match Reference::of(reference.fields()) {
            Reference::Bare(name) => self.bare(name, at, scope),
            Reference::Of(qualifier, Part::Column(name)) => {
                self.qualified(qualifier, name, at, scope)
            }
            Reference::Of(qualifier, Part::Star) => match self.item(qualifier, scope)? {
                Found::One(item) => self.whole_row(&item, at),
                found => {
                    self.note_no_entry(&found, qualifier, at, scope);
                    Ok(self.no_item(&found, qualifier, "*", at))
                }
            },
            Reference::Star | Reference::Strange => Ok(self.unclear_value(at)),
        }
    }

    /// The column of a name in the nearest query that has one; only the innermost where `levels`
    /// is one.
    pub(in crate::resolve) fn find_bare(
        &mut self,
        name: &str,
        levels: usize,
        scope: &Scope<'_, 'a>,
    ) -> Result<Found<Value>, TooDeep> {
        for level in scope.chain().take(levels) {
            let mut found = Found::Nothing;
            self.charge(level.visible().len())?;
            for item in level.visible() {
                if item.is_seen_unqualified() {
                    self.charge(item.columns.len())?;
                    let own = self.column_of(item, name, SystemColumns::Both);
                    found = found.or_both(own);
                }
            }
            if !matches!(found, Found::Nothing) {
                return Ok(found);
            }
        }
        Ok(Found::Nothing)
    }

    /// The item that a qualifier means, in the nearest query that has one.
    pub(in crate::resolve) fn item(
        &mut self,
        qualifier: Qualifier<'_>,
        scope: &Scope<'_, 'a>,
    ) -> Result<Found<Item<'a>>, TooDeep> {
        let relation = match qualifier.schema {
            None => None,
            Some(schema) => match self.relation_in(schema, qualifier.name) {
                Some(id) => Some(id),
                None => return Ok(Found::Nothing),
            },
        };
        for level in scope.chain() {
            let mut found = Found::Nothing;
            self.charge(level.items.len())?;
            for item in level.visible() {
                let meant = match relation {
                    None => item.is_called(qualifier.name),
                    Some(id) => item.relation == Some(id) && item.schema.is_some(),
                };
                if meant {
                    found = found.or_both(Found::One(item));
                }
            }
            match found {
                Found::Nothing => {}
                Found::One(item) => return Ok(Found::One(item.clone())),
                Found::Ambiguous | Found::Unclear => return Ok(Found::Ambiguous),
            }
        }
        Ok(Found::Nothing)
    }

    fn bare(&mut self, name: &'a str, at: i32, scope: &Scope<'_, 'a>) -> Result<Value, TooDeep> {
        match self.find_bare(name, usize::MAX, scope)? {
            Found::One(value) => Ok(self.noted(value, at)),
            Found::Unclear => Ok(self.unclear_value(at)),
            Found::Ambiguous => Ok(self.ambiguous(None, name, at)),
            Found::Nothing => {
                let qualifier = Qualifier { schema: None, name };
                match self.item(qualifier, scope)? {
                    Found::One(item) => self.whole_row(&item, at),
                    Found::Ambiguous | Found::Unclear => Ok(self.ambiguous(None, name, at)),
                    Found::Nothing => match self.argument(name) {
                        Some(value) => Ok(value),
                        None => {
                            self.note_no_column(None, name, at);
                            Ok(self.missing(None, name, at))
                        }
                    },
                }
            }
        }
    }

    fn qualified(
        &mut self,
        qualifier: Qualifier<'a>,
        name: &'a str,
        at: i32,
        scope: &Scope<'_, 'a>,
    ) -> Result<Value, TooDeep> {
        let item = match self.item(qualifier, scope)? {
            Found::One(item) => item,
            Found::Nothing => {
                return Ok(match self.argument_of(qualifier, name, at) {
                    Some(value) => value,
                    None => {
                        self.note_no_entry(&Found::<()>::Nothing, qualifier, at, scope);
                        self.missing(Some(qualifier.name), name, at)
                    }
                });
            }
            found => return Ok(self.no_item(&found, qualifier, name, at)),
        };
        self.charge(item.columns.len())?;
        match self.column_of(&item, name, SystemColumns::Qualified) {
            Found::One(value) => Ok(self.noted(value, at)),
            Found::Ambiguous => Ok(self.ambiguous(Some(qualifier.name), name, at)),
            Found::Unclear => Ok(self.unclear_value(at)),
            Found::Nothing => {
                let row = item.row_type();
                match self.field_call(&row, name, at) {
                    Some(inferred) => {
                        self.whole_row(&item, at)?;
                        Ok(Value::computed(inferred))
                    }
                    None => {
                        self.note_no_column(Some(qualifier.name), name, at);
                        Ok(self.missing(Some(qualifier.name), name, at))
                    }
                }
            }
        }
    }

    /// The column of an item. `least` is the reference's own way to system columns.
    fn column_of(&self, item: &Item<'a>, name: &str, least: SystemColumns) -> Found<Value> {
        let mut found = Found::Nothing;
        for column in item.columns.iter() {
            if column.name.as_str() == name {
                found = found.or_both(Found::One(Value {
                    inferred: column.inferred.clone(),
                    origin: column.origin,
                    via: column.via,
                }));
            }
        }
        let seen = item.system_columns == SystemColumns::Both || item.system_columns == least;
        match found {
            Found::Nothing if seen => match self.system_column(item.relation, name) {
                Some(value) => Found::One(value),
                None => found,
            },
            Found::Nothing if item.completeness == Completeness::Open => Found::Unclear,
            found => found,
        }
    }

    fn system_column(&self, relation: Option<RelationId>, name: &str) -> Option<Value> {
        let (_, number, oid) = SYSTEM_COLUMNS.iter().find(|(own, ..)| *own == name)?;
        let known = self.catalog.index().type_of_oid(Oid(*oid));
        Some(Value {
            inferred: known.map_or(Inferred::Unclear, Inferred::Known),
            origin: relation.map(|relation| (relation, *number)),
            via: Via::Relation,
        })
    }

    fn noted(&mut self, value: Value, at: i32) -> Value {
        let what = What::Column {
            inferred: value.inferred.clone(),
            origin: value.origin,
            via: value.via,
        };
        self.note_at(at, what);
        value
    }

    fn whole_row(&mut self, item: &Item<'a>, at: i32) -> Result<Value, TooDeep> {
        let inferred = item.row_type();
        let what = What::WholeRow {
            inferred: inferred.clone(),
            relation: item.relation,
        };
        self.note_at(at, what);
        if item.relation.is_none() {
            // A join that has a name: its row is made of columns of relations.
            self.charge(item.columns.len())?;
            for column in item.columns.iter().filter(|own| own.via == Via::Relation) {
                self.note_at(at, column.read());
            }
        }
        Ok(Value::computed(inferred))
    }

    fn ambiguous(&mut self, qualifier: Option<&'a str>, name: &'a str, at: i32) -> Value {
        let what = What::AmbiguousColumn {
            qualifier: qualifier.map(Name::from),
            name: name.into(),
        };
        self.note_at(at, what);
        Value::computed(Inferred::Unclear)
    }

    fn missing(&mut self, qualifier: Option<&'a str>, name: &'a str, at: i32) -> Value {
        let what = What::MissingColumn {
            qualifier: qualifier.map(Name::from),
            name: name.into(),
        };
        self.note_at(at, what);
        Value::computed(Inferred::Unclear)
    }

    /// Notes that a qualifier means no item of FROM.
    pub(in crate::resolve) fn note_no_entry<T>(
        &mut self,
        found: &Found<T>,
        qualifier: Qualifier<'a>,
        at: i32,
        scope: &Scope<'_, 'a>,
    ) {
        if matches!(found, Found::Nothing) {
            self.absent_entry(qualifier.name, at, scope);
        }
    }

    /// Notes that a name means no column.
    fn note_no_column(&mut self, qualifier: Option<&'a str>, name: &'a str, at: i32) {
        self.absent(at, || AbsentThing::Column {
            qualifier: qualifier.map(Name::from),
            name: name.into(),
        });
    }

    /// A qualifier that means no one item.
    pub(in crate::resolve) fn no_item<T>(
        &mut self,
        found: &Found<T>,
        qualifier: Qualifier<'a>,
        name: &'a str,
        at: i32,
    ) -> Value {
        match found {
            Found::Nothing => self.missing(Some(qualifier.name), name, at),
            Found::One(_) | Found::Ambiguous | Found::Unclear => {
                self.ambiguous(Some(qualifier.name), name, at)
            }
        }
    }

    fn unclear_value(&mut self, at: i32) -> Value {
        self.note_at(at, What::Unclear);
        Value::computed(Inferred::Unclear)
    }
}

impl Value {
    /// A value that passes nothing on unchanged.
    pub(in crate::resolve) fn computed(inferred: Inferred) -> Self {
        Self {
            inferred,
            origin: None,
            via: Via::Query,
        }
    }
}

impl<T> Found<T> {
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

impl<'a> Reference<'a> {
    /// Takes the parts of a reference apart.
    pub(in crate::resolve) fn of(fields: &'a list::NodeList) -> Self {
        // Of four parts the first is the database, which can only be the one that is connected to.
        let first = fields.len().saturating_sub(MOST_PARTS);
        let mut parts = [const { None }; MOST_PARTS];
        if first > 1 {
            return Self::Strange;
        }
        for (part, node) in parts.iter_mut().zip(fields.iter().skip(first)) {
            *part = match node {
                Node::A_Star(_) => Some(Part::Star),
                Node::String(name) => name.sval().map(Part::Column),
                _ => return Self::Strange,
            };
        }
        let of = |schema, name, last| Self::Of(Qualifier { schema, name }, last);
        match parts {
            [Some(Part::Column(name)), None, None] => Self::Bare(name),
            [Some(Part::Star), None, None] => Self::Star,
            [Some(Part::Column(name)), Some(last), None] => of(None, name, last),
            [
                Some(Part::Column(schema)),
                Some(Part::Column(name)),
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
pub(in crate::resolve) const SYSTEM_COLUMNS: [(&str, i16, u32); 6] = [
    ("ctid", -1, 27),
    ("xmin", -2, 28),
    ("cmin", -3, 29),
    ("xmax", -4, 28),
    ("cmax", -5, 29),
    ("tableoid", -6, 26),
];
