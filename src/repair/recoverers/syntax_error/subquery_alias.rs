//! A sub-query in FROM without an alias, which servers before 16 do not take.
//!
//! The grammar says nothing about it, and where a sub-query ends no tree does: it is found in the
//! tokens, and the tree is asked whether all have been.

use std::collections::HashSet;

use super::edited_text::Stage;
use super::mentioned_names::Known;
use super::token_repairs::{Mend, edit, mended};
use crate::sql::edit::Edit;
use crate::sql::lexer::TokenKind;
use crate::sql::tree::{self, Node, Tree};

pub(in crate::repair::recoverers::syntax_error) fn mend(
    stage: &Stage,
    known: &Known<'_>,
) -> Option<Mend> {
    if known.server_major >= FIRST_WITHOUT {
        return None;
    }
    let tree = stage.parse()?;
    let wanted = without_alias(&tree);
    if wanted == 0 {
        return None;
    }
    let mut edits: Vec<Edit> = Vec::new();
    let mut number = 0_usize;
    let words: HashSet<String> = (0..stage.tokens.len())
        .map(|place| stage.word(place).to_lowercase())
        .collect();
    for end in ends(stage) {
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
    let after = stage.parse_with(&edits)?;
    let all = edits.len() == wanted && without_alias(&after) == 0;
    mended(edits, "sub-queries in FROM have got an alias").filter(|_| all)
}

/// Where sub-queries in FROM end that have no alias.
fn ends(stage: &Stage) -> Vec<usize> {
    let mut groups: Vec<Group> = vec![Group::default()];
    let mut found = Vec::new();
    for place in 0..stage.tokens.len() {
        match stage.word(place) {
            "(" => {
                let in_from = groups.last().is_some_and(|group| group.in_from);
                let begins = in_from
                    && (stage.follows(place, &["from", "join", "lateral"])
                        || place
                            .checked_sub(1)
                            .is_some_and(|at| stage.is_sign(at, ",")));
                groups.push(Group {
                    is_item: begins && is_query(stage, place),
                    // A join in parentheses is a FROM of its own.
                    in_from: begins && !is_query(stage, place),
                    is_call: stage.follows(place, CALLS_WITH_FROM),
                });
            }
            ")" => {
                let next = place.saturating_add(1);
                let ended = groups.pop().unwrap_or_default();
                if ended.is_item && !has_alias(stage, next) {
                    found.push(stage.span(place).end);
                }
            }
            _ if stage.kind(place) == Some(TokenKind::Word) => {
                if let Some(group) = groups.last_mut() {
                    let after_distinct = stage.follows(place, &["distinct"]);
                    if stage.is(place, "from") && !after_distinct && !group.is_call {
                        group.in_from = true;
                    } else if stage.is_any(place, AFTER_FROM) {
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
struct Group {
    /// It is a query that stands in FROM.
    is_item: bool,
    /// The tokens are those of a FROM now.
    in_from: bool,
    /// It holds arguments, and its FROM begins one of them.
    is_call: bool,
}

/// Whether a query is in these parentheses.
fn is_query(stage: &Stage, opening: usize) -> bool {
    let mut inside = opening.saturating_add(1)..stage.tokens.len();
    let first = inside.find(|place| !stage.is_sign(*place, "("));
    first.is_some_and(|first| stage.is_any(first, &["select", "with", "values", "table"]))
}

fn has_alias(stage: &Stage, next: usize) -> bool {
    match stage.kind(next) {
        Some(TokenKind::QuotedName | TokenKind::UnicodeName) => true,
        Some(TokenKind::Word) => !stage.is_any(next, NO_ALIAS),
        _ => false,
    }
}

/// Sub-queries in FROM without an alias.
fn without_alias(parsed: &Tree) -> usize {
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
