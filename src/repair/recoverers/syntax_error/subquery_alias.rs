//! A sub-query in FROM without an alias, which servers before 16 do not take.
//!
//! The grammar says nothing about it, and where a sub-query ends no tree does: it is found in the
//! tokens, and the tree is asked whether all have been.

use std::collections::HashSet;

use super::edited_text::EditedText;
use super::mentioned_names::MentionedNames;
use super::token_repair::{TokenRepair, edit, token_repair};
use sql::edit::TextEdit;
use sql::lexer::TokenKind;
use sql::tree::{self, Node, SyntaxTree};

pub(in crate::recoverers::syntax_error) fn repair(
    edited: &EditedText,
    known: &MentionedNames<'_>,
) -> Option<TokenRepair> {
    if known.server_major >= FIRST_WITHOUT {
        return None;
    }
    let tree = edited.parse()?;
    let wanted = without_alias(&tree);
    if wanted == 0 {
        return None;
    }
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut number = 0_usize;
    let words: HashSet<String> = (0..edited.tokens.len())
        .map(|place| edited.word(place).to_lowercase())
        .collect();
    for end in ends(edited) {
        let name = loop {
            number = number.saturating_add(1);
            let name = match number {
                1 => "subquery".to_owned(),
                more => format!("subquery_{more}"),
            };
            if !words.contains(&name) {
                break name;
            }
        };
        edits.push(edit(end..end, format!(" AS {name}")));
    }
    let after = edited.parse_with(&edits)?;
    let all = edits.len() == wanted && without_alias(&after) == 0;
    token_repair(edits, "sub-queries in FROM have got an alias").filter(|_| all)
}

/// Where sub-queries in FROM end that have no alias.
fn ends(edited: &EditedText) -> Vec<usize> {
    let mut groups: Vec<ParenthesisGroup> = vec![ParenthesisGroup::default()];
    let mut found = Vec::new();
    for place in 0..edited.tokens.len() {
        match edited.word(place) {
            "(" => {
                let in_from = groups.last().is_some_and(|group| group.in_from);
                let begins = in_from
                    && (edited.follows(place, &["from", "join", "lateral"])
                        || place
                            .checked_sub(1)
                            .is_some_and(|at| edited.is_sign(at, ",")));
                groups.push(ParenthesisGroup {
                    is_item: begins && is_query(edited, place),
                    // A join in parentheses is a FROM of its own.
                    in_from: begins && !is_query(edited, place),
                    is_call: edited.follows(place, CALLS_WITH_FROM),
                });
            }
            ")" => {
                let next = place.saturating_add(1);
                let ended = groups.pop().unwrap_or_default();
                if ended.is_item && !has_alias(edited, next) {
                    found.push(edited.span(place).end);
                }
            }
            _ if edited.kind(place) == Some(TokenKind::Word) => {
                if let Some(group) = groups.last_mut() {
                    let after_distinct = edited.follows(place, &["distinct"]);
                    if edited.is(place, "from") && !after_distinct && !group.is_call {
                        group.in_from = true;
                    } else if edited.is_any(place, AFTER_FROM) {
                        group.in_from = false;
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// What is inside of a pair of parentheses, or outside of all.
#[derive(Default)]
struct ParenthesisGroup {
    /// It is a query that stands in FROM.
    is_item: bool,
    /// The tokens are those of a FROM now.
    in_from: bool,
    /// It holds arguments, and its FROM begins one of them.
    is_call: bool,
}

/// Whether a query is in these parentheses.
fn is_query(edited: &EditedText, opening: usize) -> bool {
    let mut inside = opening.saturating_add(1)..edited.tokens.len();
    let first = inside.find(|place| !edited.is_sign(*place, "("));
    first.is_some_and(|first| edited.is_any(first, &["select", "with", "values", "table"]))
}

fn has_alias(edited: &EditedText, next: usize) -> bool {
    match edited.kind(next) {
        Some(TokenKind::QuotedName | TokenKind::UnicodeName) => true,
        Some(TokenKind::Word) => !edited.is_any(next, NO_ALIAS),
        _ => false,
    }
}

/// Sub-queries in FROM without an alias.
fn without_alias(parsed: &SyntaxTree) -> usize {
    let mut waiting: Vec<Node<'_>> = parsed.statements().map(|one| one.node).collect();
    let mut count = 0_usize;
    while let Some(node) = waiting.pop() {
        if let Node::RangeSubselect(select) = node
            && select.alias().is_none()
        {
            count = count.saturating_add(1);
        }
        // What the tree does not know is not looked into.
        let _unknown = tree::children(node, &mut waiting);
    }
    count
}

/// The first version that does without.
const FIRST_WITHOUT: u16 = 16;

const AFTER_FROM: &[&str] = &[
    "where",
    "group",
    "order",
    "having",
    "limit",
    "offset",
    "fetch",
    "window",
    "union",
    "intersect",
    "except",
    "select",
    "for",
    "on",
    "using",
];

const CALLS_WITH_FROM: &[&str] = &["extract", "substring", "trim", "overlay"];

/// Words after a sub-query that are no alias of it.
const NO_ALIAS: &[&str] = &[
    "where",
    "group",
    "order",
    "having",
    "limit",
    "offset",
    "fetch",
    "window",
    "union",
    "intersect",
    "except",
    "for",
    "on",
    "using",
    "join",
    "inner",
    "left",
    "right",
    "full",
    "cross",
    "natural",
    "tablesample",
    "returning",
];
