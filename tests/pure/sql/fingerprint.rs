//! One fingerprint for one statement, whatever its values and layout; others for others.

use pgsieve::sql::fingerprint::{Fingerprint, Fingerprinter};
use pgsieve::sql::lexer::tokens;
use proptest::prelude::*;

#[test]
fn values_and_layout_do_not_count() {
    same(&[
        "SELECT a FROM t WHERE b = 1",
        "select A from T where B=-22.5;",
        "SELECT a FROM t WHERE b = 'x' ; ; ",
        "SELECT a/* c */FROM t -- c\nWHERE b = E'\\''",
        "SELECT a FROM t WHERE b = $1",
        "SELECT a FROM t WHERE b = $q$ it's $q$",
        "SELECT a FROM t WHERE b = 'x'\n'y'",
        "SELECT a FROM t WHERE b = B'01'",
        "SELECT a FROM t WHERE b = U&'\\0061'",
        "SELECT\x0ba\u{c}FROM t WHERE b = 0xFF /* unended",
    ]);
    same(&[
        "SELECT a IN (1)",
        "SELECT a IN (1, 2)",
        "SELECT a IN ('x', -2, $3, +4)",
    ]);
    same(&["SELECT ARRAY[1]", "SELECT ARRAY[ 1, 2, 3 ]"]);
    same(&[
        "VALUES (1, 'a')",
        "VALUES (1, 'a'), (2, -3)",
        "VALUES (1, 2), (3, 4), (5, 6)",
    ]);
    same(&[
        "SELECT 1 LIMIT 5",
        "SELECT -1 LIMIT -5",
        "SELECT + 1 LIMIT 5",
    ]);
    same(&["", " ", ";", "-- a", "/* a */;;"]);
    same(&["SELECT 1; SELECT 2", "SELECT 1;; SELECT 2;"]);
}

#[test]
fn what_differs_differs() {
    differ(&[
        "",
        "SELECT a",
        "SELECT b",
        "SELECT \"A\"",
        "SELECT a FROM t",
        "SELECT a FROM s.t",
        "SELECT a FROM e.t",
        "SELECT f(1)",
        "SELECT g(1)",
        "SELECT f(1, 2)",
        "SELECT f('a', 2, 3)",
        "SELECT a - 1",
        "SELECT a + 1",
        "SELECT a -b",
        "SELECT a, -b",
        "SELECT 1, - b",
        "SELECT a(-1)",
        "SELECT 1 - 1",
        "SELECT 1 - - a",
        "BEGIN READ ONLY",
        "BEGIN READ WRITE",
        "EXECUTE a",
        "EXECUTE b",
        "VALUES (1)",
        "VALUES (1, 2)",
        "VALUES (1, 2), (a, 4)",
        "VALUES (1, 2), (1, a)",
        "VALUES (1, 2), (1, 2, 3)",
        "VALUES (1, 2), (1, 2, 3), (4, 5, 6)",
        "VALUES (1, 2), (-a, 3)",
        "VALUES (1, 2),",
        "VALUES (1, 2), (",
        "VALUES (1, 2), (3",
        "VALUES (1, 2), (3,",
        "VALUES (1, 2), (3, -",
        "SELECT a IN (1, b)",
        "SELECT a IN (1, 2, -b)",
        "SELECT a IN (b, 1)",
        "SELECT a IN (SELECT 1)",
        "SELECT a IN (1,",
        "SELECT a IN (1, -",
        "SELECT a NOT IN (1)",
        "SELECT ARRAY[[1], [2]]",
        "SELECT 1; SELECT 2",
        "SELECT 1; SELECT 2; SELECT 3",
        "SELECT a.b",
        "SELECT a b",
        "SELECT ab",
        "SELECT a::b",
        "SELECT a:b",
    ]);
    let deep = |name: &str| format!("SELECT {}{name}(1){}", "f(".repeat(500), ")".repeat(500));
    differ(&[&deep("g"), &deep("h")]);
    let long = |name: &str| format!("SELECT {}{name}", "abc, ".repeat(500));
    differ(&[&long("g"), &long("h"), &long(&"h".repeat(2_000))]);
    same(&[&long("g"), &long("G"), &long("g").to_ascii_uppercase()]);
    same(&[&long(&"h".repeat(2_000)), &long(&"H".repeat(2_000))]);
}

#[test]
fn keys_make_fingerprints_unguessable() {
    let text = "SELECT a FROM t WHERE b = 1";
    let bare = Fingerprinter::new(None, [1; 32]);
    let keyed = Fingerprinter::new(Some([7; 32]), [1; 32]);
    assert_ne!(bare.of(text), keyed.of(text));
    assert_eq!(
        keyed.of(text),
        Fingerprinter::new(Some([7; 32]), [2; 32]).of(text)
    );
    let long = format!("SELECT {}", "abc, ".repeat(500));
    assert_ne!(bare.of(&long), keyed.of(&long));
}

/// With a quote too many, a value reads as words: the key of the process hides it.
#[test]
fn what_may_show_a_value_is_keyed_by_the_process() {
    let text = "SELECT a FROM t WHERE b = 'it's hunter2'";
    let here = Fingerprinter::new(None, [1; 32]);
    let elsewhere = Fingerprinter::new(None, [2; 32]);
    assert_ne!(here.of(text), elsewhere.of(text));
    assert_eq!(here.of(text), here.of_unparsed(text));
    assert_eq!(here.of(text), here.clone().of(text));
    assert_ne!(
        here.of_unparsed("SELECT a"),
        elsewhere.of_unparsed("SELECT a")
    );
    assert_eq!(here.of("SELECT a"), elsewhere.of("SELECT a"));
    let print = format!("{here:?} {} {:?}", here.of(text), here.of(text));
    assert!(!print.contains("hunter2") && print.len() == 83, "{print}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn tokens_cover_any_text(text in any_text()) {
        let mut at = 0;
        for token in tokens(&text) {
            prop_assert_eq!(token.span.start, at);
            prop_assert!(token.span.end > at && text.is_char_boundary(token.span.end));
            at = token.span.end;
        }
        prop_assert_eq!(at, text.len());
        fingerprint(&text);
        let _any_end = pgsieve::sql::prescan::prescan(&text, 1_000);
    }

    #[test]
    fn constants_blanks_and_case_do_not_count(
        pieces in proptest::collection::vec(piece(), 1..20),
        other in any::<u64>(),
    ) {
        let plain: Vec<String> = pieces.iter().map(|piece| piece.write(0)).collect();
        let changed: Vec<String> = pieces.iter().map(|piece| piece.write(other)).collect();
        let blank = BLANKS[usize::try_from(other % 7).unwrap()];
        prop_assert_eq!(fingerprint(&plain.join(" ")), fingerprint(&changed.join(blank)));
    }

    #[test]
    fn names_count(pieces in proptest::collection::vec(piece(), 0..20), at in 0_usize..20) {
        let mut words: Vec<String> = pieces.iter().map(|piece| piece.write(0)).collect();
        let at = at.min(words.len());
        words.insert(at, "tab_a".to_owned());
        let first = words.join(" ");
        words[at] = "tab_b".to_owned();
        prop_assert_ne!(fingerprint(&first), fingerprint(&words.join(" ")));
    }
}

/// A piece of a statement, to be written in more than one way.
#[derive(Clone, Debug)]
enum Piece {
    Word(&'static str),
    Constant,
    Mark(&'static str),
    InList,
    Rows,
}

impl Piece {
    fn write(&self, seed: u64) -> String {
        match self {
            Self::Word(word) if seed % 2 == 1 => word.to_ascii_uppercase(),
            Self::Word(word) | Self::Mark(word) => (*word).to_owned(),
            Self::Constant => constant(seed),
            Self::InList => {
                let list = (0..=seed % 5).map(|step| constant(seed.wrapping_add(step)));
                format!("in ({})", list.collect::<Vec<_>>().join(","))
            }
            Self::Rows => {
                let row = |step| {
                    format!(
                        "({}, {})",
                        constant(seed.wrapping_add(step)),
                        constant(step)
                    )
                };
                format!(
                    "values {}",
                    (0..=seed % 4).map(row).collect::<Vec<_>>().join(", ")
                )
            }
        }
    }
}

fn piece() -> impl Strategy<Value = Piece> {
    prop_oneof![
        prop::sample::select(&["select", "from", "t", "where", "f", "and", "größe"][..])
            .prop_map(Piece::Word),
        Just(Piece::Constant),
        prop::sample::select(&["(", ")", "=", "*", "||", "::", ".", "@-", "[", "]"][..])
            .prop_map(Piece::Mark),
        Just(Piece::InList),
        Just(Piece::Rows),
    ]
}

fn constant(seed: u64) -> String {
    match seed % 8 {
        0 => "1".to_owned(),
        1 => format!("'{seed}'"),
        2 => format!("E'\\'{seed}'"),
        3 => format!("${}", seed % 100),
        4 => format!("$q${seed}'$q$"),
        5 => format!("{seed}.5e-3"),
        6 => "x'1f'".to_owned(),
        _ => "U&'\\0061'".to_owned(),
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let marks = prop::sample::select(
        &[
            "'",
            "\"",
            "$",
            "$a$",
            "E'",
            "U&'",
            "U&\"",
            "\\",
            "--",
            "/*",
            "*/",
            "\n",
            " ",
            "-",
            "+",
            "1",
            "é",
            "a",
            "\0",
            ".",
            "_",
            "e",
            "0x",
            "(",
            ")",
            ",",
            ";",
            "in",
            "values",
            "array",
            "[",
            "@",
            ":",
            "\u{1f600}",
        ][..],
    );
    prop_oneof![
        proptest::collection::vec(marks, 0..40).prop_map(|marks| marks.concat()),
        any::<String>(),
    ]
}

fn fingerprint(text: &str) -> Fingerprint {
    Fingerprinter::new(None, [1; 32]).of(text)
}

fn same(texts: &[&str]) {
    for pair in texts.windows(2) {
        assert_eq!(fingerprint(pair[0]), fingerprint(pair[1]), "{pair:?}");
    }
}

fn differ(texts: &[&str]) {
    for (at, text) in texts.iter().enumerate() {
        for other in &texts[at + 1..] {
            assert_ne!(
                fingerprint(text),
                fingerprint(other),
                "{text:.80} | {other:.80}"
            );
        }
    }
}

/// None joins two strings: between the parts of one, only white space and line comments may stand.
const BLANKS: [&str; 7] = [
    " ",
    "\n/**/",
    " /* ' /* \" */ */ ",
    "\t\x0b\r/**/\n",
    " -- '\n/**/",
    " /*$a$*/\n",
    "\n--\n/* */ ",
];
