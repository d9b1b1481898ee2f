//! The keys of each of `client.auth.users`, with what they mean; and where lists have such entries.

use super::upstream::databases::DATABASE_KEYS;

/// The lists of maps, each with the keys of one map and what they mean.
#[rustfmt::skip]
pub const ENTRY_KEYS: &[(&str, &[(&str, &str)])] = &[
    ("client.auth.users", USER_KEYS),
    ("databases", DATABASE_KEYS),
];

/// The keys of one user.
#[rustfmt::skip]
pub const USER_KEYS: &[(&str, &str)] = &[
    ("name", "The user that the client names. Required."),
    ("disabled", "true: the user cannot log in, as if it were not listed, and a reload ends its sessions."),
    ("verifier", "With scram: what the password is checked against, from hash-password."),
    ("verifier_file", "With scram: a file whose first line is the verifier."),
    ("certificate_name", "With cert: the name in the certificate; the user's own by default."),
    ("upstream_user", "The user at the upstream; by default the URL's, else the same name."),
    ("upstream_password_file", "A file whose first line is the password of upstream_user."),
    ("upstream_password_env", "A variable, not of PGSIEVE_, with that password."),
];
