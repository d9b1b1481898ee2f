//! What is told and what is not.

use std::collections::{BTreeMap, BTreeSet};

use catalog::fixture::CatalogFixture;
use catalog::{Catalog, Mask, Oid, RelationId};
use policy::{KnowledgeRecord, Policy};

use super::budget::{fit, tokens};
use super::format::render;
use super::*;

/// A shop: what `app` may read, and much that it may not, each with a canary in its name.
fn shop() -> Catalog {
    CatalogFixture::new(15)
        .role("app")
        .schema("shop")
        .schema("canary_schema")
        .enumeration("shop.mood")
        .table(
            "shop.customers",
            "id int4 not null, name text not null, mood shop.mood, canary_column text",
        )
        .table(
            "shop.orders",
            "id int4 not null, customer_id int4, \"Placed at\" timestamptz, canary_total numeric",
        )
        .table("shop.items", "order_id int4, canary_id int4, amount int4")
        .table("shop.canary_denied", "id int4, customer_id int4")
        .table("shop.canary_refused", "id int4")
        .table("shop.canary_ungranted", "id int4")
        .table("canary_schema.canary_far", "id int4")
        .view("shop.totals", "id int4, total numeric", &["shop.orders"])
        .sequence("shop.canary_sequence")
        .composite("shop.canary_type", "a int4")
        .partitioned_table("shop.events", "id int4")
        .table("shop.canary_part", "id int4")
        .child("shop.canary_part", "shop.events")
        .table("shop.more_orders", "id int4, extra text")
        .child("shop.more_orders", "shop.orders")
        .primary_key("shop.customers", "id")
        .primary_key("shop.orders", "id")
        .unique("shop.customers", "name, canary_column")
        .foreign_key("shop.orders", "customer_id", "shop.customers", "id")
        .foreign_key("shop.items", "order_id", "shop.orders", "id")
        .foreign_key("shop.items", "canary_id", "shop.canary_denied", "id")
        .foreign_key("shop.canary_denied", "customer_id", "shop.customers", "id")
        .rights("shop.canary_ungranted", Some(&[]))
        .rights("schema canary_schema", Some(&[]))
        .function(
            "shop.total(order_id int4, rate numeric = default)",
            "stable",
        )
        .function("shop.canary_function(int4)", "volatile")
        .build()
}

struct Told {
    catalog: Catalog,
    mask: Mask,
    details: CatalogDetails,
    policy: Policy,
}

impl Told {
    fn new() -> Self {
        let catalog = shop();
        let mut mask = Mask::of(&catalog);
        mask.hide_relation(catalog.relation_called("shop.canary_denied"));
        mask.hide_columns(catalog.relation_called("shop.customers"), vec![4]);
        mask.hide_columns(catalog.relation_called("shop.orders"), vec![4]);
        mask.hide_columns(catalog.relation_called("shop.items"), vec![2]);
        let details = details(&catalog);
        Self {
            catalog,
            mask,
            details,
            policy: Policy::from_yaml(KNOWLEDGE).unwrap(),
        }
    }

    fn oid(&self, name: &str) -> Oid {
        self.catalog
            .relation(self.catalog.relation_called(name))
            .oid
    }

    fn ground(&self, facets: &str, wanted: &[(&str, &str)]) -> Grounding {
        let refused = self.catalog.relation_called("shop.canary_refused");
        let role = self.catalog.role_named("app");
        let called = self.catalog.function_called("shop.total(int4, numeric)");
        let wanted = wanted
            .iter()
            .map(|(schema, name)| format!("{schema}.{name}"));
        let wanted: Vec<String> = wanted.collect();
        let grounded = ground(&GroundingSource {
            database: "demo",
            catalog: &self.catalog,
            privileges: self.catalog.rights_of(role).masked_by(Some(&self.mask)),
            mask: Some(&self.mask),
            is_read: &|id: RelationId, _: &[&str]| id != refused,
            details: &self.details,
            covered: &BTreeMap::new(),
            models: &[],
            samples: &self.samples(),
            functions: &[called],
            knowledge: &self.known(),
            facets: &GroundingFacets::read(facets).unwrap(),
            wanted: &wanted,
        });
        // Of what may not be read nothing is told.
        grounded.unwrap_or_default()
    }

    fn known(&self) -> Vec<&KnowledgeRecord> {
        self.policy.knowledge().records.iter().collect()
    }

    fn samples(&self) -> ColumnSamples {
        let customers = self.catalog.relation_called("shop.customers");
        ColumnSamples::from([((customers, 3), vec!["happy".to_owned(), "it's".to_owned()])])
    }
}

/// What is told, and what has something hidden in it.
const KNOWLEDGE: &str = "name: known
extends: agent
replace: [knowledge]
knowledge:
  term:
    late: {meaning: placed and not yet sent, about: shop.orders}
    odd: {meaning: see canary_denied}
    canary_schema: {meaning: nothing}
  quirk:
    name: {note: first and last name, about: shop.customers.name}
    id: {note: counted from one, about: shop.*.id}
    gone: {note: canary of what is not there, about: shop.canary_gone}
    denied: {note: canary of a relation, about: shop.canary_denied}
    both: {note: canary of both, about: [shop.orders, shop.canary_denied]}
    column: {note: canary of a column, about: shop.customers.canary_column}
  relationship:
    buyer: {from: 'shop.totals(id)', to: 'shop.orders(id)', note: nearly always}
    secret: {from: 'shop.totals(id)', to: 'shop.canary_denied(id)'}
  example:
    all: {question: Who is late?, sql: SELECT 1 FROM shop.orders, about: shop.orders}
  style:
    plain: {note: Write plain SQL.}
";

fn details(catalog: &Catalog) -> CatalogDetails {
    let oid = |name: &str| catalog.relation(catalog.relation_called(name)).oid;
    let mood = catalog.data_type(catalog.type_called("shop.mood")).oid;
    let known = |value: &str| ColumnStatistics {
        null_share: 0.254,
        distinct: -0.5,
        common_values: vec![value.to_owned()],
    };
    let index = |name: &str, columns: &[i16]| IndexDetail {
        name: name.to_owned(),
        method: "btree".to_owned(),
        columns: columns.to_vec(),
        ..IndexDetail::default()
    };
    CatalogDetails {
        server_version: "15.4".into(),
        row_security: BTreeSet::new(),
        relation_comments: BTreeMap::from([
            (oid("shop.customers"), "Who buys.\nAll of them.".into()),
            (oid("shop.orders"), "Joins Canary_Denied by customer".into()),
            (oid("shop.canary_denied"), "canary".into()),
        ]),
        column_comments: BTreeMap::from([
            ((oid("shop.customers"), 2), "the full name".into()),
            ((oid("shop.customers"), 1), "see canary_schema.x".into()),
            ((oid("shop.customers"), 4), "canary".into()),
        ]),
        function_comments: BTreeMap::new(),
        row_estimates: BTreeMap::from([(oid("shop.customers"), 1_000), (oid("shop.totals"), 7)]),
        enum_labels: BTreeMap::from([(mood, vec!["happy".into(), "sad".into()])]),
        statistics: BTreeMap::from([
            ((oid("shop.customers"), 2), known("canary_value")),
            ((oid("shop.totals"), 2), known("12.5")),
        ]),
        indexes: BTreeMap::from([(
            oid("shop.customers"),
            vec![index("a", &[2]), index("b", &[2, 4]), index("c", &[0])],
        )]),
    }
}

#[test]
fn no_format_tells_what_is_hidden() {
    let told = Told::new();
    let grounding = told.ground("all", &[]);
    let version = GroundingVersion::of(&grounding, &GroundingFacets::default(), "1");
    for format in GroundingFormat::ALL {
        let text = render(&grounding, version, *format);
        assert!(
            !text.to_lowercase().contains("canary"),
            "{}: {text}",
            format.name()
        );
        for shown in [
            "customers",
            "totals",
            "Placed at",
            "15.4",
            "the full name",
            "it''s",
        ] {
            let shown = match (*format, shown) {
                (GroundingFormat::Json | GroundingFormat::MSchema, "it''s") => "it's",
                (GroundingFormat::Json, "Placed at") => "\\\"Placed at\\\"",
                _ => shown,
            };
            assert!(
                text.contains(shown),
                "{}: no {shown} in {text}",
                format.name()
            );
        }
        assert!(text.contains(&version.to_string()));
    }
}

#[test]
fn facets_tell_what_the_catalog_says() {
    let told = Told::new();
    let all = told.ground("all", &[]);
    let named = |name: &str| all.relations.iter().find(|one| one.name == name).unwrap();
    let names: Vec<&str> = all.relations.iter().map(|one| one.name.as_str()).collect();
    // Partitions are told by what they are parts of; children by inheritance have more columns.
    let told_names = [
        "customers",
        "events",
        "items",
        "more_orders",
        "orders",
        "totals",
    ];
    assert_eq!(names, told_names);
    let customers = named("customers");
    assert_eq!((customers.kind, customers.rows), ("table", Some(1_000)));
    assert_eq!(
        customers.comment.as_deref(),
        Some("Who buys.\nAll of them.")
    );
    assert_eq!(customers.primary_key, ["id"]);
    assert!(customers.unique_keys.is_empty());
    assert_eq!(customers.indexes.len(), 1);
    assert_eq!(customers.columns[2].labels, ["happy", "sad"]);
    assert_eq!(customers.columns[2].type_name, "shop.mood");
    // One of its columns is hidden, and with it all that is counted.
    assert_eq!(customers.columns[1].statistics, None);
    let known = named("totals").columns[1].statistics.clone().unwrap();
    assert_eq!((known.null_percent, known.distinct), (25, Some(4)));
    let orders = named("orders");
    assert_eq!(orders.comment, None);
    assert_eq!(orders.columns[2].name, "\"Placed at\"");
    assert_eq!(orders.columns[2].type_name, "timestamp with time zone");
    assert_eq!(orders.foreign_keys[0].to, "shop.customers");
    assert_eq!(named("items").foreign_keys.len(), 1);
    assert_eq!(
        all.functions[0].signature,
        "shop.total(order_id integer, rate numeric DEFAULT)"
    );
    let few = told.ground("tables", &[]);
    assert_eq!(few.server, None);
    assert!(
        few.relations
            .iter()
            .all(|one| one.columns.is_empty() && one.foreign_keys.is_empty())
    );
}

#[test]
fn records_are_told_where_nothing_that_they_are_about_is_hidden() {
    let told = Told::new();
    let names = |wanted: &[(&str, &str)]| {
        let grounding = told.ground("default", wanted);
        let names = grounding.knowledge.iter().map(|record| record.name.clone());
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&[]), "late id name buyer all plain");
    assert_eq!(
        names(&[("shop", "customers")]),
        "late id name buyer all plain"
    );
    // A relationship brings its other side, as a key does.
    assert_eq!(names(&[("shop", "totals")]), "late id buyer all plain");
    let all = told.ground("knowledge", &[]);
    let sentences: Vec<String> = all.knowledge.iter().map(GroundedRecord::sentence).collect();
    assert_eq!(
        sentences[..4],
        [
            "late: placed and not yet sent",
            "shop.*.id: counted from one",
            "shop.customers.name: first and last name",
            "shop.totals(id) refers to shop.orders(id), although no key says so: nearly always",
        ]
    );
    assert!(told.ground("tables", &[]).knowledge.is_empty());
}

#[test]
fn where_rows_are_hidden_nothing_is_counted() {
    let mut told = Told::new();
    let totals = |told: &Told| {
        let all = told.ground("all", &[]).relations;
        let totals = all.into_iter().find(|one| one.name == "totals").unwrap();
        (totals.rows, totals.columns[1].statistics.is_some())
    };
    assert_eq!(totals(&told), (Some(7), true));
    // Without any row policy, row security hides every row.
    let secured = told.oid("shop.totals");
    told.details.row_security.insert(secured);
    assert_eq!(totals(&told), (None, false));
}

#[test]
fn comments_that_name_an_index_or_a_function_that_is_not_called_are_left_out() {
    let comment = |text: &str| {
        let mut told = Told::new();
        let customers = told.oid("shop.customers");
        told.details
            .relation_comments
            .insert(customers, text.into());
        told.details
            .indexes
            .entry(customers)
            .or_default()
            .push(IndexDetail {
                name: "by_secret".into(),
                ..IndexDetail::default()
            });
        let all = told.ground("tables", &[]).relations;
        all.into_iter()
            .find(|one| one.name == "customers")
            .unwrap()
            .comment
            .is_some()
    };
    for (text, is_told) in [
        ("who buys", true),
        ("summed by total", true),
        ("read by canary_function", false),
        ("found through BY_SECRET.", false),
        ("of canary_schema", false),
        ("beside canary_denied", false),
        ("beside canary_denied_too", true),
    ] {
        assert_eq!(comment(text), is_told, "{text}");
    }
}

#[test]
fn relations_that_were_asked_for_bring_their_neighbours() {
    let told = Told::new();
    let names = |facets: &str| {
        let few = told.ground(facets, &[("shop", "items")]);
        let names = few.relations.into_iter().map(|one| one.name);
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names("tables,fk:0"), "items");
    assert_eq!(names("tables,fk:1"), "items orders");
    // The view is joined by what is known.
    assert_eq!(names("tables,fk:2"), "customers items orders totals");
    assert_eq!(
        told.ground("tables", &[("shop", "canary_denied")])
            .relations
            .len(),
        0
    );
}

#[test]
fn what_there_is_no_room_for_is_left_out_in_order_and_told() {
    let told = Told::new();
    let whole = told.ground("all", &[]);
    let version = GroundingVersion::of(&whole, &GroundingFacets::default(), "1");
    let write = |grounding: &Grounding| render(grounding, version, GroundingFormat::Markdown);
    let size = tokens(&write(&whole));
    assert_eq!(fit(&whole, size, write), whole);
    let mut last = 0;
    for budget in (40..size).rev() {
        let fitted = fit(&whole, budget, write);
        assert!(
            fitted.left_out.len() >= last,
            "{budget}: {:?}",
            fitted.left_out
        );
        last = fitted.left_out.len();
        let is_empty = fitted.relations.is_empty();
        assert!(tokens(&write(&fitted)) <= budget || is_empty, "{budget}");
        assert_eq!(fit(&whole, budget, write), fitted);
    }
    let first = fit(&whole, size - 1, write);
    assert_eq!(first.left_out[0], "samples of 1 relation");
}

#[test]
fn a_version_changes_with_what_is_shown_and_with_nothing_else() {
    let facets = GroundingFacets::read("all").unwrap();
    let version = |told: &Told| GroundingVersion::of(&told.ground("all", &[]), &facets, "1");
    let told = Told::new();
    let first = version(&told);
    let mut grown = Told::new();
    let customers = grown.oid("shop.customers");
    grown.details.row_estimates.insert(customers, 2_000);
    grown.details.statistics.clear();
    let denied = grown.oid("shop.canary_denied");
    grown
        .details
        .relation_comments
        .insert(denied, "another".into());
    assert_eq!(version(&grown), first);
    grown
        .details
        .relation_comments
        .insert(customers, "another".into());
    assert_ne!(version(&grown), first);
    let mut open = Told::new();
    open.mask = Mask::of(&open.catalog);
    assert_ne!(version(&open), first);
    let whole = told.ground("all", &[]);
    assert_ne!(GroundingVersion::of(&whole, &facets, "2"), first);
    assert_ne!(
        GroundingVersion::of(&whole, &GroundingFacets::default(), "1"),
        first
    );
}
