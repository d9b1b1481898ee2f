//! GROUP BY ALL and ORDER BY ALL: by what is selected; and whether anything of a query is grouped.

use sqlparser::ast::{Expr, GroupByExpr, OrderByOptions, Select, SelectItem};
use sqlparser::dialect::GenericDialect;
use sqlparser::tokenizer::{Token, Tokenizer};

use super::Translator;
use super::folding::{expression_of, is_aggregate};
use super::name;
use super::order_by::SortedQuery;
use super::scope::KnownColumns;
use super::untranslatable::TranslateResult;
use policy::Dialect;

impl Translator<'_> {
    /// Whether HAVING chooses single rows: in MySQL it does where nothing is grouped or aggregated,
    /// and knows the names of the select list.
    pub(super) fn having_chooses_rows(&self, select: &Select) -> bool {
        let is_ungrouped =
            matches!(&select.group_by, GroupByExpr::Expressions(keys, _) if keys.is_empty());
        let having = select.having.iter();
        let mut expressions = having.chain(select.projection.iter().filter_map(expression_of));
        self.source.dialect() == Dialect::Mysql && is_ungrouped && !expressions.any(aggregates)
    }

    /// GROUP BY ALL: by the places of what is no aggregate.
    pub fn group_by_all(&mut self, projection: &[SelectItem]) -> TranslateResult<String> {
        if !self.source.has_group_by_all() {
            return self.refuse("GROUP BY ALL");
        }
        let mut places = Vec::new();
        for (place, item) in projection.iter().enumerate() {
            let expr = match item {
                SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => expr,
                _ => return self.refuse("GROUP BY ALL beside a star"),
            };
            if !aggregates(expr) {
                places.push((place + 1).to_string());
            }
        }
        match places.is_empty() {
            true => Ok(String::new()),
            false => Ok(format!(" GROUP BY {}", places.join(", "))),
        }
    }

    /// ORDER BY ALL: by all columns, from left to right.
    pub fn order_by_all(
        &mut self,
        options: &OrderByOptions,
        sorted: &SortedQuery,
    ) -> TranslateResult<String> {
        let KnownColumns::Known(columns) = &sorted.columns else {
            return self.refuse("ORDER BY ALL of columns that are not known");
        };
        if !self.source.has_group_by_all() {
            return self.refuse("ORDER BY ALL");
        }
        let is_repeated = |name: &str| columns.iter().filter(|one| one.name == name).count() > 1;
        let mut parts = Vec::new();
        for (place, column) in columns.iter().enumerate() {
            let plain = name::quoted(&column.name).into_owned();
            let key = match self.output_key(column, sorted) {
                key if key == plain => (place + 1).to_string(),
                _ if is_repeated(&column.name) => {
                    return self.refuse("ORDER BY ALL of two columns of one name");
                }
                key => key,
            };
            parts.push(self.sorted(key, options, column.not_null)?);
        }
        Ok(parts.join(", "))
    }
}

/// Whether an aggregate stands in an expression, not as a window function.
fn aggregates(expr: &Expr) -> bool {
    let text = expr.to_string();
    let grammar = GenericDialect {};
    let Ok(tokens) = Tokenizer::new(&grammar, &text).tokenize() else {
        return true;
    };
    let solid: Vec<&Token> = (tokens.iter())
        .filter(|token| !matches!(token, Token::Whitespace(_)))
        .collect();
    (0..solid.len()).any(|at| {
        let is_call = solid.get(at + 1) == Some(&&Token::LParen);
        let is_aggregate = matches!(solid.get(at), Some(Token::Word(word))
            if word.quote_style.is_none()
                && is_any_aggregate(&word.value.to_lowercase()));
        is_call && is_aggregate && !is_window(solid.get(at + 1..).unwrap_or_default())
    })
}

fn is_any_aggregate(name: &str) -> bool {
    AGGREGATES.contains(&name) || is_aggregate(name)
}

/// Whether OVER follows the parentheses that begin here.
fn is_window(rest: &[&Token]) -> bool {
    let mut depth = 0_usize;
    for (at, token) in rest.iter().enumerate() {
        match token {
            Token::LParen => depth += 1,
            Token::RParen => {
                depth = depth.saturating_sub(1);
                let next = rest.get(at + 1);
                let word = match next {
                    Some(Token::Word(word)) => word.value.to_lowercase(),
                    _ => String::new(),
                };
                match word.as_str() {
                    "over" if depth == 0 => return true,
                    "within" | "filter" => {}
                    _ if depth == 0 && at > 0 && next != Some(&&Token::LParen) => return false,
                    _ => {}
                }
            }
            _ => {}
        }
    }
    false
}

const AGGREGATES: &[&str] = &[
    "count",
    "sum",
    "avg",
    "mean",
    "min",
    "max",
    "count_if",
    "countif",
    "any_value",
    "median",
    "approx_count_distinct",
    "listagg",
    "string_agg",
    "group_concat",
    "array_agg",
    "list",
    "stddev",
    "stddev_samp",
    "stddev_pop",
    "variance",
    "var_samp",
    "var_pop",
    "bool_or",
    "bool_and",
    "boolor_agg",
    "booland_agg",
    "max_by",
    "min_by",
    "arg_max",
    "arg_min",
    "mode",
    "first",
    "last",
    "percentile_cont",
    "percentile_disc",
    "quantile_cont",
    "corr",
    "covar_samp",
    "covar_pop",
    "hash_agg",
    "object_agg",
    "sum_if",
    "histogram",
];
