//! `*`, and `* EXCEPT (…) REPLACE (…)`, which is written out through the catalog.

use sqlparser::ast::{
    ExceptSelectItem, ExcludeSelectItem, Expr, Ident, IdentWithAlias, ObjectName, RenameSelectItem,
    ReplaceSelectItem, WildcardAdditionalOptions,
};

use super::Translator;
use super::name;
use super::scope::OutputColumn;
use super::untranslatable::{TranslateResult, Untranslatable};

/// A star as it is written.
pub struct ExpandedStar {
    /// Its text.
    pub text: String,
    /// Its columns; none where they are not known.
    pub columns: Option<Vec<OutputColumn>>,
}

impl Translator<'_> {
    /// A star of one item of FROM, or of all.
    pub fn star(
        &mut self,
        of: Option<&ObjectName>,
        options: &WildcardAdditionalOptions,
    ) -> TranslateResult<ExpandedStar> {
        let WildcardAdditionalOptions {
            wildcard_token: _,
            opt_ilike: None,
            opt_exclude,
            opt_except,
            opt_replace,
            opt_rename,
            opt_alias: None,
        } = options
        else {
            return self.refuse("a star with exceptions");
        };
        let item = match of {
            Some(of) => {
                let idents = name::parts(of)?;
                let Some(last) = idents.last() else {
                    return self.refuse("a name without parts");
                };
                let known = self.item_named(&name::content(last));
                Some(known.unwrap_or(name::spelled(last)?))
            }
            None => None,
        };
        let is_changed = opt_exclude.is_some() || opt_rename.is_some();
        if is_changed && !self.source.has_group_by_all() {
            return self.refuse("a star with exceptions");
        }
        let columns = self.star_columns(item.as_deref());
        if !is_changed && opt_except.is_none() && opt_replace.is_none() {
            let text = match &item {
                Some(item) => format!("{}.*", name::quoted(item)),
                None => "*".to_owned(),
            };
            return Ok(ExpandedStar { text, columns });
        }
        let excluded = opt_exclude.as_ref().map(excluded).transpose()?;
        let excluded = excluded.unwrap_or_default();
        let mut left_out = opt_except.as_ref().map(left_out).unwrap_or_default();
        left_out.extend(&excluded);
        let renamed = opt_rename.as_ref().map(renamed).unwrap_or_default();
        let replaced = opt_replace.as_ref().map(replaced).unwrap_or_default();
        self.written_out(item.as_deref(), &left_out, &replaced, renamed)
    }

    fn written_out(
        &mut self,
        of: Option<&str>,
        left_out: &[&Ident],
        replaced: &[(&Ident, &Expr)],
        renamed: &[IdentWithAlias],
    ) -> TranslateResult<ExpandedStar> {
        let items = match self.current_scope() {
            Some(level) if !level.merged || of.is_some() => level.items.clone(),
            _ => return self.refuse("a star with exceptions beside USING"),
        };
        let several = items.len() > 1;
        let mut parts = Vec::new();
        let mut columns = Vec::new();
        let mut met = 0_usize;
        for item in items
            .iter()
            .filter(|item| of.is_none_or(|of| item.name == of))
        {
            let super::scope::KnownColumns::Known(known) = &item.columns else {
                return self.refuse("a star with exceptions of unknown columns");
            };
            for column in known {
                let is = |ident: &Ident| name::content(ident).eq_ignore_ascii_case(&column.name);
                if left_out.iter().any(|ident| is(ident)) {
                    met += 1;
                    continue;
                }
                let own = name::quoted(&column.name).into_owned();
                if let Some((_, expr)) = replaced.iter().find(|(ident, _)| is(ident)) {
                    met += 1;
                    let value = self.value(expr)?;
                    let value = self.output_value(value)?;
                    parts.push(format!("{} AS {own}", value.text));
                    columns.push(OutputColumn::of(&column.name, &value));
                    continue;
                }
                let text = match several {
                    true => format!("{}.{own}", name::quoted(&item.name)),
                    false => own,
                };
                if let Some(new) = renamed.iter().find(|one| is(&one.ident)) {
                    met += 1;
                    let name = name::spelled(&new.alias)?;
                    parts.push(format!("{text} AS {}", name::quoted(&name)));
                    columns.push(OutputColumn {
                        name,
                        ..column.clone()
                    });
                    continue;
                }
                parts.push(text);
                columns.push(column.clone());
            }
        }
        if met < left_out.len() + replaced.len() + renamed.len() || parts.is_empty() {
            return Err(
                Untranslatable::construct("a star without a column that it excepts")
                    .hint("name columns of the tables in FROM"),
            );
        }
        Ok(ExpandedStar {
            text: parts.join(", "),
            columns: Some(columns),
        })
    }
}

fn left_out(item: &ExceptSelectItem) -> Vec<&Ident> {
    let ExceptSelectItem {
        first_element,
        additional_elements,
    } = item;
    let mut all = vec![first_element];
    all.extend(additional_elements);
    all
}

fn excluded(item: &ExcludeSelectItem) -> TranslateResult<Vec<Ident>> {
    let names = match item {
        ExcludeSelectItem::Single(name) => std::slice::from_ref(name),
        ExcludeSelectItem::Multiple(names) => names.as_slice(),
    };
    let mut idents = Vec::new();
    for one in names {
        idents.extend(name::parts(one)?.pop());
    }
    Ok(idents)
}

fn renamed(item: &RenameSelectItem) -> &[IdentWithAlias] {
    match item {
        RenameSelectItem::Single(one) => std::slice::from_ref(one),
        RenameSelectItem::Multiple(all) => all,
    }
}

fn replaced(item: &ReplaceSelectItem) -> Vec<(&Ident, &Expr)> {
    (item.items.iter())
        .map(|element| (&element.column_name, &element.expr))
        .collect()
}
