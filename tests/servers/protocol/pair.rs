//! A session with pgsieve and one with the database, asked the same.

use crate::support::raw::{Frame, Login};
use crate::support::{APP, RawClient, Stack};

/// A session on each side, with the same settings.
pub struct Pair {
    pub direct: RawClient,
    pub proxied: RawClient,
}

/// Answers that should have been the same.
#[derive(Default)]
pub struct Differences {
    found: Vec<String>,
}

impl Pair {
    pub fn open(stack: &Stack) -> Self {
        let login = stack.login(APP);
        let mut proxied = RawClient::login(stack.proxied_address(), &login);
        // What pgsieve adds to a startup packet is not a difference to the client.
        let timeouts = [
            "statement_timeout",
            "lock_timeout",
            "idle_in_transaction_session_timeout",
        ];
        let timeouts = timeouts.map(|name| (name, shown(&mut proxied, name)));
        let mut parameters = vec![
            ("default_transaction_read_only", "on"),
            ("client_encoding", "UTF8"),
            ("standard_conforming_strings", "on"),
        ];
        parameters.extend(timeouts.iter().map(|(name, value)| (*name, value.as_str())));
        let login = Login {
            parameters: &parameters,
            ..login
        };
        let direct = RawClient::login(stack.direct_address(), &login);
        Self { direct, proxied }
    }

    /// The same talk with both.
    pub fn both<T>(&mut self, mut talk: impl FnMut(&mut RawClient) -> T) -> (T, T) {
        (talk(&mut self.direct), talk(&mut self.proxied))
    }

    /// The same bytes to both, with one ReadyForQuery to come.
    pub fn ask(&mut self, messages: &[u8]) -> (Vec<Frame>, Vec<Frame>) {
        self.both(|client| {
            client.send(messages);
            client.until_ready()
        })
    }
}

impl Differences {
    /// Keeps the pair of answers in mind unless they are the same.
    pub fn note(&mut self, asked: &str, direct: &[Frame], proxied: &[Frame]) {
        let alike = direct
            .iter()
            .zip(proxied)
            .take_while(|(direct, proxied)| same(direct, proxied));
        let at = alike.count();
        if at == direct.len() && at == proxied.len() {
            return;
        }
        let shown = |answer: &[Frame]| {
            let text = format!("{:?}", answer.iter().skip(at).take(3).collect::<Vec<_>>());
            text.chars().take(600).collect::<String>()
        };
        let (direct, proxied) = (shown(direct), shown(proxied));
        self.found.push(format!(
            "{asked:.300}\n  directly, from frame {at}: {direct}\n  through pgsieve: {proxied}"
        ));
    }

    /// Fails with the first of them, if there are any.
    pub fn assert_none(&self) {
        let count = self.found.len();
        let first: Vec<&str> = self.found.iter().take(30).map(String::as_str).collect();
        assert!(count == 0, "{count} answers differ\n{}", first.join("\n"));
    }
}

/// Equal. Names that are not known are answered by pgsieve itself: what a client sees of that is
/// equal.
pub fn same(direct: &Frame, proxied: &Frame) -> bool {
    let unknown = ["26000", "34000"].contains(&direct.sqlstate().as_str());
    let told = |frame: &Frame| [b'S', b'V', b'C', b'M'].map(|field| frame.field(field));
    direct == proxied || (unknown && direct.kind == proxied.kind && told(direct) == told(proxied))
}

fn shown(client: &mut RawClient, name: &str) -> String {
    let answer = client.query(&format!("SHOW {name}"));
    let row = answer
        .iter()
        .find(|frame| frame.kind == b'D')
        .expect("a row");
    String::from_utf8(row.body[6..].to_vec()).unwrap()
}
