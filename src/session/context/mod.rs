//! What the names, settings and values of a session mean at this moment. The gate judges by it.
//!
//! * `names`: the database's catalog, the search_path and the role that names are looked up with
//! * `statement_effects`: what statements do to names and settings
//! * `tracked_setting`: every value that one setting may have now, as far as the wire tells it
//! * `statement_timeout`: the bound on one statement
//! * `model_values`: what the models of a policy read of a session: its user and its settings
//! * `client_settings`: whether the client wants notices and repairs, and on which
//!   grounding it stands;
//!   `followed_setting`: a setting by the statements that set it
//! * `reported_role`: as what kind of server (primary, standby) the session is reported

pub mod client_settings;
mod followed_setting;
pub mod model_values;
pub mod names;
pub mod reported_role;
mod statement_effects;
pub(super) mod statement_timeout;
pub mod tracked_setting;

use self::client_settings::ClientSettings;
use self::names::NameContext;
use self::reported_role::ReportAs;
use crate::gate::SessionNames;
use crate::repair::dialect_history::DialectHistory;

/// What a session's names, settings and values mean at this moment.
pub struct SessionContext {
    /// What the gate is told of them.
    pub(super) names: SessionNames,
    pub(super) name_context: NameContext,
    pub(super) client_settings: ClientSettings,
    pub(super) report_as: ReportAs,
    /// The dialect that its statements are of, as far as they have shown one.
    pub(super) dialect_history: DialectHistory,
}
