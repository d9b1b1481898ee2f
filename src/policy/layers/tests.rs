//! What extending does to each kind of key, and what is refused.

use super::super::tests::yaml;
use super::super::{Policy, PolicyRule, RuleMode};
use super::*;

/// Reads texts by name, the first one's policy.
fn read(texts: &[(&str, &str)]) -> Result<Policy, Vec<String>> {
    let named = |word: &str| {
        let found = texts.iter().find(|(name, _)| *name == word);
        let (name, text) = found.ok_or_else(|| format!("{word} is nowhere"))?;
        Ok(ExtendedText {
            origin: (*name).to_owned(),
            identity: (*name).to_owned(),
            text: (*text).to_owned(),
        })
    };
    let own: Result<_, String> = named(texts[0].0);
    let layers = PolicyLayers::read(own.unwrap(), |word, _| named(word));
    let read = layers.and_then(|layers| Policy::of_layers(&layers));
    read.map_err(|problems| problems.iter().map(ToString::to_string).collect())
}

/// The policy of a base, and one that says this over it.
fn over_base(base: &str, own: &str) -> Policy {
    let own = format!("name: own\nextends: base\n{own}");
    let texts = [("own", own.as_str()), ("base", base)];
    read(&texts).unwrap_or_else(|wrong| panic!("{own}\n{wrong:#?}"))
}

#[track_caller]
fn same(base: &str, own: &str, flat: &str) {
    let flat = Policy::from_yaml(&format!("name: own\n{flat}"));
    let flat = flat.unwrap_or_else(|wrong| panic!("{wrong:#?}"));
    let over = over_base(base, own);
    assert_eq!(over.version(), flat.version(), "{base}\n--\n{own}");
}

#[track_caller]
fn wrong(texts: &[(&str, &str)], wanted: &str) {
    let said = read(texts).expect_err(wanted).join("\n");
    assert!(said.contains(wanted), "{said}");
}

#[test]
fn who_extends_a_policy_and_says_no_more_has_it() {
    for (name, text) in Policy::BUILT_IN {
        let own = Policy::from_yaml(&format!("name: {name}\nextends: {name}")).unwrap();
        assert_eq!(own.version(), Policy::from_yaml(text).unwrap().version());
        assert!(own.tests().is_empty());
    }
}

#[test]
fn keys_replace_and_lists_add() {
    for (base, own, flat) in [
        ("mode: observe", "", "mode: observe"),
        ("mode: observe", "mode: enforce", "mode: enforce"),
        (
            "catalog: preferred",
            "mode: observe",
            "catalog: preferred\nmode: observe",
        ),
        (
            "timeouts: {statement_timeout: 1s, lock_timeout: 2s}",
            "timeouts: {lock_timeout: 3s}",
            "timeouts: {statement_timeout: 1s, lock_timeout: 3s}",
        ),
        (
            "relations: {allow: [a.b], deny: [a.c]}",
            "relations: {allow: [a.d, a.b], deny: [a.e]}",
            "relations: {allow: [a.b, a.d], deny: [a.c, a.e]}",
        ),
        (
            "relations: {allow: any}",
            "relations: {allow: [a.b]}",
            "relations: {allow: [a.b]}",
        ),
        ("relations: {allow: [a.b]}", "relations: {allow: any}", ""),
        (
            "relations: {allow: [a.b]}",
            "relations: {deny: [c.d]}",
            "relations: {allow: [a.b], deny: [c.d]}",
        ),
        (
            "functions: {allow: [f], trusted_schemas: any}",
            "functions: {trusted_schemas: [a]}",
            "functions: {allow: [f], trusted_schemas: [a]}",
        ),
        (
            "functions: {trusted_schemas: [b]}",
            "functions: {trusted_schemas: [a]}",
            "functions: {trusted_schemas: [a, b]}",
        ),
        (
            "foreign: {tables: [a.b]}",
            "foreign: {servers: [s]}",
            "foreign: {tables: [a.b], servers: [s]}",
        ),
        (
            "limits: {nesting: 3, result_rows: 5}",
            "limits: {nesting: \"off\"}",
            "limits: {result_rows: 5}",
        ),
        (
            "rules: {nesting: observe}",
            "rules: {relation_denied: observe}",
            "rules: {nesting: observe, relation_denied: observe}",
        ),
        (
            "rules: {nesting: observe}",
            "rules: {nesting: enforce}",
            "rules: {nesting: enforce}",
        ),
        (
            "repair: {mode: apply, gates: {score_min: 0.9}}",
            "repair: {gates: {tables_max: 2}}",
            "repair: {mode: apply, gates: {score_min: 0.9, tables_max: 2}}",
        ),
        (
            "statements: {deny: [copy]}",
            "statements: {deny: [show]}",
            "statements: {deny: [copy, show]}",
        ),
        ("priority: 3", "", "priority: 3"),
    ] {
        same(base, own, flat);
    }
}

#[test]
fn what_means_something_as_a_whole_is_replaced_as_a_whole() {
    for (base, own, flat) in [
        (
            "models: {a.b: {sql: SELECT 1, about: x}, a.c: {sql: SELECT 2}}",
            "models: {a.b: {sql: SELECT 3}}",
            "models: {a.b: {sql: SELECT 3}, a.c: {sql: SELECT 2}}",
        ),
        (
            "settings: {allow: {jit: [on, off], geqo: any}, deny: [x]}",
            "settings: {allow: {JIT: [on]}, deny: [y]}",
            "settings: {allow: {jit: [on], geqo: any}, deny: [x, y]}",
        ),
        (
            "settings: {allow: {extra_float_digits: {min: 1, max: 3}}}",
            "settings: {allow: {extra_float_digits: {min: 0, max: 2}}}",
            "settings: {allow: {extra_float_digits: {min: 0, max: 2}}}",
        ),
        (
            "match: {user: a, database: b}",
            "match: {user: c}",
            "match: {user: c}",
        ),
        ("match: {user: [a]}", "", "match: {user: a}"),
        (
            "statements: {with_hold: {max_rows: 5, max_cursors: 2}}",
            "statements: {with_hold: {max_rows: 9}}",
            "statements: {with_hold: {max_rows: 9}}",
        ),
    ] {
        same(base, own, flat);
    }
}

#[test]
fn a_list_or_a_map_can_take_the_place_of_the_one_below() {
    for (base, own, flat) in [
        (
            "relations: {allow: [a.b], deny: [a.c]}",
            "replace: [relations.deny, relations.allow]\nrelations: {deny: [], allow: [a.z]}",
            "relations: {allow: [a.z]}",
        ),
        (
            "models: {a.b: {sql: SELECT 1}}",
            "replace: [models]\nmodels: {}",
            "",
        ),
        (
            "settings: {allow: {geqo: any}, deny: [x]}",
            "replace: [settings.allow]\nsettings: {allow: {jit: any}}",
            "settings: {allow: {jit: any}, deny: [x]}",
        ),
        (
            "limits: {nesting: 2}",
            "replace: [limits]\nlimits: {result_rows: 2}",
            "limits: {result_rows: 2}",
        ),
    ] {
        same(base, own, flat);
    }
}

#[test]
fn names_and_tests_are_those_of_one_file() {
    let base = yaml("base", "tests", "[{statement: SELECT 1, expect: permit}]");
    let own = over_base(&base, "tests: [{statement: SELECT 2, expect: permit}]");
    assert_eq!((own.name(), own.tests().len()), ("own", 1));
    assert_eq!(over_base(&base, "").tests().len(), 0);
    wrong(
        &[("a", "extends: agent"), ("agent", "name: x")],
        "a:1:1 name: this key is missing",
    );
}

#[test]
fn several_extend_one_another_in_a_row() {
    let policy = read(&[
        ("a", "name: a\nextends: b\nrelations: {deny: [x.a]}"),
        (
            "b",
            "extends: c\nreplace: [relations.deny]\nrelations: {deny: [x.b]}\nmode: observe",
        ),
        ("c", "relations: {deny: [x.c], allow: [x.d]}\nmode: enforce"),
    ])
    .unwrap();
    let access = policy.access();
    let denied: Vec<String> = access
        .relations_denied
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(denied, ["x.a", "x.b"]);
    assert_eq!(
        policy.mode_of(super::super::PolicyRule::Nesting),
        RuleMode::Observe
    );
    assert!(access.allows("x", "d") && !access.allows("x", "e"));
}

#[test]
fn what_is_wrong_names_the_file_that_it_is_in() {
    for (texts, wanted) in [
        (
            &[("a", "name: a\nextends: b"), ("b", "name: b\nmode: off")][..],
            "b:2:7 mode: one of enforce, observe",
        ),
        (
            &[("a", "name: a\nextends: b\nmod: x"), ("b", "relation: {}")],
            "b:1:1 relation: unknown key; did you mean relations?",
        ),
        (
            &[("a", "name: a\nextends: b\nmod: x"), ("b", "relation: {}")],
            "a:3:1 mod: unknown key; did you mean mode?",
        ),
        (
            &[("a", "name: a\nextends: b"), ("b", "relations: [")],
            "b:1:12: not readable as YAML",
        ),
        (
            &[("a", "name: a\nextends: b"), ("b", "")],
            "b:1:1: the file is empty",
        ),
        (
            &[("a", "name: a\nextends: b"), ("b", "listen: 1")],
            "b:1:1: this is a settings file",
        ),
        (
            &[("a", "name: a\nextends: c")],
            "a:2:10 extends: c is nowhere",
        ),
        (
            &[("a", "name: a\nextends: [b]")],
            "a:2:10 extends: one policy is wanted",
        ),
        (
            &[("a", "name: a\nextends:")],
            "extends: one policy is wanted",
        ),
        (
            &[("a", "name: a\nextends: a")],
            "a:2:10 extends: a extends itself in the end",
        ),
        (
            &[
                ("a", "name: a\nextends: b"),
                ("b", "extends: c"),
                ("c", "extends: b"),
            ],
            "c:1:10 extends: b extends itself in the end",
        ),
        (
            &[
                ("a", "name: a\nextends: b"),
                ("b", "relations: {deny: [a.b, a.b]}\nextends: 1.5"),
            ],
            "b:2:10 extends: 1.5 is nowhere",
        ),
        (
            &[
                ("a", "name: a\nextends: b\nrelations: {deny: [x.y]}"),
                ("b", "relations: {allow: [x.y]}"),
            ],
            "a:3:20 relations.deny: x.y is also allowed",
        ),
    ] {
        wrong(texts, wanted);
    }
    let many: Vec<(String, String)> = (0..=POLICY_LAYERS_MAX)
        .map(|at| {
            (
                format!("p{at}"),
                format!("name: p{at}\nextends: p{}", at + 1),
            )
        })
        .collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    wrong(
        &many,
        "p8:2:10 extends: at most 8 policies are extended one by another",
    );
}

#[test]
fn knowledge_stands_in_files_beside_a_policy_and_in_those_it_extends() {
    let texts = [
        (
            "own",
            "name: own\nextends: base\nknowledge: {files: [one, two], style: {a: {note: own}}}",
        ),
        ("base", "knowledge: [three]\nmode: observe"),
        (
            "one",
            "style: {a: {note: one}, b: {note: one}, c: {note: one}}",
        ),
        ("two", "style: {b: {note: two}}\nterm: {t: {meaning: two}}"),
        ("three", "style: {c: {note: three}, d: {note: three}}"),
    ];
    let policy = read(&texts).unwrap();
    let said: Vec<(&str, &str)> = { &policy.knowledge().records }
        .iter()
        .map(|record| {
            let (_, note) = record.texts().pop().unwrap();
            (record.name.as_str(), note)
        })
        .collect();
    let wanted = [
        ("t", "two"),
        ("a", "own"),
        ("b", "two"),
        ("c", "one"),
        ("d", "three"),
    ];
    assert_eq!(said, wanted);
    assert_eq!(policy.mode_of(PolicyRule::Nesting), RuleMode::Observe);
    let flat = "name: own\nmode: observe\nknowledge: {term: {t: {meaning: two}}, style: {a: \
        {note: own}, b: {note: two}, c: {note: one}, d: {note: three}}}";
    assert_eq!(policy.version(), Policy::from_yaml(flat).unwrap().version());
}

#[test]
fn what_is_wrong_with_files_of_knowledge_is_said() {
    for (own, file, wanted) in [
        ("knowledge: [none]", "", "none is nowhere"),
        (
            "knowledge: file",
            "",
            "a list of files, or a map of records, is wanted here",
        ),
        ("knowledge: {files: file}", "", "a list of files, or a map"),
        ("knowledge: [[file]]", "", "a list of files, or a map"),
        (
            "knowledge: [file]",
            "",
            "file:1:1 knowledge: a map of keys is wanted here",
        ),
        (
            "knowledge: [file]",
            "style: {a: {}}",
            "file:1:12 knowledge.style.a.note",
        ),
        (
            "knowledge: [file]",
            "name: agent",
            "file:1:1 knowledge.name: unknown key",
        ),
        (
            "knowledge: [file]",
            "files: [own]",
            "file:1:8 knowledge.files: files of knowledge name no others",
        ),
        ("knowledge: [file]", "style: {a: {note: 'x", "file:"),
    ] {
        let own = format!("name: own\n{own}");
        wrong(&[("own", &own), ("file", file)], wanted);
    }
    let many = (0..=KNOWLEDGE_FILES_MAX).map(|number| format!("f{number}"));
    let many = format!(
        "name: own\nknowledge: [{}]",
        many.collect::<Vec<_>>().join(", ")
    );
    wrong(&[("own", &many)], "at most 50 files of knowledge are read");
}

#[test]
fn what_is_replaced_has_to_be_there() {
    for (own, wanted) in [
        (
            "replace: [models]",
            "there is nothing to replace: the policy extends no other",
        ),
        (
            "extends: agent\nreplace: models",
            "a list is wanted here, as [relations.allow]",
        ),
        (
            "extends: agent\nreplace: [models]",
            "models is not in this file",
        ),
        (
            "extends: agent\nreplace: [relations.allow]\nrelations: {deny: []}",
            "relations.allow is not in this file: write what takes its place, such as allow: []",
        ),
        (
            "extends: agent\nreplace: [mode]\nmode: enforce",
            "mode is no list and no map",
        ),
        (
            "extends: agent\nreplace: [[a]]",
            "the path of a key is wanted",
        ),
        (
            "extends: /tmp/x.yaml",
            "/tmp/x.yaml is none of the program's own policies",
        ),
    ] {
        let said = Policy::from_yaml(&format!("name: a\n{own}")).unwrap_err();
        let said: Vec<String> = said.iter().map(ToString::to_string).collect();
        assert!(said.join("\n").contains(wanted), "{said:?}");
    }
}

#[test]
fn every_section_can_be_left_out() {
    let policy = Policy::from_yaml("name: a").unwrap();
    assert_eq!(policy.timeouts(), Policy::agent().timeouts());
    assert_eq!(policy.statement_bytes(), Policy::agent().statement_bytes());
    assert_eq!(
        policy.setting("datestyle"),
        Policy::agent().setting("datestyle")
    );
    assert_eq!(
        policy.setting("statement_timeout"),
        Policy::agent().setting("statement_timeout")
    );
    assert!(!policy.trusts_schema("shop") && !policy.hides());
    let strict = Policy::strict().statements();
    assert_eq!(policy.statements(), strict);
    let bounded = Policy::from_yaml("name: a\ntimeouts: {statement_timeout: 1s}").unwrap();
    assert_eq!(
        bounded.setting("statement_timeout"),
        Some(&super::super::ValueRule::AtMost { ms: 1000 })
    );
}
