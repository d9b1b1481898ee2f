//! What another session has made for itself is not there for a client: not by its name, not by a
//! search_path, not as a type, and not as the number of one.
//!
//! The client is a superuser: the server lets nobody else look into such a schema.

use crate::gate::hidden::{oid_of, parse_with_type, refused};
use crate::support::raw::{Frame, Login, kinds};
use crate::support::{ADMIN, READER, RawClient, Stack, frames, until};
use crate::versions::{has_case, on_every_version};

on_every_version!(
    what_another_session_has_made_for_itself_is_not_there,
    look_on
);

fn look_on(version: u32) {
    let Some(stack) = Stack::on_version(version) else {
        println!("SKIPPED: there is no Postgres {version} to be had");
        return;
    };
    let scene = Scene::on(&stack);
    for text in scene.statements(version) {
        scene.check(&text, |client| client.query(&text));
        scene.check(&text, |client| {
            client.send(&frames::extended(&text, &[], false));
            client.until_ready()
        });
    }
    scene.paths(version);
    scene.parameters(version);
    scene.permanent();
    scene.harmless();
}

/// A session with things of its own, of which the catalog knows the older half.
struct Scene<'s> {
    stack: &'s Stack,
    /// It ends with the scene.
    owner: RawClient,
    schema: String,
}

impl<'s> Scene<'s> {
    fn on(stack: &'s Stack) -> Self {
        let mut owner = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
        ask(&mut owner, LASTING);
        ask(&mut owner, BEFORE);
        ask(
            &mut owner,
            "CREATE VIEW public.seen AS SELECT public.locks(1) AS x",
        );
        let schema = text_of(&ask(
            &mut owner,
            "SELECT nspname FROM pg_namespace WHERE oid = pg_my_temp_schema()",
        ));
        // The last of what is lasting is known: so is all that was there before it.
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(ADMIN));
        until(|| refused(&client.query("EXPLAIN SELECT * FROM public.seen")).then_some(()));
        ask(&mut owner, AFTER);
        Self {
            stack,
            owner,
            schema,
        }
    }

    fn statements(&self, version: u32) -> Vec<String> {
        let all = STATEMENTS.iter().filter(|(since, _)| *since <= version);
        let mut all: Vec<String> = all
            .map(|(_, text)| text.replace("OWN", &self.schema))
            .collect();
        all.push(format!(
            "SELECT * FROM U&\"pg\\005f{}\".tv",
            self.schema.trim_start_matches("pg_")
        ));
        all
    }

    /// The same asked directly has an effect; asked through pgsieve it is refused and has none.
    fn check(&self, what: &str, ask: impl Fn(&mut RawClient) -> Vec<Frame>) {
        self.check_as(ADMIN, &[], what, ask);
    }

    fn check_as(
        &self,
        role: &str,
        parameters: &[(&str, &str)],
        what: &str,
        ask: impl Fn(&mut RawClient) -> Vec<Frame>,
    ) {
        let login = Login {
            parameters,
            ..self.stack.login(role)
        };
        let mut direct = RawClient::login(self.stack.direct_address(), &login);
        let answer = ask(&mut direct);
        assert_eq!(self.held(), "1", "{what} has no effect: {answer:?}");
        drop(direct);
        until(|| (self.held() == "0").then_some(()));
        let Ok(mut proxied) = RawClient::try_login(self.stack.proxied_address(), &login) else {
            return;
        };
        let answer = ask(&mut proxied);
        assert!(refused(&answer), "{what}: {answer:?}");
        assert_eq!(self.held(), "0", "{what}: {answer:?}");
    }

    /// How many locks somebody holds, one at most.
    fn held(&self) -> String {
        let mut admin = RawClient::login(self.stack.direct_address(), &self.stack.login(ADMIN));
        text_of(&ask(&mut admin, HELD))
    }

    /// A search_path that leads there, however it is set.
    fn paths(&self, version: u32) {
        let mut case = 0;
        let own = &self.schema;
        let quoted = format!("\"{own}\", public");
        for path in [
            own.as_str(),
            &quoted,
            "public, pg_temp",
            "pg_catalog, public",
        ] {
            for text in [
                "SELECT * FROM tv",
                "TABLE tv",
                "SELECT '1'::d",
                "SELECT NULL::d2",
            ] {
                case += 1;
                if !has_case(version, case) {
                    continue;
                }
                let leads = path.contains(own.as_str());
                let set = [
                    format!("SET search_path = {path}"),
                    format!("SELECT set_config('search_path', '{path}', false)"),
                    format!("SET LOCAL search_path = {path}"),
                ];
                if !leads {
                    let mut proxied = self.proxied(ADMIN, &[]);
                    proxied.query(&set[0]);
                    proxied.query(text);
                    assert_eq!(self.held(), "0", "{path}: {text}");
                    continue;
                }
                for set in &set {
                    self.check_path(set, text);
                }
                let option = format!("-c search_path={}", path.replace(' ', "\\ "));
                for parameter in [("search_path", path), ("options", option.as_str())] {
                    self.check_as(ADMIN, &[parameter], text, |client| client.query(text));
                }
            }
        }
    }

    fn check_path(&self, set: &str, text: &str) {
        let mut direct = RawClient::login(self.stack.direct_address(), &self.stack.login(ADMIN));
        let mut proxied = self.proxied(ADMIN, &[]);
        for client in [&mut direct, &mut proxied] {
            client.query("BEGIN");
            client.query("SAVEPOINT s");
            if refused(&client.query(set)) {
                client.query("ROLLBACK TO s");
            }
        }
        direct.query(text);
        assert_eq!(self.held(), "1", "{set}; {text} has no effect");
        drop(direct);
        until(|| (self.held() == "0").then_some(()));
        let answer = proxied.query(text);
        assert!(kinds(&answer).starts_with('E'), "{set}; {text}: {answer:?}");
        assert_eq!(self.held(), "0", "{set}; {text}: {answer:?}");
    }

    /// Numbers of types, those that the catalog does not have among them. No right on the schema is
    /// asked for.
    fn parameters(&self, version: u32) {
        let mut case = 0;
        let mut admin = RawClient::login(self.stack.direct_address(), &self.stack.login(ADMIN));
        for (name, value) in [
            ("OWN.d", "1"),
            ("OWN.d[]", "{1}"),
            ("OWN.c", "(1)"),
            ("OWN.d2", "1"),
            ("OWN.d2[]", "{1}"),
            ("public.upon", "1"),
            ("public.pair", "(1,2)"),
        ] {
            let oid = oid_of(&mut admin, &name.replace("OWN", &self.schema));
            for role in [ADMIN, READER] {
                for text in ["SELECT $1", "SELECT $1 IS NULL", "SELECT takes($1)"] {
                    case += 1;
                    if text.contains("takes") && name != "OWN.d" || !has_case(version, case) {
                        continue;
                    }
                    self.check_as(role, &[], &format!("{text} as {name}"), |client| {
                        let parse = parse_with_type(text, oid);
                        let bind = frames::bind("", "", &[Some(value)], false);
                        let rest = [bind, frames::execute("", 0), frames::sync()].concat();
                        client.send(&[parse, rest].concat());
                        client.until_ready()
                    });
                }
            }
        }
    }

    /// What lasts and is made of what does not.
    fn permanent(&self) {
        for text in [
            "SELECT '1'::public.upon",
            "SELECT '(1,2)'::public.pair",
            "SELECT json_populate_record(NULL::public.pair, '{\"a\": 1}')",
            "SELECT public.takes('1')",
            "SELECT * FROM public.casts",
        ] {
            self.check_as(READER, &[], text, |client| client.query(text));
        }
    }

    /// What clients ask of temporary schemas, with an answer as from the server.
    fn harmless(&self) {
        let mut direct = RawClient::login(self.stack.direct_address(), &self.stack.login(READER));
        let mut proxied = self.proxied(READER, &[]);
        for text in [
            "SHOW search_path",
            "SELECT current_schemas(true)",
            "SELECT pg_my_temp_schema()",
            "SELECT count(*) > 0 FROM pg_namespace WHERE pg_is_other_temp_schema(oid)",
            "SELECT count(*) > 0 FROM pg_namespace WHERE nspname LIKE 'pg\\_temp\\_%'",
            "SELECT to_regclass('pg_temp.tv') IS NULL",
            "SELECT count(*) > 0 FROM pg_class WHERE relname = 'tv' AND relpersistence = 't'",
            "SELECT json_populate_record(NULL::public.plain, '{\"a\": 1}')",
            "DISCARD TEMP",
            "SET search_path = pg_catalog, public, pg_temp",
        ] {
            let (expected, given) = (direct.query(text), proxied.query(text));
            assert_eq!(given, expected, "{text}");
        }
    }

    fn proxied(&self, role: &str, parameters: &[(&str, &str)]) -> RawClient {
        let login = Login {
            parameters,
            ..self.stack.login(role)
        };
        RawClient::login(self.stack.proxied_address(), &login)
    }
}

impl Drop for Scene<'_> {
    /// What lasts and hangs on what does not goes with it.
    fn drop(&mut self) {
        self.owner.query("DISCARD TEMP");
    }
}

fn ask(client: &mut RawClient, text: &str) -> Vec<Frame> {
    let answer = client.query(text);
    assert!(!kinds(&answer).contains('E'), "{text}: {answer:?}");
    answer
}

fn text_of(answer: &[Frame]) -> String {
    let row = answer.iter().find(|frame| frame.kind == b'D').unwrap();
    String::from_utf8_lossy(&row.body[6..]).into_owned()
}

const LASTING: &str = "
    CREATE FUNCTION public.locks(int) RETURNS int LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_lock(4711); RETURN 1; END';
    CREATE TYPE public.plain AS (a int)";

const BEFORE: &str = "
    CREATE TEMP VIEW tv AS SELECT public.locks(1) AS x;
    CREATE FUNCTION pg_temp.f(int) RETURNS int LANGUAGE sql AS 'SELECT public.locks(1)';
    CREATE OPERATOR pg_temp.=== (LEFTARG = int, RIGHTARG = int, FUNCTION = int4pl);
    CREATE DOMAIN pg_temp.d AS int;
    CREATE TYPE pg_temp.c AS (a pg_temp.d);
    CREATE DOMAIN public.upon AS pg_temp.d;
    CREATE TYPE public.pair AS (a pg_temp.d, b int);
    CREATE FUNCTION public.takes(pg_temp.d) RETURNS int LANGUAGE plpgsql IMMUTABLE AS
      'BEGIN RETURN 1; END';
    CREATE VIEW public.casts AS SELECT ('1'::text)::pg_temp.d::int AS x;
    GRANT SELECT ON public.casts TO PUBLIC";

/// Nothing of it makes the catalog be read again.
const AFTER: &str = "
    ALTER DOMAIN pg_temp.d ADD CHECK (public.locks(VALUE) > 0);
    CREATE DOMAIN pg_temp.d2 AS int CHECK (public.locks(1) > 0)";

const STATEMENTS: &[(u32, &str)] = &[
    (13, "SELECT * FROM OWN.tv"),
    (13, "TABLE OWN.tv"),
    (13, "SELECT * FROM \"OWN\".tv"),
    (13, "SELECT count(*) FROM pg_class, OWN.tv"),
    (13, "WITH w AS (SELECT * FROM OWN.tv) SELECT * FROM w"),
    (13, "COPY (SELECT * FROM OWN.tv) TO STDOUT"),
    (13, "SELECT OWN.f(1)"),
    (13, "SELECT '1'::OWN.d"),
    (13, "SELECT CAST('{1}' AS OWN.d[])"),
    (13, "SELECT OWN.d '1'"),
    (13, "SELECT '(1)'::OWN.c"),
    (13, "SELECT '1'::OWN.d2"),
    (13, "SELECT json_populate_record(NULL::OWN.c, '{\"a\": 1}')"),
    (
        13,
        "SELECT * FROM jsonb_populate_recordset(NULL::OWN.c, '[{\"a\": 1}]')",
    ),
    (
        13,
        "SELECT * FROM json_to_record('{\"a\": 1}') AS r (a OWN.d)",
    ),
    (
        13,
        "SELECT * FROM XMLTABLE('/a' PASSING '<a>1</a>' COLUMNS b OWN.d PATH 'text()')",
    ),
    (16, "SELECT pg_input_is_valid('1', 'OWN.d')"),
    (16, "SELECT pg_input_is_valid('1', lower('OWN.D2'))"),
    (16, "SELECT * FROM pg_input_error_info('{1}', 'OWN.d[]')"),
];

const HELD: &str = "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
    WHERE l.locktype = 'advisory' AND d.datname = current_database()";
