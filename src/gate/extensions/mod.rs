//! What a call of a function of a well-known extension may do: a table, like that of the built-ins.
//!
//! A name proves nothing here: whoever may make functions may give them any name, and whoever owns
//! an extension may make his own functions members of it. So a function is what the table says only
//! where its extension, its library and its name in there are those of a line: functions in C are
//! made by superusers alone, and nobody else can change which code they run. What is not written in
//! C has a line by its name; such a line vouches for nothing. It says that the function is judged
//! by what it runs, whatever its owner says of it and although a built-in has its name, and it
//! holds where a superuser owns it, as all that CREATE EXTENSION makes for others is.
//!
//! What the table says against a function counts wherever the code of it is: who gives `crosstab` a
//! name of his own has made a function that runs SQL in a string.
//!
//! Functions that take values of the type `internal` need no line: no statement can call them.
//!
//! <https://www.postgresql.org/docs/current/contrib.html>,
//! <https://www.postgresql.org/docs/current/xfunc-c.html>

mod table;

use super::functions::BuiltinEffect;
use catalog::{Catalog, Function, FunctionKind, FunctionLanguage};
use policy::Policy;

/// What is known of a function of an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtensionVerdict {
    /// Computes a value or reads; nothing is different afterwards.
    Allowed {
        /// What it reads.
        reads: FunctionReads,
    },
    /// Changes something outside its result, or reaches what a read has no business with.
    Effects {
        /// What it changes or reaches.
        why: BuiltinEffect,
    },
    /// Runs a string, or what it puts together from strings, as SQL.
    RunsSql,
    /// Runs its string as SQL and nothing else: where that is a literal it can be judged.
    RunsLiteral,
    /// It is judged by all that it runs.
    Followed,
}

/// What a function reads beside its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionReads {
    /// Nothing, or what everybody may know.
    Nobody,
    /// Rows, pages, log records or texts of statements, whatever a policy hides.
    Anybody,
}

/// What the table says of a function, if anything.
pub fn verdict(catalog: &Catalog, function: &Function) -> Option<ExtensionVerdict> {
    match (function.language, function.code.as_deref()) {
        (FunctionLanguage::C, Some(code)) => {
            let line = table::of_code(base_name(&code.library), &code.symbol)?;
            let is_itself = function.extension.as_deref() == Some(line.extension)
                && of_server(&code.library) == Some(line.library);
            match line.verdict {
                ExtensionVerdict::Allowed { .. } | ExtensionVerdict::Followed if !is_itself => None,
                // Nobody can say that of a copy: its arguments may be others.
                ExtensionVerdict::RunsLiteral if !is_itself => Some(ExtensionVerdict::RunsSql),
                verdict => Some(verdict),
            }
        }
        (FunctionLanguage::Sql | FunctionLanguage::Internal, None) => {
            let owner = catalog.role(function.owner?);
            let verdict = table::of_name(
                function.extension.as_deref()?,
                catalog.names().text(function.name),
            )?;
            owner.superuser.then_some(verdict)
        }
        (
            FunctionLanguage::C
            | FunctionLanguage::Sql
            | FunctionLanguage::Internal
            | FunctionLanguage::Other(_),
            _,
        ) => None,
    }
}

/// The same where the policy lets the table speak for a function. What it says against one counts
/// in any case.
pub(super) fn verdict_under(
    catalog: &Catalog,
    policy: &Policy,
    function: &Function,
) -> Option<ExtensionVerdict> {
    let speaks_for = policy.knows_extensions() && is_as_made(function);
    match verdict(catalog, function)? {
        against @ (ExtensionVerdict::Effects { .. } | ExtensionVerdict::RunsSql) => Some(against),
        verdict if speaks_for => Some(verdict),
        ExtensionVerdict::RunsLiteral => Some(ExtensionVerdict::RunsSql),
        ExtensionVerdict::Allowed { .. } | ExtensionVerdict::Followed => None,
    }
}

/// Whether the table vouches for a function, whatever its owner says of it.
pub(super) fn is_allowed(catalog: &Catalog, function: &Function) -> bool {
    is_as_made(function)
        && matches!(
            verdict(catalog, function),
            Some(ExtensionVerdict::Allowed { .. } | ExtensionVerdict::RunsLiteral)
        )
}

/// Whether a function reads what a policy may hide.
pub(super) fn reads_anything(catalog: &Catalog, function: &Function) -> bool {
    matches!(
        verdict(catalog, function),
        Some(ExtensionVerdict::Allowed {
            reads: FunctionReads::Anybody
        })
    )
}

/// Whether a function runs the dictionaries of text search that it is given.
pub(super) fn searches_text(function: &Function) -> bool {
    let code = function.code.as_deref();
    code.is_some_and(|code| {
        base_name(&code.library) == "unaccent" && &*code.symbol == "unaccent_dict"
    })
}

/// Whether it can be used as a sampling method: the functions of two extensions are nothing else.
pub(super) fn is_sampling_method(function: &Function) -> bool {
    let code = function.code.as_deref();
    function.language == FunctionLanguage::C
        && code.is_some_and(|code| {
            SAMPLING_METHODS.iter().any(|(extension, symbol)| {
                function.extension.as_deref() == Some(extension)
                    && of_server(&code.library) == Some(extension)
                    && *code.symbol == **symbol
            })
        })
}

/// Whether an owner has added nothing to it that changes what it does: other rights, settings.
fn is_as_made(function: &Function) -> bool {
    !function.security_definer
        && function.settings.is_empty()
        && !matches!(function.kind, FunctionKind::Procedure)
}

/// The name of a library that the server keeps with its own, without its version.
fn of_server(library: &str) -> Option<&str> {
    library.strip_prefix(OWN_LIBRARIES).map(without_version)
}

/// A library's name without its folder, its version and what systems put behind it.
fn base_name(library: &str) -> &str {
    let file = library.rsplit('/').next().unwrap_or(library);
    let known = [".so", ".dylib", ".dll"].into_iter();
    let mut without = known.filter_map(|end| file.strip_suffix(end));
    without_version(without.next().unwrap_or(file))
}

/// `postgis-3` and `timescaledb-2.14.2` are one library in all their versions.
fn without_version(name: &str) -> &str {
    let mut dashes = name.match_indices('-');
    let version = dashes.find(|(at, _)| {
        let rest = name.get(at + 1..).unwrap_or_default();
        rest.starts_with(|letter: char| letter.is_ascii_digit())
    });
    let end = version.map_or(name.len(), |(at, _)| at);
    name.get(..end).unwrap_or(name)
}

/// Where the server keeps its libraries, as extensions say it: only who keeps the machine writes
/// there.
const OWN_LIBRARIES: &str = "$libdir/";

/// The extensions that bring one, which are named as their libraries, with the function in those.
const SAMPLING_METHODS: &[(&str, &str)] = &[
    ("tsm_system_rows", "tsm_system_rows_handler"),
    ("tsm_system_time", "tsm_system_time_handler"),
];

#[cfg(test)]
mod tests;
