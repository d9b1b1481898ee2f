//! The first name of a statement that stands for nothing: what the server's own analysis stops at,
//! with all that its words about it hold.
//!
//! <https://www.postgresql.org/docs/current/errcodes-appendix.html>

use super::type_name::QualifiedName;
use super::{Analysis, InferredType, Scope, SqlName};
use sql::tree::nodes;

/// A name that stands for nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingName<'a> {
    /// Where, in bytes from the beginning of the text, if the server says.
    pub at: Option<usize>,
    /// What it should be.
    pub what: MissingObject<'a>,
}

/// What a name that stands for nothing should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingObject<'a> {
    /// A relation.
    Relation {
        /// The schema, if one is written.
        schema: Option<SqlName<'a>>,
        /// The name.
        name: SqlName<'a>,
    },
    /// A column.
    Column {
        /// The name of the relation, if one is written.
        qualifier: Option<SqlName<'a>>,
        /// The name.
        name: SqlName<'a>,
    },
    /// A column that both sides of a join should have.
    JoinColumn {
        /// The name.
        name: SqlName<'a>,
        /// The side that has none.
        side: JoinArm,
    },
    /// What stands before the name of a column, and not in FROM.
    FromEntry {
        /// The name.
        name: SqlName<'a>,
        /// Whether FROM has it all the same, under another name or out of reach.
        elsewhere: bool,
    },
    /// A function of these arguments.
    Function {
        /// The schema, if one is written.
        schema: Option<SqlName<'a>>,
        /// The name.
        name: SqlName<'a>,
        /// The arguments, with the names of those that have one.
        arguments: Vec<(Option<&'a str>, InferredType)>,
    },
    /// An operator between these.
    Operator {
        /// The schema, if one is written.
        schema: Option<SqlName<'a>>,
        /// The symbol.
        name: SqlName<'a>,
        /// What it stands between, or before.
        sides: Vec<InferredType>,
    },
    /// A type.
    Type {
        /// The schema, if one is written.
        schema: Option<SqlName<'a>>,
        /// The name.
        name: SqlName<'a>,
        /// Whether an array of it is meant.
        is_array: bool,
    },
}

/// A side of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinArm {
    /// What stands before JOIN.
    Left,
    /// What stands behind it.
    Right,
}

impl<'a> Analysis<'a> {
    /// Notes that a name stands for nothing. Only the first one counts: there the server stops.
    pub(crate) fn note_missing(&mut self, location: i32, what: impl FnOnce() -> MissingObject<'a>) {
        if self.first_absent.is_none() {
            let at = usize::try_from(location).ok();
            self.first_absent = Some(MissingName { at, what: what() });
        }
    }

    /// The same of what stands before the name of a column.
    pub(crate) fn note_missing_entry(
        &mut self,
        name: &'a str,
        location: i32,
        scope: &Scope<'_, 'a>,
    ) {
        if self.first_absent.is_some() {
            return;
        }
        let relation = self.relation_named(name);
        let mut items = scope.chain().flat_map(|level| &level.items);
        let elsewhere = items.any(|item| {
            let alias = item.name.as_ref().is_some_and(|own| own.as_str() == name);
            alias || relation.is_some() && item.relation == relation
        });
        self.note_missing(location, || MissingObject::FromEntry {
            name: name.into(),
            elsewhere,
        });
    }

    /// The same of a call: of its arguments the last ones have these names.
    pub(crate) fn note_missing_function(
        &mut self,
        place: QualifiedName<'_>,
        given: &[InferredType],
        names: &[&'a str],
        location: i32,
    ) {
        let unnamed = given.len().saturating_sub(names.len());
        self.note_missing(location, || {
            let names = std::iter::repeat_n(None, unnamed).chain(names.iter().copied().map(Some));
            let (schema, name) = written_at(place);
            MissingObject::Function {
                schema,
                name,
                arguments: names.zip(given.iter().cloned()).collect(),
            }
        });
    }

    /// The same of a type that is written.
    pub(crate) fn note_missing_type(&mut self, written: &'a nodes::TypeName) {
        let parts: Option<Vec<&str>> = written.names().iter().map(|part| part.sval()).collect();
        let Some(place) = parts.as_deref().and_then(QualifiedName::of) else {
            return;
        };
        let is_array = !written.array_bounds().is_empty();
        if written.pct_type || is_array && self.typing().type_named(place).is_some() {
            return;
        }
        let (schema, name) = written_at(place);
        self.note_missing(written.location, || MissingObject::Type {
            schema,
            name,
            is_array,
        });
    }
}

/// The parts of a name.
pub(crate) fn written_at<'n>(place: QualifiedName<'_>) -> (Option<SqlName<'n>>, SqlName<'n>) {
    match place {
        QualifiedName::Path(name) => (None, name.to_owned().into()),
        QualifiedName::Schema(schema, name) => {
            (Some(schema.to_owned().into()), name.to_owned().into())
        }
    }
}
