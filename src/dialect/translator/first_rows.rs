//! The first rows of a query (TOP, FETCH FIRST), common tables that read themselves, and VALUES.

use sqlparser::ast::{Cte, Expr, Fetch, Select, SetExpr, Top, TopQuantity, Values};

use super::Translator;
use super::literal;
use super::scope::{KnownColumns, OutputColumn};
use super::translated::{Translated, TranslatedForm};
use super::untranslatable::{TranslateResult, Untranslatable};
use crate::sql_type::SqlType;

/// How many rows come first.
pub struct FirstRows<'q> {
    quantity: RowQuantity<'q>,
    percent: bool,
    with_ties: bool,
}

enum RowQuantity<'q> {
    Number(u64),
    Expr(&'q Expr),
}

impl<'q> FirstRows<'q> {
    /// Of a query with this body and this FETCH.
    pub fn of(body: &'q SetExpr, fetch: Option<&'q Fetch>) -> Option<Self> {
        if let Some(fetch) = fetch {
            let Fetch {
                with_ties,
                percent,
                quantity,
            } = fetch;
            return Some(Self {
                quantity: quantity
                    .as_ref()
                    .map_or(RowQuantity::Number(1), RowQuantity::Expr),
                percent: *percent,
                with_ties: *with_ties,
            });
        }
        let SetExpr::Select(select) = body else {
            return None;
        };
        let Select { top: Some(top), .. } = &**select else {
            return None;
        };
        let Top {
            with_ties,
            percent,
            quantity,
        } = top;
        let quantity = match quantity {
            Some(TopQuantity::Constant(number)) => RowQuantity::Number(*number),
            Some(TopQuantity::Expr(expr)) => RowQuantity::Expr(expr),
            None => RowQuantity::Number(1),
        };
        Some(Self {
            quantity,
            percent: *percent,
            with_ties: *with_ties,
        })
    }
}

impl Translator<'_> {
    /// The first rows of a query whose text without this is given.
    pub fn first(
        &mut self,
        first: &FirstRows<'_>,
        unlimited: &str,
        sorted: bool,
    ) -> TranslateResult<String> {
        let count = match &first.quantity {
            RowQuantity::Number(number) => number.to_string(),
            RowQuantity::Expr(expr) => {
                let count = self.value(expr)?;
                let is_whole = count.small_integer().is_some_and(|count| count >= 0);
                match (&count.form, count.kind) {
                    (TranslatedForm::NumberLiteral(_), SqlType::Integer) if is_whole => count.text,
                    (TranslatedForm::NumberLiteral(_), SqlType::Decimal) if first.percent => {
                        count.text
                    }
                    (TranslatedForm::Parameter, _) => count.text,
                    _ => return self.refuse("a computed number of rows"),
                }
            }
        };
        let count = if first.percent {
            let name = self.make_name("counted");
            format!("(SELECT ceil(count(*) * {count} / 100.0) FROM ({unlimited}) AS {name})")
        } else {
            count
        };
        if !first.with_ties {
            return Ok(format!(" LIMIT {count}"));
        }
        if !sorted {
            return Err(Untranslatable::construct("WITH TIES without ORDER BY"));
        }
        Ok(format!(" FETCH FIRST {count} ROWS WITH TIES"))
    }

    /// VALUES: its columns are of the kinds that their rows have in common.
    pub fn values(&mut self, values: &Values) -> TranslateResult<(String, KnownColumns)> {
        let mut rows = Vec::new();
        let mut columns: Vec<OutputColumn> = Vec::new();
        for row in &values.rows {
            let mut cells = Vec::new();
            for (place, cell) in row.iter().enumerate() {
                let cell = self.value(cell)?;
                let cell = self.output_value(cell)?;
                match columns.get_mut(place) {
                    Some(column) => {
                        column.kind = column.kind.common(cell.kind);
                        column.not_null &= cell.not_null;
                        column.extra_digits |= cell.extra_digits;
                    }
                    None => {
                        let name = format!("column{}", place + 1);
                        let plain = Translated::primary("", cell.kind).never_null(cell.not_null);
                        columns.push(OutputColumn::of(&name, &plain));
                    }
                }
                cells.push(cell.text);
            }
            rows.push(format!("({})", cells.join(", ")));
        }
        let text = format!("VALUES {}", rows.join(", "));
        Ok((text, KnownColumns::Known(columns)))
    }
}

/// Whether a common table is made of itself.
pub fn is_recursive_cte(table: &Cte) -> bool {
    if !matches!(&*table.query.body, SetExpr::SetOperation { .. }) {
        return false;
    }
    let name = literal::quoted(&table.alias.name.value.to_lowercase());
    let name = name.trim_matches('\'');
    let text = table.query.to_string().to_lowercase();
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| word == name)
}
