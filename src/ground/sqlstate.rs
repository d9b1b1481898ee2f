//! The SQLSTATE codes that pgsieve itself answers with, by Postgres's own condition names.
//!
//! <https://www.postgresql.org/docs/current/errcodes-appendix.html>

use std::fmt;

/// A five-character error code.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SqlState(&'static str);

impl SqlState {
    /// The five characters.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for SqlState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0)
    }
}

impl fmt::Debug for SqlState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0)
    }
}

/// No error: the code of a notice.
pub const SUCCESSFUL_COMPLETION: SqlState = SqlState("00000");
/// Something to mind.
pub const WARNING: SqlState = SqlState("01000");
/// The statement would write.
pub const READ_ONLY_SQL_TRANSACTION: SqlState = SqlState("25006");
/// The policy does not allow it.
pub const INSUFFICIENT_PRIVILEGE: SqlState = SqlState("42501");
/// What the policy puts in the place of a name is nothing that the server takes.
pub const INVALID_OBJECT_DEFINITION: SqlState = SqlState("42P17");
/// The proxy does not carry it.
pub const FEATURE_NOT_SUPPORTED: SqlState = SqlState("0A000");
/// A bound of the proxy or policy was hit.
pub const PROGRAM_LIMIT_EXCEEDED: SqlState = SqlState("54000");
/// The statement nests deeper than the parser accepts.
pub const STATEMENT_TOO_COMPLEX: SqlState = SqlState("54001");
/// The peer broke the wire protocol.
pub const PROTOCOL_VIOLATION: SqlState = SqlState("08P01");
/// The connection was lost.
pub const CONNECTION_FAILURE: SqlState = SqlState("08006");
/// The upstream could not be reached.
pub const CANNOT_CONNECT: SqlState = SqlState("08001");
/// The proxy or the upstream refused the connection.
pub const CONNECTION_REJECTED: SqlState = SqlState("08004");
/// The text is not valid UTF-8.
pub const CHARACTER_NOT_IN_REPERTOIRE: SqlState = SqlState("22021");
/// A parameter has a value that is not accepted.
pub const INVALID_PARAMETER_VALUE: SqlState = SqlState("22023");
/// The grammar does not accept the text.
pub const SYNTAX_ERROR: SqlState = SqlState("42601");
/// The frame of a window makes no sense.
pub const WINDOWING_ERROR: SqlState = SqlState("42P20");
/// An escape in a literal is none that the server knows.
pub const INVALID_ESCAPE_SEQUENCE: SqlState = SqlState("22025");
/// The name belongs to the server.
pub const RESERVED_NAME: SqlState = SqlState("42939");
/// Something is there twice.
pub const DUPLICATE_OBJECT: SqlState = SqlState("42710");
/// The prepared statement does not exist.
pub const INVALID_SQL_STATEMENT_NAME: SqlState = SqlState("26000");
/// The cursor or portal does not exist.
pub const INVALID_CURSOR_NAME: SqlState = SqlState("34000");
/// Something else has to be there first.
pub const OBJECT_NOT_IN_PREREQUISITE_STATE: SqlState = SqlState("55000");
/// A relation that does not exist.
pub const UNDEFINED_TABLE: SqlState = SqlState("42P01");
/// A column that does not exist.
pub const UNDEFINED_COLUMN: SqlState = SqlState("42703");
/// A column name that may be that of several.
pub const AMBIGUOUS_COLUMN: SqlState = SqlState("42702");
/// A function or operator that does not exist.
pub const UNDEFINED_FUNCTION: SqlState = SqlState("42883");
/// A type, collation or the like that does not exist.
pub const UNDEFINED_OBJECT: SqlState = SqlState("42704");
/// A database that does not exist.
pub const UNDEFINED_DATABASE: SqlState = SqlState("3D000");
/// A schema that does not exist.
pub const INVALID_SCHEMA_NAME: SqlState = SqlState("3F000");
/// The transaction has failed and waits for ROLLBACK.
pub const IN_FAILED_SQL_TRANSACTION: SqlState = SqlState("25P02");
/// The transaction stood in the way of another one, or of recovery: it may be tried again.
pub const SERIALIZATION_FAILURE: SqlState = SqlState("40001");
/// The login is not allowed.
pub const INVALID_AUTHORIZATION: SqlState = SqlState("28000");
/// The password is wrong or the user unknown.
pub const INVALID_PASSWORD: SqlState = SqlState("28P01");
/// The proxy or server is shutting down.
pub const ADMIN_SHUTDOWN: SqlState = SqlState("57P01");
/// The server is starting, stopping or full.
pub const CANNOT_CONNECT_NOW: SqlState = SqlState("57P03");
/// There is no memory for it now.
pub const OUT_OF_MEMORY: SqlState = SqlState("53200");
/// All connections are taken.
pub const TOO_MANY_CONNECTIONS: SqlState = SqlState("53300");
/// A user does more at a time, or in a time, than the policy allows.
pub const CONFIGURATION_LIMIT_EXCEEDED: SqlState = SqlState("53400");
/// A session did nothing for longer than it may.
pub const IDLE_SESSION_TIMEOUT: SqlState = SqlState("57P05");
/// What the settings say cannot be taken.
pub const CONFIG_FILE_ERROR: SqlState = SqlState("F0000");
/// A part outside the database that pgsieve needs is away.
pub const SYSTEM_ERROR: SqlState = SqlState("58000");
/// A fault of the proxy itself.
pub const INTERNAL_ERROR: SqlState = SqlState("XX000");
/// The work was cut off: cancelled, or out of time.
pub const QUERY_CANCELED: SqlState = SqlState("57014");
