//! The tokens of our lexer, by the rules of Postgres's.

use pgsieve::sql::lexer::{TokenKind, tokens};

#[test]
fn kinds_and_borders() {
    use TokenKind as K;
    check("a$b$c", &[(K::Word, "a$b$c")]);
    check(
        "a $b$ ' $b$c",
        &[
            (K::Word, "a"),
            (K::DollarString, "$b$ ' $b$"),
            (K::Word, "c"),
        ],
    );
    check("$a$x$$a$", &[(K::DollarString, "$a$x$$a$")]);
    check("$1a", &[(K::Parameter, "$1"), (K::Word, "a")]);
    check("$a", &[(K::Other, "$"), (K::Word, "a")]);
    check("'a''b'", &[(K::String, "'a''b'")]);
    check(r"'\'", &[(K::String, r"'\'")]);
    check(
        r"E'\'' 'x",
        &[(K::EscapeString, r"E'\''"), (K::UnterminatedLiteral, "'x")],
    );
    check(
        r"E'a'  -- c
 '\''",
        &[(K::EscapeString, "E'a'  -- c\n '\\''")],
    );
    check("'a' 'b'", &[(K::String, "'a'"), (K::String, "'b'")]);
    check(
        "'a' /* c */\n'b'",
        &[
            (K::String, "'a'"),
            (K::BlockComment, "/* c */"),
            (K::String, "'b'"),
        ],
    );
    check(
        "'a'\n--'b'",
        &[(K::String, "'a'"), (K::LineComment, "--'b'")],
    );
    check("'a'\x0b\r'b'", &[(K::String, "'a'\x0b\r'b'")]);
    check(
        "\"a\"\n\"b\"",
        &[(K::QuotedName, "\"a\""), (K::QuotedName, "\"b\"")],
    );
    check("\"a\"\"b\"", &[(K::QuotedName, "\"a\"\"b\"")]);
    check(
        "U&\"a\" u&'b' U&c",
        &[
            (K::UnicodeName, "U&\"a\""),
            (K::UnicodeString, "u&'b'"),
            (K::Word, "U"),
            (K::Operator, "&"),
            (K::Word, "c"),
        ],
    );
    check(
        "b'1'\n'0' x'f' n'a'",
        &[
            (K::BitString, "b'1'\n'0'"),
            (K::BitString, "x'f'"),
            (K::Word, "n"),
            (K::String, "'a'"),
        ],
    );
    check(
        "/*/ ' */ */ '",
        &[
            (K::BlockComment, "/*/ ' */"),
            (K::Operator, "*/"),
            (K::UnterminatedLiteral, "'"),
        ],
    );
    check(
        "/* /* */ ' */ 1",
        &[(K::BlockComment, "/* /* */ ' */"), (K::Number, "1")],
    );
    check("/* /* */ '", &[(K::UnterminatedComment, "/* /* */ '")]);
    check(
        "a/**/b--c\rd",
        &[
            (K::Word, "a"),
            (K::BlockComment, "/**/"),
            (K::Word, "b"),
            (K::LineComment, "--c"),
            (K::Word, "d"),
        ],
    );
}

#[test]
fn operators_end_where_postgres_ends_them() {
    use TokenKind as K;
    check(
        "a=-1",
        &[
            (K::Word, "a"),
            (K::Operator, "="),
            (K::Operator, "-"),
            (K::Number, "1"),
        ],
    );
    check(
        "a@-1",
        &[(K::Word, "a"), (K::Operator, "@-"), (K::Number, "1")],
    );
    check(
        "<>-+",
        &[(K::Operator, "<>"), (K::Operator, "-"), (K::Operator, "+")],
    );
    check("@+-+", &[(K::Operator, "@+-+")]);
    check("*--/*'", &[(K::Operator, "*"), (K::LineComment, "--/*'")]);
    check(
        "*/*'*/-",
        &[
            (K::Operator, "*"),
            (K::BlockComment, "/*'*/"),
            (K::Operator, "-"),
        ],
    );
    check(
        "=>::=..:",
        &[
            (K::Operator, "=>"),
            (K::Punctuation, "::"),
            (K::Operator, "="),
            (K::Punctuation, ".."),
            (K::Punctuation, ":"),
        ],
    );
}

#[test]
fn numbers_end_where_postgres_ends_them() {
    use TokenKind as K;
    for number in [
        "1",
        "1.",
        ".5",
        "1.5e-3",
        "1e9",
        "0x1F",
        "0o17",
        "0b1",
        "1_000",
        "0x_1",
        "1_0.0_1e1_0",
    ] {
        check(number, &[(K::Number, number)]);
    }
    for junk in [
        "1a", "1_", "0x", "1.5a$b", "1e", "0b12", "0x1g", "1e5$", "0b12a", "1__0", "1é",
    ] {
        check(junk, &[(K::JunkNumber, junk)]);
    }
    check(
        "1..2",
        &[(K::Number, "1"), (K::Punctuation, ".."), (K::Number, "2")],
    );
    check("1.5.6", &[(K::Number, "1.5"), (K::Number, ".6")]);
    check("1e+5$", &[(K::Number, "1e+5"), (K::Other, "$")]);
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

fn check(text: &str, expected: &[(TokenKind, &str)]) {
    assert_covers(text);
    let found: Vec<_> = tokens(text)
        .filter(|token| token.kind != TokenKind::Space)
        .map(|token| (token.kind, &text[token.span]))
        .collect();
    assert_eq!(found, expected, "{text:?}");
}
