//! What others can reach: the admin address by its names, and files that hold secrets.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use pgsieve::config::keys::KEYS;
use pgsieve::config::sources::SettingsSources;
use pgsieve::config::{PolicyTests, load};
use pgsieve::policy::mask_key::MaskPad;
use pgsieve::receipts::signing_keys::new_key_file;

use super::{URL, VERIFIER, Written, bad, file, good, written};

#[test]
fn names_of_the_admin_address_are_names() {
    let with = |hosts: &str| {
        file(&format!(
            "upstream: {{ url: 'postgres://h/' }}\nadmin: {{ hosts: {hosts} }}"
        ))
    };
    let none = good(&file("upstream: { url: 'postgres://h/' }"));
    assert!(none.admin_hosts.is_empty());
    let some = good(&with("[PgSieve, db.example.org]"));
    assert_eq!(some.admin_hosts, ["pgsieve", "db.example.org"]);
    assert_eq!(good(&with("pgsieve")).admin_hosts, ["pgsieve"]);
    for wrong in ["pgsieve:9432", "http://pgsieve/", "'*'", "a@b"] {
        let problems = bad(&with(wrong));
        assert!(problems.contains("a host's name is wanted"), "{problems}");
    }
    let many = format!("[{}]", ["a"; 33].join(", "));
    assert!(bad(&with(&many)).contains("at most 32"));
}

#[test]
fn required_tests_need_a_catalog_that_comes_before_clients() {
    let with = |url: &str, more: &str| {
        file(&format!(
            "upstream: {{ url: 'postgres://{url}' }}\npolicy: {{ tests: required }}\n{more}"
        ))
    };
    let account = |sources: &SettingsSources| match good(sources).policy_tests {
        PolicyTests::Off => None,
        PolicyTests::Required(account) => Some(account.user),
    };
    assert_eq!(
        account(&file("upstream: { url: 'postgres://a@h/d' }")),
        None
    );
    let of_url = account(&with("a@h/d", ""));
    assert_eq!(of_url.as_deref(), Some("a"));
    let own = account(&with("h/d", "catalog: { user: c }"));
    assert_eq!(own.as_deref(), Some("c"));
    for (url, more, wanted) in [
        ("h/d", "", "needs a user who reads the catalog"),
        ("a@h/d", "catalog: { mode: off }", "needs catalog.mode: on"),
        ("a@h/", "", "needs a database in upstream.url"),
    ] {
        let problems = bad(&with(url, more));
        assert!(problems.contains(wanted), "{url}: {problems}");
        assert!(problems.contains("policy.tests: required"), "{problems}");
    }
}

/// The keys that are durations.
const DURATIONS: &[(&str, &str)] = &[
    ("catalog.poll_interval", "PGSIEVE_CATALOG_POLL_INTERVAL"),
    (
        "catalog.refresh_interval",
        "PGSIEVE_CATALOG_REFRESH_INTERVAL",
    ),
    ("catalog.age_max", "PGSIEVE_CATALOG_AGE_MAX"),
    ("pool.reserve_wait", "PGSIEVE_POOL_RESERVE_WAIT"),
    ("pool.query_wait", "PGSIEVE_POOL_QUERY_WAIT"),
    ("upstream.lag_max", "PGSIEVE_UPSTREAM_LAG_MAX"),
    ("upstream.min_lsn_wait", "PGSIEVE_UPSTREAM_MIN_LSN_WAIT"),
    ("pool.server_lifetime", "PGSIEVE_POOL_SERVER_LIFETIME"),
    (
        "pool.server_idle_timeout",
        "PGSIEVE_POOL_SERVER_IDLE_TIMEOUT",
    ),
    ("receipts.valid_for", "PGSIEVE_RECEIPTS_VALID_FOR"),
    ("limits.drain_timeout", "PGSIEVE_LIMITS_DRAIN_TIMEOUT"),
];

/// The keys whose defaults are durations are those of the list: a new one belongs to it.
#[test]
fn every_key_that_is_a_duration_is_known_here() {
    let is_duration = |text: &str| pgsieve::policy::units::duration(text).is_ok() && text != "0";
    let found = KEYS.iter().filter(|key| is_duration(key.default));
    let found: BTreeSet<&str> = found.map(|key| key.path).collect();
    let known = DURATIONS.iter().map(|(path, _)| *path);
    // These mean something beside others alone, and are tried with them.
    let beside = [
        "client.auth.oidc.clock_skew",
        "client.auth.query.cache_age",
        "mcp.oauth.clock_skew",
        "limits.store_window",
    ];
    let known: BTreeSet<&str> = beside.into_iter().chain(known).collect();
    assert_eq!(found, known);
}

#[test]
fn durations_have_units_in_files_and_variables() {
    for (path, variable) in DURATIONS {
        let (section, key) = path.split_once('.').unwrap();
        for value in ["5", "5000", "1.5", "' 5 '"] {
            let text = match section {
                "upstream" => format!("\nupstream: {{ {key}: {value}, url: 'postgres://h/' }}"),
                _ => {
                    format!("upstream: {{ url: 'postgres://h/' }}\n{section}: {{ {key}: {value} }}")
                }
            };
            let problems = bad(&file(&text));
            let wanted = format!(
                "pgsieve.yaml:2:{} {path}: the unit is missing",
                section.len() + 5
            );
            assert!(problems.contains(&wanted), "{value}: {problems}");
            assert!(
                problems.contains("write 5s for five seconds, 5ms for"),
                "{problems}"
            );
        }
        let mut sources = file("upstream: { url: 'postgres://h/' }");
        sources.variables = vec![((*variable).into(), "6000".into())];
        let problems = bad(&sources);
        assert_eq!(
            problems.trim_end(),
            format!(
                "{variable}: the unit is missing: write 5s for five seconds, 5ms for five milliseconds"
            )
        );
        sources.variables = vec![((*variable).into(), "5s".into())];
        good(&sources);
    }
}

#[test]
fn sizes_have_units_and_a_number_alone_is_one_of_bytes_where_the_key_says_so() {
    let rotate = |value: &str| {
        file(&format!(
            "upstream: {{ url: 'postgres://h/' }}\naudit: {{ to: '-', rotate_bytes: {value} }}"
        ))
    };
    for (value, bytes) in [
        ("100MB", Some(104_857_600)),
        ("64KiB", Some(65_536)),
        ("5B", Some(5)),
        ("5000", Some(5_000)),
        ("0", None),
    ] {
        let found = good(&rotate(value)).telemetry.audit.rotate_bytes;
        assert_eq!(found, bytes, "{value}");
    }
    for wrong in ["-1", "100mb", "1.5", "lots", "2000TiB"] {
        let problems = bad(&rotate(wrong));
        let wanted = "audit.rotate_bytes: a size from 0 to 1024TiB is wanted, such as 100MB or 64KiB, or a \
            number of bytes";
        assert!(problems.contains(wanted), "{wrong}: {problems}");
    }
    for wrong in ["512", "536870912"] {
        let mut sources = file("upstream: { url: 'postgres://h/' }");
        sources.variables = vec![("PGSIEVE_LIMITS_MEMORY".into(), wrong.into())];
        let problems = bad(&sources);
        assert!(
            problems.contains("the unit is missing: write 100MB, 64KiB"),
            "{problems}"
        );
    }
}

#[test]
fn the_old_name_of_the_drain_leads_to_the_new_one() {
    let problems = bad(&file(
        "upstream: { url: 'postgres://h/' }\nlimits: { drain_timeout_ms: 5 }",
    ));
    assert!(
        problems.contains("did you mean limits.drain_timeout?"),
        "{problems}"
    );
    let mut sources = file("upstream: { url: 'postgres://h/' }");
    sources.variables = vec![("PGSIEVE_LIMITS_DRAIN_TIMEOUT_MS".into(), "5".into())];
    let problems = bad(&sources);
    assert!(
        problems.contains("did you mean PGSIEVE_LIMITS_DRAIN_TIMEOUT?"),
        "{problems}"
    );
}

/// Every key whose file holds a secret, each with such a file; they are written for others to read
/// or not.
fn with_secrets(mode: u32, strict: &str) -> (SettingsSources, Vec<Written>) {
    let made = pgsieve_certificates();
    let hexadecimal = "0f".repeat(32);
    let (signing, _) = new_key_file(&[1; 32]);
    let token = format!("{{\"name\": \"a\", \"blake3\": \"{hexadecimal}\", \"user\": \"u\"}}");
    let secrets: Vec<Written> = [
        "0123456789abcdef",
        "a password",
        "another",
        &hexadecimal,
        &hexadecimal,
        "authorization: Bearer x",
        VERIFIER,
        "of-the-upstream",
        "a key",
        "a key",
        &hexadecimal,
        &signing,
        &token,
    ]
    .into_iter()
    .map(written)
    .collect();
    for secret in &secrets {
        fs::set_permissions(&**secret, fs::Permissions::from_mode(mode)).unwrap();
    }
    let at = |number: usize| secrets[number].display();
    let text = format!(
        "strict_files: {strict}\n\
         policy: {{ mask_key_file: {} }}\n\
         receipts: {{ key_file: {} }}\n\
         mcp: {{ token_file: {} }}\n\
         peers: {{ addresses: 'h:1', key_file: {} }}\n\
         limits: {{ store: 'redis://h', store_password_file: {} }}\n\
         admin: {{ token_file: {} }}\n\
         upstream: {{ url: 'postgres://u@h/', password_file: {}, \
           tls: {{ mode: require, certificate: {made}, key: {} }} }}\n\
         catalog: {{ user: c, password_file: {} }}\n\
         audit: {{ chain_key_file: {}, fingerprint_key_file: {}, headers_file: {} }}\n\
         traces: {{ endpoint: 'https://h:1', headers_file: {} }}\n\
         client:\n  tls: {{ certificate: {made}, key: {} }}\n  auth:\n    method: scram\n\
         \x20   users: [{{ name: a, verifier_file: {}, upstream_user: b, \
           upstream_password_file: {} }}]\n",
        at(10),
        at(11),
        at(12),
        at(3),
        at(1),
        at(0),
        at(1),
        at(8),
        at(2),
        at(3),
        at(4),
        at(5),
        at(5),
        at(9),
        at(6),
        at(7)
    );
    let mut sources = file(&text);
    sources.mask_pad = Some(MaskPad::new([7; 32]));
    (sources, secrets)
}

/// A file that is there; what it holds is read by others.
fn pgsieve_certificates() -> &'static str {
    concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")
}

#[test]
fn secrets_that_others_can_read_are_told_and_refused_where_that_is_wanted() {
    let (sources, _secrets) = with_secrets(0o600, "on");
    assert_eq!(good(&sources).exposed_files, [""; 0]);
    let (sources, _secrets) = with_secrets(0o604, "off");
    let exposed = good(&sources).exposed_files;
    for key in [
        "admin.token_file",
        "upstream.password_file",
        "upstream.tls.key",
        "peers.key_file",
        "catalog.password_file",
        "audit.chain_key_file",
        "audit.fingerprint_key_file",
        "audit.headers_file",
        "traces.headers_file",
        "client.tls.key",
        "policy.mask_key_file",
        "receipts.key_file",
        "mcp.token_file",
        "limits.store_password_file",
    ] {
        assert!(
            exposed.iter().any(|exposed| exposed == key),
            "{key} in {exposed:?}"
        );
    }
    // The two of a user stand where the user does.
    assert_eq!(exposed.len(), 16, "{exposed:?}");
    let (sources, _secrets) = with_secrets(0o604, "on");
    let problems = bad(&sources);
    assert_eq!(
        problems.matches("others can read the file").count(),
        16,
        "{problems}"
    );
    // Every key that names such a file is in the list above, or is of a method that is not used
    // there: client.auth.query.password_file.
    let named: Vec<&str> = KEYS
        .iter()
        .map(|key| key.path)
        .filter(|path| {
            let tls = path.ends_with("tls.key");
            // What was used up of budgets is no secret.
            tls || path.ends_with("_file") && *path != "limits.budget_file"
        })
        .collect();
    assert_eq!(named.len(), 15, "{named:?}");
}

#[test]
fn a_group_may_read_what_is_roots_own() {
    let secret = written("a password");
    let text = format!(
        "strict_files: on\nupstream: {{ url: 'postgres://u@h/', password_file: {} }}",
        secret.display()
    );
    let is_roots = fs::metadata(&*secret).unwrap().uid() == 0;
    for (mode, fits) in [
        (0o400, true),
        (0o640, is_roots),
        (0o440, is_roots),
        (0o660, false),
        (0o644, false),
        (0o602, false),
    ] {
        fs::set_permissions(&*secret, fs::Permissions::from_mode(mode)).unwrap();
        let read = load(&file(&text));
        assert_eq!(read.is_ok(), fits, "{mode:o}");
    }
}

#[test]
fn the_mask_hash_wants_a_key() {
    let hash = written("name: h\nextends: bi\ncolumns: {mask: {email: hash}}\n");
    let null = written("name: n\nextends: bi\ncolumns: {mask: {email: null}}\n");
    let keys = [written(&"0f".repeat(32)), written(&"1f".repeat(32))];
    let with = |policy: &str, key: &str| {
        let text = format!("upstream: {{url: 'postgres://h/'}}\npolicy: {{file: {policy}{key}}}\n");
        let mut sources = file(&text);
        sources.mask_pad = Some(MaskPad::new([7; 32]));
        sources
    };
    let named = |key: &Written| format!(", mask_key_file: {}", key.display());
    let (hash, null) = (hash.display().to_string(), null.display().to_string());
    let number = |policy: &str, key: &str| {
        let settings = good(&with(policy, key));
        let only = &settings.policies.all()[0];
        (
            only.version().to_owned(),
            only.version_number(),
            only.mask_key().is_some(),
        )
    };
    let problems = bad(&with(&hash, ""));
    assert!(
        problems.contains("policy h has the mask hash, and there is no key"),
        "{problems}"
    );
    let [one, other] = keys.each_ref().map(|key| number(&hash, &named(key)));
    // What is written is the same, and what is read is not.
    assert!(one.0 == other.0 && one.1 != other.1 && one.2 && other.2);
    assert_eq!(one, number(&hash, &named(&keys[0])));
    assert!(!number(&null, "").2 && number(&null, &named(&keys[0])).2);
    let short = written("0f0f");
    let problems = bad(&with(&hash, &named(&short)));
    assert!(problems.contains("policy.mask_key_file: "), "{problems}");
    let mut padless = with(&hash, &named(&keys[0]));
    padless.mask_pad = None;
    assert!(bad(&padless).contains("no random bytes"));
}

#[test]
fn the_audit_goes_to_collectors_beside_other_places() {
    use pgsieve::telemetry::audit::AuditTarget;
    use pgsieve::telemetry::collector::settings::CollectorProtocol;

    let folder = std::env::temp_dir().join(format!("pgsieve-audit-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let headers = folder.join("headers");
    std::fs::write(&headers, "authorization: Bearer canary\n").unwrap();
    let text = format!(
        "upstream:\n  url: {URL}\naudit:\n  to: [https://otel:4318, a.jsonl, \
         'http://127.0.0.1:9/x']\n  protocol: http\n  service_name: gate\n  headers_file: {}\n",
        headers.display()
    );
    let telemetry = good(&file(&text)).telemetry;
    assert!(!format!("{telemetry:?}").contains("canary"));
    let places: Vec<String> = telemetry
        .audit
        .targets
        .iter()
        .map(ToString::to_string)
        .collect();
    let expected = [
        "a.jsonl",
        "https://otel:4318/v1/logs",
        "http://127.0.0.1:9/x",
    ];
    assert_eq!(places, expected);
    for target in telemetry.audit.targets {
        let AuditTarget::Collector(target) = target else {
            continue;
        };
        assert_eq!(target.collector.protocol(), CollectorProtocol::Http);
        assert_eq!(
            (target.service_name.as_str(), target.headers.len()),
            ("gate", 1)
        );
        assert_eq!(target.headers[0].1.reveal(), "Bearer canary");
    }
    // Without one they are what they are by default, and the protocol says nothing.
    let text = format!("upstream:\n  url: {URL}\naudit:\n  to: off\n  protocol: http\n");
    assert!(good(&file(&text)).telemetry.audit.is_off());
    let text = format!("upstream:\n  url: {URL}\naudit:\n  to: http://otel\n");
    let audit = good(&file(&text)).telemetry.audit;
    assert_eq!(audit.targets[0].to_string(), "http://otel");
    std::fs::remove_dir_all(&folder).unwrap();
}
