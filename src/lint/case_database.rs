//! The database that the cases of lints are about: a shop.

use catalog::fixture::CatalogFixture;
use catalog::{Catalog, SearchPath};
use resolve::{KnownParameters, LookupContext};

use crate::{DatabaseFacts, LintDatabase, LintFinding};

/// The database, with what lints know of it.
pub(crate) struct CaseDatabase {
    catalog: Catalog,
    facts: DatabaseFacts,
}

impl CaseDatabase {
    /// The shop.
    pub(crate) fn shop() -> Self {
        let catalog = shop();
        let mut facts = DatabaseFacts::default();
        let texts = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect();
        let status = catalog
            .data_type(catalog.type_called("shop.order_status"))
            .oid;
        let labels = texts(&["new", "paid", "shipped", "returned"]);
        facts.enum_labels.insert(status, labels);
        let column = |table: &str, name: &str| {
            let id = catalog.relation_called(&format!("shop.{table}"));
            let mut columns = catalog.columns_of(id).iter();
            let column = columns
                .find(|one| catalog.names().text(one.name) == name)
                .unwrap();
            (catalog.relation(id).oid, column.number)
        };
        for (table, name) in [
            ("orders", "customer_id"),
            ("orders", "placed_at"),
            ("payments", "order_id"),
            ("payments", "paid_at"),
            ("products", "category"),
            ("customers", "country"),
        ] {
            facts.indexed_columns.insert(column(table, name));
        }
        let (payments, method) = column("payments", "method");
        let check = "(method = ANY (ARRAY['card'::text, 'bank'::text, 'voucher'::text]))";
        facts.add_check(payments, method, check);
        Self { catalog, facts }
    }

    /// Whether all names of a text stand for something there: a case that is not understood shows
    /// nothing.
    pub(crate) fn understands(&self, text: &str) -> bool {
        let path = self.catalog.search_path(&["shop"], None);
        let lookup = self.lookup(&path);
        let parsed = sql::tree::parse(text).unwrap();
        let statement = parsed.statements().next().unwrap();
        let resolution = resolve::statement(statement.node, &lookup).unwrap();
        resolution.missing_name.is_none()
    }

    fn lookup<'a>(&'a self, path: &'a SearchPath) -> LookupContext<'a> {
        LookupContext {
            catalog: &self.catalog,
            path,
            parameters: KnownParameters::Given(&[]),
        }
    }

    /// What the lints say of a text there.
    pub(crate) fn lint(&self, text: &str) -> Vec<LintFinding> {
        let path = self.catalog.search_path(&["shop"], None);
        let database = LintDatabase {
            lookup: self.lookup(&path),
            rights: self.catalog.rights_of(None),
            facts: &self.facts,
        };
        crate::lint(text, Some(&database))
    }
}

fn shop() -> Catalog {
    let fixture = CatalogFixture::new(15)
        .schema("shop")
        .enumeration("shop.order_status");
    let mut fixture = fixture;
    for (name, columns) in TABLES {
        fixture = fixture.table(name, columns);
    }
    for (table, columns) in PRIMARY_KEYS {
        fixture = fixture.primary_key(table, columns);
    }
    for (table, columns, to, to_columns) in FOREIGN_KEYS {
        fixture = fixture.foreign_key(table, columns, to, to_columns);
    }
    let fixture = fixture
        .unique("shop.customers", "email")
        .unique("shop.products", "sku")
        .unique("shop.tags", "label");
    let columns = "id int8, customer_id int4, total numeric";
    fixture
        .view("shop.open_orders", columns, &["shop.orders"])
        .build()
}

#[rustfmt::skip]
const TABLES: &[(&str, &str)] = &[
    ("shop.customers", "id int4 not null, name text not null, email text, country bpchar, city text, born date, phone text, referrer_id int4, created_at timestamptz not null"),
    ("shop.products", "id int4 not null, sku varchar not null, name text not null, category text, price numeric not null, weight float8, stock int4 not null"),
    ("shop.orders", "id int8 not null, customer_id int4 not null, employee_id int4, status shop.order_status not null, total numeric not null, items int4 not null, placed_at timestamptz not null, shipped_at timestamp, note text"),
    ("shop.order_items", "order_id int8 not null, line int4 not null, product_id int4 not null, quantity int4 not null, price numeric not null"),
    ("shop.payments", "id int8 not null, order_id int8 not null, method text not null, amount numeric not null, paid_at timestamp"),
    ("shop.employees", "id int4 not null, name text not null, manager_id int4, department text, salary numeric, hired date not null"),
    ("shop.tags", "id int4 not null, label text not null"),
    ("shop.order_tags", "order_id int8 not null, tag_id int4 not null"),
    ("shop.settings", "key text not null, value text"),
    ("shop.customer_details", "customer_id int4 not null, vip bool not null, score int4"),
    ("shop.seats", "id int4 not null, person_id int4, note text"),
    ("shop.logs", "at timestamptz not null, kind text, body text, customer_id int4"),
];

const PRIMARY_KEYS: &[(&str, &str)] = &[
    ("shop.customers", "id"),
    ("shop.products", "id"),
    ("shop.orders", "id"),
    ("shop.order_items", "order_id, line"),
    ("shop.payments", "id"),
    ("shop.employees", "id"),
    ("shop.tags", "id"),
    ("shop.order_tags", "order_id, tag_id"),
    ("shop.settings", "key"),
    ("shop.seats", "id"),
    ("shop.customer_details", "customer_id"),
];

const FOREIGN_KEYS: &[(&str, &str, &str, &str)] = &[
    ("shop.customers", "referrer_id", "shop.customers", "id"),
    ("shop.orders", "customer_id", "shop.customers", "id"),
    ("shop.orders", "employee_id", "shop.employees", "id"),
    ("shop.order_items", "order_id", "shop.orders", "id"),
    ("shop.order_items", "product_id", "shop.products", "id"),
    ("shop.payments", "order_id", "shop.orders", "id"),
    ("shop.employees", "manager_id", "shop.employees", "id"),
    ("shop.order_tags", "order_id", "shop.orders", "id"),
    ("shop.order_tags", "tag_id", "shop.tags", "id"),
    (
        "shop.customer_details",
        "customer_id",
        "shop.customers",
        "id",
    ),
    ("shop.seats", "person_id", "shop.customers", "id"),
    ("shop.seats", "person_id", "shop.employees", "id"),
];
