//! Choices between values that several dialects have: IF, COALESCE, NULLIF, GREATEST, LEAST. What
//! differs is said by who asks.

use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::compare::ComparisonPurpose;
use crate::translator::translated::{Translated, are_apart_in_small};
use crate::translator::untranslatable::TranslateResult;

/// What an argument that is NULL does to GREATEST and LEAST.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NullArgument {
    /// The result is NULL.
    MakesNull,
    /// It is passed over, as in Postgres.
    IsPassedOver,
}

/// What GREATEST and LEAST compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparedTypes {
    /// Numbers and dates: texts are compared otherwise than here.
    NumbersAndDates,
    /// What has a type in common; texts by the dialect's collation.
    OneType,
    /// The same, if the types are alike before they are aligned.
    LikeTypes,
}

/// The arguments of a call as values of one type.
pub fn aligned_arguments(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<(Vec<Translated>, SqlType)> {
    let values = arguments(translator, call)?;
    translator.with_common_type(values)
}

fn arguments(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Vec<Translated>> {
    let arguments = call.arguments.iter();
    arguments
        .map(|argument| translator.value(argument))
        .collect()
}

/// IF(condition, value [, otherwise])
pub fn choice(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let condition = translator.condition(call.argument(0)?)?;
    let mut values = vec![translator.value(call.argument(1)?)?];
    if let Some(otherwise) = call.arguments.get(2) {
        values.push(translator.value(otherwise)?);
    }
    let (values, kind) = translator.with_common_type(values)?;
    let not_null = values.len() == 2 && values.iter().all(|value| value.not_null);
    let text = format!(
        "CASE WHEN {} THEN {} END",
        condition.text,
        texts_of(&values).join(" ELSE ")
    );
    Ok(Translated {
        extra_digits: have_extra_digits(&values),
        apart_in_small: are_apart_in_small(&values),
        ..Translated::primary(text, kind).never_null(not_null)
    })
}

/// COALESCE
pub fn coalesce(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let (values, kind) = aligned_arguments(translator, call)?;
    Ok(Translated {
        name: Some("coalesce".to_owned()),
        extra_digits: have_extra_digits(&values),
        ..Translated::call("COALESCE", &texts_of(&values), kind)
            .never_null(values.iter().any(|value| value.not_null))
    })
}

/// NULLIF(value, other), which compares as `=` does.
pub fn null_if(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.value(call.argument(0)?)?;
    let other = translator.value(call.argument(1)?)?;
    let value = translator.numeric(value)?;
    let (left, right) = translator.sides(&value, &other, ComparisonPurpose::Equality)?;
    if left == value.operand() {
        return Ok(null_where_equal(&value, &left, &right));
    }
    let text = format!(
        "CASE WHEN {left} = {right} THEN NULL ELSE {} END",
        value.text
    );
    Ok(Translated {
        extra_digits: value.extra_digits,
        ..Translated::primary(text, value.kind)
    })
}

/// NULLIF of two texts that Postgres compares as the dialect does; the first is that of the value.
pub fn null_where_equal(value: &Translated, own: &str, other: &str) -> Translated {
    Translated {
        name: Some("nullif".to_owned()),
        extra_digits: value.extra_digits,
        ..Translated::primary(format!("NULLIF({own}, {other})"), value.kind)
    }
}

/// GREATEST and LEAST of numbers and dates, which are NULL where any argument is.
pub fn extreme_or_null(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    extreme(
        translator,
        call,
        NullArgument::MakesNull,
        ComparedTypes::NumbersAndDates,
    )
}

/// GREATEST and LEAST, which the call is named; MAX and MIN of several values are these in SQLite.
pub fn extreme(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
    null: NullArgument,
    compared: ComparedTypes,
) -> TranslateResult<Translated> {
    call.plain()?;
    let values = arguments(translator, call)?;
    if compared == ComparedTypes::LikeTypes {
        refuse_unlike(&values)?;
    }
    let (values, kind) = translator.with_common_type(values)?;
    let is_exact = compared == ComparedTypes::NumbersAndDates;
    if is_exact && !kind.is_number() && !kind.is_temporal() {
        return Err(call
            .refused()
            .hint("only numbers and dates are compared alike in both"));
    }
    let texts: Vec<String> = match is_exact {
        true => values.iter().map(|value| value.text.clone()).collect(),
        false => (values.iter())
            .map(|value| translator.collated(value))
            .collect(),
    };
    let name = match call.name.as_str() {
        "greatest" | "max" => "GREATEST",
        _ => "LEAST",
    };
    let chosen = Translated {
        extra_digits: have_extra_digits(&values),
        ..Translated::primary(format!("{name}({})", texts.join(", ")), kind)
    };
    let doubts: Vec<String> = (values.iter())
        .filter(|value| null == NullArgument::MakesNull && !value.not_null)
        .map(|value| format!("{} IS NOT NULL", value.operand()))
        .collect();
    if doubts.is_empty() {
        return Ok(Translated {
            name: is_exact.then(|| call.name.clone()),
            ..chosen.never_null(values.iter().any(|value| value.not_null))
        });
    }
    let text = format!(
        "CASE WHEN {} THEN {} END",
        doubts.join(" AND "),
        chosen.text
    );
    Ok(Translated { text, ..chosen })
}

/// Refuses values whose types cannot be compared with each other.
fn refuse_unlike(values: &[Translated]) -> TranslateResult<()> {
    let mut unlike = values.windows(2).filter(|pair| match pair {
        [one, next] => !one.kind.compares_directly(next.kind),
        _ => false,
    });
    match unlike.next() {
        Some([one, ..]) => Err(untyped(one, "the type of the others")),
        _ => Ok(()),
    }
}

/// The texts of values, to be joined.
pub fn texts_of(values: &[Translated]) -> Vec<&str> {
    values.iter().map(|value| value.text.as_str()).collect()
}

/// Whether one of them has digits that the source would not show.
pub fn have_extra_digits(values: &[Translated]) -> bool {
    values.iter().any(|value| value.extra_digits)
}

#[cfg(test)]
mod tests {
    use crate::rule_cases::{becomes, session};
    use policy::Dialect;

    #[test]
    fn digits_that_differ_are_not_shown_behind_a_choice() {
        let session = session();
        let quotient = "refused: a quotient or average made into text";
        for (dialect, wanted) in [
            (Dialect::Mysql, quotient),
            (Dialect::Bigquery, quotient),
            (Dialect::Tsql, quotient),
            (Dialect::Snowflake, quotient),
            // There it is a double, of which no text is made at all.
            (Dialect::Duckdb, "refused: a value of type float"),
        ] {
            for choice in [
                "GREATEST(q / 3, 1.5)",
                "LEAST(1.5, q / 3)",
                "COALESCE(q / 3, 1.5)",
                "NULLIF(q / 3, 1.5)",
            ] {
                let plain = format!("SELECT {choice} AS x FROM t");
                let became = becomes(&session, dialect, &plain);
                assert!(
                    became.starts_with("SELECT"),
                    "{dialect:?} {plain}: {became}"
                );
                let text = format!("SELECT CONCAT({choice}, 'a') AS x FROM t");
                let became = becomes(&session, dialect, &text);
                assert!(became.starts_with(wanted), "{dialect:?} {text}: {became}");
            }
        }
    }

    #[test]
    fn what_only_aggregates_have_is_refused() {
        let session = session();
        for (dialect, text) in [
            (
                Dialect::Sqlite,
                "SELECT COALESCE(n, 0) FILTER (WHERE b) FROM t",
            ),
            (
                Dialect::Sqlite,
                "SELECT IIF(b, 1, 0) OVER (ORDER BY n) FROM t",
            ),
            (Dialect::Mysql, "SELECT COALESCE(DISTINCT n, 0) FROM t"),
            (
                Dialect::Bigquery,
                "SELECT IF(b, 1, 0) OVER (ORDER BY n) FROM t",
            ),
        ] {
            let became = becomes(&session, dialect, text);
            assert!(
                became.starts_with("refused"),
                "{dialect:?} {text}: {became}"
            );
        }
    }

    #[test]
    fn a_place_that_may_be_null_makes_a_rounded_number_null() {
        let session = session();
        let rounded = "CAST(round(CAST(id AS numeric), n) AS bigint)";
        assert_eq!(
            becomes(
                &session,
                Dialect::Snowflake,
                "SELECT GREATEST(ROUND(id, n), 2) AS x FROM t"
            ),
            format!(
                "SELECT CASE WHEN {rounded} IS NOT NULL THEN GREATEST({rounded}, 2) END AS x FROM t"
            )
        );
        assert_eq!(
            becomes(
                &session,
                Dialect::Bigquery,
                "SELECT GREATEST(ROUND(id, n), 2) AS x FROM t"
            ),
            "SELECT CASE WHEN round(id::numeric, n) IS NOT NULL \
             THEN GREATEST(round(id::numeric, n), 2) END AS x FROM t"
        );
    }
}
