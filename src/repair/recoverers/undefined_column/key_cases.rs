//! Cases in which keys decide what a column is, in a shop whose foreign keys are declared, one of
//! them not validated, and some not at all. Test code only.

use std::sync::Arc;

use crate::RecovererAnswer;
use crate::laws::{OutputNameLaw, ask, check_file};
use catalog::fixture::CatalogFixture;
use dialect::session_database::fixture::session;
use gate::Gate;
use policy::{Policy, Recoverer};
use sql::fingerprint::Fingerprinter;

/// The shop.
fn shop() -> CatalogFixture {
    CatalogFixture::new(15)
        .table(
            "public.customer",
            "id int4 not null, name text not null, email text not null, country text, segment text",
        )
        .table(
            "public.orders",
            "id int4 not null, customer_id int4 not null, warehouse_id int4, status text not null, \
             total numeric not null, ordered_on date not null, coupon_code text, order_year int4",
        )
        .table(
            "public.order_items",
            "id int4 not null, order_id int4 not null, product_id int4 not null, \
             quantity int4 not null, unit_price numeric not null",
        )
        .table(
            "public.product",
            "id int4 not null, title text not null, price numeric, sku text, supplier_id int4",
        )
        .table(
            "public.supplier",
            "id int4 not null, company text, phone text",
        )
        .table(
            "public.warehouse",
            "id int4 not null, city text, capacity int4",
        )
        .table(
            "public.shipment",
            "id int4 not null, order_id int4 not null, carrier text, shipped_on date",
        )
        .table(
            "public.coupons",
            "coupon_code text not null, discount numeric not null, valid_until date",
        )
        .table(
            "public.stock",
            "sku text not null, on_hand int4 not null, bin text",
        )
        .table(
            "public.ratings",
            "sku text not null, stars int4, verdict text",
        )
        .table("public.reviews", "sku text not null, verdict text")
        .table(
            "public.customer_accounts",
            "id int4 not null, label text, balance numeric",
        )
        .table(
            "public.passport",
            "customer_id int4 not null, passport_no text",
        )
        .table(
            "public.legacy_orders",
            "customer_id text, order_ref text, amount text, order_year text",
        )
        .table(
            "public.employee",
            "emp_id int4 not null, full_name text, floors int4, dept_id int4, manager_id int4",
        )
        .table(
            "public.dept",
            "dept_id int4 not null, dept_title text, floor int4",
        )
        .view("public.order_view", "id int4, total numeric", &[])
        .primary_key("public.customer", "id")
        .unique("public.customer", "email")
        .primary_key("public.orders", "id")
        .primary_key("public.order_items", "id")
        .primary_key("public.product", "id")
        .primary_key("public.supplier", "id")
        .primary_key("public.warehouse", "id")
        .primary_key("public.shipment", "id")
        .unique("public.coupons", "coupon_code")
        .primary_key("public.stock", "sku")
        .primary_key("public.customer_accounts", "id")
        .primary_key("public.passport", "customer_id")
        .primary_key("public.employee", "emp_id")
        .primary_key("public.dept", "dept_id")
        .foreign_key("public.orders", "customer_id", "public.customer", "id")
        .unvalidated_key("public.orders", "warehouse_id", "public.warehouse", "id")
        .foreign_key("public.order_items", "order_id", "public.orders", "id")
        .foreign_key("public.order_items", "product_id", "public.product", "id")
        .foreign_key("public.product", "supplier_id", "public.supplier", "id")
        .foreign_key("public.shipment", "order_id", "public.orders", "id")
        .foreign_key("public.passport", "customer_id", "public.customer", "id")
        .foreign_key("public.employee", "dept_id", "public.dept", "dept_id")
        .foreign_key("public.employee", "manager_id", "public.employee", "emp_id")
}

#[test]
fn keys_decide_what_is_joined() {
    for file in [
        include_str!("../../../../tests/data/corpus/recoverers/joins_and_keys.txt"),
        include_str!("../../../../tests/data/corpus/recoverers/held_out_joins_and_keys.txt"),
    ] {
        let law = OutputNameLaw::Repaired;
        check_file(shop(), Recoverer::UndefinedColumn, "42703", law, file);
    }
}

#[test]
fn names_that_are_not_in_from() {
    for file in [
        include_str!("../../../../tests/data/corpus/recoverers/missing_from.txt"),
        include_str!("../../../../tests/data/corpus/recoverers/held_out_missing_from.txt"),
    ] {
        let law = OutputNameLaw::Repaired;
        check_file(shop(), Recoverer::UndefinedTable, "42P01", law, file);
    }
}

#[test]
fn columns_of_two_types() {
    for file in [
        include_str!("../../../../tests/data/corpus/recoverers/column_casts.txt"),
        include_str!("../../../../tests/data/corpus/recoverers/held_out_column_casts.txt"),
    ] {
        let law = OutputNameLaw::Kept;
        check_file(shop(), Recoverer::UndefinedOperator, "42883", law, file);
    }
}

/// What a recoverer answers to each text: the new one, or the words.
fn answers(
    world: CatalogFixture,
    (role, policy): (&str, Policy),
    recoverer: Recoverer,
    sqlstate: &str,
    texts: &[String],
) -> Vec<(String, Result<String, String>)> {
    let mut session = session(world, &policy);
    session.set_role(role);
    let gate = Gate::new(Arc::new(policy), Fingerprinter::new(None, [7; 32]));
    let answer = |text: &String| match ask(recoverer, text, sqlstate, None, &session, &gate) {
        RecovererAnswer::Repaired(repair) => Ok(repair.rewritten.text(text).unwrap()),
        RecovererAnswer::Hinted(hint) => Err(hint.advice),
        RecovererAnswer::Silent | RecovererAnswer::Doubted => Err(String::new()),
    };
    let all = texts.iter();
    all.map(|text| (text.clone(), answer(text))).collect()
}

/// The tables whose key is a single column, with it.
const KEYS: [(&str, &str); 10] = [
    ("customer", "id"),
    ("orders", "id"),
    ("order_items", "id"),
    ("product", "id"),
    ("supplier", "id"),
    ("warehouse", "id"),
    ("shipment", "id"),
    ("customer_accounts", "id"),
    ("passport", "customer_id"),
    ("employee", "emp_id"),
];

/// The only two keys that a foreign key ties.
const TIED: [&str; 2] = [
    "passport.customer_id = customer.id",
    "customer.id = passport.customer_id",
];

#[test]
fn no_wrong_name_in_a_join_becomes_the_key_of_something_else() {
    let mut texts = Vec::new();
    for (one, _) in KEYS {
        for (other, key) in KEYS.iter().filter(|(other, _)| *other != one) {
            let words = one.split('_').chain(other.split('_'));
            let mut names: Vec<String> = words.map(|word| format!("{word}_id")).collect();
            names.extend([one, other].map(|table| format!("{}_id", table.trim_end_matches('s'))));
            names
                .extend(["id", "ids", "key", "iid", "emp", "item_id", "\"ID\""].map(str::to_owned));
            for name in names {
                let pair = format!("{one}.{name} = {other}.{key}");
                texts.push(format!("SELECT 1 FROM {one} JOIN {other} ON {pair}"));
                texts.push(format!("SELECT 1 FROM {one}, {other} WHERE {pair}"));
                texts.push(format!(
                    "SELECT 1 FROM {one} WHERE EXISTS (SELECT 1 FROM {other} WHERE {pair})"
                ));
            }
        }
    }
    let mut repaired = 0;
    let all = answers(
        shop(),
        ("postgres", Policy::agent()),
        Recoverer::UndefinedColumn,
        "42703",
        &texts,
    );
    for (before, after) in all {
        let Ok(after) = after else { continue };
        // In another case the name is the one that was written.
        if before.contains('"') {
            continue;
        }
        repaired += 1;
        for (one, key) in KEYS {
            for (other, second) in KEYS.iter().filter(|(other, _)| *other != one) {
                let pair = format!("{one}.{key} = {other}.{second}");
                let is_joined = after.ends_with(&pair) || after.contains(&format!("{pair})"));
                assert!(
                    !is_joined || TIED.contains(&pair.as_str()),
                    "{before} became {after}"
                );
            }
        }
    }
    assert!(repaired > 50, "{repaired} of {}", texts.len());
}

#[test]
fn what_is_hidden_is_not_named() {
    let hidden = [
        "stock",
        "coupons",
        "warehouse",
        "customer",
        "order_items",
        "supplier",
    ];
    let by_role = || {
        let mut world = shop().role("reader");
        for table in ["product", "orders", "shipment", "legacy_orders"] {
            world = world.rights(&format!("public.{table}"), Some(&[("reader", "s")]));
        }
        let none: &[(&str, &str)] = &[];
        for table in hidden {
            world = world.rights(&format!("public.{table}"), Some(none));
        }
        world
    };
    let names = hidden.map(|table| format!("public.{table}")).join(", ");
    let agent = include_str!("../../../../policies/agent.yaml");
    let by_policy = format!("{agent}\nrelations: {{deny: [{names}]}}\n");
    for (recoverer, sqlstate, texts) in [
        (
            Recoverer::UndefinedColumn,
            "42703",
            &[
                "SELECT title, on_hand FROM product",
                "SELECT total, discount FROM orders",
                "SELECT total, city FROM orders",
                "SELECT total, country FROM orders",
                "SELECT o.total FROM orders o JOIN product p ON o.product_id = p.id",
                "SELECT name, email WHERE country = 'Peru'",
                "SELECT on_hand, bin",
            ][..],
        ),
        (
            Recoverer::UndefinedTable,
            "42P01",
            &[
                "SELECT s.on_hand FROM product p",
                "SELECT customer.name, customer.email",
            ][..],
        ),
    ] {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let role = ("reader", Policy::agent());
        let mut all = answers(by_role(), role, recoverer, sqlstate, &texts);
        let policy = ("postgres", Policy::from_yaml(&by_policy).unwrap());
        all.extend(answers(shop(), policy, recoverer, sqlstate, &texts));
        for (before, after) in all {
            match after {
                Ok(after) => panic!("{before} became {after}"),
                Err(advice) => {
                    let named = hidden
                        .iter()
                        .find(|table| advice.contains(&format!("public.{table}")));
                    assert!(named.is_none(), "{before}: {advice}");
                }
            }
        }
    }
}

#[test]
fn columns_that_a_policy_hides_are_not_named() {
    let agent = include_str!("../../../../policies/agent.yaml");
    let hidden = "[public.customer.id, public.stock.sku, public.coupons.discount]";
    let policy = Policy::from_yaml(&format!("{agent}\ncolumns: {{deny: {hidden}}}\n")).unwrap();
    let texts = [
        "SELECT c.name FROM orders o JOIN customer c ON o.customer_id = c.customer_id",
        "SELECT c.customer_id FROM customer c",
        "SELECT total, country FROM orders",
        "SELECT title, on_hand FROM product",
        "SELECT total, discount FROM orders",
        "SELECT o.total FROM orders o JOIN customer c ON o.product_id = c.name",
    ]
    .map(str::to_owned);
    let recoverer = Recoverer::UndefinedColumn;
    for (before, after) in answers(shop(), ("postgres", policy), recoverer, "42703", &texts) {
        match after {
            Ok(after) => panic!("{before} became {after}"),
            Err(advice) => {
                let names = ["c.id", "customer.id", "stock.sku", "coupons"];
                let named = names.iter().find(|name| advice.contains(**name));
                assert!(named.is_none(), "{before}: {advice}");
            }
        }
    }
}
