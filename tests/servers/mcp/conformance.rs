//! Every message of the server is held against the JSON Schema of its revision of the protocol, in
//! the place where the clients of the tests read, so that no test has to ask for it.
//!
//! `make setup` takes the schemas out of the program with which the protocol's authors hold
//! implementations against it: <https://github.com/modelcontextprotocol/conformance>

use std::collections::HashMap;
use std::fs;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::{Draft, Validator};
use serde_json::{Value, json};

use super::client::CURRENT_REVISION;
use super::told::introduction;
use crate::support::installed::installed;

/// The revisions in which somebody greets, oldest first.
pub const GREETED_REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// What was asked so far, by which answers are judged.
#[derive(Debug)]
pub struct Transcript {
    /// The revision of whatever names none.
    revision: String,
    unanswered: HashMap<String, AskedRequest>,
}

#[derive(Debug)]
struct AskedRequest {
    method: String,
    revision: Option<String>,
}

impl Transcript {
    /// Nothing was asked yet.
    pub fn new(revision: &str) -> Self {
        Self {
            revision: revision.to_owned(),
            unanswered: HashMap::new(),
        }
    }

    /// Notes what a client sends: a request, or anything else.
    pub fn sent(&mut self, text: &str) {
        let Ok(message) = serde_json::from_str::<Value>(text) else {
            return;
        };
        if let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) {
            let named = &message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
            let request = AskedRequest {
                method: method.to_owned(),
                revision: named.as_str().map(str::to_owned),
            };
            self.unanswered.insert(id.to_string(), request);
        }
    }

    /// Judges what a client hears.
    pub fn heard(&mut self, message: &Value) {
        let faults = self.faults(message);
        assert!(faults.is_empty(), "{faults:#?} in {message}");
    }

    fn faults(&mut self, message: &Value) -> Vec<String> {
        let is_answer = message.get("method").is_none();
        let id = message["id"].to_string();
        let request = is_answer.then(|| self.unanswered.remove(&id)).flatten();
        let method = request.as_ref().map(|request| &*request.method);
        if method == Some("initialize")
            && let Some(agreed) = message["result"]["protocolVersion"].as_str()
        {
            self.revision = agreed.to_owned();
        }
        let named = request
            .as_ref()
            .and_then(|request| request.revision.clone());
        let revision = named.as_ref().unwrap_or(&self.revision);
        let faults = ProtocolSchema::of(revision).faults(message, method);
        let faults = faults.iter().map(|fault| format!("{revision}: {fault}"));
        faults.collect()
    }
}

/// The schema of one revision.
struct ProtocolSchema {
    whole: Value,
    /// Where its definitions are, in the words of its draft of JSON Schema.
    definitions: &'static str,
    draft: Draft,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

impl ProtocolSchema {
    /// That of a revision; the newest one's where there is no such revision.
    fn of(revision: &str) -> &'static Self {
        static SCHEMAS: LazyLock<HashMap<&str, ProtocolSchema>> = LazyLock::new(|| {
            let revisions = GREETED_REVISIONS.into_iter().chain([CURRENT_REVISION]);
            revisions
                .map(|revision| (revision, ProtocolSchema::read(revision)))
                .collect()
        });
        let schema = SCHEMAS.get(revision);
        schema.unwrap_or_else(|| &SCHEMAS[CURRENT_REVISION])
    }

    fn read(revision: &str) -> Self {
        // The first revision has no schema there. In what a server sends, the second one differs by
        // audio alone, and by members that may be left out.
        let is_first = revision == GREETED_REVISIONS[0];
        let at = if is_first {
            GREETED_REVISIONS[1]
        } else {
            revision
        };
        let path = installed(&format!("protocol-schemas/{at}.json"));
        let mut whole: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let (definitions, draft) = match whole.get("$defs") {
            Some(_) => ("$defs", Draft::Draft202012),
            None => ("definitions", Draft::Draft7),
        };
        if is_first {
            whole[definitions]["AudioContent"] = json!(false);
        }
        Self {
            whole,
            definitions,
            draft,
            validators: Mutex::default(),
        }
    }

    /// What is wrong with a message of the server; if it is an answer, to a request of that method.
    fn faults(&self, message: &Value, asked: Option<&str>) -> Vec<String> {
        match self.parts(message, asked) {
            Ok(parts) => {
                let faults = parts
                    .iter()
                    .flat_map(|(definition, part)| self.faults_of(definition, part));
                faults.collect()
            }
            Err(fault) => vec![fault],
        }
    }

    /// The parts of a message, each with the name of its definition.
    fn parts<'m>(
        &self,
        message: &'m Value,
        asked: Option<&str>,
    ) -> Result<Vec<(String, &'m Value)>, String> {
        if let Some(method) = message["method"].as_str() {
            let (envelope, union) = match message.get("id") {
                Some(_) => ("JSONRPCRequest", "ServerRequest"),
                None => ("JSONRPCNotification", "ServerNotification"),
            };
            let own = self.alternative(union, method);
            let own = own.ok_or(format!("a {union} has no method {method}"))?;
            return Ok(vec![(envelope.to_owned(), message), (own, message)]);
        }
        if let Some(error) = message.get("error") {
            let envelope = self.first_of(["JSONRPCErrorResponse", "JSONRPCError"]);
            let own = self.error_of(&error["code"]);
            let definitions = [Some(envelope), own].into_iter().flatten();
            return Ok(definitions.map(|name| (name, message)).collect());
        }
        let Some(result) = message.get("result") else {
            return Err("neither a request nor a notification nor an answer".to_owned());
        };
        let envelope = self.first_of(["JSONRPCResultResponse", "JSONRPCResponse"]);
        let method = asked.ok_or("a result of nothing that was asked")?;
        let request = self.alternative("ClientRequest", method);
        let request = request.ok_or(format!("a result of {method}, which nobody can ask"))?;
        let own = match result["resultType"].as_str() {
            Some("input_required") => "InputRequiredResult".to_owned(),
            _ => self.first_of([&request.replace("Request", "Result"), "EmptyResult"]),
        };
        Ok(vec![(envelope, message), (own, result)])
    }

    /// The definition of a method among those of a union.
    fn alternative(&self, union: &str, method: &str) -> Option<String> {
        let definitions = &self.whole[self.definitions];
        let alternatives = definitions[union]["anyOf"].as_array()?;
        let mut names = alternatives
            .iter()
            .filter_map(|one| one["$ref"].as_str()?.rsplit('/').next());
        let own = names.find(|name| definitions[name]["properties"]["method"]["const"] == method);
        own.map(str::to_owned)
    }

    /// The definition of an answer with this code, if it has one of its own.
    fn error_of(&self, code: &Value) -> Option<String> {
        let definitions = self.whole[self.definitions].as_object().unwrap();
        let has_code = |definition: &Value| {
            let parts = definition["properties"]["error"]["allOf"].as_array();
            let mut parts = parts.into_iter().flatten();
            parts.any(|part| part["properties"]["code"]["const"] == *code)
        };
        let mut own = definitions.iter();
        let (name, _) = own.find(|(_, definition)| has_code(definition))?;
        Some(name.clone())
    }

    /// The first name that is defined.
    fn first_of(&self, names: [&str; 2]) -> String {
        let definitions = &self.whole[self.definitions];
        let mut names = names.into_iter();
        let name = names.find(|name| definitions.get(name).is_some());
        name.unwrap().to_owned()
    }

    fn faults_of(&self, definition: &str, part: &Value) -> Vec<String> {
        let faults = self.validator(definition);
        let faults = faults
            .iter_errors(part)
            .map(|fault| format!("{definition}{}: {}", fault.instance_path(), fault.masked()));
        faults.collect()
    }

    fn validator(&self, definition: &str) -> Arc<Validator> {
        let mut validators = self
            .validators
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let validator = validators.entry(definition.to_owned()).or_insert_with(|| {
            let mut schema = self.whole.clone();
            schema["$ref"] = json!(format!("#/{}/{definition}", self.definitions));
            let options = jsonschema::options().with_draft(self.draft);
            let validator = options.should_validate_formats(true).build(&schema);
            Arc::new(validator.unwrap())
        });
        Arc::clone(validator)
    }
}

#[track_caller]
fn check(revision: &str, asked: Option<&str>, message: Value, faults: &[&str]) {
    let found = ProtocolSchema::of(revision).faults(&message, asked);
    assert_eq!(found.len(), faults.len(), "{revision}: {found:#?}");
    for (found, words) in found.iter().zip(faults) {
        assert!(found.contains(words), "{revision}: {found}");
    }
}

#[test]
fn a_message_as_it_should_be_has_no_faults() {
    let called = json!({"jsonrpc": "2.0", "id": 1, "result": {
        "content": [{"type": "text", "text": "1"}], "resultType": "complete",
    }});
    let failed = json!({"jsonrpc": "2.0", "id": "a", "error": {"code": 1, "message": "no"}});
    let updated = json!({
        "jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "a:b"},
    });
    for revision in GREETED_REVISIONS.into_iter().chain([CURRENT_REVISION]) {
        check(revision, Some("tools/call"), called.clone(), &[]);
        check(revision, Some("tools/call"), failed.clone(), &[]);
        check(revision, None, failed.clone(), &[]);
        check(revision, None, updated.clone(), &[]);
    }
    for revision in GREETED_REVISIONS {
        let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
        check(revision, None, ping, &[]);
        let empty = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
        check(revision, Some("resources/subscribe"), empty, &[]);
    }
}

#[test]
fn a_field_of_the_wrong_type_is_a_fault_of_every_revision() {
    for revision in GREETED_REVISIONS.into_iter().chain([CURRENT_REVISION]) {
        let with = |result: Value| json!({"jsonrpc": "2.0", "id": 1, "result": result});
        let result = json!({"content": "1", "resultType": "complete"});
        let words = ["CallToolResult/content"];
        check(revision, Some("tools/call"), with(result), &words);
        let result = json!({
            "content": [], "isError": "no", "resultType": "complete",
        });
        let words = ["CallToolResult/isError"];
        check(revision, Some("tools/call"), with(result), &words);
        let failed = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": "1", "message": "no"}});
        check(revision, None, failed, &["/error/code"]);
        let updated = json!({
            "jsonrpc": "2.0", "method": "notifications/resources/updated",
            "params": {"uri": "no address"},
        });
        check(revision, None, updated, &["/params/uri"]);
    }
}

#[test]
fn a_field_that_is_missing_is_a_fault_of_every_revision() {
    for revision in GREETED_REVISIONS.into_iter().chain([CURRENT_REVISION]) {
        let called = json!({"jsonrpc": "2.0", "id": 1, "result": {"resultType": "complete"}});
        check(revision, Some("tools/call"), called, &["content"]);
        let failed = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": 1}});
        check(revision, None, failed, &["message"]);
    }
    let called = json!({"jsonrpc": "2.0", "id": 1, "result": {"content": []}});
    let words = ["resultType", "resultType"];
    check(CURRENT_REVISION, Some("tools/call"), called, &words);
    let failed = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32022, "message": "no"}});
    check(CURRENT_REVISION, None, failed, &["data"]);
}

#[test]
fn what_a_revision_does_not_know_is_a_fault() {
    let notified = json!({"jsonrpc": "2.0", "method": "notifications/nonesuch"});
    let asked = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let empty = json!({"jsonrpc": "2.0", "id": 1, "result": {"resultType": "complete"}});
    for revision in GREETED_REVISIONS.into_iter().chain([CURRENT_REVISION]) {
        check(
            revision,
            None,
            notified.clone(),
            &["notifications/nonesuch"],
        );
        check(revision, None, asked.clone(), &["tools/list"]);
        check(revision, Some("nonesuch"), empty.clone(), &["nonesuch"]);
        check(revision, None, empty.clone(), &["nothing that was asked"]);
        for other in [json!([]), json!(null), json!({"jsonrpc": "2.0", "id": 1})] {
            check(revision, None, other, &["neither"]);
        }
    }
    check(CURRENT_REVISION, Some("initialize"), empty, &["initialize"]);
    let audio = json!({"jsonrpc": "2.0", "id": 1, "result": {
        "content": [{"type": "audio", "data": "", "mimeType": "audio/wav"}],
    }});
    check(
        "2024-11-05",
        Some("tools/call"),
        audio.clone(),
        &["/content/0"],
    );
    check("2025-03-26", Some("tools/call"), audio, &[]);
}

#[test]
fn an_answer_is_judged_by_the_request_that_has_its_number() {
    let mut transcript = Transcript::new("2025-11-25");
    transcript.sent("{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": \"ping\"}");
    transcript.sent("{\"jsonrpc\": \"2.0\", \"id\": \"7\", \"method\": \"tools/list\"}");
    let empty = |id: Value| json!({"jsonrpc": "2.0", "id": id, "result": {}});
    assert_eq!(transcript.faults(&empty(json!(7))), [""; 0]);
    assert!(transcript.faults(&empty(json!("7")))[0].contains("tools"));
    assert!(transcript.faults(&empty(json!("7")))[0].contains("nothing that was asked"));
    // What a request names is for its answer alone.
    let meta = introduction();
    let request = json!({"id": 8, "method": "tools/call", "params": { "_meta": meta }});
    transcript.sent(&request.to_string());
    transcript.sent("{\"id\": 9, \"method\": \"tools/call\"}");
    let called = |id: u8| json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}});
    assert!(transcript.faults(&called(8))[0].contains("resultType"));
    assert_eq!(transcript.faults(&called(9)), [""; 0]);
}
