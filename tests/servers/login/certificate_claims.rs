//! What certificates of clients say chooses their policies, and nothing else that they say does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, SanType,
};

use crate::settings::reload::{Rig, folder, write};
use crate::support::{APP, until};

/// What a certificate says, in the order in which it says it.
pub enum Name {
    Organization(&'static str),
    Unit(&'static str),
    Email(&'static str),
    Dns(&'static str),
    Mail(&'static str),
    Uri(&'static str),
}

use Name::{Dns, Email, Mail, Organization, Unit, Uri};

/// Policies by falling priority, and what each is for.
const POLICIES: &[(&str, &str)] = &[
    ("both", "organization: Acme, organizational_unit: both"),
    ("unit", "organizational_unit: ['sal*', hr]"),
    ("organization", "organization: Acme"),
    ("email", "email: '*@acme.example'"),
    (
        "other_name",
        "alternative_name: ['app.acme.example', 'spiffe://acme/*', 'a@b']",
    ),
];

/// Names of a certificate, and the policy that it leads to.
const CASES: &[(&[Name], &str)] = &[
    (&[Organization("Acme"), Unit("both")], "both"),
    (&[Unit("both")], "rest"),
    (&[Organization("Acme"), Unit("sales")], "unit"),
    (&[Unit("hr")], "unit"),
    (&[Unit("legal"), Unit("sales-eu")], "unit"),
    (&[Unit("hr-eu")], "rest"),
    (&[Unit("Sales")], "rest"),
    (&[Organization("Acme")], "organization"),
    (
        &[Organization("Other"), Organization("Acme")],
        "organization",
    ),
    (&[Organization("Acme Ltd")], "rest"),
    (&[Organization("acme")], "rest"),
    // A name of one kind is none of another.
    (&[Unit("Acme")], "rest"),
    (&[Organization("sales")], "rest"),
    (&[Organization("x@acme.example")], "rest"),
    (&[Email("x@acme.example")], "email"),
    (&[Email("x@acme.example.org")], "rest"),
    (&[Mail("x@acme.example")], "rest"),
    (&[Dns("app.acme.example")], "other_name"),
    (
        &[Dns("db.acme.example"), Uri("spiffe://acme/app")],
        "other_name",
    ),
    (&[Mail("a@b")], "other_name"),
    (&[Email("a@b")], "rest"),
    (&[Uri("spiffe://other/acme/")], "rest"),
    (&[], "rest"),
];

/// An authority that makes certificates for clients, and one for the server.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    folder: PathBuf,
}

impl Authority {
    pub fn new(folder: &Path, name: &str) -> Self {
        let mut parameters = CertificateParams::new(Vec::new()).unwrap();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        parameters.distinguished_name = named("An authority", &[]);
        let key = KeyPair::generate().unwrap();
        let own = parameters.self_signed(&key).unwrap();
        write(folder, &format!("{name}.crt"), &own.pem());
        Self {
            issuer: Issuer::new(parameters, key),
            folder: folder.to_owned(),
        }
    }

    /// A certificate in this file, and its key beside it.
    pub fn issue(&self, file: &str, names: &[Name], usage: ExtendedKeyUsagePurpose) {
        let hosts = match usage {
            ExtendedKeyUsagePurpose::ServerAuth => vec!["localhost".to_owned()],
            _ => Vec::new(),
        };
        let mut parameters = CertificateParams::new(hosts).unwrap();
        parameters.distinguished_name = named(APP, names);
        parameters.extended_key_usages = vec![usage];
        let other = names.iter().filter_map(|name| match name {
            Dns(text) => Some(SanType::DnsName((*text).try_into().unwrap())),
            Mail(text) => Some(SanType::Rfc822Name((*text).try_into().unwrap())),
            Uri(text) => Some(SanType::URI((*text).try_into().unwrap())),
            Organization(_) | Unit(_) | Email(_) => None,
        });
        parameters.subject_alt_names.extend(other);
        let key = KeyPair::generate().unwrap();
        let made = parameters.signed_by(&key, &self.issuer).unwrap();
        write(&self.folder, &format!("{file}.crt"), &made.pem());
        write(&self.folder, &format!("{file}.key"), &key.serialize_pem());
    }
}

/// The subject of a certificate. The second of a kind is written by its number, for by its name
/// the first would be replaced.
fn named(common_name: &str, names: &[Name]) -> DistinguishedName {
    let mut subject = DistinguishedName::new();
    subject.push(DnType::CommonName, common_name);
    for name in names {
        let (kind, text) = match name {
            Organization(text) => (DnType::OrganizationName, *text),
            Unit(text) => (DnType::OrganizationalUnitName, *text),
            Email(text) => (DnType::CustomDnType(EMAIL_ADDRESS.to_vec()), *text),
            Dns(_) | Mail(_) | Uri(_) => continue,
        };
        let kind = match (subject.get(&kind), kind) {
            (None, kind) => kind,
            (Some(_), DnType::OrganizationName) => DnType::CustomDnType(vec![2, 5, 4, 10]),
            (Some(_), DnType::OrganizationalUnitName) => DnType::CustomDnType(vec![2, 5, 4, 11]),
            (Some(_), kind) => panic!("two of {kind:?}"),
        };
        subject.push(kind, text);
    }
    subject
}

/// emailAddress of PKCS #9.
const EMAIL_ADDRESS: &[u64] = &[1, 2, 840, 113_549, 1, 9, 1];

/// A pgsieve with these policies, which takes certificates of the authority in `ca.crt`.
fn rig() -> (Rig, Authority) {
    let folder = folder();
    let authority = Authority::new(&folder, "ca");
    authority.issue("server", &[], ExtendedKeyUsagePurpose::ServerAuth);
    fs::create_dir(folder.join("policies")).unwrap();
    let bi = include_str!("../../../policies/bi.yaml");
    let rest = [("rest", "")];
    let all = POLICIES.iter().chain(&rest).zip((0..=POLICIES.len()).rev());
    for ((name, wanted), priority) in all {
        let text = bi.replace("\nname: bi\n", &format!("\nname: {name}\n"));
        let matching = match wanted.is_empty() {
            true => String::new(),
            false => format!("match: {{certificate: {{{wanted}}}}}\npriority: {priority}\n"),
        };
        let model =
            format!("models: {{public.who: {{new: true, sql: \"SELECT '{name}' AS policy\"}}}}\n");
        let file = folder.join("policies").join(format!("{name}.yaml"));
        fs::write(file, format!("{text}\n{matching}{model}")).unwrap();
    }
    let rig = Rig::start(
        folder,
        "upstream: {url: '{upstream}'}\npolicy: {file: '{own}/policies'}\nclient:\n  tls: {mode: \
         allow, certificate: '{own}/server.crt', key: '{own}/server.key', client_ca: \
         '{own}/ca.crt'}\n",
    );
    (rig, authority)
}

/// The policy of a psql that shows this certificate, or what it hears.
fn policy(rig: &Rig, shown: Option<&str>) -> Result<String, String> {
    let folder = rig.folder.display();
    let shown = match shown {
        Some(file) => format!("&sslcert={folder}/{file}.crt&sslkey={folder}/{file}.key"),
        None => String::new(),
    };
    let url = format!(
        "postgresql://{APP}:{APP}@localhost:{}/{}?sslmode=verify-full&sslrootcert={folder}/ca.crt\
         {shown}",
        rig.stack.proxied_address().port(),
        rig.stack.database(),
    );
    let ran = Command::new("psql")
        .args(["-XAtq", "-d", &url, "-c", "SELECT policy FROM public.who"])
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap())
        .env("PGCONNECT_TIMEOUT", "20")
        .env("HOME", "/nonexistent")
        .output()
        .expect("psql is installed");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    match ran.status.success() {
        true => Ok(text(&ran.stdout)),
        false => Err(text(&ran.stderr)),
    }
}

#[test]
fn what_a_certificate_says_chooses_the_policy() {
    let (rig, authority) = rig();
    let none = until(|| policy(&rig, None).ok()).expect("an answer");
    assert_eq!(none, "rest");
    for (number, (names, wanted)) in CASES.iter().enumerate() {
        let file = format!("client{number}");
        authority.issue(&file, names, ExtendedKeyUsagePurpose::ClientAuth);
        assert_eq!(
            policy(&rig, Some(&file)),
            Ok((*wanted).to_owned()),
            "{number}"
        );
    }
    // Whom the authority does not know is let in by no name, and a server's is no client's.
    let stranger = Authority::new(&rig.folder, "other");
    stranger.issue(
        "stranger",
        &[Organization("Acme")],
        ExtendedKeyUsagePurpose::ClientAuth,
    );
    authority.issue(
        "server2",
        &[Organization("Acme")],
        ExtendedKeyUsagePurpose::ServerAuth,
    );
    for file in ["stranger", "server2"] {
        let heard = policy(&rig, Some(file)).unwrap_err();
        assert!(
            heard.contains("SSL error") || heard.contains("alert"),
            "{heard}"
        );
    }
}
