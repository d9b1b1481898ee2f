//! The settings of users whose verifiers the upstream is asked for.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use pgsieve::auth::login_secret::LoginSecret;
use pgsieve::auth::settings::{AuthSettings, QueriedIdentity, QuerySettings};
use pgsieve::secret::Secret;
use pgsieve::upstream::pool::PoolMode;

use super::{bad, file, good, written};

fn text(url: &str, query: &str) -> String {
    format!("upstream: {{ url: {url} }}\nclient: {{ auth: {{ method: auth_query{query} }} }}")
}

fn query(text: &str) -> QuerySettings {
    match good(&file(text)).auth {
        AuthSettings::AuthQuery(query) => *query,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_url_s_user_asks_unless_another_is_named() {
    let read = query(&text("'postgres://svc:pw@h/d'", ""));
    assert_eq!(read.function.to_string(), "pgsieve.user_lookup");
    let of_url = (read.account.user.as_str(), read.account.secret);
    assert_eq!(of_url, ("svc", Some(LoginSecret::from(Secret::new("pw")))));
    assert_eq!(read.database, None);
    assert_eq!(read.cache_age, Duration::from_secs(10));
    assert_eq!(read.upstream, QueriedIdentity::Itself);
    let read = good(&file(&text("'postgres://svc@h/d'", "")));
    assert_eq!(read.pool.mode, PoolMode::Transaction);

    let password = written("of asker\n");
    let words = format!(
        ", query: {{ function: My.Lookup, database: roles, user: asker, password_file: {}, \
         cache_age: 1min, upstream_user: url }}",
        password.display()
    );
    let read = query(&text("'postgres://svc:pw@h/d'", &words));
    assert_eq!(read.function.quoted(), "\"My\".\"Lookup\"");
    let asker = (read.account.user.as_str(), read.account.secret);
    assert_eq!(
        asker,
        ("asker", Some(LoginSecret::from(Secret::new("of asker"))))
    );
    assert_eq!(read.database.as_deref(), Some("roles"));
    assert_eq!(read.cache_age, Duration::from_secs(60));
    let QueriedIdentity::One(identity) = read.upstream else {
        panic!("the URL's user was wanted")
    };
    assert_eq!(identity.user, "svc");
    // Its file is a secret as others are.
    fs::set_permissions(&*password, fs::Permissions::from_mode(0o644)).unwrap();
    let exposed = good(&file(&text("'postgres://svc:pw@h/d'", &words))).exposed_files;
    assert_eq!(exposed, ["client.auth.query.password_file"]);
}

#[test]
fn what_cannot_be_asked_for_verifiers_is_told_with_its_key() {
    let own = "'postgres://svc@h/d'";
    for (url, words, told) in [
        (
            "'postgres://h/d'",
            "",
            "needs client.auth.query.user, or a user in upstream.url",
        ),
        (
            own,
            ", query: { function: lookup }",
            "a function is wanted as schema.name",
        ),
        (
            own,
            ", query: { function: 'a.b(1)--.c' }",
            "a function is wanted as schema.name",
        ),
        (
            own,
            ", query: { cache_age: 0s }",
            "client.auth.query.cache_age",
        ),
        (
            own,
            ", query: { cache_age: 10min }",
            "client.auth.query.cache_age",
        ),
        (
            own,
            ", query: { upstream_user: other }",
            "client.auth.query.upstream_user",
        ),
        (
            own,
            ", query: { upstream_user: url }",
            "has to be another role than the URL's",
        ),
        (
            own,
            ", query: { upstream_user: url, user: svc }",
            "has to be another role",
        ),
        (
            "'postgres://h/d'",
            ", query: { upstream_user: url, user: a }",
            "needs a user in upstream",
        ),
        (
            own,
            ", users: [{ name: ann }]",
            "is only for client.auth.method scram",
        ),
    ] {
        let problems = bad(&file(&text(url, words)));
        assert!(problems.contains(told), "{words}: {problems}");
    }
    let password = written("x\n");
    let words = format!(", query: {{ password_file: {} }}", password.display());
    let problems = bad(&file(&text(own, &words)));
    assert!(problems.contains("which is not given"), "{problems}");
    let other = format!(
        "upstream: {{ url: {own} }}\nclient: {{ auth: {{ method: trust, query: {{ user: a }} }} }}"
    );
    let problems = bad(&file(&other));
    assert!(
        problems.contains("is only for client.auth.method auth_query"),
        "{problems}"
    );
}
