//! The parameters of connection strings in `[databases]`, `[users]` and `[peers]`.

use super::Counterpart::{Key, Nothing, Otherwise, Policy};
use super::settings::POOL_MODES;
use super::{KnownSetting, row};
use crate::cli::import::value_form::ValueForm::{Choice, Count, Seconds, Text};

/// Those of a database.
#[rustfmt::skip]
pub const DATABASE: &[KnownSetting] = &[
    row("application_name", Text, "", Nothing, "clients say what they are called"),
    row("auth_dbname", Text, "", Key("client.auth.query.database"), "as for all"),
    row("auth_query", Text, "", Key("client.auth.query.function"), "as for all"),
    row("auth_user", Text, "", Key("client.auth.query.user"), "as for all"),
    row("client_encoding", Text, "", Nothing, "always UTF8"),
    row("connect_query", Text, "", Nothing, "`ALTER ROLE` or `ALTER DATABASE … SET`"),
    row("datestyle", Text, "", Nothing, "`ALTER ROLE` or `ALTER DATABASE … SET`"),
    row("dbname", Text, "", Key("upstream.url databases"), "clients keep their name for it"),
    row("host", Text, "", Key("upstream.url databases"), "a list of hosts is one of servers with the same contents"),
    row("load_balance_hosts", Text, "", Otherwise, "two are drawn, the one with fewer sessions is taken"),
    row("max_db_client_connections", Count, "0", Nothing, "`limits.connections_max`, for all databases together"),
    row("max_db_connections", Count, "0", Key("pool.max_db_connections databases"), "`max_db_connections` of an entry"),
    row("min_pool_size", Count, "0", Key("pool.min databases"), "`pool_min` of an entry"),
    row("password", Text, "", Key("upstream.password_file"), "in a file of its own"),
    row("pool_mode", Choice(POOL_MODES), "", Key("pool.mode databases"), "`pool_mode` of an entry; `statement` is `transaction`"),
    row("pool_size", Count, "", Key("pool.size databases"), "`pool_size` of an entry"),
    row("port", Count, "5432", Key("upstream.url databases"), ""),
    row("query_wait_timeout", Seconds, "", Key("pool.query_wait"), "one for all databases"),
    row("reserve_pool", Count, "0", Key("pool.reserve databases"), "`pool_reserve` of an entry"),
    row("reserve_pool_size", Count, "0", Key("pool.reserve databases"), "`pool_reserve` of an entry"),
    row("server_lifetime", Seconds, "", Key("pool.server_lifetime"), "one for all databases"),
    row("target_session_attrs", Text, "any", Nothing, "the server is the one of `upstream.url`"),
    row("timezone", Text, "", Nothing, "`ALTER ROLE` or `ALTER DATABASE … SET`"),
    row("user", Text, "", Key("upstream.url"), "one for all databases"),
];

/// Those of a user.
#[rustfmt::skip]
pub const USER: &[KnownSetting] = &[
    row("client_idle_timeout", Seconds, "0", Policy("limits.idle_time"), "of a policy that `match`es the user"),
    row("idle_transaction_timeout", Seconds, "0", Policy("timeouts.idle_in_transaction_session_timeout"), "as above"),
    row("max_user_client_connections", Count, "0", Policy("limits.connections_per_user"), "as above"),
    row("max_user_connections", Count, "0", Nothing, "`pool.size` is per account and database"),
    row("pool_mode", Choice(POOL_MODES), "", Nothing, "`pool.mode`, and `pool_mode` of `databases`"),
    row("pool_size", Count, "", Nothing, "one `pool.size` for all"),
    row("query_timeout", Seconds, "0", Policy("timeouts.statement_timeout"), "of a policy that `match`es the user"),
    row("query_wait_timeout", Seconds, "", Nothing, "one `pool.query_wait` for all"),
    row("reserve_pool_size", Count, "0", Nothing, "one `pool.reserve` for all"),
    row("transaction_timeout", Seconds, "0", Nothing, "`ALTER ROLE … SET transaction_timeout`"),
];

/// Those of a peer.
#[rustfmt::skip]
pub const PEER: &[KnownSetting] = &[
    row("host", Text, "", Nothing, "`peers.addresses`, with `peers.key_file`"),
    row("pool_size", Count, "", Nothing, "a cancel to a peer is a connection of its own"),
    row("port", Count, "6432", Nothing, "`peers.addresses`"),
];
