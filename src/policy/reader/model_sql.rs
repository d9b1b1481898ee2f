//! The SELECT of a model: cut into pieces at the session's values, and checked.
//!
//! What is put in for a value later is a literal, and it has to stay one whatever is in it. So the
//! text is read once more with literals in it, and each has to be a token of its own there.

use std::fmt;
use std::ops::Range;

use super::super::model::{CertificateField, ModelPiece, SessionValue};
use super::super::set::matching::{ATTRIBUTE_NAME, is_attribute};
use super::super::similar_names::nearest;
use ground::limits::MODEL_SQL_BYTES_MAX;
use sql::lexer::{Token, TokenKind, tokens};
use sql::prescan::{ScanError, prescan};
use sql::syntax_error_position;
use sql::tree::{self, Node};

/// What is wrong with a SELECT. Nothing of its text is shown but the names of values.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ModelSqlError {
    Empty,
    TooLong,
    Unreadable,
    Comment,
    Parameter,
    Semicolon,
    Quoted,
    Unknown { name: String },
    Certificate { name: String },
    Attribute { name: String },
    Beside { value: SessionValue },
    Syntax { at: Option<u32> },
    Null,
    NoSelect,
    NoColumn,
    Into,
    Locking,
    Write,
}

/// Cuts a SELECT into its pieces.
pub(super) fn pieces(sql: &str) -> Result<Vec<ModelPiece>, ModelSqlError> {
    let tokens = checked_tokens(sql)?;
    let pieces = cut(sql, &tokens)?;
    check(&pieces)?;
    Ok(pieces)
}

/// Whether SQL holds only what any text of a policy may.
pub(super) fn check_words(sql: &str) -> Result<(), ModelSqlError> {
    checked_tokens(sql).map(|_| ())
}

fn checked_tokens(sql: &str) -> Result<Vec<Token>, ModelSqlError> {
    prescan(sql, MODEL_SQL_BYTES_MAX).map_err(|error| match error {
        ScanError::TooLong { .. } => ModelSqlError::TooLong,
        ScanError::Nul { .. } | ScanError::OperatorRun { .. } => ModelSqlError::Unreadable,
    })?;
    let tokens: Vec<Token> = tokens(sql).collect();
    if tokens.iter().all(|token| token.kind.is_blank()) {
        return Err(ModelSqlError::Empty);
    }
    for token in &tokens {
        plain(token, text_of(sql, token))?;
    }
    Ok(tokens)
}

/// Cuts a condition, as it stands behind WHERE, into its pieces.
pub(super) fn condition(sql: &str) -> Result<Vec<ModelPiece>, ModelSqlError> {
    // Neither of the two could be left in the middle by what can stand in the other.
    pieces(&format!("SELECT {sql}"))?;
    enclosed("SELECT 1 WHERE (", sql)
}

/// The pieces of what stands in the parentheses of a SELECT, which `opens` begins.
pub(super) fn enclosed(opens: &str, sql: &str) -> Result<Vec<ModelPiece>, ModelSqlError> {
    let mut pieces = pieces(&format!("{opens}{sql})"))?;
    if let Some(ModelPiece::Sql(first)) = pieces.first_mut() {
        *first = first.strip_prefix(opens).unwrap_or_default().to_owned();
    }
    if let Some(ModelPiece::Sql(last)) = pieces.last_mut() {
        *last = last.strip_suffix(')').unwrap_or_default().to_owned();
    }
    Ok(pieces)
}

/// What a model's text may not hold, wherever it stands.
fn plain(token: &Token, text: &str) -> Result<(), ModelSqlError> {
    match token.kind {
        TokenKind::LineComment | TokenKind::BlockComment | TokenKind::UnterminatedComment => {
            Err(ModelSqlError::Comment)
        }
        TokenKind::Parameter => Err(ModelSqlError::Parameter),
        TokenKind::Punctuation if text == ";" => Err(ModelSqlError::Semicolon),
        _ => Ok(()),
    }
}

/// The pieces. A value is a colon with a name grown to it; around it there is room, so that what
/// stands beside it does not become part of the literal.
fn cut(sql: &str, tokens: &[Token]) -> Result<Vec<ModelPiece>, ModelSqlError> {
    let mut pieces = Vec::new();
    let mut sql_before = String::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        let next = tokens.get(at);
        match next.map(|next| next.kind) {
            _ if token.kind != TokenKind::Punctuation || text_of(sql, token) != ":" => {}
            Some(TokenKind::Word) => {
                let (name, taken) = name(sql, tokens.get(at..).unwrap_or_default());
                at += taken;
                sql_before.push(' ');
                pieces.push(ModelPiece::Sql(std::mem::replace(
                    &mut sql_before,
                    " ".into(),
                )));
                pieces.push(ModelPiece::Value(value(&name)?));
                continue;
            }
            Some(TokenKind::String | TokenKind::QuotedName) => return Err(ModelSqlError::Quoted),
            _ => {}
        }
        sql_before.push_str(text_of(sql, token));
    }
    pieces.push(ModelPiece::Sql(sql_before));
    Ok(pieces)
}

/// A name with its dots, in lower case, and how many tokens it takes.
fn name(sql: &str, tokens: &[Token]) -> (String, usize) {
    let mut name = String::new();
    let mut taken = 0;
    for pair in tokens.chunks(2) {
        let Some(word) = pair.first().filter(|token| token.kind == TokenKind::Word) else {
            break;
        };
        name.push_str(&text_of(sql, word).to_ascii_lowercase());
        taken += 1;
        let more = tokens.get(taken + 1).map(|next| next.kind) == Some(TokenKind::Word);
        match pair.get(1) {
            Some(dot) if more && text_of(sql, dot) == "." => {
                name.push('.');
                taken += 1;
            }
            _ => break,
        }
    }
    (name, taken)
}

fn value(name: &str) -> Result<SessionValue, ModelSqlError> {
    match name {
        "user" => Ok(SessionValue::User),
        "database" => Ok(SessionValue::Database),
        "application_name" => Ok(SessionValue::ApplicationName),
        _ if let Some(attribute) = name.strip_prefix("user.") => match is_attribute(attribute) {
            true => Ok(SessionValue::Attribute(attribute.into())),
            false => Err(ModelSqlError::Attribute { name: name.into() }),
        },
        _ => match name.strip_prefix("certificate.") {
            Some(field) => match CertificateField::named(field) {
                Some(field) => Ok(SessionValue::Certificate(field)),
                None => Err(ModelSqlError::Certificate { name: name.into() }),
            },
            None if name.contains('.') => Ok(SessionValue::Setting(name.into())),
            None => Err(ModelSqlError::Unknown { name: name.into() }),
        },
    }
}

/// Whether the pieces are one SELECT, with a literal for each value and with NULL for each.
pub(super) fn check(pieces: &[ModelPiece]) -> Result<(), ModelSqlError> {
    let (text, literals) = filled(pieces, "'x'");
    let mut found = tokens(&text);
    for (span, value) in literals {
        let own = found.find(|token| token.span.end >= span.end);
        if own.is_none_or(|token| token.span != span || token.kind != TokenKind::String) {
            let value = value.clone();
            return Err(ModelSqlError::Beside { value });
        }
    }
    let parsed = tree::parse(&text).map_err(|error| {
        // A position in a text that is not the one in the file would mislead.
        let is_whole = pieces.len() == 1;
        let at = syntax_error_position::of_error(&text, &error).filter(|_| is_whole);
        ModelSqlError::Syntax { at }
    })?;
    let written = select(&parsed)?;
    let (text, values) = filled(pieces, "NULL");
    let parsed = tree::parse(&text).map_err(|_| ModelSqlError::Null)?;
    // As a name, or behind that of a type, NULL would be something else than a value.
    match select(&parsed)? == written + values.len() {
        true => Ok(()),
        false => Err(ModelSqlError::Null),
    }
}

/// The text with the same word for each value, and where those stand.
pub(super) fn filled<'p>(
    pieces: &'p [ModelPiece],
    word: &str,
) -> (String, Vec<(Range<usize>, &'p SessionValue)>) {
    let mut text = String::new();
    let mut places = Vec::new();
    for piece in pieces {
        let start = text.len();
        match piece {
            ModelPiece::Sql(sql) => text.push_str(sql),
            ModelPiece::Value(value) => {
                text.push_str(word);
                places.push((start..text.len(), value));
            }
        }
    }
    (text, places)
}

/// How many NULLs are in it, if it is one query that only reads.
fn select(tree: &tree::SyntaxTree) -> Result<usize, ModelSqlError> {
    let mut statements = tree.statements();
    let (Some(only), None) = (statements.next(), statements.next()) else {
        return Err(ModelSqlError::NoSelect);
    };
    let Node::SelectStmt(outermost) = only.node else {
        return Err(ModelSqlError::NoSelect);
    };
    // Of a UNION the columns are those of its first arm, and VALUES has some.
    let is_plain = outermost.larg().is_none() && outermost.values_lists().is_empty();
    if is_plain && outermost.target_list().is_empty() {
        return Err(ModelSqlError::NoColumn);
    }
    let mut nodes = vec![only.node];
    let mut nulls = 0;
    while let Some(node) = nodes.pop() {
        match node {
            Node::SelectStmt(select) => {
                if select.into_clause().is_some() {
                    return Err(ModelSqlError::Into);
                }
                if !select.locking_clause().is_empty() {
                    return Err(ModelSqlError::Locking);
                }
            }
            Node::InsertStmt(_)
            | Node::UpdateStmt(_)
            | Node::DeleteStmt(_)
            | Node::MergeStmt(_) => return Err(ModelSqlError::Write),
            Node::A_Const(constant) => nulls += usize::from(constant.isnull),
            _ => {}
        }
        tree::children(node, &mut nodes).map_err(|_| ModelSqlError::NoSelect)?;
    }
    Ok(nulls)
}

fn text_of<'s>(sql: &'s str, token: &Token) -> &'s str {
    sql.get(token.span.clone()).unwrap_or_default()
}

impl fmt::Display for ModelSqlError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => formatter.write_str("a SELECT is wanted"),
            Self::TooLong => write!(
                formatter,
                "a SELECT of at most {MODEL_SQL_BYTES_MAX} bytes is wanted"
            ),
            Self::Unreadable => formatter.write_str("the SELECT cannot be read"),
            Self::Comment => formatter.write_str(
                "comments are not carried into a statement; say it in about, or in a comment of \
                 the file",
            ),
            Self::Parameter => formatter.write_str(
                "$1 and its kin are the client's; a value of the session is written as :user or \
                 :app.tenant",
            ),
            Self::Semicolon => formatter.write_str("one SELECT without a semicolon is wanted"),
            Self::Quoted => formatter.write_str(
                "a value of the session is written without quotes, as :app.tenant; where no value \
                 is meant, a space belongs behind the colon",
            ),
            Self::Unknown { name } => {
                let near = nearest(name, VALUES.iter().copied());
                let near = near.map_or_else(String::new, |near| format!("did you mean :{near}? "));
                write!(
                    formatter,
                    ":{name} is no value of a session; {near}there are :{}, and settings with a \
                     dot in their name, such as :app.tenant; where no value is meant, a space \
                     belongs behind the colon",
                    VALUES.join(", :")
                )
            }
            Self::Certificate { name } => {
                let fields = CertificateField::ALL.iter().map(|field| field.name());
                let fields: Vec<&str> = fields.collect();
                write!(
                    formatter,
                    ":{name} is not known of a certificate; there are :certificate.{}",
                    fields.join(", :certificate.")
                )
            }
            Self::Attribute { name } => write!(
                formatter,
                ":{name} is no attribute of a user: behind :user. {ATTRIBUTE_NAME}"
            ),
            Self::Beside { value } => write!(
                formatter,
                "{value} stands where it would grow together with what is beside it; a literal \
                 has to be able to stand there alone"
            ),
            Self::Syntax { at: Some(at) } => write!(
                formatter,
                "Postgres does not read this as SQL, from character {at} on"
            ),
            Self::Syntax { at: None } => formatter.write_str("Postgres does not read this as SQL"),
            Self::Null => formatter.write_str(
                "a value that the session does not have is NULL, and this is no SQL with NULL in \
                 its place; write it without a type's name before it, as CAST(:app.day AS date)",
            ),
            Self::NoSelect => formatter.write_str("exactly one SELECT is wanted"),
            Self::NoColumn => formatter.write_str(
                "the SELECT gives no column, so that nothing could be read through it: name columns \
                 behind SELECT",
            ),
            Self::Into => formatter.write_str("SELECT … INTO makes a table; a SELECT is wanted"),
            Self::Locking => {
                formatter.write_str("FOR UPDATE and its kin lock rows; a plain SELECT is wanted")
            }
            Self::Write => formatter.write_str("a SELECT that only reads is wanted"),
        }
    }
}

/// The values without a setting.
const VALUES: &[&str] = &[
    "user",
    "database",
    "application_name",
    "certificate.common_name",
    "certificate.organization",
    "certificate.organizational_unit",
    "certificate.email",
];

#[cfg(test)]
mod tests {
    use super::*;
    use sql::tree::ConstValue;

    /// The pieces as one text, values in guillemets.
    fn cut_of(sql: &str) -> String {
        let pieces = pieces(sql).unwrap_or_else(|wrong| panic!("{sql}: {wrong}"));
        let shown = pieces.iter().map(|piece| match piece {
            ModelPiece::Sql(sql) => sql.clone(),
            ModelPiece::Value(value) => format!("«{value}»"),
        });
        shown.collect()
    }

    #[test]
    fn values_are_found_where_they_stand() {
        for (sql, wanted) in [
            ("SELECT 1", "SELECT 1"),
            ("SELECT :user", "SELECT  «:user» "),
            (
                "SELECT 1 WHERE a=:App.Tenant",
                "SELECT 1 WHERE a= «:app.tenant» ",
            ),
            ("SELECT (:database)", "SELECT ( «:database» )"),
            (
                "SELECT :app.a.b, :application_name",
                "SELECT  «:app.a.b» ,  «:application_name» ",
            ),
            (
                "SELECT :certificate.common_name::text",
                "SELECT  «:certificate.common_name» ::text",
            ),
            (
                "SELECT :certificate.organizational_unit, :certificate.email",
                "SELECT  «:certificate.organizational_unit» ,  «:certificate.email» ",
            ),
            ("SELECT :user.x", "SELECT  «:user.x» "),
            ("SELECT NULL, :user", "SELECT NULL,  «:user» "),
            ("SELECT date :app.day", ""),
        ] {
            if wanted.is_empty() {
                assert_eq!(pieces(sql), Err(ModelSqlError::Null), "{sql}");
            } else {
                assert_eq!(cut_of(sql), wanted);
            }
        }
    }

    #[test]
    fn what_only_looks_like_a_value_stays() {
        for sql in [
            "SELECT ':user'",
            "SELECT \":user\"",
            "SELECT E'\\':user'",
            "SELECT $$ :user $$",
            "SELECT a::user_type FROM t",
            "SELECT a ::text FROM t",
            "SELECT x[1: 2] FROM t",
            "SELECT x[1:2] FROM t",
            "TABLE t",
            "VALUES (1)",
            "SELECT 1 UNION ALL SELECT 2",
            "WITH s AS (SELECT FROM t) SELECT count(*) FROM s",
        ] {
            assert_eq!(cut_of(sql), sql);
        }
    }

    #[test]
    fn what_is_no_single_plain_select_is_told_apart() {
        for (sql, wanted) in [
            ("", ModelSqlError::Empty),
            (" \n", ModelSqlError::Empty),
            ("SELECT 1 -- x", ModelSqlError::Comment),
            ("SELECT /* x */ 1", ModelSqlError::Comment),
            ("SELECT 1 /* x", ModelSqlError::Comment),
            ("SELECT $1", ModelSqlError::Parameter),
            ("SELECT 1;", ModelSqlError::Semicolon),
            ("SELECT 1; SELECT 2", ModelSqlError::Semicolon),
            ("SELECT :'user'", ModelSqlError::Quoted),
            ("SELECT :\"user\"", ModelSqlError::Quoted),
            ("SELECT FROM WHERE", ModelSqlError::Syntax { at: Some(13) }),
            (
                "SELECT :user FROM WHERE",
                ModelSqlError::Syntax { at: None },
            ),
            ("INSERT INTO t VALUES (1)", ModelSqlError::NoSelect),
            ("EXPLAIN SELECT 1", ModelSqlError::NoSelect),
            ("SELECT", ModelSqlError::NoColumn),
            ("SELECT FROM t WHERE a = :user", ModelSqlError::NoColumn),
            ("SELECT 1 INTO t", ModelSqlError::Into),
            ("SELECT 1 FROM t FOR UPDATE", ModelSqlError::Locking),
            (
                "SELECT 1 FROM (SELECT 1 FROM t FOR SHARE) s",
                ModelSqlError::Locking,
            ),
            (
                "WITH d AS (DELETE FROM t RETURNING 1) SELECT 1 FROM d",
                ModelSqlError::Write,
            ),
            ("SELECT 'open", ModelSqlError::Syntax { at: Some(8) }),
            (
                "SELECT x[1:n] FROM t",
                ModelSqlError::Unknown { name: "n".into() },
            ),
            ("SELECT :usr", ModelSqlError::Unknown { name: "usr".into() }),
            (
                "SELECT :user._tenant",
                ModelSqlError::Attribute {
                    name: "user._tenant".into(),
                },
            ),
            (
                "SELECT :user.a.b",
                ModelSqlError::Attribute {
                    name: "user.a.b".into(),
                },
            ),
            (
                "SELECT :certificate.serial",
                ModelSqlError::Certificate {
                    name: "certificate.serial".into(),
                },
            ),
        ] {
            assert_eq!(pieces(sql), Err(wanted), "{sql}");
        }
        let long = format!("SELECT '{}'", "x".repeat(MODEL_SQL_BYTES_MAX));
        assert_eq!(pieces(&long), Err(ModelSqlError::TooLong));
        assert_eq!(pieces("SELECT '\0'"), Err(ModelSqlError::Unreadable));
    }

    #[test]
    fn a_literal_never_becomes_part_of_something_else() {
        let beside = |value| Err(ModelSqlError::Beside { value });
        // On a new line a literal goes on, with the escapes of its beginning.
        for sql in [
            "SELECT E'a'\n:user",
            "SELECT 'a'\n :user",
            "SELECT U&'a'\n:user",
            "SELECT :user\n'a'",
            "SELECT :user\n:user",
        ] {
            assert_eq!(pieces(sql), beside(SessionValue::User), "{sql}");
        }
        // A letter before a literal would give it another meaning; the room between them does not.
        assert_eq!(pieces("SELECT e:user"), Err(ModelSqlError::Null));
        assert_eq!(cut_of("SELECT U&:user FROM t"), "SELECT U& «:user»  FROM t");
    }

    /// How many constants of a tree are this text.
    fn constants(tree: &tree::SyntaxTree, text: &str) -> usize {
        let mut nodes: Vec<Node<'_>> = tree.statements().map(|one| one.node).collect();
        let mut found = 0;
        while let Some(node) = nodes.pop() {
            if let Node::A_Const(constant) = node {
                let value = constant.val();
                found += usize::from(matches!(value, Some(ConstValue::String(own)) if own == text));
            }
            tree::children(node, &mut nodes).unwrap();
        }
        found
    }

    proptest::proptest! {
        #[test]
        fn whatever_a_value_is_it_stays_one(
            parts in proptest::collection::vec(proptest::sample::select(PARTS), 1..14),
            value in "[a-z'\\\\\";$&: \n-]{0,12}",
        ) {
            let sql = format!("SELECT {}", parts.concat());
            if let Ok(pieces) = pieces(&sql) {
                let literal = format!("'{}'", value.replace('\'', "''"));
                let (text, values) = filled(&pieces, &literal);
                let parsed = tree::parse(&text).unwrap();
                proptest::prop_assert!(select(&parsed).is_ok());
                proptest::prop_assert!(constants(&parsed, &value) >= values.len());
            }
        }
    }

    const PARTS: &[&str] = &[
        ":user", ":app.x", " ", "\n", ",", "a", "'", "''", "E'", "e", "U&", "U&'", "B", "x", "N",
        "$$", "$a$", "--", "/*", "*/", "\\", "(", ")", "::text", "=", " FROM t", " AS ", "\"", "1",
        "[", "]", ":", ".", "||", " AND ", " WHERE ", "date ", "UESCAPE ",
    ];

    #[test]
    fn problems_show_nothing_of_the_text() {
        let wrong = pieces("SELECT 'secret' FROM WHERE").unwrap_err();
        assert!(!wrong.to_string().contains("secret"));
    }
}
