//! One of everything: what is read of it.

use std::collections::BTreeSet;

use pgsieve::catalog::Catalog;
use pgsieve::catalog::catalog_rows::{
    CatalogRows, ColumnRow, FunctionRow, GrantRow, OperatorRow, RelationRow, TypeRow,
};
use pgsieve::upstream::snapshot;

use crate::catalog::snapshot::support::{Database, VERSIONS, number};
use crate::support::sql::rows;

/// What was read, found by name.
struct Found {
    rows: CatalogRows,
}

#[tokio::test]
async fn one_of_everything_is_read_from_each_version() {
    for version in VERSIONS {
        let Some(database) = Database::new(version).await else {
            continue;
        };
        let (admin, client) = (database.admin().await, database.catalog().await);
        admin
            .batch_execute(include_str!("../../../data/schemas/snapshot/shop.sql"))
            .await
            .unwrap();
        if version >= 14 {
            let body =
                "CREATE FUNCTION shop.seen(a int) RETURNS int BEGIN ATOMIC SELECT a + 1; END";
            admin.batch_execute(body).await.unwrap();
        }
        if version >= 18 {
            let computed = "CREATE TABLE shop.virtual (a int, b int GENERATED ALWAYS AS (a * 2))";
            admin.batch_execute(computed).await.unwrap();
        }
        let role = rows(&admin, "SELECT oid FROM pg_roles WHERE rolname = 'reader'").await;
        let reader: u32 = role[0][0].parse().unwrap();
        let found = Found {
            rows: snapshot::load(&client).await.unwrap(),
        };
        found.check_relations();
        found.check_columns();
        found.check_keys_and_policies();
        found.check_types();
        found.check_functions(version);
        found.check_operators_and_casts();
        found.check_rights(reader);
        if version >= 18 {
            let table = found.relation("virtual");
            assert!(table.computed[0].contains("OPEXPR"), "{:?}", table.computed);
            assert_eq!(found.column("virtual", "b").generated, b'v');
        }
        check_rights_as_the_server(&admin, found.rows).await;
    }
}

impl Found {
    fn relation(&self, name: &str) -> &RelationRow {
        let schema = self.schema();
        let mut all = self.rows.relations.iter();
        let found = all.find(|relation| relation.name == name && relation.schema == schema);
        found.unwrap_or_else(|| panic!("{name}"))
    }

    fn column(&self, relation: &str, name: &str) -> &ColumnRow {
        let relation = self.relation(relation).oid;
        let mut all = self.rows.columns.iter();
        let found = all.find(|column| column.relation == relation && column.name == name);
        found.unwrap_or_else(|| panic!("{name}"))
    }

    fn data_type(&self, name: &str) -> &TypeRow {
        let mut all = self.rows.types.iter();
        let found = all.find(|row| row.name == name && row.schema == self.schema());
        found.unwrap_or_else(|| panic!("{name}"))
    }

    fn function(&self, name: &str) -> &FunctionRow {
        let mut all = self.rows.functions.iter();
        let found = all.find(|row| row.name == name && row.schema == self.schema());
        found.unwrap_or_else(|| panic!("{name}"))
    }

    fn operator(&self, name: &str) -> &OperatorRow {
        let mut all = self.rows.operators.iter();
        let found = all.find(|row| row.name == name && row.schema == self.schema());
        found.unwrap_or_else(|| panic!("{name}"))
    }

    fn schema(&self) -> u32 {
        let mut all = self.rows.schemas.iter();
        all.find(|schema| schema.name == "shop").unwrap().oid
    }

    fn check_relations(&self) {
        for (name, kind) in [
            ("customers", b'r'),
            ("parts", b'p'),
            ("parts_one", b'r'),
            ("numbers", b'S'),
            ("v_orders", b'v'),
            ("m_orders", b'm'),
            ("distant", b'f'),
            ("pair", b'c'),
        ] {
            assert_eq!(self.relation(name).kind, kind, "{name}");
        }
        let view = self.relation("v_orders").view.as_ref().unwrap();
        let called = format!(":funcid {} ", self.function("positive").oid);
        assert!(view.contains(&called) && view.contains(":rtable"));
        // What a materialized view was made of is known, although no read runs it.
        assert!(self.relation("m_orders").view.is_some());
        assert_eq!(self.relation("distant").server.as_deref(), Some("Far Away"));
        let parts = (self.relation("parts_one").oid, self.relation("parts").oid);
        assert!(self.rows.inheritance.contains(&parts));
        let names = self.rows.relations.iter().map(|row| row.name.as_str());
        let names: Vec<&str> = names.collect();
        assert!(!names.contains(&"passing") && !names.contains(&"customers_pkey"));
        for name in ["pg_stat_activity", "tables", "pg_class"] {
            assert!(names.contains(&name), "{name}");
        }
        let activity = self
            .rows
            .relations
            .iter()
            .find(|row| row.name == "pg_stat_activity");
        assert!(activity.unwrap().view.is_some());
    }

    fn check_columns(&self) {
        let of = |name: &str| -> Vec<(i16, &str)> {
            let relation = self.relation(name).oid;
            let all = self
                .rows
                .columns
                .iter()
                .filter(|row| row.relation == relation);
            all.map(|row| (row.number, row.name.as_str())).collect()
        };
        assert_eq!(of("customers"), [(1, "id"), (2, "name"), (3, "email")]);
        assert_eq!(of("v_orders"), [(1, "id"), (2, "positive")]);
        assert_eq!(of("pair"), [(1, "a"), (2, "b")]);
        let email = self.column("customers", "email");
        assert_eq!((email.type_oid, email.type_modifier), (1043, 44));
        assert!(!email.not_null && self.column("customers", "name").not_null);
        assert_eq!(self.column("orders", "twice").generated, b's');
        assert_eq!(email.generated, 0);
    }

    fn check_keys_and_policies(&self) {
        let orders = self.relation("orders").oid;
        let customers = self.relation("customers").oid;
        let of = |relation: u32| -> Vec<(u8, &[i16], u32, &[i16])> {
            let keys = self.rows.keys.iter().filter(|key| key.relation == relation);
            keys.map(|key| (key.kind, &*key.columns, key.to, &*key.to_columns))
                .collect()
        };
        let (foreign, primary) = (
            (b'f', &[3][..], customers, &[1][..]),
            (b'p', &[1, 2][..], 0, &[][..]),
        );
        assert_eq!(of(orders), [foreign, primary]);
        assert_eq!(
            of(customers),
            [(b'p', &[1][..], 0, &[][..]), (b'u', &[3][..], 0, &[][..])]
        );
        let policies: Vec<&str> = self
            .rows
            .policies
            .iter()
            .map(|row| row.name.as_str())
            .collect();
        assert_eq!(policies, ["own"]);
        let using = self.rows.policies[0].using.as_ref().unwrap();
        assert!(using.contains("OPEXPR"), "{using}");
    }

    fn check_types(&self) {
        let amount = self.data_type("amount");
        assert_eq!(
            (amount.kind, amount.base, amount.checks.len()),
            (b'd', 23, 2)
        );
        let called = format!(":funcid {} ", self.function("positive").oid);
        assert!(amount.checks.iter().any(|check| check.contains(&called)));
        let small = self.data_type("small");
        assert!(small.not_null && small.base_modifier == 9 && small.checks.is_empty());
        let pair = self.data_type("pair");
        assert_eq!(
            (pair.kind, pair.relation),
            (b'c', self.relation("pair").oid)
        );
        let (same, order) = (self.function("same").oid, self.function("order_pairs").oid);
        assert_eq!(pair.users, [same, order]);
        let pairs = self.data_type("_pair");
        assert!(pairs.is_array && pairs.element == pair.oid && pair.array == pairs.oid);
        let span = self.data_type("span");
        assert_eq!((span.kind, span.range_of), (b'r', 701));
        assert_eq!(span.users, [self.function("far").oid]);
        let raw = self.data_type("raw");
        assert_eq!(raw.makers, [self.function("raw_in").oid]);
        assert_eq!(raw.users, [self.function("raw_out").oid]);
        if self.rows.server_major >= 14 {
            let multi = self.rows.types.iter().find(|row| row.range_of == span.oid);
            assert_eq!(multi.map(|row| row.kind), Some(b'm'));
        }
        let text = self.rows.types.iter().find(|row| row.oid == 25).unwrap();
        assert_eq!((text.category, text.preferred), (b'S', true));
        assert!(text.makers.is_empty() && text.users.is_empty() && !text.is_array);
        let vector = self
            .rows
            .types
            .iter()
            .find(|row| row.name == "int2vector")
            .unwrap();
        assert!(vector.is_array && vector.element == 21);
        let point = self
            .rows
            .types
            .iter()
            .find(|row| row.name == "point")
            .unwrap();
        assert!(!point.is_array && point.element == 701);
    }

    fn check_functions(&self, version: u32) {
        let add = self.function("add");
        assert_eq!(
            (add.kind, add.volatility, add.security_definer),
            (b'f', b's', true)
        );
        assert_eq!(
            (&*add.arguments, &*add.all_arguments),
            (&[23, 23][..], &[23, 23, 23, 25][..])
        );
        assert_eq!((&*add.modes, add.defaults), (&b"iioo"[..], 1));
        assert_eq!(add.names, ["a", "b", "c", "d"]);
        assert_eq!((add.returns, add.language.as_str()), (2249, "sql"));
        assert_eq!(add.settings, ["search_path", "work_mem"]);
        let called = format!(":funcid {} ", self.function("positive").oid);
        assert!(add.bodies.len() == 1 && add.bodies[0].contains(&called));
        let many = self.function("many");
        assert_eq!((many.variadic, many.returns_set), (25, true));
        assert_eq!(self.function("work").kind, b'p');
        let (total, step) = (self.function("total"), self.function("step"));
        assert_eq!((total.kind, total.aggregate_kind), (b'a', b'n'));
        assert_eq!(total.parts, [step.oid, self.function("final").oid]);
        assert_eq!(self.function("least").sort_operator, 97);
        if version >= 14 {
            assert!(self.function("seen").bodies[0].contains("QUERY"));
        }
        let percentile = self
            .rows
            .functions
            .iter()
            .find(|row| row.name == "percentile_cont");
        let percentile = percentile.unwrap();
        assert_eq!(
            (percentile.aggregate_kind, percentile.direct_arguments),
            (b'o', 1)
        );
        let of_extension = self
            .rows
            .functions
            .iter()
            .filter(|row| row.extension.is_some());
        let names: Vec<&str> = of_extension.map(|row| row.name.as_str()).collect();
        assert!(names.contains(&"plpgsql_call_handler"), "{names:?}");
    }

    fn check_operators_and_casts(&self) {
        let (equal, pair) = (self.operator("=="), self.data_type("pair").oid);
        assert_eq!((equal.left, equal.right, equal.result), (pair, pair, 16));
        assert_eq!(
            (equal.function, equal.commutator),
            (self.function("same").oid, equal.oid)
        );
        let mood = self.data_type("mood").oid;
        let ours = self.rows.casts.iter().filter(|cast| cast.target == pair);
        let ours: Vec<_> = ours
            .map(|cast| (cast.source, cast.function, cast.context, cast.method))
            .collect();
        let made = (23, self.function("pair_of").oid, b'i', b'f');
        assert_eq!(ours, [made, (mood, 0, b'e', b'i')]);
    }

    fn check_rights(&self, reader: u32) {
        let has = |grants: &Option<Vec<GrantRow>>, to: u32| -> Option<(bool, bool, bool)> {
            let grants = grants.as_ref().unwrap().iter();
            let mut ours = grants.filter(|grant| grant.to == to);
            ours.next()
                .map(|grant| (grant.select, grant.usage, grant.execute))
        };
        let select = Some((true, false, false));
        assert_eq!(has(&self.relation("customers").acl, reader), select);
        assert_eq!(has(&self.relation("customers").acl, 0), None);
        assert_eq!(has(&self.column("orders", "id").acl, reader), select);
        assert_eq!(self.column("orders", "line").acl, None);
        assert_eq!(self.relation("orders").acl, None);
        let execute = Some((false, false, true));
        assert_eq!(has(&self.function("positive").acl, 0), None);
        assert_eq!(has(&self.function("work").acl, reader), execute);
        let usage = Some((false, true, false));
        assert_eq!(has(&self.data_type("mood").acl, reader), usage);
        let schema = self.rows.schemas.iter().find(|row| row.name == "shop");
        assert_eq!(has(&schema.unwrap().acl, reader), usage);
    }
}

/// What the snapshot says of rights is what the server says, for a superuser and an ordinary role.
async fn check_rights_as_the_server(admin: &tokio_postgres::Client, read: CatalogRows) {
    let catalog = Catalog::build(read).unwrap();
    for name in ["reader", "postgres", "pg_monitor"] {
        let role = catalog.role_named(name);
        let relations = catalog.relations().filter(|(id, relation)| {
            relation.kind != pgsieve::catalog::RelationKind::CompositeType
                && relation.kind != pgsieve::catalog::RelationKind::Sequence
                && catalog.may_read(role, *id)
        });
        let readable = "SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'v', 'm', 'p', 'f') \
                        AND relpersistence <> 't' AND (has_table_privilege(ROLE, oid, 'SELECT') \
                        OR has_any_column_privilege(ROLE, oid, 'SELECT'))";
        let functions = catalog
            .functions()
            .filter(|(id, _)| catalog.may_call(role, *id));
        let callable =
            "SELECT count(*) FROM pg_proc WHERE has_function_privilege(ROLE, oid, 'EXECUTE')";
        let schemas = catalog
            .schemas()
            .filter(|(id, _)| catalog.may_use_schema(role, *id));
        let schemas: BTreeSet<&str> = schemas
            .map(|(_, schema)| catalog.names().text(schema.name))
            .filter(|name| !name.starts_with("pg_temp") && !name.starts_with("pg_toast_temp"))
            .collect();
        let usable = "SELECT nspname FROM pg_namespace WHERE has_schema_privilege(ROLE, oid, 'USAGE') \
                      AND nspname !~ '^pg_(toast_)?temp'";
        let usable = rows(admin, &usable.replace("ROLE", &format!("'{name}'"))).await;
        let usable: BTreeSet<&str> = usable.iter().map(|row| row[0].as_str()).collect();
        assert_eq!(schemas, usable, "{name}");
        for (text, count) in [(readable, relations.count()), (callable, functions.count())] {
            let text = text.replace("ROLE", &format!("'{name}'"));
            assert_eq!(number(admin, &text).await, count, "{text}");
        }
    }
}
