//! What a role may see and use, as Postgres decides it: what is written at an object, for the role,
//! for the roles whose rights it has, and for everybody; all of it for superusers.
//!
//! <https://www.postgresql.org/docs/current/ddl-priv.html>

use std::collections::HashSet;

use foldhash::fast::RandomState;

use super::{
    AclId, AclItem, Catalog, Column, FunctionId, Mask, Oid, OperatorId, RelationId, RoleId,
    SchemaId, TypeId, TypeKind,
};

/// The rights of one role, with those that it has from others. Made once for many questions.
pub struct RolePrivileges<'c> {
    catalog: &'c Catalog,
    /// The role, and those whose rights it has; nobody for a role that the snapshot does not know.
    roles: HashSet<RoleId, RandomState>,
    superuser: bool,
    /// Whether it has the rights of a role that may read everything (`pg_read_all_data`), and of
    /// one that may at least use all schemas (`pg_write_all_data`).
    reads_all: bool,
    uses_all: bool,
    mask: Option<&'c Mask>,
}

impl<'c> RolePrivileges<'c> {
    /// The same, without what a mask hides.
    pub fn masked_by(mut self, mask: Option<&'c Mask>) -> Self {
        self.mask = mask;
        self
    }

    /// Whether names in a schema can be used.
    pub fn may_use_schema(&self, schema: SchemaId) -> bool {
        let schema = self.catalog.schema(schema);
        self.uses_all || self.granted(schema.acl, |grant| grant.usage, schema.owner)
    }

    /// Whether a relation, or any column of it, can be read.
    pub fn may_read(&self, relation: RelationId) -> bool {
        if self.mask.is_some_and(|mask| mask.hides(relation)) {
            return false;
        }
        self.may_read_all_of(relation)
            || self
                .catalog
                .columns_of(relation)
                .iter()
                .any(|column| self.by_column(column))
    }

    /// Whether a column can be read.
    pub fn may_read_column(&self, relation: RelationId, column: &Column) -> bool {
        let hidden = |mask: &Mask| mask.hides_column(relation, column.number);
        !self.mask.is_some_and(hidden) && (self.may_read_all_of(relation) || self.by_column(column))
    }

    /// Whether a function can be called.
    pub fn may_call(&self, function: FunctionId) -> bool {
        let function = self.catalog.function(function);
        function.acl.is_none() || self.granted(function.acl, |grant| grant.execute, None)
    }

    /// Whether a type can be used. An array can where its elements can, a multirange where its
    /// ranges can.
    pub fn may_use_type(&self, data_type: TypeId) -> bool {
        let mut data_type = self.catalog.data_type(data_type);
        if let TypeKind::Multirange { range } = &data_type.kind {
            data_type = self.catalog.data_type(*range);
        }
        if let Some(element) = data_type.element.filter(|_| data_type.is_array) {
            data_type = self.catalog.data_type(element);
        }
        data_type.acl.is_none() || self.granted(data_type.acl, |grant| grant.usage, None)
    }

    /// Whether a relation can be named and read: the schema can be used and there is any right.
    pub fn sees_relation(&self, relation: RelationId) -> bool {
        self.may_use_schema(self.catalog.relation(relation).schema) && self.may_read(relation)
    }

    /// Whether a function can be named and called.
    pub fn sees_function(&self, function: FunctionId) -> bool {
        self.may_use_schema(self.catalog.function(function).schema) && self.may_call(function)
    }

    /// Whether a type can be named and used.
    pub fn sees_type(&self, data_type: TypeId) -> bool {
        self.may_use_schema(self.catalog.data_type(data_type).schema)
            && self.may_use_type(data_type)
    }

    /// Whether an operator can be named, and what is behind it called.
    pub fn sees_operator(&self, operator: OperatorId) -> bool {
        let operator = self.catalog.operator(operator);
        self.may_use_schema(operator.schema)
            && operator
                .function
                .is_none_or(|function| self.may_call(function))
    }

    fn may_read_all_of(&self, relation: RelationId) -> bool {
        let relation = self.catalog.relation(relation);
        self.reads_all || self.granted(relation.acl, |grant| grant.select, relation.owner)
    }

    fn by_column(&self, column: &Column) -> bool {
        column.acl.is_some() && self.granted(column.acl, |grant| grant.select, None)
    }

    /// Whether a right is granted; where nothing is written, it is the owner's. An owner from whom
    /// it was taken does not have it.
    fn granted(
        &self,
        acl: Option<AclId>,
        right: fn(&AclItem) -> bool,
        owner: Option<RoleId>,
    ) -> bool {
        if self.superuser {
            return true;
        }
        let Some(acl) = acl else {
            return owner.is_some_and(|owner| self.roles.contains(&owner));
        };
        let for_us = |grant: &AclItem| grant.to.is_none_or(|role| self.roles.contains(&role));
        self.catalog
            .acl(acl)
            .iter()
            .any(|grant| right(grant) && for_us(grant))
    }
}

impl Catalog {
    /// The role of a name.
    pub fn role_named(&self, name: &str) -> Option<RoleId> {
        self.index.role(self.names.find(name)?)
    }

    /// The names of all roles.
    pub fn role_names(&self) -> impl Iterator<Item = &str> {
        self.roles.iter().map(|role| self.names.text(role.name))
    }

    /// The names of a role and of all that it is a member of, directly or through others, whether
    /// it has their rights or not: what `pg_has_role(role, …, 'MEMBER')` says of roles that are no
    /// superusers. Those are members of nothing that is not written.
    pub fn roles_above(&self, role: RoleId) -> Vec<&str> {
        let above = self.over_memberships(role, |_| true);
        let mut names: Vec<&str> = above
            .iter()
            .map(|role| self.names.text(self.role(*role).name))
            .collect();
        names.sort_unstable();
        names
    }

    /// What a role may do; what everybody may, for one that the snapshot does not know.
    pub fn rights_of(&self, role: Option<RoleId>) -> RolePrivileges<'_> {
        let roles = role.map(|role| self.roles_behind(role)).unwrap_or_default();
        let superuser = role.is_some_and(|role| self.role(role).superuser);
        let has = |oid: Oid| roles.iter().any(|role| self.role(*role).oid == oid);
        let reads_all = superuser || has(PG_READ_ALL_DATA);
        RolePrivileges {
            catalog: self,
            superuser,
            reads_all,
            mask: None,
            uses_all: reads_all || has(PG_WRITE_ALL_DATA),
            roles,
        }
    }

    /// Whether names in a schema can be used by a role.
    pub fn may_use_schema(&self, role: Option<RoleId>, schema: SchemaId) -> bool {
        self.rights_of(role).may_use_schema(schema)
    }

    /// Whether a relation, or any column of it, can be read by a role.
    pub fn may_read(&self, role: Option<RoleId>, relation: RelationId) -> bool {
        self.rights_of(role).may_read(relation)
    }

    /// Whether a column can be read by a role.
    pub fn may_read_column(
        &self,
        role: Option<RoleId>,
        relation: RelationId,
        column: &Column,
    ) -> bool {
        self.rights_of(role).may_read_column(relation, column)
    }

    /// Whether a function can be called by a role.
    pub fn may_call(&self, role: Option<RoleId>, function: FunctionId) -> bool {
        self.rights_of(role).may_call(function)
    }

    /// Whether a relation can be named and read by a role.
    pub fn sees_relation(&self, role: Option<RoleId>, relation: RelationId) -> bool {
        self.rights_of(role).sees_relation(relation)
    }

    /// Whether a function can be named and called by a role.
    pub fn sees_function(&self, role: Option<RoleId>, function: FunctionId) -> bool {
        self.rights_of(role).sees_function(function)
    }

    /// Whether a type can be named and used by a role.
    pub fn sees_type(&self, role: Option<RoleId>, data_type: TypeId) -> bool {
        self.rights_of(role).sees_type(data_type)
    }

    /// Whether an operator can be named and run by a role.
    pub fn sees_operator(&self, role: Option<RoleId>, operator: OperatorId) -> bool {
        self.rights_of(role).sees_operator(operator)
    }

    /// A role and all whose rights it has, over memberships that inherit.
    fn roles_behind(&self, role: RoleId) -> HashSet<RoleId, RandomState> {
        self.over_memberships(role, |inherits| inherits)
    }

    /// A role and those that it reaches over some of the memberships. Each role is looked at once:
    /// circles end.
    fn over_memberships(
        &self,
        role: RoleId,
        counts: fn(bool) -> bool,
    ) -> HashSet<RoleId, RandomState> {
        let mut found = HashSet::from_iter([role]);
        let mut todo = vec![role];
        while let Some(role) = todo.pop() {
            for (of, inherits) in &self.role(role).member_of {
                if counts(*inherits) && found.insert(*of) {
                    todo.push(*of);
                }
            }
        }
        found
    }
}

/// May read everything; its oid is part of the server (pg_authid.dat).
const PG_READ_ALL_DATA: Oid = Oid(6_181);

/// May write everything, and for that use all schemas.
const PG_WRITE_ALL_DATA: Oid = Oid(6_182);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::CatalogFixture;

    /// Who of these may.
    #[track_caller]
    fn check(catalog: &Catalog, wanted: &[&str], may: impl Fn(Option<RoleId>) -> bool) {
        let names = [
            "postgres", "owner", "app", "deep", "set_only", "reader", "nobody",
        ];
        let found = names
            .into_iter()
            .filter(|name| may(catalog.role_named(name)));
        let found: Vec<&str> = found.collect();
        assert_eq!(found, wanted);
    }

    fn fixture() -> CatalogFixture {
        let mut fixture = CatalogFixture::new(15);
        for role in ["owner", "app", "deep", "middle", "set_only", "reader"] {
            fixture = fixture.role(role);
        }
        fixture
            .member("deep", "middle", true)
            .member("middle", "app", true)
            .member("app", "middle", true)
            .member("set_only", "app", false)
            .member("reader", "pg_read_all_data", true)
            .schema("shop")
            .table("shop.orders", "id int4, secret text")
            .function("shop.f()", "stable")
            .owner("shop.orders", "owner")
            .owner("schema shop", "owner")
    }

    #[test]
    fn what_is_granted_reaches_those_who_have_the_right_through_others() {
        let catalog = fixture()
            .rights("schema shop", Some(&[("app", "u")]))
            .rights("shop.orders", Some(&[("app", "s"), ("owner", "s")]))
            .rights("shop.f()", Some(&[("app", "x")]))
            .build();
        let orders = catalog.relation_called("shop.orders");
        let schema = catalog.relation(orders).schema;
        check(&catalog, &["postgres", "app", "deep", "reader"], |role| {
            catalog.may_use_schema(role, schema)
        });
        check(
            &catalog,
            &["postgres", "owner", "app", "deep", "reader"],
            |role| catalog.may_read(role, orders),
        );
        let function = catalog.function_called("shop.f()");
        check(&catalog, &["postgres", "app", "deep"], |role| {
            catalog.may_call(role, function)
        });
        check(&catalog, &["postgres", "app", "deep"], |role| {
            catalog.sees_function(role, function)
        });
        check(&catalog, &["postgres", "app", "deep", "reader"], |role| {
            catalog.sees_relation(role, orders)
        });
    }

    #[test]
    fn a_role_is_a_member_of_all_that_it_was_granted_with_its_rights_or_without() {
        let catalog = fixture()
            .member("reader", "set_only", false)
            .member("owner", "reader", false)
            .build();
        let above = |name: &str| {
            let role = catalog.role_named(name);
            catalog.roles_above(role.unwrap()).join(" ")
        };
        for (name, roles) in [
            ("app", "app middle"),
            ("middle", "app middle"),
            ("deep", "app deep middle"),
            ("set_only", "app middle set_only"),
            ("reader", "app middle pg_read_all_data reader set_only"),
            ("owner", "app middle owner pg_read_all_data reader set_only"),
            ("postgres", "postgres"),
        ] {
            assert_eq!(above(name), roles, "{name}");
        }
    }

    #[test]
    fn where_nothing_is_written_the_default_holds() {
        let catalog = fixture()
            .rights("schema shop", None)
            .rights("shop.orders", None)
            .rights("shop.f()", None)
            .build();
        let orders = catalog.relation_called("shop.orders");
        let schema = catalog.relation(orders).schema;
        check(&catalog, &["postgres", "owner", "reader"], |role| {
            catalog.may_use_schema(role, schema)
        });
        check(&catalog, &["postgres", "owner", "reader"], |role| {
            catalog.may_read(role, orders)
        });
        let function = catalog.function_called("shop.f()");
        let everybody = [
            "postgres", "owner", "app", "deep", "set_only", "reader", "nobody",
        ];
        check(&catalog, &everybody, |role| {
            catalog.may_call(role, function)
        });
    }

    #[test]
    fn a_column_can_be_granted_alone() {
        let catalog = fixture()
            .rights("shop.orders", Some(&[]))
            .rights("column shop.orders.id", Some(&[("app", "s")]))
            .build();
        let orders = catalog.relation_called("shop.orders");
        let [id, secret] = catalog.columns_of(orders) else {
            panic!("two columns")
        };
        check(&catalog, &["postgres", "app", "deep", "reader"], |role| {
            catalog.may_read(role, orders)
        });
        check(&catalog, &["postgres", "app", "deep", "reader"], |role| {
            catalog.may_read_column(role, orders, id)
        });
        check(&catalog, &["postgres", "reader"], |role| {
            catalog.may_read_column(role, orders, secret)
        });
    }

    #[test]
    fn a_grant_to_a_role_that_is_gone_is_nobodys() {
        let mut fixture = fixture();
        for row in &mut fixture.rows().relations {
            if let Some(grants) = row.acl.as_mut().filter(|_| row.name == "orders") {
                grants.iter_mut().for_each(|grant| grant.to = 99_999);
            }
        }
        let catalog = fixture.build();
        let orders = catalog.relation_called("shop.orders");
        check(&catalog, &["postgres", "reader"], |role| {
            catalog.may_read(role, orders)
        });
    }
}
