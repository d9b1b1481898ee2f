//! Our lexer and Postgres's own agree: on where statements, literals and names begin and end.

use std::ops::Range;

use pgsieve::sql::lexer::{TokenKind, tokens};
use pgsieve::sql::tree::{self, ConstValue, Node, children};

#[test]
fn tricky_texts_read_as_postgres_reads_them() {
    let mut agreed = 0;
    for text in TRICKY
        .iter()
        .map(|text| (*text).to_owned())
        .chain(combined())
    {
        agreed += usize::from(check_agreement(&text));
    }
    assert!(agreed > 300, "only {agreed} texts parsed at all");
}

/// Statements whose end depends on reading quotes, comments and operators right.
const TRICKY: &[&str] = &[
    "SELECT E'a'\n'\\'' ; DELETE FROM tgt; --'",
    "SELECT '\\''' , ' ; DELETE FROM tgt; --'",
    "SELECT 'a' -- ';\n 'b'; SELECT 2",
    "SELECT 'a'--\n--;\n'b;c'; SELECT ';'",
    "SELECT $$;$$; SELECT $a$;$$;$b$;$a$; SELECT $é$;$é$",
    "SELECT a$$, b$c$; SELECT $c$;$c$ FROM t",
    "SELECT 1 /* ; /* ; */ ; ' */; SELECT 2 -- ;",
    "SELECT \"a;\"\"b;\"; SELECT U&\"d;\\0061\" UESCAPE '!'",
    "SELECT U&'d\\0061;' UESCAPE '\\'; SELECT U&'d!0061' UESCAPE '!'",
    "SELECT 1*/*;*/2; SELECT 1*--;\n3",
    "SELECT @-1, 1=-1, 1<-1, 1 @+- 1; SELECT 1+-+-1, 2",
    "SELECT B'01'\n'10;', X'1F'; SELECT N'a;'\n'b'",
    "SELECT E'\\\\'; SELECT E'\\\\\\';'; SELECT E'\\n;\\x41\\101\\u0041'",
    "SELECT ''; SELECT ''''; SELECT ''';'''; SELECT E''''",
    "SELECT ''\n''; SELECT ''\n\n'';",
    "SELECT 'a'\r'b;'; SELECT 'a'\x0c\n\t'b;'",
    "SELECT a.b.c, (x).y, z[1:2], z[:], w.*; SELECT 1::int, a :: t",
    "SELECT 1.5.a FROM t; SELECT 1",
    "SELECT 0xFF, 1_000, 0b1, 0o7, 1e5, .5, 5.; SELECT 2",
    "SELECT größe, \"größe;\", 'größe;' FROM straße; SELECT '日本;'",
    "SELECT $1, $2+$3; SELECT 1 ;; ; SELECT 2;",
    "SELECT a->>'b;', a#>>'{c;}', a@>'{}', a?'k;', a?|b, a?&b; SELECT ~1, !!1",
    "SELECT f(a=>1, b:=2); SELECT 1<=2, 1>=2, 1<>2, 1!=2",
    "SELECT 1--1\n+2; SELECT 1/*;*//*;*/",
    "SELECT $body$ it's $x$ ; $body$ ; SELECT $$it's$$",
    "SELECT e'a' 'b'; SELECT 1",
    "SELECT 1 AS e, 2 AS b, 3 AS x, 4 AS n, 5 AS u; SELECT e, u&b FROM t",
    "SELECT u & 'a'; SELECT u&\nb FROM t",
    "\u{feff}SELECT 1; SELECT 2",
    "SELECT 1\u{a0}; SELECT 2",
    "SELECT 1\x0b; SELECT 2",
    "SELECT \\; SELECT 2",
    "SELECT 'unended; SELECT 2",
    "SELECT \"unended; SELECT 2",
    "SELECT /* unended; SELECT 2",
    "SELECT $a$ unended; SELECT 2",
];

/// Every pair of these pieces, in a select list that is otherwise sound.
fn combined() -> impl Iterator<Item = String> {
    const PIECES: &[&str] = &[
        "'a;'",
        "''",
        "E'\\';'",
        "e'a\\\\'",
        "$$;'$$",
        "$t$;$$;$t$",
        "\"q;'\"",
        "U&'a;'",
        "U&\"b;\"",
        "x'1f'",
        "b'01'",
        "n'a;'",
        "1",
        "1.5",
        ".5",
        "0x1f",
        "1e5",
        "$1",
        "a",
        "a$b",
        "é",
        "-",
        "+",
        "@-",
        "*",
        "=",
        "<>",
        "||",
        "::t",
        "--;'\n",
        "/*;'*/",
        "/*/**/;'*/",
        "\n",
        "\n'b;'",
        ";",
        ",",
        "(b)",
        "[1]",
        ".c",
        "/",
        "e",
        "u",
    ];
    PIECES.iter().flat_map(|left| {
        PIECES.iter().flat_map(move |right| {
            let glued = format!("SELECT a, {left}{right}, 'end;' FROM t; SELECT 2");
            let spaced = format!("SELECT {left} {right} AS x; SELECT 2");
            [glued, spaced]
        })
    })
}

/// If Postgres's grammar takes the text: same statements, and each literal and name of its tree is
/// a token of ours, from the same byte and with the same value. Otherwise our tokens still cover
/// the text.
fn check_agreement(text: &str) -> bool {
    assert_covers(text);
    let Ok(tree) = tree::parse(text) else {
        return false;
    };
    let ours: Vec<(TokenKind, Range<usize>)> = tokens(text)
        .filter(|token| !token.kind.is_blank())
        .map(|token| (token.kind, token.span))
        .collect();
    assert_eq!(
        tree.statements().count(),
        statements(text, &ours),
        "statements of {text:?}"
    );
    let mut stack: Vec<_> = tree.statements().map(|statement| statement.node).collect();
    while let Some(node) = stack.pop() {
        match node {
            Node::A_Const(constant) => {
                check_constant(text, &ours, constant.location, constant.val());
            }
            Node::ColumnRef(column) => {
                check_name(text, &ours, column.location, column.fields().get(0));
            }
            _ => {}
        }
        // A write among the statements is not walked: its place was compared.
        let _unknown = children(node, &mut stack);
    }
    true
}

fn statements(text: &str, ours: &[(TokenKind, Range<usize>)]) -> usize {
    ours.split(|(_, span)| &text[span.clone()] == ";")
        .filter(|tokens| !tokens.is_empty())
        .count()
}

fn check_constant(
    text: &str,
    ours: &[(TokenKind, Range<usize>)],
    at: i32,
    value: Option<ConstValue<'_>>,
) {
    let Some((kind, word)) = token_at(text, ours, at) else {
        panic!("no token of ours at {at} in {text:?}");
    };
    match (value, kind) {
        // A sign before a constant takes over its place.
        (_, TokenKind::Operator) => assert!(word == "-" || word == "+", "{text:?}"),
        // Only values without escapes and continuations are compared whole.
        (Some(ConstValue::String(value)), TokenKind::String)
            if !word.contains('\n') && !word.contains('\r') =>
        {
            assert_eq!(
                word[1..word.len() - 1].replace("''", "'"),
                value,
                "{text:?}"
            );
        }
        (Some(ConstValue::String(value)), TokenKind::DollarString) => {
            let tag = word[1..].find('$').map_or(0, |end| end + 2);
            assert_eq!(&word[tag..word.len() - tag], value, "{text:?}");
        }
        (Some(ConstValue::String(_)), kind) => assert!(
            matches!(
                kind,
                TokenKind::String
                    | TokenKind::EscapeString
                    | TokenKind::UnicodeString
                    | TokenKind::Word
            ),
            "{kind:?} in {text:?}"
        ),
        (Some(ConstValue::Integer(_) | ConstValue::Float(_)), kind) => {
            assert!(matches!(kind, TokenKind::Number), "{kind:?} in {text:?}");
        }
        (Some(ConstValue::BitString(_)), kind) => {
            assert_eq!(kind, TokenKind::BitString, "{text:?}")
        }
        _ => {}
    }
}

fn check_name(text: &str, ours: &[(TokenKind, Range<usize>)], at: i32, name: Option<Node<'_>>) {
    let (kind, word) =
        token_at(text, ours, at).unwrap_or_else(|| panic!("no token at {at} in {text:?}"));
    let name = name.and_then(|name| name.as_str()).unwrap_or("*");
    match kind {
        TokenKind::Word => assert_eq!(word.to_ascii_lowercase(), name, "{text:?}"),
        TokenKind::QuotedName => assert_eq!(
            word[1..word.len() - 1].replace("\"\"", "\""),
            name,
            "{text:?}"
        ),
        TokenKind::Operator => assert_eq!(word, name, "{text:?}"),
        other => assert_eq!(other, TokenKind::UnicodeName, "{text:?}"),
    }
}

fn token_at<'t>(
    text: &'t str,
    ours: &[(TokenKind, Range<usize>)],
    at: i32,
) -> Option<(TokenKind, &'t str)> {
    let at = usize::try_from(at).ok()?;
    let (kind, span) = ours.iter().find(|(_, span)| span.start == at)?;
    Some((*kind, &text[span.clone()]))
}

fn assert_covers(text: &str) {
    let mut at = 0;
    for token in tokens(text) {
        assert_eq!(token.span.start, at, "{text:?}");
        assert!(
            token.span.end > at && text.is_char_boundary(token.span.end),
            "{text:?}"
        );
        at = token.span.end;
    }
    assert_eq!(at, text.len(), "{text:?}");
}
