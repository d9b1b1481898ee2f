//! The words that the conditions of this folder are written in, and the SQL that they stand for.
//!
//! `@class(x.oid)` is a call of a word: its SQL, with what stands in the parentheses in the place
//! of `%1`, `%2`. Comparisons are written plainly here and come out with the schema of their
//! operator, so that nothing of a client's means anything in them. Each word that reads a catalog
//! calls it by a name of its own: what stands in the parentheses is never about that. The lists of
//! what is shown are columns of `l` ([`lists`]). OFFSET 0 has the planner plan each EXISTS once:
//! in one another it would plan each in two ways.

use super::lists;

/// The SQL of a condition.
pub(super) fn sql(condition: &str) -> String {
    let mut text = expanded(condition, WORDS_NESTED_MAX);
    for operator in ["=", "<", "<=", "*", "+"] {
        let qualified = format!(" OPERATOR(pg_catalog.{operator}) ");
        text = text.replace(&format!(" {operator} "), &qualified);
    }
    text
}

/// What stands in FROM for the lists that a SQL text names.
pub(super) fn lists(sql: &str) -> Option<String> {
    let named = LISTS
        .iter()
        .filter(|(name, _)| sql.contains(&format!("l.{name}")));
    let columns: Vec<String> = named
        .map(|(name, of)| format!("CAST('{{:{name}}}' AS pg_catalog.{of}) AS {name}"))
        .collect();
    (!columns.is_empty()).then(|| format!("(SELECT {}) AS l", columns.join(", ")))
}

fn expanded(condition: &str, depth: usize) -> String {
    let mut text = String::new();
    let mut rest = condition;
    while let Some((before, behind)) = rest.split_once('@') {
        text.push_str(before);
        let called = called(behind).zip(depth.checked_sub(1));
        let Some(((word, arguments, behind), depth)) = called else {
            // The server takes no such operator: a word that is not known refuses.
            text.push_str("@ ");
            rest = behind;
            continue;
        };
        let arguments: Vec<String> = arguments
            .iter()
            .map(|argument| expanded(argument, depth))
            .collect();
        let mut own = word.to_owned();
        for (place, argument) in arguments.iter().enumerate() {
            own = own.replace(&format!("%{}", place + 1), argument);
        }
        text.push_str(&expanded(&own, depth));
        rest = behind;
    }
    text.push_str(rest);
    text
}

/// The SQL of the word that a text begins with, its arguments, and what follows.
fn called(text: &str) -> Option<(&'static str, Vec<&str>, &str)> {
    let (name, behind) = text.split_once('(')?;
    let (_, word) = WORDS.iter().find(|(own, _)| *own == name)?;
    let mut depth = 0_usize;
    let mut start = 0;
    let mut arguments = Vec::new();
    for (at, letter) in behind.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 0 => {
                arguments.push(behind.get(start..at)?.trim());
                return Some((word, arguments, behind.get(at + 1..)?));
            }
            ')' => depth -= 1,
            ',' if depth == 0 => {
                arguments.push(behind.get(start..at)?.trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

/// The lists, and the types of their arrays.
const LISTS: &[(&str, &str)] = &[
    (lists::RELATIONS, "_oid"),
    (lists::PARTIAL, "_oid"),
    (lists::SEQUENCES, "_oid"),
    (lists::COLUMNS, "_int8"),
    (lists::FUNCTIONS, "_oid"),
    (lists::TYPES, "_oid"),
    (lists::SCHEMAS, "_oid"),
    (lists::MASKED, "_int8"),
    (lists::NULLED, "_int8"),
    (lists::DOMAINS, "_int8"),
    (lists::BASES, "_oid"),
];

/// How deep words stand in words.
const WORDS_NESTED_MAX: usize = 16;

/// The words. The numbers are those of catalogs: 1247 pg_type, 1255 pg_proc, 1259 pg_class, 2606
/// pg_constraint, 2615 pg_namespace, 2618 pg_rewrite, 3602 pg_ts_config and so on.
///
/// <https://www.postgresql.org/docs/current/catalog-pg-depend.html>
#[rustfmt::skip]
const WORDS: &[(&str, &str)] = &[
    // It came with the server.
    ("own", "(CAST(%1 AS pg_catalog.oid) < '16384')"),
    // A table, view, foreign table or composite type that is shown; and one with all its columns.
    ("listed", "(CAST(%1 AS pg_catalog.oid) = ANY (l.relations))"),
    ("whole", "(@listed(%1) AND NOT (CAST(%1 AS pg_catalog.oid) = ANY (l.partial)))"),
    ("function", "(@own(%1) OR CAST(%1 AS pg_catalog.oid) = ANY (l.functions))"),
    ("type", "(@own(%1) OR CAST(%1 AS pg_catalog.oid) = ANY (l.types))"),
    ("schema", "(@own(%1) OR CAST(%1 AS pg_catalog.oid) = ANY (l.schemas))"),
    // A column as one number.
    ("number", "((CAST(CAST(%1 AS pg_catalog.oid) AS pg_catalog.int8) * '65536') + CAST(%2 AS pg_catalog.int8))"),
    // A column with a mask, and one that is read as NULL.
    ("masked", "(@number(%1, %2) = ANY (l.masked))"),
    ("nulled", "(@number(%1, %2) = ANY (l.nulled))"),
    // A column of what is listed.
    ("column", "(CAST(%2 AS pg_catalog.int8) <= '0' OR @own(%1) OR pg_catalog.mod(pg_catalog.width_bucket(@number(%1, %2), l.columns), 2) = 1)"),
    // A sequence: its owner is shown, or it has none.
    ("sequence", "(EXISTS (SELECT FROM pg_catalog.pg_depend s WHERE @owner(s, %1) AND @listed(s.refobjid) AND @column(s.refobjid, s.refobjsubid) OFFSET 0) OR CAST(%1 AS pg_catalog.oid) = ANY (l.sequences) AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend s WHERE @owner(s, %1) OFFSET 0))"),
    ("owner", "%1.classid = '1259' AND %1.objid = %2 AND %1.refclassid = '1259' AND (%1.deptype = 'a' OR %1.deptype = 'i')"),
    // Anything of pg_class.
    ("class", "(@own(%1) OR @listed(%1) OR EXISTS (SELECT FROM pg_catalog.pg_class k WHERE k.oid = CAST(%1 AS pg_catalog.oid) AND ((k.relkind = 'i' OR k.relkind = 'I') AND EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indexrelid = k.oid AND @listed(i.indrelid) OFFSET 0) AND @refs('1259', k.oid) OR k.relkind = 'S' AND @sequence(k.oid)) OFFSET 0))"),
    ("attribute", "CASE WHEN @listed(%1) THEN @column(%1, %2) ELSE @class(%1) END"),
    // What an object refers to is shown: what it depends on, and what that depends on. What a
    // constraint or a definition names is there.
    ("refs", "(@own(%2) OR NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = %1 AND d.objid = %2 AND NOT @own(d.refobjid) AND NOT (CASE WHEN d.refclassid = '1259' THEN @ref(d.refobjid, d.refobjsubid) ELSE @other(d) END) OFFSET 0))"),
    ("ref", "(@listed(%1) AND @column(%1, %2) OR @related(%1))"),
    // The same for texts of queries, which may name columns that nothing depends on.
    ("wholly", "(@own(%2) OR NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = %1 AND d.objid = %2 AND NOT @own(d.refobjid) AND NOT (CASE WHEN d.refclassid = '1259' THEN @whole(d.refobjid) OR @related(d.refobjid) ELSE @other(d) END) OFFSET 0))"),
    ("related", "EXISTS (SELECT FROM pg_catalog.pg_class r WHERE r.oid = %1 AND (r.relkind = 'i' OR r.relkind = 'I' OR r.relkind = 'S' AND @sequence(r.oid)) OFFSET 0)"),
    ("other", "CASE WHEN %1.refclassid = '1255' THEN @function(%1.refobjid) WHEN %1.refclassid = '1247' THEN @type(%1.refobjid) WHEN %1.refclassid = '2615' THEN @schema(%1.refobjid) ELSE NOT EXISTS (SELECT FROM pg_catalog.pg_depend e WHERE e.classid = %1.refclassid AND e.objid = %1.refobjid AND NOT @own(e.refobjid) AND NOT (CASE WHEN e.refclassid = '1259' THEN @ref(e.refobjid, e.refobjsubid) WHEN e.refclassid = '1255' THEN @function(e.refobjid) WHEN e.refclassid = '1247' THEN @type(e.refobjid) WHEN e.refclassid = '2615' THEN @schema(e.refobjid) ELSE true END) OFFSET 0) END"),
    // The query of a view.
    ("query", "(@own(%1) OR @whole(%1) AND NOT EXISTS (SELECT FROM pg_catalog.pg_rewrite w WHERE w.ev_class = %1 AND NOT @wholly('2618', w.oid) OFFSET 0))"),
    // Any object, by its catalog, its number and its part.
    ("object", "CASE WHEN CAST(%1 AS pg_catalog.oid) = '1259' THEN @attribute(%2, %3) AND @class(%2) WHEN CAST(%1 AS pg_catalog.oid) = '1255' THEN @function(%2) AND @refs('1255', %2) WHEN CAST(%1 AS pg_catalog.oid) = '1247' THEN @type(%2) WHEN CAST(%1 AS pg_catalog.oid) = '2615' THEN @schema(%2) WHEN CAST(%1 AS pg_catalog.oid) = '2620' THEN @trigger(%2) ELSE @refs(CAST(%1 AS pg_catalog.oid), %2) END"),
    // Arguments of triggers are texts, which may be names.
    ("trigger", "EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE t.oid = %1 AND @class(t.tgrelid) AND @function(t.tgfoid) AND t.tgnargs = '0' AND @refs('2620', t.oid) OFFSET 0)"),
    // By name.
    ("named", "EXISTS (SELECT FROM pg_catalog.pg_class nc JOIN pg_catalog.pg_namespace nn ON nn.oid = nc.relnamespace WHERE nn.nspname = CAST(%1 AS pg_catalog.name) AND nc.relname = CAST(%2 AS pg_catalog.name) AND @class(nc.oid) OFFSET 0)"),
    ("named_column", "EXISTS (SELECT FROM pg_catalog.pg_class nc JOIN pg_catalog.pg_namespace nn ON nn.oid = nc.relnamespace JOIN pg_catalog.pg_attribute na ON na.attrelid = nc.oid WHERE nn.nspname = CAST(%1 AS pg_catalog.name) AND nc.relname = CAST(%2 AS pg_catalog.name) AND na.attname = CAST(%3 AS pg_catalog.name) AND @attribute(nc.oid, na.attnum) OFFSET 0)"),
    ("named_masked", "EXISTS (SELECT FROM pg_catalog.pg_class nc JOIN pg_catalog.pg_namespace nn ON nn.oid = nc.relnamespace JOIN pg_catalog.pg_attribute na ON na.attrelid = nc.oid WHERE nn.nspname = CAST(%1 AS pg_catalog.name) AND nc.relname = CAST(%2 AS pg_catalog.name) AND na.attname = CAST(%3 AS pg_catalog.name) AND @masked(nc.oid, na.attnum) OFFSET 0)"),
    ("named_nulled", "EXISTS (SELECT FROM pg_catalog.pg_class nc JOIN pg_catalog.pg_namespace nn ON nn.oid = nc.relnamespace JOIN pg_catalog.pg_attribute na ON na.attrelid = nc.oid WHERE nn.nspname = CAST(%1 AS pg_catalog.name) AND nc.relname = CAST(%2 AS pg_catalog.name) AND na.attname = CAST(%3 AS pg_catalog.name) AND @nulled(nc.oid, na.attnum) OFFSET 0)"),
    ("column_default", "NOT EXISTS (SELECT FROM pg_catalog.pg_class nc JOIN pg_catalog.pg_namespace nn ON nn.oid = nc.relnamespace JOIN pg_catalog.pg_attribute na ON na.attrelid = nc.oid JOIN pg_catalog.pg_attrdef nd ON nd.adrelid = nc.oid AND nd.adnum = na.attnum WHERE nn.nspname = CAST(%1 AS pg_catalog.name) AND nc.relname = CAST(%2 AS pg_catalog.name) AND na.attname = CAST(%3 AS pg_catalog.name) AND NOT @default(nd) OFFSET 0)"),
    // The default of a column. Generated columns depended on others by themselves before 15.
    ("default", "(@attribute(%1.adrelid, %1.adnum) AND @refs('2604', %1.oid) AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend g WHERE g.classid = '1259' AND g.objid = %1.adrelid AND g.objsubid = %1.adnum AND g.refclassid = '1259' AND NOT @own(g.refobjid) AND NOT @ref(g.refobjid, g.refobjsubid) OFFSET 0))"),
    ("named_view", "EXISTS (SELECT FROM pg_catalog.pg_class nc JOIN pg_catalog.pg_namespace nn ON nn.oid = nc.relnamespace WHERE nn.nspname = CAST(%1 AS pg_catalog.name) AND nc.relname = CAST(%2 AS pg_catalog.name) AND @query(nc.oid) OFFSET 0)"),
    ("named_type", "(CAST(%1 AS pg_catalog.name) = 'pg_catalog' OR EXISTS (SELECT FROM pg_catalog.pg_type nt JOIN pg_catalog.pg_namespace nn ON nn.oid = nt.typnamespace WHERE nn.nspname = CAST(%1 AS pg_catalog.name) AND nt.typname = CAST(%2 AS pg_catalog.name) AND @type(nt.oid) OFFSET 0))"),
    ("named_schema", "EXISTS (SELECT FROM pg_catalog.pg_namespace nn WHERE nn.nspname = CAST(%1 AS pg_catalog.name) AND @schema(nn.oid) OFFSET 0)"),
    // `f_123`, as information_schema calls a function.
    ("specific", "EXISTS (SELECT FROM pg_catalog.pg_proc nf JOIN pg_catalog.pg_namespace nn ON nn.oid = nf.pronamespace WHERE nn.nspname = CAST(%1 AS pg_catalog.name) AND nf.oid = CAST(pg_catalog.substring(CAST(%2 AS pg_catalog.text), '[0-9]+$') AS pg_catalog.oid) AND @function(nf.oid) AND @refs('1255', nf.oid) OFFSET 0)"),
    // All constraints of a name: it is that of one table or domain alone.
    ("constraints", "NOT EXISTS (SELECT FROM pg_catalog.pg_constraint nk JOIN pg_catalog.pg_namespace nn ON nn.oid = nk.connamespace WHERE nn.nspname = CAST(%1 AS pg_catalog.name) AND nk.conname = CAST(%2 AS pg_catalog.name) AND NOT @constraint(nk) OFFSET 0)"),
    ("constraint", "((%1.conrelid = '0' OR @class(%1.conrelid)) AND (%1.contypid = '0' OR @type(%1.contypid)) AND @refs('2606', %1.oid))"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_what_it_stands_for() {
        assert_eq!(
            sql("@own(x.oid) AND x.a = '1'"),
            "(CAST(x.oid AS pg_catalog.oid) OPERATOR(pg_catalog.<) '16384') \
             AND x.a OPERATOR(pg_catalog.=) '1'"
        );
    }

    #[test]
    fn every_word_is_sql_and_nothing_of_it_is_left() {
        for (word, _) in WORDS {
            let arguments = match *word {
                "owner" | "other" | "constraint" | "default" => "x, x.b",
                _ => "x.a, x.b, x.c",
            };
            let text = sql(&format!("@{word}({arguments})"));
            assert!(!text.contains(['@', '%']), "{word}: {text}");
            let query = format!("SELECT {text} FROM t AS x, l");
            sql::tree::parse(&query).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"));
        }
    }

    #[test]
    fn a_word_that_is_not_known_is_no_sql() {
        let query = format!("SELECT {}", sql("@nothing(1)"));
        assert!(query.contains("@ nothing"));
    }
}
