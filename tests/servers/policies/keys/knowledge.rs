//! Cases of the keys about knowledge: it is told and lets nothing through, so that what a key does
//! is seen where policies are checked. Who is told what is tested with groundings.

use super::{Case, Shown};

pub(super) const CASES: &[Case] = &[
    checked(
        "knowledge.files",
        &[],
        r#"knowledge/files="library.yaml""#,
        "knowledge/files=[]",
    ),
    checked(
        "knowledge.term.*.meaning",
        TERM,
        r#"knowledge/term/a/meaning="""#,
        r#"knowledge/term/a/meaning="another""#,
    ),
    checked(
        "knowledge.term.*.about",
        TERM,
        r#"knowledge/term/a/about=["orders"]"#,
        r#"knowledge/term/a/about=["shop.orders", "*.*.id"]"#,
    ),
    checked(
        "knowledge.term.*.users",
        TERM,
        r#"knowledge/term/a/users={"a": "b"}"#,
        r#"knowledge/term/a/users=["ann", "b*"]"#,
    ),
    checked(
        "knowledge.quirk.*.note",
        QUIRK,
        r#"knowledge/quirk/a/note=["a"]"#,
        r#"knowledge/quirk/a/note="another""#,
    ),
    checked(
        "knowledge.quirk.*.about",
        QUIRK,
        r#"knowledge/quirk/a/about=["orders"]"#,
        r#"knowledge/quirk/a/about=["shop.orders", "*.*.id"]"#,
    ),
    checked(
        "knowledge.quirk.*.users",
        QUIRK,
        r#"knowledge/quirk/a/users={"a": "b"}"#,
        r#"knowledge/quirk/a/users=["ann", "b*"]"#,
    ),
    checked(
        "knowledge.correction.*.wrong",
        CORRECTION,
        r#"knowledge/correction/a/wrong="""#,
        r#"knowledge/correction/a/wrong="another""#,
    ),
    checked(
        "knowledge.correction.*.right",
        CORRECTION,
        r#"knowledge/correction/a/right={}"#,
        r#"knowledge/correction/a/right="another""#,
    ),
    checked(
        "knowledge.correction.*.about",
        CORRECTION,
        r#"knowledge/correction/a/about=["orders"]"#,
        r#"knowledge/correction/a/about=["shop.orders", "*.*.id"]"#,
    ),
    checked(
        "knowledge.correction.*.users",
        CORRECTION,
        r#"knowledge/correction/a/users={"a": "b"}"#,
        r#"knowledge/correction/a/users=["ann", "b*"]"#,
    ),
    checked(
        "knowledge.relationship.*.from",
        RELATIONSHIP,
        r#"knowledge/relationship/a/from="shop.orders.customer""#,
        r#"knowledge/relationship/a/from="shop.orders(id)""#,
    ),
    checked(
        "knowledge.relationship.*.to",
        RELATIONSHIP,
        r#"knowledge/relationship/a/to="shop.customers""#,
        r#"knowledge/relationship/a/to="shop.customers(region)""#,
    ),
    checked(
        "knowledge.relationship.*.note",
        RELATIONSHIP,
        r#"knowledge/relationship/a/note="""#,
        r#"knowledge/relationship/a/note="another""#,
    ),
    checked(
        "knowledge.relationship.*.users",
        RELATIONSHIP,
        r#"knowledge/relationship/a/users={"a": "b"}"#,
        r#"knowledge/relationship/a/users=["ann", "b*"]"#,
    ),
    checked(
        "knowledge.metric.*.base",
        METRIC,
        r#"knowledge/metric/a/base="orders""#,
        r#"knowledge/metric/a/base="shop.customers""#,
    ),
    checked(
        "knowledge.metric.*.measure",
        METRIC,
        r#"knowledge/metric/a/measure="1) AS x, (2""#,
        r#"knowledge/metric/a/measure="sum(id)""#,
    ),
    checked(
        "knowledge.metric.*.dimensions",
        METRIC,
        r#"knowledge/metric/a/dimensions={"x": "a FROM b"}"#,
        r#"knowledge/metric/a/dimensions={"x": "id"}"#,
    ),
    checked(
        "knowledge.metric.*.time",
        METRIC,
        r#"knowledge/metric/a/time="a.b""#,
        r#"knowledge/metric/a/time="id""#,
    ),
    checked(
        "knowledge.metric.*.grain",
        METRIC_OVER_TIME,
        r#"knowledge/metric/a/grain="decade""#,
        r#"knowledge/metric/a/grain=["day", "year"]"#,
    ),
    checked(
        "knowledge.metric.*.filters",
        METRIC,
        r#"knowledge/metric/a/filters=["a; b"]"#,
        r#"knowledge/metric/a/filters=["id > 0"]"#,
    ),
    checked(
        "knowledge.metric.*.as",
        METRIC,
        r#"knowledge/metric/a/as="own""#,
        r#"knowledge/metric/a/as="shop.own""#,
    ),
    checked(
        "knowledge.metric.*.note",
        METRIC,
        r#"knowledge/metric/a/note="""#,
        r#"knowledge/metric/a/note="another""#,
    ),
    checked(
        "knowledge.metric.*.users",
        METRIC,
        r#"knowledge/metric/a/users={"a": "b"}"#,
        r#"knowledge/metric/a/users=["ann", "b*"]"#,
    ),
    checked(
        "knowledge.example.*.question",
        EXAMPLE,
        r#"knowledge/example/a/question="""#,
        r#"knowledge/example/a/question="another""#,
    ),
    checked(
        "knowledge.example.*.sql",
        EXAMPLE,
        r#"knowledge/example/a/sql="DELETE FROM shop.orders""#,
        r#"knowledge/example/a/sql="SELECT id FROM shop.orders""#,
    ),
    checked(
        "knowledge.example.*.about",
        EXAMPLE,
        r#"knowledge/example/a/about=["orders"]"#,
        r#"knowledge/example/a/about=["shop.orders", "*.*.id"]"#,
    ),
    checked(
        "knowledge.example.*.users",
        EXAMPLE,
        r#"knowledge/example/a/users={"a": "b"}"#,
        r#"knowledge/example/a/users=["ann", "b*"]"#,
    ),
    checked(
        "knowledge.clarify.*.when",
        CLARIFY,
        r#"knowledge/clarify/a/when="""#,
        r#"knowledge/clarify/a/when="another""#,
    ),
    checked(
        "knowledge.clarify.*.ask",
        CLARIFY,
        r#"knowledge/clarify/a/ask=[]"#,
        r#"knowledge/clarify/a/ask="another""#,
    ),
    checked(
        "knowledge.clarify.*.about",
        CLARIFY,
        r#"knowledge/clarify/a/about=["orders"]"#,
        r#"knowledge/clarify/a/about=["shop.orders", "*.*.id"]"#,
    ),
    checked(
        "knowledge.clarify.*.users",
        CLARIFY,
        r#"knowledge/clarify/a/users={"a": "b"}"#,
        r#"knowledge/clarify/a/users=["ann", "b*"]"#,
    ),
    checked(
        "knowledge.style.*.note",
        STYLE,
        r#"knowledge/style/a/note="""#,
        r#"knowledge/style/a/note="another""#,
    ),
    checked(
        "knowledge.style.*.about",
        STYLE,
        r#"knowledge/style/a/about=["orders"]"#,
        r#"knowledge/style/a/about=["shop.orders", "*.*.id"]"#,
    ),
    checked(
        "knowledge.style.*.users",
        STYLE,
        r#"knowledge/style/a/users={"a": "b"}"#,
        r#"knowledge/style/a/users=["ann", "b*"]"#,
    ),
];

const fn checked(
    key: &'static str,
    edits: &'static [(&'static str, &'static str)],
    bites: &'static str,
    spares: &'static str,
) -> Case {
    let shown = Shown::Checked { bites, spares };
    Case { key, edits, shown }
}

const TERM: &[(&str, &str)] = &[("knowledge/term/a", r#"{"meaning": "m"}"#)];
const QUIRK: &[(&str, &str)] = &[(
    "knowledge/quirk/a",
    r#"{"note": "n", "about": "shop.orders"}"#,
)];
const CORRECTION: &[(&str, &str)] =
    &[("knowledge/correction/a", r#"{"wrong": "w", "right": "r"}"#)];
const RELATIONSHIP: &[(&str, &str)] = &[(
    "knowledge/relationship/a",
    r#"{"from": "shop.orders(customer)", "to": "shop.customers(id)"}"#,
)];
const METRIC: &[(&str, &str)] = &[(
    "knowledge/metric/a",
    r#"{"base": "shop.orders", "measure": "count(*)"}"#,
)];
const METRIC_OVER_TIME: &[(&str, &str)] = &[(
    "knowledge/metric/a",
    r#"{"base": "shop.orders", "measure": "count(*)", "time": "id"}"#,
)];
const EXAMPLE: &[(&str, &str)] = &[(
    "knowledge/example/a",
    r#"{"question": "q", "sql": "SELECT 1"}"#,
)];
const CLARIFY: &[(&str, &str)] = &[("knowledge/clarify/a", r#"{"when": "w", "ask": "a"}"#)];
const STYLE: &[(&str, &str)] = &[("knowledge/style/a", r#"{"note": "n"}"#)];
