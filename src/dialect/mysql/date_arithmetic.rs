//! MySQL's arithmetic on dates: intervals added and subtracted, and differences.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/date-and-time-functions.html>

use sqlparser::ast::Expr;

use super::operators::temporal_argument;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::interval;
use crate::translator::interval::TimeUnit;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

/// `DATE_ADD`, `ADDDATE`.
pub(super) fn added(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    moved(translator, call, false)
}

/// `DATE_SUB`, `SUBDATE`.
pub(super) fn subtracted(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    moved(translator, call, true)
}

/// DATE_ADD with an interval; ADDDATE with a number of days as well.
fn moved(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
    back: bool,
) -> TranslateResult<Translated> {
    call.plain()?;
    let moment = temporal_argument(translator, call.argument(0)?)?;
    let (count, unit) = match call.argument(1)? {
        Expr::Interval(interval) => translator.interval(interval)?,
        days if call.name == "adddate" || call.name == "subdate" => {
            (translator.integer(days)?, TimeUnit::Day)
        }
        _ => return Err(call.refused()),
    };
    interval::shifted(&moment, back, &count, unit)
}

/// `TIMESTAMPADD`.
pub(super) fn timestamp_added(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let unit = TimeUnit::in_argument(call.argument(0)?)?;
    let count = translator.integer(call.argument(1)?)?;
    let moment = temporal_argument(translator, call.argument(2)?)?;
    interval::shifted(&moment, false, &count, unit)
}

/// Whole units from the first timestamp to the second, the rest cut off.
pub(super) fn timestamp_difference(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let unit = TimeUnit::in_argument(call.argument(0)?)?;
    let (first, second) = (
        translator.timestamp(call.argument(1)?)?,
        translator.timestamp(call.argument(2)?)?,
    );
    let not_null = first.not_null && second.not_null;
    let seconds = |each: &str| {
        format!(
            "CAST(trunc(EXTRACT(EPOCH FROM {} - {}) / {each}) AS bigint)",
            second.operand(),
            first.operand()
        )
    };
    let months = || {
        let age = format!("age({}, {})", second.text, first.text);
        format!("CAST(EXTRACT(YEAR FROM {age}) * 12 + EXTRACT(MONTH FROM {age}) AS integer)")
    };
    let text = match unit {
        TimeUnit::Microsecond | TimeUnit::Millisecond => return Err(call.refused()),
        TimeUnit::Second => format!(
            "CAST(trunc(EXTRACT(EPOCH FROM {} - {})) AS bigint)",
            second.operand(),
            first.operand()
        ),
        TimeUnit::Minute => seconds("60"),
        TimeUnit::Hour => seconds("3600"),
        TimeUnit::Day => seconds("86400"),
        TimeUnit::Week => seconds("604800"),
        TimeUnit::Month => months(),
        TimeUnit::Quarter => format!("({} / 3)", months()),
        TimeUnit::Year => format!(
            "CAST(EXTRACT(YEAR FROM age({}, {})) AS integer)",
            second.text, first.text
        ),
    };
    Ok(Translated::primary(text, SqlType::Integer).never_null(not_null))
}
