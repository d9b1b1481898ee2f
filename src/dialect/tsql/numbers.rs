//! T-SQL's functions of numbers. Many have the type of their argument.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/mathematical-functions-transact-sql>

use crate::dialect::source::{
    ArgumentType, FunctionRule, FunctionTranslation, ReturnType, untyped,
};
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::translated::{SqlType, Translated};
use crate::dialect::translator::untranslatable::TranslateResult;

const DOC: &str = "https://learn.microsoft.com/en-us/sql/t-sql/functions/\
                   mathematical-functions-transact-sql";

/// The table.
pub const RULES: &[FunctionRule] = &[
    by("round", 2, 3, round, ("ROUND(q, 2)", "round(q, 2)")),
    by("ceiling", 1, 1, whole, ("CEILING(q)", "ceil(q) AS ceiling")),
    by("floor", 1, 1, whole, ("FLOOR(q)", "floor(q)")),
    by("abs", 1, 1, whole, ("ABS(n)", "abs(n)")),
    by(
        "sign",
        1,
        1,
        sign,
        ("SIGN(n)", "CAST(sign(n) AS integer) AS sign"),
    ),
    by(
        "power",
        2,
        2,
        power,
        (
            "POWER(n, 2)",
            "CAST(trunc(power(CAST(n AS double precision), CAST(2 AS double precision))) AS bigint) \
             AS power",
        ),
    ),
    double("sqrt", "sqrt", "SQRT(f)", "sqrt(f)"),
    double("exp", "exp", "EXP(f)", "exp(f)"),
    double("log10", "log", "LOG10(f)", "log(f) AS log10"),
    double("sin", "sin", "SIN(f)", "sin(f)"),
    double("cos", "cos", "COS(f)", "cos(f)"),
    double("tan", "tan", "TAN(f)", "tan(f)"),
    double("asin", "asin", "ASIN(f)", "asin(f)"),
    double("acos", "acos", "ACOS(f)", "acos(f)"),
    double("atan", "atan", "ATAN(f)", "atan(f)"),
    FunctionRule {
        name: "atn2",
        arguments: (2, 2),
        write: FunctionTranslation::Plain(
            "atan2",
            &[ArgumentType::Double],
            ReturnType::Kind(SqlType::Float),
        ),
        doc: DOC,
        case: ("ATN2(f, f)", "atan2(f, f) AS atn2"),
    },
    FunctionRule {
        name: "square",
        arguments: (1, 1),
        write: FunctionTranslation::Template(
            "({0} * {0})",
            &[ArgumentType::Double],
            ReturnType::Kind(SqlType::Float),
        ),
        doc: DOC,
        case: ("SQUARE(f)", "(f * f) AS square"),
    },
    by("log", 1, 2, logarithm, ("LOG(f)", "ln(f) AS log")),
    FunctionRule {
        name: "pi",
        arguments: (0, 0),
        write: FunctionTranslation::Plain("pi", &[], ReturnType::Kind(SqlType::Float)),
        doc: DOC,
        case: ("PI()", "pi()"),
    },
    FunctionRule {
        name: "rand",
        arguments: (0, 0),
        // Once for a whole query.
        write: FunctionTranslation::Template(
            "(SELECT random())",
            &[],
            ReturnType::Kind(SqlType::Float),
        ),
        doc: DOC,
        case: ("RAND()", "(SELECT random()) AS rand"),
    },
];

const fn by(
    name: &'static str,
    least: usize,
    most: usize,
    write: fn(&mut Translator<'_>, &SourceCall<'_>) -> TranslateResult<Translated>,
    case: (&'static str, &'static str),
) -> FunctionRule {
    FunctionRule {
        name,
        arguments: (least, most),
        write: FunctionTranslation::By(write),
        doc: DOC,
        case,
    }
}

const fn double(
    name: &'static str,
    here: &'static str,
    before: &'static str,
    after: &'static str,
) -> FunctionRule {
    FunctionRule {
        name,
        arguments: (1, 1),
        write: FunctionTranslation::Plain(
            here,
            &[ArgumentType::Double],
            ReturnType::Kind(SqlType::Float),
        ),
        doc: DOC,
        case: (before, after),
    }
}

/// ROUND(x, places [, cut]): halves go away from zero.
fn round(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.number(call.argument(0)?)?;
    let places = translator.integer(call.argument(1)?)?;
    let cuts = match call.arguments.get(2) {
        None => false,
        Some(cut) => match translator.integer(cut)?.small_integer() {
            Some(cut) => cut != 0,
            None => return Err(call.refused()),
        },
    };
    let name = if cuts { "trunc" } else { "round" };
    let not_null = number.not_null && places.not_null;
    let places = places.text;
    let text = match number.kind {
        SqlType::Decimal => format!("{name}({}, {places})", number.text),
        SqlType::Integer => {
            format!(
                "CAST({name}(CAST({} AS numeric), {places}) AS bigint)",
                number.text
            )
        }
        SqlType::Float => {
            format!(
                "CAST({name}(CAST({} AS numeric), {places}) AS double precision)",
                number.text
            )
        }
        _ => return Err(untyped(&number, "a number of known type")),
    };
    Ok(Translated {
        name: Some(name.to_owned()).filter(|_| number.kind == SqlType::Decimal),
        ..Translated::primary(text, number.kind).never_null(not_null)
    })
}

/// CEILING, FLOOR and ABS have the type of their argument.
fn whole(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.number(call.argument(0)?)?;
    let name = match call.name.as_str() {
        "ceiling" => "ceil",
        other => other,
    };
    if !number.kind.is_number() {
        return Err(untyped(&number, "a number of known type"));
    }
    if number.kind == SqlType::Integer && name != "abs" {
        return Ok(Translated {
            form: crate::dialect::translator::translated::TranslatedForm::Computed,
            ..number
        });
    }
    Ok(Translated {
        extra_digits: number.extra_digits && name == "abs",
        ..Translated::call(name, &[&number.text], number.kind).never_null(number.not_null)
    })
}

fn sign(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.number(call.argument(0)?)?;
    let text = match number.kind {
        SqlType::Integer => format!("CAST(sign({}) AS integer)", number.text),
        SqlType::Decimal | SqlType::Float => format!("sign({})", number.text),
        _ => return Err(untyped(&number, "a number of known type")),
    };
    Ok(Translated::primary(text, number.kind).never_null(number.not_null))
}

/// POWER has the type of its first argument: whole numbers are cut.
fn power(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let base = translator.number(call.argument(0)?)?;
    let kind = base.kind;
    let (base, exponent) = (
        translator.double(call.argument(0)?)?,
        translator.double(call.argument(1)?)?,
    );
    let not_null = base.not_null && exponent.not_null;
    let text = format!("power({}, {})", base.text, exponent.text);
    match kind {
        SqlType::Float => Ok(Translated::primary(text, SqlType::Float).never_null(not_null)),
        SqlType::Integer => {
            let text = format!("CAST(trunc({text}) AS bigint)");
            Ok(Translated::primary(text, SqlType::Integer).never_null(not_null))
        }
        _ => Err(call
            .refused()
            .hint("of a DECIMAL it is rounded to the digits of that; cast it to FLOAT first")),
    }
}

fn logarithm(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.double(call.argument(0)?)?;
    let text = format!("ln({})", number.text);
    let text = match call.arguments.get(1) {
        None => text,
        Some(base) => format!("({text} / ln({}))", translator.double(base)?.text),
    };
    Ok(Translated::primary(text, SqlType::Float))
}
