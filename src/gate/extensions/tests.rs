//! Who a function is, told by its extension, its library and its name in there.

use super::{ExtensionVerdict, FunctionReads, base_name, verdict, verdict_under};
use crate::functions::BuiltinEffect;
use catalog::fixture::CatalogFixture;
use policy::Policy;

const ALLOWED: Option<ExtensionVerdict> = Some(ExtensionVerdict::Allowed {
    reads: FunctionReads::Nobody,
});
const RESETS: Option<ExtensionVerdict> = Some(ExtensionVerdict::Effects {
    why: BuiltinEffect::Statistics,
});

/// What is said of a function with these words about it, under the policy agent.
fn said(words: &str) -> Option<ExtensionVerdict> {
    said_of("shop.f(int4) int4", words)
}

fn said_of(signature: &str, words: &str) -> Option<ExtensionVerdict> {
    let catalog = CatalogFixture::new(15)
        .role("app")
        .schema("shop")
        .function(signature, words)
        .build();
    let name = signature
        .split_once('(')
        .unwrap()
        .0
        .split_once('.')
        .unwrap()
        .1;
    let functions = catalog.functions();
    let functions = functions.filter(|(_, one)| catalog.names().text(one.name) == name);
    let (_, function) = functions.last().unwrap();
    verdict_under(&catalog, &Policy::agent(), function)
}

/// Citus says of the first that it is STABLE, and makes aggregates of the others that run whatever
/// aggregate a caller names by its oid.
#[test]
fn what_runs_commands_at_workers_of_citus_is_no_read() {
    for symbol in [
        "master_run_on_worker",
        "worker_partial_agg_sfunc",
        "worker_partial_agg_ffunc",
        "coord_combine_agg_sfunc",
        "coord_combine_agg_ffunc",
    ] {
        for of in ["of=citus ", ""] {
            let words = format!("language=c {of}code=$libdir/citus:{symbol} stable");
            assert_eq!(said(&words), Some(ExtensionVerdict::RunsSql), "{words}");
        }
    }
}

#[test]
fn a_function_is_known_by_its_extension_its_library_and_its_name_there() {
    let code = "code=$libdir/uuid-ossp:uuid_generate_v4";
    assert_eq!(said(&format!("language=c of=uuid-ossp {code}")), ALLOWED);
    for words in [
        // No member, or of another extension.
        format!("language=c {code}"),
        format!("language=c of=hstore {code}"),
        // Another library, another folder, another name there.
        "language=c of=uuid-ossp code=$libdir/hstore:uuid_generate_v4".into(),
        "language=c of=uuid-ossp code=/tmp/uuid-ossp:uuid_generate_v4".into(),
        "language=c of=uuid-ossp code=$libdir/../tmp/uuid-ossp:uuid_generate_v4".into(),
        "language=c of=uuid-ossp code=uuid-ossp:uuid_generate_v4".into(),
        "language=c of=uuid-ossp code=$libdir/uuid-ossp:uuid_generate_v9".into(),
        // Another language.
        "of=uuid-ossp".into(),
        "language=plpgsql of=uuid-ossp".into(),
        // Changed since it was made.
        format!("language=c of=uuid-ossp {code} definer"),
        format!("language=c of=uuid-ossp {code} set=work_mem"),
    ] {
        assert_eq!(said(&words), None, "{words}");
    }
    let name = said_of("shop.uuid_generate_v4() text", "language=c of=uuid-ossp");
    assert_eq!(name, None);
}

#[test]
fn what_is_said_against_a_function_counts_under_whatever_name_it_is_made() {
    let reset = "pg_stat_statements:pg_stat_statements_reset_1_7";
    for place in ["$libdir/", "", "/usr/lib/postgresql/15/lib/"] {
        assert_eq!(
            said(&format!("language=c code={place}{reset}")),
            RESETS,
            "{place}"
        );
    }
    let runs = Some(ExtensionVerdict::RunsSql);
    let own = "immutable language=c code=$libdir/tablefunc:crosstab";
    assert_eq!(said(own), runs);
    assert_eq!(said(&format!("{own} of=tablefunc definer")), runs);
    let literal = Some(ExtensionVerdict::RunsLiteral);
    assert_eq!(said(&format!("{own} of=tablefunc")), literal);
}

#[test]
fn what_is_not_code_of_a_library_is_followed_where_a_superuser_owns_it() {
    let followed = Some(ExtensionVerdict::Followed);
    let signature = "shop.strpos(int4, int4) int4";
    assert_eq!(said_of(signature, "immutable of=citext"), followed);
    assert_eq!(said_of(signature, "immutable of=hstore"), None);
    assert_eq!(said_of(signature, "immutable of=citext owner=app"), None);
    assert_eq!(
        said_of("shop.lower(int4) int4", "immutable of=citext"),
        None
    );
    assert_eq!(said_of(signature, "immutable of=citext definer"), None);
}

#[test]
fn a_policy_that_wants_names_hears_only_what_is_against_a_function() {
    let catalog = CatalogFixture::new(15)
        .schema("shop")
        .function(
            "shop.a() int4",
            "language=c of=pgcrypto code=$libdir/pgcrypto:pg_random_uuid",
        )
        .function(
            "shop.b(text) int4",
            "language=c of=tablefunc code=$libdir/tablefunc:crosstab",
        )
        .build();
    let of = |name: &str| {
        let mut functions = catalog.functions();
        let found = functions.find(|(_, one)| catalog.names().text(one.name) == name);
        verdict_under(&catalog, &Policy::strict(), found.unwrap().1)
    };
    assert_eq!(of("a"), None);
    assert_eq!(of("b"), Some(ExtensionVerdict::RunsSql));
    assert!(
        catalog
            .functions()
            .all(|(_, one)| !one.oid.is_built_in() || verdict(&catalog, one).is_none())
    );
}

#[test]
fn libraries_have_versions_and_endings() {
    for (written, name) in [
        ("$libdir/pg_trgm", "pg_trgm"),
        ("pg_trgm.so", "pg_trgm"),
        ("/usr/lib/x.y/uuid-ossp.dylib", "uuid-ossp"),
        ("$libdir/postgis-3", "postgis"),
        ("$libdir/timescaledb-2.14.2-dev", "timescaledb"),
        ("", ""),
    ] {
        assert_eq!(base_name(written), name, "{written}");
    }
}
