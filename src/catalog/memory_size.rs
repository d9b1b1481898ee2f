//! How much memory a snapshot takes, about.

use super::index::{CatalogIndex, IdsByName};
use super::{
    Catalog, Function, FunctionKind, KeyKind, NameTable, Relation, StoredReferences, Type, TypeKind,
};

impl Catalog {
    /// The bytes that it takes: its lists with all that hangs on them, its names and its indexes.
    /// What the allocator adds is not in it.
    pub fn bytes(&self) -> usize {
        let hanging: usize = self.relations.iter().map(behind_relation).sum::<usize>()
            + self.types.iter().map(behind_type).sum::<usize>()
            + self.functions.iter().map(behind_function).sum::<usize>()
            + self
                .acls
                .iter()
                .map(|acl| size_of_val(&**acl))
                .sum::<usize>()
            + self
                .roles
                .iter()
                .map(|role| size_of_val(&*role.member_of))
                .sum::<usize>();
        let keys = self.keys.iter().map(|key| {
            let to = match &key.kind {
                KeyKind::Primary | KeyKind::Unique => 0,
                KeyKind::Foreign { to_columns, .. } | KeyKind::Unvalidated { to_columns, .. } => {
                    size_of_val(&**to_columns)
                }
            };
            size_of_val(&*key.columns) + to
        });
        hanging
            + keys.sum::<usize>()
            + list(&self.schemas)
            + list(&self.relations)
            + list(&self.columns)
            + list(&self.keys)
            + list(&self.types)
            + list(&self.functions)
            + list(&self.operators)
            + list(&self.casts)
            + list(&self.supports)
            + list(&self.roles)
            + list(&self.acls)
            + size_of_val(&*self.prints)
            + of_names(&self.names)
            + of_index(&self.index)
    }
}

fn behind_relation(relation: &Relation) -> usize {
    let policies = relation
        .policies
        .iter()
        .map(|policy| behind_stored(&policy.using));
    size_of_val(&*relation.children)
        + size_of_val(&*relation.policies)
        + policies.sum::<usize>()
        + relation.view.as_deref().map_or(0, boxed)
        + relation.computed.as_deref().map_or(0, boxed)
        + relation.planned.as_deref().map_or(0, boxed)
}

fn behind_type(one: &Type) -> usize {
    let checks = match &one.kind {
        TypeKind::Domain { checks, .. } => behind_stored(checks),
        TypeKind::Base
        | TypeKind::Composite(_)
        | TypeKind::Enum
        | TypeKind::Range { .. }
        | TypeKind::Multirange { .. }
        | TypeKind::Pseudo => 0,
    };
    checks + size_of_val(&*one.makers) + size_of_val(&*one.users)
}

fn behind_function(function: &Function) -> usize {
    let parts = match &function.kind {
        FunctionKind::Aggregate { parts, .. } => size_of_val(&**parts),
        FunctionKind::Plain | FunctionKind::Window | FunctionKind::Procedure => 0,
    };
    parts
        + size_of_val(&*function.arguments)
        + size_of_val(&*function.argument_names)
        + size_of_val(&*function.out_columns)
        + size_of_val(&*function.settings)
        + function.code.as_deref().map_or(0, |code| {
            // The names of libraries are shared.
            size_of_val(code) + code.symbol.len()
        })
        + function.body.as_deref().map_or(0, boxed)
        + function.text.as_deref().map_or(0, str::len)
        + function.search_path.as_deref().map_or(0, str::len)
}

fn boxed(stored: &StoredReferences) -> usize {
    size_of_val(stored) + behind_stored(stored)
}

fn behind_stored(stored: &StoredReferences) -> usize {
    let StoredReferences {
        functions,
        operators,
        relations,
        types,
        made_types,
        writes: _,
    } = stored;
    let lists = [functions, operators, relations, types, made_types];
    lists.map(|list| size_of_val(&**list)).iter().sum()
}

fn of_names(names: &NameTable) -> usize {
    // Each text is kept once with its two counts, and twice pointed to.
    names.texts().map(|text| text.len() + NAME_BYTES).sum()
}

fn of_index(index: &CatalogIndex) -> usize {
    of_name_list(&index.relations)
        + of_name_list(&index.types)
        + of_name_list(&index.functions)
        + of_name_list(&index.operators)
        + index.casts.capacity() * (size_of::<[u32; 3]>() + 1)
        + [
            index.relation_oids.capacity(),
            index.type_oids.capacity(),
            index.function_oids.capacity(),
            index.operator_oids.capacity(),
        ]
        .iter()
        .sum::<usize>()
            * (size_of::<[u32; 2]>() + 1)
}

fn of_name_list<Id>(names: &IdsByName<Id>) -> usize {
    list(&names.ids) + names.parts.capacity() * (size_of::<[usize; 3]>() + 1)
}

fn list<T>(list: &Vec<T>) -> usize {
    list.capacity() * size_of::<T>()
}

/// What a name takes beside its text.
const NAME_BYTES: usize = 16 + 16 + 24;
