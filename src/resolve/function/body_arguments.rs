//! The arguments of a function whose body is looked at: `$1`, and names that no column has.
//!
//! <https://www.postgresql.org/docs/current/xfunc-sql.html#XFUNC-SQL-FUNCTION-ARGUMENTS>

use crate::column::{ColumnQualifier, ColumnValue};
use crate::{Analysis, InferredType, UsedObject};
use catalog::{Catalog, FunctionId, TypeId, TypeKind};

/// The arguments of a function.
#[derive(Debug)]
pub struct BodyArguments<'a> {
    /// The name of the function.
    function: &'a str,
    /// In their order: their names, and their types unless those are the caller's.
    list: Vec<(Option<&'a str>, Option<TypeId>)>,
}

impl<'a> BodyArguments<'a> {
    /// Those of a function.
    pub fn of(catalog: &'a Catalog, id: FunctionId) -> Self {
        let function = catalog.function(id);
        let names = function.argument_names.iter().copied();
        let names = names.chain(std::iter::repeat(None));
        let list = function.arguments.iter().zip(names).map(|(id, name)| {
            let is_open = catalog.data_type(*id).kind == TypeKind::Pseudo;
            let name = name.map(|name| catalog.names().text(name));
            (name, (!is_open).then_some(*id))
        });
        Self {
            function: catalog.names().text(function.name),
            list: list.collect(),
        }
    }

    /// Their types, by number.
    pub(crate) fn types(&self) -> impl Iterator<Item = InferredType> {
        self.list.iter().map(|(_, id)| inferred(*id))
    }

    fn named(&self, name: &str) -> Option<InferredType> {
        let mut list = self.list.iter();
        let (_, id) = list.find(|(own, _)| *own == Some(name))?;
        Some(inferred(*id))
    }
}

impl<'a> Analysis<'a> {
    /// The argument of a name that no column has.
    pub(crate) fn argument(&self, name: &str) -> Option<ColumnValue> {
        let arguments = self.arguments?;
        Some(ColumnValue::computed(arguments.named(name)?))
    }

    /// `f.a` for the argument `a` of the function `f`, or something of an argument that is a row.
    pub(crate) fn argument_of(
        &mut self,
        qualifier: ColumnQualifier<'_>,
        name: &str,
        at: i32,
    ) -> Option<ColumnValue> {
        let arguments = self.arguments?;
        if qualifier.schema.is_none()
            && qualifier.name == arguments.function
            && let Some(inferred) = arguments.named(name)
        {
            return Some(ColumnValue::computed(inferred));
        }
        let of_argument = arguments.named(qualifier.name).is_some()
            || qualifier.schema == Some(arguments.function);
        of_argument.then(|| {
            // A field, or a function of the row.
            self.note_at(at, UsedObject::Unclear);
            ColumnValue::computed(InferredType::Unclear)
        })
    }
}

fn inferred(id: Option<TypeId>) -> InferredType {
    id.map_or(InferredType::Unclear, InferredType::Known)
}
