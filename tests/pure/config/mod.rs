//! Settings as an operator writes them: three sources, every problem at once with its place, and
//! never a secret in what is printed.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use pgsieve::auth::login_secret::LoginSecret;
use pgsieve::auth::settings::AuthSettings;
use pgsieve::config::keys::KEYS;
use pgsieve::config::sources::{FlagValue, SettingsFile, SettingsSources};
use pgsieve::config::{ListenAddress, ProgramSettings, SettingsProblem, load};
use pgsieve::gate::Judging;
use pgsieve::net::client_tls::ClientTlsSettings;
use pgsieve::net::upstream_tls::{TlsAuthority, UpstreamTlsSettings};
use pgsieve::net::uring::IoBackend;
use pgsieve::secret::Secret;
use pgsieve::session::context::reported_role::ReportAs;
use pgsieve::telemetry::audit::AuditTarget;
use pgsieve::upstream::catalog_cache::catalog_account::AccountSetting;
use pgsieve::upstream::catalog_cache::settings::CatalogMode;
use pgsieve::upstream::snapshot::UpstreamAccount;

mod databases;
mod libpq;
mod limits_store;
mod others;
mod peers;
mod queried;
mod remembered;
mod texts;
mod tokens;

const VERIFIER: &str = "SCRAM-SHA-256$4096:c2FsdHNhbHRzYWx0c2FsdA==$\
                    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:\
                    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
const URL: &str = "postgres://app@db.example.org/shop";

fn file(text: &str) -> SettingsSources {
    let file = SettingsFile {
        name: "pgsieve.yaml".into(),
        text: text.into(),
    };
    SettingsSources {
        file: Some(file),
        ..SettingsSources::default()
    }
}

fn variables(pairs: &[(&str, &str)]) -> SettingsSources {
    let variables = pairs
        .iter()
        .map(|(name, value)| ((*name).into(), (*value).into()));
    SettingsSources {
        variables: variables.collect(),
        ..SettingsSources::default()
    }
}

#[track_caller]
fn good(sources: &SettingsSources) -> ProgramSettings {
    load(sources).unwrap_or_else(|problems| panic!("{}", shown(&problems)))
}

#[track_caller]
fn bad(sources: &SettingsSources) -> String {
    match load(sources) {
        Ok(_) => panic!("the settings were accepted"),
        Err(problems) => shown(&problems),
    }
}

fn shown(problems: &[SettingsProblem]) -> String {
    problems
        .iter()
        .map(|problem| format!("{problem}\n"))
        .collect()
}

/// A file with a text, gone with the value.
struct Written(PathBuf);

impl Drop for Written {
    fn drop(&mut self) {
        fs::remove_file(&self.0).unwrap();
    }
}

impl std::ops::Deref for Written {
    type Target = PathBuf;

    fn deref(&self) -> &PathBuf {
        &self.0
    }
}

fn written(text: &str) -> Written {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("pgsieve-config-{}-{number}", std::process::id());
    let path = std::env::temp_dir().join(name);
    fs::write(&path, text).unwrap();
    Written(path)
}

#[test]
fn a_url_is_enough() {
    let settings = good(&variables(&[("PGSIEVE_UPSTREAM_URL", URL), ("HOME", "/")]));
    assert_eq!(
        settings.listen,
        [ListenAddress::Tcp("127.0.0.1:6432".parse().unwrap())]
    );
    assert_eq!(settings.admin, Some("127.0.0.1:9432".parse().unwrap()));
    assert_eq!(settings.client_tls, ClientTlsSettings::Off);
    assert!(settings.telemetry.audit.is_off());
    assert_eq!(settings.policies.all()[0].name(), "agent");
    assert!(settings.workers.threads >= 1);
    let AuthSettings::Passthrough {
        allow_plaintext_passwords,
        cache_age: None,
    } = settings.auth
    else {
        panic!("passthrough is the default, and asks at each login");
    };
    assert!(!allow_plaintext_passwords);
}

#[test]
fn a_whole_file_is_read() {
    let (cert, key, root) = (written("c"), written("k"), written("r"));
    let (cert, key, root) = (cert.display(), key.display(), root.display());
    let fingerprint_key = written(&"0f".repeat(32));
    let settings = good(&file(&format!(
        "listen:\n  - 127.0.0.1:1\n  - /run/pgsieve/.s.PGSQL.6432\n\
         admin: {{ listen: off }}\n\
         upstream:\n  url: {URL}\n  tls: {{ mode: verify-full, root_certificate: {root} }}\n\
         client:\n  tls: {{ mode: require, certificate: {cert}, key: {key}, client_ca: {root} }}\n\
         policy: {{ file: bi, judging: each-text }}\n\
         audit: {{ to: /var/log/a.jsonl, fingerprint_key_file: {} }}\n\
         workers: 3\nio: {{ backend: uring }}\nlimits: {{ connections_max: 7, drain_timeout: 1500ms, wait_for_clients: 1h, memory: 2GiB }}\n",
        fingerprint_key.display()
    )));
    assert_eq!(settings.listen.len(), 2);
    assert_eq!(settings.listen[1].to_string(), "/run/pgsieve/.s.PGSQL.6432");
    assert_eq!(settings.admin, None);
    assert!(matches!(
        settings.client_tls,
        ClientTlsSettings::RequireCertificate(_)
    ));
    let UpstreamTlsSettings::VerifyFull(TlsAuthority::File(_), _) = settings.upstream.tls else {
        panic!("{:?}", settings.upstream.tls);
    };
    assert_eq!(settings.policies.all()[0].name(), "bi");
    assert_eq!(
        settings.telemetry.audit.targets,
        [AuditTarget::File("/var/log/a.jsonl".into())]
    );
    assert_eq!(settings.fingerprint_key.unwrap().0, [0x0f; 32]);
    assert_eq!(settings.workers.threads, 3);
    assert_eq!(settings.workers.judging, Judging::EachText);
    assert_eq!(settings.workers.io, IoBackend::Uring);
    assert_eq!(settings.connections_max, 7);
    assert_eq!(settings.drain_timeout, Duration::from_millis(1500));
    assert_eq!(settings.wait_for_clients, Duration::from_secs(3_600));
    assert_eq!(settings.memory, 2 << 30);
}

#[test]
fn clients_are_told_of_the_kind_of_server_that_a_word_says() {
    let reported = |client: &str| file(&format!("upstream: {{ url: {URL} }}\n{client}"));
    for (word, kind) in [
        ("upstream", ReportAs::Upstream),
        ("primary", ReportAs::Primary),
        ("standby", ReportAs::Standby),
    ] {
        let settings = good(&reported(&format!("client: {{ report_as: {word} }}")));
        assert_eq!(settings.report_as, kind);
    }
    assert_eq!(good(&reported("")).report_as, ReportAs::Upstream);
    for wrong in ["replica", "read-write", "[primary]", "on"] {
        let problems = bad(&reported(&format!("client: {{ report_as: {wrong} }}")));
        assert!(problems.contains("client.report_as"), "{wrong}: {problems}");
    }
}

#[test]
fn memory_is_given_with_its_unit() {
    let memory = |text: &str| {
        let text = format!("upstream: {{ url: {URL} }}\nlimits: {{ memory: {text} }}");
        good(&file(&text)).memory
    };
    assert_eq!(
        good(&variables(&[("PGSIEVE_UPSTREAM_URL", URL)])).memory,
        512 << 20
    );
    assert_eq!(memory("134217728B"), 128 << 20);
    assert_eq!(memory("131072KiB"), 128 << 20);
    assert_eq!(memory("131072kB"), 128 << 20);
    assert_eq!(memory("300 MiB"), 300 << 20);
    assert_eq!(memory("300MB"), 300 << 20);
    assert_eq!(memory("1.5GiB"), 1536 << 20);
    assert_eq!(memory("1TiB"), 1 << 40);
    for wrong in [
        "127MiB",
        "2TiB",
        "1gb",
        "512M",
        "0",
        "-1",
        "MiB",
        "99999999999TiB",
    ] {
        let text = format!("upstream: {{ url: {URL} }}\nlimits: {{ memory: {wrong} }}");
        let problems = bad(&file(&text));
        assert!(
            problems.contains("from 128MiB to 1TiB is wanted"),
            "{wrong}: {problems}"
        );
    }
}

#[test]
fn catalogs_are_kept_unless_told_otherwise() {
    let settings = good(&variables(&[("PGSIEVE_UPSTREAM_URL", URL)])).catalog;
    assert_eq!(settings.mode, CatalogMode::On);
    let AccountSetting::OfUrl(UpstreamAccount { user, .. }) = settings.account else {
        panic!("the URL has a user")
    };
    assert_eq!(user, "app");
    let seconds = Duration::from_secs;
    assert_eq!(settings.poll_interval, Duration::from_millis(500));
    assert_eq!(settings.refresh_interval, seconds(600));
    assert_eq!(settings.age_max, seconds(10));

    let password = written("of watch\n");
    let settings = good(&file(&format!(
        "upstream: {{ url: {URL} }}\n\
         catalog:\n  mode: off\n  user: watch\n  password_file: {}\n\
         \x20 poll_interval: 2s\n  refresh_interval: 1h\n  age_max: 4s\n",
        password.display()
    )))
    .catalog;
    assert_eq!(settings.mode, CatalogMode::Off);
    let AccountSetting::Configured(UpstreamAccount { user, secret }) = settings.account else {
        panic!("an account was named")
    };
    let password = LoginSecret::from(Secret::new("of watch"));
    assert_eq!((user.as_str(), secret), ("watch", Some(password)));
    assert_eq!(settings.poll_interval, seconds(2));
    assert_eq!(settings.refresh_interval, seconds(3600));
    assert_eq!(settings.age_max, seconds(4));
}

#[test]
fn flags_win_over_the_environment_and_that_over_the_file() {
    let mut sources = file(&format!(
        "upstream: {{ url: {URL} }}\nworkers: 1\nlisten: 127.0.0.1:1"
    ));
    sources.variables = variables(&[
        ("PGSIEVE_WORKERS", "2"),
        ("PGSIEVE_LISTEN", "127.0.0.1:2, 127.0.0.1:3"),
        ("PGSIEVE_AUDIT_TO", "-"),
    ])
    .variables;
    let settings = good(&sources);
    assert_eq!((settings.workers.threads, settings.listen.len()), (2, 2));
    assert_eq!(settings.telemetry.audit.targets, [AuditTarget::Stdout]);
    sources.flags = vec![FlagValue {
        path: "listen",
        name: "--listen",
        value: "127.0.0.1:4".into(),
    }];
    let settings = good(&sources);
    assert_eq!(
        settings.listen,
        [ListenAddress::Tcp("127.0.0.1:4".parse().unwrap())]
    );
}

#[test]
fn every_key_has_a_variable_that_is_known() {
    for key in KEYS {
        let name = key.variable();
        let problems = bad(&variables(&[(&name, "")]));
        assert!(!problems.contains("unknown variable"), "{name}: {problems}");
    }
}

#[test]
fn every_problem_is_reported_at_once_with_its_place() {
    let text = "listne: 127.0.0.1:1\n\
                client:\n  tls:\n    mode: sometimes\n  auth: passthrough\n\
                workers: many\n\
                limits:\n  drain_timeout: -1s\n";
    let mut sources = file(text);
    sources.variables = variables(&[("PGSIEVE_AUDIT_TOO", "x")]).variables;
    let problems = bad(&sources);
    for line in [
        "pgsieve.yaml:1:1 listne: unknown key; did you mean listen?",
        "pgsieve.yaml:4:5 client.tls.mode: one of off, allow, require is wanted",
        "pgsieve.yaml:5:9 client.auth: a group of keys is wanted here, not a value: \
         client.auth.method, client.auth.allow_plaintext_passwords, \
         client.auth.passthrough.cache_age, client.auth.users, client.auth.disabled, \
         client.auth.oidc.issuer, client.auth.oidc.audience, client.auth.oidc.keys, \
         client.auth.oidc.keys_ca, client.auth.oidc.user_claim, client.auth.oidc.attributes, \
         client.auth.oidc.clock_skew, \
         client.auth.oidc.expired_sessions, client.auth.attributes, \
         client.auth.query.function, client.auth.query.database, client.auth.query.user, \
         client.auth.query.password_file, client.auth.query.cache_age, \
         client.auth.query.upstream_user",
        "pgsieve.yaml:6:1 workers: a whole number from 1 to 256 is wanted",
        "pgsieve.yaml:8:3 limits.drain_timeout: a duration from 0 to 1h is wanted, such as \
         500ms, 10s or 10min",
        "PGSIEVE_AUDIT_TOO: unknown variable; did you mean PGSIEVE_AUDIT_TO?",
        "upstream.url: is required: postgres://user@host:port/database, in the settings file, in \
         PGSIEVE_UPSTREAM_URL or with --upstream",
    ] {
        assert!(
            problems.lines().any(|have| have == line),
            "{line} is missing in:\n{problems}"
        );
    }
}

#[test]
fn yaml_that_cannot_be_read_has_a_place() {
    let problems = bad(&file("upstream:\n  url: [postgres://x\n"));
    assert!(problems.starts_with("pgsieve.yaml:"), "{problems}");
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    for (text, wanted) in [
        (
            "client: { tls: { mode: require } }",
            "needs client.tls.certificate",
        ),
        (
            "client: { auth: { method: scram } }",
            "client.auth.users: is required",
        ),
        (
            "client: { auth: { method: cert, users: [{ name: a }] } }",
            "cert needs",
        ),
        (
            "client: { auth: { users: [{ name: a }] } }",
            "is only for client.auth.method scram",
        ),
        (
            "client: { auth: { method: trust, allow_plaintext_passwords: true } }",
            "is only for client.auth.method passthrough",
        ),
        (
            "client: { auth: { method: scram, users: [{ nmae: a }] } }",
            "did you mean name?",
        ),
        (
            "client: { auth: { method: scram, users: [a] } }",
            "a user is a map with a name",
        ),
        (
            "client: { auth: { method: scram, users: [{ name: a }] } }",
            "a verifier or",
        ),
        ("upstream: { tls: { mode: verify-full } }", "sslrootcert"),
        (
            "catalog: { poll_interval: 99ms }",
            "catalog.poll_interval: a duration from 100ms to 10s is wanted",
        ),
        (
            "catalog: { poll_interval: 6s }",
            "catalog.age_max: must be at least twice catalog.poll_interval",
        ),
        (
            "catalog: { password_file: /etc/hostname }",
            "is the password of catalog.user",
        ),
        (
            "policy: { tests: require }",
            "policy.tests: one of off, required is wanted",
        ),
        (
            "policy: { tests: required }\ncatalog: { mode: off, user: a }",
            "policy.tests: required needs catalog.mode: on",
        ),
        (
            "policy: { file: /no/such/policy }",
            "policy.file: /no/such/policy: the file cannot be read",
        ),
    ] {
        let mut sources = file(text);
        sources.variables = variables(&[("PGSIEVE_UPSTREAM_URL", URL)]).variables;
        let problems = bad(&sources);
        assert!(problems.contains(wanted), "{text}:\n{problems}");
    }
}

#[test]
fn what_a_policy_gets_wrong_is_reported_with_the_rest() {
    let policy = written("name: x\nnonsense: 1\n");
    let problems = bad(&file(&format!("policy: {{ file: {} }}", policy.display())));
    assert!(
        problems.contains(&format!("{}:2:1 nonsense", policy.display())),
        "{problems}"
    );
    assert!(problems.contains("upstream.url: is required"), "{problems}");
}

#[test]
fn policies_are_one_or_several() {
    let agent = include_str!("../../../policies/agent.yaml");
    let mine = agent.replacen("name: agent\n", "name: mine\nmatch: {user: ann}\n", 1);
    let mine = written(&mine);
    let path = mine.display();
    let names = |text: &str| {
        let mut sources = file(text);
        sources.variables = variables(&[("PGSIEVE_UPSTREAM_URL", URL)]).variables;
        let settings = good(&sources);
        let all = settings.policies.all().iter();
        let names: Vec<String> = all.map(|policy| policy.name().to_owned()).collect();
        (names, settings.policy_sources.len())
    };
    assert_eq!(
        names("policy: { file: observe }"),
        (vec!["observe".into()], 1)
    );
    let (found, sources) = names(&format!("policy: {{ file: [{path}, strict] }}"));
    assert_eq!((found, sources), (vec!["mine".into(), "strict".into()], 2));
    let together = format!("{path},bi");
    let settings = good(&variables(&[
        ("PGSIEVE_UPSTREAM_URL", URL),
        ("PGSIEVE_POLICY_FILE", &together),
    ]));
    assert_eq!(settings.policies.all().len(), 2);
    let problems = bad(&file("policy: { file: [agent, bi] }"));
    assert!(
        problems.contains("neither agent nor bi has a match"),
        "{problems}"
    );
    let problems = bad(&file("policy: { file: [/no/such/policy, agent] }"));
    assert!(
        problems.contains("policy.file: /no/such/policy: the file cannot be read"),
        "{problems}"
    );
}

#[test]
fn the_audit_has_names_unless_told_otherwise() {
    let names = |value: &str| {
        let url = ("PGSIEVE_UPSTREAM_URL", URL);
        good(&variables(&[url, ("PGSIEVE_AUDIT_NAMES", value)])).audit_names
    };
    assert!(good(&variables(&[("PGSIEVE_UPSTREAM_URL", URL)])).audit_names);
    assert!(names("on") && !names("off"));
    let problems = bad(&variables(&[("PGSIEVE_AUDIT_NAMES", "maybe")]));
    assert!(problems.contains("one of on, off is wanted"), "{problems}");
}

#[test]
fn the_audit_has_columns_where_it_is_told_to_and_has_names() {
    let columns = |value: &str| {
        let url = ("PGSIEVE_UPSTREAM_URL", URL);
        good(&variables(&[url, ("PGSIEVE_AUDIT_COLUMNS", value)])).audit_columns
    };
    assert!(!good(&variables(&[("PGSIEVE_UPSTREAM_URL", URL)])).audit_columns);
    assert!(columns("on") && !columns("off"));
    let both = [
        ("PGSIEVE_AUDIT_COLUMNS", "on"),
        ("PGSIEVE_AUDIT_NAMES", "off"),
    ];
    let problems = bad(&variables(&both));
    assert!(problems.contains("audit.names: on is wanted"), "{problems}");
}

#[test]
fn a_token_of_the_live_page_cannot_be_guessed() {
    let settings = |path: &std::path::Path| {
        let path = path.display();
        file(&format!(
            "upstream: {{ url: 'postgres://h/' }}\nadmin: {{ token_file: '{path}' }}"
        ))
    };
    let given = good(&settings(&written("0123456789abcdef\nand more\n")));
    let token = given.admin_token.unwrap();
    assert_eq!(token.reveal(), "0123456789abcdef");
    for bad in [
        "short",
        "fifteen-letters",
        "with spaces in between",
        "with-lätters-in-it",
    ] {
        let problems = self::bad(&settings(&written(bad)));
        assert!(problems.contains("visible letters"), "{problems}");
        assert!(!problems.contains(bad), "{problems}");
    }
}

#[test]
fn users_are_mapped_to_the_upstream() {
    let password = written("of ann\n");
    let verifier = VERIFIER;
    let stored = written(verifier);
    let text = format!(
        "client:\n  auth:\n    method: scram\n    users:\n\
         \x20     - {{ name: ann, verifier: '{verifier}', upstream_user: reader,\
         \x20         upstream_password_file: {} }}\n\
         \x20     - {{ name: bob, verifier_file: {}, upstream_password_env: BOB }}\n\
         \x20     - {{ name: eve, verifier_file: {} }}\n",
        password.display(),
        stored.display(),
        stored.display()
    );
    let mut sources = file(&text);
    let url = "postgres://svc:svcpw@h/d";
    sources.variables = variables(&[("PGSIEVE_UPSTREAM_URL", url), ("BOB", "of bob")]).variables;
    let AuthSettings::Scram { users } = good(&sources).auth else {
        panic!("scram was asked for")
    };
    let seen: Vec<_> = users
        .iter()
        .map(|user| {
            let password = user.upstream.secret.clone();
            (user.name.as_str(), user.upstream.user.as_str(), password)
        })
        .collect();
    let password = |text: &str| Some(LoginSecret::from(Secret::new(text)));
    assert_eq!(
        seen,
        [
            ("ann", "reader", password("of ann")),
            ("bob", "bob", password("of bob")),
            ("eve", "svc", password("svcpw")),
        ]
    );
    let users = "[{name: ann, verifier: x}, {name: ann}]";
    let problems = bad(&variables(&[
        ("PGSIEVE_UPSTREAM_URL", url),
        ("PGSIEVE_CLIENT_AUTH_METHOD", "scram"),
        ("PGSIEVE_CLIENT_AUTH_USERS", users),
    ]));
    assert!(problems.contains("PGSIEVE_CLIENT_AUTH_USERS client.auth.users.verifier: a SCRAM"));
}

#[test]
fn no_problem_shows_a_secret() {
    let canary = "cAnArY";
    let secret_file = written(&format!("{canary}\n"));
    let url = format!("postgres://u:{canary}%zz@h:{canary}/d?x={canary}");
    let text = format!(
        "upstream: {{ url: 'postgres://u:{canary}@h/d', password_file: {} }}\n\
         admin: {canary}\nlisten: [{canary}, [{canary}]]\nworkers: {canary}\n\
         audit: {{ fingerprint_key_file: {} }}\n\
         client:\n  tls: {{ mode: {canary} }}\n  auth:\n    method: scram\n    users:\n\
         \x20     - {{ name: a, verifier: {canary} }}\n\
         \x20     - {{ name: b, verifier_file: {} }}\n\
         \x20     - {canary}\n",
        secret_file.display(),
        secret_file.display(),
        secret_file.display(),
    );
    let mut all = bad(&file(&text));
    all.push_str(&bad(&variables(&[("PGSIEVE_UPSTREAM_URL", &url)])));
    all.push_str(&bad(&variables(&[(
        "PGSIEVE_CLIENT_AUTH_USERS",
        &format!("[{canary}: {{"),
    )])));
    for broken in [
        format!("upstream: {{ url: '{canary}"),
        format!("{canary}: : [\"{canary}"),
    ] {
        all.push_str(&bad(&file(&broken)));
    }
    // A key's name is shown, because it must be found; its value never is.
    let shown: Vec<&str> = all.lines().filter(|line| line.contains(canary)).collect();
    assert!(shown.is_empty(), "{shown:#?}");
    assert!(all.lines().count() > 10, "{all}");
}

#[test]
fn traces_are_off_unless_a_collector_is_named() {
    use pgsieve::telemetry::collector::settings::CollectorProtocol;

    let upstream = "upstream:\n  url: postgres://app@db.example.org:5433/shop\n";
    for off in [String::new(), "traces:\n  endpoint: off\n".into()] {
        assert!(
            good(&file(&format!("{upstream}{off}")))
                .telemetry
                .traces
                .is_none()
        );
    }
    let text = format!("{upstream}traces:\n  endpoint: http://otel:4318\n  protocol: http\n");
    let traces = good(&file(&text)).telemetry.traces.unwrap();
    assert_eq!(traces.collector.url(), "http://otel:4318/v1/traces");
    assert_eq!(traces.collector.protocol(), CollectorProtocol::Http);
    assert_eq!(
        (traces.sample_ratio, traces.service_name.as_str()),
        (0.01, "pgsieve")
    );
    let database = traces.database.unwrap();
    assert_eq!(
        (database.address.as_str(), database.port),
        ("db.example.org", 5433)
    );
}

#[test]
fn what_is_wrong_with_traces_is_told_without_the_value() {
    let folder = std::env::temp_dir().join(format!("pgsieve-headers-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (right, wrong) = (folder.join("right"), folder.join("wrong"));
    std::fs::write(&right, "authorization: Bearer canary\n").unwrap();
    std::fs::write(&wrong, "authorization Bearer canary\n").unwrap();
    let with = |lines: &str| {
        let lines = lines.replace("RIGHT", &right.to_string_lossy());
        let lines = lines.replace("WRONG", &wrong.to_string_lossy());
        let traces: String = lines
            .split(';')
            .map(|line| format!("  {}\n", line.trim()))
            .collect();
        file(&format!("upstream:\n  url: {URL}\ntraces:\n{traces}"))
    };
    for (lines, what) in [
        (
            "endpoint: canary:4317",
            "must be off, or start with http:// or https://",
        ),
        (
            "endpoint: http://canary:pw@otel",
            "holds a user or password",
        ),
        ("endpoint: http://otel/canary", "has a path"),
        (
            "endpoint: http://otel; protocol: canary",
            "one of grpc, http is wanted",
        ),
        (
            "endpoint: http://otel; sample_ratio: 1.1",
            "a number from 0 to 1 is wanted",
        ),
        (
            "endpoint: http://otel; sample_ratio: NaN",
            "a number from 0 to 1 is wanted",
        ),
        (
            "endpoint: http://localhost; headers_file: WRONG",
            "line 1 of the file",
        ),
        ("endpoint: http://otel; headers_file: RIGHT", "in clear"),
        (
            "endpoint: http://localhost; headers_file: canary",
            "the secret itself stands in the file",
        ),
        (
            "endpoint: http://localhost; headers_file: /nowhere/at/all",
            "no such file: /nowhere/at/all",
        ),
    ] {
        let said = bad(&with(lines));
        assert!(
            said.contains(what) && !said.contains("canary"),
            "{lines}: {said}"
        );
    }
    for lines in [
        "endpoint: http://localhost:4317; headers_file: RIGHT",
        "endpoint: https://otel; headers_file: RIGHT",
    ] {
        let settings = good(&with(lines));
        assert_eq!(settings.telemetry.traces.as_ref().unwrap().headers.len(), 1);
        assert!(!format!("{:?}", settings.telemetry).contains("canary"));
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
