//! What a question in English asks for: groups, an order with a limit, each thing once. By its
//! words alone, the same each time; what it does not say is not asked for.

/// What a question asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct QuestionShape {
    /// A row for each of something.
    pub(super) groups: bool,
    /// The first ones in some order.
    pub(super) ranks: bool,
    /// How many of these, where it says so.
    pub(super) count: Option<i64>,
    /// Each thing once.
    pub(super) is_distinct: bool,
}

impl QuestionShape {
    /// That of a question.
    pub(super) fn of(question: &str) -> Self {
        let lowered = question.to_lowercase();
        let split = lowered.split(|letter: char| !letter.is_alphanumeric());
        let words: Vec<&str> = split.filter(|word| !word.is_empty()).collect();
        let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
        let ranks_by_word = has(RANKING);
        let first = words.windows(2).find_map(|pair| match pair {
            [word, number] if COUNTED.contains(word) => number_of(number),
            _ => None,
        });
        let behind = words.windows(2).find_map(|pair| match pair {
            [number, word] if RANKING.contains(word) => number_of(number),
            _ => None,
        });
        let count = first.or(behind);
        Self {
            groups: has(GROUPING) || groups_by(&words),
            ranks: ranks_by_word || count.is_some(),
            count,
            is_distinct: has(DISTINCT),
        }
    }
}

/// "by month", and not "by 5 %" or "made by Ann": what follows is counted over.
fn groups_by(words: &[&str]) -> bool {
    let follows = |pair: &[&str]| match pair {
        ["by", next] => GROUP_NAMES.contains(next),
        _ => false,
    };
    words.windows(2).any(follows)
}

fn number_of(word: &str) -> Option<i64> {
    if let Ok(number) = word.parse::<i64>() {
        return Some(number).filter(|number| (1..=LARGEST_COUNT).contains(number));
    }
    let place = NUMBERS.iter().position(|number| *number == word)?;
    i64::try_from(place).ok()?.checked_add(1)
}

/// Beyond it a number is a year or an amount.
const LARGEST_COUNT: i64 = 1_000;

const NUMBERS: &[&str] = &[
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];

const GROUPING: &[&str] = &[
    "per",
    "each",
    "every",
    "breakdown",
    "grouped",
    "distribution",
];

/// What stands behind "by" where rows are grouped.
#[rustfmt::skip]
const GROUP_NAMES: &[&str] = &[
    "day", "week", "month", "quarter", "year", "hour", "weekday", "date", "region", "country", "city", "state",
    "status", "category", "type", "kind", "department", "customer", "product", "employee", "method", "channel",
    "carrier", "age", "gender", "genre", "store", "team",
];

/// Words that ask for the first ones in an order.
const RANKING: &[&str] = &[
    "top", "most", "highest", "largest", "biggest", "best", "latest", "newest", "oldest",
    "earliest", "lowest", "smallest", "least", "worst", "longest", "shortest", "cheapest",
    "fewest",
];

/// Words that a number of rows stands behind.
const COUNTED: &[&str] = &["top", "first", "last", "latest", "newest", "best", "worst"];

const DISTINCT: &[&str] = &["distinct", "different", "unique"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_question_asks_for_is_in_its_words() {
        let check =
            |question: &str, groups: bool, ranks: Option<Option<i64>>, is_distinct: bool| {
                let wanted = QuestionShape {
                    groups,
                    ranks: ranks.is_some(),
                    count: ranks.flatten(),
                    is_distinct,
                };
                assert_eq!(QuestionShape::of(question), wanted, "{question}");
            };
        check("How many orders were placed in 2024?", false, None, false);
        check("Revenue per month", true, None, false);
        check("Orders by status", true, None, false);
        check("Which books were written by Ann?", false, None, false);
        check("Top 5 customers by revenue", false, Some(Some(5)), false);
        check("The ten largest orders", false, Some(Some(10)), false);
        check("Which product sold most?", false, Some(None), false);
        check(
            "How many different cities do customers live in?",
            false,
            None,
            true,
        );
        check(
            "What is the average total for each country?",
            true,
            None,
            false,
        );
        check(
            "First three orders of each customer",
            true,
            Some(Some(3)),
            false,
        );
        check("", false, None, false);
    }
}
