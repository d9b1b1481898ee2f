//! The settings of tokens that are taken as passwords.

use pgsieve::auth::settings::{AuthSettings, KeysFrom, OidcPeople, OnExpiry};

use super::{bad, file, good, written};

/// Keys of an issuer, with one that can be used.
const JWKS: &str = r#"{"keys": [{"kty": "OKP", "kid": "k", "crv": "Ed25519",
    "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;

fn oidc(keys: &str) -> String {
    format!(
        "upstream: {{ url: 'postgres://svc@h/d' }}\nclient:\n  auth:\n    method: oidc\n    oidc:\n{keys}"
    )
}

#[test]
fn tokens_are_taken_as_the_settings_say() {
    let keys = written(JWKS);
    let text = oidc(&format!(
        "      issuer: https://id.example.org\n      audience: sieve\n      keys: {}\n      \
         attributes: {{tenant: tid}}\n      clock_skew: 1min\n      expired_sessions: stay\n",
        keys.display()
    ));
    let AuthSettings::Oidc(settings) = good(&file(&text)).auth else {
        panic!("oidc was asked for")
    };
    assert_eq!(settings.expected.issuer, "https://id.example.org");
    assert_eq!(settings.expected.audience, "sieve");
    assert_eq!(settings.expected.user_claim, "sub");
    assert_eq!(settings.expected.clock_skew, 60);
    assert_eq!(settings.expected.attributes["tenant"], "tid");
    assert_eq!(settings.on_expiry, OnExpiry::Stay);
    let OidcPeople::Everybody(identity) = &settings.people else {
        panic!("nobody is listed")
    };
    assert_eq!(identity.user, "svc");
    let url = oidc(
        "      issuer: i\n      audience: a\n      keys: 'https://id.example.org/k'\n    \
         users: [{name: ann, upstream_user: app}]\n",
    );
    let AuthSettings::Oidc(settings) = good(&file(&url)).auth else {
        panic!("oidc was asked for")
    };
    assert!(matches!(
        settings.keys,
        KeysFrom::Url {
            authority: None,
            ..
        }
    ));
    assert_eq!(settings.on_expiry, OnExpiry::End);
    let OidcPeople::Listed(users) = &settings.people else {
        panic!("one is listed")
    };
    assert_eq!(users[0].upstream.user, "app");
}

#[test]
fn what_is_wrong_with_tokens_is_told_with_its_key() {
    let (keys, none) = (written(JWKS), written("{}"));
    let (keys, none) = (keys.display(), none.display());
    let own = |more: &str| {
        oidc(&format!(
            "      issuer: i\n      audience: a\n      keys: {keys}\n{more}"
        ))
    };
    let of = |keys: &str| {
        oidc(&format!(
            "      issuer: i\n      audience: a\n      keys: {keys}\n"
        ))
    };
    for (text, wanted) in [
        (
            oidc("      issuer: i\n"),
            "client.auth.oidc.audience: is required",
        ),
        (
            oidc("      issuer: i\n"),
            "client.auth.oidc.keys: is required",
        ),
        (
            oidc("      audience: a\n"),
            "client.auth.oidc.issuer: is required",
        ),
        (of("'http://id.example.org/k'"), "https:// is wanted"),
        (
            of("'https://ann:pw@id.example.org/k'"),
            "holds a user or a password",
        ),
        (of("/no/such/file.json"), "the file cannot be read"),
        (of(&none.to_string()), "no JSON Web Key Set"),
        (
            own("      keys_ca: /etc/hostname\n"),
            "is only for keys at an https://",
        ),
        (own("      clock_skew: 30\n"), "unit"),
        (own("      clock_skew: 10min\n"), "a duration from"),
        (own("      expired_sessions: never\n"), "end, stay"),
        (
            own("      attributes: tenant\n"),
            "a map of attributes is wanted",
        ),
        (own("      attributes: {Tenant: t}\n"), "small letters"),
        (
            own("      attributes: {tenant: [t]}\n"),
            "the name of a claim",
        ),
        (own("      isuer: i\n"), "unknown key"),
        (
            own("      attributes: {tenant: t}\n    attributes: {ann: {tenant: 3}}\n"),
            "tenant is an attribute of users in client.auth.attributes as well",
        ),
        (
            own("    users: [{name: a, verifier: x}]\n"),
            "is only for method scram",
        ),
        (
            own("    users: [{name: a}, {name: a}]\n"),
            "another user has this name",
        ),
        (
            own("").replace("svc@", ""),
            "oidc needs client.auth.users, or a user in upstream.url",
        ),
        (
            own("").replace("method: oidc", "method: trust"),
            "is only for client.auth.method oidc",
        ),
    ] {
        let problems = bad(&file(&text));
        assert!(problems.contains(wanted), "{wanted} in {problems}");
        assert!(!problems.contains("ann:pw"), "{problems}");
    }
}

/// Settings of agents over HTTP who come with tokens of an issuer.
fn oauth(url: &str, keys: &str) -> String {
    format!(
        "upstream: {{ url: '{url}' }}\nmcp:\n  listen: 127.0.0.1:0\n  oauth:\n    \
         issuer: https://id.example.org\n{keys}"
    )
}

const RESOURCE: &str = "    resource: https://db.example.org/mcp\n    keys: https://id/k\n";

#[test]
fn tokens_of_agents_are_taken_as_the_settings_say() {
    let read = |more: &str| {
        let text = oauth("postgres://svc@h/d", &format!("{RESOURCE}{more}"));
        good(&file(&text)).mcp.unwrap().oauth.unwrap()
    };
    let plain = read("");
    assert_eq!(plain.expected.issuer, "https://id.example.org");
    assert_eq!(plain.expected.audience, "https://db.example.org/mcp");
    assert_eq!(plain.expected.user_claim, "sub");
    assert_eq!(plain.expected.clock_skew, 30);
    assert!(plain.policy_claim.is_none() && plain.role_claim.is_none());
    let all = read(
        "    audience: api\n    user_claim: email\n    policy_claim: p\n    role_claim: r\n    \
         roles: [a, b]\n    scopes: ['db:read']\n    attributes: {tenant: tid}\n    \
         clock_skew: 1min\n",
    );
    assert_eq!(all.expected.audience, "api");
    assert_eq!(all.expected.user_claim, "email");
    assert_eq!(all.expected.attributes["tenant"], "tid");
    assert_eq!(all.expected.clock_skew, 60);
    assert_eq!(all.policy_claim.as_deref(), Some("p"));
    assert_eq!(all.role_claim.as_deref(), Some("r"));
    assert_eq!(all.roles, ["a", "b"]);
    assert_eq!(all.scopes, ["db:read"]);
}

#[test]
fn what_is_wrong_with_tokens_of_agents_is_told_with_its_key() {
    for (more, wanted) in [
        (
            "    keys: https://id/k\n",
            "mcp.oauth.resource: is required by mcp.oauth.issuer",
        ),
        (
            "    resource: https://db/mcp\n",
            "mcp.oauth.keys: is required by mcp.oauth.issuer",
        ),
        (
            "    resource: http://db/mcp\n    keys: https://id/k\n",
            "mcp.oauth.resource: the address is wanted by which agents know this server",
        ),
        (
            "    resource: https://db/mcp\n    keys: http://id/k\n",
            "mcp.oauth.keys: ",
        ),
        (
            &format!("{RESOURCE}    role_claim: r\n"),
            "mcp.oauth.role_claim: mcp.oauth.role_claim and mcp.oauth.roles need each other",
        ),
        (
            &format!("{RESOURCE}    roles: [r]\n"),
            "mcp.oauth.roles: mcp.oauth.role_claim and mcp.oauth.roles need each other",
        ),
        (
            &format!("{RESOURCE}    scopes: ['db read']\n"),
            "mcp.oauth.scopes: a scope is of plain letters",
        ),
        (
            &format!(
                "{RESOURCE}    attributes: {{tenant: tid}}\nclient: {{auth: {{attributes: \
                 {{ann: {{tenant: 3}}}}}}}}\n"
            ),
            "mcp.oauth.attributes: tenant is an attribute of users in client.auth.attributes",
        ),
    ] {
        let problems = bad(&file(&oauth("postgres://svc@h/d", more)));
        assert!(problems.contains(wanted), "{wanted}: {problems}");
    }
    let problems = bad(&file(&oauth("postgres://h/d", RESOURCE)));
    assert!(
        problems.contains("mcp.oauth needs a user in upstream.url"),
        "{problems}"
    );
    let named = format!("{RESOURCE}    role_claim: r\n    roles: [a]\n");
    good(&file(&oauth("postgres://h/d", &named)));
    let none = "upstream: { url: 'postgres://svc@h/d' }\nmcp: {oauth: {scopes: [a]}}\n";
    assert!(bad(&file(none)).contains("mcp.oauth.scopes: is only for mcp.oauth.issuer"));
    let neither = "upstream: { url: 'postgres://svc@h/d' }\nmcp: {listen: '127.0.0.1:0'}\n";
    assert!(bad(&file(neither)).contains("needs mcp.token_file or mcp.oauth.issuer"));
}
