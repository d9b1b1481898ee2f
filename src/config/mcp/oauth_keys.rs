//! The keys of `mcp.oauth`.

use crate::config::settings_key::{KeyForm, SettingsKey};

/// Who makes the tokens.
pub const ISSUER: SettingsKey = SettingsKey {
    path: "mcp.oauth.issuer",
    form: KeyForm::Word,
    default: "none",
    doc: "The OAuth 2.1 issuer whose access tokens (signed JWTs) let agents in, exactly as the \
          claim iss has it. Clients are told to ask it for a token.",
};

/// What this server is called.
pub const RESOURCE: SettingsKey = SettingsKey {
    path: "mcp.oauth.resource",
    form: KeyForm::Word,
    default: "none",
    doc: "Required with mcp.oauth.issuer: the address by which agents know this server, as \
          https://db.example.com/mcp. Its metadata (RFC 9728) is served at \
          /.well-known/oauth-protected-resource.",
};

/// Whom they are for.
pub const AUDIENCE: SettingsKey = SettingsKey {
    path: "mcp.oauth.audience",
    form: KeyForm::Word,
    default: "mcp.oauth.resource",
    doc: "The audience of the tokens; the claim aud has to contain it. For issuers that do not \
          put the resource there.",
};

/// Where the issuer's keys are.
pub const KEYS_FROM: SettingsKey = SettingsKey {
    path: "mcp.oauth.keys",
    form: KeyForm::Word,
    default: "none",
    doc: "Required with mcp.oauth.issuer: the issuer's keys, as a file or an https:// address of a \
          JSON Web Key Set. A file is looked at again when it changes, an address is fetched as \
          client.auth.oidc.keys is.",
};

/// Who vouches for their host.
pub const KEYS_CA: SettingsKey = SettingsKey {
    path: "mcp.oauth.keys_ca",
    form: KeyForm::Word,
    default: "the authorities of the system",
    doc: "A PEM file with the authorities that the host of mcp.oauth.keys is checked against.",
};

/// Whose a token is.
pub const USER_CLAIM: SettingsKey = SettingsKey {
    path: "mcp.oauth.user_claim",
    form: KeyForm::Word,
    default: "sub",
    doc: "The claim that names the user that policies see. With email, a token is refused if it \
          has an email_verified that is not true.",
};

/// Under which policy.
pub const POLICY_CLAIM: SettingsKey = SettingsKey {
    path: "mcp.oauth.policy_claim",
    form: KeyForm::Word,
    default: "none",
    doc: "The claim that names the policy, whatever policies match. A token without it is refused. \
          Without this key the policies decide, as for every client.",
};

/// In which role.
pub const ROLE_CLAIM: SettingsKey = SettingsKey {
    path: "mcp.oauth.role_claim",
    form: KeyForm::Word,
    default: "none",
    doc: "The claim that names the role at the upstream, one of mcp.oauth.roles. A token without \
          it is refused. Without this key everybody is the URL's user there.",
};

/// Which roles there are.
pub const ROLES: SettingsKey = SettingsKey {
    path: "mcp.oauth.roles",
    form: KeyForm::Words,
    default: "none",
    doc: "The roles that mcp.oauth.role_claim may name. Passwords are those of client.auth.users \
          and of the URL.",
};

/// For what they are.
pub const SCOPES: SettingsKey = SettingsKey {
    path: "mcp.oauth.scopes",
    form: KeyForm::Words,
    default: "none",
    doc: "The scopes that a token needs, all of them; clients are told to ask for them.",
};

/// What else they say.
pub const ATTRIBUTES: SettingsKey = SettingsKey {
    path: "mcp.oauth.attributes",
    form: KeyForm::Users,
    default: "none",
    doc: "Attributes of users that are taken from claims of their tokens, as {tenant: tenant_id}; \
          as client.auth.oidc.attributes.",
};

/// How far clocks may differ.
pub const CLOCK_SKEW: SettingsKey = SettingsKey {
    path: "mcp.oauth.clock_skew",
    form: KeyForm::Word,
    default: "30s",
    doc: "How far the issuer's clock and this one may differ, 0s to 5min. Tokens expire that much \
          later.",
};
