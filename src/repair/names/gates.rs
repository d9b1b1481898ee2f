//! The nine gates that a rewritten name has to pass. All are tried, so that every one that fails is
//! named.

use super::risk_list;
use super::similarity::{NameWords, Similarity, SimilarityKind};
use crate::NameGate;
use policy::RepairSettings;

/// A name that does not exist, and what is known of the place it stands in.
pub(crate) struct UnknownName<'w> {
    /// The name.
    pub name: &'w str,
    /// Whether it could be a function or a keyword: neither qualified nor in quotes.
    pub bare: bool,
    /// Whether what qualifies it stands for one relation, or there is nothing to stand for.
    pub one_relation: bool,
    /// Whether nothing cheaper answers.
    pub cheaper_tried: bool,
}

/// A name that exists.
#[derive(Clone)]
pub(crate) struct CandidateName<'e> {
    /// The name.
    pub name: &'e str,
    /// What its relation is called, where it is a column.
    pub own: Vec<NameWords>,
    /// Whether it can be named at the place without anything else.
    pub in_reach: bool,
}

/// What came of it. Only the name of a candidate can pass: nothing passes without one.
pub(crate) enum NameGateResult {
    /// The candidate of this place in the list passed all gates.
    Passed {
        /// Its place in the list.
        place: usize,
        /// How it is alike.
        similarity_kind: SimilarityKind,
    },
    /// None did.
    Failed {
        /// The gates that the best one failed.
        failed: Vec<NameGate>,
    },
}

/// Judges candidates for a name. `too_many` says that there are more than were looked at.
pub(crate) fn check_gates(
    wanted: &UnknownName<'_>,
    candidates: &[CandidateName<'_>],
    too_many: bool,
    settings: &RepairSettings,
) -> NameGateResult {
    let mut held: Vec<(usize, Similarity)> = candidates
        .iter()
        .map(|one| Similarity::of(wanted.name, one.name, &one.own))
        .enumerate()
        .collect();
    let in_reach = |place: &usize| candidates.get(*place).is_some_and(|one| one.in_reach);
    held.sort_by(|(one, likeness), (other, others)| {
        let by_score = others.score.total_cmp(&likeness.score);
        by_score.then(in_reach(other).cmp(&in_reach(one)))
    });
    let mut failed = Vec::new();
    if wanted.bare && is_word(wanted.name) {
        failed.push(NameGate::NotAWord);
    }
    if !wanted.one_relation {
        failed.push(NameGate::OneRelation);
    }
    if !wanted.cheaper_tried {
        failed.push(NameGate::CheaperFirst);
    }
    let Some(((place, best), rest)) = held.split_first() else {
        failed.push(NameGate::Candidates);
        return NameGateResult::Failed { failed };
    };
    if too_many {
        failed.push(NameGate::Candidates);
    }
    if !in_reach(place) && !failed.contains(&NameGate::OneRelation) {
        failed.push(NameGate::OneRelation);
    }
    let rivals = rest.iter().map(|(rival, likeness)| {
        let reached =
            in_reach(rival) || !in_reach(place) || best.similarity_kind > SimilarityKind::Own;
        let weight = if reached { 1.0 } else { BEYOND_REACH };
        weight * rivalry(best, likeness)
    });
    let second = (!rest.is_empty()).then(|| rivals.fold(0.0, f64::max));
    failed.extend(compared(best, second, settings));
    failed.sort();
    match failed.is_empty() {
        true => NameGateResult::Passed {
            place: *place,
            similarity_kind: best.similarity_kind,
        },
        false => NameGateResult::Failed { failed },
    }
}

/// The gates of scores and of what differs.
fn compared(best: &Similarity, second: Option<f64>, settings: &RepairSettings) -> Vec<NameGate> {
    let gates = settings.gates;
    let mut failed = Vec::new();
    if best.score < gates.score_min {
        failed.push(NameGate::Score);
    }
    let several = second.is_some();
    let second = second.unwrap_or_default();
    let ahead = best.score - second;
    if several && ahead < gates.dominance_min {
        failed.push(NameGate::Dominance);
    }
    let times = second <= 0.0 || best.score / second >= gates.separation_ratio_min;
    if ahead < gates.separation_min && !times {
        failed.push(NameGate::Separation);
    }
    if best.similarity_kind == SimilarityKind::Other {
        failed.push(NameGate::Containment);
    }
    if risk_list::is_risky(best, &settings.risk_pairs) {
        failed.push(NameGate::Risk);
    }
    failed
}

/// How much a second candidate disputes the best one's place. A name that has all the words counts
/// for less beside one that is the same word by word.
fn rivalry(best: &Similarity, rival: &Similarity) -> f64 {
    let weight = match (best.similarity_kind, rival.similarity_kind) {
        (SimilarityKind::Case, SimilarityKind::Case) => 1.0,
        (SimilarityKind::Case, _) => 0.35,
        (
            SimilarityKind::Separators,
            SimilarityKind::Own | SimilarityKind::Contained | SimilarityKind::Other,
        ) => 0.35,
        (SimilarityKind::Aligned, SimilarityKind::Contained | SimilarityKind::Other) => 0.35,
        (SimilarityKind::Own, SimilarityKind::Contained | SimilarityKind::Other) => 0.35,
        _ => 1.0,
    };
    rival.score * weight
}

/// What cannot be named at the place disputes it less than what can.
const BEYOND_REACH: f64 = 0.35;

/// Functions and keywords that models write as if they were columns.
fn is_word(name: &str) -> bool {
    WORDS.binary_search(&name).is_ok()
}

/// Sorted.
const WORDS: &[&str] = &[
    "avg",
    "count",
    "curdate",
    "current",
    "day",
    "dayofweek",
    "dow",
    "doy",
    "epoch",
    "false",
    "getdate",
    "hour",
    "julianday",
    "level",
    "max",
    "min",
    "minute",
    "month",
    "now",
    "null",
    "quarter",
    "rank",
    "row_number",
    "rowid",
    "rownum",
    "second",
    "strftime",
    "sum",
    "sysdate",
    "systimestamp",
    "today",
    "true",
    "user",
    "week",
    "weekday",
    "year",
];

#[cfg(test)]
mod tests {
    use super::*;
    use policy::SimilarityGates;

    fn judged(wanted: &str, relation: &str, names: &[&str]) -> Result<String, Vec<NameGate>> {
        let candidates: Vec<CandidateName<'_>> = names
            .iter()
            .map(|name| CandidateName {
                name,
                own: vec![NameWords::of(relation)],
                in_reach: true,
            })
            .collect();
        let wanted = UnknownName {
            name: wanted,
            bare: true,
            one_relation: true,
            cheaper_tried: true,
        };
        match check_gates(&wanted, &candidates, false, &RepairSettings::default()) {
            NameGateResult::Passed { place, .. } => Ok(names[place].to_owned()),
            NameGateResult::Failed { failed } => Err(failed),
        }
    }

    #[track_caller]
    fn passes(wanted: &str, relation: &str, names: &[&str], right: &str) {
        assert_eq!(judged(wanted, relation, names), Ok(right.to_owned()));
    }

    #[track_caller]
    fn fails(wanted: &str, relation: &str, names: &[&str], gate: NameGate) {
        let failed = judged(wanted, relation, names).unwrap_err();
        assert!(failed.contains(&gate), "{wanted}: {failed:?}");
    }

    #[test]
    fn one_clear_name_passes() {
        let orders = ["id", "customer_id", "status", "placed_on", "total_amount"];
        passes("amount", "orders", &orders, "total_amount");
        passes("cust_id", "orders", &orders, "customer_id");
        passes("custid", "orders", &["id", "cust_id"], "cust_id");
        passes("order_status", "orders", &orders, "status");
        passes("stauts", "orders", &orders, "status");
        passes("placedon", "orders", &orders, "placed_on");
        let products = ["id", "product_name", "price", "supplier_name"];
        passes("name", "products", &products, "product_name");
        passes("prices", "products", &products, "price");
        passes("product_id", "products", &products, "id");
    }

    #[test]
    fn every_gate_stops_something() {
        fails("year", "cars", &["car_year"], NameGate::NotAWord);
        fails("x", "t", &[], NameGate::Candidates);
        fails("revenue", "orders", &["total_amount"], NameGate::Score);
        let two = ["total_amount", "tax_amount"];
        fails("amount", "orders", &two, NameGate::Dominance);
        fails("amount", "orders", &two, NameGate::Separation);
        fails("order_amount", "t", &["order_tax"], NameGate::Containment);
        fails("price", "products", &["min_price"], NameGate::Risk);
        fails("customer", "orders", &["customer_id"], NameGate::Risk);
    }

    #[test]
    fn names_that_look_alike_and_are_not_fail() {
        for (wanted, names) in [
            ("created_at", &["updated_at"][..]),
            ("min_price", &["max_price"]),
            ("start_date", &["end_date"]),
            ("vendor_name", &["customer_name"]),
            ("total", &["amount"]),
            ("id", &["customer_id"]),
            ("name", &["customer_name"]),
            ("total_price", &["price"]),
            ("price", &["min_price", "max_price"]),
            ("customer_number", &["customer_name"]),
            ("country", &["county"]),
            ("address1", &["address2"]),
        ] {
            assert!(judged(wanted, "orders", names).is_err(), "{wanted}");
        }
    }

    #[test]
    fn nothing_passes_twice_as_sure_settings() {
        let strict = RepairSettings {
            gates: SimilarityGates {
                score_min: 0.97,
                ..SimilarityGates::default()
            },
            ..RepairSettings::default()
        };
        let candidates = [CandidateName {
            name: "total_amount",
            own: Vec::new(),
            in_reach: true,
        }];
        let wanted = UnknownName {
            name: "amount",
            bare: true,
            one_relation: true,
            cheaper_tried: true,
        };
        let judged = check_gates(&wanted, &candidates, false, &strict);
        assert!(matches!(judged, NameGateResult::Failed { failed } if failed == [NameGate::Score]));
    }

    #[test]
    fn words_are_sorted() {
        assert!(WORDS.is_sorted());
    }
}
