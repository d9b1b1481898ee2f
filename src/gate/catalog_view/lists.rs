//! What a policy shows of a snapshot, as lists of the server's numbers: what is in none of them is
//! hidden, and so is what is newer than the snapshot.

use std::collections::BTreeSet;

use super::masked::{MaskedColumn, MaskedColumnTypes};
use catalog::{
    Catalog, FunctionId, Mask, RelationId, RelationKind, SchemaId, SchemaKind, TypeId, TypeKind,
};

/// What is shown, as literals of arrays.
#[derive(Default)]
pub(crate) struct ShownLists {
    /// The marker of each list, and the list.
    texts: Vec<(&'static str, Box<str>)>,
}

impl ShownLists {
    /// The lists of a snapshot. `is_callable` says which functions of users may be called.
    pub(super) fn of(
        (catalog, mask): (&Catalog, &Mask),
        masked: &MaskedColumnTypes,
        is_callable: impl Fn(FunctionId) -> bool,
    ) -> Self {
        let mut shown = ShownObjects {
            catalog,
            mask,
            relations: Vec::new(),
            functions: Vec::new(),
            types: BTreeSet::new(),
            schemas: BTreeSet::new(),
        };
        shown.add_relations();
        shown.add_functions(&is_callable);
        shown.add_free_types(is_callable);
        shown.add_ranges();
        let columns = || masked.columns.iter();
        let bases = columns().filter_map(|column| column.base);
        Self {
            texts: vec![
                (RELATIONS, shown.relations(|kind, _| kind != SEQUENCE)),
                (PARTIAL, shown.relations(|_, is_open| !is_open)),
                (SEQUENCES, shown.relations(|kind, _| kind == SEQUENCE)),
                (COLUMNS, shown.columns()),
                (FUNCTIONS, shown.functions()),
                (TYPES, shown.types()),
                (SCHEMAS, shown.schemas()),
                (MASKED, numbers(catalog, columns())),
                (
                    NULLED,
                    numbers(catalog, columns().filter(|column| column.is_null)),
                ),
                (
                    DOMAINS,
                    numbers(catalog, columns().filter(|column| column.base.is_some())),
                ),
                (BASES, joined(bases.map(|id| catalog.data_type(id).oid.0))),
            ],
        }
    }

    /// Adds SQL to a text, with the lists in the places of their markers.
    pub(crate) fn fill(&self, sql: &str, text: &mut String) {
        let mut rest = sql;
        while let Some((before, behind)) = rest.split_once(BEGINS) {
            text.push_str(before);
            let found = self.texts.iter().find_map(|(marker, list)| {
                let behind = behind.strip_prefix(*marker)?.strip_prefix(ENDS)?;
                Some((list, behind))
            });
            match found {
                Some((list, behind)) => {
                    text.push('{');
                    text.push_str(list);
                    text.push('}');
                    rest = behind;
                }
                None => {
                    text.push_str(BEGINS);
                    rest = behind;
                }
            }
        }
        text.push_str(rest);
    }
}

/// What is shown, while it is found.
struct ShownObjects<'c> {
    catalog: &'c Catalog,
    mask: &'c Mask,
    relations: Vec<RelationId>,
    functions: Vec<FunctionId>,
    types: BTreeSet<TypeId>,
    schemas: BTreeSet<SchemaId>,
}

impl ShownObjects<'_> {
    /// Relations with their row types and the types of their columns. Composite types wait until
    /// something that is shown has them.
    fn add_relations(&mut self) {
        let catalog = self.catalog;
        for (id, relation) in catalog.relations() {
            let is_own = catalog.schema(relation.schema).kind == SchemaKind::Ordinary;
            if !is_own || relation.kind == RelationKind::CompositeType || self.mask.hides(id) {
                continue;
            }
            self.add_relation(id);
            if let Some(row_type) = relation.row_type {
                self.add_type(row_type);
            }
        }
    }

    fn add_relation(&mut self, id: RelationId) {
        self.relations.push(id);
        self.schemas.insert(self.catalog.relation(id).schema);
        let catalog = self.catalog;
        for column in catalog.columns_of(id) {
            if !self.mask.hides_column(id, column.number) {
                self.add_type(column.type_id);
            }
        }
    }

    /// A type and what it consists of, where it is no row of what is hidden.
    fn add_type(&mut self, id: TypeId) {
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            let own = self.catalog.data_type(id);
            if own.oid.is_built_in() {
                continue;
            }
            match own.kind {
                TypeKind::Composite(Some(relation)) if !self.mask.hides(relation) => {
                    let kind = self.catalog.relation(relation).kind;
                    if kind == RelationKind::CompositeType && !self.relations.contains(&relation) {
                        self.relations.push(relation);
                        let columns = self.catalog.columns_of(relation).iter();
                        waiting.extend(columns.map(|column| column.type_id));
                    }
                }
                TypeKind::Composite(_) => continue,
                TypeKind::Domain { base, .. } => waiting.push(base),
                TypeKind::Range { subtype } => waiting.push(subtype),
                TypeKind::Multirange { range } => waiting.push(range),
                TypeKind::Base | TypeKind::Enum | TypeKind::Pseudo => {}
            }
            if self.is_row_of_hidden(own.element) || !self.types.insert(id) {
                continue;
            }
            self.schemas.insert(own.schema);
            waiting.extend(own.element);
            waiting.extend(own.array);
        }
    }

    fn is_row_of_hidden(&self, id: Option<TypeId>) -> bool {
        let kind = id.map(|id| &self.catalog.data_type(id).kind);
        match kind {
            Some(TypeKind::Composite(Some(relation))) => self.mask.hides(*relation),
            Some(TypeKind::Composite(None)) => true,
            _ => false,
        }
    }

    fn add_functions(&mut self, is_callable: &impl Fn(FunctionId) -> bool) {
        let catalog = self.catalog;
        for (id, function) in catalog.functions() {
            if function.oid.is_built_in() || !is_callable(id) {
                continue;
            }
            self.functions.push(id);
            self.schemas.insert(function.schema);
            let columns = function.out_columns.iter().map(|(_, column)| *column);
            let arguments = function.arguments.iter().copied();
            for id in arguments.chain([function.returns]).chain(columns) {
                self.add_type(id);
            }
        }
    }

    /// Types that nothing hidden uses, in schemas of which something is shown.
    fn add_free_types(&mut self, is_callable: impl Fn(FunctionId) -> bool) {
        let catalog = self.catalog;
        let mut used: BTreeSet<TypeId> = BTreeSet::new();
        for (id, _) in catalog.relations() {
            let columns = catalog.columns_of(id).iter();
            let hidden = columns
                .filter(|column| self.mask.hides(id) || self.mask.hides_column(id, column.number));
            used.extend(hidden.map(|column| column.type_id));
        }
        for (id, function) in catalog.functions() {
            if !function.oid.is_built_in() && !is_callable(id) {
                let columns = function.out_columns.iter().map(|(_, column)| *column);
                used.extend(function.arguments.iter().copied().chain(columns));
                used.insert(function.returns);
            }
        }
        let used = with_their_parts(catalog, used);
        let shown_schemas = self.schemas.clone();
        for (id, own) in catalog.data_types() {
            let is_plain = !matches!(own.kind, TypeKind::Composite(_) | TypeKind::Pseudo);
            let is_ordinary = catalog.schema(own.schema).kind == SchemaKind::Ordinary;
            if !is_plain || !is_ordinary || !shown_schemas.contains(&own.schema) {
                continue;
            }
            let mut parts = with_their_parts(catalog, BTreeSet::from([id])).into_iter();
            if parts.all(|part| {
                let is_shown = catalog.data_type(part).oid.is_built_in();
                is_shown || self.types.contains(&part) || !used.contains(&part)
            }) {
                self.add_type(id);
            }
        }
    }

    /// Ranges come with their multiranges.
    fn add_ranges(&mut self) {
        let catalog = self.catalog;
        for (id, own) in catalog.data_types() {
            if matches!(own.kind, TypeKind::Multirange { range } if self.types.contains(&range)) {
                self.add_type(id);
            }
        }
    }

    fn relations(&self, wanted: impl Fn(RelationKind, bool) -> bool) -> Box<str> {
        let ids = self.relations.iter().filter(|id| {
            let is_open = self.mask.columns(**id).is_empty();
            wanted(self.catalog.relation(**id).kind, is_open)
        });
        joined(ids.map(|id| self.catalog.relation(*id).oid.0))
    }

    /// Where runs of columns that are shown begin and where they end, by relation and number: a
    /// column is shown where it lies behind an odd number of these.
    fn columns(&self) -> Box<str> {
        let mut ids = self.relations.clone();
        ids.sort_by_key(|id| self.catalog.relation(*id).oid.0);
        ids.dedup();
        let mut bounds: Vec<u64> = Vec::new();
        for id in ids {
            let first = u64::from(self.catalog.relation(id).oid.0) * COLUMNS_OF_ONE;
            let columns = self.catalog.columns_of(id).iter();
            let columns = columns.filter(|column| !self.mask.hides_column(id, column.number));
            let mut numbers: Vec<u64> = columns
                .filter_map(|column| u64::try_from(column.number).ok())
                .collect();
            numbers.sort_unstable();
            for number in numbers {
                let at = first.saturating_add(number);
                if bounds.last() == Some(&at) {
                    bounds.pop();
                } else {
                    bounds.push(at);
                }
                bounds.push(at.saturating_add(1));
            }
        }
        joined(bounds.into_iter())
    }

    fn functions(&self) -> Box<str> {
        let oids = self.functions.iter();
        joined(oids.map(|id| self.catalog.function(*id).oid.0))
    }

    fn types(&self) -> Box<str> {
        let oids = self.types.iter();
        joined(oids.map(|id| self.catalog.data_type(*id).oid.0))
    }

    fn schemas(&self) -> Box<str> {
        let oids = self.schemas.iter();
        joined(oids.map(|id| self.catalog.schema(*id).oid.0))
    }
}

/// Columns, each as one number.
fn numbers<'m>(catalog: &Catalog, columns: impl Iterator<Item = &'m MaskedColumn>) -> Box<str> {
    joined(columns.filter_map(|column| {
        let first = u64::from(catalog.relation(column.relation).oid.0) * COLUMNS_OF_ONE;
        Some(first.saturating_add(u64::try_from(column.number).ok()?))
    }))
}

/// Types, and what they consist of.
fn with_their_parts(catalog: &Catalog, types: BTreeSet<TypeId>) -> BTreeSet<TypeId> {
    let mut all = BTreeSet::new();
    let mut waiting: Vec<TypeId> = types.into_iter().collect();
    while let Some(id) = waiting.pop() {
        if !all.insert(id) {
            continue;
        }
        let own = catalog.data_type(id);
        waiting.extend(own.element);
        match own.kind {
            TypeKind::Composite(Some(relation)) => {
                let columns = catalog.columns_of(relation).iter();
                waiting.extend(columns.map(|column| column.type_id));
            }
            TypeKind::Domain { base, .. } => waiting.push(base),
            TypeKind::Range { subtype } => waiting.push(subtype),
            TypeKind::Multirange { range } => waiting.push(range),
            TypeKind::Composite(None) | TypeKind::Base | TypeKind::Enum | TypeKind::Pseudo => {}
        }
    }
    all
}

fn joined<N: std::fmt::Display>(numbers: impl Iterator<Item = N>) -> Box<str> {
    let words: Vec<String> = numbers.map(|number| number.to_string()).collect();
    words.join(",").into()
}

const SEQUENCE: RelationKind = RelationKind::Sequence;

/// Numbers that the columns of one relation are kept apart by: more than a relation can have.
const COLUMNS_OF_ONE: u64 = 65_536;

/// What a marker stands in.
const BEGINS: &str = "{:";
const ENDS: &str = "}";

pub(super) const RELATIONS: &str = "relations";
/// Those of which columns are hidden.
pub(super) const PARTIAL: &str = "partial";
pub(super) const SEQUENCES: &str = "sequences";
pub(super) const COLUMNS: &str = "columns";
pub(super) const FUNCTIONS: &str = "functions";
pub(super) const TYPES: &str = "types";
pub(super) const SCHEMAS: &str = "schemas";
/// Columns with a mask.
pub(super) const MASKED: &str = "masked";
/// Those that are read as NULL.
pub(super) const NULLED: &str = "nulled";
/// Those whose type is a domain, and beside each its base type.
pub(super) const DOMAINS: &str = "domains";
pub(super) const BASES: &str = "bases";
