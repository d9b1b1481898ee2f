//! What T-SQL has a syntax of its own for.

use sqlparser::ast::{Expr, TrimWhereField, UnaryOperator};

use super::casts;
use super::patterns;
use super::xml_path;
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

/// The first look at an expression.
pub fn expression(
    translator: &mut Translator<'_>,
    expr: &Expr,
) -> TranslateResult<Option<Translated>> {
    if let Some(joined) = xml_path::joined_texts(translator, expr)? {
        return Ok(Some(joined));
    }
    let written = match expr {
        Expr::Identifier(ident)
            if ident.quote_style.is_none() && ident.value.eq_ignore_ascii_case("@@version") =>
        {
            translator.mark_likely();
            Translated::call("version", &[], SqlType::Text).never_null(true)
        }
        Expr::Identifier(ident) if ident.quote_style.is_none() && ident.value.starts_with('@') => {
            return Err(Untranslatable::variable(&ident.value));
        }
        Expr::Convert {
            is_try,
            expr,
            data_type: Some(to),
            charset: None,
            target_before_value: true,
            styles,
        } => match styles.as_slice() {
            [] => casts::cast_to(translator, expr, to, None, *is_try)?,
            [style] => casts::cast_to(translator, expr, to, Some(style), *is_try)?,
            _ => return translator.refuse("this form of CONVERT"),
        },
        Expr::UnaryOp {
            op: UnaryOperator::BitwiseNot,
            expr,
        } => inverted(translator, expr)?,
        Expr::Like {
            negated,
            any: false,
            expr,
            pattern,
            escape_char,
        } => {
            return patterns::like(translator, expr, pattern, escape_char.is_some(), *negated);
        }
        Expr::Trim {
            trim_where,
            trim_what,
            expr,
            trim_characters: None,
        } => trimmed(translator, *trim_where, trim_what.as_deref(), expr)?,
        Expr::Collate { expr, collation } => {
            let name = collation.to_string().to_lowercase();
            let cased = name.contains("_cs") || name.contains("_bin");
            if !cased && !name.contains("_ci") {
                return translator.refuse("this collation");
            }
            Translated {
                case_sensitive: cased,
                ..translator.text(expr)?
            }
        }
        Expr::AtTimeZone { .. } => {
            return Err(Untranslatable::construct("AT TIME ZONE").hint(
                "the names of time zones differ; write Postgres's AT TIME ZONE 'Area/City'",
            ));
        }
        _ => return Ok(None),
    };
    Ok(Some(written))
}

/// `~ x`
fn inverted(translator: &mut Translator<'_>, expr: &Expr) -> TranslateResult<Translated> {
    let number = translator.integer(expr)?;
    if number.kind != SqlType::Integer {
        return Err(untyped(&number, "a whole number"));
    }
    let text = format!("~ {}", number.operand());
    Ok(Translated::operation(text, SqlType::Integer).never_null(number.not_null))
}

/// `TRIM('.,' FROM x)`: any of these characters.
fn trimmed(
    translator: &mut Translator<'_>,
    side: Option<TrimWhereField>,
    what: Option<&Expr>,
    expr: &Expr,
) -> TranslateResult<Translated> {
    let name = match side {
        None | Some(TrimWhereField::Both) => "btrim",
        Some(TrimWhereField::Leading) => "ltrim",
        Some(TrimWhereField::Trailing) => "rtrim",
    };
    let text = translator.text(expr)?;
    let what = match what {
        Some(what) => translator.text(what)?.text,
        None => "' '".to_owned(),
    };
    Ok(Translated::call(name, &[&text.text, &what], SqlType::Text).never_null(text.not_null))
}
