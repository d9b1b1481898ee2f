//! Mistakes that the grammar takes, by accident, for something else: `SELECT DISTNCT city` for a
//! column with an alias, `surname 'last name'` for a literal of a type, `=<` for an operator.
//!
//! The server finds no such column, type or operator.

use super::edited_text::EditedText;
use super::keyword_list::near;
use super::mentioned_names::MentionedNames;
use super::token_repair::{TokenRepair, edit, token_repair};
use crate::names::letter_case::{in_quotes, unquoted};
use crate::{FailureClass, RecovererAnswer, RepairContext};
use resolve::UsedObject;
use sql::edit::TextEdit;
use sql::lexer::TokenKind;

/// Looks at a text that parses.
pub(in crate::recoverers::syntax_error) fn recover(
    context: &RepairContext<'_>,
    edited: &EditedText,
    known: &MentionedNames<'_>,
) -> RecovererAnswer {
    if context.tree.is_none() {
        return RecovererAnswer::Silent;
    }
    let repair = match context.failure.class {
        FailureClass::UndefinedColumn => distinct(context, edited, known),
        FailureClass::UndefinedObject => string_aliases(edited, known),
        FailureClass::UndefinedFunction => operators(context, edited),
        FailureClass::SyntaxError
        | FailureClass::UndefinedTable
        | FailureClass::AmbiguousColumn
        | FailureClass::GroupingError
        | FailureClass::DatatypeMismatch
        | FailureClass::DuplicateAlias
        | FailureClass::InvalidColumnReference
        | FailureClass::InvalidTextRepresentation => None,
    };
    let fits = repair.filter(|repair| edited.parse_with(&repair.edits).is_some());
    fits.map_or(RecovererAnswer::Silent, |repair| {
        RecovererAnswer::exact(repair.edits, repair.change)
    })
}

/// `SELECT DISTNCT city`: there is no such column, and what follows has no AS.
fn distinct(
    context: &RepairContext<'_>,
    edited: &EditedText,
    known: &MentionedNames<'_>,
) -> Option<TokenRepair> {
    let mut edits: Vec<TextEdit> = Vec::new();
    for used in &context.resolution?.uses {
        let (
            UsedObject::MissingColumn {
                qualifier: None, ..
            },
            Some(at),
        ) = (&used.what, used.at)
        else {
            continue;
        };
        let place = edited.tokens.partition_point(|token| token.span.start < at);
        let next = place.saturating_add(1);
        let word = edited.word(place);
        let named = matches!(
            edited.kind(next),
            Some(TokenKind::Word | TokenKind::QuotedName)
        ) && !edited.is_any(next, &["as", "from"]);
        let follows = named && edited.follows(place, &["select"]) && !known.has(word);
        if follows && near(word).iter().any(|near| near.keyword == DISTINCT) {
            edits.push(edit(edited.span(place), DISTINCT));
        }
    }
    token_repair(edits, "a misspelt DISTINCT is read as such")
}

/// `surname 'last name'`: a column and its alias, where no type is called so.
fn string_aliases(edited: &EditedText, known: &MentionedNames<'_>) -> Option<TokenRepair> {
    let mut edits: Vec<TextEdit> = Vec::new();
    for place in 2..edited.tokens.len() {
        let (column, before, next) = (
            place.saturating_sub(1),
            place.saturating_sub(2),
            place.saturating_add(1),
        );
        let name = match edited.kind(column) {
            Some(TokenKind::QuotedName) => unquoted(edited.word(column)),
            Some(TokenKind::Word) => Some(edited.word(column).to_owned()),
            _ => None,
        };
        let begins = edited.is_any(before, &["select", "distinct"])
            || edited.is_sign(before, ",")
            || edited.is_sign(before, ".");
        let ends = edited.is_sign(next, ",") || edited.is(next, "from");
        let word = edited.word(place);
        let alias = word
            .strip_prefix('\'')
            .and_then(|word| word.strip_suffix('\''));
        let alias = alias.filter(|_| edited.kind(place) == Some(TokenKind::String));
        if let (Some(name), Some(alias)) = (name, alias)
            && begins
            && ends
            && !alias.is_empty()
            && known.has(&name)
        {
            edits.push(edit(
                edited.span(place),
                in_quotes(&alias.replace("''", "'")),
            ));
        }
    }
    token_repair(edits, "aliases in single quotes are written as names")
}

/// Comparisons in other spellings, where no operator is called so.
fn operators(context: &RepairContext<'_>, edited: &EditedText) -> Option<TokenRepair> {
    let catalog = context.database?.catalog;
    let mut edits: Vec<TextEdit> = Vec::new();
    for (place, token) in edited.tokens.iter().enumerate() {
        if token.kind != TokenKind::Operator {
            continue;
        }
        let word = edited.word(place);
        let spelled = SPELLINGS.iter().find(|(own, _)| *own == word);
        let known = catalog.names().find(word);
        let exists = known.is_some_and(|name| !catalog.index().operators(name).is_empty());
        if let Some((_, spelled)) = spelled.filter(|_| !exists) {
            edits.push(edit(token.span.clone(), *spelled));
        }
    }
    token_repair(edits, "comparisons are spelled as Postgres spells them")
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
