//! Who a session belongs to, as metrics and audit know it.
//!
//! User, database and application_name are chosen by the client. They are cut to a bound, cleaned
//! of control characters when the session learns them, and escaped once, for its first audit line;
//! every other one copies the finished text. No other startup parameter is kept.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::limits::AUDIT_NAME_CHARS_MAX;
use crate::receipts::issuer::ReceiptId;
use crate::telemetry::counters::label_slots::SlotMemory;
use crate::telemetry::json_text::push_string;
use crate::telemetry::labels::ProtocolPath;

/// The facts of one session that its events carry.
#[derive(Clone, Debug)]
pub struct SessionInfo {
    id: u64,
    client: Box<str>,
    user: Arc<str>,
    database: Box<str>,
    application_name: Box<str>,
    tls: bool,
    is_mcp: bool,
    /// Name and version of the policy that it is under, once it is under one.
    policy: Option<(Arc<str>, Arc<str>)>,
    standing: UserAuthentication,
    /// What all its audit lines say, once there was one.
    rendered: OnceLock<Box<str>>,
    /// Where the statements under its policy, and those of its user, are counted.
    policy_slot: SlotMemory,
    user_slot: SlotMemory,
    /// Whether a line of the session was taken although the audit had no room for it.
    debt: Arc<AtomicBool>,
    /// The last receipt that a line of the audit has, and the place of that line.
    receipt_place: Arc<Mutex<Option<(ReceiptId, u64)>>>,
}

/// Whether it is known that the user is who it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UserAuthentication {
    Claimed,
    Admitted,
}

impl SessionInfo {
    /// A connection that was just accepted: only its number and address are known.
    pub fn accepted(id: u64, client: &str) -> Self {
        Self {
            id,
            client: cleaned(client).into(),
            user: "".into(),
            database: "".into(),
            application_name: "".into(),
            tls: false,
            is_mcp: false,
            policy: None,
            standing: UserAuthentication::Claimed,
            rendered: OnceLock::new(),
            policy_slot: SlotMemory::default(),
            user_slot: SlotMemory::default(),
            debt: Arc::default(),
            receipt_place: Arc::default(),
        }
    }

    /// The same connection, now under TLS.
    pub fn encrypted(mut self) -> Self {
        self.tls = true;
        self.rendered = OnceLock::new();
        self
    }

    /// The same connection, of a caller of the MCP server.
    pub fn over_mcp(mut self) -> Self {
        self.is_mcp = true;
        self
    }

    /// The same connection, with what its startup packet says of itself.
    pub fn named(mut self, user: &str, database: &str, application_name: &str) -> Self {
        self.user = cleaned(user).into();
        self.database = cleaned(database).into();
        self.application_name = cleaned(application_name).into();
        self.rendered = OnceLock::new();
        self
    }

    /// The same connection, under a policy.
    pub fn under(mut self, policy: impl Into<Arc<str>>, version: impl Into<Arc<str>>) -> Self {
        self.policy = Some((shared(policy.into()), shared(version.into())));
        self.policy_slot = SlotMemory::default();
        self.rendered = OnceLock::new();
        self
    }

    /// The same connection, whose user has logged in.
    pub fn admitted(mut self) -> Self {
        self.standing = UserAuthentication::Admitted;
        self.user_slot = SlotMemory::default();
        self
    }

    /// Name and version of the policy that it is under, once it is under one.
    pub fn policy(&self) -> Option<(&str, &str)> {
        let (name, version) = self.policy.as_ref()?;
        Some((name, version))
    }

    /// The number of the connection, unique while the process lives.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The client's address.
    pub fn client(&self) -> &str {
        &self.client
    }

    /// The user that the client names, cleaned and cut.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The database that the client names, cleaned and cut.
    pub fn database(&self) -> &str {
        &self.database
    }

    /// The application_name of the startup packet, cleaned and cut.
    pub fn application_name(&self) -> &str {
        &self.application_name
    }

    /// Whether the client's leg is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.tls
    }

    /// The name of the policy, for what is counted by it.
    pub(in crate::telemetry) fn policy_name(&self) -> Option<&Arc<str>> {
        self.policy.as_ref().map(|(name, _)| name)
    }

    /// The user, once it has logged in: what anybody may claim is no name to count by.
    pub(in crate::telemetry) fn admitted_user(&self) -> Option<&Arc<str>> {
        match self.standing {
            UserAuthentication::Claimed => None,
            UserAuthentication::Admitted => Some(&self.user),
        }
    }

    /// Where the statements under its policy are counted.
    pub(in crate::telemetry) fn policy_slot(&self) -> &SlotMemory {
        &self.policy_slot
    }

    /// Where the statements of its user are counted.
    pub(in crate::telemetry) fn user_slot(&self) -> &SlotMemory {
        &self.user_slot
    }

    /// Whether the session is to wait for room in the audit before anything else of it happens.
    pub fn has_debt(&self) -> bool {
        self.debt.load(Ordering::Relaxed)
    }

    /// There is room again.
    pub fn settle_debt(&self) {
        self.debt.store(false, Ordering::Relaxed);
    }

    /// A line of it was taken although there was no room.
    pub(in crate::telemetry) fn note_debt(&self) {
        self.debt.store(true, Ordering::Relaxed);
    }

    /// The audit's line at that place has this receipt.
    pub(in crate::telemetry) fn note_receipt_place(&self, receipt: ReceiptId, place: u64) {
        let noted = self.receipt_place.lock();
        *noted.unwrap_or_else(PoisonError::into_inner) = Some((receipt, place));
    }

    /// The place of the audit's line that has this receipt, where it is the last that one has.
    pub(in crate::telemetry) fn receipt_place(&self, receipt: ReceiptId) -> Option<u64> {
        let noted = self.receipt_place.lock();
        let (last, place) = (*noted.unwrap_or_else(PoisonError::into_inner))?;
        (last == receipt).then_some(place)
    }

    /// The way by which a statement came, for whoever reads of it later: the message that brought
    /// it, or that a caller of the MCP server sent it.
    pub(in crate::telemetry) fn path_name(&self, path: ProtocolPath) -> &'static str {
        match self.is_mcp {
            true => MCP_PATH,
            false => path.name(),
        }
    }

    /// The part of an audit line that is the same for every event of this session.
    pub(in crate::telemetry) fn rendered(&self) -> &str {
        self.rendered.get_or_init(|| self.render())
    }

    fn render(&self) -> Box<str> {
        let mut text = format!("\"session\":{},\"client\":", self.id);
        push_string(&mut text, &self.client);
        for (key, value) in [
            (",\"user\":", &*self.user),
            (",\"database\":", &self.database),
            (",\"application_name\":", &self.application_name),
        ] {
            text.push_str(key);
            push_string(&mut text, value);
        }
        text.push_str(if self.tls {
            ",\"tls\":true"
        } else {
            ",\"tls\":false"
        });
        if let Some((name, version)) = &self.policy {
            text.push_str(",\"policy\":");
            push_string(&mut text, name);
            text.push_str(",\"policy_version\":");
            push_string(&mut text, version);
        }
        text.into_boxed_str()
    }
}

/// The path of statements that callers of the MCP server send.
const MCP_PATH: &str = "mcp";

/// The same text where it is clean already.
fn shared(text: Arc<str>) -> Arc<str> {
    let clean = cleaned(&text);
    if *clean == *text { text } else { clean.into() }
}

/// Text of pgsieve's own that names what others wrote, without its control characters: one line of
/// the log or of an answer.
pub fn on_one_line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

/// Client-chosen text without control or invisible formatting characters, cut to its bound.
pub fn cleaned(text: &str) -> String {
    if text.len() <= AUDIT_NAME_CHARS_MAX && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    text.chars()
        .filter(|c| !c.is_control() && !is_invisible(*c))
        .take(AUDIT_NAME_CHARS_MAX)
        .collect()
}

/// Line separators and marks that change the direction or look of the text around them.
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{00ad}' | '\u{061c}' | '\u{feff}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_calls_itself_cannot_forge_a_line() {
        let info = SessionInfo::accepted(7, "10.0.0.1:5").named(
            "eve\n{\"event\":\"x\"}",
            "d\u{202e}b",
            "a\"p\\p\u{0}",
        );
        assert_eq!(info.user(), "eve{\"event\":\"x\"}");
        assert_eq!(info.database(), "db");
        let whole = format!("{{{}}}", info.rendered());
        let value: serde_json::Value = serde_json::from_str(&whole).unwrap();
        assert_eq!(value["application_name"], "a\"p\\p");
        assert_eq!(value["session"], 7);
        assert!(!whole.contains('\n'));
    }

    #[test]
    fn every_line_says_which_policy_a_session_is_under() {
        let info = SessionInfo::accepted(7, "10.0.0.1:5");
        assert!(!info.rendered().contains("policy"));
        let info = info.under("a\"b", "0123456789abcdef");
        let whole = format!("{{{}}}", info.rendered());
        let value: serde_json::Value = serde_json::from_str(&whole).unwrap();
        assert_eq!(value["policy"], "a\"b");
        assert_eq!(value["policy_version"], "0123456789abcdef");
    }

    #[test]
    fn long_names_are_cut() {
        let info = SessionInfo::accepted(1, "x").named(&"ü".repeat(10_000), "", "");
        assert_eq!(info.user().chars().count(), AUDIT_NAME_CHARS_MAX);
    }
}
