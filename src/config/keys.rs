//! Every key: its name, meaning, unit, default and bound. What is not in this table is no key.
//!
//! A key can be given in the file as a path (`client.tls.mode`), in the environment as
//! `PGSIEVE_CLIENT_TLS_MODE`, and a few as flags. Later sources win: file, environment, flags.

use crate::config::client::{auth_query, passthrough};
use crate::config::settings_key::{KeyForm, SettingsKey};
use crate::config::user_keys::ENTRY_KEYS;
use crate::config::{
    capture_keys, choice_weights, limits_store, login_keys, mcp, pool, receipt_keys, server,
    upstream,
};

impl SettingsKey {
    /// The key of a path.
    pub fn at(path: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.path == path)
    }
}

/// The reference of all keys, for people.
pub fn reference() -> String {
    let mut text = String::new();
    for key in KEYS {
        let SettingsKey {
            path, default, doc, ..
        } = key;
        let variable = key.variable();
        text.push_str(&format!(
            "{path}\n    {doc}\n    Default: {default}. {variable}\n"
        ));
    }
    text.push_str(&format!(
        "\nThe file with these keys is the one of --config, else the one that {FILE_VARIABLE} \
         names.\n"
    ));
    for (path, keys) in ENTRY_KEYS {
        text.push_str(&format!("\nEach of {path}:\n"));
        for (name, doc) in *keys {
            text.push_str(&format!("{name}\n    {doc}\n"));
        }
    }
    text
}

/// The variable that names the settings file where no flag does; no key, for a file cannot.
pub const FILE_VARIABLE: &str = "PGSIEVE_CONFIG";

/// The keys, in the order of the reference.
pub const KEYS: &[SettingsKey] = &[
    SettingsKey {
        path: "listen",
        form: KeyForm::Words,
        default: "127.0.0.1:6432",
        doc: "Where clients arrive: host:port, or the path of a Unix socket; one or a list.",
    },
    SettingsKey {
        path: "admin.listen",
        form: KeyForm::Word,
        default: "127.0.0.1:9432",
        doc: "Where /metrics, /healthz, /readyz and the live page are served: ip:port, or off.",
    },
    SettingsKey {
        path: "admin.token_file",
        form: KeyForm::Word,
        default: "none",
        doc: "A file whose first line is the bearer token of the live page, pgsieve reload and \
              pgsieve sessions; without it, only this host can open the page, and nothing can be \
              changed through the address.",
    },
    server::ADMIN_HOSTS_KEY,
    SettingsKey {
        path: "strict_files",
        form: KeyForm::Word,
        default: "off",
        doc: "Whether pgsieve refuses to start if other users can read a file with a password, a \
              token, a verifier or a key: on, or off, which only logs a warning. Such a file \
              should have mode 0600, or 0640 if root owns it.",
    },
    SettingsKey {
        path: "metrics",
        form: KeyForm::Word,
        default: "on",
        doc: "Whether statements are counted: on or off. Alarms, connections and logins are always \
              counted.",
    },
    upstream::URL,
    upstream::engine::ENGINE,
    upstream::TARGETS,
    upstream::LAG_MAX,
    upstream::MIN_LSN_WAIT,
    upstream::databases::DATABASES,
    upstream::peers::ADDRESSES,
    upstream::peers::KEY_FILE,
    SettingsKey {
        path: "upstream.password_file",
        form: KeyForm::Word,
        default: "none",
        doc: "A file whose first line is the password of the URL's user.",
    },
    SettingsKey {
        path: "upstream.tls.mode",
        form: KeyForm::Word,
        default: "the URL's sslmode; without it require, on this host disable",
        doc: "TLS to the upstream: disable, require, verify-ca or verify-full.",
    },
    SettingsKey {
        path: "upstream.tls.root_certificate",
        form: KeyForm::Word,
        default: "none",
        doc: "A PEM file with the authorities that the upstream is checked against, or system.",
    },
    SettingsKey {
        path: "upstream.tls.certificate",
        form: KeyForm::Word,
        default: "none",
        doc: "A PEM file with the certificate that pgsieve shows the upstream.",
    },
    SettingsKey {
        path: "upstream.tls.key",
        form: KeyForm::Word,
        default: "none",
        doc: "A PEM file with the private key of that certificate.",
    },
    pool::MODE,
    pool::SIZE,
    pool::MIN,
    pool::RESERVE,
    pool::RESERVE_WAIT,
    pool::MAX_DB_CONNECTIONS,
    pool::QUERY_WAIT,
    pool::SERVER_LIFETIME,
    pool::SERVER_IDLE_TIMEOUT,
    pool::MAX_PREPARED_STATEMENTS,
    pool::console::USERS,
    pool::console::STATS_USERS,
    SettingsKey {
        path: "client.tls.mode",
        form: KeyForm::Word,
        default: "allow when a certificate is given, else off",
        doc: "TLS with clients: off, allow (the client decides) or require.",
    },
    SettingsKey {
        path: "client.tls.certificate",
        form: KeyForm::Word,
        default: "none",
        doc: "A PEM file with the certificate chain that pgsieve shows clients.",
    },
    SettingsKey {
        path: "client.tls.key",
        form: KeyForm::Word,
        default: "none",
        doc: "A PEM file with the private key of that certificate.",
    },
    SettingsKey {
        path: "client.tls.client_ca",
        form: KeyForm::Word,
        default: "none",
        doc: "A PEM file with authorities for client certificates; with mode require, every client \
              over TCP must show a certificate of theirs; with mode allow, it may.",
    },
    SettingsKey {
        path: "client.report_as",
        form: KeyForm::Word,
        default: "upstream",
        doc: "The kind of server that pgsieve reports to clients when they connect: upstream (the \
              kind that the upstream is, with transactions read only by default), primary \
              (accepted by target_session_attrs=read-write and targetServerType=primary) or \
              standby.",
    },
    login_keys::METHOD,
    login_keys::ALLOW_PLAINTEXT_PASSWORDS,
    passthrough::AGE,
    login_keys::USERS,
    login_keys::DISABLED,
    login_keys::ISSUER,
    login_keys::AUDIENCE,
    login_keys::KEYS_FROM,
    login_keys::KEYS_CA,
    login_keys::USER_CLAIM,
    login_keys::ATTRIBUTES,
    login_keys::CLOCK_SKEW,
    login_keys::EXPIRED_SESSIONS,
    login_keys::USER_ATTRIBUTES,
    auth_query::FUNCTION,
    auth_query::DATABASE,
    auth_query::USER,
    auth_query::PASSWORD_FILE,
    auth_query::AGE,
    auth_query::UPSTREAM_USER,
    SettingsKey {
        path: "policy.file",
        form: KeyForm::Words,
        default: "agent",
        doc: "The policies: files, folders (each *.yaml, in the order of names), or the built-in \
              policies agent, bi, strict and observe; one or a list. A session gets the first \
              policy whose match fits it, else the one without match.",
    },
    server::JUDGING,
    SettingsKey {
        path: "policy.tests",
        form: KeyForm::Word,
        default: "off",
        doc: "Whether the policies' own tests have to pass, against the catalog of the URL's \
              database: off or required. With required, no client can log in before they have \
              passed, pgsieve exits with status 1 if one fails at the start, and a reload of \
              policies that fail one is rejected. It needs a database in the URL and a user who \
              reads its catalog (catalog.user or the URL's).",
    },
    SettingsKey {
        path: "policy.mask_key_file",
        form: KeyForm::Word,
        default: "none",
        doc: "A file of 64 hexadecimal digits: the key of the mask hash of policies \
              (columns.mask). Anybody who has the key can compute the masked form of a guessed \
              value.",
    },
    SettingsKey {
        path: "catalog.mode",
        form: KeyForm::Word,
        default: "on",
        doc: "Whether pgsieve reads the catalogs of the databases, to know what the names in a \
              statement refer to: on or off. With off, a policy that requires a catalog permits \
              only statements in which every name is a built-in.",
    },
    SettingsKey {
        path: "catalog.user",
        form: KeyForm::Word,
        default: "the URL's; else that of the first client that logs in to the database",
        doc: "The role that reads the system catalogs, and nothing else. Any role that may connect \
              can do so.",
    },
    SettingsKey {
        path: "catalog.password_file",
        form: KeyForm::Word,
        default: "none",
        doc: "A file whose first line is the password of catalog.user.",
    },
    SettingsKey {
        path: "catalog.poll_interval",
        form: KeyForm::Word,
        default: "500ms",
        doc: "The pause between two checks for changes of the database, 100ms to 10s. Durations \
              always have a unit: ms, s, min, h or d. A change is noticed at the latest after this \
              time plus the time of a load.",
    },
    SettingsKey {
        path: "catalog.refresh_interval",
        form: KeyForm::Word,
        default: "10min",
        doc: "How often the catalog is loaded again even if no change was seen, 5s to 1d.",
    },
    SettingsKey {
        path: "catalog.age_max",
        form: KeyForm::Word,
        default: "10s",
        doc: "How long a catalog is used since its last check, 1s to 5min. After that, the \
              policy's key catalog decides which statements run. At least twice \
              catalog.poll_interval.",
    },
    SettingsKey {
        path: "log.to",
        form: KeyForm::Word,
        default: "stderr",
        doc: "Where the log's lines go: stderr, a file, syslog, syslog:///path or \
              syslog+udp://host:port.",
    },
    SettingsKey {
        path: "log.format",
        form: KeyForm::Word,
        default: "text",
        doc: "The format of the log's lines: text, or json with time, level, event and text.",
    },
    SettingsKey {
        path: "log.level",
        form: KeyForm::Word,
        default: "info",
        doc: "The lowest level that is written: info or warn. Alarms are always written.",
    },
    capture_keys::AUDIT_TO,
    capture_keys::AUDIT_PROTOCOL,
    capture_keys::AUDIT_HEADERS_FILE,
    capture_keys::AUDIT_SERVICE_NAME,
    SettingsKey {
        path: "audit.rotate_bytes",
        form: KeyForm::Word,
        default: "0, never",
        doc: "The size at which the audit's file is renamed to FILE.1 and a new file is started: \
              100MB, or a number of bytes; 0 is never. Units are B, kB, MB, GB, TB, KiB, MiB, GiB \
              and TiB, powers of 1024 all.",
    },
    SettingsKey {
        path: "audit.rotate_keep",
        form: KeyForm::Word,
        default: "10",
        doc: "How many renamed files are kept, 1 to 1000.",
    },
    SettingsKey {
        path: "audit.on_full",
        form: KeyForm::Word,
        default: "drop",
        doc: "What happens when lines of permitted statements cannot be written fast enough: drop \
              (the lines are lost and counted), or block (sessions wait). Lines of refusals are \
              never dropped.",
    },
    SettingsKey {
        path: "audit.chain_key_file",
        form: KeyForm::Word,
        default: "none",
        doc: "A file of 64 hexadecimal digits: the key of the hash chain through the lines. \
              Without the key nobody can forge a line.",
    },
    capture_keys::AUDIT_COPY,
    capture_keys::AUDIT_NAMES,
    capture_keys::AUDIT_COLUMNS,
    capture_keys::AUDIT_QUERYID,
    SettingsKey {
        path: "audit.text",
        form: KeyForm::Word,
        default: "off",
        doc: "Whether audit lines contain the texts of statements, which only \
              audit.text_recipients can read: off or encrypted.",
    },
    SettingsKey {
        path: "audit.text_recipients",
        form: KeyForm::Words,
        default: "none",
        doc: "The recipients that the texts are encrypted to: up to 4 X25519 recipients of age, \
              age1….",
    },
    SettingsKey {
        path: "audit.fingerprint_key_file",
        form: KeyForm::Word,
        default: "none",
        doc: "A file of 64 hexadecimal digits: the key of the fingerprints. Without the key nobody \
              can compute the fingerprint of a statement.",
    },
    mcp::LISTEN,
    mcp::TOKEN_FILE,
    mcp::HOSTS,
    mcp::ORIGINS,
    mcp::oauth_keys::ISSUER,
    mcp::oauth_keys::RESOURCE,
    mcp::oauth_keys::AUDIENCE,
    mcp::oauth_keys::KEYS_FROM,
    mcp::oauth_keys::KEYS_CA,
    mcp::oauth_keys::USER_CLAIM,
    mcp::oauth_keys::POLICY_CLAIM,
    mcp::oauth_keys::ROLE_CLAIM,
    mcp::oauth_keys::ROLES,
    mcp::oauth_keys::SCOPES,
    mcp::oauth_keys::ATTRIBUTES,
    mcp::oauth_keys::CLOCK_SKEW,
    receipt_keys::KEY_FILE,
    receipt_keys::ISSUER,
    receipt_keys::VALID_FOR,
    capture_keys::FILE,
    capture_keys::BYTES_MAX,
    SettingsKey {
        path: "traces.endpoint",
        form: KeyForm::Word,
        default: "off",
        doc: "The OpenTelemetry collector that spans go to: http://host:port, https://host:port, or \
              off.",
    },
    SettingsKey {
        path: "traces.protocol",
        form: KeyForm::Word,
        default: "grpc",
        doc: "The protocol of the collector: grpc or http (protobuf).",
    },
    SettingsKey {
        path: "traces.sample_ratio",
        form: KeyForm::Word,
        default: "0.01",
        doc: "The share of statements without a traceparent of their own that get a span, 0 to 1.",
    },
    SettingsKey {
        path: "traces.headers_file",
        form: KeyForm::Word,
        default: "none",
        doc: "A file of headers for the collector, such as an authorization: `name: value`, one on \
              each line.",
    },
    SettingsKey {
        path: "traces.service_name",
        form: KeyForm::Word,
        default: "pgsieve",
        doc: "The name of this service in spans.",
    },
    SettingsKey {
        path: "workers",
        form: KeyForm::Word,
        default: "the number of processor cores",
        doc: "Threads that serve clients, 1 to 256. No more of them work than the load wants.",
    },
    server::IO_BACKEND,
    SettingsKey {
        path: "limits.connections_max",
        form: KeyForm::Word,
        default: "1000",
        doc: "The most clients at a time, 1 to 100000; more are refused with 53300.",
    },
    SettingsKey {
        path: "limits.memory",
        form: KeyForm::Word,
        default: "512MiB",
        doc: "The most memory that all clients together may use, beyond 64 KiB each: 128MiB to \
              1TiB, with a unit. MB, GB and TB are powers of 1024, as in Postgres, and MiB, GiB \
              and TiB mean the same. A client that needs more waits, and then gets 53200.",
    },
    limits_store::keys::BUDGET_FILE,
    limits_store::keys::STORE,
    limits_store::keys::PASSWORD_FILE,
    limits_store::keys::AUTHORITY,
    limits_store::keys::PREFIX,
    limits_store::keys::WINDOW,
    limits_store::keys::ON_LOSS,
    limits_store::keys::DRAIN_TIMEOUT,
    limits_store::keys::WAIT_FOR_CLIENTS,
    choice_weights::LINT_ERROR,
    choice_weights::LINT_WARNING,
    choice_weights::NOT_COMPILED,
    choice_weights::GROUPING,
    choice_weights::ORDER_AND_LIMIT,
    choice_weights::DISTINCT,
    choice_weights::REPAIRED_EXACT,
    choice_weights::REPAIRED_LIKELY,
    choice_weights::AGREEMENT,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_keys_share_a_variable_or_hide_each_other() {
        for (place, key) in KEYS.iter().enumerate() {
            for other in KEYS.iter().skip(place + 1) {
                assert_ne!(key.variable(), other.variable());
                assert!(!other.path.starts_with(&format!("{}.", key.path)));
            }
            assert!(key.doc.ends_with('.'), "{}", key.path);
        }
        assert!(reference().contains("PGSIEVE_CLIENT_TLS_MODE"));
    }
}
