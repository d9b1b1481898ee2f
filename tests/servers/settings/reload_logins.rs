//! Another way of logging in, and other attributes of users, while sessions are open.

use std::fs;

use super::reload::{Rig, folder, verifier, write};
use crate::limits::results::told;
use crate::support::raw::kinds;
use crate::support::{APP, READER, until};

#[test]
fn another_method_holds_for_the_next_login_and_ends_sessions_whose_users_it_does_not_list() {
    let folder = folder();
    write(&folder, "app", APP);
    write(&folder, "ann", &verifier("ann"));
    let passthrough = "client: {auth: {method: passthrough}}";
    let mut rig = Rig::start(
        folder.clone(),
        &format!("upstream: {{url: '{{upstream}}'}}\n{passthrough}\n"),
    );
    let user = |name: &str| {
        format!(
            "{{name: {name}, verifier_file: {own}/ann, upstream_user: app, upstream_password_file: \
             {own}/app}}",
            own = folder.display()
        )
    };
    let scram = format!(
        "client: {{auth: {{method: scram, users: [{}, {}]}}}}",
        user("ann"),
        user(READER)
    );
    let mut app = rig.login(APP, APP).unwrap();
    let mut reader = rig.login(READER, READER).unwrap();
    rig.edit(passthrough, &scram);
    rig.reload("loaded");
    assert_eq!(app.until_closed().last().unwrap().sqlstate(), "57P01");
    assert_eq!(kinds(&reader.query("SELECT 1")), "TDCZ");
    assert_eq!(rig.try_login(APP, APP), "28P01");
    assert_eq!(rig.try_login(READER, READER), "28P01");
    let mut ann = rig.login("ann", "ann").unwrap();
    rig.edit(&scram, passthrough);
    rig.reload("loaded");
    assert_eq!(rig.try_login("ann", "ann"), "28P01");
    assert_eq!(rig.try_login(APP, APP), "");
    // Passthrough lists nobody, so that whoever is in stays in.
    assert_eq!(kinds(&ann.query("SELECT 1")), "TDCZ");
    let read = rig
        .stack
        .audited(|event| event["event"] == "settings_read" && event["sessions_ended"] == 1);
    let changed = read["changed"].as_str().unwrap();
    assert!(
        changed.starts_with("client.auth.method, client.auth.users"),
        "{changed}"
    );
}

#[test]
fn other_attributes_hold_for_the_next_login() {
    let folder = folder();
    fs::create_dir(folder.join("policies")).unwrap();
    for (name, keys) in [
        (
            "sales",
            "match: {attributes: {team: sales}}\nrelations: {deny: [public.secret]}",
        ),
        ("rest", ""),
    ] {
        let bi = include_str!("../../../policies/bi.yaml");
        let text = bi.replace("\nname: bi\n", &format!("\nname: {name}\n"));
        let file = folder.join("policies").join(format!("{name}.yaml"));
        fs::write(file, format!("{text}\n{keys}\n")).unwrap();
    }
    let mut rig = Rig::start(
        folder,
        "upstream: {url: '{upstream}'}\npolicy: {file: '{own}/policies'}\nclient: {auth: \
         {attributes: {app: {team: hr}}}}\n",
    );
    rig.stack.prepare(&[
        "CREATE TABLE public.secret AS SELECT 7 AS id",
        "GRANT SELECT ON public.secret TO PUBLIC",
    ]);
    const READ: &str = "SELECT id FROM public.secret";
    const SHOWN: &str = "T D1 C[SELECT 1] ZI";
    let mut before = rig.login(APP, APP).unwrap();
    let knows = until(|| (told(&before.query(READ)) == SHOWN).then_some(()));
    assert!(knows.is_some());
    rig.edit("team: hr", "team: sales");
    rig.reload("loaded");
    let mut after = rig.login(APP, APP).unwrap();
    assert_eq!(told(&after.query(READ)), "E42501 ZI");
    assert_eq!(told(&before.query(READ)), SHOWN);
    assert_eq!(told(&rig.login(READER, READER).unwrap().query(READ)), SHOWN);
    rig.edit("team: sales", "team: [a]");
    rig.reload("rejected");
    assert_eq!(told(&rig.login(APP, APP).unwrap().query(READ)), "E42501 ZI");
}
