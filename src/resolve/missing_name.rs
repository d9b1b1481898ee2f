//! The first name of a statement that stands for nothing: what the server's own analysis stops at,
//! with all that its words about it hold.
//!
//! <https://www.postgresql.org/docs/current/errcodes-appendix.html>

use super::type_name::Place;
use super::{Analysis, Inferred, Name, Scope};
use crate::sql::tree::nodes;

/// A name that stands for nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent<'a> {
    /// Where, in bytes from the beginning of the text, if the server says.
    pub at: Option<usize>,
    /// What it should be.
    pub what: AbsentThing<'a>,
}

/// What a name that stands for nothing should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AbsentThing<'a> {
    /// A relation.
    Relation {
        /// The schema, if one is written.
        schema: Option<Name<'a>>,
        /// The name.
        name: Name<'a>,
    },
    /// A column.
    Column {
        /// The name of the relation, if one is written.
        qualifier: Option<Name<'a>>,
        /// The name.
        name: Name<'a>,
    },
    /// A column that both sides of a join should have.
    Joined {
        /// The name.
        name: Name<'a>,
        /// The side that has none.
        side: Side,
    },
    /// What stands before the name of a column, and not in FROM.
    Entry {
        /// The name.
        name: Name<'a>,
        /// Whether FROM has it all the same, under another name or out of reach.
        elsewhere: bool,
    },
    /// A function of these arguments.
    Function {
        /// The schema, if one is written.
        schema: Option<Name<'a>>,
        /// The name.
        name: Name<'a>,
        /// The arguments, with the names of those that have one.
        arguments: Vec<(Option<&'a str>, Inferred)>,
    },
    /// An operator between these.
    Operator {
        /// The schema, if one is written.
        schema: Option<Name<'a>>,
        /// The symbol.
        name: Name<'a>,
        /// What it stands between, or before.
        sides: Vec<Inferred>,
    },
    /// A type.
    Type {
        /// The schema, if one is written.
        schema: Option<Name<'a>>,
        /// The name.
        name: Name<'a>,
        /// Whether an array of it is meant.
        is_array: bool,
    },
}

/// A side of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What stands before JOIN.
    Left,
    /// What stands behind it.
    Right,
}

impl<'a> Analysis<'a> {
    /// Notes that a name stands for nothing. Only the first one counts: there the server stops.
    pub(in crate::resolve) fn absent(
        &mut self,
        location: i32,
        what: impl FnOnce() -> AbsentThing<'a>,
    ) {
        if self.first_absent.is_none() {
            let at = usize::try_from(location).ok();
            self.first_absent = Some(Absent { at, what: what() });
        }
    }

    /// The same of what stands before the name of a column.
    pub(in crate::resolve) fn absent_entry(
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
        self.absent(location, || AbsentThing::Entry {
            name: name.into(),
            elsewhere,
        });
    }

    /// The same of a call: of its arguments the last ones have these names.
    pub(in crate::resolve) fn absent_function(
        &mut self,
        place: Place<'_>,
        given: &[Inferred],
        names: &[&'a str],
        location: i32,
    ) {
        let unnamed = given.len().saturating_sub(names.len());
        self.absent(location, || {
            let names = std::iter::repeat_n(None, unnamed).chain(names.iter().copied().map(Some));
            let (schema, name) = written_at(place);
            AbsentThing::Function {
                schema,
                name,
                arguments: names.zip(given.iter().cloned()).collect(),
            }
        });
    }

    /// The same of a type that is written.
    pub(in crate::resolve) fn absent_type(&mut self, written: &'a nodes::TypeName) {
        let parts: Option<Vec<&str>> = written.names().iter().map(|part| part.sval()).collect();
        let Some(place) = parts.as_deref().and_then(Place::of) else {
            return;
        };
        let is_array = !written.array_bounds().is_empty();
        if written.pct_type || is_array && self.typing().type_named(place).is_some() {
            return;
        }
        let (schema, name) = written_at(place);
        self.absent(written.location, || AbsentThing::Type {
            schema,
            name,
            is_array,
        });
    }
}

/// The parts of a name.
pub(in crate::resolve) fn written_at<'n>(place: Place<'_>) -> (Option<Name<'n>>, Name<'n>) {
    match place {
        Place::Path(name) => (None, name.to_owned().into()),
        Place::Schema(schema, name) => (Some(schema.to_owned().into()), name.to_owned().into()),
    }
}
