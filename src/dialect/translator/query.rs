//! Queries: WITH, set operations and LIMIT.

use sqlparser::ast::{
    Cte, Expr, LimitClause, Offset, Query, SetExpr, SetOperator, SetQuantifier, With,
};

use super::Translator;
use super::first_rows::{FirstRows, is_recursive_cte};
use super::folding;
use super::literal;
use super::name;
use super::order_by::SortedQuery;
use super::scope::{KnownColumns, OutputColumn, TranslatedCte, TranslationScope};
use super::translated::{Translated, TranslatedForm};
use super::untranslatable::{TranslateResult, Untranslatable};
use crate::sql_type::SqlType;
use policy::Dialect;

/// A query as it is written.
pub struct TranslatedQuery {
    /// Its text, without parentheses.
    pub text: String,
    /// Its columns.
    pub columns: KnownColumns,
}

impl Translator<'_> {
    /// A whole query.
    pub fn query(&mut self, query: &Query) -> TranslateResult<TranslatedQuery> {
        let Query {
            with,
            body,
            order_by,
            limit_clause,
            fetch,
            locks,
            for_clause,
            settings,
            format_clause,
            pipe_operators,
        } = query;
        if !locks.is_empty() {
            return self.refuse("a row lock");
        }
        if for_clause.is_some() {
            return Err(Untranslatable::construct("FOR XML or FOR JSON")
                .hint("write string_agg(…), jsonb_agg(…) or jsonb_build_object(…)"));
        }
        if settings.is_some() || format_clause.is_some() || !pipe_operators.is_empty() {
            return self.refuse("a clause after the query");
        }
        let commons = self.common_tables.len();
        let depth = self.scopes.len();
        let mut text = match with {
            Some(with) => self.with(with)?,
            None => String::new(),
        };
        let beginning = text.len();
        // An ORDER BY sees what its SELECT sees.
        self.scopes.push(TranslationScope::default());
        let (body_text, columns, of_select) = self.body(body)?;
        let mut sorted = SortedQuery { columns, of_select };
        let body_text = match order_by {
            Some(order_by) if self.is_sorted_outside(body, order_by, &sorted) => {
                sorted.of_select = false;
                let name = self.make_name("unsorted");
                format!("SELECT * FROM ({body_text}) AS {name}")
            }
            _ => body_text,
        };
        text.push_str(&body_text);
        if let Some(order_by) = order_by {
            text.push_str(" ORDER BY ");
            text.push_str(&self.query_order(order_by, &sorted)?);
        }
        let first = FirstRows::of(body, fetch.as_ref());
        if let Some(limit) = limit_clause {
            text.push_str(&self.limit(limit)?);
        }
        if let Some(first) = first {
            let is_sorted = order_by.is_some();
            let unlimited = text.get(beginning..).unwrap_or_default().to_owned();
            text.push_str(&self.first(&first, &unlimited, is_sorted)?);
        }
        self.scopes.truncate(depth);
        self.common_tables.truncate(commons);
        Ok(TranslatedQuery {
            text,
            columns: sorted.columns,
        })
    }

    fn with(&mut self, with: &With) -> TranslateResult<String> {
        let With {
            with_token: _,
            recursive,
            cte_tables,
        } = with;
        let mut parts = Vec::new();
        let unsaid =
            self.source.has_implicit_recursion() && cte_tables.iter().any(is_recursive_cte);
        let recursive = *recursive || unsaid;
        for table in cte_tables {
            parts.push(self.common(table, recursive)?);
        }
        let keyword = if recursive { "WITH RECURSIVE" } else { "WITH" };
        Ok(format!("{keyword} {} ", parts.join(", ")))
    }

    fn common(&mut self, table: &Cte, recursive: bool) -> TranslateResult<String> {
        let Cte {
            alias,
            query,
            from: None,
            materialized: None,
            closing_paren_token: _,
        } = table
        else {
            return self.refuse("this form of a common table");
        };
        let name = name::spelled(&alias.name)?;
        let mut given = Vec::new();
        for column in &alias.columns {
            given.push(name::spelled(&column.name)?);
        }
        let place = self.common_tables.len();
        if recursive {
            // Of what it reads of itself the types are those of its first part.
            let columns = self.non_recursive_columns(query, &given)?;
            self.common_tables.push(TranslatedCte {
                name: name.clone(),
                columns,
            });
        }
        let written = self.query(query)?;
        self.common_tables.truncate(place);
        self.common_tables.push(TranslatedCte {
            name: name.clone(),
            columns: written.columns.renamed(&given),
        });
        let columns = if given.is_empty() {
            String::new()
        } else {
            let quoted: Vec<_> = given.iter().map(|one| name::quoted(one)).collect();
            format!(" ({})", quoted.join(", "))
        };
        Ok(format!(
            "{}{columns} AS ({})",
            name::quoted(&name),
            written.text
        ))
    }

    /// The columns of the part of a recursive common table that does not read itself.
    fn non_recursive_columns(
        &mut self,
        query: &Query,
        given: &[String],
    ) -> TranslateResult<KnownColumns> {
        let SetExpr::SetOperation { left, .. } = &*query.body else {
            return Ok(KnownColumns::Unknown);
        };
        let depth = self.scopes.len();
        let commons = self.common_tables.len();
        if let Some(with) = &query.with {
            self.with(with)?;
        }
        self.scopes.push(TranslationScope::default());
        let (_, columns, _) = self.body(left)?;
        self.scopes.truncate(depth);
        self.common_tables.truncate(commons);
        Ok(columns.renamed(given))
    }

    /// Text, columns, and whether it is one SELECT, whose level then is the innermost.
    fn body(&mut self, body: &SetExpr) -> TranslateResult<(String, KnownColumns, bool)> {
        match body {
            SetExpr::Select(select) => {
                let (text, columns) = self.select(select)?;
                Ok((text, columns, true))
            }
            SetExpr::Query(query) => {
                let written = self.query(query)?;
                Ok((format!("({})", written.text), written.columns, false))
            }
            SetExpr::SetOperation {
                op,
                set_quantifier,
                left,
                right,
            } => {
                let (text, columns) = self.set_operation(left, *op, *set_quantifier, right)?;
                Ok((text, columns, false))
            }
            SetExpr::Values(values) => {
                let (text, columns) = self.values(values)?;
                Ok((text, columns, false))
            }
            SetExpr::Insert(_)
            | SetExpr::Update(_)
            | SetExpr::Delete(_)
            | SetExpr::Merge(_)
            | SetExpr::Table(_) => self.refuse("this form of a query"),
        }
    }

    fn set_operation(
        &mut self,
        left: &SetExpr,
        op: SetOperator,
        quantifier: SetQuantifier,
        right: &SetExpr,
    ) -> TranslateResult<(String, KnownColumns)> {
        let operator = match op {
            SetOperator::Union => "UNION",
            SetOperator::Except | SetOperator::Minus => "EXCEPT",
            SetOperator::Intersect => "INTERSECT",
        };
        let quantifier = match quantifier {
            SetQuantifier::All => " ALL",
            SetQuantifier::Distinct | SetQuantifier::None => "",
            SetQuantifier::ByName | SetQuantifier::AllByName | SetQuantifier::DistinctByName => {
                return self.refuse("a set operation by name");
            }
        };
        let is_nested = matches!(right, SetExpr::SetOperation { .. });
        if is_nested && self.source.dialect() == Dialect::Sqlite {
            // All set operations are of one precedence there; the library knows better.
            return self.refuse("INTERSECT after another set operation");
        }
        let (left, left_columns) = self.operand(left)?;
        let (right, right_columns) = self.operand(right)?;
        let columns = match (left_columns, right_columns) {
            (KnownColumns::Known(left), KnownColumns::Known(right)) => {
                KnownColumns::Known(merged(left, &right))
            }
            _ => KnownColumns::Unknown,
        };
        if quantifier.is_empty()
            && op != SetOperator::Union
            && let Some(text) = folding::compared_rows(self, op, (&left, &right), &columns)
        {
            return Ok((text, columns));
        }
        let text = format!("{left} {operator}{quantifier} {right}");
        let text = match quantifier {
            "" => folding::distinct_union(self, op, text, &columns),
            _ => text,
        };
        Ok((text, columns))
    }

    /// One side of a set operation, in parentheses where it is one itself: precedence is that of
    /// the tree.
    fn operand(&mut self, side: &SetExpr) -> TranslateResult<(String, KnownColumns)> {
        let depth = self.scopes.len();
        self.scopes.push(TranslationScope::default());
        let (text, columns, _) = self.body(side)?;
        self.scopes.truncate(depth);
        let text = match side {
            SetExpr::SetOperation { .. } => format!("({text})"),
            _ => match FirstRows::of(side, None) {
                Some(first) => format!("({text}{})", self.first(&first, &text, false)?),
                None => text,
            },
        };
        Ok((text, columns))
    }

    fn limit(&mut self, clause: &LimitClause) -> TranslateResult<String> {
        let (limit, offset) = match clause {
            LimitClause::LimitOffset {
                limit,
                offset,
                limit_by,
            } => {
                if !limit_by.is_empty() {
                    return self.refuse("LIMIT BY");
                }
                let offset = offset.as_ref().map(|Offset { value, rows: _ }| value);
                (limit.as_ref(), offset)
            }
            LimitClause::OffsetCommaLimit { offset, limit } => (Some(limit), Some(offset)),
        };
        let mut text = String::new();
        for (keyword, count) in [("LIMIT", limit), ("OFFSET", offset)] {
            if let Some(count) = count {
                let count = self.count(count)?;
                // To SQLite a negative number is no limit at all.
                let is_negative = count.small_integer().is_some_and(|count| count < 0);
                if is_negative && self.source.dialect() == Dialect::Sqlite {
                    continue;
                }
                text.push_str(&format!(" {keyword} {}", count.text));
            }
        }
        Ok(text)
    }

    /// A number of rows.
    fn count(&mut self, expr: &Expr) -> TranslateResult<Translated> {
        let count = self.value(expr)?;
        match (&count.form, count.kind) {
            (TranslatedForm::NumberLiteral(_), SqlType::Integer)
            | (TranslatedForm::Parameter, _) => Ok(count),
            _ => Err(Untranslatable::construct("a computed LIMIT")),
        }
    }

    /// An expression as a column of a result: what is a number in the source dialect is one here.
    pub fn output_value(&mut self, value: Translated) -> TranslateResult<Translated> {
        use crate::source::BooleanForm;
        let as_number = self.source.semantics().booleans == BooleanForm::Numbers;
        if value.kind != SqlType::Bool || !as_number || value.form == TranslatedForm::Column {
            return Ok(value);
        }
        let is_operation = !value.is_primary && value.form == TranslatedForm::Computed;
        if is_operation && self.source.dialect() == Dialect::Tsql {
            // A comparison is no value there: it is meant as Postgres has it.
            return Ok(value);
        }
        if let TranslatedForm::BoolLiteral(truth) = value.form {
            return literal::number(if truth { "1" } else { "0" });
        }
        Ok(self.as_integer(&value))
    }
}

fn merged(left: Vec<OutputColumn>, right: &[OutputColumn]) -> Vec<OutputColumn> {
    let pairs = left.into_iter().zip(right);
    pairs
        .map(|(left, right)| OutputColumn {
            kind: left.kind.common(right.kind),
            not_null: left.not_null && right.not_null,
            extra_digits: left.extra_digits || right.extra_digits,
            case_sensitive: left.case_sensitive || right.case_sensitive,
            form: if left.form == right.form {
                left.form
            } else {
                TranslatedForm::Computed
            },
            name: left.name,
        })
        .collect()
}
