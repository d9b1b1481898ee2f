//! `client.auth.disabled`: users who may not log in, whatever the method, once they have proved who
//! they are; and a reload that ends their sessions and nobody else's.

use pgsieve::demo::cluster::random_name;

use crate::settings::reload::{Rig, folder, made, place, psql, role, verifier, with_users, write};
use crate::support::RawClient;
use crate::support::raw::{Login, kinds};
use crate::support::shared::shared_cluster;

/// What somebody hears who logs in: an empty text is well.
fn heard(rig: &Rig, user: &str, password: &str) -> String {
    let login = Login {
        user,
        password,
        database: rig.stack.database(),
        parameters: &[],
    };
    match RawClient::try_login(rig.stack.proxied_address(), &login) {
        Ok(_) => String::new(),
        Err(error) => format!(
            "{} {}",
            error.sqlstate(),
            String::from_utf8_lossy(&error.body).replace('\0', " ")
        ),
    }
}

#[test]
fn a_disabled_user_of_passthrough_is_refused_after_the_upstream_has_its_proof() {
    let mut rig = Rig::start(
        folder(),
        "upstream: {url: '{upstream}'}\nclient: {auth: {disabled: [nobody_at_all]}}\n",
    );
    let (ann, ben) = (role(&rig.stack, "a"), role(&rig.stack, "b"));
    let (mut of_ann, mut of_ben) = (rig.login(&ann, "a").unwrap(), rig.login(&ben, "b").unwrap());
    rig.edit("[nobody_at_all]", &format!("[nobody_at_all, {ann}]"));
    rig.reload("loaded");
    let last = of_ann.until_closed();
    assert_eq!(last.last().unwrap().sqlstate(), "57P01");
    assert_eq!(kinds(&of_ben.query("SELECT 1")), "TDCZ");
    let refused = heard(&rig, &ann, "a");
    assert!(refused.starts_with("28000"), "{refused}");
    assert!(
        refused.contains(&format!("user \"{ann}\" is disabled")),
        "{refused}"
    );
    // Who proves nothing hears nothing of it.
    assert!(heard(&rig, &ann, "wrong").starts_with("28P01"));
    assert_eq!(heard(&rig, &ben, "b"), "");
    let event = rig
        .stack
        .audited(|event| event["event"] == "settings_read" && event["sessions_ended"] == 1);
    assert_eq!(event["changed"], "client.auth.disabled");
    // A name is compared letter by letter; a pattern bars whom it fits.
    rig.edit(&format!(", {ann}]"), &format!(", {}]", ann.to_uppercase()));
    rig.reload("loaded");
    assert_eq!(heard(&rig, &ann, "a"), "");
    let (pattern, _) = ben.split_at(ben.len() - 1);
    rig.edit(&ann.to_uppercase(), &format!("'{pattern}*'"));
    rig.reload("loaded");
    assert!(heard(&rig, &ben, "b").contains("is disabled"));
    assert_eq!(heard(&rig, &ann, "a"), "");
    assert_eq!(of_ben.until_closed().last().unwrap().sqlstate(), "57P01");
}

#[test]
fn a_disabled_user_of_a_list_hears_what_one_hears_that_the_list_disables() {
    let folder = folder();
    write(&folder, "app", "app");
    let user = |name: &str, more: &str| {
        write(&folder, name, &verifier(name));
        format!(
            "      - {{name: {name}, verifier_file: '{{own}}/{name}', upstream_user: app, \
             upstream_password_file: '{{own}}/app'{more}}}\n"
        )
    };
    let users = [
        user("ann", ""),
        user("ben", ""),
        user("eve", ", disabled: true"),
    ]
    .concat();
    let text = with_users(&users).replace(
        "    method: scram\n",
        "    method: scram\n    disabled: [ann, app]\n",
    );
    let mut rig = Rig::start(folder.clone(), &text);
    let [ann, eve] = ["ann", "eve"].map(|name| heard(&rig, name, name).replace(name, "NAME"));
    assert!(ann.starts_with("28P01"), "{ann}");
    assert_eq!(ann, eve);
    // Whom a user is at the upstream does not matter.
    assert_eq!(heard(&rig, "ben", "ben"), "");
    let mut ben = rig.login("ben", "ben").unwrap();
    rig.edit("[ann, app]", "ben");
    rig.reload("loaded");
    assert_eq!(ben.until_closed().last().unwrap().sqlstate(), "57P01");
    assert_eq!(heard(&rig, "ann", "ann"), "");
    assert!(heard(&rig, "ben", "ben").starts_with("28P01"));
}

#[test]
fn a_disabled_user_of_trust_is_refused() {
    let text = format!(
        "upstream: {{url: 'postgres://app:app@127.0.0.1:{}/{{database}}'}}\nclient: {{auth: {{method: \
         trust, disabled: ['agent_*']}}}}\n",
        shared_cluster().port()
    );
    let mut rig = Rig::start(folder(), &text);
    let refused = heard(&rig, "agent_7", "");
    assert!(
        refused.contains("user \"agent_7\" is disabled"),
        "{refused}"
    );
    assert_eq!(heard(&rig, "ann", ""), "");
    let (mut ann, mut ben) = (rig.login("ann", "").unwrap(), rig.login("ben", "").unwrap());
    rig.edit("['agent_*']", "ann");
    rig.reload("loaded");
    assert_eq!(ann.until_closed().last().unwrap().sqlstate(), "57P01");
    assert_eq!(kinds(&ben.query("SELECT 1")), "TDCZ");
    assert_eq!(heard(&rig, "agent_7", ""), "");
}

#[test]
fn a_disabled_user_of_certificates_is_refused_with_a_good_one() {
    let folder = folder();
    let certificates = made("ann");
    place(&certificates, &folder);
    write(&folder, "app", "app");
    let mut rig = Rig::start(
        folder,
        "upstream: {url: '{upstream}'}\nclient:\n  tls: {mode: require, certificate: \
         '{own}/server.crt', key: '{own}/server.key', client_ca: '{own}/ca.crt'}\n  auth: {method: \
         cert, disabled: [somebody], users: [{name: ann, upstream_user: app, \
         upstream_password_file: '{own}/app'}]}\n",
    );
    let url = format!(
        "postgresql://ann@localhost:{}/{}?sslmode=verify-full&sslrootcert={}&sslcert={}&sslkey={}",
        rig.stack.proxied_address().port(),
        rig.stack.database(),
        certificates.authority.display(),
        certificates.client.display(),
        certificates.client_key.display()
    );
    assert!(psql(&url, "").status.success());
    rig.edit("[somebody]", "[ann]");
    rig.reload("loaded");
    let ended = psql(&url, "");
    let told = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(!ended.status.success());
    assert!(
        told.contains("certificate authentication failed for user \"ann\""),
        "{told}"
    );
}

#[test]
fn what_is_no_list_of_names_is_refused_at_the_start() {
    let folder = folder().join(random_name().unwrap());
    std::fs::create_dir_all(&folder).unwrap();
    for (disabled, wanted) in [
        ("[]", "client.auth.disabled"),
        ("[{name: ann}]", "client.auth.disabled"),
        ("", "client.auth.disabled"),
    ] {
        let text = format!(
            "upstream: {{url: 'postgres://app@127.0.0.1:5/x'}}\nclient:\n  auth:\n    disabled: \
             {disabled}\n"
        );
        write(&folder, "s.yaml", &text);
        let file = folder.join("s.yaml").display().to_string();
        let ended = crate::support::command::pgsieve(&["serve", "--config", &file], "");
        let told = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(2), "{disabled}: {told}");
        assert!(
            told.contains("s.yaml:4:") && told.contains(wanted),
            "{told}"
        );
    }
}
