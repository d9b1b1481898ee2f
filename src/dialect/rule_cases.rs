//! Every function of every dialect becomes what its table says, and its own text does not survive
//! where it must not. Test code only.

use super::{registry, translate};
use crate::session_database::SessionDatabase;
use crate::session_database::fixture;
use catalog::fixture::CatalogFixture;
use gate::{ParameterTypes, SessionNames};
use policy::{Dialect, Policy};

/// Where cases are translated: `t` has a column of each kind, named by its letter.
pub(crate) fn session() -> SessionNames {
    let world = CatalogFixture::new(15)
        .schema("shop")
        .table(
            "public.t",
            "id int4 not null, n int4, s text, d date, m timestamp, q numeric, f float8, b bool, \
             j jsonb, z timestamptz, u uuid",
        )
        .table("public.u", "id int4 not null, s text not null, Mixed text")
        .table("shop.Orders", "OrderID int4 not null, Total numeric");
    fixture::session(world, &Policy::agent())
}

/// What a text becomes there.
pub(crate) fn becomes(session: &SessionNames, dialect: Dialect, text: &str) -> String {
    let open = ParameterTypes::none_given();
    let database = SessionDatabase::of(session, &open).unwrap();
    match translate(text, dialect, Some(&database), 15) {
        None => format!("unread: {text}"),
        Some(Ok(after)) => after,
        Some(Err(refused)) => format!("refused: {}", refused.what),
    }
}

#[test]
fn every_function_becomes_what_its_table_says() {
    let mut wrong = Vec::new();
    let session = session();
    for source in registry::ALL {
        let mut names: Vec<&str> = Vec::new();
        for rule in source.functions().iter().flat_map(|list| list.iter()) {
            if names.contains(&rule.name) {
                wrong.push(format!("{} twice", rule.name));
            }
            names.push(rule.name);
            assert!(rule.doc.starts_with("https://"), "{}", rule.name);
            let (before, after) = rule.case;
            let became = becomes(
                &session,
                source.dialect(),
                &format!("SELECT {before} FROM t"),
            );
            let wanted = format!("SELECT {after} FROM t");
            if became != wanted {
                wrong.push(format!("{before}\n   wanted {wanted}\n   became {became}"));
            } else if sql::tree::parse(&became).is_err() {
                wrong.push(format!("{became}: does not parse"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn what_may_be_read_may_be_written_on_a_small_stack() {
    let text = |beginning: &str, middle: &str, end: &str, count: usize| {
        format!(
            "SELECT {}n{} FROM t",
            beginning.repeat(count),
            end.repeat(count)
        )
        .replace("n", middle)
    };
    let on_two_megabytes = std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(move || {
            let session = session();
            for count in (1..400).step_by(9) {
                for text in [
                    text("", "n", " + 1", count),
                    text("(", "n", ")", count),
                    text("NOT ", "n", "", count),
                    text("- ", "n", "", count),
                    text("IFNULL(", "n", ", 1)", count),
                    text("SUBSTRING(", "n", ", n)", count),
                    text("LOG(3, ", "n", ")", count),
                    text("GROUP_CONCAT(DISTINCT n ORDER BY ", "n", ")", count),
                    text("CASE WHEN n THEN ", "n", " END", count),
                    text("(SELECT ", "n", ")", count),
                    text("(SELECT 1 + ", "n", ")", count),
                    text("", "n", " OR n = 1", count),
                ] {
                    let _ = becomes(&session, Dialect::Mysql, &text);
                }
            }
        });
    on_two_megabytes.unwrap().join().unwrap();
}

#[test]
fn names_meet_the_catalog() {
    let session = session();
    for (before, after) in [
        ("SELECT MIXED FROM U", "SELECT \"Mixed\" FROM u"),
        (
            "SELECT `mixed` AS `A b` FROM u",
            "SELECT \"Mixed\" AS \"A b\" FROM u",
        ),
        (
            "SELECT X.mixed FROM u AS x",
            "SELECT x.\"Mixed\" FROM u AS x",
        ),
        ("SELECT * FROM SHOP.orders", "SELECT * FROM shop.\"Orders\""),
        (
            "SELECT SHOP.orders.total FROM shop.orders",
            "SELECT \"Orders\".\"Total\" FROM shop.\"Orders\"",
        ),
        (
            "SELECT n AS Total FROM t HAVING TOTAL > 1",
            "SELECT n AS total FROM t WHERE n > 1",
        ),
        ("SELECT nothing FROM t", "SELECT nothing FROM t"),
        ("SELECT Some FROM Nowhere", "SELECT \"some\" FROM nowhere"),
        (
            "WITH Q AS (SELECT n AS K FROM t) SELECT k FROM q",
            "WITH q AS (SELECT n AS k FROM t) SELECT k FROM q",
        ),
    ] {
        assert_eq!(becomes(&session, Dialect::Mysql, before), after);
    }
}
