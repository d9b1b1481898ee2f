//! Cases of the keys about who reads what.

use super::{Asked, Case, Shown, Who, scenes};
use crate::support::{ADMIN, READER};

pub(super) const CASES: &[Case] = &[
    Case {
        key: "name",
        edits: &[],
        shown: Shown::Scene(scenes::name),
    },
    asked(
        "extends",
        &[("extends", r#""strict""#)],
        &[app(ORDERS, "42501 relation_denied")],
        &[app(PI, "true")],
    ),
    asked(
        "replace",
        &[
            ("extends", r#""agent""#),
            ("replace", r#"["settings.allow"]"#),
            (
                "settings/allow",
                r#"{"app.tenant": "any", "application_name": "any"}"#,
            ),
        ],
        &[app(&["SET geqo = off"], "42501 settings")],
        &[
            app(&["SET app.tenant = 'b'", "SHOW app.tenant"], "b"),
            app(ORDERS, "1 2"),
        ],
    ),
    asked(
        "match.user",
        &[("match/user", r#""read*""#), PI_DENIED],
        &[as_user(READER, PI, "42501 function_denied")],
        &[app(PI, "true")],
    ),
    asked(
        "match.database",
        &[("match/database", r#"["t*"]"#), PI_DENIED],
        &[app(PI, "42501 function_denied")],
        &[Asked {
            who: Who::Database("postgres"),
            sent: PI,
            told: "true",
        }],
    ),
    asked(
        "match.application_name",
        &[("match/application_name", r#"["a tool*", "b"]"#), PI_DENIED],
        &[
            Asked {
                who: Who::Named("a tool of mine"),
                sent: PI,
                told: "42501 function_denied",
            },
            Asked {
                who: Who::Named("b"),
                sent: PI,
                told: "42501 function_denied",
            },
        ],
        &[Asked {
            who: Who::Named("bb"),
            sent: PI,
            told: "true",
        }],
    ),
    Case {
        key: "match.client_address",
        edits: &[
            ("match/client_address", r#"["127.0.0.2", "10.0.0.0/8"]"#),
            PI_DENIED,
        ],
        shown: Shown::Scene(scenes::client_address),
    },
    Case {
        key: "match.certificate_name",
        edits: &[("match/certificate_name", r#"["ann"]"#), PI_DENIED],
        shown: Shown::Scene(scenes::certificate_name),
    },
    Case {
        key: "match.certificate.organization",
        edits: &[],
        shown: Shown::Checked {
            bites: r#"match/certificate/organization=[]"#,
            spares: r#"match/certificate/organization=["x*"]"#,
        },
    },
    Case {
        key: "match.certificate.organizational_unit",
        edits: &[],
        shown: Shown::Checked {
            bites: r#"match/certificate/organizational_unit=[]"#,
            spares: r#"match/certificate/organizational_unit=["x*"]"#,
        },
    },
    Case {
        key: "match.certificate.email",
        edits: &[],
        shown: Shown::Checked {
            bites: r#"match/certificate/email=[]"#,
            spares: r#"match/certificate/email=["x*"]"#,
        },
    },
    Case {
        key: "match.certificate.alternative_name",
        edits: &[],
        shown: Shown::Checked {
            bites: r#"match/certificate/alternative_name=[]"#,
            spares: r#"match/certificate/alternative_name=["x*"]"#,
        },
    },
    Case {
        key: "match.attributes",
        edits: &[],
        shown: Shown::Checked {
            bites: r#"match/attributes={"Team": "x"}"#,
            spares: r#"match/attributes={"team": ["x*", "y"]}"#,
        },
    },
    asked(
        "match.role_member",
        &[("match/role_member", r#"["reader"]"#), PI_DENIED],
        &[as_user(READER, PI, "42501 function_denied")],
        &[app(PI, "true")],
    ),
    asked(
        "relations.allow",
        &[("relations/allow", r#"["shop.ord*"]"#)],
        &[app(SECRETS, "42501 relation_denied")],
        &[
            app(ORDERS, "1 2"),
            app(&["SELECT count(*) > 9 FROM pg_class"], "t"),
        ],
    ),
    asked(
        "relations.new",
        &[
            ("relations/new", r#""refuse""#),
            ("relations/known", r#"["shop.orders", "shop.customers"]"#),
        ],
        &[
            app(SECRETS, "42501 relation_denied"),
            app(&["SELECT word FROM shop.told"], "42501 relation_denied"),
        ],
        &[
            app(ORDERS, "1 2"),
            app(&["SELECT count(*) > 9 FROM pg_class"], "t"),
        ],
    ),
    asked(
        "relations.known",
        &[
            ("relations/allow", r#"["shop.s*", "shop.told", "shop.o*"]"#),
            ("relations/new", r#""refuse""#),
            ("relations/known", r#"["shop.orders", "shop.customers"]"#),
        ],
        &[
            app(SECRETS, "42501 relation_denied"),
            app(&["SELECT id FROM shop.customers"], "42501 relation_denied"),
        ],
        &[
            app(ORDERS, "1 2"),
            app(&["SELECT word FROM shop.told"], "hush"),
        ],
    ),
    asked(
        "relations.deny",
        &[("relations/deny", r#"["shop.secrets"]"#)],
        &[
            app(SECRETS, "42501 relation_denied"),
            app(&["TABLE shop.secrets"], "42501 relation_denied"),
        ],
        &[
            app(ORDERS, "1 2"),
            app(&["SELECT word FROM shop.told"], "hush"),
        ],
    ),
    asked(
        "relations.through_views",
        &[
            ("relations/deny", r#"["shop.secrets"]"#),
            ("relations/through_views", r#""check""#),
        ],
        &[app(
            &["SELECT word FROM shop.told"],
            "42501 relation_denied",
        )],
        &[app(&["SELECT total FROM shop.sums"], "30")],
    ),
    asked(
        "columns.allow",
        &[("columns/allow", r#"["shop.customers.id"]"#)],
        &[
            app(&["SELECT email FROM shop.customers"], "42501 column_denied"),
            app(&["SELECT * FROM shop.customers"], "42501 column_denied"),
        ],
        &[
            app(&["SELECT id FROM shop.customers"], "1 2"),
            app(ORDERS, "1 2"),
        ],
    ),
    asked(
        "columns.mask",
        &[(
            "columns/mask",
            r#"{"shop.customers.email": "partial", "shop.customers.tenant": "hash"}"#,
        )],
        &[
            app(
                &["SELECT tenant FROM shop.customers ORDER BY id"],
                "583be5697eb494bd958e0820b02e590e c9c27cae2f869ee5aa725ab39ec0a0f8",
            ),
            app(
                &["SELECT email FROM shop.customers ORDER BY 1"],
                "a*** b***",
            ),
            app(&["SELECT 1 FROM ONLY shop.customers"], "42501 model"),
        ],
        &[
            app(&["SELECT count(*) FROM shop.customers"], "2"),
            app(ORDERS, "1 2"),
        ],
    ),
    asked(
        "rows",
        &[("rows", r#"{"shop.ord*": "id = 2"}"#)],
        &[
            app(ORDERS, "2"),
            app(&["SELECT total FROM shop.sums"], "42501 model"),
        ],
        &[app(&["SELECT count(*) FROM shop.customers"], "2")],
    ),
    asked(
        "columns.deny",
        &[("columns/deny", r#"["*.*.email"]"#)],
        &[
            app(
                &["SELECT id FROM shop.customers ORDER BY email"],
                "42501 column_denied",
            ),
            app(&["SELECT c FROM shop.customers c"], "42501 column_denied"),
        ],
        &[app(
            &["SELECT id, tenant FROM shop.customers"],
            "1|app 2|reader",
        )],
    ),
    asked(
        "models.*.sql",
        &[(
            "models",
            r#"{"shop.customers": {"sql": "SELECT id, left(email, 2) AS email FROM customers WHERE tenant = :user"}}"#,
        )],
        &[
            app(&["SELECT * FROM shop.customers"], "1|an"),
            as_user(READER, &["SELECT * FROM shop.customers"], "2|be"),
        ],
        &[app(ORDERS, "1 2")],
    ),
    asked(
        "models.*.new",
        &[(
            "models",
            r#"{"shop.x": {"new": true, "sql": "SELECT 1 AS a"}, "shop.custmers": {"sql": "SELECT 2 AS a"}}"#,
        )],
        &[
            app(&["SELECT a FROM shop.custmers"], "42501 model"),
            app(ORDERS, "42501 relation_denied"),
        ],
        &[app(&["SELECT a FROM shop.x"], "1")],
    ),
    Case {
        key: "models.*.about",
        edits: &[(
            "models",
            r#"{"shop.x": {"new": true, "sql": "SELECT 1 AS a"}}"#,
        )],
        shown: Shown::Checked {
            bites: r#"models/shop.x/about=["a list"]"#,
            spares: r#"models/shop.x/about="Words.""#,
        },
    },
    Case {
        key: "models.*.columns.*.about",
        edits: &[(
            "models",
            r#"{"shop.x": {"new": true, "sql": "SELECT 1 AS a"}}"#,
        )],
        shown: Shown::Checked {
            bites: r#"models/shop.x/columns=["a"]"#,
            spares: r#"models/shop.x/columns={"a": "A number."}"#,
        },
    },
    asked(
        "models.*.columns.*.expression",
        &[
            (
                "knowledge",
                r#"{"relationship": {"owner": {"from": "shop.x(id)", "to": "shop.customers(id)"}, "seen": {"from": "shop.y(id)", "to": "shop.orders(id)"}}}"#,
            ),
            ("columns/deny", r#"["shop.customers.email"]"#),
            (
                "models",
                r#"{"shop.x": {"new": true, "sql": "SELECT 1 AS id", "columns": {"b": {"expression": "owner.email"}}},
                    "shop.y": {"new": true, "sql": "SELECT 1 AS id", "columns": {"b": {"expression": "id + 1"}, "c": {"expression": "seen.id + 2"}}}}"#,
            ),
        ],
        &[app(&["SELECT id FROM shop.x"], "42501 model")],
        &[app(&["SELECT id, b, c FROM shop.y"], "1|2|3")],
    ),
    asked(
        "functions.allow",
        &[
            ("functions/trusted_schemas", "[]"),
            ("functions/allow", r#"["shop.f()"]"#),
        ],
        &[app(&["SELECT shop.f()"], "1")],
        &[app(&["SELECT shop.h()"], "42501 hidden_function")],
    ),
    asked(
        "functions.deny",
        &[PI_DENIED],
        &[app(PI, "42501 function_denied")],
        &[app(&["SELECT abs(-1)"], "1")],
    ),
    asked(
        "functions.trusted_schemas",
        &[("functions/trusted_schemas", r#"["shop"]"#)],
        &[app(&["SELECT shop.g()"], "1")],
        &[
            app(&["SELECT other.g()"], "42501 hidden_function"),
            app(&["SELECT shop.f()"], "42501 hidden_function"),
        ],
    ),
    asked(
        "functions.any_search_path",
        &[("functions/any_search_path", r#"["shop.far_and_wide()"]"#)],
        &[app(
            &["SET search_path = other", "SELECT shop.far_and_wide()"],
            "1",
        )],
        &[app(
            &["SET search_path = other", "SELECT shop.at_home()"],
            "42501 function_path",
        )],
    ),
    asked(
        "functions.extensions",
        &[("functions/extensions", r#""named""#)],
        &[app(
            &["SELECT public.gen_random_bytes(2)"],
            "42501 hidden_function",
        )],
        &[app(&["SELECT public.digest('', 'md5') IS NULL"], "f")],
    ),
    asked(
        "functions.transaction_ids",
        &[("functions/transaction_ids", r#""allow""#)],
        &[app(&["SELECT pg_current_xact_id() > '0'"], "t")],
        &[app(
            &["SELECT nextval('shop.orders')"],
            "25006 function_effects",
        )],
    ),
    asked(
        "functions.server_directories",
        &[("functions/server_directories", r#""allow""#)],
        &[as_user(
            ADMIN,
            &["SELECT count(*) > 0 FROM pg_ls_waldir()"],
            "t",
        )],
        &[as_user(
            ADMIN,
            &["SELECT pg_ls_dir('pg_wal')"],
            "42501 function_effects",
        )],
    ),
    asked(
        "foreign.tables",
        &[("foreign/tables", r#"["shop.far"]"#)],
        &[app(FAR, "t")],
        &[app(AWAY, "42501 foreign_table")],
    ),
    asked(
        "foreign.servers",
        &[("foreign/servers", r#"["files"]"#)],
        &[app(FAR, "t")],
        &[app(AWAY, "42501 foreign_table")],
    ),
];

const PI_DENIED: (&str, &str) = ("functions/deny", r#"["pg_catalog.pi"]"#);
const PI: &[&str] = &["SELECT (pi() > 3)::text"];
const ORDERS: &[&str] = &["SELECT id FROM shop.orders ORDER BY 1"];
const SECRETS: &[&str] = &["SELECT word FROM shop.secrets"];
const FAR: &[&str] = &["SELECT version::int > 9 FROM shop.far"];
const AWAY: &[&str] = &["SELECT version::int > 9 FROM shop.away"];

/// A case of sessions that ask.
pub(super) const fn asked(
    key: &'static str,
    edits: &'static [(&'static str, &'static str)],
    bites: &'static [Asked],
    spares: &'static [Asked],
) -> Case {
    Case {
        key,
        edits,
        shown: Shown::Asked { bites, spares },
    }
}

/// A session as the tests' own user.
pub(super) const fn app(sent: &'static [&'static str], told: &'static str) -> Asked {
    Asked {
        who: Who::App,
        sent,
        told,
    }
}

/// A session as another.
pub(super) const fn as_user(
    user: &'static str,
    sent: &'static [&'static str],
    told: &'static str,
) -> Asked {
    Asked {
        who: Who::User(user),
        sent,
        told,
    }
}
