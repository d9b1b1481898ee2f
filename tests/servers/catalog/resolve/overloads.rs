//! Overloads: the server's choice is always among what is possible here, and nearly always the only
//! one.

use pgsieve::demo::cluster::PrivateCluster;

use crate::catalog::resolve::chosen::{self, Call};

#[tokio::test]
async fn the_choices_of_every_version_are_found() {
    for version in 13..=18 {
        check(version).await;
    }
}

#[tokio::test]
async fn the_choices_in_everyday_statements_are_found() {
    for version in [13, 15, 18] {
        check_corpus(version).await;
    }
}

/// A parameter without a type is what the server makes of it.
#[tokio::test]
async fn calls_with_parameters_return_what_the_server_says() {
    for version in [13, 18] {
        check_parameters(version).await;
    }
}

#[tokio::test]
async fn the_choices_between_all_pairs_of_types_are_found() {
    for version in [15, 18] {
        check_pairs(version).await;
    }
}

async fn check_pairs(version: u32) {
    let Some(cluster) = chosen::start(version) else {
        return;
    };
    let every = std::env::var("PGSIEVE_EVERY")
        .ok()
        .and_then(|n| n.parse().ok());
    let calls = pairs().into_iter().step_by(every.unwrap_or(PAIRS_SKIPPED));
    let tally = tallied(&cluster, OBJECTS, calls.collect()).await;
    println!("{version}: {tally:?}");
    assert!(tally.understood >= 200);
    assert_eq!(tally.bad, 0);
    assert!(tally.certain * 10 >= tally.understood * 9);
}

async fn check(version: u32) {
    let Some(cluster) = chosen::start(version) else {
        return;
    };
    let tally = tallied(&cluster, OBJECTS, calls()).await;
    println!("{version}: {tally:?}");
    assert!(tally.understood >= 300);
    assert_eq!(tally.bad, 0);
    assert!(tally.certain * 10 >= tally.understood * 9);
}

async fn check_corpus(version: u32) {
    let Some(cluster) = chosen::start(version) else {
        return;
    };
    let calls = CORPUS.iter().flat_map(|file| statements(file)).collect();
    let tally = tallied(&cluster, SCHEMA, calls).await;
    println!("{version}: {tally:?}");
    assert!(tally.understood >= 300);
    assert_eq!(tally.bad, 0);
    assert!(tally.certain * 10 >= tally.understood * 9);
}

async fn check_parameters(version: u32) {
    let Some(cluster) = chosen::start(version) else {
        return;
    };
    let client = chosen::admin(&cluster).await;
    client.batch_execute(OBJECTS).await.unwrap();
    let catalog = chosen::catalog(&cluster).await;
    let (mut understood, mut open) = (0, 0);
    for text in PARAMETERS {
        let text = format!("SELECT {text}");
        let Some(comparison) = chosen::described(&client, &catalog, &text).await else {
            continue;
        };
        understood += 1;
        open += comparison.open;
        assert_eq!(comparison.wrong, Vec::<String>::new(), "{text}");
    }
    println!("{version}: {understood} with parameters, {open} open");
    assert!(understood >= 40 && open * 5 < understood);
}

/// How many statements the server understood, how many of them have one meaning here, and for how
/// many that is another than the server's.
#[derive(Debug, Default)]
struct Tally {
    understood: usize,
    certain: usize,
    bad: usize,
}

async fn tallied(cluster: &PrivateCluster, objects: &str, calls: Vec<Call>) -> Tally {
    let client = chosen::admin(cluster).await;
    client.batch_execute(objects).await.unwrap();
    client.batch_execute("CREATE SCHEMA kept").await.unwrap();
    let mut kept = Vec::new();
    for (number, call) in calls.into_iter().enumerate() {
        kept.extend(chosen::keep(&client, cluster.version(), number, call).await);
    }
    let catalog = chosen::catalog(cluster).await;
    let mut tally = Tally {
        understood: kept.len(),
        ..Tally::default()
    };
    for understood in &kept {
        let call = &understood.call;
        let comparison = chosen::compare(&catalog, understood);
        let blurred = chosen::missed_when_blurred(&catalog, understood);
        if !blurred.is_empty() {
            tally.bad += 1;
            println!("BAD {:?}: missed {blurred:?}", call.blurred);
        } else if !comparison.missed.is_empty() || !comparison.wrong.is_empty() {
            tally.bad += 1;
            println!("BAD {} ({}): {comparison:?}", call.text, call.path);
        } else if comparison.open == 0 {
            tally.certain += 1;
        } else {
            println!("open: {} ({})", call.text, call.path);
        }
    }
    tally
}

/// The queries of a corpus.
fn statements(file: &str) -> Vec<Call> {
    let mut calls = Vec::new();
    for statement in file.split("----\n").skip(1) {
        let lines = statement.lines().filter(|line| !line.starts_with("--!"));
        let text = lines.collect::<Vec<_>>().join("\n");
        let text = text.trim().trim_end_matches(';').to_owned();
        let first = text.split(|c: char| !c.is_ascii_alphabetic()).next();
        let first = first.unwrap_or_default().to_ascii_uppercase();
        if ["SELECT", "WITH", "VALUES", "TABLE"].contains(&&*first) && !text.contains(';') {
            calls.push(Call {
                path: "public".to_owned(),
                text,
                blurred: None,
            });
        }
    }
    calls
}

/// The statements, each with its search_path.
fn calls() -> Vec<Call> {
    let mut path = String::new();
    let mut calls = Vec::new();
    for line in CALLS.lines().filter(|line| !line.starts_with("--")) {
        if let Some(new) = line.strip_prefix("@ ") {
            path = new.to_owned();
            continue;
        }
        let text = match line.starts_with("WITH ") {
            true => line.to_owned(),
            false => format!("SELECT {line}"),
        };
        calls.push(Call {
            path: path.clone(),
            text,
            blurred: None,
        });
    }
    calls
}

/// Every form with every value, or pair of values.
fn pairs() -> Vec<Call> {
    let mut calls = Vec::new();
    for path in ["public", "a, public", "b, public", "a, pg_catalog, public"] {
        let mut add = |form: String, left: &'static str| {
            calls.push(Call {
                path: path.to_owned(),
                text: format!("SELECT {}", form.replace('$', left)),
                // A parameter is no row constructor, which some forms treat as one of their own.
                blurred: (!left.starts_with("ROW"))
                    .then(|| (format!("SELECT {}", form.replace('$', "$1")), left)),
            });
        };
        for left in VALUES {
            for form in FORMS_OF_ONE {
                add(form.to_string(), left);
            }
            for right in VALUES {
                for operator in OPERATORS {
                    add(format!("$ {operator} {right}"), left);
                }
                for form in FORMS_OF_TWO {
                    add(form.replace('#', right), left);
                }
            }
        }
    }
    calls
}

/// Of all pairs, which the tests take: one of so many. All of them take half an hour.
const PAIRS_SKIPPED: usize = 211;

const VALUES: &[&str] = &[
    "1",
    "1::int2",
    "1::int8",
    "1.5",
    "1.5::float4",
    "1.5::float8",
    "'1'",
    "NULL",
    "'x'::text",
    "'x'::varchar",
    "'x'::char(3)",
    "'x'::name",
    "'x'::\"char\"",
    "'x'::bytea",
    "true",
    "now()",
    "localtimestamp",
    "current_date",
    "'1 day'::interval",
    "localtime",
    "1::positive",
    "1::tiny",
    "'abc'::short",
    "mood 'ok'",
    "ROW(1, 'x')::pair",
    "ROW(1, 'x')",
    "ARRAY[1]",
    "ARRAY['x']",
    "ARRAY[1.5]",
    "'{1}'::numbers",
    "ARRAY[1::positive]",
    "ARRAY[mood 'ok']",
    "ARRAY[ROW(1, 'x')::pair]",
    "'[1,2)'::int4range",
    "'[1,2)'::span",
    "'{[1,2)}'::int4multirange",
    "'{}'::jsonb",
    "'{}'::json",
    "1::oid",
    "1::regclass",
    "1::money",
    "B'101'",
    "'10.0.0.1'::inet",
    "point '(1,2)'",
    "'a'::tsvector",
];

const PARAMETERS: &[&str] = &[
    "$1",
    "f($1)",
    "f($1::int)",
    "f($1 + 1)",
    "abs($1)",
    "lower($1)",
    "d2($1)",
    "ts($1)",
    "int4($1)",
    "text($1)",
    "date($1)",
    "mood($1)",
    "near($1, 1)",
    "near($1, $2)",
    "near($1, $1)",
    "f($1), $1 + 1",
    "$1 + 1, f($1)",
    "$1 = 1, f($1)",
    "g($1, $2)",
    "g($1)",
    "v($1, $2)",
    "v($1)",
    "same($1, 1)",
    "$1 + $2",
    "$1 || 'x'",
    "$1 || $2",
    "$1 BETWEEN 1 AND 2::int8",
    "$1 IN (1, 2.5)",
    "$1 = ANY ('{1}'::int[])",
    "1 = ANY ($1)",
    "COALESCE($1, 1)",
    "COALESCE($1, $2)",
    "COALESCE($1, 1), f($1)",
    "CASE WHEN $1 THEN 1 ELSE $2 END",
    "CASE $1 WHEN 'x' THEN $2 END",
    "NULLIF($1, 1.5)",
    "NULLIF($1, 'x')",
    "ARRAY[$1]",
    "ARRAY[$1, 2.5]",
    "ROW($1, 2)",
    "(SELECT $1)",
    "x FROM (VALUES ($1), (2.5)) v(x)",
    "x FROM (SELECT $1 AS x) s",
    "f(x) FROM (SELECT $1 AS x) s",
    "$1 UNION SELECT 1",
    "id FROM people WHERE id = $1",
    "id FROM people WHERE id = $1 OR $1 = 2.5",
    "id FROM people WHERE mood = $1 LIMIT $2",
    "n($1, two => $2)",
    "generate_series($1, 10)",
    "x FROM generate_series(1, $1) x",
    "sum($1::numeric) FROM people",
    "lag(id, 1, $1) OVER () FROM people",
    "p = $1 FROM people",
    "$1 IS NOT DISTINCT FROM name FROM people",
    "name LIKE $1 FROM people",
    "$1 LIKE 'x'",
    "now() - $1",
    "$1 - now()",
    "born + $1 FROM people",
    "jsonb_build_object('a', $1::text)",
    "concat($1, $2)",
    "(ARRAY[1])[$1]",
    "tags[$1] FROM people",
    "extract(year FROM $1::date)",
    "array_append(tags, $1) FROM people",
    "array_append($1, 1)",
];

const OPERATORS: &[&str] = &[
    "+",
    "-",
    "*",
    "/",
    "%",
    "^",
    "=",
    "<>",
    "<",
    ">=",
    "||",
    "@>",
    "<@",
    "&&",
    "->",
    "~~",
    "~",
    "<<",
    "&",
    "IS DISTINCT FROM",
    "@@",
    "<->",
    "- -",
];

const FORMS_OF_ONE: &[&str] = &[
    "lower($)",
    "upper($)",
    "abs($)",
    "f($)",
    "d($)",
    "d2($)",
    "j($)",
    "ts($)",
    "arr($)",
    "low($)",
    "wrap($)",
    "first_of($)",
    "length($)",
    "max($)",
    "min($)",
    "sum($)",
    "avg($)",
    "count($)",
    "text($)",
    "int4($)",
    "date($)",
    "mood($)",
    "round($)",
    "to_json($)",
    "unnest($)",
    "v($)",
    "vany($)",
    "g($)",
    "near($, $)",
    "array_agg($)",
    "quote_literal($)",
    "to_char($, 'x')",
    "date_trunc('day', $)",
    "- $",
    "~ $",
    "@ $",
    "$::text",
    "$::int4",
    "$::positive",
    "$::mood",
    "$::pair",
    "$::varchar(3)",
    "$::jsonb",
    "$::int8[]",
    "$::text[]",
    "positive($)",
    "numbers($)",
    "CASE WHEN $ THEN 1 END",
    "NOT $",
    "($)[1]",
    "($)[1:2]",
    "ARRAY[$]",
    "ARRAY[[$]]",
    "$ IS NULL",
    "count(DISTINCT $)",
    "string_agg($, ',')",
    "lag($, 1, $) OVER ()",
    "(SELECT $)",
    "ARRAY(SELECT $)",
    "percentile_disc(0.5) WITHIN GROUP (ORDER BY $)",
    "rank($) WITHIN GROUP (ORDER BY 1.5)",
    "CASE $ WHEN 1 THEN 1 WHEN 'x' THEN 2 END",
    "n($, 'y')",
    "n(one => $)",
    "is_old($)",
    "$ IS TRUE",
    "extract(year FROM $)",
    "xmlforest($ AS a)",
    "jsonb_build_object($, $)",
    "1 LIMIT $",
    "name($)",
];

const FORMS_OF_TWO: &[&str] = &[
    "same($, #)",
    "near($, #)",
    "g($, #)",
    "v($, #)",
    "v($, $, #)",
    "vany($, #)",
    "round($, #)",
    "concat($, #)",
    "array_append($, #)",
    "array_cat($, #)",
    "array_position($, #)",
    "mod($, #)",
    "power($, #)",
    "substr($, #)",
    "substring($ FROM #)",
    "generate_series($, #)",
    "COALESCE($, #)",
    "GREATEST($, #)",
    "NULLIF($, #)",
    "CASE WHEN true THEN $ ELSE # END",
    "CASE $ WHEN # THEN 1 END",
    "$ IN (#, $)",
    "$ IN (#)",
    "$ NOT IN (#, #)",
    "$ BETWEEN # AND $",
    "$ NOT BETWEEN SYMMETRIC # AND #",
    "ARRAY[$, #]",
    "$ = ANY (#)",
    "$ < ALL (#)",
    "$ UNION SELECT #",
    "x FROM (VALUES ($), (#)) v(x)",
    "$ = ANY (SELECT #)",
    "$ IN (SELECT #)",
    "($, 1) = (#, 2)",
    "($, 1) IN ((#, 2), (#, 3))",
    "($, #) < (SELECT #, $)",
    "($)[#]",
    "x FROM (SELECT $ AS x) l JOIN (SELECT # AS x) r USING (x)",
    "$ LIKE #",
    "$ LIKE # ESCAPE 'x'",
    "x IN (#, 1, y) FROM (SELECT $ AS x, # AS y) t",
    "lag($, 1, #) OVER ()",
    "age($, #)",
    "extract(day FROM $ - #)",
    "$ AT TIME ZONE #",
    "jsonb_path_query($, #)",
    "to_tsquery($, #)",
    "range_merge($, #)",
    "width_bucket($, #)",
    "lead($, 1, #) OVER (ORDER BY #)",
    "n($, #)",
    "n(one => $, two => #)",
    "n(two => $, one => #)",
    "n(deux => $, one => #)",
    "ARRAY[[$], [#]]",
    "ARRAY[ARRAY[$], #]",
    "rank($) WITHIN GROUP (ORDER BY #)",
    "ARRAY[$, #]::text[]",
    "min($ + #)",
    "percentile_cont($) WITHIN GROUP (ORDER BY #)",
    "format($, #)",
    "array_fill($, #)",
    "date_part($, #)",
    "$ OPERATOR(public.=) #",
    "$ OPERATOR(pg_catalog.=) #",
    "$ OPERATOR(a.+) #",
    "string_agg($, #)",
];

const OBJECTS: &str = include_str!("../../../data/schemas/resolve/overloads.sql");
const CALLS: &str = include_str!("../../../data/schemas/resolve/overloads.txt");
const SCHEMA: &str = concat!(
    include_str!("../../../data/corpus/schema.sql"),
    include_str!("../../../data/schemas/resolve/schema.sql")
);
const CORPUS: [&str; 4] = [
    include_str!("../../../data/schemas/resolve/scopes.sql"),
    include_str!("../../../data/corpus/reads.sql"),
    include_str!("../../../data/corpus/catalogs.sql"),
    include_str!("../../../data/corpus/psql.sql"),
];
