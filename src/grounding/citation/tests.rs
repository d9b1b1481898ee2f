//! What is cited for which failure, and what never is.

use std::cell::Cell;

use super::*;
use catalog::fixture::CatalogFixture;
use ground::limits::knowledge::cited_records;
use policy::Policy;

const KNOWLEDGE: &str = include_str!("../../../tests/data/corpus/citations/knowledge.yaml");
const SEEN: &str = include_str!("../../../tests/data/corpus/citations/failures.txt");
const HELD_OUT: &str = include_str!("../../../tests/data/corpus/citations/held_out_failures.txt");

fn shop() -> CatalogFixture {
    CatalogFixture::new(15)
        .role("app")
        .schema("shop")
        .schema("archive")
        .table(
            "shop.customers",
            "number text, name text, city text, canary_secret text",
        )
        .table(
            "shop.orders",
            "id int4, total int4, customer_no int4, status text",
        )
        .table("shop.stores", "id int4, region text")
        .table("shop.visits", "id int4, customer int4")
        .table("shop.reports", "id int4")
        .table("shop.links", "id int4")
        .table("shop.canary_denied", "id int4")
        .table("shop.canary_ungranted", "id int4")
        .table("archive.orders", "id int4, total int4")
        .rights("shop.canary_ungranted", Some(&[]))
}

/// What hides something of the shop from a session.
struct Hiding<'h> {
    relations: &'h [&'h str],
    columns: &'h [(&'h str, i16)],
    unread: &'h str,
    user: &'h str,
}

const HIDING: Hiding<'static> = Hiding {
    relations: &["shop.canary_denied"],
    columns: &[("shop.customers", 4)],
    unread: "",
    user: "ann",
};

fn cited(
    hiding: &Hiding<'_>,
    (sqlstate, message, text): (&str, &str, &str),
    room: usize,
) -> Option<String> {
    let long = "long words ".repeat(40);
    let policy = Policy::from_yaml(&KNOWLEDGE.replace("LONG", long.trim_end())).unwrap();
    cited_of(
        shop().build(),
        &policy,
        hiding,
        (sqlstate, message, text),
        room,
    )
}

fn cited_of(
    catalog: Catalog,
    policy: &Policy,
    hiding: &Hiding<'_>,
    (sqlstate, message, text): (&str, &str, &str),
    room: usize,
) -> Option<String> {
    let mut mask = Mask::of(&catalog);
    for name in hiding.relations {
        mask.hide_relation(catalog.relation_called(name));
    }
    for (name, column) in hiding.columns {
        mask.hide_columns(catalog.relation_called(name), vec![*column]);
    }
    let records = policy.knowledge().records.iter();
    let knowledge: Vec<&KnowledgeRecord> = records
        .filter(|record| record.is_for(hiding.user))
        .collect();
    let schema = catalog.names().find("shop").unwrap();
    let source = CitationSource {
        catalog: &catalog,
        role: catalog.role_named("app"),
        mask: Some(&mask),
        path: &[catalog.index().schema(schema).unwrap()],
        is_read: &|id, _| catalog.relation_name(id) != hiding.unread,
        is_called: &|_| true,
        knowledge: &knowledge,
    };
    let failed = FailedStatement {
        sqlstate,
        message,
        text: Some(text),
    };
    cite(&source, &failed, room)
}

/// The cases of a file that come to something else.
fn wrong(file: &str) -> (usize, Vec<String>) {
    let cases = file
        .lines()
        .filter(|line| !line.starts_with("# ") && !line.is_empty());
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in cases {
        count += 1;
        let parts: Vec<&str> = line.split('\t').collect();
        let [sqlstate, message, text, wanted] = parts[..] else {
            panic!("{line}");
        };
        let told = cited(&HIDING, (sqlstate, message, text), 300);
        let told = told.unwrap_or_else(|| "-".to_owned());
        let start = match wanted {
            "-" => "-".to_owned(),
            term if term.starts_with("term ") => {
                format!("Known (term): {}: ", term.trim_start_matches("term "))
            }
            record => format!("Known ({record}): "),
        };
        if !told.starts_with(&start) || told.contains("canary") {
            wrong.push(format!("{message}, {text}: {told}"));
        }
    }
    (count, wrong)
}

#[test]
fn failures_are_told_the_record_about_their_names() {
    for file in [SEEN, HELD_OUT] {
        let (count, wrong) = wrong(file);
        assert!(
            wrong.is_empty(),
            "{} of {count}:\n{}",
            wrong.len(),
            wrong.join("\n")
        );
    }
}

#[test]
fn a_citation_is_one_whole_sentence() {
    let totl = (
        "42703",
        "column \"totl\" does not exist",
        "SELECT totl FROM shop.orders",
    );
    assert_eq!(
        cited(&HIDING, totl, 300).unwrap(),
        "Known (quirk coverage): shop.orders: rows before 2020 are in archive.orders."
    );
    let clients = (
        "42P01",
        "relation \"clients\" does not exist",
        "SELECT * FROM clients",
    );
    assert_eq!(
        cited(&HIDING, clients, 300).unwrap(),
        "Known (correction clients): Not clients but shop.customers."
    );
    let visits = (
        "42703",
        "column \"city\" does not exist",
        "SELECT city FROM visits",
    );
    assert_eq!(
        cited(&HIDING, visits, 300).unwrap(),
        "Known (relationship buyer): shop.visits(customer) refers to shop.customers(number), \
         although no key says so."
    );
    // What does not fit is not cut; another record may fit.
    assert_eq!(cited(&HIDING, clients, 58), None);
    assert!(cited(&HIDING, clients, 59).is_some());
    let reports = (
        "42703",
        "column \"x\" does not exist",
        "SELECT x FROM shop.reports",
    );
    assert!(
        cited(&HIDING, reports, 1000)
            .unwrap()
            .starts_with("Known (quirk long)")
    );
    assert!(
        cited(&HIDING, reports, 300)
            .unwrap()
            .starts_with("Known (quirk short)")
    );
}

#[test]
fn each_way_of_hiding_leaves_no_word() {
    let totl = (
        "42703",
        "column \"totl\" does not exist",
        "SELECT totl FROM shop.orders",
    );
    let number = (
        "42883",
        "operator does not exist: text = integer",
        "SELECT 1 FROM customers WHERE number = 1",
    );
    let city = (
        "42703",
        "column \"city\" does not exist",
        "SELECT city FROM visits",
    );
    let late = (
        "42703",
        "column \"late_order\" does not exist",
        "SELECT late_order",
    );
    for failed in [totl, number, city, late] {
        assert!(cited(&HIDING, failed, 300).is_some(), "{failed:?}");
    }
    let none = |hiding: Hiding<'_>, failed| assert_eq!(cited(&hiding, failed, 300), None);
    let orders = &["shop.orders"][..];
    let hidden = |relations| Hiding {
        relations,
        ..HIDING
    };
    none(hidden(orders), totl);
    none(hidden(orders), late);
    // A word of it is the name of what is hidden.
    none(hidden(&["archive.orders", "shop.orders"]), totl);
    none(hidden(&["shop.customers"]), city);
    none(hidden(&["shop.visits"]), city);
    let columns = |columns| Hiding { columns, ..HIDING };
    none(columns(&[("shop.customers", 1)]), number);
    none(columns(&[("shop.customers", 1)]), city);
    none(columns(&[("shop.visits", 2)]), city);
    let unread = |unread| Hiding { unread, ..HIDING };
    none(unread("shop.customers"), number);
    none(unread("shop.customers"), city);
    none(unread("shop.orders"), totl);
    // A right that the role does not have, and a user that is not told.
    let town = (
        "42703",
        "column \"town\" does not exist",
        "SELECT town FROM shop.customers",
    );
    let other = Hiding {
        user: "other_one",
        ..HIDING
    };
    assert!(cited(&other, town, 300).is_some());
    none(HIDING, town);
    none(
        HIDING,
        (
            "42P01",
            "relation \"parcels\" does not exist",
            "SELECT 1 FROM parcels",
        ),
    );
}

#[test]
fn names_of_functions_types_and_schemas_that_are_hidden_are_not_told() {
    let failing = (
        "42P01",
        "relation \"wrong\" does not exist",
        "SELECT 1 FROM wrong",
    );
    let told = |right: &str| {
        let yaml = format!(
            "name: x\nextends: agent\nreplace: [knowledge]\n\
             knowledge: {{correction: {{one: {{wrong: wrong, right: {right}}}}}}}\n"
        );
        let world = shop()
            .schema("canary_schema")
            .table("canary_schema.far", "id int4")
            .rights("schema canary_schema", Some(&[]))
            .enumeration("canary_schema.canary_mood")
            .table("shop.\"Odd name\"", "id int4")
            .function("shop.tax(int4)", "immutable")
            .function("canary_schema.canary_function(int4)", "immutable");
        let policy = Policy::from_yaml(&yaml).unwrap();
        cited_of(world.build(), &policy, &HIDING, failing, 300)
    };
    for shown in ["tax of shop", "orders", "what is nowhere", "archive"] {
        assert!(told(shown).is_some(), "{shown}");
    }
    for hidden in [
        "canary_schema",
        "CANARY_DENIED",
        "far",
        "a canary_mood",
        "canary_function(1)",
        "canary_secret",
    ] {
        assert_eq!(told(hidden), None, "{hidden}");
    }
}

#[test]
fn the_gate_is_asked_a_bounded_number_of_times() {
    let mut world = CatalogFixture::new(15).role("app").schema("shop");
    for number in 0..200 {
        world = world.table(&format!("shop.t{number}"), "word int4");
    }
    let catalog = world.build();
    let yaml = "name: x\nextends: agent\nreplace: [knowledge]\n\
                knowledge: {correction: {one: {wrong: wrong, right: a word}}}\n";
    let policy = Policy::from_yaml(yaml).unwrap();
    let knowledge: Vec<&KnowledgeRecord> = policy.knowledge().records.iter().collect();
    let asked = Cell::new(0);
    let source = CitationSource {
        catalog: &catalog,
        role: catalog.role_named("app"),
        mask: None,
        path: &[],
        is_read: &|_, _| {
            asked.set(asked.get() + 1);
            false
        },
        is_called: &|_| false,
        knowledge: &knowledge,
    };
    let failed = FailedStatement {
        sqlstate: "42P01",
        message: "relation \"wrong\" does not exist",
        text: Some("SELECT * FROM wrong"),
    };
    assert_eq!(cite(&source, &failed, 300), None);
    assert_eq!(asked.get(), cited_records::RELATIONS_MAX);
}

#[test]
fn what_is_cited_does_not_tell_that_something_hidden_is_there() {
    let told = |about: &str, text: &str| {
        let yaml = format!(
            "name: x\nextends: agent\nreplace: [knowledge]\n\
             knowledge: {{quirk: {{one: {{note: odd, about: '{about}'}}}}}}\n"
        );
        let policy = Policy::from_yaml(&yaml).unwrap();
        let hiding = Hiding {
            unread: "shop.links",
            ..HIDING
        };
        let failed = ("42703", "column \"x\" does not exist", text);
        cited_of(shop().build(), &policy, &hiding, failed, 300)
    };
    assert!(told("shop.*", "SELECT x FROM shop.stores").is_some());
    for relation in ["canary_denied", "canary_ungranted", "links", "nothing"] {
        let text = format!("SELECT x FROM shop.{relation}");
        assert_eq!(told("shop.*", &text), None, "{relation}");
    }
    assert!(told("shop.customers.*", "SELECT x, name FROM customers").is_some());
    for column in ["canary_secret", "nothing"] {
        let text = format!("SELECT x, {column} FROM customers");
        assert_eq!(told("shop.customers.*", &text), None, "{column}");
    }
    let secret = (
        "42703",
        "column \"canary_secret\" does not exist",
        "SELECT canary_secret FROM visits",
    );
    assert_eq!(cited(&HIDING, secret, 300), None);
}
