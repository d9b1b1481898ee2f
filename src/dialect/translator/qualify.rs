//! QUALIFY: a condition on window functions, which Postgres can only put around a subquery.

use sqlparser::ast::Expr;

use super::Translator;
use super::name;
use super::scope::{AliasReach, KnownColumns};
use super::untranslatable::{TranslateResult, Untranslatable};

/// The parts of a SELECT before its QUALIFY.
pub struct SelectParts {
    /// Whether DISTINCT is written: it comes after QUALIFY.
    pub is_distinct: bool,
    /// The select list.
    pub list: String,
    /// FROM and what follows, without WINDOW.
    pub rest: String,
    /// WINDOW.
    pub windows: String,
}

impl Translator<'_> {
    /// A SELECT with QUALIFY.
    pub fn qualified(
        &mut self,
        qualify: &Expr,
        body: SelectParts,
        columns: KnownColumns,
    ) -> TranslateResult<(String, KnownColumns)> {
        let condition = self.with_alias_reach(AliasReach::AfterColumns, |translator| {
            translator.condition(qualify)
        })?;
        let KnownColumns::Known(known) = &columns else {
            return Err(Untranslatable::construct(
                "QUALIFY beside columns that are not known",
            ));
        };
        let names: Vec<String> = (known.iter())
            .map(|column| name::quoted(&column.name).into_owned())
            .collect();
        let is_repeated = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
        if names.iter().any(is_repeated) {
            return Err(Untranslatable::construct(
                "QUALIFY beside two columns of one name",
            ));
        }
        let flag = self.make_name("qualified");
        let inner = self.make_name("rows");
        let distinct = if body.is_distinct { "DISTINCT " } else { "" };
        let SelectParts {
            list,
            rest,
            windows,
            is_distinct: _,
        } = body;
        let text = format!(
            "SELECT {distinct}{} FROM (SELECT {list}, {} AS {flag}{rest}{windows}) AS {inner} \
             WHERE {flag}",
            names.join(", "),
            condition.text
        );
        // What follows sees what is returned, and nothing else.
        if let Some(level) = self.current_scope() {
            level.items.clear();
            level.aliases.clear();
            level.listed.clear();
        }
        Ok((text, columns))
    }
}
