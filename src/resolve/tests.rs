//! What columns, relations and names of results mean, statement by statement.

use std::sync::LazyLock;

use super::{
    InferredType, KnownParameters, LookupContext, ObjectUse, Resolution, TooDeep, UsedObject,
    statement,
};
use catalog::fixture::CatalogFixture;
use catalog::{Catalog, RelationId};
use sql::tree;

/// The result of a statement: name, type (`?` where it cannot be told) and, after `@`, the column
/// of a relation that it passes on.
#[track_caller]
fn check(sql: &str, expected: &str) {
    let catalog = shop();
    assert_eq!(
        resolved(catalog, sql, |one| output(catalog, one)),
        expected,
        "{sql}"
    );
}

/// The relations and columns that a statement reads, and what is wrong with its names.
#[track_caller]
fn check_uses(sql: &str, expected: &str) {
    let catalog = shop();
    assert_eq!(
        resolved(catalog, sql, |one| uses(catalog, one)),
        expected,
        "{sql}"
    );
}

/// What the `nth` `?` of a text could mean as column `name`: level, qualifier, origin.
#[track_caller]
fn check_candidates(sql: &str, name: &str, expected: &str) {
    let catalog = shop();
    let position = sql.find("missing").unwrap();
    let found = resolved(catalog, sql, |one| {
        let mut found = Vec::new();
        for candidate in one.candidates(position, name) {
            let qualifier = candidate.qualifier.map_or("-", |name| name.as_str());
            let origin = candidate.origin.map(|origin| column(catalog, origin));
            found.push(format!(
                "{} {qualifier} {}",
                candidate.level,
                origin.unwrap_or_default()
            ));
        }
        found.join(", ")
    });
    assert_eq!(found, expected, "{sql}");
}

#[test]
fn columns_of_relations() {
    check(
        "SELECT id, total FROM orders",
        "id int4 @orders.1, total numeric @orders.2",
    );
    check("SELECT o.note FROM shop.orders o", "note text @orders.3");
    check("SELECT orders.id FROM orders", "id int4 @orders.1");
    check("SELECT shop.orders.id FROM orders", "id int4 @orders.1");
    check(
        "SELECT anydb.shop.orders.id FROM orders",
        "id int4 @orders.1",
    );
    check(
        "SELECT id AS number FROM ONLY orders",
        "number int4 @orders.1",
    );
    check(
        "SELECT * FROM items",
        "id int4 @items.1, order_id int4 @items.2, price numeric @items.3",
    );
    check(
        "SELECT i.* FROM orders, items i",
        "id int4 @items.1, order_id int4 @items.2, price numeric @items.3",
    );
    check(
        "SELECT x.a, x.total FROM orders x(a)",
        "a int4 @orders.1, total numeric @orders.2",
    );
    check("TABLE tags", "id int4 @tags.1, tag text @tags.2");
    check(
        "SELECT ctid, o.tableoid FROM orders o",
        "ctid tid @orders.-1, tableoid oid @orders.-6",
    );
    check("SELECT relname FROM pg_class", "relname name @pg_class.2");
    check("SELECT id FROM hidden.orders", "id uuid @hidden.orders.1");
}

#[test]
fn what_is_ambiguous_or_missing() {
    check_uses(
        "SELECT id FROM orders, items",
        "orders, items, ambiguous id",
    );
    check_uses(
        "SELECT a.id FROM orders a, items a",
        "orders, items, ambiguous a.id",
    );
    check_uses("SELECT nothing FROM orders", "orders, missing nothing");
    check_uses("SELECT x.id FROM orders", "orders, missing x.id");
    check_uses(
        "SELECT orders.id FROM orders o",
        "orders, missing orders.id",
    );
    check_uses(
        "SELECT shop.orders.id FROM orders o",
        "orders, missing orders.id",
    );
    check_uses("SELECT a.b.c.d.e.f FROM orders", "orders, unclear");
    check_uses(
        "SELECT hidden.orders.id FROM orders",
        "orders, missing orders.id",
    );
    check_uses(
        "SELECT id FROM nothing",
        "missing relation nothing, unclear",
    );
    check_uses(
        "SELECT id FROM nothing, orders",
        "missing relation nothing, orders, unclear",
    );
    check_uses(
        "SELECT orders.id FROM nothing, orders",
        "missing relation nothing, orders, orders.id",
    );
    check_uses("SELECT oid FROM orders", "orders, missing oid");
    check_uses("SELECT ctid FROM v", "v, missing ctid");
    check_uses(
        "SELECT ctid FROM orders o JOIN tags t ON true",
        "orders, tags, missing ctid",
    );
    check_uses(
        "SELECT o.ctid FROM orders o JOIN tags t ON true",
        "orders, tags, orders.ctid",
    );
}

#[test]
fn whole_rows() {
    check("SELECT orders FROM orders", "orders orders");
    check("SELECT o FROM shop.orders o", "o orders");
    check(
        "SELECT s FROM (SELECT 1 AS a, note FROM orders) s",
        "s (int4, text)",
    );
    check_uses("SELECT o FROM orders o", "orders, row of orders");
    check_uses("SELECT id FROM orders id", "orders, orders.id");
    check("SELECT x FROM orders x(a)", "x ?");
    check(
        "SELECT (o).note, (o).* FROM orders o",
        "note text, id int4, total numeric, note text",
    );
    check(
        "SELECT (s).b FROM (SELECT note AS b FROM orders) s",
        "b text",
    );
}

#[test]
fn sub_selects() {
    check(
        "SELECT s.b FROM (SELECT id, note FROM orders) s(a, b)",
        "b text @orders.3",
    );
    check(
        "SELECT s.* FROM (SELECT id, note FROM orders) s(a)",
        "a int4 @orders.1, note text @orders.3",
    );
    check("SELECT x FROM (SELECT 'a' AS x) s", "x text");
    check(
        "SELECT a FROM (SELECT id AS a FROM orders)",
        "a int4 @orders.1",
    );
    check(
        "SELECT o.id, l.note FROM orders o, LATERAL (SELECT o.note) l",
        "id int4 @orders.1, note text @orders.3",
    );
    check_uses(
        "SELECT 1 FROM orders o, (SELECT o.id) l",
        "orders, missing o.id",
    );
    check(
        "SELECT s.b FROM (SELECT t.b FROM (SELECT note AS b FROM orders) t) s",
        "b text @orders.3",
    );
}

#[test]
fn outer_references() {
    check(
        "SELECT * FROM (SELECT (SELECT o.note) FROM orders o) s",
        "note text",
    );
    let nearest = "SELECT 1 FROM orders o WHERE EXISTS (SELECT 1 FROM tags WHERE id = o.total AND note = tag)";
    check_uses(
        nearest,
        "orders, tags, tags.id, orders.total, orders.note, tags.tag",
    );
    check_uses(
        "SELECT 1 FROM orders WHERE 1 IN (SELECT total)",
        "orders, orders.total, compared int4, compared numeric",
    );
    check_uses(
        "SELECT 1 FROM orders o WHERE EXISTS (SELECT o.id FROM tags o)",
        "orders, tags, tags.id",
    );
    check_uses(
        "SELECT 1 FROM orders o, LATERAL (SELECT 1 FROM (SELECT o.id) y) x",
        "orders, orders.id",
    );
}

#[test]
fn joins() {
    check(
        "SELECT * FROM orders o JOIN tags t ON o.id = t.id",
        "id int4 @orders.1, total numeric @orders.2, note text @orders.3, \
         id int4 @tags.1, tag text @tags.2",
    );
    check(
        "SELECT * FROM orders JOIN tags USING (id)",
        "id int4 @orders.1, total numeric @orders.2, note text @orders.3, tag text @tags.2",
    );
    check(
        "SELECT id FROM orders LEFT JOIN tags USING (id)",
        "id int4 @orders.1",
    );
    check(
        "SELECT id FROM orders RIGHT JOIN tags USING (id)",
        "id int4 @tags.1",
    );
    check("SELECT id FROM orders FULL JOIN tags USING (id)", "id int4");
    check(
        "SELECT tags.id FROM orders FULL JOIN tags USING (id)",
        "id int4 @tags.1",
    );
    check(
        "SELECT orders.ctid FROM orders NATURAL JOIN tags",
        "ctid tid @orders.-1",
    );
    check(
        "SELECT * FROM items NATURAL JOIN tags",
        "id int4 @items.1, order_id int4 @items.2, price numeric @items.3, tag text @tags.2",
    );
    check(
        "SELECT j.id FROM (orders JOIN tags USING (id)) j",
        "id int4 @orders.1",
    );
    check(
        "SELECT j.b FROM (orders JOIN tags USING (id)) j(a, b)",
        "b numeric @orders.2",
    );
    check(
        "SELECT j FROM (tags JOIN items USING (id)) j",
        "j (int4, text, int4, numeric)",
    );
    check(
        "SELECT u.id FROM orders JOIN tags USING (id) AS u",
        "id int4 @orders.1",
    );
    check(
        "SELECT u.*, orders.id FROM orders JOIN tags USING (id) AS u",
        "id int4 @orders.1, id int4 @orders.1",
    );
    check_uses(
        "SELECT u.tag FROM orders JOIN tags USING (id) AS u",
        "orders, tags, orders.id, tags.id, missing u.tag",
    );
    check_uses(
        "SELECT orders.id FROM (orders JOIN tags USING (id)) j",
        "orders, tags, orders.id, tags.id, missing orders.id",
    );
    check(
        "SELECT id FROM orders JOIN tags USING (id) JOIN items USING (id)",
        "id int4 @orders.1",
    );
    check_uses(
        "SELECT 1 FROM orders o, tags t JOIN items i ON o.id = i.id",
        "orders, tags, items, missing o.id, items.id",
    );
    check_uses(
        "SELECT 1 FROM tags t JOIN LATERAL (SELECT t.id) l ON l.id = t.id",
        "tags, tags.id, tags.id, tags.id",
    );
    check(
        "SELECT a.id, b.id FROM (tags a CROSS JOIN tags b)",
        "id int4 @tags.1, id int4 @tags.1",
    );
}

#[test]
fn common_tables() {
    check(
        "WITH a AS (SELECT id FROM orders) SELECT * FROM a",
        "id int4 @orders.1",
    );
    check(
        "WITH a(x) AS MATERIALIZED (SELECT id FROM orders) SELECT a.x FROM a",
        "x int4 @orders.1",
    );
    check(
        "WITH orders AS (SELECT id AS x FROM orders) SELECT x FROM orders",
        "x int4 @orders.1",
    );
    check(
        "WITH orders AS (SELECT 1 AS x) SELECT id FROM shop.orders",
        "id int4 @orders.1",
    );
    check(
        "WITH a AS (SELECT id FROM orders), b AS (SELECT id AS y FROM a) SELECT * FROM b",
        "y int4 @orders.1",
    );
    check_uses(
        "WITH a AS (SELECT 1 FROM b), b AS (SELECT 1) SELECT 1 FROM b",
        "missing relation b, with b",
    );
    check_uses(
        "WITH RECURSIVE a AS (SELECT 1 FROM b), b AS (SELECT 1) SELECT 1 FROM b",
        "with b, with b",
    );
    check(
        "WITH RECURSIVE a AS (SELECT x FROM b), b AS (SELECT note AS x FROM orders) SELECT * FROM a",
        "x text @orders.3",
    );
    check(
        "WITH a AS (SELECT id AS x FROM orders) SELECT * FROM (WITH a AS (SELECT x AS y FROM a) SELECT * FROM a) s",
        "y int4 @orders.1",
    );
    check("WITH a AS (SELECT 'x' AS b) SELECT b FROM a", "b text");
    check(
        "WITH a AS (SELECT id FROM orders) SELECT a FROM a",
        "a (int4)",
    );
    check("WITH a AS (SELECT 1 AS z) SELECT x.y FROM a x(y)", "y int4");
}

#[test]
fn recursive_tables() {
    check(
        "WITH RECURSIVE t(a) AS (SELECT id FROM orders UNION ALL SELECT t.a FROM t) SELECT a FROM t",
        "a int4",
    );
    check(
        "WITH RECURSIVE t AS (SELECT id, 'x' AS b FROM orders UNION SELECT o.id, t.b FROM t, orders o) SELECT * FROM t",
        "id int4, b text",
    );
    check(
        "WITH RECURSIVE t AS (SELECT id FROM orders UNION ALL SELECT id FROM t) SEARCH DEPTH FIRST BY id SET o SELECT * FROM t",
        "id int4, o record[]",
    );
    check(
        "WITH RECURSIVE t AS (SELECT id FROM orders UNION ALL SELECT id FROM t) SEARCH BREADTH FIRST BY id SET o SELECT (SELECT o FROM t), s.* FROM (SELECT * FROM t) s",
        "o record, id int4",
    );
    check_uses(
        "WITH RECURSIVE t AS (SELECT id FROM t UNION ALL SELECT 1) SELECT * FROM t",
        "with t, unclear, with t",
    );
}

#[test]
fn set_operations() {
    check("SELECT id FROM orders UNION SELECT id FROM tags", "id int4");
    check(
        "SELECT note FROM orders UNION ALL SELECT tag FROM tags ORDER BY note",
        "note text",
    );
    check(
        "(SELECT note FROM orders LIMIT 1) EXCEPT (SELECT tag FROM tags ORDER BY 1)",
        "note text",
    );
    check(
        "SELECT note FROM orders INTERSECT (SELECT tag FROM tags UNION SELECT tag AS x FROM tags)",
        "note text",
    );
    let chain =
        "SELECT id FROM orders".to_owned() + &" UNION ALL SELECT id FROM tags".repeat(10_000);
    check(&chain, "id int4");
    let right =
        "SELECT id FROM orders UNION ALL (".repeat(400) + "SELECT id FROM tags" + &")".repeat(400);
    check(&right, "id int4");
}

#[test]
fn values() {
    check("VALUES ('a', 'b')", "column1 text, column2 text");
    check("SELECT * FROM (VALUES ('a')) v(x)", "x text");
    check("SELECT (VALUES ('a'))", "column1 text");
    check(
        "SELECT column2 FROM (VALUES ('a', 'b'), ('c', 'd')) v",
        "column2 text",
    );
    check_uses("VALUES ('a') ORDER BY column1", "compared text");
}

#[test]
fn orders_and_groups() {
    check_uses(
        "SELECT note AS id FROM orders ORDER BY id",
        "orders, orders.note, compared text",
    );
    check_uses(
        "SELECT note AS id FROM orders ORDER BY orders.id",
        "orders, orders.note, orders.id, compared int4",
    );
    check_uses(
        "SELECT note AS id FROM orders GROUP BY id",
        "orders, orders.note, orders.id, compared int4",
    );
    check_uses(
        "SELECT note AS x FROM orders GROUP BY x",
        "orders, orders.note, compared text",
    );
    check_uses(
        "SELECT id, note FROM orders ORDER BY 2 DESC",
        "orders, orders.id, orders.note, compared text",
    );
    check_uses(
        "SELECT DISTINCT ON (x) note AS x FROM orders",
        "orders, orders.note, compared text",
    );
    check_uses(
        "SELECT DISTINCT note, id FROM orders",
        "orders, orders.note, orders.id, compared text, compared int4",
    );
    check_uses(
        "SELECT 'x' FROM orders GROUP BY ROLLUP (id, (note, total)), ()",
        "orders, orders.total, compared numeric, orders.note, compared text, orders.id, compared int4",
    );
    check_uses(
        "SELECT id AS x FROM orders ORDER BY nothing",
        "orders, orders.id, missing nothing, compared ?",
    );
}

#[test]
fn functions_in_from() {
    check(
        "SELECT * FROM json_to_record('{}') AS x(a int, b text)",
        "a int4, b text",
    );
}

#[test]
fn names_of_results() {
    let named = |expression: &str, expected: &str| {
        let catalog = shop();
        let sql = format!("SELECT {expression} FROM orders");
        let name = resolved(catalog, &sql, |one| {
            one.output.columns.first().unwrap().name.as_str().to_owned()
        });
        assert_eq!(name, expected, "{expression}");
    };
    named("1", "?column?");
    named("1 + 2", "?column?");
    named("id::text", "id");
    named("1::pg_catalog.int8", "int8");
    named("'x'::varchar(3)::text", "text");
    named("true", "?column?");
    named("pg_catalog.lower(note)", "lower");
    named("CASE WHEN true THEN id END", "case");
    named("CASE WHEN true THEN 1 ELSE id END", "id");
    named("(CASE WHEN true THEN 1 ELSE 2 END)::text", "text");
    named("EXISTS (SELECT 1)", "exists");
    named("ARRAY(SELECT 1)", "array");
    named("ARRAY[1]", "array");
    named("(ARRAY[1])[1]", "array");
    named("(SELECT tag FROM tags)", "tag");
    named("(SELECT * FROM (SELECT 1 AS z) s)", "z");
    named("(SELECT 1 UNION SELECT 2)", "?column?");
    named("1 IN (SELECT 1)", "?column?");
    named("ROW(1)", "row");
    named("coalesce(1, 2)", "coalesce");
    named("greatest(1, 2)", "greatest");
    named("least(1, 2)", "least");
    named("nullif(1, 2)", "nullif");
    named("current_date", "current_date");
    named("localtime(3)", "localtime");
    named("user", "user");
    named("note COLLATE \"C\"", "note");
    named("extract(year from now())", "extract");
    named("xmlelement(name a)", "xmlelement");
    named("json_object('a': 1)", "json_object");
    named("(o).note", "note");
    named("- id", "?column?");
    named("id IS NULL", "?column?");
    named("trim(note)", "btrim");
    named("note LIKE 'x'", "?column?");
    named("grouping(id)", "grouping");
}

#[test]
fn what_a_place_could_mean() {
    check_candidates("SELECT missing FROM orders o", "id", "0 o orders.id");
    check_candidates(
        "SELECT missing FROM orders o, items i",
        "id",
        "0 o orders.id, 0 i items.id",
    );
    check_candidates(
        "SELECT 1 FROM orders o WHERE EXISTS (SELECT missing FROM tags o)",
        "id",
        "0 o tags.id, 1 - orders.id",
    );
    check_candidates(
        "SELECT missing FROM (SELECT note AS id FROM orders) s WHERE EXISTS (SELECT id FROM tags)",
        "id",
        "0 s orders.note",
    );
}

#[test]
fn depth_and_growth_are_bounded() {
    let nested = |levels: usize| {
        "SELECT * FROM (".repeat(levels) + "SELECT id FROM orders" + &") s".repeat(levels)
    };
    check(&nested(100), "id int4 @orders.1");
    let catalog = shop();
    let too_deep = |sql: &str| {
        let parsed = tree::parse(sql).unwrap();
        let node = parsed.statements().next().unwrap().node;
        let path = catalog.search_path(&["shop"], None);
        let lookup = LookupContext {
            catalog,
            path: &path,
            parameters: KnownParameters::Unclear,
        };
        assert!(matches!(statement(node, &lookup), Err(TooDeep)));
    };
    too_deep(&nested(1_000));
    too_deep(&("SELECT s.*, s.* FROM (".repeat(40) + "SELECT id FROM orders" + &") s".repeat(40)));
}

/// Every item that is moved once for each join behind it would take hours.
#[test]
fn a_chain_of_joins_is_followed_in_proportion_to_its_length() {
    let catalog = shop();
    let path = catalog.search_path(&["shop", "public"], None);
    let lookup = LookupContext {
        catalog,
        path: &path,
        parameters: KnownParameters::Given(&[]),
    };
    let count = 100_000;
    for (join, rest) in [("JOIN orders t", " ON true"), ("CROSS JOIN orders t", "")] {
        let joins = format!(" {join}{rest}").repeat(count);
        let sql = format!("SELECT 1 FROM orders t{joins}");
        let tree = tree::parse(&sql).unwrap();
        let node = tree.statements().next().unwrap().node;
        let found = statement(node, &lookup).unwrap();
        assert_eq!(found.scopes[0].items.len(), count + 1);
        let read = found.uses.iter().filter(|used| {
            let ObjectUse { what, .. } = used;
            matches!(what, UsedObject::Relation { .. })
        });
        assert_eq!(read.count(), count + 1);
    }
    // What grows with the square of the text is not followed to its end.
    for sql in [
        format!(
            "SELECT 1 FROM orders{}",
            " JOIN orders USING (id)".repeat(count)
        ),
        format!(
            "SELECT 1 FROM orders{}",
            " NATURAL JOIN orders".repeat(count)
        ),
        format!(
            "SELECT {}1 FROM orders t{}",
            "nowhere, ".repeat(count),
            " CROSS JOIN orders t".repeat(count)
        ),
    ] {
        let tree = tree::parse(&sql).unwrap();
        let node = tree.statements().next().unwrap().node;
        assert!(matches!(statement(node, &lookup), Err(TooDeep)));
    }
}

fn resolved<T>(catalog: &Catalog, sql: &str, look: impl FnOnce(&Resolution<'_>) -> T) -> T {
    let parsed = tree::parse(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let node = parsed.statements().next().unwrap().node;
    let path = catalog.search_path(&["shop"], None);
    let lookup = LookupContext {
        catalog,
        path: &path,
        parameters: KnownParameters::Unclear,
    };
    let found = statement(node, &lookup).unwrap_or_else(|error| panic!("{sql}: {error}"));
    look(&found)
}

fn output(catalog: &Catalog, resolution: &Resolution<'_>) -> String {
    let columns = resolution.output.columns.iter().map(|output| {
        let origin = output.origin.map(|origin| {
            let (id, number) = origin;
            format!(" @{}.{number}", relation(catalog, id))
        });
        let name = output.name.as_str();
        format!(
            "{name} {}{}",
            kind(catalog, &output.inferred),
            origin.unwrap_or_default()
        )
    });
    columns.collect::<Vec<_>>().join(", ")
}

fn uses(catalog: &Catalog, resolution: &Resolution<'_>) -> String {
    let described = resolution
        .uses
        .iter()
        .filter_map(|found| match &found.what {
            UsedObject::Relation { id, .. } => Some(relation(catalog, *id)),
            UsedObject::MissingRelation { name, .. } => {
                Some(format!("missing relation {}", name.as_str()))
            }
            UsedObject::CommonTable { name } => Some(format!("with {}", name.as_str())),
            UsedObject::Column { origin, .. } => origin.map(|origin| column(catalog, origin)),
            UsedObject::WholeRow { relation: id, .. } => Some(format!(
                "row of {}",
                id.map_or("?".into(), |id| relation(catalog, id))
            )),
            UsedObject::AmbiguousColumn { qualifier, name } => {
                let qualifier = qualifier
                    .as_ref()
                    .map_or(String::new(), |name| format!("{}.", name.as_str()));
                Some(format!("ambiguous {qualifier}{}", name.as_str()))
            }
            UsedObject::MissingColumn { qualifier, name } => {
                let qualifier = qualifier
                    .as_ref()
                    .map_or(String::new(), |name| format!("{}.", name.as_str()));
                Some(format!("missing {qualifier}{}", name.as_str()))
            }
            UsedObject::Compared { inferred } => {
                Some(format!("compared {}", kind(catalog, inferred)))
            }
            UsedObject::Unclear => Some("unclear".into()),
            _ => None,
        });
    described.collect::<Vec<_>>().join(", ")
}

fn kind(catalog: &Catalog, inferred: &InferredType) -> String {
    match inferred {
        InferredType::Known(id) => {
            let found = catalog.data_type(*id);
            match found.element {
                Some(element) if found.is_array => {
                    format!("{}[]", kind(catalog, &InferredType::Known(element)))
                }
                _ => catalog.names().text(found.name).to_owned(),
            }
        }
        InferredType::Literal => "literal".into(),
        InferredType::Parameter(number) => format!("${number}"),
        InferredType::Row(fields) => {
            let fields: Vec<_> = fields
                .iter()
                .map(|field| kind(catalog, &field.inferred))
                .collect();
            format!("({})", fields.join(", "))
        }
        InferredType::Unclear => "?".into(),
    }
}

fn relation(catalog: &Catalog, id: RelationId) -> String {
    let relation = catalog.relation(id);
    let name = catalog.names().text(relation.name);
    match catalog.names().text(catalog.schema(relation.schema).name) {
        "shop" | "pg_catalog" => name.to_owned(),
        schema => format!("{schema}.{name}"),
    }
}

fn column(catalog: &Catalog, (id, number): (RelationId, i16)) -> String {
    let columns = catalog.columns_of(id).iter();
    let mut of_number = columns.filter(|column| column.number == number);
    let name = match of_number.next() {
        Some(column) => catalog.names().text(column.name),
        None => {
            super::column::SYSTEM_COLUMNS
                .iter()
                .find(|(_, own, _)| *own == number)
                .unwrap()
                .0
        }
    };
    format!("{}.{name}", relation(catalog, id))
}

/// A small shop.
fn shop() -> &'static Catalog {
    static SHOP: LazyLock<Catalog> = LazyLock::new(built);
    &SHOP
}

fn built() -> Catalog {
    CatalogFixture::new(15)
        .schema("shop")
        .schema("hidden")
        .table("shop.orders", "id int4 not null, total numeric, note text")
        .table(
            "shop.items",
            "id int4 not null, order_id int4, price numeric",
        )
        .table("shop.tags", "id int4 not null, tag text")
        .table("hidden.orders", "id uuid")
        .view("shop.v", "id int4", &["shop.orders"])
        .build()
}

#[test]
fn the_deepest_text_fits_a_small_stack() {
    let repeated =
        |before: &str, inside: &str, after: &str| before.repeat(600) + inside + &after.repeat(600);
    for text in [
        "SELECT ".to_owned() + &repeated("(SELECT ", "1", ")"),
        "SELECT ".to_owned() + &repeated("lower(", "'x'", ")"),
        "SELECT ".to_owned() + &repeated("- ", "1", ""),
        "SELECT ".to_owned() + &repeated("1 + (", "1", ")"),
        "SELECT ".to_owned() + &repeated("ARRAY[", "1", "]"),
        "SELECT ".to_owned() + &repeated("coalesce(1, ", "1", ")"),
        "SELECT ".to_owned() + &repeated("CASE WHEN true THEN ", "1", " END"),
        "SELECT ".to_owned() + &repeated("1 IN (2, ", "1", ")"),
        "SELECT ".to_owned() + &repeated("(1, ", "1", ") = (1, 2)"),
        "SELECT * FROM orders WHERE ".to_owned()
            + &repeated("EXISTS (SELECT 1 FROM orders WHERE ", "true", ")"),
        repeated("SELECT * FROM (", "SELECT 1 AS a", ") s"),
        repeated("SELECT * FROM tags, LATERAL (", "SELECT 1 AS a", ") s"),
        repeated("WITH a AS (", "SELECT 1", ") SELECT * FROM a"),
        repeated(
            "WITH RECURSIVE a AS (SELECT 1 UNION (",
            "SELECT 1",
            ")) SELECT * FROM a",
        ),
        "SELECT * FROM ".to_owned() + &repeated("(tags CROSS JOIN ", "tags", ")"),
        repeated("(SELECT 1 UNION ", "SELECT 1", " LIMIT 1)"),
        "SELECT * FROM ".to_owned() + &repeated("lower((SELECT * FROM ", "lower('x')", "))"),
        "SELECT ".to_owned() + &repeated("sum(1) OVER (ORDER BY ", "1", ")"),
        "SELECT ".to_owned() + &repeated("json_array(", "1", ")"),
        "SELECT ".to_owned() + &repeated("xmlelement(name a, ", "'x'", ")"),
        "SELECT ".to_owned() + &repeated("(", "note", "::text)"),
    ] {
        let small = std::thread::Builder::new().stack_size(1 << 20);
        let text_of_thread = text.clone();
        let ended = small.spawn(move || {
            let catalog = shop();
            let Ok(parsed) = tree::parse(&text_of_thread) else {
                return "not parsed";
            };
            let node = parsed.statements().next().unwrap().node;
            let path = catalog.search_path(&["shop"], None);
            let lookup = LookupContext {
                catalog,
                path: &path,
                parameters: KnownParameters::Unclear,
            };
            match statement(node, &lookup) {
                Ok(_) => "resolved",
                Err(TooDeep) => "too deep",
            }
        });
        let ended = ended.unwrap().join().unwrap();
        assert_ne!(ended, "not parsed", "{text:.40}");
    }
}

#[test]
fn large_texts_take_little() {
    let listed = |one: &str, count: usize| vec![one; count].join(", ");
    let numbered = |count: usize, one: &dyn Fn(usize) -> String| {
        (0..count).map(one).collect::<Vec<_>>().join(", ")
    };
    check(
        &format!("VALUES {}", listed("(1, 'a')", 50_000)),
        "column1 int4, column2 text",
    );
    let tables = numbered(2_000, &|at| format!("t{at} AS (SELECT {at} AS a)"));
    check(&format!("WITH {tables} SELECT a FROM t1999"), "a int4");
    check(
        &format!("WITH RECURSIVE {tables} SELECT a FROM t1999"),
        "a int4",
    );
    let joined = "SELECT a0.tag FROM tags a0".to_owned()
        + &(1..1_000)
            .map(|at| format!(" JOIN tags a{at} USING (id)"))
            .collect::<String>();
    check(&joined, "tag text @tags.2");
    let joined = "SELECT a0.tag FROM tags a0".to_owned()
        + &(1..2_000)
            .map(|at| format!(" JOIN tags a{at} ON a{at}.id = a0.id"))
            .collect::<String>();
    check(&joined, "tag text @tags.2");
    let sum = "SELECT id".to_owned() + &" + id".repeat(50_000) + " AS s FROM orders";
    check(&sum, "s int4");
    let or = "SELECT 1 AS s FROM orders WHERE id = 1".to_owned() + &" OR id = 1".repeat(50_000);
    check(&or, "s int4");
}
