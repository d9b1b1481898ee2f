//! `GET /grounding`: a running pgsieve tells what the command prints, to who may see it, and says
//! what is wrong with a request.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::{POLICY, SCHEMA};
use crate::support::command::pgsieve;
use crate::support::{APP, Options, READER, RawClient, Stack, until};

const TOKEN: &str = "a-token-for-groundings";

/// A policy for nobody by itself, which a request can name.
const OTHER_POLICY: &str =
    "name: other\nextends: agent\nmatch: {user: nobody}\nrelations: {allow: [shop.people]}\n";

/// What came for a GET on the admin address.
pub(super) struct AdminAnswer {
    pub(super) status: u16,
    head: String,
    pub(super) body: String,
}

impl AdminAnswer {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines();
        lines.find_map(|line| {
            let (own, value) = line.split_once(": ")?;
            own.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

/// Asks for a grounding, with the token, and with more headers.
pub(super) fn ask(stack: &Stack, query: &str, headers: &str) -> AdminAnswer {
    let token = format!("Authorization: Bearer {TOKEN}\r\n{headers}");
    request(stack, "GET", query, &token)
}

fn request(stack: &Stack, method: &str, query: &str, headers: &str) -> AdminAnswer {
    let mut stream = TcpStream::connect(stack.admin_address()).unwrap();
    let wait = Some(Duration::from_secs(30));
    stream.set_read_timeout(wait).unwrap();
    write!(
        stream,
        "{method} /grounding{query} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    AdminAnswer {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        head: head.to_owned(),
        body: body.to_owned(),
    }
}

/// A pgsieve with a token before a database of that schema, under policies; the reader's login has
/// shown its catalog.
pub(super) fn served(name: &str, policy: &str, schema: &[&str], known: &str) -> Stack {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let policies = folder.join("policies");
    fs::create_dir_all(&policies).unwrap();
    fs::write(policies.join("own.yaml"), policy).unwrap();
    fs::write(policies.join("other.yaml"), OTHER_POLICY).unwrap();
    let token = folder.join("token");
    fs::write(&token, format!("{TOKEN}\n")).unwrap();
    let config = format!(
        "listen: '{{listen}}'\nadmin:\n  listen: '{{admin}}'\n  token_file: '{}'\n\
         upstream:\n  url: '{{upstream}}'\npolicy: {{file: '{}'}}\naudit:\n  to: '{{audit}}'\n",
        token.display(),
        policies.display()
    );
    let stack = Stack::start(Options {
        config: Some(config),
        ..Options::default()
    });
    stack.prepare(schema);
    await_names(&stack, known);
    stack
}

/// Waits until sessions of the reader are judged by a catalog in which this statement runs.
pub(super) fn await_names(stack: &Stack, known: &str) {
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let is_known = || {
        let answer = client.query(known);
        let shows = answer.iter().any(|frame| frame.kind == b'D');
        shows.then_some(())
    };
    until(is_known).expect("the catalog is known");
}

/// Waits until the grounding of the reader has another version than this one.
pub(super) fn await_version_after(stack: &Stack, query: &str, before: &str) -> AdminAnswer {
    let other = until(|| {
        let answer = ask(stack, query, "");
        let is_other = answer.status == 200 && answer.header("etag") != Some(before);
        is_other.then_some(answer)
    });
    other.expect("another version")
}

fn shop(name: &str) -> Stack {
    let grants = [
        format!("GRANT USAGE ON SCHEMA shop, canary_schema TO {READER}, {APP}"),
        format!("GRANT SELECT ON ALL TABLES IN SCHEMA shop, canary_schema TO {READER}, {APP}"),
        format!("REVOKE ALL ON shop.canary_ungranted, shop.partly FROM {READER}"),
        format!("GRANT SELECT (id) ON shop.partly TO {READER}"),
        "ANALYZE".to_owned(),
    ];
    let grants = grants.iter().map(String::as_str);
    let schema: Vec<&str> = SCHEMA.into_iter().chain(grants).collect();
    served(
        name,
        POLICY,
        &schema,
        "SELECT id FROM shop.customers LIMIT 1",
    )
}

/// What the command prints for the reader under the same policy.
fn printed(name: &str, stack: &Stack, arguments: &[&str]) -> String {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let policy = folder.join("policies/own.yaml").display().to_string();
    let url = stack.direct_url(READER);
    let all = ["ground", "--upstream", &url, "--policy", &policy];
    let output = pgsieve(&[&all, arguments].concat(), "");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{complaint}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn it_is_what_the_command_prints_and_nothing_hidden() {
    let name = "grounding-served-same";
    let stack = shop(name);
    let user = format!("?user={READER}");
    let question = "What is the balance of a customer?";
    for (query, arguments) in [
        ("", &[][..]),
        ("&format=json", &["--format", "json"]),
        ("&format=m-schema", &["--format", "m-schema"]),
        (
            "&facets=all&format=ddl",
            &["--facets", "all", "--format", "ddl"],
        ),
        (
            "&facets=all&format=json",
            &["--facets", "all", "--format", "json"],
        ),
        ("&facets=tables%2Ccolumns", &["--facets", "tables,columns"]),
        ("&budget=400", &["--budget", "400"]),
        (
            "&question=What+is+the+balance%20of+a+customer%3F&budget=300",
            &["--question", question, "--budget", "300"],
        ),
        (
            "&question=What+is+the+balance+of+a+customer%3F",
            &["--question", question],
        ),
    ] {
        let answer = ask(&stack, &format!("{user}{query}"), "");
        assert_eq!(answer.status, 200, "{query}: {}", answer.body);
        assert_eq!(answer.body, printed(name, &stack, arguments), "{query}");
        let hidden = answer.body.to_lowercase().contains("canary");
        assert!(!hidden, "{query}: {}", answer.body);
        let version = answer.header("etag").unwrap().trim_matches('"');
        assert!(answer.body.contains(version), "{query}: {version}");
    }
    // A model is told by what stands in it, in the reader's own session.
    let told = ask(&stack, &user, "").body;
    assert!(
        told.contains("shop.revenue") && told.contains("total"),
        "{told}"
    );
}

#[test]
fn the_policy_that_a_request_names_is_the_one_that_is_told() {
    let stack = shop("grounding-served-policy");
    let own = ask(&stack, &format!("?user={READER}&format=json"), "");
    let named = ask(
        &stack,
        &format!("?user={READER}&policy=told&format=json"),
        "",
    );
    assert_eq!(own.body, named.body);
    let other = ask(
        &stack,
        &format!("?user={READER}&policy=other&format=json"),
        "",
    );
    let told: serde_json::Value = serde_json::from_str(&other.body).unwrap();
    let names: Vec<&str> = told["relations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|relation| relation["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["people"]);
    assert_ne!(own.header("etag"), other.header("etag"));
}

#[test]
fn a_version_that_is_still_true_is_not_told_again() {
    let stack = shop("grounding-served-etag");
    let query = format!("?user={READER}");
    let first = ask(&stack, &query, "");
    let tag = first.header("etag").unwrap().to_owned();
    let with = |tags: &str| ask(&stack, &query, &format!("If-None-Match: {tags}\r\n"));
    for tags in [
        tag.clone(),
        format!("\"0000000000000000\", {tag}"),
        format!("W/{tag}"),
        "*".to_owned(),
    ] {
        let same = with(&tags);
        assert_eq!((same.status, &*same.body), (304, ""), "{tags}");
        assert_eq!(same.header("etag"), Some(&*tag), "{tags}");
    }
    for tags in ["\"0000000000000000\"", "nonsense", tag.trim_matches('"')] {
        assert_eq!(with(tags).status, 200, "{tags}");
    }
    let token = format!("Authorization: Bearer {TOKEN}\r\n");
    let head = request(&stack, "HEAD", &query, &token);
    assert_eq!((head.status, &*head.body), (200, ""));
    assert_eq!(head.header("etag"), Some(&*tag));
    // More rows and statistics are no other version; comments, which no snapshot has, are.
    stack.prepare(&[
        "INSERT INTO shop.orders VALUES (1000, 1, NULL, 'open')",
        "ANALYZE",
    ]);
    assert_eq!(with(&tag).status, 304);
    stack.prepare(&["COMMENT ON VIEW shop.names IS 'Names alone'"]);
    let said = with(&tag);
    assert_eq!(said.status, 200);
    assert!(said.body.contains("Names alone"), "{}", said.body);
    let tag = said.header("etag").unwrap().to_owned();
    stack.prepare(&["ALTER TABLE shop.orders RENAME state TO stage"]);
    let renamed = await_version_after(&stack, &query, &tag);
    assert!(renamed.body.contains("stage"), "{}", renamed.body);
}

#[test]
fn what_is_wrong_with_a_request_is_told_with_its_status() {
    let stack = shop("grounding-served-wrong");
    let database = stack.database();
    for (query, status, words) in [
        ("".to_owned(), 400, "user is missing"),
        ("?user=".to_owned(), 400, "user is missing"),
        (
            format!("?user={READER}&user={READER}"),
            400,
            "user is given twice",
        ),
        (
            format!("?user={READER}&rolle=x"),
            400,
            "there is no parameter \"rolle\"",
        ),
        (
            format!("?user={READER}&facets=tabels"),
            400,
            "there is no facet \"tabels\"",
        ),
        (
            format!("?user={READER}&facets=fk%3A99"),
            400,
            "foreign_keys:0 to",
        ),
        (
            format!("?user={READER}&format=yaml"),
            400,
            "markdown, m-schema, ddl, json",
        ),
        (format!("?user={READER}&budget=many"), 400, "budget"),
        (format!("?user={READER}&budget=10"), 400, "is too small"),
        (format!("?user={READER}&question=%FF"), 400, "not UTF-8"),
        (
            format!("?user={READER}&question={}", "x".repeat(3000)),
            400,
            "question is longer",
        ),
        (
            format!("?user={READER}&policy=nothing"),
            404,
            "no policy \"nothing\"",
        ),
        (
            format!("?user={READER}&database=nothing"),
            404,
            "no catalog of database \"nothing\"",
        ),
        (
            format!("?user={READER}&role=nothing"),
            404,
            "no role \"nothing\"",
        ),
        (
            "?user=who_is_that".to_owned(),
            404,
            "no role \"who_is_that\"",
        ),
        (
            format!("?user={READER}&database={database}"),
            200,
            "shop.customers",
        ),
    ] {
        let answer = ask(&stack, &query, "");
        assert_eq!(answer.status, status, "{query}: {}", answer.body);
        assert!(answer.body.contains(words), "{query}: {}", answer.body);
        assert!(!answer.body.to_lowercase().contains("canary"), "{query}");
    }
    let token = format!("Authorization: Bearer {TOKEN}\r\n");
    let posted = request(&stack, "POST", &format!("?user={READER}"), &token);
    assert_eq!(posted.status, 405);
}

/// The account that reads catalogs is not a member of the other role: what stands in models cannot
/// be described as that role has it, and nothing is told that may be wrong.
#[test]
fn a_role_that_pgsieve_cannot_take_is_not_guessed_at() {
    let stack = shop("grounding-served-role");
    let answer = ask(&stack, &format!("?user={APP}"), "");
    assert_eq!(answer.status, 502, "{}", answer.body);
    assert!(answer.body.contains("as role"), "{}", answer.body);
}

#[test]
fn it_is_shown_to_who_may_see_the_live_page_and_values_for_the_token_alone() {
    let stack = shop("grounding-served-access");
    let query = format!("?user={READER}");
    let bare = |query: &str, headers: &str| request(&stack, "GET", query, headers).status;
    assert_eq!(bare(&query, ""), 200);
    for headers in [
        "Authorization: Bearer wrong-wrong-wrong\r\n",
        "X-Forwarded-For: 192.0.2.7\r\n",
    ] {
        assert_eq!(bare(&query, headers), 401, "{headers}");
        assert_eq!(bare("", headers), 401, "{headers}");
    }
    assert_eq!(bare(&query, "Sec-Fetch-Site: cross-site\r\n"), 403);
    for facets in ["samples", "statistics", "all", "default,samples"] {
        let query = format!("{query}&facets={facets}");
        assert_eq!(bare(&query, ""), 401, "{facets}");
        assert_eq!(ask(&stack, &query, "").status, 200, "{facets}");
    }
    let counted = stack.metric_sum(
        "pgsieve_admin_requests_total",
        &[("page", "grounding"), ("status_class", "2xx")],
    );
    assert!(counted >= 5.0, "{counted}");
    assert!(!stack.everything_said().contains(TOKEN));
}
