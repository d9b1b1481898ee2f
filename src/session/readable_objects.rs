//! What a session may read and call: what the gate answers for a statement that does just that.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::catalog::{
    Catalog, Function, FunctionId, FunctionKind, RelationId, SchemaKind, TypeId, TypeKind, quoted,
};
use crate::gate::{Gate, SessionNames, Verdict};

/// What a session may read and call.
pub struct ReadableObjects<'g> {
    /// The gate that judges its statements.
    pub gate: &'g Gate,
    /// The session.
    pub names: &'g SessionNames,
    /// Its database.
    pub catalog: &'g Catalog,
}

impl ReadableObjects<'_> {
    /// Whether these columns of a relation may be read together.
    pub fn reads(&self, id: RelationId, columns: &[&str]) -> bool {
        self.permits(&selection(self.catalog, id, columns))
    }

    /// Functions and aggregates of users that may be called, but for those of extensions: what an
    /// extension brings is documented by it.
    pub fn callable(&self) -> Vec<FunctionId> {
        let role = self.catalog.role_named(self.names.role());
        let rights = self.catalog.rights_of(role);
        let functions = self.catalog.functions().filter(|(id, function)| {
            let schema = self.catalog.schema(function.schema);
            let is_of_user = schema.kind == SchemaKind::Ordinary && !function.of_extension();
            is_of_user && rights.sees_function(*id)
        });
        let called = functions.filter(|(id, _)| self.calls(*id));
        called.map(|(id, _)| id).collect()
    }

    /// Whether a function may be called.
    pub fn calls(&self, id: FunctionId) -> bool {
        let call = self.call(id, self.catalog.function(id));
        call.is_some_and(|call| self.permits(&call))
    }

    /// Whether a text may run and names nothing but what the role may read. The gate has to record
    /// columns ([`Gate::recording_columns`]); what it cannot tell counts as not so.
    pub fn runs(&self, text: &str) -> bool {
        let judgement = self.gate.judge(Cow::Borrowed(text), self.names);
        let Some(named) = &judgement.facts.named_objects else {
            return false;
        };
        let rights = self
            .catalog
            .rights_of(self.catalog.role_named(self.names.role()));
        let mut readable = HashSet::new();
        for (id, _) in self
            .catalog
            .relations()
            .filter(|(id, _)| rights.sees_relation(*id))
        {
            let relation = self.catalog.relation_name(id);
            for column in self.catalog.columns_of(id) {
                if rights.may_read_column(id, column) {
                    let name = self.catalog.names().text(column.name);
                    readable.insert(format!("{relation}.{}", quoted(name)));
                }
            }
            if rights.may_read(id) {
                readable.insert(format!("{relation}.*"));
            }
            readable.insert(relation);
        }
        for model in self.gate.policy().models() {
            let (schema, name) = (quoted(&model.schema), quoted(&model.name));
            readable.insert(format!("{schema}.{name}"));
        }
        let mut names = named.relations.iter().chain(&named.columns);
        !matches!(judgement.verdict, Verdict::Refused(_))
            && names.all(|name| readable.contains(&**name))
    }

    fn permits(&self, text: &str) -> bool {
        let judgement = self.gate.judge(Cow::Borrowed(text), self.names);
        matches!(judgement.verdict, Verdict::Permitted(_))
    }

    /// A statement that calls a function with NULLs; none where it cannot be called so.
    fn call(&self, id: FunctionId, function: &Function) -> Option<String> {
        match &function.kind {
            FunctionKind::Procedure => return None,
            FunctionKind::Aggregate {
                direct_arguments: Some(_),
                ..
            } => return None,
            FunctionKind::Plain | FunctionKind::Window | FunctionKind::Aggregate { .. } => {}
        }
        let arguments = function
            .arguments
            .iter()
            .map(|data_type| self.null(*data_type));
        let arguments: Option<Vec<String>> = arguments.collect();
        let returns = self.catalog.data_type(function.returns);
        let is_hook = matches!(returns.kind, TypeKind::Pseudo)
            && matches!(
                self.catalog.names().text(returns.name),
                "trigger" | "event_trigger"
            );
        let window = match function.kind {
            FunctionKind::Window => " OVER ()",
            _ => "",
        };
        let variadic = if function.variadic.is_some() {
            "VARIADIC "
        } else {
            ""
        };
        let mut arguments = arguments?;
        if let Some(last) = arguments.last_mut() {
            last.insert_str(0, variadic);
        }
        let name = self.catalog.function_name(id);
        (!is_hook).then(|| format!("SELECT {name}({}){window}", arguments.join(", ")))
    }

    /// A NULL of a type; of one that the type stands for, where it is polymorphic.
    fn null(&self, data_type: TypeId) -> Option<String> {
        let own = self.catalog.data_type(data_type);
        let name = self.catalog.names().text(own.name);
        match (&own.kind, name) {
            (TypeKind::Pseudo, "anyarray" | "anycompatiblearray") => Some("NULL::integer[]".into()),
            (TypeKind::Pseudo, "anyelement" | "anynonarray" | "anycompatible" | "any") => {
                Some("NULL::integer".into())
            }
            (TypeKind::Pseudo, _) => None,
            _ => Some(format!("NULL::{}", self.catalog.type_name(data_type))),
        }
    }
}

/// A statement that reads columns of a relation.
pub fn selection(catalog: &Catalog, id: RelationId, columns: &[&str]) -> String {
    let columns: Vec<Cow<'_, str>> = columns.iter().map(|column| quoted(column)).collect();
    format!(
        "SELECT {} FROM {}",
        columns.join(", "),
        catalog.relation_name(id)
    )
}
