//! How far a statement has come on its path: what each of the steps in `statement` gives to the
//! next one, and why it may stop.

use std::sync::Arc;

use super::arrival::StatementArrival;
use super::lowered_settings::LoweredText;
use super::policy_limits::result_limit::ResultAllowance;
use super::repair::send_options::SendOptions;
use super::session_end::SessionEnd;
use crate::gate::{Facts, Judgement, ParameterTypes, ReadPermit, Refusal};
use crate::telemetry::labels::ProtocolPath;
use crate::wire::frontend::{Parse, Query};

/// Why a statement does not go on.
pub(super) enum PathStop {
    /// It waits, and is taken up again at the step behind.
    Waits,
    /// It is refused; what is known of it, where it was judged.
    Refused(Box<Refusal>, Option<(Arc<Facts>, StatementArrival)>),
    /// The session ends.
    Ends(SessionEnd),
}

/// How far the text of a Query or Parse has come.
pub(super) enum TextStage<'t> {
    /// It was read just now.
    Arrived,
    /// The gate has judged it.
    Judged(JudgedText<'t>),
    /// A repair is not needed, or was looked for.
    Preflighted(JudgedText<'t>),
}

/// How far a Query has come.
pub(super) enum QueryStage<'t> {
    /// Not further than any text.
    Text(TextStage<'t>),
    /// It is known how long the cursors are that it moves.
    Measured(AdmittedQuery<'t>),
    /// Its plan is within the bounds.
    Planned(AdmittedQuery<'t>),
}

/// A text with its verdict, and how it is to be sent.
pub(super) struct JudgedText<'t> {
    pub(super) judgement: Judgement<'t>,
    pub(super) options: SendOptions,
}

/// A text that may run, and what was lowered in it.
pub(super) struct PermittedText<'t> {
    pub(super) permit: ReadPermit<'t>,
    pub(super) lowered: Option<LoweredText>,
    /// What was found in it before anything was lowered.
    pub(super) judged: Arc<Facts>,
    pub(super) options: SendOptions,
}

/// A Query that may be sent now, and what its result may bring.
pub(super) struct AdmittedQuery<'t> {
    pub(super) text: PermittedText<'t>,
    pub(super) allowance: ResultAllowance,
}

/// The text of a message, and the types that it gives to parameters.
pub(super) struct ClientText<'t> {
    pub(super) path: ProtocolPath,
    pub(super) text: &'t str,
    pub(super) parameters: ParameterTypes,
}

/// A portal that is run.
pub(super) struct BoundPortal {
    pub(super) facts: Arc<Facts>,
    /// The statement, or the DECLARE or PREPARE that made it.
    pub(super) text: Arc<str>,
    /// What the client sent for it, where that is held.
    pub(super) sent: Option<Arc<str>>,
}

impl<'t> ClientText<'t> {
    /// That of a Query.
    pub(super) fn of_query(query: &Query<'t>) -> Self {
        Self {
            path: ProtocolPath::Query,
            text: query.text,
            parameters: ParameterTypes::none_given(),
        }
    }

    /// That of a Parse.
    pub(super) fn of_parse(parse: &Parse<'t>) -> Self {
        Self {
            path: ProtocolPath::Parse,
            text: parse.text,
            parameters: ParameterTypes::given(parse.parameter_types.iter()),
        }
    }
}

impl PathStop {
    /// Refuses a text that was judged.
    pub(super) fn refused(
        refusal: Box<Refusal>,
        facts: &Arc<Facts>,
        arrived: StatementArrival,
    ) -> Self {
        Self::Refused(refusal, Some((Arc::clone(facts), arrived)))
    }
}

impl From<SessionEnd> for PathStop {
    fn from(end: SessionEnd) -> Self {
        Self::Ends(end)
    }
}

impl From<Box<Refusal>> for PathStop {
    /// Of a message whose statement is not known.
    fn from(refusal: Box<Refusal>) -> Self {
        Self::Refused(refusal, None)
    }
}
