//! The places at which the gate, or what it asks, reads the value of a constant: a shape may leave
//! out no constant whose value one of them reads, and a place that is added has to be looked at.

use std::fs;

/// The lines of the gate and of `resolve` that have one of these words, for each file.
fn lines_with(words: &[&str]) -> Vec<(String, usize)> {
    let source = format!("{}/..", env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut folders = vec![format!("{source}/gate"), format!("{source}/resolve")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.to_str().unwrap().to_owned();
            if path.is_dir() {
                folders.push(name);
                continue;
            }
            let only_tests = [
                "tests.rs",
                "shape_statements.rs",
                "rules/check.rs",
                "refusal_laws.rs",
            ];
            let is_test = only_tests.iter().any(|end| name.ends_with(end));
            if !name.ends_with(".rs") || is_test {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            let reads = code.lines().filter(|line| {
                let is_comment = line.trim_start().starts_with("//");
                !is_comment && words.iter().any(|word| line.contains(word))
            });
            let count = reads.count();
            if count > 0 {
                let short = name.strip_prefix(&format!("{source}/")).unwrap().to_owned();
                found.push((short, count));
            }
        }
    }
    found.sort();
    found
}

#[track_caller]
fn check(words: &[&str], known: &[(&str, usize)]) {
    let mut known: Vec<_> = known
        .iter()
        .map(|(name, count)| ((*name).to_owned(), *count))
        .collect();
    known.sort();
    assert_eq!(lines_with(words), known);
}

#[test]
fn numbers_are_read_in_known_places() {
    let reads = [
        "ConstValue::Integer(",
        "ConstValue::Float(",
        "Node::Integer(",
        ".ival",
        "constant_integer",
    ];
    check(
        &reads,
        &[
            // A session's settings: no read, or one that touches settings.
            ("gate/rules/settings.rs", 3),
            // EXPLAIN, FETCH and the calls that pgsieve carries out itself.
            ("gate/rules/explain_analyze.rs", 2),
            ("gate/rules/with_hold.rs", 1),
            ("gate/recognized/backend_signal.rs", 2),
            // What is compared in a model's text, which runs in the place of the client's.
            ("gate/models/pushdown.rs", 2),
            ("gate/models/leakproof.rs", 1),
            // The type, which is the same for all: no value.
            ("gate/sql_literal.rs", 1),
            ("resolve/expression/value.rs", 2),
            // The places of columns behind ORDER BY, GROUP BY and DISTINCT ON.
            ("resolve/query/clauses.rs", 1),
            // That a shape's numbers are those of the tree.
            ("gate/cache/unread_constants.rs", 2),
        ],
    );
}

#[test]
fn strings_are_read_in_known_places() {
    check(
        &["ConstValue::String(", "constant_text", "TokenKind::String"],
        &[
            // Whether it is a string: no value.
            ("gate/effects/coercion.rs", 1),
            ("resolve/expression/value.rs", 1),
            // Any string of a statement, where it has a parenthesis: a shape leaves none of those
            // out.
            ("gate/effects/type_names.rs", 1),
            // What something is compared with, beside calls that a shape has no part in.
            ("gate/recognized/single_call.rs", 1),
            ("gate/recognized/backend_signal.rs", 1),
            // Arguments of calls, as they are or cast to a text: no operand of a comparison and no
            // time. The same of `set_config` and of `current_setting`.
            ("gate/rules/set_config.rs", 2),
            ("gate/rules/type_effects.rs", 1),
            ("gate/settings/search_path.rs", 2),
            ("gate/sql_literal.rs", 1),
            // A session's settings and EXPLAIN: no read.
            ("gate/rules/settings.rs", 1),
            ("gate/rules/explain_analyze.rs", 1),
            // What is compared in a model's text, which runs in the place of the client's.
            ("gate/models/pushdown.rs", 1),
            // The escape of a name, behind UESCAPE.
            ("gate/models/name_span.rs", 1),
            // How the pieces of a string are joined: a shape leaves none out that has several.
            ("gate/rules/engine_syntax.rs", 1),
            // The server's queryid, which a text that shares its verdict has none of.
            ("gate/queryid.rs", 2),
            // Shapes themselves.
            ("gate/cache/shape_text.rs", 2),
            ("gate/cache/unread_constants.rs", 2),
        ],
    );
}

/// Every value of a constant that is taken at all, whatever is done with it then.
#[test]
fn values_are_taken_in_known_places() {
    check(
        &[".val()"],
        &[
            // Those of the lists above, and truth values.
            ("gate/cache/unread_constants.rs", 2),
            ("gate/effects/coercion.rs", 1),
            ("gate/effects/type_names.rs", 1),
            ("gate/models/pushdown.rs", 1),
            ("gate/recognized/backend_signal.rs", 1),
            ("gate/rules/explain_analyze.rs", 1),
            ("gate/rules/set_config.rs", 2),
            ("gate/rules/settings.rs", 2),
            ("gate/rules/type_effects.rs", 1),
            ("gate/rules/with_hold.rs", 1),
            ("gate/sql_literal.rs", 1),
            ("resolve/expression/value.rs", 1),
            ("resolve/query/clauses.rs", 1),
            ("resolve/query/output_name.rs", 1),
            // One of a constant, the others of a target.
            ("gate/recognized/single_call.rs", 3),
            ("gate/settings/search_path.rs", 4),
            // The node that a target or an argument is.
            ("gate/catalog_view/relation_sets.rs", 1),
            ("gate/models/model_body.rs", 1),
            ("gate/rules/catalog_missing.rs", 1),
            ("gate/rules/several_statements.rs", 2),
            ("resolve/expression/json.rs", 1),
            ("resolve/expression/standard_form.rs", 2),
            ("resolve/from/xml_json_table.rs", 2),
            ("resolve/query/output.rs", 1),
        ],
    );
}

/// What is read of a text beside its tree: words, places, how its letters are encoded.
#[test]
fn texts_are_read_in_known_places() {
    let reads = [
        "context.text.",
        "context.text)",
        "context.text,",
        "context.text;",
        "tokens(",
    ];
    check(
        &reads,
        &[
            // What goes beyond ASCII in the text as a whole: a shape says it of each string.
            ("gate/effects/lookup.rs", 1),
            // The tokens before an engine with a lexer of its own: of a string, how its pieces are
            // joined; of a number, whether it ends in a point. A shape tells both.
            ("gate/rules/engine_syntax.rs", 2),
            // Whether the text is that of one question, in which nothing is compared.
            ("gate/mod.rs", 1),
            ("gate/recognized/receipt_question.rs", 2),
            // What is refused, and what is said of it.
            ("gate/access/refusal.rs", 3),
            ("gate/command_label.rs", 1),
            ("gate/effects/refusal.rs", 3),
            ("gate/function_bodies/mod.rs", 1),
            // What runs in the place of the client's text.
            ("gate/catalog_view/guards.rs", 2),
            ("gate/metrics/mod.rs", 2),
            ("gate/models/name_span.rs", 1),
            ("gate/models/substitution.rs", 2),
            ("gate/recognized/backend_signal.rs", 2),
            // LISTEN, DECLARE and a session's settings.
            ("gate/rules/listen_notify.rs", 1),
            ("gate/rules/settings.rs", 2),
            ("gate/rules/with_hold.rs", 2),
            ("gate/settings/read_write.rs", 9),
            // What is asked about a text that may run, and shapes themselves.
            ("gate/plan_question.rs", 2),
            ("gate/queryid.rs", 4),
            ("gate/cache/shape_text.rs", 1),
        ],
    );
}
