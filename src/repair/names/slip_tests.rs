//! Slips made in statements that run: each is put right, or told, and never becomes another column.
//! Test code only.

use std::ops::Range;
use std::sync::Arc;

use super::context::NameRepairContext;
use crate::context::tokens_of;
use crate::laws::{ask, world};
use crate::{
    Confidence, Failure, FailureClass, FailureOrigin, RecovererAnswer, RepairContext,
    SessionDatabase,
};
use catalog::fixture::CatalogFixture;
use dialect::session_database::fixture::session;
use gate::{Gate, ParameterTypes, SessionNames};
use policy::{Policy, Recoverer, RepairSettings};
use resolve::UsedObject;
use sql::fingerprint::Fingerprinter;
use sql::tree;

fn schools_and_concerts() -> CatalogFixture {
    world()
        .table(
            "public.employees",
            "id int4 not null, first_name text, last_name text, hire_date date, salary numeric, \
             manager_id int4, department_id int4, email text",
        )
        .table(
            "public.departments",
            "id int4 not null, department_name text, budget numeric, created_at timestamptz, \
             updated_at timestamptz, location_id int4",
        )
        .table(
            "public.locations",
            "id int4 not null, city text, street_address text, country text",
        )
        .table(
            "public.flights",
            "flight_no int4 not null, origin text, destination text, departure_date date, \
             arrival_date date, min_fare numeric, max_fare numeric, airline_id int4",
        )
        .table(
            "public.airlines",
            "airline_id int4 not null, airline_name text, country text",
        )
        .table(
            "public.stadium",
            "stadium_id int4 not null, location text, name text, capacity int4, highest int4, \
             lowest int4, average int4",
        )
        .table(
            "public.concert",
            "concert_id int4 not null, concert_name text, theme text, stadium_id int4, year int4",
        )
        .table(
            "public.singer",
            "singer_id int4 not null, name text, country text, song_name text, \
             song_release_year int4, age int4, is_male bool",
        )
        .table(
            "public.singer_in_concert",
            "concert_id int4 not null, singer_id int4 not null",
        )
        .table(
            "public.frpm",
            "CDSCode text not null, District_Name text, School_Name text, Enrollment_K12 float8, \
             County_Name text",
        )
        .primary_key("public.employees", "id")
        .primary_key("public.departments", "id")
        .primary_key("public.locations", "id")
        .primary_key("public.flights", "flight_no")
        .primary_key("public.airlines", "airline_id")
        .primary_key("public.stadium", "stadium_id")
        .primary_key("public.concert", "concert_id")
        .primary_key("public.singer", "singer_id")
        .foreign_key(
            "public.employees",
            "department_id",
            "public.departments",
            "id",
        )
        .foreign_key(
            "public.departments",
            "location_id",
            "public.locations",
            "id",
        )
        .foreign_key(
            "public.flights",
            "airline_id",
            "public.airlines",
            "airline_id",
        )
        .foreign_key(
            "public.concert",
            "stadium_id",
            "public.stadium",
            "stadium_id",
        )
        .foreign_key(
            "public.singer_in_concert",
            "concert_id",
            "public.concert",
            "concert_id",
        )
        .foreign_key(
            "public.singer_in_concert",
            "singer_id",
            "public.singer",
            "singer_id",
        )
}

const TEXTS: &[&str] = &[
    "SELECT c.name, c.email FROM customers c WHERE c.country = 'Peru' AND c.vip",
    "SELECT name, email, created_at FROM customers WHERE parent_id = 3",
    "SELECT c.name, o.total_amount FROM customers c JOIN orders o ON o.customer_id = c.id WHERE o.paid",
    "SELECT o.id, o.status, o.placed_on FROM orders o ORDER BY o.total_amount DESC",
    "SELECT p.product_name, i.quantity, i.unit_price FROM order_items i JOIN products p ON p.id = i.product_id",
    "SELECT c.country, count(o.id) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.country",
    "SELECT product_name, price, weight FROM products WHERE price > 3",
    "SELECT p.product_name FROM products p JOIN order_items i ON i.product_id = p.id JOIN orders o ON o.id = i.order_id JOIN customers c ON c.id = o.customer_id WHERE c.name = 'x' AND o.status = 'y'",
    "SELECT e.first_name, e.last_name, d.department_name FROM employees e JOIN departments d ON d.id = e.department_id",
    "SELECT first_name, salary, hire_date FROM employees WHERE manager_id = 1 AND department_id = 2",
    "SELECT d.department_name, d.budget, d.updated_at FROM departments d WHERE d.created_at > now()",
    "SELECT d.department_name, l.city, l.street_address FROM departments d JOIN locations l ON l.id = d.location_id",
    "SELECT f.origin, f.destination, f.min_fare FROM flights f JOIN airlines a ON a.airline_id = f.airline_id WHERE a.airline_name = 'x'",
    "SELECT departure_date, max_fare, flight_no FROM flights WHERE arrival_date > '2024-01-01'",
    "SELECT s.name, s.location, s.capacity FROM stadium s JOIN concert c ON c.stadium_id = s.stadium_id WHERE c.year = 2014",
    "SELECT c.concert_name, c.theme, s.name FROM concert c JOIN stadium s ON s.stadium_id = c.stadium_id",
    "SELECT g.name, g.country, g.age, g.song_name FROM singer g JOIN singer_in_concert y ON y.singer_id = g.singer_id JOIN concert c ON c.concert_id = y.concert_id WHERE c.theme = 'x'",
    "SELECT name, song_release_year, is_male FROM singer ORDER BY age",
    "SELECT location, highest, lowest, average FROM stadium WHERE capacity > 3",
    "SELECT c.name FROM customers c WHERE c.id IN (SELECT o.customer_id FROM orders o WHERE o.status = 'x')",
    "WITH t AS (SELECT o.customer_id, sum(o.total_amount) AS spent FROM orders o GROUP BY o.customer_id) SELECT c.name, t.spent FROM t JOIN customers c ON c.id = t.customer_id",
    "SELECT x.status, x.n FROM (SELECT status, count(*) AS n FROM orders GROUP BY status) x WHERE x.n > 3",
    "SELECT \"School_Name\", \"County_Name\" FROM frpm WHERE \"Enrollment_K12\" > 3",
    "SELECT a.country, l.country, a.airline_name FROM airlines a, locations l",
];

fn slips(name: &str, table: Option<&str>) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut all = Vec::new();
    for place in 1..letters.len() {
        let mut less = letters.clone();
        less.remove(place);
        all.push(less.iter().collect());
        let mut swapped = letters.clone();
        swapped.swap(place - 1, place);
        all.push(swapped.iter().collect());
    }
    all.push(name.replace('_', ""));
    all.push(format!("{name}s"));
    all.push(format!("{name}_id"));
    all.push(format!("{name}_name"));
    all.push(format!("total_{name}"));
    all.push(name.trim_end_matches('s').to_owned());
    if let Some((first, rest)) = name.split_once('_') {
        all.push(first.to_owned());
        all.push(rest.to_owned());
        all.push(format!("\"{}\"", name.replace('_', " ")));
        all.push(format!("the_{rest}"));
    }
    all.push(format!("\"{}\"", name.to_uppercase()));
    if let Some(table) = table {
        all.push(format!("{}_{name}", table.trim_end_matches('s')));
        all.push(format!("{table}_{name}"));
    }
    all.dedup();
    all
}

/// References that mean a column: where they are, what qualifies them, and their table.
fn references(text: &str, names: &SessionNames) -> Vec<(Vec<Range<usize>>, Option<String>)> {
    on_scene(text, names, |context| {
        let name_context = NameRepairContext::of(context).unwrap();
        let refs = name_context.places.refs.iter().filter_map(|place| {
            let parts = name_context.parts(place.at, place.reference.fields().len())?;
            let mut uses = name_context.resolution.uses.iter();
            let origin = uses.find_map(|used| match &used.what {
                UsedObject::Column { origin, .. } if used.at == Some(place.at) => *origin,
                _ => None,
            });
            let table = origin.map(|(relation, _)| name_context.name_of(relation).to_owned());
            Some((parts, table))
        });
        refs.collect()
    })
}

fn on_scene<T>(text: &str, names: &SessionNames, look: impl FnOnce(&RepairContext<'_>) -> T) -> T {
    let open = ParameterTypes::none_given();
    let database = SessionDatabase::of(names, &open).unwrap();
    let tokens = tokens_of(text);
    let tree = tree::parse(text).ok();
    let resolution = tree.as_ref().and_then(|tree| database.resolve(tree));
    let failure = Failure {
        class: FailureClass::UndefinedColumn,
        sqlstate: "42703".into(),
        message: String::new(),
        hint: None,
        position: None,
        origin: FailureOrigin::Server,
    };
    let settings = RepairSettings::default();
    look(&RepairContext {
        text,
        tokens: &tokens,
        tree: tree.as_ref(),
        resolution: resolution.as_ref(),
        failure: &failure,
        database: Some(&database),
        server_major: 15,
        settings: &settings,
        target_dialect: None,
        earlier_dialect: None,
        foreign_text: None,
    })
}

/// Every reference of a text with something else in its place, where that fails.
fn broken(text: &str, names: &SessionNames, others: &SlipKind) -> Vec<String> {
    let all = references(text, names);
    let qualified = all.iter().filter(|(parts, _)| parts.len() == 2);
    let qualifiers: Vec<&str> = qualified
        .map(|(parts, _)| &text[parts[0].clone()])
        .collect();
    let mut made = Vec::new();
    for (parts, table) in &all {
        let last = parts.last().unwrap();
        let name = text[last.clone()].trim_matches('"');
        let mut changed: Vec<(Range<usize>, String)> = match others {
            SlipKind::Slips => slips(name, table.as_deref()),
            SlipKind::Words => WORDS.iter().map(|word| (*word).to_owned()).collect(),
            SlipKind::Qualifiers => Vec::new(),
        }
        .into_iter()
        .map(|slip| (last.clone(), slip))
        .collect();
        if let (SlipKind::Qualifiers, [first, _]) = (others, parts.as_slice()) {
            let all = qualifiers.iter().map(|other| (*other).to_owned());
            changed.extend(all.map(|other| (first.clone(), other)));
        }
        made.extend(changed.into_iter().filter_map(|(span, slip)| {
            let broken = format!("{}{slip}{}", &text[..span.start], &text[span.end..]);
            let fails = on_scene(&broken, names, |context| {
                let missing = NameRepairContext::of(context)?.missing_columns()?.len();
                (missing > 0).then_some(())
            });
            fails.map(|()| broken)
        }));
    }
    made
}

enum SlipKind {
    Slips,
    Qualifiers,
    Words,
}

/// What became of broken texts.
#[derive(Default)]
struct SlipCount {
    right: usize,
    hints: usize,
    other: Vec<(Confidence, String)>,
}

fn count(others: &SlipKind) -> SlipCount {
    let policy = Policy::agent();
    let names = session(schools_and_concerts(), &policy);
    let gate = Gate::new(Arc::new(policy), Fingerprinter::new(None, [7; 32]));
    let mut count = SlipCount::default();
    for text in TEXTS {
        for broken in broken(text, &names, others) {
            let recoverer = Recoverer::UndefinedColumn;
            match ask(recoverer, &broken, "42703", None, &names, &gate) {
                RecovererAnswer::Hinted(_) => count.hints += 1,
                RecovererAnswer::Silent | RecovererAnswer::Doubted => panic!("{broken}: silence"),
                RecovererAnswer::Repaired(repair) => {
                    let sure = repair.confidence;
                    let made = repair.rewritten.text(&broken).unwrap();
                    match made == *text {
                        true => count.right += 1,
                        false => count.other.push((sure, format!("{broken} became {made}"))),
                    }
                }
            }
        }
    }
    count
}

#[test]
fn a_slip_is_put_right_or_told_and_never_becomes_another_column() {
    for (others, right) in [(SlipKind::Slips, 1_500), (SlipKind::Qualifiers, 35)] {
        let count = count(&others);
        assert!(count.other.is_empty(), "{:?}", count.other);
        assert!(count.right >= right, "{} {}", count.right, count.hints);
    }
}

#[test]
fn a_word_that_could_mean_much_is_never_certain() {
    let count = count(&SlipKind::Words);
    let certain = count
        .other
        .iter()
        .find(|(sure, _)| *sure == Confidence::Exact);
    assert!(certain.is_none(), "{certain:?}");
    let others = count.other.len();
    assert!(others * 10 < count.hints, "{others} {}", count.hints);
}

#[test]
fn texts_in_double_quotes_are_put_right() {
    let policy = Policy::agent();
    let names = session(schools_and_concerts(), &policy);
    let gate = Gate::new(Arc::new(policy), Fingerprinter::new(None, [7; 32]));
    for text in TEXTS.iter().filter(|text| text.contains('\'')) {
        let broken = text.replace('\'', "\"");
        let recoverer = Recoverer::UndefinedColumn;
        match ask(recoverer, &broken, "42703", None, &names, &gate) {
            RecovererAnswer::Repaired(repair) => {
                assert_eq!(repair.confidence, Confidence::Exact, "{broken}");
                assert_eq!(repair.rewritten.text(&broken).unwrap(), *text);
            }
            RecovererAnswer::Hinted(hint) => panic!("{broken}: {}", hint.advice),
            RecovererAnswer::Silent | RecovererAnswer::Doubted => panic!("{broken}: silence"),
        }
    }
}

/// Names that many relations have.
const WORDS: [&str; 9] = [
    "id",
    "name",
    "date",
    "amount",
    "price",
    "count",
    "number",
    "created_at",
    "title",
];
