//! What pgsieve says at its start of settings that work and should be mended.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use pgsieve::auth::verifier::ScramVerifier;
use pgsieve::demo::cluster::random_name;
use pgsieve::secret::Secret;
use rcgen::{CertificateParams, KeyPair, date_time_ymd};

use crate::support::{ADMIN, APP, Options, READER, RawClient, Stack, until};

/// A certificate of its own that ends at the beginning of a year, and its key.
fn certificate(folder: &Path, name: &str, year: i32) -> (PathBuf, PathBuf) {
    let mut parameters = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    parameters.not_before = date_time_ymd(1990, 1, 1);
    parameters.not_after = date_time_ymd(year, 1, 1);
    let key = KeyPair::generate().unwrap();
    let own = parameters.self_signed(&key).unwrap();
    let at = |end: &str| folder.join(format!("{name}.{end}"));
    fs::write(at("crt"), own.pem()).unwrap();
    fs::write(at("key"), key.serialize_pem()).unwrap();
    fs::set_permissions(at("key"), fs::Permissions::from_mode(0o600)).unwrap();
    (at("crt"), at("key"))
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn stack(text: &str) -> Stack {
    Stack::start(Options {
        config: Some(format!(
            "admin:\n  listen: '{{admin}}'\nupstream:\n  url: '{{upstream}}'\n{text}"
        )),
        ..Options::default()
    })
}

/// The lines of the log with this name.
fn said(stack: &Stack, name: &str) -> Vec<String> {
    let said = stack.stderr();
    let lines = said.lines().filter_map(|line| {
        let (_, rest) = line.split_once(" warn ")?;
        rest.starts_with(&format!("{name}: "))
            .then(|| rest.to_owned())
    });
    lines.collect()
}

#[test]
fn certificates_that_have_expired_are_told_and_measured() {
    let folder = folder("expired");
    let (old, key) = certificate(&folder, "old", 2001);
    let (good, _) = certificate(&folder, "good", 2040);
    let stack = stack(&format!(
        "listen: '{{listen}}'\nclient:\n  tls:\n    certificate: {}\n    key: {}\n    client_ca: {}\n",
        old.display(),
        key.display(),
        good.display()
    ));
    let found = said(&stack, "certificate_expired");
    assert_eq!(found.len(), 1, "{}", stack.stderr());
    let wanted = "certificate_expired: client.tls.certificate: a certificate has expired at \
                  2001-01-01T00:00:00Z";
    assert!(found[0].starts_with(wanted), "{found:?}");
    assert!(!stack.stderr().contains("old.crt"), "{}", stack.stderr());
    let ends = |which: &str| {
        stack.metric(&format!(
            "pgsieve_certificate_expiry_timestamp_seconds{{certificate=\"{which}\"}}"
        ))
    };
    assert_eq!(ends("client_listener"), 978_307_200.0);
    assert_eq!(ends("client_authority"), 2_208_988_800.0);
    let (_, all) = stack.get("/metrics");
    let lines = all
        .lines()
        .filter(|line| line.starts_with("pgsieve_certificate_expiry"));
    assert_eq!(lines.count(), 2, "what is not held has no end");
}

#[test]
fn good_settings_are_not_warned_of() {
    let folder = folder("good");
    let (good, key) = certificate(&folder, "good", 2040);
    let stack = stack(&format!(
        "listen: '{{listen}}'\nclient:\n  tls: {{certificate: {}, key: {}}}\n",
        good.display(),
        key.display()
    ));
    let all = stack.stderr();
    assert!(!all.contains(" warn "), "{all}");
}

#[test]
fn listening_for_everybody_in_clear_is_told() {
    let stack = stack("listen: ['{listen}', '0.0.0.0:0', '[::]:0']\n");
    let found = said(&stack, "listening_without_tls");
    assert_eq!(found.len(), 2, "{}", stack.stderr());
    assert!(found[0].starts_with("listening_without_tls: listen: 0.0.0.0:0 can be reached"));
    assert!(found[1].starts_with("listening_without_tls: listen: [::]:0 can be reached"));
}

#[test]
fn users_without_a_policy_are_told_at_the_start_and_when_policies_change() {
    let folder = folder("unfit");
    let policy = folder.join("policy.yaml");
    let agent = include_str!("../../../policies/agent.yaml");
    let write = |users: &str| {
        fs::write(&policy, format!("{agent}\nmatch: {{user: {users}}}\n")).unwrap();
    };
    write("[ann, nobody]");
    let verifier = ScramVerifier::make(&Secret::new("x")).unwrap();
    let users = ["ann", "bob"].map(|name| format!("{{name: {name}, verifier: '{verifier}'}}"));
    let stack = stack(&format!(
        "listen: '{{listen}}'\npolicy: {{file: {}}}\n\
         client: {{auth: {{method: scram, users: [{}]}}}}\n",
        policy.display(),
        users.join(", ")
    ));
    let found = said(&stack, "user_without_policy");
    assert_eq!(found.len(), 1, "{}", stack.stderr());
    let wanted = "user_without_policy: client.auth.users: no policy matches \"bob\": ";
    assert!(found[0].starts_with(wanted), "{found:?}");
    write("bob");
    let second = until(|| said(&stack, "user_without_policy").get(1).cloned());
    let second = second.unwrap_or_else(|| panic!("{}", stack.stderr()));
    assert!(second.contains("no policy matches \"ann\": "), "{second}");
    write("[ann, bob]");
    let loads = || stack.metric("pgsieve_policy_reloads_total{outcome=\"loaded\"}");
    assert!(until(|| (loads() == 2.0).then_some(())).is_some());
    assert_eq!(said(&stack, "user_without_policy").len(), 2);
}

/// Settings whose catalog, and whose user ann, log in at the upstream with these roles.
fn as_role(folder: &Path, reader: &str, role: &str, policy: &str) -> Stack {
    let verifier = ScramVerifier::make(&Secret::new("x")).unwrap();
    let password = |name: &str| {
        let file = folder.join(format!("{name}.password"));
        fs::write(&file, name).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        file.display().to_string()
    };
    let auth = match role {
        "" => String::new(),
        role => format!(
            "client: {{auth: {{method: scram, users: [{{name: ann, verifier: '{verifier}', \
             upstream_user: {role}, upstream_password_file: {}}}]}}}}\n",
            password(role)
        ),
    };
    stack(&format!(
        "listen: '{{listen}}'\npolicy: {{file: {policy}}}\ncatalog: {{user: {reader}, \
         password_file: {}}}\n{auth}",
        password(reader)
    ))
}

#[test]
fn logins_at_the_upstream_that_hold_too_much_are_told() {
    let folder = folder("roles");
    let stack = as_role(&folder, READER, ADMIN, "agent");
    let found = until(|| said(&stack, "upstream_superuser").pop());
    let found = found.unwrap_or_else(|| panic!("{}", stack.stderr()));
    let wanted = format!("upstream_superuser: upstream.url: {ADMIN:?} may do everything");
    assert!(found.starts_with(&wanted), "{found}");
    assert_eq!(said(&stack, "user_without_policy"), [""; 0]);
    // The role of the tests that owns the sample is a member; it owns nothing itself.
    let stack = as_role(&folder, ADMIN, READER, "agent");
    let loaded = until(|| stack.stderr().contains("catalog of").then_some(()));
    assert!(loaded.is_some(), "{}", stack.stderr());
    for name in [
        "upstream_superuser",
        "upstream_owner",
        "user_without_policy",
    ] {
        assert_eq!(said(&stack, name), [""; 0], "{name}");
    }
}

#[test]
fn superusers_among_clients_are_told_of_once_each() {
    let stack = stack("listen: '{listen}'\n");
    let login = |user: &str| {
        drop(RawClient::login(
            stack.proxied_address(),
            &stack.login(user),
        ))
    };
    for user in [APP, READER] {
        login(user);
    }
    let superuser = format!("r_{}", random_name().unwrap().replace('-', "_"));
    stack.prepare(&[&format!(
        "CREATE ROLE {superuser} LOGIN SUPERUSER PASSWORD '{superuser}'"
    )]);
    for user in [ADMIN, ADMIN, &superuser, ADMIN, &superuser] {
        login(user);
    }
    let told = said(&stack, "upstream_superuser");
    let [first, second] = told.as_slice() else {
        panic!("{}", stack.stderr())
    };
    let wanted = |role: &str| {
        format!("upstream_superuser: client.auth.method: {role:?} has logged in as a superuser")
    };
    assert!(first.starts_with(&wanted(ADMIN)), "{first}");
    assert!(second.starts_with(&wanted(&superuser)), "{second}");
    stack.prepare(&[&format!("DROP ROLE {superuser}")]);
}

#[test]
fn a_login_at_the_upstream_that_owns_relations_is_told() {
    let owned = Stack::start(Options::default());
    let owner = format!("r_{}", random_name().unwrap().replace('-', "_"));
    owned.prepare(&[
        &format!("CREATE ROLE {owner} LOGIN PASSWORD '{owner}'"),
        "CREATE TABLE public.owned (id int)",
        &format!("ALTER TABLE public.owned OWNER TO {owner}"),
    ]);
    let folder = folder("owner");
    let file = folder.join("owner.password");
    fs::write(&file, &owner).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let verifier = ScramVerifier::make(&Secret::new("x")).unwrap();
    let stack = Stack::start(Options {
        config: Some(format!(
            "admin: {{listen: '{{admin}}'}}\nlisten: '{{listen}}'\nupstream: {{url: \
             'postgres://{}/{}'}}\ncatalog: {{user: {owner}, password_file: {file}}}\nclient: \
             {{auth: {{method: scram, users: [{{name: ann, verifier: '{verifier}', upstream_user: \
             {owner}, upstream_password_file: {file}}}]}}}}\n",
            owned.direct_address(),
            owned.database(),
            file = file.display()
        )),
        ..Options::default()
    });
    let found = until(|| said(&stack, "upstream_owner").pop());
    let found = found.unwrap_or_else(|| panic!("{}", stack.stderr()));
    let wanted = format!("upstream_owner: upstream.url: {owner:?} owns relations of the database");
    assert!(found.starts_with(&wanted), "{found}");
    assert_eq!(said(&stack, "upstream_superuser"), [""; 0]);
}

#[test]
fn roles_that_log_in_as_themselves_and_have_no_policy_are_told() {
    let folder = folder("themselves");
    let policy = folder.join("policy.yaml");
    let agent = include_str!("../../../policies/agent.yaml");
    fs::write(
        &policy,
        format!("{agent}\nmatch: {{user: [{APP}, {ADMIN}]}}\n"),
    )
    .unwrap();
    // Others make roles at this server as well, and only the first of them are named.
    let first = "!nobody";
    Stack::shared().prepare(&[&format!(
        "DO $$ BEGIN CREATE ROLE \"{first}\" LOGIN; \
         EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
    )]);
    let stack = as_role(&folder, READER, "", &policy.display().to_string());
    let found = until(|| said(&stack, "user_without_policy").pop());
    let found = found.unwrap_or_else(|| panic!("{}", stack.stderr()));
    let wanted = "user_without_policy: policy.file: no policy matches ";
    assert!(
        found.starts_with(wanted) && found.contains(&format!("{first:?}")),
        "{found}"
    );
    assert!(!found.contains(&format!("{APP:?}")), "{found}");
}
