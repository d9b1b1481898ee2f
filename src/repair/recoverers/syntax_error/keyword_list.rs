//! The words that typos are looked for of: those that hold statements together.

use catalog::quote::quoted;
use ground::edit_distance::with_swaps;

/// A keyword that is near a word, at this many edits.
pub(in crate::recoverers::syntax_error) struct NearKeyword {
    pub keyword: &'static str,
    pub distance: usize,
}

/// The keywords that a word may be meant as: within one edit for short ones, two for long ones.
pub(in crate::recoverers::syntax_error) fn near(word: &str) -> Vec<NearKeyword> {
    let word = word.to_ascii_uppercase();
    let means_itself = OTHER_WORDS.contains(&word.as_str())
        || quoted(&word.to_ascii_lowercase()).starts_with('"')
        || KEYWORDS.contains(&word.as_str());
    if means_itself || word.chars().any(|letter| !letter.is_ascii_alphabetic()) {
        return Vec::new();
    }
    let found = KEYWORDS.iter().filter_map(|keyword| {
        let letters: String = keyword.chars().filter(|c| *c != ' ').collect();
        let most = match letters.len() {
            0..=5 => 1,
            _ => 2,
        };
        let distance = distance(&word, &letters, most)?;
        Some(NearKeyword { keyword, distance })
    });
    found.collect()
}

/// GROUP, ORDER or PARTITION, whichever is meant by a word before BY.
pub(in crate::recoverers::syntax_error) fn before_by(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_uppercase();
    let mut found: Vec<(usize, &str)> = ["GROUP", "ORDER", "PARTITION"]
        .into_iter()
        .filter_map(|keyword| Some((distance(&word, keyword, 2)?, keyword)))
        .collect();
    found.sort_unstable();
    match found.as_slice() {
        [(0, _), ..] => None,
        [(_, keyword)] => Some(keyword),
        [(first, keyword), (second, _), ..] if first < second => Some(keyword),
        _ => None,
    }
}

/// The edits between two words; none beyond `most`.
fn distance(one: &str, other: &str, most: usize) -> Option<usize> {
    let letters = |word: &str| -> Vec<char> { word.chars().collect() };
    let (one, other) = (letters(one), letters(other));
    // Each letter more is an edit more.
    (one.len().abs_diff(other.len()) <= most)
        .then(|| with_swaps(&one, &other))
        .filter(|distance| *distance <= most)
}

#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "SELECT", "DISTINCT", "FROM", "WHERE", "GROUP", "ORDER", "BY", "GROUP BY", "ORDER BY",
    "PARTITION", "PARTITION BY", "HAVING", "LIMIT", "OFFSET", "JOIN", "INNER", "LEFT", "RIGHT",
    "FULL", "OUTER", "CROSS", "NATURAL", "ON", "USING", "AS", "AND", "OR", "NOT", "IN", "IS", "NULL",
    "LIKE", "ILIKE", "BETWEEN", "EXISTS", "CASE", "WHEN", "THEN", "ELSE", "END", "UNION", "ALL",
    "INTERSECT", "EXCEPT", "WITH", "RECURSIVE", "ASC", "DESC", "OVER", "VALUES", "NULLS", "FIRST",
    "LAST", "INTERVAL", "CAST", "EXTRACT",
];

/// Words that mean something of their own, in Postgres or elsewhere: `XOR` is no typo of OR, and
/// RLIKE none of LIKE.
#[rustfmt::skip]
const OTHER_WORDS: &[&str] = &[
    "XOR", "RLIKE", "REGEXP", "GLOB", "MATCH", "DIV", "MOD", "MINUS", "TOP", "SEMI", "ANTI", "ASOF",
    "QUALIFY", "PIVOT", "UNPIVOT", "SOUNDS", "MEMBER", "ESCAPE", "FILTER", "WITHIN", "RANGE", "ROWS",
    "ROW", "TIES", "IF", "IFF", "IIF", "OF", "TO", "AT", "NO", "DO", "SET", "GO", "ADD", "FORCE",
    "INDEX", "KEY", "VALUE", "BINARY", "SIGNED", "UNSIGNED", "SAFE_CAST", "TRY_CAST", "APPLY", "PRIOR",
    "START", "CONNECT", "LEVEL", "SAMPLE", "FINAL", "PREWHERE", "UNTIL", "WHILE", "LOOP", "EXEC",
    "EVERY", "ARRAY", "STRUCT", "MAP", "DATE", "TIME", "YEAR", "MONTH", "DAY", "HOUR", "MINUTE",
    "SECOND", "WEEK", "QUARTER", "EXCLUDE", "RENAME", "REPLACE", "ROLLUP", "CUBE", "SETS", "RESPECT",
    "IGNORE", "PERCENT", "NEXT", "ONLY", "ABOVE", "BELOW", "BEFORE", "AFTER", "DELETE", "UPDATE",
    "INSERT", "CREATE", "DROP", "ALTER", "GRANT", "MERGE",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_swaps_as_one() {
        assert_eq!(distance("FORM", "FROM", 1), Some(1));
        assert_eq!(distance("SELCT", "SELECT", 2), Some(1));
        assert_eq!(distance("GROBY", "GROUPBY", 2), Some(2));
        assert_eq!(distance("GROB", "GROUP", 2), Some(2));
        assert_eq!(distance("A", "WHERE", 2), None);
        assert_eq!(distance("", "", 0), Some(0));
    }

    #[test]
    fn words_with_a_meaning_are_no_typos() {
        for word in [
            "XOR", "rlike", "any", "select", "as1", "größe", "Minus", "if",
        ] {
            assert!(near(word).is_empty(), "{word}");
        }
        assert!(near("FORM").iter().any(|near| near.keyword == "FROM"));
    }

    #[test]
    fn what_stands_before_by_is_told() {
        assert_eq!(before_by("GROB"), Some("GROUP"));
        assert_eq!(before_by("ODER"), Some("ORDER"));
        assert_eq!(before_by("ORDER"), None);
        assert_eq!(before_by("BOX"), None);
    }
}
