//! `invalid_column_reference`, 42P10: a list of column names that is longer than what it names, and
//! DISTINCT beside an ORDER BY of what is not selected ([`distinct_order`]).
//!
//! # Sees
//! `WITH a(x, y) AS (…)` and `(…) AS a(x, y)` with more names than the query has columns.
//!
//! # Why
//! Names beyond the last column that nothing uses say nothing.
//!
//! # Before
//! ```sql
//! WITH a(x, y) AS (SELECT count(*) FROM orders) SELECT x FROM a
//! ```
//!
//! # After
//! ```sql
//! WITH a(x) AS (SELECT count(*) FROM orders) SELECT x FROM a
//! ```
//!
//! # When not
//! One of them is used, or a star or a NATURAL JOIN may show it; a column of the query is called as
//! another one of the names: then a column is missing. It is put in its place where the query's
//! FROM has one of that name ([`missing_columns`]); otherwise the HINT has both counts.

mod distinct_order;
mod missing_columns;

use crate::names::letter_case::unquoted;
use crate::recoverers::syntax_error::edited_text::EditedText;
use crate::{RecovererAnswer, RepairContext};
use sql::edit::TextEdit;
use sql::lexer::TokenKind;
use sql::node_access::{self, last_name};
use sql::tree::{Node, SetOperation, nodes};

/// Takes names away that name nothing and are used nowhere.
pub(crate) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    if context.failure.message.starts_with("for SELECT DISTINCT") {
        return distinct_order::recover(context);
    }
    let counts = NameCounts::of(&context.failure.message);
    let answer = counts.and_then(|counts| counted(context, &counts));
    answer.unwrap_or(RecovererAnswer::Silent)
}

fn counted(context: &RepairContext<'_>, counts: &NameCounts) -> Option<RecovererAnswer> {
    let NameCounts { named, columns, .. } = counts;
    let edited = EditedText::new(context.text);
    let mut lists = (0..edited.tokens.len()).filter_map(|at| NameList::at(&edited, at, counts));
    let list = lists.next().filter(|_| lists.next().is_none())?;
    if let Some(edit) = shortened(context, &edited, &list, counts) {
        let change =
            format!("{named} has {columns} columns, and names beyond them are used nowhere");
        return Some(RecovererAnswer::likely(vec![edit], change));
    }
    if let Some(edits) = missing_columns::numbered_rows(context, counts, &list) {
        let change = format!("the rows of {named} are numbered");
        return Some(RecovererAnswer::likely(edits, change));
    }
    let edits = missing_columns::added_columns(context, counts, &list)?;
    let change = format!("{named} has columns of the names that its query left out");
    Some(RecovererAnswer::likely(edits, change))
}

/// What the server says of a list: `table "a" has 1 columns available but 2 columns specified`.
struct NameCounts {
    named: String,
    columns: usize,
    names: usize,
}

impl NameCounts {
    fn of(message: &str) -> Option<Self> {
        let (_, rest) = message.split_once('"')?;
        let (named, rest) = rest.split_once("\" has ")?;
        let (columns, rest) = rest.split_once(" columns available but ")?;
        let names = rest.strip_suffix(" columns specified")?;
        Some(Self {
            named: named.to_owned(),
            columns: columns.parse().ok()?,
            names: names.parse().ok()?,
        })
    }
}

/// The list without the names that are too many.
fn shortened(
    context: &RepairContext<'_>,
    edited: &EditedText,
    list: &NameList,
    counts: &NameCounts,
) -> Option<TextEdit> {
    let beyond = list.names.get(counts.columns..)?;
    let (last_kept, first) = (counts.columns.checked_sub(1)?, beyond.first()?);
    let is_used = |place: usize| {
        let name = name_of(edited, place);
        (0..edited.tokens.len()).any(|at| !list.names.contains(&at) && name_of(edited, at) == name)
    };
    if beyond.iter().any(|place| is_used(*place)) || shows_all(edited) {
        return None;
    }
    let names: Vec<String> = list.names.iter().map(|at| name_of(edited, *at)).collect();
    if is_shifted(&own_names(context, counts)?, &names)
        || missing_columns::names_another_column(context, counts, list)
    {
        return None;
    }
    let kept = edited.span(*list.names.get(last_kept)?).end;
    let end = beyond.last().map_or(*first, |last| *last);
    Some(TextEdit {
        span: kept..edited.span(end).end,
        replacement: String::new(),
    })
}

/// A list of names in parentheses, by the places of its names.
struct NameList {
    /// Of what is named.
    at: usize,
    names: Vec<usize>,
}

impl NameList {
    /// The list of this length whose name stands at a place.
    fn at(edited: &EditedText, place: usize, counts: &NameCounts) -> Option<Self> {
        let open = place.checked_add(1)?;
        if name_of(edited, place) != counts.named || !edited.is_sign(open, "(") {
            return None;
        }
        let mut names = Vec::new();
        let mut at = open;
        while names.len() < counts.names {
            at = at.checked_add(1)?;
            names.push(at);
            let is_name = matches!(
                edited.kind(at),
                Some(TokenKind::Word | TokenKind::QuotedName)
            );
            at = at.checked_add(1)?;
            let end = match names.len() == counts.names {
                true => ")",
                false => ",",
            };
            if !is_name || !edited.is_sign(at, end) {
                return None;
            }
        }
        Some(Self { at: place, names })
    }
}

/// A name as the server reads it.
fn name_of(edited: &EditedText, place: usize) -> String {
    let word = edited.word(place);
    match edited.kind(place) {
        Some(TokenKind::QuotedName) => unquoted(word).unwrap_or_default(),
        _ => word.to_lowercase(),
    }
}

/// Whether a star shows columns, or columns are compared by their names alone.
fn shows_all(edited: &EditedText) -> bool {
    (0..edited.tokens.len()).any(|at| {
        let is_star = edited.is_sign(at, "*")
            && at.checked_sub(1).is_some_and(|before| {
                edited.is_any(before, &["select", "distinct", "all"])
                    || [",", "."].iter().any(|sign| edited.is_sign(before, sign))
            });
        is_star || edited.is(at, "natural")
    })
}

/// The names that the columns have by themselves, where none of them is a table's or hidden in a
/// star.
fn own_names<'s>(context: &RepairContext<'s>, counts: &NameCounts) -> Option<Vec<Option<&'s str>>> {
    let all = node_access::all(context.statement()?)?;
    let is_it = |alias: Option<&nodes::Alias>| {
        let name = alias.and_then(nodes::Alias::aliasname);
        name == Some(counts.named.as_str())
    };
    all.iter().find_map(|node| match node {
        Node::CommonTableExpr(table) if table.ctename() == Some(counts.named.as_str()) => {
            names_of_query(table.ctequery())
        }
        Node::RangeSubselect(range) if is_it(range.alias()) => names_of_query(range.subquery()),
        Node::RangeFunction(range) if is_it(range.alias()) => Some(Vec::new()),
        _ => None,
    })
}

fn names_of_query(query: Node<'_>) -> Option<Vec<Option<&str>>> {
    let Node::SelectStmt(mut select) = query else {
        return None;
    };
    while select.op != SetOperation::SETOP_NONE {
        select = select.larg()?;
    }
    let targets = select.target_list().iter();
    let names = targets.map(|target| match (target.name(), target.val()) {
        (Some(name), _) => Some(Some(name)),
        (None, Node::ColumnRef(column)) => last_name(column.fields()).map(Some),
        (None, _) => Some(None),
    });
    names.collect()
}

/// Whether a column is called as one of the names that is not its own: then another one is missing.
fn is_shifted(own: &[Option<&str>], names: &[String]) -> bool {
    own.iter().enumerate().any(|(place, name)| {
        name.is_some_and(|name| {
            let given = names.iter().position(|one| one == name);
            given.is_some_and(|given| given != place)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_off_the_message() {
        let counts = |message| {
            let counts = NameCounts::of(message)?;
            Some((counts.named, counts.columns, counts.names))
        };
        let read = |named: &str, columns, names| Some((named.to_owned(), columns, names));
        assert_eq!(
            counts("table \"a\" has 1 columns available but 2 columns specified"),
            read("a", 1, 2)
        );
        assert_eq!(
            counts("WITH query \"a b\" has 2 columns available but 3 columns specified"),
            read("a b", 2, 3)
        );
        assert_eq!(counts("ORDER BY position 3 is not in select list"), None);
    }
}
