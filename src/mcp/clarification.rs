//! Questions to the person behind a client (elicitation), where records of knowledge say what to
//! ask.
//!
//! <https://modelcontextprotocol.io/specification/draft/client/elicitation>

use std::collections::BTreeMap;

use rmcp::RoleServer;
use rmcp::model::{
    ClientCapabilities, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, InputRequest, InputRequiredResult, InputResponses,
    ProtocolVersion, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestContext};
use serde_json::{Map, Value, json};

use super::arguments::WrongArguments;
use crate::grounding::GroundedRecord;
use crate::limits::mcp::{CLARIFICATIONS_MAX, CLARIFY_ANSWER_BYTES_MAX, CLARIFY_TIME_MAX};
use crate::words::words;

words! {
    /// What came of asking a person.
    ClarifyOutcome {
        /// There are answers, maybe not to all.
        Answered => "answered",
        /// The person does not want to answer.
        Declined => "declined",
        /// The person closed the question, or did not answer in time.
        Cancelled => "cancelled",
        /// The client has no way to ask: whoever calls has to.
        NotOffered => "not_offered",
    }
}

/// What a person was asked, and has answered.
#[derive(Debug)]
pub struct Clarification {
    /// What came of it.
    pub outcome: ClarifyOutcome,
    /// Each record with the answer to it, where there is one.
    pub answers: Vec<(GroundedRecord, Option<String>)>,
}

/// What a call does next.
#[derive(Debug)]
pub enum ClarifyStep {
    /// It goes on with this.
    GoOn(Clarification),
    /// It comes again with what the person says.
    Ask(Box<InputRequiredResult>),
}

/// Whether a client can show a form to its person.
pub fn is_offered(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    capabilities.is_some_and(|capabilities: ClientCapabilities| {
        // Who says nothing of forms and addresses knows forms alone.
        let offered = capabilities.elicitation;
        offered.is_some_and(|offered| offered.form.is_some() || offered.url.is_none())
    })
}

/// The records of these names.
///
/// # Errors
/// There is no such record, or they are too many.
pub fn records_named(
    known: &[GroundedRecord],
    names: &[String],
) -> Result<Vec<GroundedRecord>, WrongArguments> {
    if names.len() > CLARIFICATIONS_MAX {
        let words = format!("clarify has more than {CLARIFICATIONS_MAX} names");
        return Err(WrongArguments(words));
    }
    let found = names.iter().map(|name| {
        let found = of_kind(known).find(|record| record.name == *name);
        found.cloned().ok_or_else(|| {
            let all: Vec<&str> = of_kind(known).map(|record| &*record.name).collect();
            WrongArguments(format!("clarify names one of: {}", all.join(", ")))
        })
    });
    found.collect()
}

/// The records that say what to ask.
pub fn of_kind(known: &[GroundedRecord]) -> impl Iterator<Item = &GroundedRecord> {
    known.iter().filter(|record| record.kind == "clarify")
}

/// Asks the person what these records say, as the client's revision of the protocol has it.
///
/// May be cancelled.
pub async fn clarify(
    records: Vec<GroundedRecord>,
    responses: Option<&InputResponses>,
    context: &RequestContext<RoleServer>,
) -> ClarifyStep {
    let unanswered = |outcome| ClarifyStep::GoOn(Clarification::without_answers(outcome, &records));
    if !is_offered(context) {
        return unanswered(ClarifyOutcome::NotOffered);
    }
    let Some(params) = form(&records) else {
        return unanswered(ClarifyOutcome::NotOffered);
    };
    let asks_by_result = context
        .protocol_version()
        .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
    if !asks_by_result {
        return match answer_to(params, &context.peer).await {
            Some(answer) => ClarifyStep::GoOn(Clarification::of(&answer, records)),
            None => unanswered(ClarifyOutcome::Cancelled),
        };
    }
    match responses.and_then(|responses| responses.get(REQUEST)) {
        None => {
            let request = InputRequest::Elicitation(ElicitRequest::new(params));
            let requests = BTreeMap::from([(REQUEST.to_owned(), request)]);
            ClarifyStep::Ask(Box::new(InputRequiredResult::from_input_requests(requests)))
        }
        Some(answer) => match serde_json::from_value(answer.clone()) {
            Ok(answer) => ClarifyStep::GoOn(Clarification::of(&answer, records)),
            Err(_) => unanswered(ClarifyOutcome::Cancelled),
        },
    }
}

/// What a person says to a form, within the time for it.
async fn answer_to(params: ElicitRequestParams, peer: &Peer<RoleServer>) -> Option<ElicitResult> {
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
    let options = PeerRequestOptions::with_timeout(CLARIFY_TIME_MAX);
    let sent = peer.send_cancellable_request(request, options).await.ok()?;
    match sent.await_response().await.ok()? {
        ClientResult::ElicitResult(answer) => Some(answer),
        _ => None,
    }
}

impl Clarification {
    fn of(answer: &ElicitResult, records: Vec<GroundedRecord>) -> Self {
        let outcome = match answer.action {
            ElicitationAction::Accept => ClarifyOutcome::Answered,
            ElicitationAction::Decline => ClarifyOutcome::Declined,
            _ => ClarifyOutcome::Cancelled,
        };
        let content = answer.content.as_ref();
        let said = |name: &str| {
            let text = content?.get(name)?.as_str()?.trim();
            let end = text.floor_char_boundary(CLARIFY_ANSWER_BYTES_MAX);
            let text = text.get(..end)?;
            (!text.is_empty() && outcome == ClarifyOutcome::Answered).then(|| text.to_owned())
        };
        let answers = records.into_iter().map(|record| {
            let answer = said(&record.name);
            (record, answer)
        });
        Self {
            answers: answers.collect(),
            outcome,
        }
    }

    fn without_answers(outcome: ClarifyOutcome, records: &[GroundedRecord]) -> Self {
        Self {
            outcome,
            answers: records
                .iter()
                .map(|record| (record.clone(), None))
                .collect(),
        }
    }

    /// What a model reads of it.
    pub fn text(&self) -> String {
        let lines = self.answers.iter().map(|(record, answer)| {
            let ask = asked(record);
            match answer {
                Some(answer) => format!("- {ask} The person answers: {answer}\n"),
                None => format!("- {ask} There is no answer.\n"),
            }
        });
        let lines: String = lines.collect();
        let advice = match self.outcome {
            ClarifyOutcome::NotOffered => "Your program cannot ask the person: ask yourself.\n",
            _ => "",
        };
        format!("{lines}{advice}")
    }

    /// The same as an object.
    pub fn object(&self) -> Value {
        let answers = self.answers.iter().map(|(record, answer)| {
            json!({ "name": record.name, "ask": asked(record), "answer": answer })
        });
        json!({ "outcome": self.outcome.name(), "answers": answers.collect::<Vec<_>>() })
    }
}

/// What a record says that is to be asked.
pub fn asked(record: &GroundedRecord) -> &str {
    record.says.get("ask").map_or("", String::as_str)
}

/// When it is to be asked.
pub fn asked_when(record: &GroundedRecord) -> &str {
    record.says.get("when").map_or("", String::as_str)
}

/// A form with a field for each record.
fn form(records: &[GroundedRecord]) -> Option<ElicitRequestParams> {
    let fields = records.iter().map(|record| {
        let field = json!({
            "type": "string",
            "title": asked(record),
            "description": asked_when(record),
            "maxLength": CLARIFY_ANSWER_BYTES_MAX,
        });
        (record.name.clone(), field)
    });
    let fields: Map<String, Value> = fields.collect();
    let schema = json!({ "type": "object", "properties": fields });
    let schema = ElicitationSchema::from_json_schema(schema.as_object()?.clone()).ok()?;
    let questions: Vec<&str> = records.iter().map(asked).collect();
    Some(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: questions.join(" "),
        requested_schema: schema,
    })
}

/// The name of the only request that is made of a client.
const REQUEST: &str = "clarify";
