//! What libpq's programs take from the environment counts for an address of --upstream.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use pgsieve::config::sources::{FlagValue, SettingsFile, SettingsSources};
use pgsieve::config::{DatabaseSettings, SettingsProblem, database};
use pgsieve::net::upstream_tls::{ClientCertificate, TlsAuthority, UpstreamTlsSettings};

use super::{Written, written};

fn sources(url: &str, variables: &[(&str, &str)]) -> SettingsSources {
    let owned = variables.iter();
    let owned = owned.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    SettingsSources {
        variables: owned.collect(),
        flags: vec![FlagValue {
            path: "upstream.url",
            name: "--upstream",
            value: url.to_owned(),
        }],
        ..SettingsSources::default()
    }
}

fn read(url: &str, variables: &[(&str, &str)]) -> Result<DatabaseSettings, String> {
    database(&sources(url, variables)).map_err(|problems| {
        let told = problems.iter().map(SettingsProblem::to_string);
        told.collect::<Vec<_>>().join("\n")
    })
}

/// `user:password@endpoint/database`.
fn told(url: &str, variables: &[(&str, &str)]) -> String {
    let upstream = read(url, variables).unwrap().upstream;
    let password = upstream
        .password
        .map(|password| password.reveal().to_owned());
    format!(
        "{}:{}@{}/{}",
        upstream.user.unwrap_or_default(),
        password.unwrap_or_default(),
        upstream.endpoint,
        upstream.database.unwrap_or_default()
    )
}

fn refused(url: &str, variables: &[(&str, &str)], wanted: &[&str]) {
    let said = read(url, variables).err().unwrap();
    for wanted in wanted {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    assert!(!said.contains("cAnArY"), "{said}");
}

/// A file that only its owner can read.
fn secret(text: &str) -> Written {
    let file = written(text);
    fs::set_permissions(&file.0, fs::Permissions::from_mode(0o600)).unwrap();
    file
}

fn name(file: &Written) -> &str {
    file.0.to_str().unwrap()
}

#[test]
fn what_the_address_does_not_say_comes_from_the_environment() {
    let all = [
        ("PGHOST", "db.example.org"),
        ("PGPORT", "6000"),
        ("PGDATABASE", "sales"),
        ("PGUSER", "ann"),
        ("PGPASSWORD", "a%41:/?"),
        ("PGSSLMODE", "require"),
    ];
    assert_eq!(
        told("postgres://", &all),
        "ann:a%41:/?@db.example.org:6000/sales"
    );
    assert_eq!(
        told("postgres:///stock", &all),
        "ann:a%41:/?@db.example.org:6000/stock"
    );
    let whole = "postgres://ben:x@localhost:1/stock?sslmode=disable";
    assert_eq!(told(whole, &all), "ben:x@localhost:1/stock");
    assert_eq!(told("postgres://ben@h/", &all), "ben:a%41:/?@h:6000/sales");
    let socket = [("PGHOST", "/run/x"), ("PGUSER", "ann")];
    assert_eq!(
        told("postgres:///stock", &socket),
        "ann:@/run/x/.s.PGSQL.5432/stock"
    );
    assert_eq!(
        told("postgres://h", &[("PGUSER", ""), ("PGPORT", "")]),
        ":@h:5432/"
    );
}

#[test]
fn what_the_environment_cannot_mean_is_told_by_its_name() {
    let url = "postgres://ann@db.example.org/sales";
    refused(
        "postgres://",
        &[("PGUSER", "cAnArY")],
        &["--upstream, with PGUSER", "names no host"],
    );
    refused(
        url,
        &[("PGSSLMODE", "prefer")],
        &["with PGSSLMODE", "may go on in clear"],
    );
    refused(url, &[("PGSSLMODE", "verify-full")], &["need sslrootcert"]);
    refused(
        url,
        &[("PGPORT", "cAnArY")],
        &["with PGPORT", "the port must be a number"],
    );
    refused(
        "postgres://",
        &[("PGHOST", "a,b")],
        &["with PGHOST", "more than one host"],
    );
    refused(
        url,
        &[("PGCHANNELBINDING", "require")],
        &["PGCHANNELBINDING: pgsieve cannot insist"],
    );
    refused(
        url,
        &[("PGSSLCRL", "/cAnArY")],
        &["PGSSLCRL: pgsieve cannot read lists"],
    );
    refused(url, &[("PGHOSTADDR", "10.0.0.1")], &["PGHOSTADDR"]);
    assert_eq!(
        told(url, &[("PGCHANNELBINDING", "prefer")]),
        "ann:@db.example.org:5432/sales"
    );
}

#[test]
fn certificates_of_the_environment_count_where_there_is_tls() {
    let files = [
        ("PGSSLROOTCERT", "/ca.pem"),
        ("PGSSLCERT", "/own.pem"),
        ("PGSSLKEY", "/own.key"),
    ];
    let shown = ClientCertificate::Files {
        certificate: "/own.pem".into(),
        key: "/own.key".into(),
    };
    let tls = |url: &str, more: &[(&str, &str)]| {
        let all: Vec<_> = files.iter().chain(more).copied().collect();
        read(url, &all).unwrap().upstream.tls
    };
    let checked = TlsAuthority::File("/ca.pem".into());
    assert_eq!(
        tls("postgres://a@db.example.org/x?sslmode=verify-full", &[]),
        UpstreamTlsSettings::VerifyFull(checked.clone(), shown.clone())
    );
    assert_eq!(
        tls("postgres://a@localhost/x", &[("PGSSLMODE", "verify-ca")]),
        UpstreamTlsSettings::VerifyCa(checked.clone(), shown.clone())
    );
    // As without them: the address decides, and its own files win.
    for url in [
        "postgres://a@localhost/x",
        "postgres://a@h/x?sslmode=disable",
        "postgres://a@%2Ftmp/x",
    ] {
        assert_eq!(tls(url, &[]), UpstreamTlsSettings::Disable, "{url}");
    }
    let own = TlsAuthority::File("/mine.pem".into());
    assert_eq!(
        tls(
            "postgres://a@h/x?sslmode=verify-full&sslrootcert=/mine.pem",
            &[]
        ),
        UpstreamTlsSettings::VerifyFull(own, shown)
    );
}

#[test]
fn passwords_come_from_a_file_that_nobody_else_can_read() {
    let url = "postgres://ann@db.example.org/sales";
    let file =
        secret("# a comment\nother:*:*:*:no\ndb.example.org:5432:sales:ann:p\\:w\n*:*:*:*:all\n");
    let with = [("PGPASSFILE", name(&file))];
    assert_eq!(told(url, &with), "ann:p:w@db.example.org:5432/sales");
    assert_eq!(
        told("postgres://h/x", &with),
        ":@h:5432/x",
        "nobody to look up"
    );
    assert_eq!(told("postgres://ben@h/x", &with), "ben:all@h:5432/x");
    let both = [("PGPASSFILE", name(&file)), ("PGPASSWORD", "first")];
    assert_eq!(told(url, &both), "ann:first@db.example.org:5432/sales");
    assert_eq!(told("postgres://ann:own@h/x", &both), "ann:own@h:5432/x");
    fs::set_permissions(&file.0, fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(told(url, &with), "ann:@db.example.org:5432/sales");
    // At home, where no variable says otherwise.
    let home = std::env::temp_dir().join(format!("pgsieve-home-{}", std::process::id()));
    fs::create_dir_all(&home).unwrap();
    let own = home.join(".pgpass");
    fs::write(&own, "localhost:5432:x:ann:sock\n").unwrap();
    fs::set_permissions(&own, fs::Permissions::from_mode(0o600)).unwrap();
    let at_home = [("HOME", home.to_str().unwrap())];
    assert_eq!(
        told("postgres://ann@%2Ftmp/x", &at_home),
        "ann:sock@/tmp/.s.PGSQL.5432/x"
    );
    fs::remove_dir_all(&home).unwrap();
}

#[test]
fn a_service_counts_before_the_environment_and_behind_the_address() {
    let file = written(
        "[sales]\nhost=db.example.org\nuser=ann\npassword=cAnArY\nconnect_timeout=3\n\n\
         [odd]\nhost=h\nhostaddr=10.0.0.1\n",
    );
    let with = |service: &'static str| {
        [
            ("PGSERVICE", service),
            ("PGSERVICEFILE", name(&file)),
            ("PGHOST", "elsewhere"),
            ("PGDATABASE", "stock"),
            ("PGPASSWORD", "other"),
        ]
    };
    assert_eq!(
        told("postgres://", &with("sales")),
        "ann:cAnArY@db.example.org:5432/stock"
    );
    assert_eq!(
        told("postgres://ben@h/x", &with("sales")),
        "ben:cAnArY@h:5432/x"
    );
    refused(
        "postgres://",
        &with("odd"),
        &["PGSERVICE: service odd: hostaddr has no meaning"],
    );
    refused(
        "postgres://",
        &with("none"),
        &["PGSERVICE: no service of this name is in "],
    );
    let missing = [("PGSERVICE", "sales"), ("PGSERVICEFILE", "/no/such/file")];
    refused(
        "postgres://",
        &missing,
        &["PGSERVICE: the service file cannot be read"],
    );
    refused(
        "postgres://",
        &[("PGSERVICE", "x")],
        &["there is no service file"],
    );
}

/// A settings file says where pgsieve goes; the environment of whoever starts it does not.
#[test]
fn nothing_of_it_counts_for_a_settings_file_or_its_variables() {
    let variables = [
        ("PGUSER", "ann"),
        ("PGPASSWORD", "x"),
        ("PGSSLCRL", "y"),
        ("PGSERVICE", "z"),
    ];
    let mut of_file = sources("", &variables);
    of_file.flags.clear();
    of_file.file = Some(SettingsFile {
        name: "pgsieve.yaml".into(),
        text: "upstream: {url: 'postgres://h/x'}".into(),
    });
    let upstream = database(&of_file).map_err(drop).unwrap().upstream;
    assert_eq!((upstream.user, upstream.password.is_none()), (None, true));
    let file = secret("of the file\n");
    let before = [
        ("PGSIEVE_UPSTREAM_PASSWORD_FILE", name(&file)),
        ("PGPASSWORD", "x"),
    ];
    assert_eq!(
        told("postgres://ann@h/x", &before),
        "ann:of the file@h:5432/x"
    );
    assert!(Path::new(name(&file)).exists());
}
