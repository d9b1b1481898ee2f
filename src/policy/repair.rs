//! What a policy says about repairs: whether they are made, how sure they must be, and by whom.

use std::collections::BTreeMap;

use ground::words::words;

/// The `repair` section of a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairSettings {
    /// Whether anything is repaired at all.
    pub mode: RepairMode,
    /// What becomes of a repair that is likely and not certain.
    pub likely: LikelyRepairs,
    /// How many changed texts are tried for one statement.
    pub attempts_max: u32,
    /// Modes of single recoverers; the narrower of this and [`RepairSettings::mode`] holds.
    pub recoverers: BTreeMap<Recoverer, RepairMode>,
    /// When a rewritten name is likely enough.
    pub gates: SimilarityGates,
    /// Words that must not be exchanged for each other, beyond those that are built in.
    pub risk_pairs: Vec<(String, String)>,
    /// The dialect of texts that Postgres does not read.
    pub dialect: DialectChoice,
    /// Which schema stands for `project.dataset` or `dataset` of BigQuery.
    pub datasets: BTreeMap<String, String>,
    /// The LIMIT that a SELECT without one gets; none where the policy does not ask for it.
    pub default_limit: Option<u64>,
}

/// Whether repairs are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RepairMode {
    /// Nothing is looked for.
    Off,
    /// Everything is computed and counted, and no answer changes.
    Observe,
    /// Repairs are made.
    Apply,
}

/// What becomes of likely repairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LikelyRepairs {
    /// The client gets the error, with a HINT that has the repair in it.
    Hint,
    /// They run, announced like any other.
    Apply,
}

/// The thresholds for a rewritten name. Scores are from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimilarityGates {
    /// The best candidate's score is at least this.
    pub score_min: f64,
    /// The best candidate is ahead of the second by at least this.
    pub dominance_min: f64,
    /// Or: the best candidate is ahead by at least this …
    pub separation_min: f64,
    /// … or is this many times the second.
    pub separation_ratio_min: f64,
    /// Columns of one table that are looked at.
    pub columns_max: u32,
    /// Tables that are looked at.
    pub tables_max: u32,
}

/// How a foreign text's dialect is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialectChoice {
    /// By what only one dialect has.
    Auto,
    /// Foreign texts are not translated.
    Off,
    /// It is always this one.
    Always(Dialect),
}

words! {
    /// A dialect of SQL that is not Postgres's.
    Dialect {
        /// MySQL and MariaDB.
        Mysql => "mysql",
        /// SQL Server.
        Tsql => "tsql",
        /// BigQuery's GoogleSQL.
        Bigquery => "bigquery",
        /// SQLite.
        Sqlite => "sqlite",
        /// Snowflake.
        Snowflake => "snowflake",
        /// DuckDB.
        Duckdb => "duckdb",
    }
}

words! {
    /// Who changes a text. Preprocessors are named for the pattern they see, recoverers for
    /// Postgres's condition.
    Recoverer {
        /// Takes a statement out of what a model wrapped around it.
        Unwrap => "unwrap",
        /// Quotes names that the catalog knows in the case or with the spaces they are written in.
        QuoteIdentifiers => "quote_identifiers",
        /// Gives a SELECT without LIMIT one.
        DefaultLimit => "default_limit",
        /// Translates a foreign dialect.
        Dialect => "dialect",
        /// 42601 and its kin.
        SyntaxError => "syntax_error",
        /// 42P01.
        UndefinedTable => "undefined_table",
        /// 42703.
        UndefinedColumn => "undefined_column",
        /// 42702.
        AmbiguousColumn => "ambiguous_column",
        /// 42803.
        GroupingError => "grouping_error",
        /// 42883 of a function.
        UndefinedFunction => "undefined_function",
        /// 42883 of an operator.
        UndefinedOperator => "undefined_operator",
        /// 42804.
        DatatypeMismatch => "datatype_mismatch",
        /// 42712.
        DuplicateAlias => "duplicate_alias",
        /// 42P10.
        InvalidColumnReference => "invalid_column_reference",
        /// 22P02.
        InvalidTextRepresentation => "invalid_text_representation",
    }
}

impl RepairSettings {
    /// What may be done by this recoverer.
    pub fn mode_of(&self, recoverer: Recoverer) -> RepairMode {
        let own = self.recoverers.get(&recoverer).copied();
        own.map_or(self.mode, |own| own.min(self.mode))
    }
}

impl Default for RepairSettings {
    /// What holds where a policy says nothing of repairs: none are made.
    fn default() -> Self {
        Self {
            mode: RepairMode::Off,
            likely: LikelyRepairs::Hint,
            attempts_max: 3,
            recoverers: BTreeMap::new(),
            gates: SimilarityGates::default(),
            risk_pairs: Vec::new(),
            dialect: DialectChoice::Auto,
            datasets: BTreeMap::new(),
            default_limit: None,
        }
    }
}

impl Default for SimilarityGates {
    fn default() -> Self {
        Self {
            score_min: 0.80,
            dominance_min: 0.60,
            separation_min: 0.10,
            separation_ratio_min: 1.15,
            columns_max: 60,
            tables_max: 4,
        }
    }
}
