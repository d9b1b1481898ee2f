//! Calls of functions: which functions a call may mean, and what it returns.
//!
//! <https://www.postgresql.org/docs/current/typeconv-func.html>

pub mod body_arguments;
pub(super) mod candidates;
mod cast_by_call;

use std::sync::Arc;

use super::coerce::polymorphic::PolymorphicTypes;
use super::function::candidates::{CallShape, FunctionCandidate};
use super::function::cast_by_call::CastMeaning;
use super::inferred::{ActualType, InferredType, RowField};
use super::type_name::QualifiedName;
use super::{Analysis, CallForm, Scope, TooDeep, TypeMismatchKind, TypeRules, UsedObject};
use catalog::{FunctionId, TypeId, type_oid};
use sql::tree::{CoercionForm, Node, nodes};

/// What a call of a function turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedCall {
    /// The functions that it may be; one if it can be told.
    pub candidates: Vec<FunctionId>,
    /// The type of what it returns (of one row, if it returns several), polymorphic types resolved.
    pub inferred: InferredType,
}

/// The arguments of a call.
struct CallArguments<'a> {
    given: Vec<InferredType>,
    names: Vec<&'a str>,
    variadic: bool,
    /// How many of them WITHIN GROUP sorts.
    sorted: usize,
    /// Whether the call has nothing but one argument, as `x.f` has.
    plain: bool,
    /// Whether that argument is a literal.
    literal: bool,
}

/// What a name and arguments may mean.
struct CallMeaning {
    /// A cast to the type of that name.
    cast: Option<TypeId>,
    /// A call of one of these.
    functions: Vec<FunctionCandidate>,
    /// Where it is neither: functions of the name that take as many arguments.
    unfit: Vec<FunctionId>,
}

impl<'a> Analysis<'a> {
    /// What a call names: its arguments (filter, order and window too) are analysed, the function
    /// is noted.
    ///
    /// # Errors
    /// The text nests deeper than the analysis goes.
    pub fn call(
        &mut self,
        call: &'a nodes::FuncCall,
        form: CallForm,
        scope: &Scope<'_, 'a>,
    ) -> Result<ResolvedCall, TooDeep> {
        let arguments = self.call_arguments(call, scope)?;
        let parts = self.written(call);
        let Some(place) = parts.as_deref().and_then(QualifiedName::of) else {
            self.note_at(call.location, UsedObject::Unclear);
            return Ok(ResolvedCall::unclear());
        };
        let meant = self.typing().meant(place, &arguments);
        let called = self.called(&meant, form, &arguments, call.location);
        let column = match &called {
            Some(called) if called.candidates.len() < 2 => None,
            // Postgres takes the column where it cannot choose a function.
            Some(_) | None => self.column_as_call(place, &arguments),
        };
        Ok(match (called, column) {
            (Some(called), None) => called,
            (Some(called), Some(column)) => ResolvedCall {
                inferred: InferredType::agreed([called.inferred, column]),
                ..called
            },
            (None, Some(inferred)) => ResolvedCall {
                candidates: Vec::new(),
                inferred,
            },
            (None, None) => {
                let (given, names) = (&arguments.given, &arguments.names);
                self.note_missing_function(place, given, names, call.location);
                self.no_function(meant, form, call.location);
                ResolvedCall::unclear()
            }
        })
    }

    /// The parts of a call's name as the server reads them. The grammar here is a later one, and
    /// writes pg_catalog before names of its own forms.
    fn written(&self, call: &'a nodes::FuncCall) -> Option<Vec<&'a str>> {
        let parts: Option<Vec<&str>> = call.funcname().iter().map(Node::as_str).collect();
        let major = self.catalog.server_major();
        let by_syntax = call.funcformat == CoercionForm::COERCE_SQL_SYNTAX;
        Some(match parts?.as_slice() {
            [schema, "extract"] if by_syntax && major < EXTRACT_SINCE => vec![schema, "date_part"],
            // Where it is a name like any other, it is looked up like any other.
            ["pg_catalog", "json_object"] if major < JSON_OBJECT_SINCE => vec!["json_object"],
            parts => parts.to_vec(),
        })
    }

    /// The function that `x.f` calls where `f` is no field of `x`; none, and nothing noted, where
    /// there is no such function.
    pub fn field_call(
        &mut self,
        argument: &InferredType,
        name: &'a str,
        location: i32,
    ) -> Option<InferredType> {
        let arguments = CallArguments {
            given: vec![argument.clone()],
            names: Vec::new(),
            variadic: false,
            sorted: 0,
            plain: true,
            literal: false,
        };
        let meant = self.typing().meant(QualifiedName::Path(name), &arguments);
        let called = self.called(&meant, CallForm::Field, &arguments, location)?;
        Some(called.inferred)
    }

    fn call_arguments(
        &mut self,
        call: &'a nodes::FuncCall,
        scope: &Scope<'_, 'a>,
    ) -> Result<CallArguments<'a>, TooDeep> {
        let mut given = Vec::new();
        let mut names = Vec::new();
        for argument in call.args() {
            match argument {
                Node::NamedArgExpr(named) => {
                    names.push(named.name().unwrap_or_default());
                    given.push(self.expression(named.arg(), scope)?);
                }
                other => given.push(self.expression(other, scope)?),
            }
        }
        if call.agg_distinct {
            for inferred in &given {
                self.note_compared(inferred, call.location);
            }
        }
        for sort in call.agg_order() {
            let inferred = self.sort_key(sort, scope)?;
            if call.agg_within_group {
                given.push(inferred);
            }
        }
        self.condition(call.agg_filter(), scope)?;
        if let Some(window) = call.over() {
            self.window(window, scope)?;
        }
        let plain = given.len() == 1
            && names.is_empty()
            && call.agg_order().is_empty()
            && matches!(call.agg_filter(), Node::None)
            && call.over().is_none()
            && !call.agg_star
            && !call.agg_distinct
            && !call.func_variadic;
        let literal = matches!(call.args().first(), Some(Node::A_Const(_)));
        Ok(CallArguments {
            given,
            names,
            variadic: call.func_variadic,
            sorted: match call.agg_within_group {
                true => call.agg_order().len(),
                false => 0,
            },
            plain,
            literal,
        })
    }

    /// Notes what is called, and what its arguments become; none where nothing is.
    fn called(
        &mut self,
        meant: &CallMeaning,
        form: CallForm,
        arguments: &CallArguments<'_>,
        location: i32,
    ) -> Option<ResolvedCall> {
        let mut results = Vec::new();
        if let Some(target) = meant.cast
            && let Some(source) = arguments.given.first()
        {
            self.cast_to(source, target, false, location);
            results.push(InferredType::Known(target));
        }
        let functions = meant.functions.iter();
        let candidates: Vec<FunctionId> = functions
            .flat_map(|candidate| candidate.functions.iter().copied())
            .collect();
        if candidates.is_empty() && results.is_empty() {
            return None;
        }
        if !candidates.is_empty() {
            let form = match form {
                CallForm::Call if meant.cast.is_some() => CallForm::TypeAsFunction,
                other => other,
            };
            let candidates = candidates.clone();
            self.note_at(location, UsedObject::Functions { candidates, form });
        }
        for candidate in &meant.functions {
            let settled = self.arguments(&candidate.declared, &arguments.given, location);
            self.note_collected(candidate, settled.as_ref(), location);
            for id in &candidate.functions {
                results.push(self.returned(*id, candidate, settled.as_ref()));
            }
        }
        self.hypothetical(meant, arguments, location);
        for result in &results {
            self.note_inferred(result, location);
        }
        let inferred = InferredType::agreed(results);
        Some(ResolvedCall {
            candidates,
            inferred,
        })
    }

    /// VARIADIC makes an array of what it collects.
    fn note_collected(
        &mut self,
        candidate: &FunctionCandidate,
        settled: Option<&PolymorphicTypes>,
        location: i32,
    ) {
        let type_rules = self.typing();
        let last = candidate
            .declared
            .last()
            .filter(|_| candidate.collected > 0);
        if let (Some(element), Some(settled)) = (last, settled)
            && let InferredType::Known(element) = settled.real(type_rules, *element)
            && let Some(array) = type_rules.array_of(element)
        {
            self.note_type(array, location);
        }
    }

    /// A call that the server will refuse. Functions of the name stay, in case it does not.
    fn no_function(&mut self, meant: CallMeaning, form: CallForm, location: i32) {
        let candidates = meant.unfit;
        self.note_mismatch(location, TypeMismatchKind::Function);
        self.note_at(
            location,
            match candidates.is_empty() {
                true => UsedObject::MissingFunction,
                false => UsedObject::Functions { candidates, form },
            },
        );
    }

    /// A hypothetical row is compared with the sorted ones: each of its values takes the type that
    /// it has in common with theirs, which weigh more.
    fn hypothetical(&mut self, meant: &CallMeaning, arguments: &CallArguments<'_>, location: i32) {
        let type_rules = self.typing();
        let takes_any = |id: FunctionId| {
            let collects = self.catalog.function(id).variadic;
            collects.is_some_and(|id| type_rules.is(id, type_oid::ANY))
        };
        let mut functions = meant.functions.iter().flat_map(|found| &found.functions);
        if arguments.sorted == 0 || !functions.any(|id| takes_any(*id)) {
            return;
        }
        let given = &arguments.given;
        let direct = given.len().saturating_sub(arguments.sorted);
        let (direct, sorted) = given.split_at_checked(direct).unwrap_or_default();
        let unpaired = direct.len().saturating_sub(sorted.len());
        for (value, sorted) in direct.iter().skip(unpaired).zip(sorted) {
            let pair = [sorted.clone(), value.clone()];
            self.common_type(&pair, location);
        }
    }

    /// The type of a function's result in one call.
    fn returned(
        &self,
        id: FunctionId,
        candidate: &FunctionCandidate,
        settled: Option<&PolymorphicTypes>,
    ) -> InferredType {
        let type_rules = self.typing();
        let function = self.catalog.function(id);
        let given = candidate.declared.len().saturating_sub(candidate.defaulted);
        let defaults = candidate.declared.get(given..).unwrap_or_default();
        // The type of a polymorphic argument's default is not in the snapshot.
        let hidden = defaults
            .iter()
            .any(|id| type_rules.polymorphic(*id).is_some());
        let real = |id: TypeId| match settled {
            _ if type_rules.polymorphic(id).is_none() => InferredType::Known(id),
            Some(settled) if !hidden => settled.real(type_rules, id),
            _ => InferredType::Unclear,
        };
        if !type_rules.is(function.returns, type_oid::RECORD) {
            return real(function.returns);
        }
        if function.out_columns.is_empty() {
            return InferredType::Known(function.returns);
        }
        let names = self.catalog.names();
        let columns = function.out_columns.iter().enumerate();
        let fields = columns.map(|(place, (name, id))| RowField {
            name: match name {
                Some(name) if !names.text(*name).is_empty() => names.text(*name).into(),
                _ => format!("column{}", place + 1).into(),
            },
            inferred: real(*id),
        });
        InferredType::Row(fields.collect::<Arc<[RowField]>>())
    }

    /// `f(x)` for the column `f` of the row `x`.
    fn column_as_call(
        &mut self,
        place: QualifiedName<'_>,
        arguments: &CallArguments<'_>,
    ) -> Option<InferredType> {
        let (QualifiedName::Path(name), true, Some(row)) =
            (place, arguments.plain, arguments.given.first())
        else {
            return None;
        };
        let fields = self.fields(row)?;
        let field = fields.into_iter().find(|field| *field.name == *name)?;
        Some(field.inferred)
    }
}

impl TypeRules<'_> {
    /// What a call may mean.
    fn meant(self, place: QualifiedName<'_>, arguments: &CallArguments<'_>) -> CallMeaning {
        let actual: Vec<ActualType> = arguments
            .given
            .iter()
            .map(|given| given.actual(self))
            .collect();
        let shape = CallShape {
            arguments: actual.len(),
            names: &arguments.names,
            variadic: arguments.variadic,
        };
        let candidates = self.function_candidates(place, shape);
        if !actual.contains(&ActualType::Unclear)
            && let Some(exact) = self.exact(&candidates, &actual)
        {
            return CallMeaning::function(exact.clone());
        }
        let cast = match (actual.as_slice(), arguments.names.is_empty()) {
            ([one], true) => self.meant_cast(place, *one, arguments.literal),
            _ => CastMeaning::No,
        };
        let (cast, functions) = match cast {
            CastMeaning::Certainly(target) => return CallMeaning::cast(target),
            CastMeaning::Possibly(target) => (Some(target), candidates),
            CastMeaning::No => (None, candidates),
        };
        let all = functions.iter().flat_map(|found| found.functions.clone());
        let all: Vec<FunctionId> = all.collect();
        let functions = self.choose(functions, &actual);
        let fits = cast.is_some() || !functions.is_empty();
        CallMeaning {
            cast,
            functions,
            unfit: if fits { Vec::new() } else { all },
        }
    }

    /// The candidate that declares exactly the types of the arguments.
    fn exact<'c>(
        self,
        candidates: &'c [FunctionCandidate],
        actual: &[ActualType],
    ) -> Option<&'c FunctionCandidate> {
        let unknown = self.builtin(type_oid::UNKNOWN);
        let same = |declared: &TypeId, actual: &ActualType| match actual {
            ActualType::Type(id) => declared == id,
            ActualType::Unknown => Some(*declared) == unknown,
            ActualType::Unclear => false,
        };
        candidates.iter().find(|candidate| {
            let mut pairs = candidate.declared.iter().zip(actual);
            pairs.all(|(declared, actual)| same(declared, actual))
        })
    }
}

/// The first server that has a function for EXTRACT; an older one calls `date_part`.
const EXTRACT_SINCE: u16 = 14;

/// The first server whose grammar knows JSON_OBJECT.
const JSON_OBJECT_SINCE: u16 = 16;

impl CallMeaning {
    fn function(candidate: FunctionCandidate) -> Self {
        Self {
            cast: None,
            functions: vec![candidate],
            unfit: Vec::new(),
        }
    }

    fn cast(target: TypeId) -> Self {
        Self {
            cast: Some(target),
            functions: Vec::new(),
            unfit: Vec::new(),
        }
    }
}

impl ResolvedCall {
    fn unclear() -> Self {
        Self {
            candidates: Vec::new(),
            inferred: InferredType::Unclear,
        }
    }
}
