//! Calculated columns: what is put into a model's SELECT, and what may not be.

use super::super::super::tests::{policy_with, said_of, version_with};
use super::*;
use crate::PolicyModel;

/// Models and what they follow, as keys of `models` with the sections behind it.
fn keys(columns: &[(&str, &str)]) -> String {
    let columns = columns.iter().map(|(name, expression)| {
        let (name, expression) = (json(name), json(expression));
        format!("{name}: {{expression: {expression}}}")
    });
    let columns = columns.collect::<Vec<_>>().join(", ");
    format!(
        "shop.orders: {{sql: {}, columns: {{{columns}}}}}{KNOWN}",
        json(OWN)
    )
}

fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

const OWN: &str = "SELECT id, total, refunded, customer_no, day AS \"Odd day\" FROM shop.orders";

const KNOWN: &str = "}\nsettings: {allow: {app.x: any}}\nknowledge: {relationship: {\
    customer: {from: shop.orders(customer_no), to: shop.customers(no)}, \
    place: {from: 'shop.orders(total, id)', to: 'shop.\"Places\"(\"a b\", id)'}, \
    other: {from: shop.items(a), to: shop.customers(no)}}";

fn model_of(columns: &[(&str, &str)]) -> PolicyModel {
    let policy = policy_with("models", &keys(columns));
    policy.models()[0].clone()
}

/// The SELECT, with values in guillemets.
fn written(model: &PolicyModel) -> String {
    let shown = model.pieces.iter().map(|piece| match piece {
        ModelPiece::Sql(sql) => sql.clone(),
        ModelPiece::Value(value) => format!("«{value}»"),
    });
    shown.collect()
}

#[test]
fn expressions_stand_behind_the_columns_of_the_select() {
    for (expression, wanted) in [
        ("total - refunded", "(\"model\".total - \"model\".refunded)"),
        ("orders.total", "(\"model\".total)"),
        ("\"orders\".\"Odd day\" + 1", "(\"model\".\"Odd day\" + 1)"),
        (
            "coalesce(total, 0)::text",
            "(coalesce(\"model\".total, 0)::text)",
        ),
        ("1", "(1)"),
        (
            "total > 0 AND :user = 'a'",
            "(\"model\".total > 0 AND  «:user»  = 'a')",
        ),
        (":app.x", "( «:app.x» )"),
        // Not tried before all was done: those from here, and the last one.
        (
            "CASE WHEN total IS NULL THEN 'x' ELSE orders.day END",
            "(CASE WHEN \"model\".total IS NULL THEN 'x' ELSE \"model\".day END)",
        ),
        ("(\"Odd day\")[1:2]", "((\"model\".\"Odd day\")[1:2])"),
        (
            "upper(customer.name)",
            "(SELECT (upper(\"r1\".name)) FROM (SELECT) AS \"one\" LEFT JOIN \
             \"shop\".\"customers\" AS \"r1\" ON \"r1\".\"no\" = \"model\".\"customer_no\")",
        ),
        (
            "place.\"x y\" || id || customer.id",
            "(SELECT (\"r1\".\"x y\" || \"model\".id || \"r2\".id) FROM (SELECT) AS \"one\" \
             LEFT JOIN \"shop\".\"customers\" AS \"r2\" ON \"r2\".\"no\" = \
             \"model\".\"customer_no\" LEFT JOIN \"shop\".\"Places\" AS \"r1\" ON \
             \"r1\".\"a b\" = \"model\".\"total\" AND \"r1\".\"id\" = \"model\".\"id\")",
        ),
    ] {
        let model = model_of(&[("new \"one\"", expression)]);
        assert_eq!(
            written(&model),
            format!(
                "SELECT \"model\".*, {wanted} AS \"new \"\"one\"\"\" FROM ({OWN}) AS \"model\""
            ),
            "{expression}"
        );
    }
}

#[test]
fn what_a_column_reads_is_known() {
    let model = model_of(&[("b", "customer.name || refunded"), ("a", "orders.total")]);
    let [a, b] = model.calculated.all.as_slice() else {
        panic!("two columns")
    };
    assert_eq!(
        (a.name.as_str(), a.own.as_slice()),
        ("a", &["total".to_owned()][..])
    );
    assert!(a.others.is_empty());
    let CalculatedColumn { name, own, others } = b;
    assert_eq!(
        (name.as_str(), own.as_slice()),
        ("b", &["customer_no".to_owned(), "refunded".into()][..])
    );
    assert_eq!(others.len(), 1);
    assert_eq!(others[0].to_string(), "shop.customers(name, no)");
    let taken = &model.pieces[..model.calculated.pieces];
    assert!(
        taken
            .iter()
            .all(|piece| !matches!(piece, ModelPiece::Sql(sql) if sql.contains(OWN)))
    );
    assert!(model.columns.is_empty());
}

#[test]
fn what_is_no_one_value_of_columns_is_said_with_its_place() {
    for (expression, wanted) in REFUSED {
        let found = said_of("models", &keys(&[("x", expression)]));
        assert!(found.contains(wanted), "{expression}: {found}");
        let place = "models.shop.orders.columns.x.expression: ";
        assert_eq!(found.matches(place).count(), 1, "{expression}: {found}");
        assert!(!found.contains("secret"), "{expression}: {found}");
    }
}

#[rustfmt::skip]
const REFUSED: &[(&str, &str)] = &[
    ("1) AS x, (SELECT secret FROM t", "does not read this"),
    ("a FROM b --", "comments are not"),
    ("a; DELETE FROM secret", "without a semicolon"),
    ("$1", "are the client's"),
    ("(SELECT 1)", "holds no query"),
    ("ARRAY(SELECT 1)", "holds no query"),
    ("id IN (SELECT 1)", "holds no query"),
    ("count(*)", "an aggregate is of many rows"),
    ("rank() OVER ()", "a window function"),
    ("sum(total) FILTER (WHERE true)", "an aggregate is of many rows"),
    ("id, total", "exactly one expression"),
    ("(id, total)", "this is a row"),
    ("*", "exactly one expression"),
    ("orders.*", "each column is named"),
    ("id AS b", "exactly one expression"),
    ("id b", "exactly one expression"),
    ("id UNION SELECT secret", "exactly one expression"),
    ("id ORDER BY 1", "exactly one expression"),
    ("shop.orders.total", "behind the model's name"),
    ("nobody.name", "nobody is neither the model nor a relationship"),
    ("custmer.name", "did you mean customer?"),
    ("other.name", "leads from shop.items(a), and this is shop.orders"),
    ("xmin", "xmin is a column of the server"),
    ("customer.tableoid", "tableoid is a column of the server"),
    ("", "an expression is wanted"),
    (":nobody", "no value of a session"),
    ("E'a'\n:user", "grow together"),
    ("id) FROM b WHERE (true", "does not read this"),
    ("id INTO secret", "exactly one expression"),
    ("id FOR UPDATE", "exactly one expression"),
    ("id FROM secret", "exactly one expression"),
    ("TABLE secret", "does not read this"),
    ("grouping(id)", "an aggregate is of many rows"),
    ("xmlelement(name a)", "make an expression"),
    // Written with those above, and not tried before all was done.
    ("a FROM secret", "exactly one expression"),
    ("a /* x */", "comments are not"),
    ("EXISTS (SELECT 1)", "holds no query"),
    ("sum(DISTINCT total)", "an aggregate is of many rows"),
    ("percentile_cont(0.5) WITHIN GROUP (ORDER BY total)", "an aggregate is of many rows"),
    ("ROW(id, total)", "this is a row"),
    ("customer.*", "each column is named"),
    ("DISTINCT id", "exactly one expression"),
    ("id LIMIT 1", "exactly one expression"),
    ("orders.ctid", "ctid is a column of the server"),
    ("total + ", "does not read this"),
    (":'user'", "is written without quotes"),
    ("a) FROM (SELECT 1) AS model, (SELECT secret FROM t", "does not read this"),
    ("a) UNION ALL (SELECT secret FROM t", "does not read this"),
    ("(WITH x AS (SELECT 1) SELECT 1)", "holds no query"),
    ("U&\"d!0061t\" UESCAPE '!'", "make an expression"),
];

#[test]
fn names_of_columns_are_their_own() {
    for (columns, wanted) in [
        (
            &[("total", "id + 1")][..],
            "its SELECT gives a column total already",
        ),
        (&[("Odd day", "id + 1")], "gives a column Odd day already"),
        (&[("", "id + 1")], "a name of 1 to 63 bytes"),
        (&[("a", "id + 1"), ("a", "id + 2")], "a is given twice"),
        (&[("a", "b + 1"), ("b", "nobody.x")], "nobody is neither"),
    ] {
        let found = said_of("models", &keys(columns));
        assert!(found.contains(wanted), "{columns:?}: {found}");
    }
    for (columns, wanted) in [
        (
            "{a: {expression: id, sum: x}}",
            "known here: about, expression",
        ),
        (
            "{a: {expression: [id]}}",
            "models.shop.orders.columns.a.expression: ",
        ),
        ("{a: [id]}", "models.shop.orders.columns.a: "),
        (
            "{a: {expression: ':app.y'}}",
            ":app.y is a setting that no client may set",
        ),
    ] {
        let found = said_of(
            "models",
            &format!("shop.orders: {{sql: SELECT 1, columns: {columns}}}{KNOWN}"),
        );
        assert!(found.contains(wanted), "{columns}: {found}");
    }
}

#[test]
fn a_relationship_of_the_models_name_is_no_relationship_of_it() {
    let known = KNOWN.replace("customer:", "orders:");
    let keys = keys(&[("x", "orders.total")]).replace(KNOWN, &known);
    let found = said_of("models", &keys);
    assert!(
        found.contains("orders is the model and a relationship"),
        "{found}"
    );
}

#[test]
fn the_version_is_that_of_what_they_read() {
    let version = |keys: String| version_with("models", &keys);
    let one = keys(&[("a", "total"), ("b", "customer.name")]);
    assert_eq!(
        version(one.clone()),
        version(keys(&[("b", "customer.name"), ("a", "total")]))
    );
    assert_ne!(version(one.clone()), version(keys(&[("a", "total")])));
    assert_ne!(
        version(one.clone()),
        version(one.replace("shop.customers(no)", "shop.customers(id)"))
    );
    let words = "shop.orders: {sql: SELECT 1 AS a, columns: {a: x}}";
    let same = "shop.orders: {sql: SELECT 1 AS a, columns: {a: {about: x}}}";
    assert_eq!(version(words.into()), version(same.into()));
}

proptest::proptest! {
    #[test]
    fn whatever_an_expression_is_the_select_stays_one(
        parts in proptest::collection::vec(proptest::sample::select(PARTS), 1..12),
    ) {
        let expression = parts.concat();
        if let Ok(read) = ScalarExpression::read(&expression) {
            let pieces = read.pieces(|_| MODEL.to_owned()).unwrap();
            let mut all = vec![ModelPiece::Sql(format!("SELECT {MODEL}.*, ("))];
            all.extend(pieces);
            all.push(ModelPiece::Sql(") AS \"x\" FROM (SELECT 1 AS a) AS \"model\"".into()));
            let calculated = CalculatedColumns {
                all: vec![CalculatedColumn { name: "x".into(), own: Vec::new(), others: Vec::new() }],
                pieces: 0,
            };
            proptest::prop_assert_eq!(check(&all, &calculated), Ok(()), "{}", expression);
            let (text, _) = model_sql::filled(&all, "'x'");
            // A literal that says so reads nothing.
            let mut others = sql::lexer::tokens(&text).filter(|token| !token.kind.is_constant());
            let names_it = |token: sql::lexer::Token| {
                text.get(token.span).is_some_and(|word| word.contains("secret"))
            };
            proptest::prop_assert!(!others.any(names_it), "{}", expression);
        }
    }
}

const PARTS: &[&str] = &[
    "a",
    "b.c",
    "customer.name",
    ":user",
    " ",
    "\n",
    ",",
    "(",
    ")",
    "'x'",
    "'",
    "E'",
    "$$",
    "--",
    "/*",
    "*/",
    " FROM secret",
    " AS ",
    "(SELECT secret FROM t)",
    " UNION ALL SELECT ",
    "+",
    "-",
    "||",
    "::text",
    "\"",
    "\"q\"",
    "U&\"a\"",
    " UESCAPE '!'",
    " COLLATE \"C\"",
    "CASE WHEN ",
    " THEN ",
    " END",
    "f(",
    "[",
    "]",
    "1",
    ".",
    "*",
    ";",
    " IS NULL",
    " AND ",
    " IN (1)",
    " OVER ()",
    "ARRAY[",
    "\\",
];
