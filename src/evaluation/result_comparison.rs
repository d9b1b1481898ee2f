//! Whether two results are the same answer.
//!
//! * Rows are compared as a multiset, and in their order where the reference orders them.
//! * Numbers are equal where they are the same number, whatever their scale: `1.50` is `1.5`. Where
//!   one of the two is a float, a difference of a millionth of the larger one is none.
//! * NULL equals NULL. Everything else is equal where its text is, byte for byte.
//! * As sets, equal rows count once, and the number of rows does not matter by itself.
//! * Columns are compared by their place. Their names do not matter. On request their order does
//!   not matter either: each is then held against one of the other result that has the same values.

use std::cmp::Ordering;

/// A result as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComparedResult {
    /// Of which kind its columns are.
    pub columns: Vec<ColumnKind>,
    /// Its rows; none is NULL.
    pub rows: Vec<Vec<Option<String>>>,
}

/// How the values of a column are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Numbers that are kept as they are: integers and `numeric`.
    Exact,
    /// Floats.
    Float,
    /// Everything else.
    Text,
}

/// What has to be alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComparisonRules {
    /// Whether rows have to be in the same order.
    pub in_order: bool,
    /// Whether columns may stand in another order.
    pub any_column_order: bool,
    /// Whether equal rows count once, as BIRD and Spider compare.
    pub as_sets: bool,
}

/// What comes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultMatch {
    /// The same answer.
    Same,
    /// The same rows in another order than the reference has them.
    OtherOrder,
    /// Another number of columns.
    OtherColumns,
    /// Another number of rows.
    OtherCount,
    /// Other values.
    OtherValues,
}

impl ResultMatch {
    /// The word that reports show.
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::OtherOrder => "other_order",
            Self::OtherColumns => "other_columns",
            Self::OtherCount => "other_count",
            Self::OtherValues => "other_values",
        }
    }
}

impl ColumnKind {
    /// How values are compared of which the other's are of another kind.
    fn beside(self, other: Self) -> Self {
        match (self, other) {
            (Self::Text, _) | (_, Self::Text) => Self::Text,
            (Self::Float, _) | (_, Self::Float) => Self::Float,
            (Self::Exact, Self::Exact) => Self::Exact,
        }
    }

    /// Of a type of Postgres, by its oid.
    pub fn of_type(oid: u32) -> Self {
        match oid {
            20 | 21 | 23 | 26 | 1700 => Self::Exact,
            700 | 701 => Self::Float,
            _ => Self::Text,
        }
    }
}

/// Whether `found` is the same answer as `wanted`, the reference.
pub fn compare(
    wanted: &ComparedResult,
    found: &ComparedResult,
    rules: ComparisonRules,
) -> ResultMatch {
    if wanted.columns.len() != found.columns.len() {
        return ResultMatch::OtherColumns;
    }
    if !rules.as_sets && wanted.rows.len() != found.rows.len() {
        return ResultMatch::OtherCount;
    }
    let places = match rules.any_column_order {
        true => match places_of(wanted, found, rules) {
            Some(places) => places,
            None => return ResultMatch::OtherValues,
        },
        false => (0..wanted.columns.len()).collect(),
    };
    let found = found.in_places(&places);
    let kinds: Vec<ColumnKind> = (wanted.columns.iter().zip(&found.columns))
        .map(|(own, other)| own.beside(*other))
        .collect();
    let (mut wanted, mut found) = (wanted.prepared(&kinds), found.prepared(&kinds));
    if are_equal(&wanted, &found) {
        return ResultMatch::Same;
    }
    sort(&mut wanted);
    sort(&mut found);
    if rules.as_sets {
        wanted.dedup_by(|one, other| are_alike(one, other));
        found.dedup_by(|one, other| are_alike(one, other));
    }
    match (are_equal(&wanted, &found), rules.in_order) {
        (true, true) => ResultMatch::OtherOrder,
        (true, false) => ResultMatch::Same,
        (false, _) => ResultMatch::OtherValues,
    }
}

/// For each column of the reference the first of the other result that is left and has the same
/// values.
fn places_of(
    wanted: &ComparedResult,
    found: &ComparedResult,
    rules: ComparisonRules,
) -> Option<Vec<usize>> {
    let of_columns = ComparisonRules {
        as_sets: rules.as_sets,
        ..ComparisonRules::default()
    };
    let mut left: Vec<usize> = (0..found.columns.len()).collect();
    let mut places = Vec::with_capacity(left.len());
    for place in 0..wanted.columns.len() {
        let own = wanted.in_places(&[place]);
        let position = left.iter().position(|place| {
            let other = found.in_places(&[*place]);
            compare(&own, &other, of_columns) == ResultMatch::Same
        });
        places.push(left.remove(position?));
    }
    Some(places)
}

impl ComparedResult {
    /// The columns at these places.
    fn in_places(&self, places: &[usize]) -> Self {
        let row = |row: &Vec<Option<String>>| {
            let values = places.iter().filter_map(|place| row.get(*place).cloned());
            values.collect()
        };
        Self {
            columns: (places.iter())
                .filter_map(|place| self.columns.get(*place).copied())
                .collect(),
            rows: self.rows.iter().map(row).collect(),
        }
    }

    fn prepared(&self, kinds: &[ColumnKind]) -> Vec<Vec<PreparedValue>> {
        let row = |row: &Vec<Option<String>>| {
            let values = kinds.iter().zip(row);
            values
                .map(|(kind, value)| PreparedValue::of(*kind, value.as_deref()))
                .collect()
        };
        self.rows.iter().map(row).collect()
    }
}

/// A value in the form in which it is compared.
#[derive(Debug)]
enum PreparedValue {
    /// A float, or a number beside one.
    Float(f64),
    /// A number without the zeros that say nothing, or a text.
    Text(String),
    Null,
}

impl PreparedValue {
    fn of(kind: ColumnKind, value: Option<&str>) -> Self {
        match (kind, value) {
            (_, None) => Self::Null,
            (ColumnKind::Float, Some(text)) => match text.parse() {
                Ok(number) => Self::Float(number),
                Err(_) => Self::Text(text.to_owned()),
            },
            (ColumnKind::Exact, Some(text)) => Self::Text(without_scale(text).to_owned()),
            (ColumnKind::Text, Some(text)) => Self::Text(text.to_owned()),
        }
    }

    fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Text(own), Self::Text(other)) => own == other,
            (Self::Float(own), Self::Float(other)) => is_near(*own, *other),
            _ => false,
        }
    }
}

fn are_equal(wanted: &[Vec<PreparedValue>], found: &[Vec<PreparedValue>]) -> bool {
    let mut rows = wanted.iter().zip(found);
    wanted.len() == found.len() && rows.all(|(own, others)| are_alike(own, others))
}

fn are_alike(one: &[PreparedValue], other: &[PreparedValue]) -> bool {
    let mut values = one.iter().zip(other);
    values.all(|(own, other)| own.equals(other))
}

/// Whether two floats differ by rounding alone.
fn is_near(one: f64, other: f64) -> bool {
    if one.is_nan() || other.is_nan() {
        return one.is_nan() && other.is_nan();
    }
    one == other || (one - other).abs() <= one.abs().max(other.abs()) * TOLERANCE
}

/// By everything that is no float first, so that rows stand at the same places whose floats differ
/// by rounding alone.
fn sort(rows: &mut [Vec<PreparedValue>]) {
    rows.sort_by(|one, other| {
        let exact = exact_order(one, other);
        exact.then_with(|| float_order(one, other))
    });
}

fn exact_order(one: &[PreparedValue], other: &[PreparedValue]) -> Ordering {
    use PreparedValue::{Float, Null, Text};
    let orders = one
        .iter()
        .zip(other)
        .map(|(own, other)| match (own, other) {
            (Text(one), Text(two)) => one.cmp(two),
            (Float(_), Float(_)) | (Null, Null) => Ordering::Equal,
            (Float(_), _) | (Text(_), Null) => Ordering::Less,
            (_, Float(_)) | (Null, Text(_)) => Ordering::Greater,
        });
    first_difference(orders)
}

fn float_order(one: &[PreparedValue], other: &[PreparedValue]) -> Ordering {
    let orders = one
        .iter()
        .zip(other)
        .map(|(own, other)| match (own, other) {
            (PreparedValue::Float(one), PreparedValue::Float(two)) => one.total_cmp(two),
            _ => Ordering::Equal,
        });
    first_difference(orders)
}

fn first_difference(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    orders
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// A number without the zeros at the end of its fraction.
fn without_scale(text: &str) -> &str {
    match text.contains('.') && !text.contains(['e', 'E']) {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text,
    }
}

/// The part of the larger one by which two floats may differ.
const TOLERANCE: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::*;

    fn result(columns: &[ColumnKind], rows: &[&[&str]]) -> ComparedResult {
        let value = |text: &&str| (*text != "-").then(|| (*text).to_owned());
        ComparedResult {
            columns: columns.to_vec(),
            rows: rows
                .iter()
                .map(|row| row.iter().map(value).collect())
                .collect(),
        }
    }

    fn matches(wanted: &ComparedResult, found: &ComparedResult) -> [ResultMatch; 3] {
        [(false, false), (true, false), (false, true)].map(|(in_order, any_column_order)| {
            let rules = ComparisonRules {
                in_order,
                any_column_order,
                as_sets: false,
            };
            compare(wanted, found, rules)
        })
    }

    use ColumnKind::{Exact, Float, Text};
    use ResultMatch::{OtherColumns, OtherCount, OtherOrder, OtherValues, Same};

    #[test]
    fn rows_are_a_multiset_and_in_order_where_that_is_wanted() {
        let own = result(&[Text, Exact], &[&["a", "1"], &["b", "2"], &["a", "1"]]);
        let turned = result(&[Text, Exact], &[&["b", "2"], &["a", "1"], &["a", "1"]]);
        let doubled = result(&[Text, Exact], &[&["b", "2"], &["a", "1"], &["b", "2"]]);
        let fewer = result(&[Text, Exact], &[&["a", "1"], &["b", "2"]]);
        let narrow = result(&[Text], &[&["a"], &["b"], &["a"]]);
        let swapped = result(&[Exact, Text], &[&["1", "a"], &["2", "b"], &["1", "a"]]);
        assert_eq!(matches(&own, &own), [Same, Same, Same]);
        assert_eq!(matches(&own, &turned), [Same, OtherOrder, Same]);
        assert_eq!(matches(&own, &doubled), [OtherValues; 3]);
        assert_eq!(matches(&own, &fewer), [OtherCount; 3]);
        assert_eq!(matches(&own, &narrow), [OtherColumns; 3]);
        assert_eq!(matches(&own, &swapped), [OtherValues, OtherValues, Same]);
        let none = result(&[Text], &[]);
        assert_eq!(matches(&none, &none), [Same; 3]);
    }

    #[test]
    fn as_sets_equal_rows_count_once() {
        let sets = |any_column_order| ComparisonRules {
            as_sets: true,
            any_column_order,
            ..ComparisonRules::default()
        };
        let own = result(&[Text, Exact], &[&["a", "1"], &["b", "2"], &["a", "1"]]);
        let fewer = result(&[Text, Exact], &[&["b", "2"], &["a", "1.0"]]);
        let other = result(&[Text, Exact], &[&["b", "2"], &["a", "2"]]);
        let swapped = result(&[Exact, Text], &[&["2", "b"], &["1", "a"]]);
        assert_eq!(compare(&own, &fewer, sets(false)), Same);
        assert_eq!(compare(&fewer, &own, sets(false)), Same);
        assert_eq!(compare(&own, &other, sets(false)), OtherValues);
        assert_eq!(compare(&own, &swapped, sets(false)), OtherValues);
        assert_eq!(compare(&own, &swapped, sets(true)), Same);
    }

    #[test]
    fn numbers_are_numbers() {
        let exact = |text: &str| result(&[Exact], &[&[text]]);
        let float = |text: &str| result(&[Float], &[&[text]]);
        let text = |text: &str| result(&[Text], &[&[text]]);
        assert_eq!(matches(&exact("1.50"), &exact("1.5")), [Same; 3]);
        assert_eq!(matches(&exact("100"), &exact("1")), [OtherValues; 3]);
        assert_eq!(matches(&exact("1.0"), &exact("1")), [Same; 3]);
        assert_eq!(
            matches(&exact("1.5000001"), &exact("1.5")),
            [OtherValues; 3]
        );
        assert_eq!(matches(&float("1.5000001"), &exact("1.5")), [Same; 3]);
        assert_eq!(
            matches(&float("0.30000000000000004"), &float("0.3")),
            [Same; 3]
        );
        assert_eq!(matches(&float("1.51"), &float("1.5")), [OtherValues; 3]);
        assert_eq!(matches(&float("NaN"), &float("NaN")), [Same; 3]);
        assert_eq!(matches(&text("1.50"), &text("1.5")), [OtherValues; 3]);
        assert_eq!(matches(&text("-"), &text("-")), [Same; 3]);
        assert_eq!(matches(&text("-"), &text("")), [OtherValues; 3]);
        assert_eq!(matches(&text("a "), &text("a")), [OtherValues; 3]);
    }

    #[test]
    fn rounding_does_not_change_the_places_of_rows() {
        let own = result(
            &[Float, Text],
            &[&["0.1", "a"], &["0.10000000001", "b"], &["7", "c"]],
        );
        let turned = result(
            &[Float, Text],
            &[&["7", "c"], &["0.1", "b"], &["0.10000000001", "a"]],
        );
        assert_eq!(matches(&own, &turned), [Same, OtherOrder, Same]);
    }
}
