//! Policies by what a session's role is a member of: at its login, while it runs, and where nobody
//! knows.

use std::fs;
use std::path::PathBuf;

use pgsieve::demo::cluster::{PrivateCluster, random_name};

use crate::limits::results::told;
use crate::support::raw::{Frame, Login};
use crate::support::shared::shared_cluster_of;
use crate::support::{ADMIN, APP, Options, READER, RawClient, Stack, VERSIONS, frames, until};

/// Names that no other test has: roles belong to all databases of a cluster.
struct Names {
    folder: PathBuf,
    team: String,
    inner: String,
    user: String,
}

impl Names {
    /// Policies in a folder of their own, each its name and its keys beside those of bi; `TEAM` is
    /// a role.
    fn of(policies: &[(&str, &str)]) -> Self {
        let own = random_name().unwrap().replace('-', "_");
        let folder = std::env::temp_dir().join(format!("pgsieve-it-{own}"));
        fs::create_dir(&folder).unwrap();
        let names = Self {
            folder,
            team: format!("team_{own}"),
            inner: format!("inner_{own}"),
            user: format!("user_{own}"),
        };
        policies.iter().for_each(|policy| names.write(policy));
        names
    }

    fn write(&self, (name, keys): &(&str, &str)) {
        let bi = include_str!("../../../policies/bi.yaml");
        let text = bi.replace("\nname: bi\n", &format!("\nname: {name}\n"));
        let keys = keys.replace("TEAM", &self.team);
        let file = self.folder.join(format!("{name}.yaml"));
        fs::write(file, format!("{text}\n{keys}\n")).unwrap();
    }

    fn stack(&self, more: &str) -> Stack {
        self.stack_on(more, None)
    }

    fn stack_on(&self, more: &str, cluster: Option<&'static PrivateCluster>) -> Stack {
        let folder = self.folder.display();
        let stack = Stack::start_unready(Options {
            config: Some(format!(
                "upstream:\n  url: {{upstream}}\nlisten: {{listen}}\nadmin:\n  listen: {{admin}}\n\
                 policy:\n  file: {folder}\n{more}"
            )),
            cluster,
            ..Options::default()
        });
        until(|| stack.get("/healthz").0.eq(&200).then_some(())).expect("it answers");
        stack.prepare(&[
            "CREATE TABLE public.secret AS SELECT 7 AS id",
            "GRANT SELECT ON public.secret TO PUBLIC",
        ]);
        self.run(&stack, &["CREATE ROLE TEAM", "CREATE ROLE INNER"]);
        stack
    }

    /// Runs statements as a superuser, with the names of this test.
    fn run(&self, stack: &Stack, statements: &[&str]) {
        let named = |sql: &&str| {
            sql.replace("TEAM", &self.team)
                .replace("INNER", &self.inner)
                .replace("USER_", &self.user)
        };
        let named: Vec<String> = statements.iter().map(named).collect();
        let named: Vec<&str> = named.iter().map(String::as_str).collect();
        stack.prepare(&named);
    }
}

impl Drop for Names {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.folder));
    }
}

const MEMBERS: (&str, &str) = (
    "members",
    "match: {role_member: TEAM}\nrelations: {deny: [public.secret]}",
);
const REST: (&str, &str) = ("rest", "mode: enforce");
const READ: &str = "SELECT id FROM public.secret";
const SHOWN: &str = "T D1 C[SELECT 1] ZI";
const DENIED: &str = "E42501 ZI";

/// A session of that user. Where the first load of a catalog takes longer than a login waits for
/// it, the login is refused, and comes again.
fn login(stack: &Stack, user: &str) -> RawClient {
    let come = || match RawClient::try_login(stack.proxied_address(), &stack.login(user)) {
        Ok(client) => Some(client),
        Err(error) if error.sqlstate() == "57P03" => None,
        Err(error) => panic!("{user}: {error:?}"),
    };
    until(come).expect("a session")
}

/// What a statement says once the table is known.
fn said(client: &mut RawClient) -> String {
    let waits = |said: &String| said.contains("E55000") || said.contains("E42P01");
    until(|| Some(told(&client.query(READ))).filter(|said| !waits(said))).expect("an answer")
}

/// Waits until it says that.
#[track_caller]
fn comes_to(client: &mut RawClient, wanted: &str) {
    let mut last = String::new();
    let came = until(|| {
        last = told(&client.query(READ));
        (last == wanted).then_some(())
    });
    assert!(came.is_some(), "{last} instead of {wanted}");
}

fn refused(stack: &Stack, user: &str) -> Frame {
    match RawClient::try_login(stack.proxied_address(), &stack.login(user)) {
        Ok(_) => panic!("{user} is in"),
        Err(error) => error,
    }
}

#[test]
fn the_first_login_already_knows_what_its_role_is_a_member_of() {
    let names = Names::of(&[MEMBERS, REST]);
    let stack = names.stack("");
    names.run(&stack, &["GRANT TEAM TO INNER", "GRANT INNER TO app"]);
    let mut app = login(&stack, APP);
    assert_eq!(said(&mut app), DENIED);
    let line = stack.get("/readyz").1;
    assert!(line.contains(": loaded, age "), "{line}");
}

#[test]
fn members_are_those_who_were_granted_a_role_over_whatever_way() {
    let names = Names::of(&[MEMBERS, REST]);
    let stack = names.stack("");
    names.run(
        &stack,
        &[
            "GRANT TEAM TO INNER",
            "GRANT INNER TO app",
            "ALTER ROLE TEAM LOGIN PASSWORD 'TEAM'",
            "CREATE ROLE USER_ LOGIN NOINHERIT PASSWORD 'USER_' IN ROLE INNER",
        ],
    );
    for (user, says) in [
        (APP, DENIED),
        (&names.user, DENIED),
        (&names.team, DENIED),
        (READER, SHOWN),
        // Who may everything is a member of nothing by that.
        (ADMIN, SHOWN),
    ] {
        assert_eq!(said(&mut login(&stack, user)), says, "{user}");
    }
}

#[test]
fn grants_and_revokes_reach_sessions_that_run() {
    let names = Names::of(&[MEMBERS, REST]);
    let stack = names.stack("catalog:\n  poll_interval: 1s\n");
    let (mut client, mut prepared) = (login(&stack, READER), login(&stack, READER));
    assert_eq!(said(&mut client), SHOWN);
    prepared.send(&[frames::parse("s", READ), frames::sync()].concat());
    assert_eq!(told(&prepared.until_ready()), "1 ZI");
    let run = [
        frames::bind("", "s", &[], false),
        frames::execute("", 0),
        frames::sync(),
    ];
    prepared.send(&run.concat());
    assert_eq!(told(&prepared.until_ready()), "2 D1 C[SELECT 1] ZI");
    names.run(&stack, &["GRANT TEAM TO INNER", "GRANT INNER TO reader"]);
    comes_to(&mut client, DENIED);
    prepared.send(&run.concat());
    assert_eq!(told(&prepared.until_ready()), DENIED);
    assert_eq!(said(&mut login(&stack, READER)), DENIED);
    names.run(&stack, &["REVOKE TEAM FROM INNER"]);
    comes_to(&mut client, SHOWN);
    prepared.send(&run.concat());
    assert_eq!(told(&prepared.until_ready()), "2 D1 C[SELECT 1] ZI");
}

#[test]
fn without_a_catalog_nothing_wider_stands_in() {
    let names = Names::of(&[("a_reader", "match: {user: reader}"), MEMBERS, REST]);
    let stack = names.stack("catalog:\n  mode: off\n");
    for user in [APP, ADMIN] {
        let error = refused(&stack, user);
        assert_eq!(error.sqlstate(), "57P03");
        let message = error.field(b'M').unwrap();
        assert!(
            message.contains("roles that decide which policy"),
            "{message}"
        );
        assert!(error.field(b'H').is_some());
    }
    // What comes before is not asked, and who proves nothing hears nothing of policies.
    assert_eq!(told(&login(&stack, READER).query("SELECT 1")), SHOWN);
    let wrong = Login {
        password: "wrong",
        ..stack.login(APP)
    };
    let Err(error) = RawClient::try_login(stack.proxied_address(), &wrong) else {
        panic!("a wrong password");
    };
    assert_eq!(error.sqlstate(), "28P01");
}

#[test]
fn the_options_of_a_grant_change_nothing() {
    for version in VERSIONS.iter().filter(|version| **version >= 16) {
        let Some(cluster) = shared_cluster_of(*version) else {
            continue;
        };
        for options in [
            "INHERIT FALSE, SET FALSE",
            "INHERIT TRUE, SET FALSE",
            "INHERIT FALSE, SET TRUE",
            "ADMIN TRUE, INHERIT FALSE, SET FALSE",
        ] {
            let names = Names::of(&[MEMBERS, REST]);
            let stack = names.stack_on("", Some(cluster));
            let grant = format!("GRANT TEAM TO USER_ WITH {options}");
            let create = "CREATE ROLE USER_ LOGIN PASSWORD 'USER_'";
            names.run(&stack, &[create, &grant]);
            let said = said(&mut login(&stack, &names.user));
            assert_eq!(said, DENIED, "{version} {options}");
        }
    }
}

#[test]
fn a_policy_that_comes_while_sessions_run_finds_their_roles() {
    let names = Names::of(&[REST]);
    let stack = names.stack("catalog:\n  poll_interval: 1s\n");
    names.run(&stack, &["GRANT TEAM TO app"]);
    let (mut app, mut reader) = (login(&stack, APP), login(&stack, READER));
    assert_eq!(said(&mut app), SHOWN);
    names.write(&MEMBERS);
    comes_to(&mut app, DENIED);
    assert_eq!(said(&mut reader), SHOWN);
}

#[test]
fn a_role_that_is_renamed_or_gone_has_no_members() {
    let names = Names::of(&[MEMBERS, REST]);
    let stack = names.stack("catalog:\n  poll_interval: 1s\n");
    names.run(&stack, &["GRANT TEAM TO app"]);
    let mut app = login(&stack, APP);
    assert_eq!(said(&mut app), DENIED);
    names.run(&stack, &["ALTER ROLE TEAM RENAME TO TEAM_x"]);
    comes_to(&mut app, SHOWN);
    names.run(&stack, &["ALTER ROLE TEAM_x RENAME TO TEAM"]);
    comes_to(&mut app, DENIED);
    names.run(&stack, &["DROP ROLE TEAM"]);
    comes_to(&mut app, SHOWN);
}
