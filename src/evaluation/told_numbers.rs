//! Numbers of a report as they are told, in the table and on the page.

use super::scores::MeanDeviation;

/// With one decimal; what a file has that is far from any number of ours, in a few digits.
pub(super) fn number(value: f64) -> String {
    if value.abs() < 1e9 {
        format!("{value:.1}")
    } else {
        format!("{value:.1e}")
    }
}

/// A share of one, in percent: `81.7 %`.
pub(super) fn percent(share: f64) -> String {
    format!("{} %", number(share * 100.0))
}

/// A mean share with the deviation of the runs, `81.7 % ± 2.1`; without one that rounds to nothing.
pub(super) fn spread(value: MeanDeviation) -> String {
    let deviation = value.deviation * 100.0;
    match deviation >= 0.05 {
        true => format!("{} ± {}", percent(value.mean), number(deviation)),
        false => percent(value.mean),
    }
}

/// The ending of a word that is told with a number.
pub(super) fn plural(is_one: bool) -> &'static str {
    if is_one { "" } else { "s" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(percent(0.8166), "81.7 %");
        for value in [f64::MAX, f64::MIN, f64::NAN, f64::INFINITY] {
            assert!(number(value).len() < 10, "{}", number(value));
        }
    }

    #[test]
    fn a_deviation_that_rounds_to_nothing_is_none() {
        let of = |deviation| MeanDeviation {
            mean: 0.844,
            deviation,
        };
        assert_eq!(spread(of(0.0104)), "84.4 % ± 1.0");
        assert_eq!(spread(of(0.0004)), "84.4 %");
    }
}
