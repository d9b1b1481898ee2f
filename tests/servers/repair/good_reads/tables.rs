//! The tables that random reads are about, as the server tells them.

use crate::repair::dialects::grammar::Dice;
use crate::support::RawClient;
use crate::support::raw::values;

/// All of them, by schema.
pub struct Tables {
    schemas: Vec<String>,
    tables: Vec<Table>,
}

/// One of them.
pub struct Table {
    pub schema: String,
    /// Its name as it is to be written.
    pub name: String,
    pub columns: Vec<Column>,
    pub keys: Vec<ForeignKey>,
}

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name, as it is to be written.
    pub name: String,
    pub kind: ValueKind,
}

/// A key of one column that leads to another table.
pub struct ForeignKey {
    pub column: String,
    pub table: String,
    pub to: String,
}

/// Which expressions a value stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    Whole,
    Number,
    Text,
    Day,
    Moment,
    Truth,
    Json,
    Texts,
    /// It is only shown, counted and grouped by.
    Other,
}

impl Tables {
    /// Asks a server.
    pub fn of(client: &mut RawClient) -> Self {
        let mut tables: Vec<Table> = Vec::new();
        for row in values(&client.query(COLUMNS)) {
            let [schema, name, column, kind] = row.try_into().expect("four columns");
            let column = Column {
                name: column,
                kind: ValueKind::of(&kind),
            };
            match tables.last_mut() {
                Some(last) if last.schema == schema && last.name == name => {
                    last.columns.push(column);
                }
                _ => tables.push(Table {
                    schema,
                    name,
                    columns: vec![column],
                    keys: Vec::new(),
                }),
            }
        }
        for row in values(&client.query(KEYS)) {
            let [schema, name, column, table, to] = row.try_into().expect("five columns");
            let mut own = tables.iter_mut();
            let own = own.find(|one| one.schema == schema && one.name == name);
            let key = ForeignKey { column, table, to };
            own.expect("a table that was seen").keys.push(key);
        }
        let mut schemas: Vec<String> = tables.iter().map(|one| one.schema.clone()).collect();
        schemas.dedup();
        assert!(schemas.len() > 20, "{schemas:?}");
        Self { schemas, tables }
    }

    /// One of the schemas.
    pub fn any_schema(&self, dice: &mut Dice) -> &str {
        &self.schemas[dice.roll(self.schemas.len())]
    }

    /// A table of a schema.
    pub fn any_table(&self, schema: &str, dice: &mut Dice) -> &Table {
        let of_it: Vec<&Table> = (self.tables.iter())
            .filter(|one| one.schema == schema)
            .collect();
        of_it[dice.roll(of_it.len())]
    }

    /// The table of a name in a schema.
    pub fn table(&self, schema: &str, name: &str) -> &Table {
        let mut tables = self.tables.iter();
        let found = tables.find(|one| one.schema == schema && one.name == name);
        found.unwrap_or_else(|| panic!("{schema}.{name}"))
    }
}

impl ValueKind {
    fn of(name: &str) -> Self {
        match name.split('(').next().unwrap_or_default() {
            "integer" | "bigint" | "smallint" => Self::Whole,
            "numeric" | "double precision" | "real" => Self::Number,
            "text" | "character varying" => Self::Text,
            "date" => Self::Day,
            "timestamp without time zone" | "timestamp with time zone" => Self::Moment,
            "boolean" => Self::Truth,
            "jsonb" => Self::Json,
            "text[]" => Self::Texts,
            _ => Self::Other,
        }
    }
}

/// All but the shop's view that takes a lock, which is refused.
const COLUMNS: &str = "
    SELECT n.nspname, quote_ident(c.relname), quote_ident(a.attname), format_type(a.atttypid, NULL)
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relkind IN ('r', 'v', 'p') AND n.nspname !~ '^pg_|^information_schema$'
      AND c.relname <> 'call_list'
    ORDER BY n.nspname, c.relname, a.attnum";

const KEYS: &str = "
    SELECT n.nspname, quote_ident(c.relname), quote_ident(a.attname), quote_ident(o.relname),
      quote_ident(b.attname)
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
      JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_class o ON o.oid = k.confrelid AND o.relnamespace = c.relnamespace
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
      JOIN pg_attribute b ON b.attrelid = o.oid AND b.attnum = k.confkey[1]
    WHERE k.contype = 'f' AND array_length(k.conkey, 1) = 1
    ORDER BY n.nspname, c.relname, k.conname";
