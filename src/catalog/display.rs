//! How objects are called in what people read: refusals, notices, reports.
//!
//! As Postgres calls them: `shop.orders`, `shop.f(integer, text)`. Names of pg_catalog stand alone;
//! all others are qualified, whatever the search_path.

use super::quote::quoted;
use super::{Catalog, FunctionId, NameId, OperatorId, RelationId, SchemaId, SchemaKind, TypeId};

impl Catalog {
    /// A schema: `shop`.
    pub fn schema_name(&self, schema: SchemaId) -> String {
        quoted(self.names.text(self.schema(schema).name)).into_owned()
    }

    /// A relation: `shop.orders`.
    pub fn relation_name(&self, relation: RelationId) -> String {
        let relation = self.relation(relation);
        self.qualified(relation.schema, relation.name)
    }

    /// A function without its arguments: `shop.f`.
    pub fn function_name(&self, function: FunctionId) -> String {
        let function = self.function(function);
        self.qualified(function.schema, function.name)
    }

    /// A function with the types of its arguments: `shop.f(integer, text)`.
    pub fn function_signature(&self, function: FunctionId) -> String {
        let arguments = self.function(function).arguments.iter();
        let arguments: Vec<String> = arguments.map(|id| self.type_name(*id)).collect();
        format!("{}({})", self.function_name(function), arguments.join(", "))
    }

    /// An operator with the types of its sides: `shop.===(integer, text)`, `-(NONE, integer)`.
    pub fn operator_signature(&self, operator: OperatorId) -> String {
        let operator = self.operator(operator);
        let side = |id: Option<TypeId>| id.map_or("NONE".into(), |id| self.type_name(id));
        let symbol = self.names.text(operator.name);
        let (left, right) = (side(operator.left), side(operator.right));
        if self.schema(operator.schema).kind == SchemaKind::Catalog {
            return format!("{symbol}({left}, {right})");
        }
        format!(
            "{}.{symbol}({left}, {right})",
            self.schema_name(operator.schema)
        )
    }

    /// A type as `format_type` spells it: `integer`, `character varying`, `shop.mood[]`.
    pub fn type_name(&self, data_type: TypeId) -> String {
        let mut one = self.data_type(data_type);
        let mut brackets = "";
        // An array of arrays does not exist: one step is all. An oidvector is an array, too, but
        // not the one of its elements.
        if let Some(element) = one.element.filter(|_| one.is_array)
            && self.data_type(element).array == Some(data_type)
        {
            (one, brackets) = (self.data_type(element), "[]");
        }
        let name = match spelling(one.oid.0) {
            Some(spelling) => spelling.into(),
            None => self.qualified(one.schema, one.name),
        };
        format!("{name}{brackets}")
    }

    fn qualified(&self, schema: SchemaId, name: NameId) -> String {
        let name = quoted(self.names.text(name));
        if self.schema(schema).kind == SchemaKind::Catalog {
            return name.into_owned();
        }
        format!("{}.{name}", self.schema_name(schema))
    }
}

/// The types that SQL calls by keywords, by their oids (format_type_extended in
/// utils/adt/format_type.c).
fn spelling(oid: u32) -> Option<&'static str> {
    Some(match oid {
        16 => "boolean",
        20 => "bigint",
        21 => "smallint",
        23 => "integer",
        114 => "json",
        700 => "real",
        701 => "double precision",
        1_042 => "character",
        1_043 => "character varying",
        1_083 => "time without time zone",
        1_114 => "timestamp without time zone",
        1_184 => "timestamp with time zone",
        1_186 => "interval",
        1_266 => "time with time zone",
        1_560 => "bit",
        1_562 => "bit varying",
        1_700 => "numeric",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::fixture::CatalogFixture;

    #[test]
    fn objects_are_called_as_postgres_calls_them() {
        let catalog = CatalogFixture::new(15)
            .schema("shop")
            .schema("My shop")
            .table("shop.order", "id int4")
            .table("My shop.orders", "id int4")
            .enumeration("shop.mood")
            .function(
                "shop.f(int4, b text = default, variadic varchar[])",
                "stable",
            )
            .function(
                "My shop.F(shop.mood, shop.mood[], timestamptz, char)",
                "stable",
            )
            .operator("shop.=== (int4, text) bool", "texteq(text, text)")
            .operator("shop.! (int4) bool", "texteq(text, text)")
            .build();
        let relation = |name| catalog.relation_name(catalog.relation_called(name));
        assert_eq!(relation("shop.order"), "shop.\"order\"");
        assert_eq!(relation("My shop.orders"), "\"My shop\".orders");
        assert_eq!(relation("pg_class"), "pg_class");
        assert_eq!(
            relation("information_schema.tables"),
            "information_schema.tables"
        );
        let function = |text| catalog.function_signature(catalog.function_called(text));
        assert_eq!(
            function("shop.f(int4, text, varchar[])"),
            "shop.f(integer, text, character varying[])"
        );
        assert_eq!(
            function("My shop.F(shop.mood, shop.mood[], timestamptz, char)"),
            "\"My shop\".\"F\"(shop.mood, shop.mood[], timestamp with time zone, \"char\")"
        );
        assert_eq!(
            function("pg_advisory_lock(int8)"),
            "pg_advisory_lock(bigint)"
        );
        assert_eq!(function("now()"), "now()");
        let operator = |text| catalog.operator_signature(catalog.operator_called(text));
        assert_eq!(operator("shop.=== (int4, text)"), "shop.===(integer, text)");
        assert_eq!(operator("shop.! (int4)"), "shop.!(NONE, integer)");
        assert_eq!(operator("+ (int4, int4)"), "+(integer, integer)");
        let data_type = |name| catalog.type_name(catalog.type_called(name));
        assert_eq!(data_type("any"), "\"any\"");
        assert_eq!(data_type("point"), "point");
        assert_eq!(data_type("bpchar[]"), "character[]");
        assert_eq!(data_type("shop.mood[]"), "shop.mood[]");
        // A name is read one letter at a time, but it is no array in the full sense.
        assert_eq!(data_type("name"), "name");
        assert_eq!(data_type("oidvector"), "oidvector");
        assert_eq!(data_type("numeric"), "numeric");
    }
}
