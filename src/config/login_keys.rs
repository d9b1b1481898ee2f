//! The keys of `client.auth`: its method, its users, their attributes, and its tokens.

use super::settings_key::{KeyForm, SettingsKey};

/// How clients prove who they are.
pub const METHOD: SettingsKey = SettingsKey {
    path: "client.auth.method",
    form: KeyForm::Word,
    default: "passthrough",
    doc: "How clients prove who they are: passthrough (their own user and password, at the \
          upstream), scram, auth_query (scram with the verifiers that the upstream has), cert, \
          oidc (a token as the password) or trust (only on this host).",
};

/// Who makes the tokens.
pub const ISSUER: SettingsKey = SettingsKey {
    path: "client.auth.oidc.issuer",
    form: KeyForm::Word,
    default: "none",
    doc: "With oidc, required: the issuer of the tokens, exactly as the claim iss has it.",
};

/// Whom they are for.
pub const AUDIENCE: SettingsKey = SettingsKey {
    path: "client.auth.oidc.audience",
    form: KeyForm::Word,
    default: "none",
    doc: "With oidc, required: the audience of the tokens; the claim aud has to contain it.",
};

/// Where the issuer's keys are.
pub const KEYS_FROM: SettingsKey = SettingsKey {
    path: "client.auth.oidc.keys",
    form: KeyForm::Word,
    default: "none",
    doc: "With oidc, required: the issuer's keys, as a file or an https:// address of a JSON Web \
          Key Set. Keys at an address are fetched again every 10min, when the settings are \
          reloaded, and for an unknown kid, at most every 30s. While the address does not answer, \
          the old keys stay valid for a day.",
};

/// Who vouches for their host.
pub const KEYS_CA: SettingsKey = SettingsKey {
    path: "client.auth.oidc.keys_ca",
    form: KeyForm::Word,
    default: "the authorities of the system",
    doc: "A PEM file with the authorities that the host of client.auth.oidc.keys is checked \
          against.",
};

/// Whose a token is.
pub const USER_CLAIM: SettingsKey = SettingsKey {
    path: "client.auth.oidc.user_claim",
    form: KeyForm::Word,
    default: "sub",
    doc: "The claim that has to be exactly the user that the client names. With email, a token is \
          refused if it has an email_verified that is not true.",
};

/// What else it says.
pub const ATTRIBUTES: SettingsKey = SettingsKey {
    path: "client.auth.oidc.attributes",
    form: KeyForm::Users,
    default: "none",
    doc: "Attributes of users that are taken from claims of their tokens, as {tenant: tenant_id}: \
          texts, whole numbers, true and false, and lists of them. Policies read them like \
          client.auth.attributes. :user.tenant has a value if the claim has exactly one.",
};

/// How far clocks may differ.
pub const CLOCK_SKEW: SettingsKey = SettingsKey {
    path: "client.auth.oidc.clock_skew",
    form: KeyForm::Word,
    default: "30s",
    doc: "How far the issuer's clock and this one may differ, 0s to 5min. Tokens expire that much \
          later.",
};

/// What becomes of a session.
pub const EXPIRED_SESSIONS: SettingsKey = SettingsKey {
    path: "client.auth.oidc.expired_sessions",
    form: KeyForm::Word,
    default: "end",
    doc: "What happens to a session when its token expires: end (even in the middle of a \
          statement), or stay until the client leaves.",
};

/// Who may log in.
pub const USERS: SettingsKey = SettingsKey {
    path: "client.auth.users",
    form: KeyForm::Users,
    default: "none",
    doc: "With scram, cert and oidc: who may log in, and as whom at the upstream. With oidc it may \
          be left out: then every user with a valid token is the URL's user there.",
};

/// Who may not log in.
pub const DISABLED: SettingsKey = SettingsKey {
    path: "client.auth.disabled",
    form: KeyForm::Words,
    default: "none",
    doc: "Users who cannot log in, with any method: names, or patterns such as agent_*. A login is \
          refused once the user has proved who it is, and a reload ends open sessions. At most \
          1000.",
};

/// What is known of users.
pub const USER_ATTRIBUTES: SettingsKey = SettingsKey {
    path: "client.auth.attributes",
    form: KeyForm::Users,
    default: "none",
    doc: "Attributes of users, with any method: a map of users, each with a map of attributes, as \
          {ann: {tenant: 3}}. Policies use them as :user.tenant in models, and in match.attributes.",
};

/// Whether passwords may be read on their way.
pub const ALLOW_PLAINTEXT_PASSWORDS: SettingsKey = SettingsKey {
    path: "client.auth.allow_plaintext_passwords",
    form: KeyForm::Word,
    default: "false",
    doc: "With passthrough: whether pgsieve may ask for a password over an unencrypted network \
          connection. true or false.",
};
