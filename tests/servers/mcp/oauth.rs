//! Tokens of an issuer, over HTTP: whom they let in, what clients are told of it, and what no token
//! does.

use std::fs;
use std::time::Duration;

use pgsieve::auth::oidc::algorithm::Algorithm;
use serde_json::{Value, json};

use super::http_client::McpHttp;
use super::policies::{folder, policies};
use crate::login::oidc::signing::{Issuer, header};
use crate::login::oidc::{Host, now};
use crate::support::{READER, until};

const RESOURCE: &str = "https://db.example.org/sales/mcp";

const METADATA: &str = "https://db.example.org/.well-known/oauth-protected-resource/sales/mcp";

/// The settings of the issuer, with its keys at that place.
fn settings(keys: &str, more: &str) -> String {
    format!(
        "  oauth:\n    issuer: https://id.example.org\n    resource: {RESOURCE}\n    \
         keys: '{keys}'\n{more}"
    )
}

/// A server that takes tokens of an issuer whose keys are in a file.
fn server(name: &str, issuer: &Issuer, more: &str) -> McpHttp {
    let keys = folder(name).join("keys.json");
    fs::write(&keys, issuer.jwks().to_string()).unwrap();
    McpHttp::with(name, &settings(&keys.display().to_string(), more))
}

/// What a token of that user says.
fn claims(user: &str) -> Value {
    json!({"iss": "https://id.example.org", "aud": [RESOURCE], "sub": user, "iat": now(),
           "exp": now() + 3600, "scope": "db:read other", "client_id": "trial"})
}

fn with(mut claims: Value, name: &str, value: Value) -> Value {
    claims[name] = value;
    claims
}

fn token(issuer: &Issuer, claims: &Value) -> String {
    let way = Algorithm::Es256;
    issuer.token(way, &header(way), claims)
}

#[test]
fn an_issuers_token_lets_its_user_in_with_what_it_says() {
    let issuer = Issuer::new();
    let folder = policies(
        "claims-policies",
        &[
            (
                "sales",
                "match: {attributes: {team: sales}}\nrelations: {deny: [shop.customers]}\n",
            ),
            (
                "rest",
                "models: {shop.orders: {sql: \"SELECT id FROM shop.orders WHERE customer_id = \
                 :user.tenant\"}}\n",
            ),
        ],
    );
    let more = format!(
        "    attributes: {{team: groups, tenant: tid}}\npolicy: {{file: '{}'}}\n",
        folder.display()
    );
    let server = server("claims", &issuer, &more);
    for way in [Algorithm::Rs256, Algorithm::Es256, Algorithm::EdDsa] {
        let claims = with(claims("ann"), "groups", json!(["sales", "eu"]));
        let token = issuer.token(way, &header(way), &claims);
        let told = server.query(&token, "SELECT current_user");
        assert_eq!(told["rows"], json!([[READER]]), "{told}");
        let told = server.query(&token, "SELECT count(*) FROM shop.customers");
        assert_eq!(told["error"]["sqlstate"], "42501", "{told}");
        let told = server.query(&token, "SELECT count(*) FROM shop.orders");
        assert_eq!(told["rows"], json!([[400]]), "{told}");
    }
    let ben = token(&issuer, &with(claims("ben"), "tid", json!(3)));
    let told = server.query(&ben, "SELECT count(*) FROM shop.orders");
    assert_eq!(told["rows"], json!([[10]]), "{told}");
    let told = server.query(&ben, "SELECT count(*) FROM shop.customers");
    assert_eq!(told["rows"], json!([[40]]), "{told}");
    // What one may read is told to that one alone.
    let described = |token: &str| {
        let call = json!({"name": "describe", "arguments": {}});
        let answer = server.say(Some(token), "tools/call", call).message();
        answer["result"]["structuredContent"]["text"].to_string()
    };
    let ann = token(&issuer, &with(claims("ann"), "groups", json!("sales")));
    assert!(!described(&ann).contains("joinedOn"));
    assert!(described(&ben).contains("joinedOn"));
    let line = server
        .stack
        .audited(|line| line["event"] == "login" && line["user"] == "ben");
    assert_eq!(line["method"], "mcp_oauth", "{line}");
    for token in [&ann, &ben] {
        assert!(!server.stack.everything_said().contains(&**token));
    }
    // A token of the file does beside them.
    let of_file = server.token(&["--user", "eve"]);
    assert!(described(&of_file).contains("joinedOn"));
}

#[test]
fn claims_name_policy_and_role() {
    let issuer = Issuer::new();
    let folder = policies(
        "named-policies",
        &[("sales", "match: {user: zoe}\n"), ("rest", "")],
    );
    let more = format!(
        "    policy_claim: sieve_policy\n    role_claim: sieve_role\n    roles: [{READER}]\n\
         policy: {{file: '{}'}}\nclient: {{auth: {{disabled: [eve]}}}}\n",
        folder.display()
    );
    let server = server("named", &issuer, &more);
    let of = |user: &str, policy: Value, role: Value| {
        let claims = with(claims(user), "sieve_policy", policy);
        token(&issuer, &with(claims, "sieve_role", role))
    };
    let ann = of("ann", json!("sales"), json!(READER));
    let told = server.query(&ann, "SELECT current_user");
    assert_eq!(told["rows"], json!([[READER]]), "{told}");
    let line = server.stack.audited(|line| line["verdict"] == "permitted");
    assert_eq!(line["policy"], "sales", "{line}");
    // Disabled, or a policy that is not there.
    for (user, policy, sqlstate) in [("eve", "sales", "28000"), ("ann", "nonesuch", "28000")] {
        let token = of(user, json!(policy), json!(READER));
        let told = server.query(&token, "SELECT 1");
        assert_eq!(told["error"]["sqlstate"], sqlstate, "{told}");
    }
    for wrong in [
        of("ann", Value::Null, json!(READER)),
        of("ann", json!(["sales"]), json!(READER)),
        of("ann", json!(""), json!(READER)),
        of("ann", json!("sales"), Value::Null),
        of("ann", json!("sales"), json!("postgres")),
        of("ann", json!("sales"), json!([READER])),
        token(&issuer, &claims("ann")),
    ] {
        let answer = server.say(Some(&wrong), "tools/list", json!({}));
        assert_eq!(answer.status, 401, "{answer:?}");
    }
    assert!(server.stack.stderr().contains("mcp.oauth.roles"));
}

#[test]
fn clients_are_told_where_tokens_are_given() {
    let issuer = Issuer::new();
    let server = server("told", &issuer, "    scopes: [db:read, 'db:more']\n");
    for path in [
        "/.well-known/oauth-protected-resource/sales/mcp",
        "/.well-known/oauth-protected-resource",
    ] {
        let answer = server.request_at(path, "GET", &[], "");
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.headers["content-type"], "application/json");
        assert_eq!(
            serde_json::from_str::<Value>(&answer.body).unwrap(),
            json!({
                "resource": RESOURCE,
                "authorization_servers": ["https://id.example.org"],
                "bearer_methods_supported": ["header"],
                "resource_name": "pgsieve",
                "scopes_supported": ["db:read", "db:more"],
            })
        );
    }
    let other = "/.well-known/oauth-protected-resource/other";
    assert_eq!(server.request_at(other, "GET", &[], "").status, 404);
    let challenge = |said: Option<&str>, status: u16| {
        let answer = server.say(said, "tools/list", json!({}));
        assert_eq!(answer.status, status, "{answer:?}");
        answer.headers["www-authenticate"].clone()
    };
    let place = format!("resource_metadata=\"{METADATA}\", scope=\"db:read db:more\"");
    let none = challenge(None, 401);
    assert_eq!(none, format!("Bearer realm=\"pgsieve\", {place}"));
    let wrong = challenge(Some("x.y.z"), 401);
    assert_eq!(
        wrong,
        format!("Bearer realm=\"pgsieve\", error=\"invalid_token\", {place}")
    );
    let narrow = token(&issuer, &claims("ann"));
    assert!(challenge(Some(&narrow), 403).contains("error=\"insufficient_scope\""));
    for (name, scopes) in [
        ("scope", json!("db:more x db:read")),
        ("scp", json!(["db:read", "db:more"])),
    ] {
        let mut both = claims("ann");
        both.as_object_mut().unwrap().remove("scope");
        let both = token(&issuer, &with(both, name, scopes));
        let answer = server.say(Some(&both), "tools/list", json!({}));
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}

#[test]
fn no_other_token_does_and_none_is_shown() {
    let (issuer, stranger) = (Issuer::new(), Issuer::new());
    let server = server("forged", &issuer, "");
    let good = token(&issuer, &claims("ann"));
    assert_eq!(server.query(&good, "SELECT 1")["rows"], json!([[1]]));
    let mut bad = vec![
        token(&stranger, &claims("ann")),
        format!("{good}x"),
        good[..good.len() - 1].to_owned(),
        good.rsplit_once('.').unwrap().0.to_owned(),
        format!("{}.", good.rsplit_once('.').unwrap().0),
        format!("{good}.x"),
        "a".repeat(20_000),
    ];
    for (name, value) in [
        ("iss", json!("https://id.example.org/")),
        ("aud", json!("https://db.example.org")),
        ("aud", json!("https://db.example.org/sales/mcp/")),
        ("aud", Value::Null),
        ("exp", json!(now() - 3600)),
        ("exp", Value::Null),
        ("nbf", json!(now() + 3600)),
        ("sub", Value::Null),
        ("sub", json!("")),
        ("sub", json!(["ann"])),
    ] {
        bad.push(token(&issuer, &with(claims("ann"), name, value)));
    }
    for alg in ["none", "HS256", "ES384", "RS256"] {
        let header = with(header(Algorithm::Es256), "alg", json!(alg));
        bad.push(issuer.token(Algorithm::Es256, &header, &claims("ann")));
    }
    for token in &bad {
        let answer = server.say(Some(token), "tools/list", json!({}));
        assert_eq!(answer.status, 401, "{token} {answer:?}");
    }
    let refused = [("outcome", "bad_credentials")];
    let count = server.stack.metric_sum("pgsieve_logins_total", &refused);
    assert!(
        count >= f64::from(u32::try_from(bad.len()).unwrap()),
        "{count}"
    );
    let everything = server.stack.everything_said();
    for token in bad.iter().chain([&good]) {
        let signature = token.rsplit('.').next().unwrap();
        assert!(signature.len() < 20 || !everything.contains(signature));
    }
    let log = server.stack.stderr();
    assert!(log.contains("a token of an agent is refused: "), "{log}");
}

#[test]
fn a_session_is_of_its_user_and_ends_with_the_last_token() {
    let issuer = Issuer::new();
    let server = server("sessions", &issuer, "    clock_skew: 0s\n");
    let until_then = |user: &str, seconds: i64| {
        token(&issuer, &with(claims(user), "exp", json!(now() + seconds)))
    };
    let (first, later) = (until_then("ann", 600), until_then("ann", 900));
    let session = server.greet(&first).unwrap();
    let told = server.query_in(&first, &session, "SELECT 1").message();
    assert_eq!(told["result"]["structuredContent"]["rows"], json!([[1]]));
    // A token that was renewed is another text, and the same user's.
    let told = server.query_in(&later, &session, "SELECT 2").message();
    assert_eq!(told["result"]["structuredContent"]["rows"], json!([[2]]));
    // Others have no such session: another user, and the same one in another program.
    let other_program = with(claims("ann"), "client_id", json!("other"));
    for other in [until_then("ben", 600), token(&issuer, &other_program)] {
        let answer = server.query_in(&other, &session, "SELECT 3");
        assert_eq!(answer.status, 404, "{answer:?}");
    }
    let short = until_then("eve", 4);
    let session = server.greet(&short).unwrap();
    let told = server.query_in(&short, &session, "SELECT 1").message();
    assert_eq!(told["result"]["structuredContent"]["rows"], json!([[1]]));
    until(|| (server.query_in(&short, &session, "SELECT 1").status == 401).then_some(()))
        .expect("its end");
    // Renewed too late: the session is gone, and so is the one at the database.
    let late = until_then("eve", 600);
    let answer = server.query_in(&late, &session, "SELECT 1");
    assert_eq!(answer.status, 404, "{answer:?}");
    server
        .stack
        .audited(|line| line["event"] == "connection_closed" && line["user"] == "eve");
}

#[test]
fn keys_of_an_address_are_asked_for_and_their_absence_is_no_refusal() {
    let issuer = Issuer::new();
    let folder = folder("address");
    let host = Host::start(&folder);
    host.says("500 Internal Server Error", "");
    let authority = folder.join("id-ca.crt");
    let more = format!("    keys_ca: '{}'\n", authority.display());
    let server = McpHttp::with("address", &settings(&host.url(), &more));
    let token = token(&issuer, &claims("ann"));
    let answer = server.say(Some(&token), "tools/list", json!({}));
    assert_eq!(answer.status, 503, "{answer:?}");
    assert!(answer.headers.contains_key("retry-after"));
    assert!(
        server
            .stack
            .stderr()
            .contains("the issuer's keys cannot be fetched")
    );
    host.says("200 OK", &issuer.jwks().to_string());
    // They are asked for again after a pause.
    let bound = Duration::from_secs(90);
    let began = std::time::Instant::now();
    while server.say(Some(&token), "tools/list", json!({})).status != 200 {
        assert!(began.elapsed() < bound, "{}", server.stack.stderr());
        std::thread::sleep(Duration::from_secs(1));
    }
}

#[test]
fn a_file_of_keys_is_looked_at_again_when_it_changes() {
    let (old, new) = (Issuer::new(), Issuer::new());
    let server = server("rotated", &old, "");
    let file = folder("rotated").join("keys.json");
    let status = |issuer: &Issuer| {
        let token = token(issuer, &claims("ann"));
        server.say(Some(&token), "tools/list", json!({})).status
    };
    assert_eq!((status(&old), status(&new)), (200, 401));
    // Half a file changes nothing, and is told.
    fs::write(&file, "{").unwrap();
    let told = || server.stack.stderr().contains("the keys before hold on");
    until(|| told().then_some(())).expect("a line of the log");
    assert_eq!((status(&old), status(&new)), (200, 401));
    fs::write(&file, new.jwks().to_string()).unwrap();
    until(|| (status(&new) == 200).then_some(())).expect("the new keys");
    assert_eq!(status(&old), 401);
}

#[test]
fn a_file_of_tokens_that_cannot_be_read_lets_nobody_in_and_is_told() {
    let server = McpHttp::start("unread");
    let token = server.token(&["--user", "ann"]);
    let kept = fs::read_to_string(&server.tokens).unwrap();
    fs::write(&server.tokens, "{").unwrap();
    let status = || server.say(Some(&token), "tools/list", json!({})).status;
    until(|| (status() == 401).then_some(())).expect("a refusal");
    let told = || server.stack.stderr().contains("its tokens let nobody in");
    until(|| told().then_some(())).expect("a line of the log");
    fs::write(&server.tokens, kept).unwrap();
    until(|| (status() == 200).then_some(())).expect("an answer");
    let lines = server.stack.stderr();
    assert_eq!(
        lines.matches("its tokens let nobody in").count(),
        1,
        "{lines}"
    );
}

#[test]
fn a_page_of_the_settings_may_ask_and_read() {
    let server = McpHttp::with("pages", "  origins: ['https://agent.example.org:443']\n");
    let token = server.token(&["--user", "ann"]);
    let page = ("Origin", "https://agent.example.org");
    let asked = [
        page,
        ("Access-Control-Request-Method", "POST"),
        (
            "Access-Control-Request-Headers",
            "authorization,content-type",
        ),
    ];
    let told = server.request("OPTIONS", &asked, "");
    assert_eq!(told.status, 204, "{told:?}");
    assert_eq!(told.headers["access-control-allow-origin"], page.1);
    assert!(told.headers["access-control-allow-headers"].contains("Authorization"));
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for (token, status) in [(Some(&*token), 200), (None, 401)] {
        let answer = server.post(token, &[page], &list);
        assert_eq!(answer.headers["access-control-allow-origin"], page.1);
        assert!(answer.status == status || token.is_some(), "{answer:?}");
    }
    let other = [("Origin", "https://evil.example.org"), asked[1]];
    let told = server.request("OPTIONS", &other, "");
    assert!(
        !told.headers.contains_key("access-control-allow-origin"),
        "{told:?}"
    );
    let answer = server.post(Some(&token), &other[..1], &list);
    assert_eq!(answer.status, 403, "{answer:?}");
}
