//! Words that must not be exchanged for each other, and words that may neither be added nor left
//! out: what such a word tells apart looks alike and is not.

use super::similarity::{Similarity, singular};

/// Whether what differs between two names is too risky. `pairs` is what the policy adds.
pub(crate) fn is_risky(likeness: &Similarity, pairs: &[(String, String)]) -> bool {
    let exchanged = likeness.lost.iter().any(|lost| {
        let mut gained = likeness.gained.iter();
        gained.any(|gained| is_pair(lost, gained, pairs))
    });
    let slipped = likeness
        .exchanged
        .iter()
        .any(|(one, other)| is_pair(one, other, pairs));
    let narrowed = match likeness.similarity_kind {
        super::similarity::SimilarityKind::Own => false,
        _ => {
            let mut extra = likeness.lost.iter().chain(&likeness.gained);
            extra.any(|word| is_risky_word(word, pairs))
        }
    };
    exchanged || slipped || narrowed
}

fn is_pair(one: &str, other: &str, pairs: &[(String, String)]) -> bool {
    let (one, other) = (singular(one), singular(other));
    let both = |first: &str, second: &str| {
        let (first, second) = (singular(first), singular(second));
        (one == first && other == second) || (one == second && other == first)
    };
    PAIRS.iter().any(|(first, second)| both(first, second))
        || pairs
            .iter()
            .any(|(first, second)| both(&first.to_lowercase(), &second.to_lowercase()))
}

/// Whether a word more or less makes another thing of it.
fn is_risky_word(word: &str, pairs: &[(String, String)]) -> bool {
    let word = singular(word);
    let is = |other: &str| singular(&other.to_lowercase()) == word;
    KINDS.iter().any(|kind| is(kind))
        || PAIRS
            .iter()
            .flat_map(|(first, second)| [first, second])
            .any(|side| !WHATS.contains(side) && is(side))
        || pairs.iter().any(|(first, second)| is(first) || is(second))
}

/// Pairs of words that must not be exchanged.
const PAIRS: &[(&str, &str)] = &[
    ("amount", "total"),
    ("customer", "vendor"),
    ("name", "number"),
    ("name", "id"),
    ("date", "id"),
    ("min", "max"),
    ("minimum", "maximum"),
    ("gross", "net"),
    ("start", "end"),
    ("started", "ended"),
    ("created", "updated"),
    ("create", "update"),
    ("created", "modified"),
    ("from", "to"),
    ("first", "last"),
    ("old", "new"),
    ("in", "out"),
    ("open", "close"),
    ("opened", "closed"),
    ("billing", "shipping"),
    ("buy", "sell"),
    ("home", "away"),
    ("payer", "payee"),
    ("employer", "employee"),
    ("sender", "receiver"),
    ("source", "target"),
    ("origin", "destination"),
    ("previous", "next"),
    ("planned", "actual"),
    ("estimated", "actual"),
    ("expected", "actual"),
    ("high", "low"),
    ("male", "female"),
    ("latitude", "longitude"),
    ("debit", "credit"),
    ("country", "county"),
    ("year", "month"),
    ("month", "day"),
    ("avg", "sum"),
    ("average", "total"),
    ("parent", "child"),
];

/// Words of pairs that by themselves only say more of the same.
const WHATS: &[&str] = &["amount", "total", "customer", "vendor"];

/// Words that say what kind of a thing is meant.
const KINDS: &[&str] = &[
    "id",
    "uuid",
    "key",
    "number",
    "num",
    "no",
    "nr",
    "code",
    "name",
    "date",
    "time",
    "timestamp",
    "type",
    "status",
    "count",
    "percent",
    "rate",
    "ratio",
    "average",
    "not",
    "non",
    "is",
    "has",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::similarity::NameWords;

    fn risky(wanted: &str, name: &str) -> bool {
        let added = [("club".to_owned(), "team".to_owned())];
        is_risky(
            &Similarity::of(wanted, name, &[NameWords::of("orders")]),
            &added,
        )
    }

    #[test]
    fn what_tells_things_apart_is_risky() {
        for (wanted, name) in [
            ("customer_name", "customer_number"),
            ("customer_name", "customer_id"),
            ("order_amount", "order_total"),
            ("start_id", "start_date"),
            ("vendor_name", "customer_name"),
            ("created_at", "updated_at"),
            ("min_price", "max_price"),
            ("price", "max_price"),
            ("price", "price_net"),
            ("customer", "customer_id"),
            ("club_name", "team_name"),
            ("country", "county"),
            ("paid", "not_paid"),
        ] {
            assert!(risky(wanted, name), "{wanted} {name}");
        }
        for (wanted, name) in [
            ("amount", "total_amount"),
            ("cust_id", "customer_id"),
            ("status", "order_status"),
            ("order_date", "date"),
            ("emial", "email"),
        ] {
            assert!(!risky(wanted, name), "{wanted} {name}");
        }
    }
}
