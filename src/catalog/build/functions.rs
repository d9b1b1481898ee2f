//! Functions, aggregates, window functions and procedures.

use std::collections::HashSet;
use std::sync::Arc;

use super::oids::BuiltObject;
use super::{BuildError, CatalogBuilder};
use crate::catalog_rows::FunctionRow;
use crate::{
    Function, FunctionKind, FunctionLanguage, LibraryCode, NameId, ObjectKind, Oid,
    StoredReferences, TypeId, Volatility,
};

/// A column of a function's result.
type OutColumn = (Option<NameId>, TypeId);

impl CatalogBuilder {
    /// All functions.
    pub(super) fn functions(
        &mut self,
        rows: Vec<FunctionRow>,
    ) -> Result<Vec<Function>, BuildError> {
        let mut shared = SharedTexts::default();
        let rows = rows.into_iter();
        rows.map(|row| self.function(row, &mut shared)).collect()
    }

    fn function(
        &mut self,
        row: FunctionRow,
        shared: &mut SharedTexts,
    ) -> Result<Function, BuildError> {
        let of = BuiltObject {
            kind: ObjectKind::Function,
            oid: row.oid,
        };
        let language = self.language(&row.language);
        let arguments: Result<Box<[TypeId]>, BuildError> = row
            .arguments
            .iter()
            .map(|oid| self.oids.data_type(of, *oid))
            .collect();
        let bodies = row.bodies.iter().map(|tree| StoredReferences::read(tree));
        Ok(Function {
            oid: Oid(row.oid),
            schema: self.schema(of, row.schema)?,
            name: self.names.keep(&row.name),
            kind: self.function_kind(of, &row)?,
            volatility: match row.volatility {
                b'i' => Volatility::Immutable,
                b's' => Volatility::Stable,
                b'v' => Volatility::Volatile,
                letter => return Err(of.has_letter(letter)),
            },
            security_definer: row.security_definer,
            language,
            extension: row.extension.as_deref().map(|name| shared.keep(name)),
            code: row.code.as_ref().map(|(library, symbol)| {
                Box::new(LibraryCode {
                    library: shared.keep(library),
                    symbol: symbol.as_str().into(),
                })
            }),
            arguments: arguments?,
            argument_names: self.argument_names(&row),
            defaults: row.defaults,
            variadic: self.oids.data_type_or_none(of, row.variadic)?,
            returns: self.oids.data_type(of, row.returns)?,
            returns_set: row.returns_set,
            out_columns: self.out_columns(of, &row)?,
            settings: row
                .settings
                .iter()
                .map(|name| self.names.keep(name))
                .collect(),
            body: (!row.bodies.is_empty()).then(|| Box::new(StoredReferences::join(bodies))),
            text: row.text.map(Into::into),
            search_path: row.search_path.map(Into::into),
            owner: self.oids.role(row.owner),
            acl: self.rights.keep(&self.oids, row.acl),
        })
    }

    fn function_kind(
        &self,
        of: BuiltObject,
        row: &FunctionRow,
    ) -> Result<FunctionKind, BuildError> {
        Ok(match row.kind {
            b'f' => FunctionKind::Plain,
            b'w' => FunctionKind::Window,
            b'p' => FunctionKind::Procedure,
            b'a' => FunctionKind::Aggregate {
                parts: self.oids.functions(of, &row.parts)?,
                sort_operator: self.oids.operator_or_none(of, row.sort_operator)?,
                direct_arguments: match row.aggregate_kind {
                    b'n' => None,
                    b'o' | b'h' => Some(row.direct_arguments),
                    letter => return Err(of.has_letter(letter)),
                },
            },
            letter => return Err(of.has_letter(letter)),
        })
    }

    fn language(&mut self, name: &str) -> FunctionLanguage {
        match name {
            "internal" => FunctionLanguage::Internal,
            "c" => FunctionLanguage::C,
            "sql" => FunctionLanguage::Sql,
            other => FunctionLanguage::Other(self.names.keep(other)),
        }
    }

    /// The names of its input arguments, or nothing where none has one.
    fn argument_names(&mut self, row: &FunctionRow) -> Box<[Option<NameId>]> {
        let mut names = Vec::with_capacity(row.arguments.len());
        // Without modes all arguments are for input.
        let modes = row.modes.iter().copied().chain(std::iter::repeat(b'i'));
        for (name, mode) in row.names.iter().zip(modes) {
            if matches!(mode, b'i' | b'b' | b'v') {
                names.push((!name.is_empty()).then(|| self.names.keep(name)));
            }
        }
        if names.iter().all(Option::is_none) {
            return Box::default();
        }
        names.resize(row.arguments.len(), None);
        names.into()
    }

    /// The columns that OUT, INOUT and TABLE arguments make.
    fn out_columns(
        &mut self,
        of: BuiltObject,
        row: &FunctionRow,
    ) -> Result<Box<[OutColumn]>, BuildError> {
        let mut columns = Vec::new();
        let names = row
            .names
            .iter()
            .map(String::as_str)
            .chain(std::iter::repeat(""));
        for ((oid, mode), name) in row.all_arguments.iter().zip(&row.modes).zip(names) {
            match mode {
                b'o' | b'b' | b't' => {
                    let name = (!name.is_empty()).then(|| self.names.keep(name));
                    columns.push((name, self.oids.data_type(of, *oid)?));
                }
                b'i' | b'v' => {}
                letter => return Err(of.has_letter(*letter)),
            }
        }
        Ok(columns.into())
    }
}

/// Texts that many functions have, each once.
#[derive(Default)]
struct SharedTexts(HashSet<Arc<str>>);

impl SharedTexts {
    fn keep(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return Arc::clone(known);
        }
        let text: Arc<str> = text.into();
        self.0.insert(Arc::clone(&text));
        text
    }
}
