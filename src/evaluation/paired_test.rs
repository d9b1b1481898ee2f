//! Whether a difference between two runs over the same questions is more than chance: McNemar's
//! exact test.
//!
//! Only questions count that one run answers and the other does not. Were both equally good, each
//! of those would be one's or the other's with even odds.
//!
//! McNemar, Note on the sampling error of the difference between correlated proportions (1947).

use super::scores::real;

/// What two runs over the same questions come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedTest {
    /// Questions that the first answers and the second does not.
    pub lost: u64,
    /// Questions that the second answers and the first does not.
    pub won: u64,
    /// How likely a difference as large as this is by chance, both ways: from 0 to 1.
    pub p_value: f64,
}

impl PairedTest {
    /// Of the answers to the same questions, in the same order.
    pub fn of(answers: impl IntoIterator<Item = (bool, bool)>) -> Self {
        let (mut lost, mut won) = (0, 0);
        for answer in answers {
            match answer {
                (true, false) => lost += 1,
                (false, true) => won += 1,
                (true, true) | (false, false) => {}
            }
        }
        Self {
            lost,
            won,
            p_value: two_sided(lost, won),
        }
    }

    /// Whether the difference is called one: less than one such in twenty comes by chance.
    pub fn is_more_than_chance(&self) -> bool {
        self.p_value < SIGNIFICANCE
    }
}

/// Twice the chance that at most the smaller of two counts comes of so many even odds.
fn two_sided(one: u64, other: u64) -> f64 {
    let count = one + other;
    let fewer = one.min(other);
    if one == other {
        return 1.0;
    }
    // The logarithm of the probability of none; each further one follows from the one before.
    let mut logarithm = -real(count) * std::f64::consts::LN_2;
    let mut sum = logarithm.exp();
    for number in 1..=fewer {
        logarithm += real(count - number + 1).ln() - real(number).ln();
        sum += logarithm.exp();
    }
    (2.0 * sum).min(1.0)
}

/// The usual level.
const SIGNIFICANCE: f64 = 0.05;

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of `scipy.stats.binomtest(min, n).pvalue`.
    #[test]
    fn chances_are_those_of_the_binomial_distribution() {
        for (one, other, wanted) in [
            (0, 0, 1.0),
            (3, 3, 1.0),
            (0, 1, 1.0),
            (0, 5, 0.0625),
            (0, 6, 0.03125),
            (1, 9, 0.021_484_375),
            (4, 12, 0.076_812_744_140_625),
            (40, 60, 0.056_887_933),
        ] {
            let found = two_sided(one, other);
            assert!((found - wanted).abs() < 1e-8, "{one} {other}: {found}");
            assert!((two_sided(other, one) - found).abs() < 1e-12);
        }
    }

    #[test]
    fn what_both_answer_says_nothing() {
        let answers = |one: usize, lost: usize, won: usize| {
            let both = std::iter::repeat_n((true, true), one);
            let lost = std::iter::repeat_n((true, false), lost);
            let won = std::iter::repeat_n((false, true), won);
            PairedTest::of(both.chain(lost).chain(won))
        };
        assert_eq!(answers(5, 1, 9), answers(500, 1, 9));
        assert!(answers(0, 1, 9).is_more_than_chance());
        assert!(!answers(0, 4, 9).is_more_than_chance());
        assert!(!answers(10, 0, 0).is_more_than_chance());
    }
}
