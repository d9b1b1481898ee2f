//! What `(x).f` and `(x).*` mean: the fields of a composite value, or a function of that name.
//!
//! <https://www.postgresql.org/docs/current/rowtypes.html#ROWTYPES-ACCESSING>

use super::SYSTEM_COLUMNS;
use crate::{Analysis, InferredType, RowField, TooDeep, UsedObject};
use catalog::{RelationId, TypeId, TypeKind};

impl<'a> Analysis<'a> {
    /// What `(argument).name` means: a field of a composite value, or a call of a function of that
    /// name with it.
    ///
    /// # Errors
    /// The text nests deeper than the analysis goes.
    pub fn field(
        &mut self,
        argument: &InferredType,
        name: &'a str,
        location: i32,
    ) -> Result<InferredType, TooDeep> {
        let own = match argument {
            InferredType::Row(fields) => {
                self.charge_work(fields.len())?;
                let mut named = fields.iter().filter(|field| &*field.name == name);
                match (named.next(), named.next()) {
                    (Some(field), None) => Some(field.inferred.clone()),
                    (Some(_), Some(_)) => Some(InferredType::Unclear),
                    (None, _) => None,
                }
            }
            InferredType::Known(id) => self.field_of_type(*id, name)?,
            InferredType::Literal | InferredType::Parameter(_) | InferredType::Unclear => None,
        };
        if let Some(inferred) = own {
            return Ok(inferred);
        }
        let called = self.field_call(argument, name, location);
        if SYSTEM_COLUMNS.iter().any(|(system, ..)| *system == name) {
            // A row that is a whole table's has these too; the type does not tell.
            return Ok(InferredType::Unclear);
        }
        if called.is_none() && *argument == InferredType::Unclear {
            self.note_at(location, UsedObject::Unclear);
        }
        Ok(called.unwrap_or(InferredType::Unclear))
    }

    /// The columns that `(argument).*` stands for; none where they cannot be told.
    pub fn fields(&self, argument: &InferredType) -> Option<Vec<RowField>> {
        match argument {
            InferredType::Row(fields) => Some(fields.to_vec()),
            InferredType::Known(id) => {
                let catalog = self.catalog;
                let columns = catalog.columns_of(self.relation_of_type(*id)?).iter();
                let fields = columns.map(|column| RowField {
                    name: catalog.names().text(column.name).into(),
                    inferred: InferredType::Known(column.type_id),
                });
                Some(fields.collect())
            }
            InferredType::Literal | InferredType::Parameter(_) | InferredType::Unclear => None,
        }
    }

    /// The relation that a composite type, or a domain over one, has its fields from.
    pub(crate) fn relation_of_type(&self, id: TypeId) -> Option<RelationId> {
        let mut id = id;
        for _ in 0..DOMAINS_MAX {
            match &self.catalog.data_type(id).kind {
                TypeKind::Domain { base, .. } => id = *base,
                TypeKind::Composite(relation) => return *relation,
                TypeKind::Base
                | TypeKind::Enum
                | TypeKind::Range { .. }
                | TypeKind::Multirange { .. }
                | TypeKind::Pseudo => return None,
            }
        }
        None
    }

    fn field_of_type(&mut self, id: TypeId, name: &str) -> Result<Option<InferredType>, TooDeep> {
        let catalog = self.catalog;
        let Some(relation) = self.relation_of_type(id) else {
            return Ok(None);
        };
        let columns = catalog.columns_of(relation);
        self.charge_work(columns.len())?;
        let named = catalog.names().find(name);
        let mut columns = columns.iter();
        let found = columns.find(|column| Some(column.name) == named);
        Ok(found.map(|column| InferredType::Known(column.type_id)))
    }
}

/// Domains over domains: nobody stacks more.
const DOMAINS_MAX: usize = 32;
