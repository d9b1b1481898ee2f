//! Every rule, in one row each: what lists, names, shows or explains rules follows from here.
//!
//! A row has the rule, its name, the step of the gate that asks it, the code of its refusals where
//! its file says no other, and one sentence if it has no file. A rule about statements is told in
//! the head of its own file, `gate/rules/NAME.rs`, which is a part of the program: `pgsieve rules`
//! prints it (`gate/rules/docs.rs`). The order is the one in which a text meets them.

use crate::sqlstate::{self, SqlState};
use crate::words::words;

words! {
    /// A step of the gate. What a text is asked at one it was let through by all before it.
    GateStep {
        /// Before it is parsed: its length, and what the parser is given.
        Scan => "scan",
        /// The parse itself.
        Parse => "parse",
        /// The message as a whole.
        Message => "message",
        /// Each statement by its kind.
        Kind => "kind",
        /// Each node under it.
        Nodes => "nodes",
        /// What its names hide.
        Names => "names",
        /// What the policy lets be read.
        Access => "access",
    }
}

/// The step of a row; none for rules that are not asked about texts, but about sessions or what
/// runs.
macro_rules! step {
    (-) => {
        None
    };
    ($step:ident) => {
        Some(GateStep::$step)
    };
}

macro_rules! declare {
    (
        gate { $($own:ident $own_name:ident $own_step:tt $own_code:ident $($own_doc:literal)?;)+ }
        policy { $($set:ident $set_name:ident $set_step:tt $set_code:ident $($set_doc:literal)?;)+ }
        session { $($of:ident $of_name:ident $of_step:tt $of_code:ident $($of_doc:literal)?;)+ }
    ) => {
        words! {
            /// A rule of the gate. Its name appears in errors, audit and metrics and does not
            /// change.
            Rule {
                $(#[doc = concat!("The rule `", stringify!($own_name), "`.")]
                $own => stringify!($own_name),)+
                $(#[doc = concat!("The rule `", stringify!($set_name), "` of policies.")]
                $set => stringify!($set_name),)+
                $(#[doc = concat!("The rule `", stringify!($of_name), "` of sessions.")]
                $of => stringify!($of_name),)+
            }
        }

        words! {
            /// A rule that a policy makes beyond the gate's own. Only these can be observed: a
            /// write is refused whatever a policy says.
            PolicyRule {
                $(#[doc = concat!("The rule `", stringify!($set_name), "`.")]
                $set => stringify!($set_name),)+
            }
        }

        impl Rule {
            /// The step of the gate at which it is asked.
            pub const fn step(self) -> Option<GateStep> {
                match self {
                    $(Self::$own => step!($own_step),)+
                    $(Self::$set => step!($set_step),)+
                    $(Self::$of => step!($of_step),)+
                }
            }

            /// The code of its refusals, but for those whose place says another.
            pub const fn sqlstate(self) -> SqlState {
                match self {
                    $(Self::$own => sqlstate::$own_code,)+
                    $(Self::$set => sqlstate::$set_code,)+
                    $(Self::$of => sqlstate::$of_code,)+
                }
            }

            /// The rule of policies that it is, if it is one.
            pub const fn of_policy(self) -> Option<PolicyRule> {
                match self {
                    $(Self::$set => Some(PolicyRule::$set),)+
                    $(Self::$own)|+ | $(Self::$of)|+ => None,
                }
            }
        }
    };
}

impl Rule {
    /// The name of every rule, those that a policy makes first.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let of_policies = PolicyRule::ALL.iter().map(|rule| rule.name());
        let others = Self::ALL.iter().filter(|rule| rule.of_policy().is_none());
        of_policies.chain(others.map(|rule| rule.name()))
    }
}

impl GateStep {
    /// The rules that are asked there.
    pub fn rules(self) -> impl Iterator<Item = Rule> {
        let all = Rule::ALL.iter().copied();
        all.filter(move |rule| rule.step() == Some(self))
    }
}

/// The table: hands every row to the macro of that name.
#[macro_export]
macro_rules! rules {
    ($with:ident) => {
        $with! {
            gate {
                TooLong              too_long              Scan    PROGRAM_LIMIT_EXCEEDED;
                TooComplex           too_complex           Scan    STATEMENT_TOO_COMPLEX;
                SyntaxError          syntax_error          Parse   SYNTAX_ERROR;
                SeveralStatements    several_statements    Message INSUFFICIENT_PRIVILEGE;
                NodeUnknown          node_unknown          Nodes   INSUFFICIENT_PRIVILEGE;
                WriteStatement       write_statement       Kind    READ_ONLY_SQL_TRANSACTION;
                ModifyingCte         modifying_cte         Nodes   READ_ONLY_SQL_TRANSACTION;
                SelectInto           select_into           Nodes   READ_ONLY_SQL_TRANSACTION;
                LockingClause        locking_clause        Nodes   READ_ONLY_SQL_TRANSACTION;
                Ddl                  ddl                   Kind    READ_ONLY_SQL_TRANSACTION;
                Maintenance          maintenance           Kind    READ_ONLY_SQL_TRANSACTION;
                Copy                 copy                  Kind    READ_ONLY_SQL_TRANSACTION;
                ExplainAnalyze       explain_analyze       Kind    INSUFFICIENT_PRIVILEGE;
                DoAndCall            do_and_call           Kind    INSUFFICIENT_PRIVILEGE;
                Settings             settings              Kind    INSUFFICIENT_PRIVILEGE;
                SetConfig            set_config            Nodes   INSUFFICIENT_PRIVILEGE;
                Roles                roles                 Kind    INSUFFICIENT_PRIVILEGE;
                PreparedTransaction  prepared_transaction  Kind    READ_ONLY_SQL_TRANSACTION;
                PreparedName         prepared_name         Kind    INVALID_SQL_STATEMENT_NAME;
                CursorName           cursor_name           Kind    INVALID_CURSOR_NAME;
                TooManyNames         too_many_names        Kind    PROGRAM_LIMIT_EXCEEDED;
                WithHold             with_hold             Kind    INSUFFICIENT_PRIVILEGE;
                ListenNotify         listen_notify         Kind    INSUFFICIENT_PRIVILEGE;
                Lock                 lock                  Kind    INSUFFICIENT_PRIVILEGE;
                Load                 load                  Kind    INSUFFICIENT_PRIVILEGE;
                FunctionEffects      function_effects      Nodes   INSUFFICIENT_PRIVILEGE;
                SqlInString          sql_in_string         Nodes   INSUFFICIENT_PRIVILEGE;
                UnknownFunction      unknown_function      Nodes   INSUFFICIENT_PRIVILEGE;
                TempSchema           temp_schema           Nodes   INSUFFICIENT_PRIVILEGE;
                OperatorSchema       operator_schema       Nodes   INSUFFICIENT_PRIVILEGE;
                TablesampleMethod    tablesample_method    Nodes   INSUFFICIENT_PRIVILEGE;
                NewerSyntax          newer_syntax          Nodes   FEATURE_NOT_SUPPORTED;
                EngineSyntax         engine_syntax         Message FEATURE_NOT_SUPPORTED;
                HiddenFunction       hidden_function       Names   INSUFFICIENT_PRIVILEGE;
                FunctionPath         function_path         Names   INSUFFICIENT_PRIVILEGE;
                OverloadedBuiltin    overloaded_builtin    Names   INSUFFICIENT_PRIVILEGE;
                OperatorEffects      operator_effects      Names   INSUFFICIENT_PRIVILEGE;
                CastEffects          cast_effects          Names   INSUFFICIENT_PRIVILEGE;
                TypeEffects          type_effects          Names   INSUFFICIENT_PRIVILEGE;
                ViewEffects          view_effects          Names   INSUFFICIENT_PRIVILEGE;
                RowPolicyEffects     row_policy_effects    Names   INSUFFICIENT_PRIVILEGE;
                ForeignTable         foreign_table         Names   INSUFFICIENT_PRIVILEGE;
                CatalogMissing       catalog_missing       Names   OBJECT_NOT_IN_PREREQUISITE_STATE;
            }
            policy {
                RelationDenied       relation_denied       Access  INSUFFICIENT_PRIVILEGE;
                ColumnDenied         column_denied         Access  INSUFFICIENT_PRIVILEGE;
                NotResolved          not_resolved          Access  INSUFFICIENT_PRIVILEGE;
                Model                model                 Access  INSUFFICIENT_PRIVILEGE;
                FunctionDenied       function_denied       Access  INSUFFICIENT_PRIVILEGE;
                StatementDenied      statement_denied      Kind    INSUFFICIENT_PRIVILEGE;
                SettingDenied        setting_denied        Kind    INSUFFICIENT_PRIVILEGE;
                Nesting              nesting               Nodes   STATEMENT_TOO_COMPLEX;
                ResultRows           result_rows           -       PROGRAM_LIMIT_EXCEEDED "results with more rows than limits.result_rows.";
                ResultBytes          result_bytes          -       PROGRAM_LIMIT_EXCEEDED "results with more bytes than limits.result_bytes.";
                PlanCost             plan_cost             -       PROGRAM_LIMIT_EXCEEDED "plans that cost more than limits.max_plan_cost.";
                PlanRows             plan_rows             -       PROGRAM_LIMIT_EXCEEDED "plans of more rows than limits.max_plan_rows.";
                Concurrency          concurrency           -       CONFIGURATION_LIMIT_EXCEEDED "more statements of a user at a time than limits.concurrency_per_user.";
                StatementRate        statement_rate        -       CONFIGURATION_LIMIT_EXCEEDED "more statements of a user than statements_per_second or statements_per_day.";
                DailyBudget          daily_budget          -       CONFIGURATION_LIMIT_EXCEEDED "more rows or bytes for a user in a day than rows_per_day or bytes_per_day.";
                ConnectionsPerUser   connections_per_user  -       TOO_MANY_CONNECTIONS "more connections of a user than limits.connections_per_user.";
                IdleTime             idle_time             -       IDLE_SESSION_TIMEOUT "sessions that were idle for longer than limits.idle_time.";
            }
            session {
                StartupParameter     startup_parameter     -       INSUFFICIENT_PRIVILEGE "parameters and switches of the startup message that are not passed on.";
                Replication          replication           -       FEATURE_NOT_SUPPORTED "replication connections.";
                FunctionCall         function_call         -       FEATURE_NOT_SUPPORTED "the FunctionCall message, which calls a function by its oid, without a text to judge.";
                MinLsn               min_lsn               -       QUERY_CANCELED "reads that their server has not replayed enough for, by pgsieve.min_lsn.";
                Memory               memory                -       OUT_OF_MEMORY "messages for which limits.memory, which all clients share, has no room.";
            }
        }
    };
}

rules!(declare);
