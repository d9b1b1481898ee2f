//! Calls of functions: each is looked up in its dialect's table, and what is not there is refused.

use sqlparser::ast::{
    DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause,
    FunctionArguments, NullTreatment, OrderByExpr, Value, WindowType,
};

use super::Translator;
use super::folding::{self, is_aggregate};
use super::translated::Translated;
use super::untranslatable::{TranslateResult, Untranslatable};
use crate::detect::shared;
use crate::rules::{ArgumentType, FunctionRule, FunctionTranslation, ReturnType};
use crate::sql_type::SqlType;
use crate::template;

/// A call, taken apart. Nothing of it may be passed over: who writes it looks at everything, or
/// says [`SourceCall::plain`] or [`SourceCall::aggregate`].
#[derive(Clone, Debug)]
pub struct SourceCall<'c> {
    /// The name, in small letters.
    pub name: String,
    /// The arguments; a star is none.
    pub arguments: Vec<&'c Expr>,
    /// Whether the argument is a star.
    pub star: bool,
    /// Whether DISTINCT is written.
    pub distinct: bool,
    /// ORDER BY within the parentheses, or of WITHIN GROUP.
    pub order_by: &'c [OrderByExpr],
    /// SEPARATOR.
    pub separator: Option<&'c Value>,
    /// LIMIT within the parentheses.
    pub limit: Option<&'c Expr>,
    /// FILTER.
    pub filter: Option<&'c Expr>,
    /// IGNORE NULLS or RESPECT NULLS.
    pub nulls: Option<NullTreatment>,
    /// OVER.
    pub over: Option<&'c WindowType>,
}

impl<'c> SourceCall<'c> {
    /// A call that has nothing but arguments.
    pub fn of(name: &str, arguments: Vec<&'c Expr>) -> Self {
        Self {
            name: name.to_owned(),
            arguments,
            star: false,
            distinct: false,
            order_by: &[],
            separator: None,
            limit: None,
            filter: None,
            nulls: None,
            over: None,
        }
    }

    fn read(function: &'c Function) -> TranslateResult<Self> {
        let Function {
            name,
            uses_odbc_syntax: _,
            parameters: FunctionArguments::None,
            args,
            within_group,
            filter,
            null_treatment,
            over,
        } = function
        else {
            return Err(Untranslatable::construct("a call with two lists"));
        };
        let parts: Vec<_> = (name.0.iter()).filter_map(|part| part.as_ident()).collect();
        let [ident] = parts.as_slice() else {
            return Err(Untranslatable::construct("a function with a schema"));
        };
        let mut call = Self {
            filter: filter.as_deref(),
            nulls: *null_treatment,
            over: over.as_ref(),
            order_by: within_group,
            ..Self::of(&ident.value.to_lowercase(), Vec::new())
        };
        let list = match args {
            FunctionArguments::None => return Ok(call),
            FunctionArguments::Subquery(_) => return Err(call.refused()),
            FunctionArguments::List(list) => list,
        };
        call.distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
        for argument in &list.args {
            match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => call.arguments.push(expr),
                FunctionArg::Unnamed(FunctionArgExpr::Wildcard) if list.args.len() == 1 => {
                    call.star = true;
                }
                _ => return Err(call.refused()),
            }
        }
        for clause in &list.clauses {
            match clause {
                FunctionArgumentClause::OrderBy(order) => call.order_by = order,
                FunctionArgumentClause::Separator(text) => call.separator = Some(&text.value),
                FunctionArgumentClause::Limit(limit) => call.limit = Some(limit),
                FunctionArgumentClause::IgnoreOrRespectNulls(nulls) => call.nulls = Some(*nulls),
                _ => return Err(call.refused()),
            }
        }
        Ok(call)
    }

    /// That it has no translation.
    pub fn refused(&self) -> Untranslatable {
        Untranslatable::function(&self.name)
    }

    /// The argument at a place.
    pub fn argument(&self, place: usize) -> TranslateResult<&'c Expr> {
        self.arguments
            .get(place)
            .copied()
            .ok_or_else(|| self.refused())
    }

    /// Refuses what only aggregates have.
    pub fn plain(&self) -> TranslateResult<()> {
        let bare = !self.star
            && !self.distinct
            && self.order_by.is_empty()
            && self.separator.is_none()
            && self.limit.is_none()
            && self.filter.is_none()
            && self.nulls.is_none()
            && self.over.is_none();
        if bare { Ok(()) } else { Err(self.refused()) }
    }

    /// Refuses what only few aggregates have, but not DISTINCT, FILTER and OVER.
    pub fn aggregate(&self) -> TranslateResult<()> {
        let usual = self.order_by.is_empty()
            && self.separator.is_none()
            && self.limit.is_none()
            && self.nulls.is_none();
        if usual { Ok(()) } else { Err(self.refused()) }
    }
}

impl Translator<'_> {
    /// A call as sqlparser reads it.
    pub fn function(&mut self, function: &Function) -> TranslateResult<Translated> {
        let call = SourceCall::read(function)?;
        self.call(&call)
    }

    /// A call by its name, for what has a syntax of its own.
    pub fn call_named(&mut self, name: &str, arguments: Vec<&Expr>) -> TranslateResult<Translated> {
        self.call(&SourceCall::of(name, arguments))
    }

    /// Whether Postgres has a function of this name, which the dialect does not know.
    fn is_of_postgres(&self, name: &str) -> bool {
        let known = self.database.is_some_and(|database| {
            let index = database.catalog.index();
            let name = database.catalog.names().find(name);
            name.is_some_and(|name| !index.functions(name).is_empty())
        });
        known || POSTGRES_ONLY.contains(&name)
    }

    /// A call.
    pub fn call(&mut self, call: &SourceCall<'_>) -> TranslateResult<Translated> {
        let Some(rule) = self.rule(&call.name) else {
            return Err(Untranslatable {
                mixed: self.is_of_postgres(&call.name)
                    && !shared::has_function(self.source, &call.name),
                ..call.refused()
            });
        };
        let (least, most) = rule.arguments;
        let given = call.arguments.len();
        if given < least || given > most {
            return Err(call
                .refused()
                .hint("it does not take this number of arguments"));
        }
        if call.over.is_none() && is_aggregate(&call.name) {
            return folding::in_aggregate(self, |translator| translator.call_by(rule, call));
        }
        self.call_by(rule, call)
    }

    fn call_by(
        &mut self,
        rule: &FunctionRule,
        call: &SourceCall<'_>,
    ) -> TranslateResult<Translated> {
        match rule.write {
            FunctionTranslation::By(write) => write(self, call),
            FunctionTranslation::Plain(name, takes, returns) => {
                call.plain()?;
                let arguments = self.arguments(call, takes)?;
                let texts: Vec<&str> = arguments.iter().map(|one| one.text.as_str()).collect();
                let kind = returned(returns, &arguments);
                Ok(Translated {
                    extra_digits: arguments.iter().any(|one| one.extra_digits),
                    ..Translated::call(name, &texts, kind)
                })
            }
            FunctionTranslation::Template(text, takes, returns) => {
                call.plain()?;
                let arguments = self.arguments(call, takes)?;
                let text = template::fill(text, |place| {
                    let argument = match template::numbered(place) {
                        Some((number, "!")) => {
                            number.checked_sub(1).and_then(|at| arguments.get(at))
                        }
                        _ => None,
                    };
                    argument
                        .map(Translated::operand)
                        .ok_or_else(|| call.refused())
                })?;
                let kind = returned(returns, &arguments);
                Ok(Translated {
                    extra_digits: arguments.iter().any(|one| one.extra_digits),
                    ..Translated::primary(text, kind)
                })
            }
            FunctionTranslation::Aggregate(name, takes, returns) => {
                call.aggregate()?;
                let arguments = self.arguments(call, takes)?;
                self.aggregate(name, call, &arguments, returned(returns, &arguments))
            }
            FunctionTranslation::Window(name, takes, returns) => {
                call.aggregate()?;
                if call.over.is_none() || call.distinct || call.filter.is_some() || call.star {
                    return Err(call.refused());
                }
                let arguments = self.arguments(call, takes)?;
                self.aggregate(name, call, &arguments, returned(returns, &arguments))
            }
        }
    }

    /// The rule for a name.
    pub fn rule(&self, name: &str) -> Option<&'static FunctionRule> {
        let lists = self.source.functions().iter();
        lists
            .flat_map(|list| list.iter())
            .find(|rule| rule.name == name)
    }

    fn arguments(
        &mut self,
        call: &SourceCall<'_>,
        takes: &[ArgumentType],
    ) -> TranslateResult<Vec<Translated>> {
        let mut written = Vec::new();
        for (place, expr) in call.arguments.iter().enumerate() {
            let takes = takes.get(place).or(takes.last()).copied();
            written.push(self.argument_as(expr, takes.unwrap_or(ArgumentType::Any))?);
        }
        Ok(written)
    }

    /// A call of an aggregate with the DISTINCT, FILTER and OVER of the source's call.
    pub fn aggregate(
        &mut self,
        name: &str,
        call: &SourceCall<'_>,
        arguments: &[Translated],
        kind: SqlType,
    ) -> TranslateResult<Translated> {
        let texts: Vec<String> = match (call.distinct, name) {
            (true, "count") => arguments
                .iter()
                .map(|one| folding::folded(self, one))
                .collect(),
            _ => arguments.iter().map(|one| one.text.clone()).collect(),
        };
        let inside = match (call.star, call.distinct) {
            (true, false) => "*".to_owned(),
            (true, true) => return Err(call.refused()),
            (false, true) => format!("DISTINCT {}", texts.join(", ")),
            (false, false) => texts.join(", "),
        };
        let text = format!("{name}({inside}){}", self.tail(call)?);
        Ok(Translated {
            name: Some(name.to_owned()),
            extra_digits: arguments.iter().any(|one| one.extra_digits),
            ..Translated::primary(text, kind)
        })
    }

    /// FILTER and OVER of a call.
    pub fn tail(&mut self, call: &SourceCall<'_>) -> TranslateResult<String> {
        let mut text = String::new();
        if let Some(filter) = call.filter {
            let filter = self.condition(filter)?;
            text.push_str(&format!(" FILTER (WHERE {})", filter.text));
        }
        if let Some(over) = call.over {
            text.push_str(&self.over(over)?);
        }
        Ok(text)
    }
}

/// The kind of a result.
fn returned(returns: ReturnType, arguments: &[Translated]) -> SqlType {
    match returns {
        ReturnType::Kind(kind) => kind,
        ReturnType::Argument(number) => {
            let argument = number.checked_sub(1).and_then(|at| arguments.get(at));
            argument.map_or(SqlType::Unclear, |one| one.kind)
        }
        ReturnType::Common => {
            (arguments.iter().map(|one| one.kind)).fold(SqlType::Null, SqlType::common)
        }
    }
}

/// What models write that know Postgres: a text with one of these is a mixture, unless its dialect
/// has the function too.
const POSTGRES_ONLY: &[&str] = &[
    "age",
    "array_agg",
    "array_length",
    "array_to_string",
    "date_part",
    "date_trunc",
    "generate_series",
    "initcap",
    "json_build_object",
    "jsonb_agg",
    "jsonb_array_elements",
    "jsonb_build_object",
    "make_date",
    "make_interval",
    "regexp_matches",
    "split_part",
    "string_agg",
    "string_to_array",
    "to_char",
    "to_date",
    "to_number",
    "to_timestamp",
    "unnest",
];
