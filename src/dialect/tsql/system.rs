//! T-SQL's functions of the session and of no argument's type, and `@@VERSION`.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/system-functions-transact-sql>

use crate::rules::{FunctionRule, ReturnType, TEXT, by, template};
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

const DOC: &str = "https://learn.microsoft.com/en-us/sql/t-sql/functions/\
                   system-functions-transact-sql";

/// The table.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    template("newid", (0, 0), "gen_random_uuid()", &[], ReturnType::Kind(SqlType::Uuid), DOC, "NEWID()", "gen_random_uuid() AS newid"),
    template("db_name", (0, 0), "CAST(current_database() AS text)", &[], TEXT, DOC, "DB_NAME()", "CAST(current_database() AS text) AS db_name"),
    template("suser_sname", (0, 0), "CAST(session_user AS text)", &[], TEXT, DOC, "SUSER_SNAME()", "CAST(session_user AS text) AS suser_sname"),
    template("suser_name", (0, 0), "CAST(session_user AS text)", &[], TEXT, DOC, "SUSER_NAME()", "CAST(session_user AS text) AS suser_name"),
    template("original_login", (0, 0), "CAST(session_user AS text)", &[], TEXT, DOC, "ORIGINAL_LOGIN()", "CAST(session_user AS text) AS original_login"),
    template("user_name", (0, 0), "CAST(current_user AS text)", &[], TEXT, DOC, "USER_NAME()", "CAST(current_user AS text) AS user_name"),
    by("isnumeric", (1, 1), is_numeric, DOC, "ISNUMERIC(n)", "CASE WHEN n IS NOT NULL THEN 1 ELSE 0 END AS isnumeric"),
];

/// Whether a text is a number: currency signs and lone signs, which are some there, are none here.
fn is_numeric(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.value(call.argument(0)?)?;
    let condition = match value.kind {
        kind if kind.is_number() || kind == SqlType::Bool => {
            format!("{} IS NOT NULL", value.operand())
        }
        SqlType::Text => {
            translator.mark_likely();
            format!(
                "{} ~ '^\\s*[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?\\s*$'",
                value.operand()
            )
        }
        _ => return Err(untyped(&value, "text or a number")),
    };
    let text = format!("CASE WHEN {condition} THEN 1 ELSE 0 END");
    Ok(Translated::primary(text, SqlType::Integer).never_null(true))
}
