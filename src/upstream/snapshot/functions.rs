//! Functions, with the parts of aggregates, and operators and casts.

use std::collections::HashMap;

use super::catalog_query::{CatalogQuery, CatalogReader, FieldReader, UnreadableColumn, acl};
use super::error::{CatalogPart, LoadError};
use crate::catalog::catalog_rows::{CastRow, FunctionRow, OperatorRow};

/// All of it, each by oid.
pub struct FunctionRows {
    /// Functions and procedures.
    pub functions: Vec<FunctionRow>,
    /// Operators.
    pub operators: Vec<OperatorRow>,
    /// Casts, by source and target.
    pub casts: Vec<CastRow>,
    /// The types of the aggregates' states that begin as a text: their input functions run.
    pub read_states: Vec<(u32, u32)>,
}

/// Reads them.
///
/// May be cancelled: the connection reads the answers away.
///
/// # Errors
/// The same as of [`CatalogQuery::run`].
pub async fn read(reader: CatalogReader<'_>, major: u16) -> Result<FunctionRows, LoadError> {
    let (mut functions, of_extensions, aggregates) = tokio::try_join!(
        functions(major).run(reader),
        of_extensions().run(reader),
        aggregates().run(reader),
    )?;
    let (mut operators, support, mut casts) = tokio::try_join!(
        operators().run(reader),
        support().run(reader),
        casts().run(reader),
    )?;
    functions.sort_unstable_by_key(|function| function.oid);
    operators.sort_unstable_by_key(|operator| operator.oid);
    for (operator, function) in support {
        let place = operators.binary_search_by_key(&operator, |row| row.oid);
        if let Some(row) = place.ok().and_then(|place| operators.get_mut(place)) {
            row.support.push(function);
        }
    }
    casts.sort_unstable_by_key(|cast| (cast.source, cast.target));
    let mut of_extensions: HashMap<u32, String> = of_extensions.into_iter().collect();
    let read_states = aggregates
        .iter()
        .filter(|aggregate| aggregate.begins_as_text)
        .map(|aggregate| (aggregate.oid, aggregate.state))
        .collect();
    let mut aggregates: HashMap<u32, AggregateRow> = aggregates
        .into_iter()
        .map(|aggregate| (aggregate.oid, aggregate))
        .collect();
    for function in &mut functions {
        function.extension = of_extensions.remove(&function.oid);
        if let Some(aggregate) = aggregates.remove(&function.oid) {
            function.aggregate_kind = aggregate.kind;
            function.direct_arguments = aggregate.direct_arguments;
            function.sort_operator = aggregate.sort_operator;
            function.parts = aggregate.parts;
        }
    }
    Ok(FunctionRows {
        functions,
        operators,
        casts,
        read_states,
    })
}

/// A row of `pg_aggregate`.
struct AggregateRow {
    oid: u32,
    kind: u8,
    direct_arguments: u16,
    sort_operator: u32,
    state: u32,
    begins_as_text: bool,
    parts: Vec<u32>,
}

/// What the server brings is judged by its name: what it runs inside is not read. What users have
/// added in C is known by its library and its name there.
fn functions(major: u16) -> CatalogQuery<FunctionRow> {
    let acl = acl("p.proacl");
    let body = if major >= 14 { "p.prosqlbody" } else { "NULL" };
    let text = format!("CASE WHEN l.lanname = 'sql' AND {body}::text IS NULL THEN p.prosrc END");
    CatalogQuery {
        part: CatalogPart::Functions,
        text: format!(
            "SELECT p.oid, p.pronamespace, p.proname, p.prokind, p.provolatile, p.prosecdef, \
               l.lanname, p.proargtypes, p.proallargtypes, p.proargmodes, p.proargnames, \
               p.pronargdefaults, p.provariadic, p.prorettype, p.proretset, p.proconfig, \
               CASE WHEN p.oid >= 16384 THEN {body}::text END, \
               CASE WHEN p.oid >= 16384 THEN p.proargdefaults::text END, \
               p.proowner, {acl}, {text}, \
               CASE WHEN p.oid >= 16384 AND l.lanname = 'c' THEN p.probin END, \
               CASE WHEN p.oid >= 16384 AND l.lanname = 'c' THEN p.prosrc END \
             FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang"
        ),
        decode: function,
    }
}

fn function(fields: &mut FieldReader<'_>) -> Result<FunctionRow, UnreadableColumn> {
    let mut function = FunctionRow {
        oid: fields.next()?,
        schema: fields.next()?,
        name: fields.text()?,
        kind: fields.letter()?,
        volatility: fields.letter()?,
        security_definer: fields.next()?,
        language: fields.text()?,
        arguments: fields.next()?,
        all_arguments: fields.oids()?,
        ..FunctionRow::default()
    };
    let modes: Option<Vec<i8>> = fields.next()?;
    let modes = modes.unwrap_or_default().into_iter();
    function.modes = modes.map(i8::cast_unsigned).collect();
    function.names = fields.texts()?;
    function.defaults = fields.count()?;
    function.variadic = fields.next()?;
    function.returns = fields.next()?;
    function.returns_set = fields.next()?;
    for setting in fields.texts()? {
        let Some((name, value)) = setting.split_once('=') else {
            continue;
        };
        function.settings.push(name.to_owned());
        if name.eq_ignore_ascii_case("search_path") {
            function.search_path = Some(value.to_owned());
        }
    }
    let bodies = [fields.tree_or_none()?, fields.tree_or_none()?];
    function.bodies = bodies.into_iter().flatten().collect();
    function.owner = fields.next()?;
    function.acl = fields.acl()?;
    function.text = fields.body_or_none()?;
    let (library, symbol) = (fields.text_or_none()?, fields.text_or_none()?);
    function.code = library.zip(symbol);
    Ok(function)
}

/// Members of extensions, with the names of those.
fn of_extensions() -> CatalogQuery<(u32, String)> {
    CatalogQuery {
        part: CatalogPart::Functions,
        text: "SELECT d.objid, e.extname FROM pg_depend d \
                 JOIN pg_extension e ON e.oid = d.refobjid \
               WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e' \
                 AND d.refclassid = 'pg_extension'::regclass"
            .into(),
        decode: |fields| Ok((fields.next()?, fields.text()?)),
    }
}

fn aggregates() -> CatalogQuery<AggregateRow> {
    CatalogQuery {
        part: CatalogPart::Functions,
        text: "SELECT aggfnoid::oid, aggkind, aggnumdirectargs, aggsortop, aggtranstype, \
                 agginitval IS NOT NULL OR aggminitval IS NOT NULL, \
                 ARRAY[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn, \
                       aggmtransfn, aggminvtransfn, aggmfinalfn]::oid[] \
               FROM pg_aggregate"
            .into(),
        decode: |fields| {
            Ok(AggregateRow {
                oid: fields.next()?,
                kind: fields.letter()?,
                direct_arguments: fields.count()?,
                sort_operator: fields.next()?,
                state: fields.next()?,
                begins_as_text: fields.next()?,
                parts: sorted(fields.oids()?),
            })
        },
    }
}

fn operators() -> CatalogQuery<OperatorRow> {
    CatalogQuery {
        part: CatalogPart::Operators,
        text: "SELECT o.oid, oprnamespace, oprname, oprleft, oprright, oprresult, oprcode::oid, \
                 oprcom, oprnegate, \
                 coalesce(p.proleakproof AND p.proisstrict AND p.provolatile = 'i' \
                          AND NOT p.proretset, false) \
               FROM pg_operator o LEFT JOIN pg_proc p ON p.oid = o.oprcode"
            .into(),
        decode: |fields| {
            Ok(OperatorRow {
                oid: fields.next()?,
                schema: fields.next()?,
                name: fields.text()?,
                left: fields.next()?,
                right: fields.next()?,
                result: fields.next()?,
                function: fields.next()?,
                commutator: fields.next()?,
                negator: fields.next()?,
                leakproof: fields.next()?,
                support: Vec::new(),
            })
        },
    }
}

/// What stands behind an operator in the families of operator classes that it belongs to, put there
/// by users alone: what an index, a partition or a sort runs for it, and the other operators there,
/// where the planner or the index puts one in its place (`a = b AND b = 1` asks `a = 1`). The
/// compiled parts of the kinds of index left out there run no operators. A function of the server
/// counts where a user has put it into a family, or behind an operator of one.
fn support() -> CatalogQuery<(u32, u32)> {
    CatalogQuery {
        part: CatalogPart::Operators,
        text: "SELECT a.amopopr, p.amproc::oid \
               FROM pg_amop a JOIN pg_amproc p \
                 ON p.amprocfamily = a.amopfamily AND (p.oid >= 16384 OR p.amproc::oid >= 16384) \
               UNION SELECT a.amopopr, f.function \
               FROM pg_amop a JOIN pg_am m ON m.oid = a.amopmethod \
                 AND m.amname NOT IN ('gin', 'gist', 'spgist') \
               JOIN pg_amop b ON b.amopfamily = a.amopfamily AND b.amopopr <> a.amopopr \
               JOIN pg_operator o ON o.oid = b.amopopr \
               CROSS JOIN LATERAL unnest(ARRAY[o.oprcode, o.oprrest, o.oprjoin]::oid[]) \
                 AS f(function) \
               WHERE f.function >= 16384 OR o.oid >= 16384 AND f.function <> 0 \
               ORDER BY 1, 2"
            .into(),
        decode: |fields| Ok((fields.next()?, fields.next()?)),
    }
}

fn casts() -> CatalogQuery<CastRow> {
    CatalogQuery {
        part: CatalogPart::Casts,
        text: "SELECT castsource, casttarget, castfunc, castcontext, castmethod FROM pg_cast"
            .into(),
        decode: |fields| {
            Ok(CastRow {
                source: fields.next()?,
                target: fields.next()?,
                function: fields.next()?,
                context: fields.letter()?,
                method: fields.letter()?,
            })
        },
    }
}

/// Without zeros and repetitions.
pub fn sorted(mut oids: Vec<u32>) -> Vec<u32> {
    oids.retain(|oid| *oid != 0);
    oids.sort_unstable();
    oids.dedup();
    oids
}
