//! Candidates that are the same statement: of one fingerprint, and with the same constants, which a
//! fingerprint leaves out.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::candidate::Candidate;
use crate::gate::{Gate, SessionNames};
use crate::sql::fingerprint::Fingerprint;
use crate::sql::lexer::{TokenKind, tokens};

/// A candidate and those that are the same.
pub(super) struct SingleCandidate {
    /// Its number in the order given, from one.
    pub(super) number: usize,
    /// The numbers of the others.
    pub(super) doubles: Vec<usize>,
    /// The first of them.
    pub(super) candidate: Candidate,
}

/// Each statement once, in the order given.
pub(super) fn without(gate: &Gate, candidates: Vec<Candidate>) -> Vec<SingleCandidate> {
    let mut singles: Vec<SingleCandidate> = Vec::new();
    let mut places: BTreeMap<(Fingerprint, Vec<String>), usize> = BTreeMap::new();
    let names = SessionNames::of_no_database();
    for (number, candidate) in (1..).zip(candidates) {
        let judgement = gate.judge(Cow::Borrowed(&candidate.sql), &names);
        let key = judgement
            .facts
            .fingerprint
            .map(|print| (print, constants(&candidate.sql)));
        let known = key.as_ref().and_then(|key| places.get(key)).copied();
        match known.and_then(|place| singles.get_mut(place)) {
            Some(single) => single.doubles.push(number),
            None => {
                places.extend(key.map(|key| (key, singles.len())));
                singles.push(SingleCandidate {
                    number,
                    doubles: Vec::new(),
                    candidate,
                });
            }
        }
    }
    singles
}

fn constants(text: &str) -> Vec<String> {
    let all = tokens(text).filter(|token| {
        matches!(
            token.kind,
            TokenKind::String
                | TokenKind::EscapeString
                | TokenKind::UnicodeString
                | TokenKind::BitString
                | TokenKind::DollarString
                | TokenKind::Number
                | TokenKind::JunkNumber
                | TokenKind::Parameter
        )
    });
    let written = all.filter_map(|token| text.get(token.span));
    written.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::policy::Policy;
    use crate::sql::fingerprint::Fingerprinter;

    #[test]
    fn the_same_statement_is_looked_at_once() {
        let gate = Gate::new(Arc::new(Policy::agent()), Fingerprinter::new(None, [7; 32]));
        let check = |texts: &[&str], wanted: &[(usize, &[usize])]| {
            let all = texts.iter().map(|text| Candidate::of_text(text).unwrap());
            let singles = without(&gate, all.collect());
            let found = singles
                .iter()
                .map(|one| (one.number, one.doubles.as_slice()));
            assert_eq!(found.collect::<Vec<_>>(), wanted, "{texts:?}");
        };
        check(
            &["SELECT 1", "select  1;", "SELECT 2"],
            &[(1, &[2]), (3, &[])],
        );
        let texts = [
            "SELECT a FROM t WHERE b = 'x'",
            "SELECT a FROM t WHERE b = 'X'",
        ];
        check(&texts, &[(1, &[]), (2, &[])]);
        check(
            &["SELECT \"a\"", "SELECT \"A\"", "SELECT \"a\" -- b"],
            &[(1, &[3]), (2, &[])],
        );
    }
}
