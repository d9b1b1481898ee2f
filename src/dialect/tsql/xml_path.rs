//! Texts that are joined by `FOR XML PATH('')`, as T-SQL did before it had STRING_AGG.
//!
//! <https://learn.microsoft.com/en-us/sql/relational-databases/xml/use-path-mode-with-for-xml>

use sqlparser::ast::{
    AccessExpr, Expr, ForClause, ForXml, FunctionArg, FunctionArgExpr, FunctionArguments,
    GroupByExpr, Ident, OrderBy, OrderByExpr, OrderByKind, Query, Select, SelectItem, SetExpr,
    TableFactor,
};

use crate::parse;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

/// `(SELECT ',' + name FROM t FOR XML PATH(''))`, with or without `.value('.', 'nvarchar(max)')`
/// behind it; none where an expression is something else.
pub fn joined_texts(
    translator: &mut Translator<'_>,
    expr: &Expr,
) -> TranslateResult<Option<Translated>> {
    let (query, is_taken_out) = match expr {
        Expr::Subquery(query) => (&**query, false),
        Expr::CompoundFieldAccess { root, access_chain } => match (subquery(root), access_chain) {
            (Some(query), chain) if is_value(chain) => (query, true),
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    let Some(typed) = path_without_elements(query) else {
        return Ok(None);
    };
    if typed != is_taken_out {
        return translator.refuse("FOR XML whose result is XML");
    }
    let Some(joined) = as_string_agg(translator, query) else {
        return translator.refuse("FOR XML of something else than one text");
    };
    let text = translator.value(&Expr::Subquery(joined))?;
    if text.kind != SqlType::Text {
        return translator.refuse("FOR XML of something else than one text");
    }
    // As the content of XML it has entities, until `.value()` takes it out.
    let written = match is_taken_out {
        true => text.text,
        false => format!(
            "replace(replace(replace({}, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')",
            text.text
        ),
    };
    Ok(Some(Translated::primary(written, SqlType::Text)))
}

fn subquery(root: &Expr) -> Option<&Query> {
    match root {
        Expr::Subquery(query) => Some(query),
        Expr::Nested(inner) => subquery(inner),
        _ => None,
    }
}

/// `.value('.', 'varchar(max)')`, which takes out all text.
fn is_value(chain: &[AccessExpr]) -> bool {
    let [AccessExpr::Dot(Expr::Function(function))] = chain else {
        return false;
    };
    let FunctionArguments::List(list) = &function.args else {
        return false;
    };
    let words: Vec<String> = list.args.iter().map(|one| one.to_string()).collect();
    let [path, to] = words.as_slice() else {
        return false;
    };
    let paths = [
        "'.'",
        "'text()[1]'",
        "'./text()[1]'",
        "'(./text())[1]'",
        "'.[1]'",
    ];
    let to = to.to_ascii_lowercase().replace([' ', 'n', '\''], "");
    function.name.to_string().eq_ignore_ascii_case("value")
        && paths.contains(&path.trim_start_matches('N'))
        && to == "varchar(max)"
}

/// Whether a query joins its rows without elements around them, and whether as a value of XML.
fn path_without_elements(query: &Query) -> Option<bool> {
    match &query.for_clause {
        Some(ForClause::Xml {
            for_xml: ForXml::Path(Some(element)),
            elements: false,
            binary_base64: false,
            root: None,
            r#type,
        }) if element.is_empty() => Some(*r#type),
        _ => None,
    }
}

/// The same by STRING_AGG; none where a row is more than one text without a name.
fn as_string_agg(translator: &Translator<'_>, query: &Query) -> Option<Box<Query>> {
    let SetExpr::Select(select) = &*query.body else {
        return None;
    };
    let text = only_text(select)?;
    let is_plain = select.distinct.is_none()
        && select.top.is_none()
        && select.having.is_none()
        && is_ungrouped(select)
        && query.limit_clause.is_none()
        && query.fetch.is_none();
    match is_plain {
        true => {
            let order = order_of(query.order_by.as_ref(), text)?;
            let mut joined = query.clone();
            joined.for_clause = None;
            joined.order_by = None;
            let SetExpr::Select(select) = &mut *joined.body else {
                return None;
            };
            select.projection = aggregate_of(translator, text, order)?;
            Some(Box::new(joined))
        }
        false => {
            let mut rows = query.clone();
            rows.for_clause = None;
            let SetExpr::Select(select) = &mut *rows.body else {
                return None;
            };
            select.projection = vec![SelectItem::ExprWithAlias {
                expr: text.clone(),
                alias: Ident::new("part"),
            }];
            let around = "SELECT STRING_AGG(joined.part, '') FROM [source] AS joined";
            let mut joined = parse::query(around, translator.source)?;
            let SetExpr::Select(select) = &mut *joined.body else {
                return None;
            };
            let source = &mut select.from.first_mut()?.relation;
            let TableFactor::Table { alias, .. } = source else {
                return None;
            };
            let alias = alias.take();
            *source = TableFactor::Derived {
                lateral: false,
                subquery: Box::new(rows),
                alias,
                sample: None,
            };
            Some(joined)
        }
    }
}

/// The only expression that is selected: without a name, or called `[text()]`.
fn only_text(select: &Select) -> Option<&Expr> {
    match select.projection.as_slice() {
        [SelectItem::UnnamedExpr(expr)] => {
            let is_named = matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
            (!is_named).then_some(expr)
        }
        [SelectItem::ExprWithAlias { expr, alias }] if alias.value == "text()" => Some(expr),
        _ => None,
    }
}

fn is_ungrouped(select: &Select) -> bool {
    match &select.group_by {
        GroupByExpr::Expressions(keys, modifiers) => keys.is_empty() && modifiers.is_empty(),
        GroupByExpr::All(_) => false,
    }
}

/// What rows are sorted by; a place is the text itself.
fn order_of(order: Option<&OrderBy>, text: &Expr) -> Option<Vec<OrderByExpr>> {
    let keys = match order {
        None => return Some(Vec::new()),
        Some(OrderBy {
            kind: OrderByKind::Expressions(keys),
            interpolate: None,
        }) => keys,
        Some(_) => return None,
    };
    let key = |key: &OrderByExpr| {
        let mut key = key.clone();
        if matches!(key.expr, Expr::Value(_)) {
            key.expr = text.clone();
        }
        key
    };
    Some(keys.iter().map(key).collect())
}

/// `STRING_AGG(text, '') WITHIN GROUP (ORDER BY …)` as a select list.
fn aggregate_of(
    translator: &Translator<'_>,
    text: &Expr,
    order: Vec<OrderByExpr>,
) -> Option<Vec<SelectItem>> {
    let query = parse::query("SELECT STRING_AGG(text, '')", translator.source)?;
    let SetExpr::Select(select) = *query.body else {
        return None;
    };
    let mut projection = select.projection;
    let Some(SelectItem::UnnamedExpr(Expr::Function(function))) = projection.first_mut() else {
        return None;
    };
    let FunctionArguments::List(list) = &mut function.args else {
        return None;
    };
    *list.args.first_mut()? = FunctionArg::Unnamed(FunctionArgExpr::Expr(text.clone()));
    function.within_group = order;
    Some(projection)
}
