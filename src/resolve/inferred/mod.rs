//! What is known of the type of an expression before Postgres looks at it.

pub(super) mod builtin;
pub(super) mod parameters;

use std::fmt;
use std::sync::Arc;

use super::TypeRules;

use catalog::{Oid, TypeId, type_oid};

/// What is known of the type of an expression.
#[derive(Clone, Debug, Eq)]
pub enum InferredType {
    /// It is this one.
    Known(TypeId),
    /// A literal without a type (`unknown`): it becomes what its place asks for.
    Literal,
    /// A parameter without a type: likewise.
    Parameter(u32),
    /// A row of type `record` with these columns.
    Row(Arc<[RowField]>),
    /// It cannot be told.
    Unclear,
}

/// A column of a row.
#[derive(Clone, PartialEq, Eq)]
pub struct RowField {
    /// Its name.
    pub name: Box<str>,
    /// Its type.
    pub inferred: InferredType,
}

/// The type of an argument, as far as the choice between overloads asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ActualType {
    /// This one.
    Type(TypeId),
    /// The type `unknown`.
    Unknown,
    /// Any, `unknown` among them.
    Unclear,
}

impl InferredType {
    /// The type if it is known; rows are of the type `record`.
    pub(crate) fn actual(&self, type_rules: TypeRules<'_>) -> ActualType {
        let typed = |id| match type_rules.oid(id) {
            type_oid::UNKNOWN => ActualType::Unknown,
            _ => ActualType::Type(id),
        };
        match self {
            Self::Known(id) => typed(*id),
            Self::Literal | Self::Parameter(_) => ActualType::Unknown,
            Self::Row(_) => type_rules
                .builtin(type_oid::RECORD)
                .map_or(ActualType::Unclear, ActualType::Type),
            Self::Unclear => ActualType::Unclear,
        }
    }

    fn is_plainly(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Known(one), Self::Known(other)) => one == other,
            (Self::Parameter(one), Self::Parameter(other)) => one == other,
            (Self::Row(one), Self::Row(other)) => Arc::ptr_eq(one, other),
            (Self::Literal, Self::Literal) | (Self::Unclear, Self::Unclear) => true,
            _ => false,
        }
    }

    /// The type of the server's number.
    pub(crate) fn builtin(type_rules: TypeRules<'_>, oid: Oid) -> Self {
        type_rules.builtin(oid).map_or(Self::Unclear, Self::Known)
    }

    /// What is left of several possible ones: the same one, or nothing that can be told.
    pub(crate) fn agreed(possible: impl IntoIterator<Item = Self>) -> Self {
        let mut possible = possible.into_iter();
        let Some(first) = possible.next() else {
            return Self::Unclear;
        };
        if possible.all(|other| other == first) {
            first
        } else {
            Self::Unclear
        }
    }
}

impl PartialEq for InferredType {
    /// Rows within rows are equal only if they are the same one: rows can hold each other so often
    /// that nobody could look at all of them.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Row(one), Self::Row(other)) => {
                Arc::ptr_eq(one, other)
                    || one.len() == other.len()
                        && one.iter().zip(&**other).all(|(one, other)| {
                            one.name == other.name && one.inferred.is_plainly(&other.inferred)
                        })
            }
            (one, other) => one.is_plainly(other),
        }
    }
}

impl From<Option<TypeId>> for InferredType {
    fn from(id: Option<TypeId>) -> Self {
        id.map_or(Self::Unclear, Self::Known)
    }
}

impl fmt::Debug for RowField {
    /// Without the name: the client may have chosen it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inferred.fmt(formatter)
    }
}
