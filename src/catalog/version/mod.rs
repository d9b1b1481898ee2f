//! The canonical form of a snapshot, and the version that is its hash.
//!
//! Objects are written by their qualified names with all their properties, oids left out; what has
//! no order is sorted. So the same database gives the same version after a dump and restore, and
//! whatever could change a verdict gives another one.
//!
//! How the parts are written: [`super::version::canonical`].

pub(super) mod canonical;

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;

use super::drift::ObjectPrint;
use super::version::canonical::CanonicalForm;
use super::{
    Cast, CastContext, CastMethod, Catalog, CatalogVersion, Column, DatabaseRole, Function,
    FunctionKind, FunctionLanguage, GeneratedKind, KeyKind, ObjectKind, Operator, Relation,
    RelationId, RelationKey, RelationKind, SchemaId, SchemaKind, SupportTarget, Type, TypeKind,
    Volatility,
};

/// The version, and the short hashes of all objects in their order.
pub(crate) fn of(catalog: &Catalog) -> (CatalogVersion, Box<[ObjectPrint]>) {
    let mut prints = VersionHasher {
        form: CanonicalForm::new(catalog),
        hasher: FixedState::default(),
        objects: Vec::with_capacity(catalog.columns.len() + 4 * catalog.types.len()),
    };
    prints.object(
        ObjectKind::Settings,
        |_| {},
        |form| {
            form.number(catalog.server_major);
            form.number(u16::from(catalog.other_encoding));
            form.text(&catalog.search_path);
        },
    );
    for (_, role) in catalog.roles() {
        prints.object(
            ObjectKind::Role,
            |form| form.name(role.name),
            |form| write_role(form, role),
        );
    }
    for (id, schema) in catalog.schemas() {
        prints.object(
            ObjectKind::Schema,
            |form| form.schema(id),
            |form| form.rights(schema.owner, schema.acl),
        );
    }
    for (id, relation) in catalog.relations() {
        prints.relation(catalog, id, relation);
    }
    for key in &catalog.keys {
        prints.object(
            ObjectKind::Key,
            |form| name_key(form, key),
            |form| write_key(form, key),
        );
    }
    prints.code(catalog);
    prints.supports(catalog);
    prints.finish()
}

/// The kind of an object of a schema, and the one that it counts as.
fn kind_in(catalog: &Catalog, schema: SchemaId, kind: ObjectKind) -> (ObjectKind, ObjectKind) {
    let counted = match catalog.schema(schema).kind {
        SchemaKind::Temporary => ObjectKind::Temporary,
        SchemaKind::Catalog
        | SchemaKind::InformationSchema
        | SchemaKind::Toast
        | SchemaKind::Ordinary => kind,
    };
    (kind, counted)
}

/// The hashes of the objects that are written.
struct VersionHasher<'c> {
    form: CanonicalForm<'c>,
    /// The same in every process: short hashes of one snapshot are compared to those of another.
    hasher: FixedState,
    objects: Vec<(ObjectPrint, [u8; 32])>,
}

impl VersionHasher<'_> {
    /// One object: what it is called, and what it is.
    fn object(
        &mut self,
        kind: ObjectKind,
        name: impl FnOnce(&mut CanonicalForm<'_>),
        content: impl FnOnce(&mut CanonicalForm<'_>),
    ) {
        self.object_as((kind, kind), name, content);
    }

    /// One object that counts as of another kind.
    fn object_as(
        &mut self,
        (kind, counted): (ObjectKind, ObjectKind),
        name: impl FnOnce(&mut CanonicalForm<'_>),
        content: impl FnOnce(&mut CanonicalForm<'_>),
    ) {
        self.form.clear();
        self.form.text(kind.name());
        name(&mut self.form);
        let mut hasher = self.hasher.build_hasher();
        hasher.write(self.form.bytes());
        let name = hasher.finish();
        content(&mut self.form);
        let hash = *blake3::hash(self.form.bytes()).as_bytes();
        let content = CatalogVersion(hash).number();
        self.objects.push((
            ObjectPrint {
                kind: counted,
                name,
                content,
            },
            hash,
        ));
    }

    /// A relation, its policies and its columns.
    fn relation(&mut self, catalog: &Catalog, id: RelationId, relation: &Relation) {
        let kind = match relation.kind {
            RelationKind::View | RelationKind::MaterializedView => ObjectKind::View,
            RelationKind::Table
            | RelationKind::PartitionedTable
            | RelationKind::ForeignTable
            | RelationKind::Sequence
            | RelationKind::CompositeType => ObjectKind::Relation,
        };
        self.object_as(
            kind_in(catalog, relation.schema, kind),
            |form| form.relation(id),
            |form| write_relation(form, relation),
        );
        for policy in &relation.policies {
            self.object(
                ObjectKind::Policy,
                |form| {
                    form.relation(id);
                    form.name(policy.name);
                },
                |form| form.stored(&policy.using),
            );
        }
        for (place, column) in (0_u32..).zip(catalog.columns_of(id)) {
            self.object(
                ObjectKind::Column,
                |form| {
                    form.relation(id);
                    form.name(column.name);
                },
                |form| write_column(form, place, column),
            );
        }
    }

    /// What is run unasked, and what for: one object, since none of it has a name of its own.
    fn supports(&mut self, catalog: &Catalog) {
        self.object(
            ObjectKind::Function,
            |form| form.text("support"),
            |form| {
                form.set(catalog.supports.iter(), |form, support| {
                    write_supported(form, support.of);
                    form.option(support.function, CanonicalForm::function);
                });
            },
        );
    }

    /// Types, functions, operators and casts.
    fn code(&mut self, catalog: &Catalog) {
        for (id, one) in catalog.data_types() {
            self.object_as(
                kind_in(catalog, one.schema, ObjectKind::Type),
                |form| form.data_type(id),
                |form| write_type(form, one),
            );
        }
        for (id, function) in catalog.functions() {
            self.object_as(
                kind_in(catalog, function.schema, ObjectKind::Function),
                |form| form.function(id),
                |form| write_function(form, function),
            );
        }
        for (id, operator) in catalog.operators() {
            self.object_as(
                kind_in(catalog, operator.schema, ObjectKind::Operator),
                |form| form.operator(id),
                |form| write_operator(form, operator),
            );
        }
        for (_, cast) in catalog.casts() {
            self.object(
                ObjectKind::Cast,
                |form| {
                    form.data_type(cast.source);
                    form.data_type(cast.target);
                },
                |form| write_cast(form, cast),
            );
        }
    }

    fn finish(mut self) -> (CatalogVersion, Box<[ObjectPrint]>) {
        self.objects.sort_unstable();
        let mut hasher = blake3::Hasher::new();
        hasher.update(FORMAT);
        for (_, hash) in &self.objects {
            hasher.update(hash);
        }
        let version = CatalogVersion(*hasher.finalize().as_bytes());
        (
            version,
            self.objects.into_iter().map(|(print, _)| print).collect(),
        )
    }
}

fn write_role(form: &mut CanonicalForm<'_>, role: &DatabaseRole) {
    form.number(role.superuser);
    form.option(role.search_path.as_deref(), CanonicalForm::text);
    form.set(role.member_of.iter(), |form, (of, inherits)| {
        form.role(Some(*of));
        form.number(*inherits);
    });
}

fn write_relation(form: &mut CanonicalForm<'_>, relation: &Relation) {
    form.number(match relation.kind {
        RelationKind::Table => b'r',
        RelationKind::PartitionedTable => b'p',
        RelationKind::View => b'v',
        RelationKind::MaterializedView => b'm',
        RelationKind::ForeignTable => b'f',
        RelationKind::Sequence => b'S',
        RelationKind::CompositeType => b'c',
    });
    form.option(relation.row_type, CanonicalForm::data_type);
    form.set(relation.children.iter().copied(), CanonicalForm::relation);
    form.rights(relation.owner, relation.acl);
    form.option(relation.view.as_deref(), CanonicalForm::stored);
    form.option(relation.computed.as_deref(), CanonicalForm::stored);
    form.option(relation.planned.as_deref(), CanonicalForm::stored);
    form.option(relation.server, CanonicalForm::name);
}

/// A column, at its place among those that are not dropped: the numbers have gaps.
fn write_column(form: &mut CanonicalForm<'_>, place: u32, column: &Column) {
    form.number(place);
    form.data_type(column.type_id);
    form.modifier(column.type_modifier);
    form.number(column.not_null);
    form.number(match column.generated {
        GeneratedKind::Not => b'n',
        GeneratedKind::Stored => b's',
        GeneratedKind::Virtual => b'v',
    });
    form.acl(column.acl);
}

fn name_key(form: &mut CanonicalForm<'_>, key: &RelationKey) {
    form.relation(key.relation);
    form.number(match key.kind {
        KeyKind::Primary => b'p',
        KeyKind::Unique => b'u',
        KeyKind::Foreign { .. } => b'f',
        KeyKind::Unvalidated { .. } => b'v',
    });
    form.columns(key.relation, &key.columns);
}

fn write_key(form: &mut CanonicalForm<'_>, key: &RelationKey) {
    match &key.kind {
        KeyKind::Primary | KeyKind::Unique => {}
        KeyKind::Foreign { to, to_columns } | KeyKind::Unvalidated { to, to_columns } => {
            form.relation(*to);
            form.columns(*to, to_columns);
        }
    }
}

fn write_type(form: &mut CanonicalForm<'_>, one: &Type) {
    write_type_kind(form, &one.kind);
    form.number(one.category);
    form.number(one.preferred);
    form.option(one.element, CanonicalForm::data_type);
    form.number(one.is_array);
    form.option(one.array, CanonicalForm::data_type);
    form.set(one.makers.iter().copied(), CanonicalForm::function);
    form.set(one.users.iter().copied(), CanonicalForm::function);
    form.rights(one.owner, one.acl);
}

fn write_type_kind(form: &mut CanonicalForm<'_>, kind: &TypeKind) {
    match kind {
        TypeKind::Base => form.number(b'b'),
        TypeKind::Composite(relation) => {
            form.number(b'c');
            form.option(*relation, CanonicalForm::relation);
        }
        TypeKind::Domain {
            base,
            base_modifier,
            checks,
            constrained,
        } => {
            form.number(b'd');
            form.data_type(*base);
            form.modifier(*base_modifier);
            form.stored(checks);
            form.number(*constrained);
        }
        TypeKind::Enum => form.number(b'e'),
        TypeKind::Range { subtype } => {
            form.number(b'r');
            form.data_type(*subtype);
        }
        TypeKind::Multirange { range } => {
            form.number(b'm');
            form.data_type(*range);
        }
        TypeKind::Pseudo => form.number(b'p'),
    }
}

fn write_function(form: &mut CanonicalForm<'_>, function: &Function) {
    write_function_kind(form, &function.kind);
    form.number(match function.volatility {
        Volatility::Immutable => b'i',
        Volatility::Stable => b's',
        Volatility::Volatile => b'v',
    });
    form.number(function.security_definer);
    match function.language {
        FunctionLanguage::Internal => form.number(b'i'),
        FunctionLanguage::C => form.number(b'c'),
        FunctionLanguage::Sql => form.number(b's'),
        FunctionLanguage::Other(name) => {
            form.number(b'o');
            form.name(name);
        }
    }
    form.option(function.extension.as_deref(), CanonicalForm::text);
    form.option(function.code.as_deref(), |form, code| {
        form.text(&code.library);
        form.text(&code.symbol);
    });
    form.list(&function.argument_names, |form, name| {
        form.option(*name, CanonicalForm::name)
    });
    form.number(function.defaults);
    form.option(function.variadic, CanonicalForm::data_type);
    form.data_type(function.returns);
    form.number(function.returns_set);
    form.list(&function.out_columns, |form, (name, type_id)| {
        form.option(*name, CanonicalForm::name);
        form.data_type(*type_id);
    });
    form.set(function.settings.iter().copied(), CanonicalForm::name);
    form.option(function.body.as_deref(), CanonicalForm::stored);
    form.option(function.text.as_deref(), CanonicalForm::text);
    form.option(function.search_path.as_deref(), CanonicalForm::text);
    form.rights(function.owner, function.acl);
}

fn write_function_kind(form: &mut CanonicalForm<'_>, kind: &FunctionKind) {
    match kind {
        FunctionKind::Plain => form.number(b'f'),
        FunctionKind::Window => form.number(b'w'),
        FunctionKind::Procedure => form.number(b'p'),
        FunctionKind::Aggregate {
            parts,
            sort_operator,
            direct_arguments,
        } => {
            form.number(b'a');
            form.set(parts.iter().copied(), CanonicalForm::function);
            form.option(*sort_operator, CanonicalForm::operator);
            form.option(*direct_arguments, |form, count| form.number(count));
        }
    }
}

fn write_operator(form: &mut CanonicalForm<'_>, operator: &Operator) {
    form.option(operator.result, CanonicalForm::data_type);
    form.option(operator.function, CanonicalForm::function);
    form.option(operator.commutator, CanonicalForm::operator);
    form.option(operator.negator, CanonicalForm::operator);
    form.number(u8::from(operator.leakproof));
    form.set(operator.support.iter().copied(), CanonicalForm::function);
}

fn write_supported(form: &mut CanonicalForm<'_>, of: SupportTarget) {
    let (number, write): (u8, &dyn Fn(&mut CanonicalForm<'_>)) = match of {
        SupportTarget::Relation(id) => (0, &move |form| form.relation(id)),
        SupportTarget::PartitionKey(id) => (1, &move |form| form.relation(id)),
        SupportTarget::Operator(id) => (2, &move |form| form.operator(id)),
        SupportTarget::Function(id) => (3, &move |form| form.function(id)),
        SupportTarget::TypeModifier => (4, &|_| {}),
        SupportTarget::Printing => (5, &|_| {}),
        SupportTarget::TextSearch => (6, &|_| {}),
        SupportTarget::Conversion => (7, &|_| {}),
        SupportTarget::ForeignDataWrapper => (8, &|_| {}),
        SupportTarget::AccessMethod => (9, &|_| {}),
    };
    form.number(number);
    write(form);
}

fn write_cast(form: &mut CanonicalForm<'_>, cast: &Cast) {
    match cast.method {
        CastMethod::Function(function) => {
            form.number(b'f');
            form.function(function);
        }
        CastMethod::Binary => form.number(b'b'),
        CastMethod::InOut => form.number(b'i'),
    }
    form.number(match cast.context {
        CastContext::Explicit => b'e',
        CastContext::Assignment => b'a',
        CastContext::Implicit => b'i',
    });
}

/// What the form is called; another form is another version.
const FORMAT: &[u8] = b"pgsieve catalog 1";

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::catalog_rows::{CatalogRows, GrantRow, SupportRow, SupportRowOf};
    use crate::drift::{self, DriftCount};
    use crate::fixture::CatalogFixture;
    use crate::tests::shop;

    /// A change of the rows gives another version, and counts as a change of one object of a kind.
    #[track_caller]
    fn check(kind: ObjectKind, change: impl FnOnce(&mut CatalogRows)) {
        static BEFORE: LazyLock<Catalog> = LazyLock::new(|| shop().build());
        let before = &*BEFORE;
        let mut fixture = shop();
        change(fixture.rows());
        let after = fixture.build();
        assert_ne!(before.version(), after.version());
        let drift = drift::between(before, &after);
        let changed = DriftCount {
            changed: 1,
            ..DriftCount::default()
        };
        assert_eq!(drift.kinds().collect::<Vec<_>>(), [(kind, changed)]);
        assert_eq!(drift::between(&after, before), drift);
    }

    /// Changes of one row, each by itself.
    macro_rules! changes {
        ($kind:ident $list:ident $name:literal: $(|$row:ident| $change:expr;)+) => {
            $(
                check(ObjectKind::$kind, |rows| {
                    let rows = &mut rows.$list;
                    let $row = rows.iter_mut().find(|row| row.name == $name).unwrap();
                    $change;
                });
            )+
        };
    }

    fn rights() -> Option<Vec<GrantRow>> {
        Some(vec![GrantRow {
            to: 10,
            select: true,
            usage: true,
            execute: true,
        }])
    }

    #[test]
    fn what_a_function_is_counts() {
        changes! { Function functions "f":
            |row| row.volatility = b'i';
            |row| row.volatility = b'v';
            |row| row.security_definer = true;
            |row| row.language = "c".into();
            |row| row.language = "plpython3u".into();
            |row| row.kind = b'w';
            |row| row.extension = Some("x".into());
            |row| row.code = Some(("$libdir/x".into(), "f".into()));
            |row| row.names = vec!["x".into(), "b".into(), "c".into()];
            |row| row.defaults = 2;
            |row| row.variadic = 0;
            |row| row.returns = 23;
            |row| row.returns_set = false;
            |row| row.settings = vec!["search_path".into()];
            |row| row.bodies.clear();
            |row| row.text = Some("SELECT 1".into());
            |row| row.search_path = Some("shop".into());
            |row| row.bodies.push("({FUNCEXPR :funcid 870 :funcresulttype 25})".into());
            |row| row.owner = 3_373;
            |row| row.acl = None;
            |row| row.acl = Some(Vec::new());
            |row| row.acl = rights();
        }
        changes! { Function functions "g":
            |row| row.names = vec!["x".into(), "b".into()];
            |row| row.all_arguments = vec![20, 20];
        }
        changes! { Function functions "most":
            |row| row.parts.push(870);
            |row| row.sort_operator = 521;
            |row| (row.aggregate_kind, row.direct_arguments) = (b'o', 1);
        }
    }

    #[test]
    fn what_a_type_is_counts() {
        changes! { Type types "positive":
            |row| row.base = 20;
            |row| row.base_modifier = 7;
            |row| row.checks.push("({OPEXPR :opno 96 :opfuncid 65})".into());
            |row| row.category = b'U';
            |row| row.preferred = true;
            |row| row.owner = 3_373;
            |row| row.acl = rights();
        }
        changes! { Type types "box3":
            |row| row.makers.clear();
            |row| row.users.clear();
            |row| row.element = 23;
            |row| row.kind = b'e';
        }
        changes! { Type types "_mood": |row| row.is_array = false; }
        changes! { Type types "span": |row| row.range_of = 1_700; }
    }

    #[test]
    fn what_a_relation_is_counts() {
        changes! { Relation relations "orders":
            |row| row.kind = b'p';
            |row| row.computed.clear();
            |row| row.planned = vec!["{FUNCEXPR :funcid 870}".into()];
            |row| row.owner = 3_373;
            |row| row.acl = None;
        }
        changes! { Relation relations "remote": |row| row.server = Some("near".into()); }
        changes! { View relations "v": |row| row.view = Some(String::new()); }
        changes! { Column columns "total":
            |row| row.type_oid = 701;
            |row| row.type_modifier = 655_366;
            |row| row.not_null = true;
            |row| row.generated = b's';
            |row| row.acl = rights();
        }
        changes! { Policy policies "own": |row| row.using = None; }
        check(ObjectKind::Relation, |rows| rows.inheritance.clear());
        check(ObjectKind::Key, |rows| {
            rows.keys
                .iter_mut()
                .find(|row| row.kind == b'f')
                .unwrap()
                .to_columns = vec![2];
        });
    }

    #[test]
    fn what_the_rest_is_counts() {
        changes! { Operator operators "===":
            |row| row.result = 23;
            |row| row.function = 144;
            |row| row.commutator = 0;
            |row| row.negator = 0;
            |row| row.leakproof = true;
            |row| row.support = vec![144];
        }
        changes! { Schema schemas "shop":
            |row| row.acl = None;
            |row| row.owner = 3_373;
        }
        changes! { Role roles "app":
            |row| row.superuser = true;
            |row| row.search_path = Some("shop".into());
        }
        check(ObjectKind::Role, |rows| {
            rows.members.last_mut().unwrap().2 = false
        });
        for (of, oid) in [
            (SupportRowOf::TypeModifier, 0),
            (SupportRowOf::TextSearch, 0),
            (SupportRowOf::Operator, 96),
            (SupportRowOf::Function, 870),
        ] {
            check(ObjectKind::Function, |rows| {
                let function = 870;
                rows.supports.push(SupportRow { of, oid, function });
            });
        }
        check(ObjectKind::Settings, |rows| rows.server_major = 16);
        check(ObjectKind::Settings, |rows| rows.other_encoding = true);
        check(ObjectKind::Settings, |rows| {
            rows.search_path = "shop".into()
        });
        check(ObjectKind::Cast, |rows| {
            rows.casts.last_mut().unwrap().context = b'i'
        });
        check(ObjectKind::Cast, |rows| {
            rows.casts.last_mut().unwrap().method = b'i'
        });
        check(ObjectKind::Cast, |rows| {
            let row = rows
                .casts
                .iter_mut()
                .rfind(|row| row.method == b'f')
                .unwrap();
            row.function = 870;
        });
    }

    #[test]
    fn what_comes_and_goes_is_counted() {
        let before = shop().build();
        let after = shop()
            .table("annex.t", "a int4, b int4")
            .function("annex.f()", "stable");
        let after = after.build();
        let drift = drift::between(&before, &after);
        let added = |added| DriftCount {
            added,
            ..DriftCount::default()
        };
        let counts: Vec<_> = drift.kinds().collect();
        assert_eq!(
            counts,
            [
                (ObjectKind::Relation, added(1)),
                (ObjectKind::Column, added(2)),
                (ObjectKind::Type, added(2)),
                (ObjectKind::Function, added(1)),
            ]
        );
        assert_eq!(drift.total(), 6);
        let back = drift::between(&after, &before);
        assert_eq!(
            back.of(ObjectKind::Column),
            DriftCount {
                removed: 2,
                ..DriftCount::default()
            }
        );
        assert!(drift::between(&before, &shop().build()).is_empty());
        // What sessions make for themselves is counted by itself.
        let base = || shop().schema("pg_temp_3");
        let made = base()
            .enumeration("pg_temp_3.e")
            .function("pg_temp_3.f()", "stable");
        let drift = drift::between(&base().build(), &made.build());
        assert_eq!(
            drift.kinds().collect::<Vec<_>>(),
            [(ObjectKind::Temporary, added(3))]
        );
        // Another name is another object.
        let moved = CatalogFixture::new(15)
            .schema("shop")
            .enumeration("shop.a")
            .build();
        let named = CatalogFixture::new(15)
            .schema("shop")
            .enumeration("shop.b")
            .build();
        let drift = drift::between(&moved, &named);
        let count = DriftCount {
            added: 2,
            changed: 0,
            removed: 2,
        };
        assert_eq!(
            drift.kinds().collect::<Vec<_>>(),
            [(ObjectKind::Type, count)]
        );
    }

    #[test]
    fn neither_order_nor_oids_count() {
        let before = shop().build();
        let mut reversed = shop();
        let rows = reversed.rows();
        rows.schemas.reverse();
        rows.relations.reverse();
        rows.columns.reverse();
        rows.keys.reverse();
        rows.inheritance.reverse();
        rows.types.reverse();
        rows.functions.reverse();
        rows.operators.reverse();
        rows.casts.reverse();
        rows.roles.reverse();
        rows.members.reverse();
        for row in &mut rows.types {
            row.makers.reverse();
        }
        assert_eq!(before.version(), reversed.build().version());
        let ends = |table: &str, columns: &str, fixture: CatalogFixture| {
            let list = [table];
            fixture
                .table(table, columns)
                .view(&format!("{table}_v"), columns, &list)
        };
        let start = || {
            CatalogFixture::new(15)
                .role("app")
                .schema("s")
                .enumeration("s.e")
        };
        let one = ends("s.b", "e s.e", ends("s.a", "e s.e", start())).build();
        let other = ends("s.a", "e s.e", ends("s.b", "e s.e", start())).build();
        assert_ne!(
            one.relation(one.relation_called("s.a")).oid,
            other.relation(other.relation_called("s.a")).oid
        );
        assert_eq!(one.version(), other.version());
        assert!(drift::between(&one, &other).is_empty());
    }
}
