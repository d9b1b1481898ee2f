//! That snapshots are what their rows say, and that readings that are not whole make none.

use super::catalog_rows::CatalogRows;
use super::fixture::CatalogFixture;
use super::{
    BuildError, Catalog, FunctionKind, FunctionLanguage, KeyKind, ObjectKind, Oid, TypeKind,
};

/// A shop with one of everything.
pub(super) fn shop() -> CatalogFixture {
    CatalogFixture::new(15)
        .role("app")
        .role("readers")
        .member("app", "readers", true)
        .schema("shop")
        .schema("annex")
        .table("shop.orders", "id int4 not null, total numeric, note text")
        .table("shop.lines", "order_id int4 not null, line int4 not null")
        .partitioned_table("shop.events", "at timestamptz")
        .table("shop.events_1", "at timestamptz")
        .child("shop.events_1", "shop.events")
        .primary_key("shop.orders", "id")
        .unique("shop.lines", "order_id, line")
        .foreign_key("shop.lines", "order_id", "shop.orders", "id")
        .foreign_table("shop.remote", "id int4", "far")
        .sequence("shop.numbers")
        .composite("shop.pair", "a int4, b text")
        .function(
            "shop.f(a int4, b text = default, variadic c int4[]) setof text",
            "stable",
        )
        .function(
            "shop.g(out a int4, out b shop.pair)",
            "definer set=work_mem language=plpgsql",
        )
        .body("shop.f(int4, text, int4[])", &["now()", "shop.orders"])
        .aggregate("shop.most(int4) int4", &["int4larger(int4, int4)"])
        .operator("shop.=== (int4, int4) bool", "int4eq(int4, int4)")
        .operator("shop.!== (int4, int4) bool", "int4ne(int4, int4)")
        .negate("shop.=== (int4, int4)", "shop.!== (int4, int4)")
        .commute("shop.=== (int4, int4)", "shop.!== (int4, int4)")
        .domain("shop.positive", "int4", &["operator > (int4, int4)"])
        .enumeration("shop.mood")
        .range("shop.span", "float8")
        .base_type("shop.box3", &["now()"], &["now()"])
        .machinery("shop.box3", &["shop.g()"], &["shop.g()"])
        .cast(
            "int4",
            "shop.box3",
            Some("shop.f(int4, text, int4[])"),
            b'i',
        )
        .cast("shop.box3", "int8", None, b'a')
        .view("shop.v", "id int4", &["shop.orders", "shop.g()"])
        .materialized_view("shop.m", "id int4")
        .policy("shop.orders", "own", &["shop.g()"])
        .computed("shop.orders", "note", &["lower(text)"])
}

#[test]
fn the_built_ins_are_whole() {
    let catalog = CatalogFixture::new(18).build();
    assert_eq!(catalog.server_major(), 18);
    assert_eq!(catalog.functions().len(), 3_245);
    assert!(
        catalog
            .functions()
            .all(|(_, function)| function.oid.is_built_in())
    );
    let names = catalog.names();
    let overloads = catalog.index().functions(names.find("lower").unwrap());
    let signatures = overloads.iter().map(|id| catalog.function_signature(*id));
    assert_eq!(
        signatures.collect::<Vec<_>>(),
        ["lower(text)", "lower(anyrange)", "lower(anymultirange)"]
    );
    assert_eq!(names.find("no such name"), None);
    assert!(catalog.operators().len() > 700 && catalog.casts().len() > 200);
    let [int4, text] = ["int4", "text"].map(|name| catalog.type_called(name));
    assert!(
        catalog.index().cast(int4, text).is_none(),
        "through text only"
    );
}

#[test]
fn functions_are_what_their_rows_say() {
    let catalog = shop().build();
    let name = |id| catalog.names().text(id);
    let f = catalog.function(catalog.function_called("shop.f(int4, text, int4[])"));
    let arguments = f.argument_names.iter().map(|id| id.map(name));
    assert_eq!(
        arguments.collect::<Vec<_>>(),
        [Some("a"), Some("b"), Some("c")]
    );
    assert_eq!(
        (f.defaults, f.variadic),
        (1, Some(catalog.type_called("int4")))
    );
    assert!(f.returns_set && f.out_columns.is_empty());
    let body = f.body.as_deref().unwrap();
    let orders = catalog.relation(catalog.relation_called("shop.orders"));
    assert_eq!(
        (&*body.functions, &*body.relations),
        ([Oid(1_299)].as_slice(), [orders.oid].as_slice())
    );
    let g = catalog.function(catalog.function_called("shop.g()"));
    assert!(g.arguments.is_empty() && g.argument_names.is_empty() && g.security_definer);
    let out = g
        .out_columns
        .iter()
        .map(|(id, type_id)| (id.map(name), catalog.type_name(*type_id)));
    let wanted = [
        (Some("a"), "integer".into()),
        (Some("b"), "shop.pair".into()),
    ];
    assert_eq!(out.collect::<Vec<_>>(), wanted);
    let FunctionLanguage::Other(language) = g.language else {
        panic!("{:?}", g.language)
    };
    assert_eq!(
        (name(language), name(g.settings[0])),
        ("plpgsql", "work_mem")
    );
    let most = catalog.function(catalog.function_called("shop.most(int4)"));
    let part = catalog.function_called("int4larger(int4, int4)");
    assert!(matches!(&most.kind, FunctionKind::Aggregate { parts, .. } if **parts == [part]));
    // proargnames has names of results as well, and may name no argument.
    let each = catalog.function(catalog.function_called("json_each(json)"));
    assert_eq!((each.argument_names.len(), each.out_columns.len()), (1, 2));
    let lower = catalog.function(catalog.function_called("lower(text)"));
    assert!(lower.argument_names.is_empty());
}

#[test]
fn relations_and_types_are_what_their_rows_say() {
    let catalog = shop().build();
    let relation = |name| catalog.relation(catalog.relation_called(name));
    let events = relation("shop.events");
    assert_eq!(*events.children, [catalog.relation_called("shop.events_1")]);
    let orders = catalog.relation_called("shop.orders");
    let columns = catalog.columns_of(orders);
    let names = columns
        .iter()
        .map(|column| catalog.names().text(column.name));
    assert_eq!(names.collect::<Vec<_>>(), ["id", "total", "note"]);
    assert_eq!(relation("shop.orders").policies.len(), 1);
    assert!(relation("shop.orders").computed.is_some() && relation("shop.m").view.is_none());
    assert_eq!(
        catalog
            .names()
            .text(relation("shop.remote").server.unwrap()),
        "far"
    );
    let row_type = catalog.data_type(relation("shop.orders").row_type.unwrap());
    assert_eq!(row_type.kind, TypeKind::Composite(Some(orders)));
    let array = catalog.data_type(catalog.type_called("shop.mood[]"));
    assert!(array.is_array && array.element == Some(catalog.type_called("shop.mood")));
    let positive = catalog.data_type(catalog.type_called("shop.positive"));
    let TypeKind::Domain {
        base,
        checks,
        constrained: true,
        ..
    } = &positive.kind
    else {
        panic!("{positive:?}");
    };
    assert_eq!(
        (*base, &*checks.operators),
        (catalog.type_called("int4"), [Oid(521)].as_slice())
    );
    let lines = catalog.relation_called("shop.lines");
    let [unique, foreign] = catalog.keys_of(lines) else {
        panic!("two keys")
    };
    assert_eq!(
        (&unique.kind, &*unique.columns),
        (&KeyKind::Unique, [1, 2].as_slice())
    );
    let points = KeyKind::Foreign {
        to: orders,
        to_columns: [1].into(),
    };
    assert_eq!(foreign.kind, points);
    assert!(
        catalog
            .keys_of(catalog.relation_called("shop.v"))
            .is_empty()
    );
    assert!(catalog.bytes() > 100_000);
}

#[test]
fn what_no_statement_can_read_is_left_out() {
    let mut fixture = shop();
    let rows = fixture.rows();
    for (oid, kind) in [(50_001, b'i'), (50_002, b't'), (50_003, b'I')] {
        let mut row = rows.relations.last().unwrap().clone();
        (row.oid, row.kind) = (oid, kind);
        rows.relations.push(row);
        let mut column = rows.columns.last().unwrap().clone();
        column.relation = oid;
        rows.columns.push(column);
    }
    rows.inheritance.push((50_001, 50_003));
    assert_eq!(fixture.build().version(), shop().build().version());
}

#[test]
fn the_types_of_tables_that_are_not_read_stay() {
    let mut fixture = shop()
        .schema("pg_temp_3")
        .table("pg_temp_3.mine", "id int4");
    fixture.rows().relations.retain(|row| row.name != "mine");
    let catalog = fixture.build();
    let of_rows = catalog.data_type(catalog.type_called("pg_temp_3.mine"));
    assert_eq!(of_rows.kind, TypeKind::Composite(None));
}

#[test]
fn two_thousand_tables_take_little_memory() {
    let kinds = ["int4", "text", "numeric", "timestamptz", "int8"];
    let columns = (0..20).zip(kinds.into_iter().cycle());
    let columns: Vec<String> = columns
        .map(|(at, kind)| format!("column_{at} {kind}"))
        .collect();
    let columns = columns.join(", ");
    let mut fixture = CatalogFixture::new(15).schema("shop");
    for number in 0..2_000 {
        fixture = fixture.table(&format!("shop.table_{number}"), &columns);
    }
    let catalog = fixture.build();
    assert!(catalog.columns.len() > 40_000);
    assert!(catalog.bytes() < 10 * 1024 * 1024, "{}", catalog.bytes());
}

#[track_caller]
fn check_error(wanted: BuildError, change: fn(&mut CatalogRows)) {
    let mut fixture = shop();
    change(fixture.rows());
    let found = Catalog::build(std::mem::take(fixture.rows())).expect_err("no snapshot");
    assert_eq!(found, wanted);
    assert!(found.to_string().contains("oid"), "{found}");
}

#[test]
fn a_reading_that_is_not_whole_is_no_snapshot() {
    use ObjectKind::{Cast, Function, Operator, Policy, Relation, Schema, Type};
    let dangling = |kind, oid, wanted, missing| {
        let (oid, missing) = (Oid(oid), Oid(missing));
        BuildError::Dangling {
            kind,
            oid,
            wanted,
            missing,
        }
    };
    check_error(dangling(Function, 870, Type, 7), |rows| {
        function(rows, 870).arguments = vec![7];
    });
    check_error(dangling(Function, 870, Type, 7), |rows| {
        function(rows, 870).returns = 7
    });
    check_error(dangling(Function, 870, Schema, 7), |rows| {
        function(rows, 870).schema = 7
    });
    check_error(dangling(Function, 2_147, Function, 7), |rows| {
        function(rows, 2_147).parts.push(7);
    });
    check_error(dangling(Operator, 96, Function, 7), |rows| {
        operator(rows, 96).function = 7
    });
    check_error(dangling(Operator, 96, Operator, 7), |rows| {
        operator(rows, 96).commutator = 7
    });
    check_error(dangling(Operator, 96, Type, 7), |rows| {
        operator(rows, 96).left = 7
    });
    check_error(dangling(Cast, 16, Function, 7), |rows| {
        rows.casts[0].function = 7
    });
    check_error(dangling(Type, 23, Type, 7), |rows| {
        data_type(rows, 23).array = 7
    });
    check_error(dangling(Type, 23, Function, 7), |rows| {
        data_type(rows, 23).users = vec![7]
    });
    check_error(dangling(Relation, 1_259, Type, 7), |rows| {
        let columns = &mut rows.columns;
        columns
            .iter_mut()
            .find(|row| row.relation == 1_259)
            .unwrap()
            .type_oid = 7;
    });
    check_error(dangling(Relation, 1_259, Relation, 7), |rows| {
        rows.inheritance.push((7, 1_259))
    });
    check_error(dangling(Relation, 7, Relation, 8), |rows| {
        rows.inheritance.push((7, 8))
    });
    check_error(dangling(Policy, 0, Relation, 7), |rows| {
        rows.policies[0].relation = 7
    });
    check_error(dangling(Type, 83, Relation, 1_259), |rows| {
        rows.relations.retain(|row| row.oid != 1_259);
    });
}

#[test]
fn letters_that_mean_nothing_make_no_snapshot() {
    use ObjectKind::{Function, Relation, Type};
    let letter = |kind, oid| BuildError::Letter {
        kind,
        oid: Oid(oid),
        letter: b'?',
    };
    check_error(letter(Function, 870), |rows| {
        function(rows, 870).kind = b'?'
    });
    check_error(letter(Function, 870), |rows| {
        function(rows, 870).volatility = b'?'
    });
    check_error(letter(Type, 23), |rows| data_type(rows, 23).kind = b'?');
    check_error(letter(ObjectKind::Cast, 16), |rows| {
        rows.casts[0].context = b'?'
    });
    check_error(letter(ObjectKind::Cast, 16), |rows| {
        rows.casts[0].method = b'?'
    });
    check_error(letter(Relation, 1_259), |rows| {
        relation(rows, 1_259).kind = b'?'
    });
    check_error(BuildError::NoQuery { oid: Oid(1_259) }, |rows| {
        relation(rows, 1_259).kind = b'v';
    });
    check_error(
        BuildError::Twice {
            kind: Function,
            oid: Oid(870),
        },
        |rows| {
            let again = function(rows, 870).clone();
            rows.functions.push(again);
        },
    );
}

fn function(rows: &mut CatalogRows, oid: u32) -> &mut super::catalog_rows::FunctionRow {
    rows.functions
        .iter_mut()
        .find(|row| row.oid == oid)
        .unwrap()
}

fn operator(rows: &mut CatalogRows, oid: u32) -> &mut super::catalog_rows::OperatorRow {
    rows.operators
        .iter_mut()
        .find(|row| row.oid == oid)
        .unwrap()
}

fn data_type(rows: &mut CatalogRows, oid: u32) -> &mut super::catalog_rows::TypeRow {
    rows.types.iter_mut().find(|row| row.oid == oid).unwrap()
}

fn relation(rows: &mut CatalogRows, oid: u32) -> &mut super::catalog_rows::RelationRow {
    rows.relations
        .iter_mut()
        .find(|row| row.oid == oid)
        .unwrap()
}
