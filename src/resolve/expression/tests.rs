//! What functions, operators, casts and types expressions use, and what they are.

use crate::{
    InferredType, KnownParameters, LookupContext, TooDeep, UsedObject, expressions, statement,
};
use catalog::fixture::CatalogFixture;
use catalog::{Catalog, TypeId};
use ground::limits::RESOLVE_DEPTH_MAX;
use sql::tree;

/// The type of a query's only column, then what the query uses, relations and columns aside.
#[track_caller]
fn check(sql: &str, expected: &str) {
    check_with(&[None], sql, expected);
}

/// The same with types of parameters that the client gave.
#[track_caller]
fn check_with(parameters: &[Option<&str>], sql: &str, expected: &str) {
    let catalog = shop();
    let given = parameters.iter();
    let given: Vec<Option<TypeId>> = given
        .map(|name| name.map(|name| catalog.type_called(name)))
        .collect();
    assert_eq!(told(&catalog, &given, sql), expected, "{sql}");
}

#[test]
fn calls_mean_the_overload_that_fits() {
    check("SELECT f(1)", "int4: shop.f(integer)");
    check("SELECT f('x'::text)", "text: cast > text; shop.f(text)");
    check("SELECT f('x')", "text: shop.f(text)");
    check("SELECT f(id) FROM orders", "int4: shop.f(integer)");
    check("SELECT f(NULL)", "text: shop.f(text)");
    check(
        "SELECT f(1::int2)",
        "int4: cast int4 > int2; shop.f(integer); int2 > int4",
    );
    check("SELECT other.f(1)", "bool: other.f(integer)");
    check("SELECT f()", "?: missing function");
    check("SELECT nothing(1)", "?: missing function");
}

#[test]
fn every_overload_stays_where_an_argument_is_unclear() {
    check(
        "SELECT f(nothing) FROM missing",
        "?: unclear; shop.f(integer) | shop.f(text); ? > int4; ? > text",
    );
    check(
        "SELECT two(1, nothing) FROM missing",
        "bool: unclear; shop.two(integer, integer) | shop.two(integer, text); ? > int4; ? > text",
    );
}

#[test]
fn parameters_are_literals_where_they_stand_alone() {
    check("SELECT f($1)", "text: shop.f(text)");
    check_with(&[Some("int4")], "SELECT f($1)", "int4: shop.f(integer)");
    check_with(&[Some("unknown")], "SELECT f($1)", "text: shop.f(text)");
    check("SELECT 1 = $1", "bool: =(integer, integer)");
    check("SELECT f($2), f($3)", "text: shop.f(text); shop.f(text)");
    check(
        "SELECT two($1, $1)",
        "bool: shop.two(integer, integer) | shop.two(integer, text); ? > int4; ? > text",
    );
    check(
        "SELECT f($1::int4), f($1::int4)",
        "int4: cast literal > int4; shop.f(integer); cast literal > int4; shop.f(integer)",
    );
    check(
        "SELECT f($1::int4), f($1::int8)",
        "int4: cast ? > int4; shop.f(integer); cast ? > int8; shop.f(integer) | shop.f(text)",
    );
    // The first comparison makes the parameter an integer, also for the second one.
    check(
        "SELECT $1 BETWEEN 1 AND 2::int8",
        "bool: cast int4 > int8; >=(integer, integer); <=(integer, bigint)",
    );
    // A cast by name takes a literal, but a parameter may be the argument of a function.
    check("SELECT int4('1')", "int4: cast > int4");
}

#[test]
fn types_that_are_made_and_casts_that_happen_are_noted() {
    check("SELECT 'x'::shop.mood", "mood: type mood; cast > mood");
    check(
        "SELECT mood = 'x' FROM items",
        "bool: =(anyenum, anyenum); type mood",
    );
    check(
        "SELECT 1::shop.positive",
        "positive: type positive; cast int4 > positive",
    );
    check("SELECT d(1)", "int4: shop.d(shop.positive); type positive");
    check(
        "SELECT CASE WHEN true THEN 1 ELSE 2.5 END",
        "numeric: int4 > numeric",
    );
    check(
        "SELECT ARRAY[1, 2]::int8[]",
        "_int8: cast int4 > int8; cast int4 > int8; cast _int8 > _int8",
    );
    check("SELECT id FROM orders WHERE flag", "int4: flag > bool");
    check(
        "SELECT COALESCE('x', nothing) FROM missing",
        "?: unclear; unclear",
    );
    let catalog = shop();
    let told = told(
        &catalog,
        &[],
        "SELECT COALESCE(flag, $1) FROM orders LIMIT $1",
    );
    assert_eq!(told, "?: type flag; ? > flag; flag > text; ? > int8");
}

#[test]
fn long_chains_are_not_deep() {
    let catalog = shop();
    for (first, link) in [
        ("1", " + 1"),
        ("'a'::text", " || 'b'"),
        ("1", "::int8::int4"),
        ("true", " AND true"),
        ("1 = 1", " OR 2 = 2"),
        ("true", " IS NULL"),
    ] {
        let sql = format!("SELECT {first}{}", link.repeat(20_000));
        assert!(!told(&catalog, &[], &sql).starts_with('?'), "{link}");
    }
    let nots = format!("SELECT {}true", "NOT ".repeat(2_000));
    assert!(told(&catalog, &[], &nots).starts_with("bool"));
}

#[test]
fn deep_texts_end_with_an_error_and_not_with_the_stack() {
    let catalog = shop();
    let nested = |depth: usize| format!("SELECT {}1{}", "f(".repeat(depth), ")".repeat(depth));
    let fits = nested(RESOLVE_DEPTH_MAX - 10);
    assert!(told(&catalog, &[], &fits).starts_with("int4"));
    let parsed = tree::parse(&nested(RESOLVE_DEPTH_MAX + 1)).unwrap();
    let path = catalog.search_path(&["shop"], None);
    let lookup = LookupContext {
        catalog: &catalog,
        path: &path,
        parameters: KnownParameters::Given(&[]),
    };
    let node = parsed.statements().next().unwrap().node;
    assert_eq!(statement(node, &lookup).unwrap_err(), TooDeep);
    assert_eq!(expressions([node], &lookup).unwrap_err(), TooDeep);
}

fn shop() -> Catalog {
    CatalogFixture::new(15)
        .schema("shop")
        .schema("other")
        .enumeration("shop.mood")
        .domain("shop.positive", "int4", &[])
        .base_type("shop.flag", &[], &[])
        .function("shop.spelled(a shop.flag) text", "immutable")
        .cast("shop.flag", "text", Some("shop.spelled(shop.flag)"), b'i')
        .table(
            "shop.orders",
            "id int4 not null, total numeric, flag shop.flag",
        )
        .table("shop.items", "id int4, mood shop.mood")
        .function("shop.f(a int4) int4", "immutable")
        .function("shop.f(a text) text", "immutable")
        .function("other.f(a int4) bool", "immutable")
        .function("shop.two(a int4, b int4) bool", "immutable")
        .function("shop.two(a int4, b text) bool", "immutable")
        .function("shop.d(a shop.positive) int4", "immutable")
        .build()
}

fn told(catalog: &Catalog, parameters: &[Option<TypeId>], sql: &str) -> String {
    let parsed = tree::parse(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let node = parsed.statements().next().unwrap().node;
    let path = catalog.search_path(&["shop"], None);
    let lookup = LookupContext {
        catalog,
        path: &path,
        parameters: KnownParameters::Given(parameters),
    };
    let found = statement(node, &lookup).unwrap_or_else(|error| panic!("{error}"));
    let kind = found
        .output
        .columns
        .first()
        .map(|one| kind(catalog, &one.inferred));
    let uses = found.uses.iter();
    let uses: Vec<String> = uses.filter_map(|one| used(catalog, &one.what)).collect();
    let separator = if uses.is_empty() { "" } else { ": " };
    format!("{}{separator}{}", kind.unwrap_or_default(), uses.join("; "))
}

fn used(catalog: &Catalog, what: &UsedObject<'_>) -> Option<String> {
    Some(match what {
        UsedObject::Functions { candidates, .. } => {
            let candidates = candidates.iter();
            let names = candidates.map(|id| catalog.function_signature(*id));
            names.collect::<Vec<_>>().join(" | ")
        }
        UsedObject::MissingFunction => "missing function".into(),
        UsedObject::Operators { candidates, .. } => {
            let candidates = candidates.iter();
            let names = candidates.map(|id| catalog.operator_signature(*id));
            names.collect::<Vec<_>>().join(" | ")
        }
        UsedObject::Cast { source, target, .. } => match source {
            InferredType::Literal => format!("cast > {}", name(catalog, *target)),
            source => format!(
                "cast {} > {}",
                kind(catalog, source),
                name(catalog, *target)
            ),
        },
        UsedObject::Coercion { source, target } => {
            format!("{} > {}", kind(catalog, source), name(catalog, *target))
        }
        UsedObject::Type { id } if !catalog.data_type(*id).oid.is_built_in() => {
            format!("type {}", name(catalog, *id))
        }
        UsedObject::Unclear => "unclear".into(),
        _ => return None,
    })
}

fn kind(catalog: &Catalog, inferred: &InferredType) -> String {
    match inferred {
        InferredType::Known(id) => name(catalog, *id),
        InferredType::Literal | InferredType::Parameter(_) => "literal".into(),
        InferredType::Row(_) => "row".into(),
        InferredType::Unclear => "?".into(),
    }
}

fn name(catalog: &Catalog, id: TypeId) -> String {
    catalog.names().text(catalog.data_type(id).name).into()
}
