//! OVER and WINDOW.

use sqlparser::ast::{
    OrderByExpr, WindowFrame, WindowFrameBound, WindowFrameUnits, WindowSpec, WindowType,
};

use super::Translator;
use super::folding;
use super::name;
use super::translated::TranslatedForm;
use super::untranslatable::TranslateResult;
use crate::source::CaseSensitivity;
use crate::sql_type::SqlType;

impl Translator<'_> {
    /// OVER with its window.
    pub fn over(&mut self, over: &WindowType) -> TranslateResult<String> {
        Ok(match over {
            WindowType::NamedWindow(ident) => {
                format!(" OVER {}", name::quoted(&name::spelled(ident)?))
            }
            WindowType::WindowSpec(spec) => format!(" OVER ({})", self.window(spec)?),
        })
    }

    /// What stands in the parentheses of a window.
    pub fn window(&mut self, spec: &WindowSpec) -> TranslateResult<String> {
        let WindowSpec {
            window_name,
            partition_by,
            order_by,
            window_frame,
        } = spec;
        let mut parts = Vec::new();
        if let Some(ident) = window_name {
            parts.push(name::quoted(&name::spelled(ident)?).into_owned());
        }
        if !partition_by.is_empty() {
            let mut keys = Vec::new();
            for expr in partition_by {
                let key = self.value(expr)?;
                if key.is_literal() {
                    return self.refuse("a constant in PARTITION BY");
                }
                keys.push(folding::folded(self, &key));
            }
            parts.push(format!("PARTITION BY {}", keys.join(", ")));
        }
        if !order_by.is_empty() {
            parts.push(format!("ORDER BY {}", self.inner_order(order_by)?));
        }
        if let Some(frame) = window_frame {
            parts.push(self.frame(frame)?);
        }
        Ok(parts.join(" "))
    }

    /// An ORDER BY of a window or an aggregate: expressions alone.
    pub fn inner_order(&mut self, order_by: &[OrderByExpr]) -> TranslateResult<String> {
        self.inner_order_by(order_by, CaseSensitivity::Insensitive)
    }

    /// The same, with texts sorted as they are where an aggregate of DISTINCT values can be sorted
    /// by nothing else.
    pub fn inner_order_by(
        &mut self,
        order_by: &[OrderByExpr],
        letters: CaseSensitivity,
    ) -> TranslateResult<String> {
        let mut keys = Vec::new();
        for item in order_by {
            if item.with_fill.is_some() {
                return self.refuse("WITH FILL");
            }
            let key = self.value(&item.expr)?;
            if key.is_literal() {
                return self.refuse("a constant in ORDER BY");
            }
            let not_null = key.not_null;
            let text = match letters {
                CaseSensitivity::Insensitive => self.collated(&key),
                CaseSensitivity::Sensitive => key.text,
            };
            keys.push(self.sorted(text, &item.options, not_null)?);
        }
        Ok(keys.join(", "))
    }

    fn frame(&mut self, frame: &WindowFrame) -> TranslateResult<String> {
        let WindowFrame {
            units,
            start_bound,
            end_bound,
        } = frame;
        let units = match units {
            WindowFrameUnits::Rows => "ROWS",
            WindowFrameUnits::Range => "RANGE",
            WindowFrameUnits::Groups => "GROUPS",
        };
        let start = self.bound(start_bound)?;
        Ok(match end_bound {
            Some(end) => format!("{units} BETWEEN {start} AND {}", self.bound(end)?),
            None => format!("{units} {start}"),
        })
    }

    fn bound(&mut self, bound: &WindowFrameBound) -> TranslateResult<String> {
        let (count, direction) = match bound {
            WindowFrameBound::CurrentRow => return Ok("CURRENT ROW".to_owned()),
            WindowFrameBound::Preceding(count) => (count, "PRECEDING"),
            WindowFrameBound::Following(count) => (count, "FOLLOWING"),
        };
        let Some(count) = count else {
            return Ok(format!("UNBOUNDED {direction}"));
        };
        let count = self.value(count)?;
        match (&count.form, count.kind) {
            (TranslatedForm::NumberLiteral(_), SqlType::Integer) => {
                Ok(format!("{} {direction}", count.text))
            }
            _ => self.refuse("a computed frame"),
        }
    }
}
