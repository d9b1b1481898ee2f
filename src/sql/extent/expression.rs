//! Which tokens an expression takes.

use super::{PairedTokens, TokenRange};
use crate::lexer::TokenKind;
use crate::node_access::place;
use crate::tree::{A_Expr_Kind, CoercionForm, Node, SubLinkType, nodes};
use ground::limits::FUNCTIONS_DEPTH_MAX;

impl PairedTokens<'_> {
    /// The left operand of the operator at a token.
    pub fn left_of(&self, operator: usize, node: Node<'_>) -> Option<TokenRange> {
        self.left(operator, node, FUNCTIONS_DEPTH_MAX)
    }

    /// The operand that begins after a token.
    pub fn right_of(&self, token: usize, node: Node<'_>) -> Option<TokenRange> {
        self.right(token, node, FUNCTIONS_DEPTH_MAX)
    }

    fn left(&self, operator: usize, node: Node<'_>, depth: usize) -> Option<TokenRange> {
        let end = operator.checked_sub(1)?;
        let mut run = self.bare(node, depth.checked_sub(1)?)?;
        while run.last < end {
            run = self.widened(run)?;
        }
        (run.last == end).then_some(run)
    }

    fn right(&self, token: usize, node: Node<'_>, depth: usize) -> Option<TokenRange> {
        let start = token.checked_add(1)?;
        let mut run = self.bare(node, depth.checked_sub(1)?)?;
        while run.first > start {
            run = self.widened(run)?;
        }
        (run.first == start).then_some(run)
    }

    /// A run with the parentheses around it.
    fn widened(&self, run: TokenRange) -> Option<TokenRange> {
        let wider = TokenRange {
            first: run.first.checked_sub(1)?,
            last: run.last.checked_add(1)?,
        };
        let are_partners =
            self.word(wider.first) == "(" && self.partner(wider.first) == Some(wider.last);
        are_partners.then_some(wider)
    }

    /// An expression without the parentheses around it.
    pub fn expression(&self, node: Node<'_>) -> Option<TokenRange> {
        self.bare(node, FUNCTIONS_DEPTH_MAX)
    }

    fn bare(&self, node: Node<'_>, depth: usize) -> Option<TokenRange> {
        match node {
            Node::ColumnRef(column) => {
                let first = self.at(place(column.location)?)?;
                let last = self.names(first);
                Some(TokenRange { first, last })
            }
            Node::A_Const(constant) => {
                let first = self.at(place(constant.location)?)?;
                let signed = matches!(self.word(first), "-" | "+");
                let last = first.checked_add(usize::from(signed))?;
                Some(TokenRange { first, last })
            }
            Node::ParamRef(parameter) => self.single(parameter.location),
            Node::FuncCall(call) if call.funcformat == CoercionForm::COERCE_SQL_SYNTAX => {
                self.in_parentheses(call.location)
            }
            Node::FuncCall(call) => {
                let written = self.call(place(call.location)?)?;
                Some(TokenRange {
                    first: written.name.first,
                    last: written.end,
                })
            }
            Node::CoalesceExpr(of) => self.in_parentheses(of.location),
            Node::MinMaxExpr(of) => self.in_parentheses(of.location),
            Node::SQLValueFunction(of) => self
                .in_parentheses(of.location)
                .or_else(|| self.single(of.location)),
            Node::A_Expr(of) if of.kind == A_Expr_Kind::AEXPR_NULLIF => {
                self.in_parentheses(of.location)
            }
            Node::SubLink(link) => match link.sub_link_type {
                SubLinkType::EXPR_SUBLINK => {
                    let first = self.at(place(link.location)?)?;
                    let last = self.partner(first)?;
                    Some(TokenRange { first, last })
                }
                SubLinkType::EXISTS_SUBLINK | SubLinkType::ARRAY_SUBLINK => {
                    self.in_parentheses(link.location)
                }
                _ => None,
            },
            Node::CaseExpr(case) => self.case(case.location),
            Node::TypeCast(cast) => self.cast(cast, depth),
            Node::A_Expr(of) => self.operation(of, depth),
            _ => None,
        }
    }

    fn single(&self, location: i32) -> Option<TokenRange> {
        let first = self.at(place(location)?)?;
        Some(TokenRange { first, last: first })
    }

    /// A word and what stands in parentheses after it.
    fn in_parentheses(&self, location: i32) -> Option<TokenRange> {
        let first = self.at(place(location)?)?;
        let open = first.checked_add(1)?;
        let last = self.partner(open).filter(|_| self.word(open) == "(")?;
        Some(TokenRange { first, last })
    }

    /// CASE up to its END.
    fn case(&self, location: i32) -> Option<TokenRange> {
        let first = self.at(place(location)?)?;
        let mut open = 0_usize;
        for at in first..self.solid.len() {
            if self.is(at, "CASE") {
                open = open.checked_add(1)?;
            } else if self.is(at, "END") && self.kind(at) == Some(TokenKind::Word) {
                open = open.checked_sub(1)?;
                if open == 0 {
                    return Some(TokenRange { first, last: at });
                }
            }
        }
        None
    }

    fn cast(&self, cast: &nodes::TypeCast, depth: usize) -> Option<TokenRange> {
        let depth = depth.checked_sub(1)?;
        let Some(at) = place(cast.location) else {
            // `DATE '2020-01-01'`
            let first = self.at(place(cast.type_name()?.location)?)?;
            let value = self.bare(cast.arg(), depth)?;
            let next = value.last.checked_add(1)?;
            let plain = !INTERVAL_FIELDS.iter().any(|word| self.is(next, word));
            return plain.then_some(TokenRange {
                first,
                last: value.last,
            });
        };
        let token = self.at(at)?;
        if self.word(token) != "::" {
            return self.in_parentheses(cast.location);
        }
        let left = self.left(token, cast.arg(), depth)?;
        Some(TokenRange {
            first: left.first,
            last: self.type_end(token.checked_add(1)?)?,
        })
    }

    /// The last token of a type that begins at a token.
    fn type_end(&self, first: usize) -> Option<usize> {
        let mut last = self.names(first);
        let next = |last: usize| last.saturating_add(1);
        for word in ["precision", "varying"] {
            if self.is(next(last), word) {
                last = next(last);
            }
        }
        if self.word(next(last)) == "(" {
            last = self.partner(next(last))?;
        }
        let zone = ["time", "zone"];
        let after = next(last);
        if (self.is(after, "with") || self.is(after, "without"))
            && zone
                .iter()
                .zip(next(after)..)
                .all(|(word, at)| self.is(at, word))
        {
            last = after.checked_add(2)?;
        }
        while self.word(next(last)) == "[" {
            last = self.partner(next(last))?;
        }
        Some(last)
    }

    fn operation(&self, of: &nodes::A_Expr, depth: usize) -> Option<TokenRange> {
        let operator = self.at(place(of.location)?)?;
        if of.kind != A_Expr_Kind::AEXPR_OP {
            return None;
        }
        let right = self.right(operator, of.rexpr(), depth)?;
        let first = match of.lexpr() {
            Node::None => operator,
            left => self.left(operator, left, depth)?.first,
        };
        Some(TokenRange {
            first,
            last: right.last,
        })
    }

    /// Whether a run can stand before `::` without parentheses.
    pub fn is_primary(&self, run: TokenRange) -> bool {
        let after_names = self.names(run.first);
        let whole = |end: usize| end == run.last;
        let single = whole(run.first);
        match self.kind(run.first) {
            Some(TokenKind::Word | TokenKind::QuotedName | TokenKind::UnicodeName)
                if whole(after_names) =>
            {
                true
            }
            Some(TokenKind::Word | TokenKind::QuotedName) => {
                let open = after_names.saturating_add(1);
                self.word(open) == "(" && self.partner(open).is_some_and(whole)
            }
            Some(
                TokenKind::Number
                | TokenKind::String
                | TokenKind::EscapeString
                | TokenKind::Parameter,
            ) => single,
            Some(TokenKind::Punctuation) => {
                self.word(run.first) == "(" && self.partner(run.first).is_some_and(whole)
            }
            _ => false,
        }
    }

    /// The last token of an item of a SELECT list that begins at a byte.
    pub fn item_end(&self, byte: usize) -> Option<usize> {
        let first = self.at(byte)?;
        let mut at = first;
        while at < self.solid.len() {
            if let Some(partner) = self.partner(at) {
                if partner < at {
                    break;
                }
                at = partner.checked_add(1)?;
                continue;
            }
            let after = |word| {
                at.checked_sub(1)
                    .is_some_and(|before| self.is(before, word))
            };
            let inside =
                self.is(at, "FROM") && after("DISTINCT") || self.is(at, "GROUP") && after("WITHIN");
            let ends = matches!(self.word(at), "," | ";")
                || self.kind(at) == Some(TokenKind::Word)
                    && ITEM_ENDS.iter().any(|word| self.is(at, word))
                    && !inside;
            if ends {
                break;
            }
            at = at.checked_add(1)?;
        }
        at.checked_sub(1).filter(|last| *last >= first)
    }
}

/// What may follow the string of an interval.
const INTERVAL_FIELDS: [&str; 6] = ["YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"];

/// What ends an item of a SELECT list.
const ITEM_ENDS: [&str; 13] = [
    "FROM",
    "WHERE",
    "GROUP",
    "HAVING",
    "WINDOW",
    "UNION",
    "INTERSECT",
    "EXCEPT",
    "ORDER",
    "LIMIT",
    "OFFSET",
    "FETCH",
    "FOR",
];
