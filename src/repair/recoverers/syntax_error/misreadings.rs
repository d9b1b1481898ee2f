//! Mistakes that the grammar takes, by accident, for something else: `SELECT DISTNCT city` for a
//! column with an alias, `surname 'last name'` for a literal of a type, `=<` for an operator.
//!
//! The server finds no such column, type or operator.

use super::edited_text::Stage;
use super::keyword_list::near;
use super::mentioned_names::Known;
use super::token_repairs::{Mend, edit, mended};
use crate::repair::names::letter_case::{in_quotes, unquoted};
use crate::repair::{Answer, Class, Scene};
use crate::resolve::What;
use crate::sql::edit::Edit;
use crate::sql::lexer::TokenKind;

/// Looks at a text that parses.
pub(in crate::repair::recoverers::syntax_error) fn look(
    scene: &Scene<'_>,
    stage: &Stage,
    known: &Known<'_>,
) -> Answer {
    if scene.tree.is_none() {
        return Answer::Silent;
    }
    let mend = match scene.failure.class {
        Class::UndefinedColumn => distinct(scene, stage, known),
        Class::UndefinedObject => string_aliases(stage, known),
        Class::UndefinedFunction => operators(scene, stage),
        Class::SyntaxError
        | Class::UndefinedTable
        | Class::AmbiguousColumn
        | Class::GroupingError
        | Class::DatatypeMismatch
        | Class::DuplicateAlias
        | Class::InvalidTextRepresentation => None,
    };
    let fits = mend.filter(|mend| stage.parse_with(&mend.edits).is_some());
    fits.map_or(Answer::Silent, |mend| {
        Answer::exact(mend.edits, mend.change)
    })
}

/// `SELECT DISTNCT city`: there is no such column, and what follows has no AS.
fn distinct(scene: &Scene<'_>, stage: &Stage, known: &Known<'_>) -> Option<Mend> {
    let mut edits: Vec<Edit> = Vec::new();
    for used in &scene.resolution?.uses {
        let (
            What::MissingColumn {
                qualifier: None, ..
            },
            Some(at),
        ) = (&used.what, used.at)
        else {
            continue;
        };
        let place = stage.tokens.partition_point(|token| token.span.start < at);
        let next = place.saturating_add(1);
        let word = stage.word(place);
        let named = matches!(
            stage.kind(next),
            Some(TokenKind::Word | TokenKind::QuotedName)
        ) && !stage.is_any(next, &["as", "from"]);
        let follows = named && stage.follows(place, &["select"]) && !known.has(word);
        if follows && near(word).iter().any(|near| near.keyword == DISTINCT) {
            edits.push(edit(stage.span(place), DISTINCT));
        }
    }
    mended(edits, "a misspelt DISTINCT is read as such")
}

/// `surname 'last name'`: a column and its alias, where no type is called so.
fn string_aliases(stage: &Stage, known: &Known<'_>) -> Option<Mend> {
    let mut edits: Vec<Edit> = Vec::new();
    for place in 2..stage.tokens.len() {
        let (column, before, next) = (
            place.saturating_sub(1),
            place.saturating_sub(2),
            place.saturating_add(1),
        );
        let name = match stage.kind(column) {
            Some(TokenKind::QuotedName) => unquoted(stage.word(column)),
            Some(TokenKind::Word) => Some(stage.word(column).to_owned()),
            _ => None,
        };
        let begins = stage.is_any(before, &["select", "distinct"])
            || stage.is_sign(before, ",")
            || stage.is_sign(before, ".");
        let ends = stage.is_sign(next, ",") || stage.is(next, "from");
        let word = stage.word(place);
        let alias = word
            .strip_prefix('\'')
            .and_then(|word| word.strip_suffix('\''));
        let alias = alias.filter(|_| stage.kind(place) == Some(TokenKind::String));
        if let (Some(name), Some(alias)) = (name, alias)
            && begins
            && ends
            && !alias.is_empty()
            && known.has(&name)
        {
            edits.push(edit(
                stage.span(place),
                in_quotes(&alias.replace("''", "'")),
            ));
        }
    }
    mended(edits, "aliases in single quotes are written as names")
}

/// Comparisons in other spellings, where no operator is called so.
fn operators(scene: &Scene<'_>, stage: &Stage) -> Option<Mend> {
    let catalog = scene.database?.catalog;
    let mut edits: Vec<Edit> = Vec::new();
    for (place, token) in stage.tokens.iter().enumerate() {
        if token.kind != TokenKind::Operator {
            continue;
        }
        let word = stage.word(place);
        let spelled = SPELLINGS.iter().find(|(own, _)| *own == word);
        let known = catalog.names().find(word);
        let exists = known.is_some_and(|name| !catalog.index().operators(name).is_empty());
        if let Some((_, spelled)) = spelled.filter(|_| !exists) {
            edits.push(edit(token.span.clone(), *spelled));
        }
    }
    mended(edits, "comparisons are spelled as Postgres spells them")
}

const DISTINCT: &str = "DISTINCT";

/// Comparisons as other languages and tired fingers spell them.
const SPELLINGS: &[(&str, &str)] = &[
    ("==", "="),
    ("===", "="),
    ("=<", "<="),
    ("<==", "<="),
    (">==", ">="),
    ("!==", "<>"),
];
