//! What T-SQL has a syntax of its own for.

use sqlparser::ast::{Expr, TrimWhereField};

use super::casts;
use super::patterns;
use crate::dialect::translator::Writer;
use crate::dialect::translator::translated::{Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

/// The first look at an expression.
pub fn expression(writer: &mut Writer<'_>, expr: &Expr) -> Outcome<Option<Written>> {
    let written = match expr {
        Expr::Identifier(ident) if ident.quote_style.is_none() && ident.value.starts_with('@') => {
            return Err(
                Untranslatable::construct(&format!("the variable {}", ident.value))
                    .hint("write $1, or put the value in its place"),
            );
        }
        Expr::Convert {
            is_try,
            expr,
            data_type: Some(to),
            charset: None,
            target_before_value: true,
            styles,
        } => match styles.as_slice() {
            [] => casts::cast_to(writer, expr, to, None, *is_try)?,
            [style] => casts::cast_to(writer, expr, to, Some(style), *is_try)?,
            _ => return writer.refuse("this form of CONVERT"),
        },
        Expr::Like {
            negated,
            any: false,
            expr,
            pattern,
            escape_char,
        } => {
            return patterns::like(writer, expr, pattern, escape_char.is_some(), *negated);
        }
        Expr::Trim {
            trim_where,
            trim_what,
            expr,
            trim_characters: None,
        } => trimmed(writer, *trim_where, trim_what.as_deref(), expr)?,
        Expr::Collate { expr, collation } => {
            let name = collation.to_string().to_lowercase();
            let cased = name.contains("_cs") || name.contains("_bin");
            if !cased && !name.contains("_ci") {
                return writer.refuse("this collation");
            }
            Written {
                cased,
                ..writer.text(expr)?
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

/// `TRIM('.,' FROM x)`: any of these characters.
fn trimmed(
    writer: &mut Writer<'_>,
    side: Option<TrimWhereField>,
    what: Option<&Expr>,
    expr: &Expr,
) -> Outcome<Written> {
    let name = match side {
        None | Some(TrimWhereField::Both) => "btrim",
        Some(TrimWhereField::Leading) => "ltrim",
        Some(TrimWhereField::Trailing) => "rtrim",
    };
    let text = writer.text(expr)?;
    let what = match what {
        Some(what) => writer.text(what)?.text,
        None => "' '".to_owned(),
    };
    Ok(Written::call(name, &[&text.text, &what], Kind::Text).never_null(text.not_null))
}
