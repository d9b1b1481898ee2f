//! The queries of a text that does not parse, and their clauses, by words alone.

use std::ops::Range;

use crate::recoverers::syntax_error::edited_text::EditedText;

/// A clause of a SELECT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClauseKind {
    /// FROM with the joins right behind it.
    From,
    /// A join that stands behind another clause.
    Join,
    /// WHERE.
    Where,
    /// GROUP BY.
    GroupBy,
    /// HAVING.
    Having,
    /// WINDOW.
    Window,
    /// ORDER BY.
    OrderBy,
    /// LIMIT.
    Limit,
    /// OFFSET.
    Offset,
    /// FETCH FIRST.
    Fetch,
}

/// A clause as it is written: its first and last token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clause {
    pub(crate) kind: ClauseKind,
    pub(crate) first: usize,
    pub(crate) last: usize,
}

/// One SELECT: its first and last token, and its clauses in the order of the text.
#[derive(Clone, Debug)]
pub(crate) struct QueryClauses {
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) clauses: Vec<Clause>,
    /// Whether UNION, INTERSECT or EXCEPT follows.
    pub(crate) continues: bool,
}

impl ClauseKind {
    /// Its place among the others.
    pub(crate) fn rank(self) -> usize {
        match self {
            Self::From => 0,
            Self::Join => 1,
            Self::Where => 2,
            Self::GroupBy => 3,
            Self::Having => 4,
            Self::Window => 5,
            Self::OrderBy => 6,
            // These three stand in any order.
            Self::Limit | Self::Offset | Self::Fetch => 7,
        }
    }
}

impl Clause {
    /// Its text.
    pub(super) fn text<'e>(&self, edited: &'e EditedText) -> &'e str {
        let span: Range<usize> = edited.span(self.first).start..edited.span(self.last).end;
        edited.text.get(span).unwrap_or_default()
    }
}

/// Every SELECT of a text.
pub(crate) fn queries(edited: &EditedText) -> Vec<QueryClauses> {
    let selects = (0..edited.tokens.len()).filter(|place| edited.is(*place, "select"));
    selects.map(|first| query_at(edited, first)).collect()
}

fn query_at(edited: &EditedText, first: usize) -> QueryClauses {
    let mut query = QueryClauses {
        first,
        last: first,
        clauses: Vec::new(),
        continues: false,
    };
    let mut depth = 0_usize;
    let mut place = first.saturating_add(1);
    while place < edited.tokens.len() {
        if edited.is_sign(place, "(") {
            depth = depth.saturating_add(1);
        } else if edited.is_sign(place, ")") {
            let Some(less) = depth.checked_sub(1) else {
                break;
            };
            depth = less;
        } else if depth == 0 && edited.is_sign(place, ";") {
            break;
        } else if depth == 0 && edited.is_any(place, SET_OPERATIONS) {
            query.continues = true;
            break;
        } else if depth == 0
            && let Some(kind) = begins(edited, place, &query.clauses)
        {
            query.clauses.push(Clause {
                kind,
                first: place,
                last: place,
            });
        }
        query.last = place;
        if let Some(clause) = query.clauses.last_mut() {
            clause.last = place;
        }
        place = place.saturating_add(1);
    }
    query
}

/// The clause that begins at a token.
fn begins(edited: &EditedText, place: usize, before: &[Clause]) -> Option<ClauseKind> {
    let next = place.saturating_add(1);
    let after_dot = place
        .checked_sub(1)
        .is_some_and(|before| edited.is_sign(before, "."));
    if after_dot {
        return None;
    }
    let has_from = before.iter().any(|clause| clause.kind == ClauseKind::From);
    let in_from = (before.last())
        .is_some_and(|clause| matches!(clause.kind, ClauseKind::From | ClauseKind::Join));
    let joins = edited.is(place, "join")
        || edited.is_any(place, BEFORE_JOIN)
            && (edited.is(next, "join")
                || edited.is(next, "outer") && edited.is(next.saturating_add(1), "join"));
    let is_inner = place
        .checked_sub(1)
        .is_some_and(|before| edited.is_any(before, BEFORE_JOIN) || edited.is(before, "outer"));
    Some(match () {
        () if edited.is(place, "from") && !edited.follows(place, &["distinct"]) => ClauseKind::From,
        () if joins && has_from && !in_from && !is_inner => ClauseKind::Join,
        () if edited.is(place, "where") => ClauseKind::Where,
        () if edited.is(place, "group") && edited.is(next, "by") => ClauseKind::GroupBy,
        () if edited.is(place, "having") => ClauseKind::Having,
        () if edited.is(place, "window") && edited.is(next.saturating_add(1), "as") => {
            ClauseKind::Window
        }
        () if edited.is(place, "order") && edited.is(next, "by") => ClauseKind::OrderBy,
        () if edited.is(place, "limit") => ClauseKind::Limit,
        () if edited.is(place, "offset") => ClauseKind::Offset,
        () if edited.is(place, "fetch") => ClauseKind::Fetch,
        () => return None,
    })
}

const SET_OPERATIONS: &[&str] = &["union", "intersect", "except"];

const BEFORE_JOIN: &[&str] = &["left", "right", "full", "inner", "cross", "natural"];
