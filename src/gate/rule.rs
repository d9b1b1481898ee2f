//! The names of the rules.

/// A rule of the gate. Its name appears in errors, audit and metrics and does not change; its file
/// under `rules` says what it sees and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The text is longer than the policy allows.
    TooLong,
    /// The text is more complex than the parser may be given.
    TooComplex,
    /// Postgres's grammar does not accept the text.
    SyntaxError,
    /// More statements in one message than the policy carries.
    SeveralStatements,
    /// A statement or expression of a kind that is not known.
    NodeUnknown,
    /// INSERT, UPDATE, DELETE, MERGE.
    WriteStatement,
    /// A write inside WITH.
    ModifyingCte,
    /// SELECT … INTO.
    SelectInto,
    /// SELECT … FOR UPDATE and its kin.
    LockingClause,
    /// CREATE, ALTER, DROP and their kin.
    Ddl,
    /// VACUUM and other work on the server.
    Maintenance,
    /// COPY of anything but a query to the client.
    Copy,
    /// EXPLAIN ANALYZE.
    ExplainAnalyze,
    /// DO and CALL.
    DoAndCall,
    /// A setting that the policy does not give, or a value of it.
    Settings,
    /// `set_config` whose arguments cannot be read.
    SetConfig,
    /// SET ROLE and SET SESSION AUTHORIZATION.
    Roles,
    /// PREPARE TRANSACTION and its kin.
    PreparedTransaction,
    /// A prepared statement that does not exist.
    PreparedName,
    /// A cursor that does not exist.
    CursorName,
    /// More prepared statements or cursors than a session may hold.
    TooManyNames,
    /// DECLARE … WITH HOLD.
    WithHold,
    /// LISTEN and NOTIFY.
    ListenNotify,
    /// LOCK.
    Lock,
    /// LOAD.
    Load,
    /// A built-in function that does more than compute.
    FunctionEffects,
    /// A built-in function that runs a string as SQL.
    SqlInString,
    /// A function that is no built-in.
    UnknownFunction,
    /// A name in the session's temporary schema.
    TempSchema,
    /// An operator of a schema other than pg_catalog.
    OperatorSchema,
    /// A sampling method that is no built-in.
    TablesampleMethod,
    /// A form of SQL that the upstream's version would read as a call.
    NewerSyntax,
    /// A user's function that may do more than read.
    HiddenFunction,
    /// A function that means what the session's search_path makes of it.
    FunctionPath,
    /// A user's function under the name of a built-in.
    OverloadedBuiltin,
    /// An operator whose function may do more than read.
    OperatorEffects,
    /// A cast whose function may do more than read.
    CastEffects,
    /// A type whose checks or machinery may do more than read.
    TypeEffects,
    /// A view that runs something that may do more than read.
    ViewEffects,
    /// A table that runs such a thing for its rows.
    RowPolicyEffects,
    /// A table of another server.
    ForeignTable,
    /// Names that are no built-ins, while there is no snapshot of the database.
    CatalogMissing,
    /// A relation that the policy does not let be read.
    RelationDenied,
    /// A column that the policy does not let be read.
    ColumnDenied,
    /// What is read cannot be told, while the policy hides something.
    NotResolved,
    /// A model of the policy where it cannot stand.
    Model,
    /// A function that the policy does not let be called.
    FunctionDenied,
    /// A kind of statement that the policy does not let run.
    StatementDenied,
    /// A setting that the policy denies.
    SettingDenied,
    /// Queries within queries, deeper than the policy allows.
    Nesting,
    /// A result with more rows than the policy allows.
    ResultRows,
    /// A result with more bytes than the policy allows.
    ResultBytes,
    /// A plan that costs more than the policy allows.
    PlanCost,
    /// A plan that expects more rows than the policy allows.
    PlanRows,
    /// More statements of a user at a time than the policy allows.
    Concurrency,
    /// More statements of a user in a time than the policy allows.
    StatementRate,
    /// More rows or bytes in a day than the policy allows a user.
    DailyBudget,
    /// More connections of a user than the policy allows.
    ConnectionsPerUser,
    /// A session that did nothing for longer than the policy allows.
    IdleTime,
    /// A startup parameter or switch that is not passed on.
    StartupParameter,
    /// A replication connection.
    Replication,
    /// The FunctionCall message.
    FunctionCall,
    /// More memory than is left for all clients together.
    Memory,
}

impl Rule {
    /// Every rule, in the order in which a text meets them.
    pub const ALL: [Self; 63] = [
        Self::TooLong,
        Self::TooComplex,
        Self::SyntaxError,
        Self::SeveralStatements,
        Self::NodeUnknown,
        Self::WriteStatement,
        Self::ModifyingCte,
        Self::SelectInto,
        Self::LockingClause,
        Self::Ddl,
        Self::Maintenance,
        Self::Copy,
        Self::ExplainAnalyze,
        Self::DoAndCall,
        Self::Settings,
        Self::SetConfig,
        Self::Roles,
        Self::PreparedTransaction,
        Self::PreparedName,
        Self::CursorName,
        Self::TooManyNames,
        Self::WithHold,
        Self::ListenNotify,
        Self::Lock,
        Self::Load,
        Self::FunctionEffects,
        Self::SqlInString,
        Self::UnknownFunction,
        Self::TempSchema,
        Self::OperatorSchema,
        Self::TablesampleMethod,
        Self::NewerSyntax,
        Self::HiddenFunction,
        Self::FunctionPath,
        Self::OverloadedBuiltin,
        Self::OperatorEffects,
        Self::CastEffects,
        Self::TypeEffects,
        Self::ViewEffects,
        Self::RowPolicyEffects,
        Self::ForeignTable,
        Self::CatalogMissing,
        Self::RelationDenied,
        Self::ColumnDenied,
        Self::NotResolved,
        Self::Model,
        Self::FunctionDenied,
        Self::StatementDenied,
        Self::SettingDenied,
        Self::Nesting,
        Self::ResultRows,
        Self::ResultBytes,
        Self::PlanCost,
        Self::PlanRows,
        Self::Concurrency,
        Self::StatementRate,
        Self::DailyBudget,
        Self::ConnectionsPerUser,
        Self::IdleTime,
        Self::StartupParameter,
        Self::Replication,
        Self::FunctionCall,
        Self::Memory,
    ];

    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::TooLong => "too_long",
            Self::TooComplex => "too_complex",
            Self::SyntaxError => "syntax_error",
            Self::SeveralStatements => "several_statements",
            Self::NodeUnknown => "node_unknown",
            Self::WriteStatement => "write_statement",
            Self::ModifyingCte => "modifying_cte",
            Self::SelectInto => "select_into",
            Self::LockingClause => "locking_clause",
            Self::Ddl => "ddl",
            Self::Maintenance => "maintenance",
            Self::Copy => "copy",
            Self::ExplainAnalyze => "explain_analyze",
            Self::DoAndCall => "do_and_call",
            Self::Settings => "settings",
            Self::SetConfig => "set_config",
            Self::Roles => "roles",
            Self::PreparedTransaction => "prepared_transaction",
            Self::PreparedName => "prepared_name",
            Self::CursorName => "cursor_name",
            Self::TooManyNames => "too_many_names",
            Self::WithHold => "with_hold",
            Self::ListenNotify => "listen_notify",
            Self::Lock => "lock",
            Self::Load => "load",
            Self::FunctionEffects => "function_effects",
            Self::SqlInString => "sql_in_string",
            Self::UnknownFunction => "unknown_function",
            Self::TempSchema => "temp_schema",
            Self::OperatorSchema => "operator_schema",
            Self::TablesampleMethod => "tablesample_method",
            Self::NewerSyntax => "newer_syntax",
            Self::HiddenFunction => "hidden_function",
            Self::FunctionPath => "function_path",
            Self::OverloadedBuiltin => "overloaded_builtin",
            Self::OperatorEffects => "operator_effects",
            Self::CastEffects => "cast_effects",
            Self::TypeEffects => "type_effects",
            Self::ViewEffects => "view_effects",
            Self::RowPolicyEffects => "row_policy_effects",
            Self::ForeignTable => "foreign_table",
            Self::CatalogMissing => "catalog_missing",
            Self::RelationDenied => "relation_denied",
            Self::ColumnDenied => "column_denied",
            Self::NotResolved => "not_resolved",
            Self::Model => "model",
            Self::FunctionDenied => "function_denied",
            Self::StatementDenied => "statement_denied",
            Self::SettingDenied => "setting_denied",
            Self::Nesting => "nesting",
            Self::ResultRows => "result_rows",
            Self::ResultBytes => "result_bytes",
            Self::PlanCost => "plan_cost",
            Self::PlanRows => "plan_rows",
            Self::Concurrency => "concurrency",
            Self::StatementRate => "statement_rate",
            Self::DailyBudget => "daily_budget",
            Self::ConnectionsPerUser => "connections_per_user",
            Self::IdleTime => "idle_time",
            Self::StartupParameter => "startup_parameter",
            Self::Replication => "replication",
            Self::FunctionCall => "function_call",
            Self::Memory => "memory",
        }
    }
}
