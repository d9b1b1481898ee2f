//! Calls and lists as they are written: where their arguments begin and end.

use super::{PairedTokens, TokenRange};

/// A call as it is written.
#[derive(Clone, Debug)]
pub struct CallSpan {
    /// Its name, with a schema where it has one.
    pub name: TokenRange,
    /// `(`.
    pub open: usize,
    /// `)`.
    pub close: usize,
    /// DISTINCT, ALL or VARIADIC.
    pub prefix: Option<usize>,
    /// Its arguments.
    pub arguments: Vec<TokenRange>,
    /// ORDER BY within the parentheses.
    pub order: Option<TokenRange>,
    /// The last token of WITHIN GROUP, FILTER and OVER; `close` where there is none.
    pub end: usize,
}

impl PairedTokens<'_> {
    /// The call whose name begins at a byte.
    pub fn call(&self, byte: usize) -> Option<CallSpan> {
        let first = self.at(byte).filter(|token| self.is_name(*token))?;
        let last = self.names(first);
        let open = last.checked_add(1).filter(|open| self.word(*open) == "(")?;
        let close = self.partner(open)?;
        let mut written = CallSpan {
            name: TokenRange { first, last },
            open,
            close,
            prefix: None,
            arguments: Vec::new(),
            order: None,
            end: self.after_call(close),
        };
        let mut start = open.checked_add(1)?;
        if ["DISTINCT", "ALL", "VARIADIC"]
            .iter()
            .any(|word| self.is(start, word))
        {
            written.prefix = Some(start);
            start = start.checked_add(1)?;
        }
        let by_words = BY_WORDS.iter().any(|name| self.is(last, name));
        let mut at = start;
        let last_inside = close.checked_sub(1)?;
        while at <= close {
            let inner = self.partner(at).filter(|partner| *partner > at);
            if let Some(partner) = inner {
                at = partner.checked_add(1)?;
                continue;
            }
            let ends = at == close
                || self.word(at) == ","
                || by_words && ["FROM", "FOR"].iter().any(|word| self.is(at, word))
                || self.is(at, "ORDER") && self.is(at.checked_add(1)?, "BY");
            if ends {
                if at > start {
                    written.arguments.push(TokenRange {
                        first: start,
                        last: at.checked_sub(1)?,
                    });
                } else if at != close || !written.arguments.is_empty() {
                    return None;
                }
                start = at.checked_add(1)?;
                if at != close && self.is(at, "ORDER") {
                    written.order = Some(TokenRange {
                        first: at,
                        last: last_inside,
                    });
                    break;
                }
            }
            at = at.checked_add(1)?;
        }
        Some(written)
    }

    /// The last token of what follows the parentheses of a call.
    fn after_call(&self, close: usize) -> usize {
        let mut end = close;
        for (words, open) in [
            (&["WITHIN", "GROUP"][..], 3),
            (&["FILTER"], 2),
            (&["OVER"], 2),
        ] {
            let follows = words
                .iter()
                .zip(end.saturating_add(1)..)
                .all(|(word, at)| self.is(at, word));
            if !follows {
                continue;
            }
            let next = end.saturating_add(open);
            match self.partner(next) {
                Some(partner) if self.word(next) == "(" => end = partner,
                _ if words == ["OVER"] && self.is_name(next) => end = next,
                _ => {}
            }
        }
        end
    }

    /// What stands between the parenthesis at a token and its partner, comma by comma.
    pub fn list(&self, open: usize) -> Option<Vec<TokenRange>> {
        let close = self.partner(open).filter(|_| self.word(open) == "(")?;
        let mut runs = Vec::new();
        let mut start = open.checked_add(1)?;
        let mut at = start;
        while at <= close {
            if let Some(partner) = self.partner(at).filter(|partner| *partner > at) {
                at = partner.checked_add(1)?;
                continue;
            }
            if at == close || self.word(at) == "," {
                let last = at.checked_sub(1).filter(|last| *last >= start)?;
                runs.push(TokenRange { first: start, last });
                start = at.checked_add(1)?;
            }
            at = at.checked_add(1)?;
        }
        Some(runs)
    }
}

/// Functions whose arguments are separated by words.
const BY_WORDS: [&str; 3] = ["substring", "extract", "overlay"];
