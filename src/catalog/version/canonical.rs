//! How names, references and lists are written in the canonical form of a snapshot.
//!
//! Every part says its length or has a fixed one, so that no two things are written alike. Nothing
//! is written by its oid, but what a stored expression names and the snapshot does not know.

use crate::{AclId, Catalog, FunctionId, NameId, Oid, OperatorId, RelationId, RoleId};
use crate::{SchemaId, StoredReferences, TypeId};

/// What is being written.
pub(crate) struct CanonicalForm<'c> {
    catalog: &'c Catalog,
    bytes: Vec<u8>,
}

impl<'c> CanonicalForm<'c> {
    /// Nothing yet.
    pub fn new(catalog: &'c Catalog) -> Self {
        Self {
            catalog,
            bytes: Vec::with_capacity(FORM_BYTES_USUAL),
        }
    }

    /// What was written.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Begins again.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// A number, a letter or a choice.
    pub fn number(&mut self, number: impl Into<u64>) {
        self.bytes.extend(number.into().to_be_bytes());
    }

    /// A type's modifier.
    pub fn modifier(&mut self, modifier: i32) {
        self.bytes.extend(modifier.to_be_bytes());
    }

    /// A text.
    pub fn text(&mut self, text: &str) {
        self.length(text.len());
        self.bytes.extend(text.as_bytes());
    }

    /// A name.
    pub fn name(&mut self, name: NameId) {
        self.text(self.catalog.names.text(name));
    }

    /// What may be missing.
    pub fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.number(value.is_some());
        if let Some(value) = value {
            write(self, value);
        }
    }

    /// What has an order.
    pub fn list<T>(&mut self, items: &[T], write: impl Fn(&mut Self, &T)) {
        self.length(items.len());
        for item in items {
            write(self, item);
        }
    }

    /// What has none: sorted by what is written.
    pub fn set<T>(&mut self, items: impl Iterator<Item = T>, write: impl Fn(&mut Self, T)) {
        let start = self.bytes.len();
        let written = items.map(|item| {
            write(self, item);
            self.bytes.split_off(start)
        });
        let mut parts: Vec<Vec<u8>> = written.collect();
        parts.sort_unstable();
        self.length(parts.len());
        for part in parts {
            self.bytes.extend(part);
        }
    }

    /// A schema, by its name.
    pub fn schema(&mut self, id: SchemaId) {
        self.name(self.catalog.schema(id).name);
    }

    /// A relation, by its qualified name.
    pub fn relation(&mut self, id: RelationId) {
        let relation = self.catalog.relation(id);
        self.schema(relation.schema);
        self.name(relation.name);
    }

    /// Columns of a relation, by their names.
    pub fn columns(&mut self, relation: RelationId, numbers: &[i16]) {
        let columns = self.catalog.columns_of(relation);
        self.list(numbers, |form, number| {
            let column = columns.iter().find(|column| column.number == *number);
            form.option(column, |form, column| form.name(column.name));
        });
    }

    /// A type, by its qualified name.
    pub fn data_type(&mut self, id: TypeId) {
        let one = self.catalog.data_type(id);
        self.schema(one.schema);
        self.name(one.name);
    }

    /// A function, by its qualified name and its arguments.
    pub fn function(&mut self, id: FunctionId) {
        let function = self.catalog.function(id);
        self.schema(function.schema);
        self.name(function.name);
        self.list(&function.arguments, |form, argument| {
            form.data_type(*argument)
        });
    }

    /// An operator, by its qualified symbol and its sides.
    pub fn operator(&mut self, id: OperatorId) {
        let operator = self.catalog.operator(id);
        self.schema(operator.schema);
        self.name(operator.name);
        self.option(operator.left, Self::data_type);
        self.option(operator.right, Self::data_type);
    }

    /// A role, by its name.
    pub fn role(&mut self, id: Option<RoleId>) {
        self.option(id, |form, id| form.name(form.catalog.role(id).name));
    }

    /// Whose an object is, and who may do what with it.
    pub fn rights(&mut self, owner: Option<RoleId>, acl: Option<AclId>) {
        self.role(owner);
        self.acl(acl);
    }

    /// Who may do what.
    pub fn acl(&mut self, acl: Option<AclId>) {
        self.option(acl, |form, acl| {
            form.set(form.catalog.acl(acl).iter(), |form, grant| {
                form.role(grant.to);
                form.number(grant.select);
                form.number(grant.usage);
                form.number(grant.execute);
            });
        });
    }

    /// What a stored expression names.
    pub fn stored(&mut self, stored: &StoredReferences) {
        let StoredReferences {
            functions,
            operators,
            relations,
            types,
            made_types,
            writes,
        } = stored;
        let index = &self.catalog.index;
        self.named(functions, |oid| index.function_of_oid(oid), Self::function);
        self.named(operators, |oid| index.operator_of_oid(oid), Self::operator);
        self.named(relations, |oid| index.relation_of_oid(oid), Self::relation);
        self.named(types, |oid| index.type_of_oid(oid), Self::data_type);
        self.named(made_types, |oid| index.type_of_oid(oid), Self::data_type);
        self.number(*writes);
    }

    fn named<Id>(
        &mut self,
        oids: &[Oid],
        find: impl Fn(Oid) -> Option<Id>,
        write: impl Fn(&mut Self, Id),
    ) {
        self.set(oids.iter(), |form, oid| match find(*oid) {
            Some(id) => {
                form.number(true);
                write(form, id);
            }
            None => {
                form.number(false);
                form.number(oid.0);
            }
        });
    }

    fn length(&mut self, length: usize) {
        // More bytes than a u64 counts fit no memory.
        self.number(u64::try_from(length).unwrap_or(u64::MAX));
    }
}

/// Room for most objects.
const FORM_BYTES_USUAL: usize = 4_096;
