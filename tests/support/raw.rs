//! A client that speaks in frames, for tests that compare or forge bytes.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, ScramSha256};

use super::{frames, until};

/// A blocking connection that waits ten seconds for an answer at most.
pub struct RawClient {
    stream: TcpStream,
    /// ParameterStatus messages of the login.
    pub parameters: Vec<(String, String)>,
    /// Process id and secret of BackendKeyData.
    pub key: Option<(i32, Vec<u8>)>,
}

/// Who logs in, and with what.
pub struct Login<'a> {
    /// User.
    pub user: &'a str,
    /// Password.
    pub password: &'a str,
    /// Database.
    pub database: &'a str,
    /// More startup parameters.
    pub parameters: &'a [(&'a str, &'a str)],
}

/// One backend message.
#[derive(Clone, PartialEq, Eq)]
pub struct Frame {
    /// Type byte.
    pub kind: u8,
    /// What follows the length.
    pub body: Vec<u8>,
}

/// How long a client waits for its server: a machine that does other things as well may be slow,
/// and whoever waits in vain waits so long.
const PATIENCE: Duration = Duration::from_secs(60);

impl RawClient {
    /// Opens a connection and sends nothing.
    pub fn connect(address: SocketAddr) -> Self {
        Self::over(TcpStream::connect(address).expect("a listener"))
    }

    /// Takes a connection that is open.
    pub fn over(stream: TcpStream) -> Self {
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Self {
            stream,
            parameters: Vec::new(),
            key: None,
        }
    }

    /// Opens a connection and logs in, with protocol 3.0, until ReadyForQuery.
    pub fn login(address: SocketAddr, login: &Login<'_>) -> Self {
        Self::try_login(address, login).unwrap_or_else(|error| panic!("login failed: {error:?}"))
    }

    /// As [`RawClient::login`]; gives back the ErrorResponse of a login that fails.
    pub fn try_login(address: SocketAddr, login: &Login<'_>) -> Result<Self, Frame> {
        let mut client = Self::connect(address);
        let mut parameters = vec![("user", login.user), ("database", login.database)];
        parameters.extend(login.parameters);
        client.send(&frames::startup(0, &parameters));
        client.finish_login(login)?;
        Ok(client)
    }

    /// Answers what is asked after a StartupMessage, until ReadyForQuery.
    pub fn finish_login(&mut self, login: &Login<'_>) -> Result<(), Frame> {
        let mut scram = None;
        loop {
            let frame = self.read().expect("an answer during login");
            match (frame.kind, frame.body.get(..4)) {
                (b'E', _) => return Err(frame),
                (b'R', Some([0, 0, 0, 3])) => self.send_password(login.password),
                (b'R', Some([0, 0, 0, 5])) => {
                    let salt = frame.body[4..8].try_into().unwrap();
                    let hash = md5_hash(login.user.as_bytes(), login.password.as_bytes(), salt);
                    self.send_password(&hash);
                }
                (b'R', Some([0, 0, 0, 10])) => {
                    let started =
                        ScramSha256::new(login.password.as_bytes(), ChannelBinding::unsupported());
                    let data = started.message();
                    let length = u32::try_from(data.len()).unwrap().to_be_bytes();
                    let body = [&frames::zero_ended("SCRAM-SHA-256")[..], &length, data].concat();
                    self.send(&frames::message(b'p', &body));
                    scram = Some(started);
                }
                (b'R', Some([0, 0, 0, 11])) => {
                    let scram = scram.as_mut().expect("SASL has begun");
                    scram.update(&frame.body[4..]).unwrap();
                    self.send(&frames::message(b'p', scram.message()));
                }
                (b'R', Some([0, 0, 0, 12])) => {
                    scram
                        .as_mut()
                        .expect("SASL has begun")
                        .finish(&frame.body[4..])
                        .unwrap();
                }
                (b'R', Some([0, 0, 0, 0])) | (b'N' | b'v', _) => {}
                (b'S', _) => {
                    let (name, value) = frame.two_strings();
                    self.parameters.push((name, value));
                }
                (b'K', _) => {
                    let pid = i32::from_be_bytes(frame.body[..4].try_into().unwrap());
                    self.key = Some((pid, frame.body[4..].to_vec()));
                }
                (b'Z', _) => return Ok(()),
                other => panic!("unexpected during login: {other:?}"),
            }
        }
    }

    /// Has its statement cancelled by way of that address, as often as it takes; what comes of it.
    pub fn cancelled(&mut self, address: SocketAddr) -> Vec<Frame> {
        let (pid, secret) = self.key.clone().expect("a key");
        let has_answer = until(|| {
            let mut canceller = Self::connect(address);
            canceller.send(&frames::cancel_request(pid, &secret));
            canceller.until_closed();
            self.stream.set_nonblocking(true).unwrap();
            let has_answer = self.stream.peek(&mut [0]).is_ok();
            self.stream.set_nonblocking(false).unwrap();
            has_answer.then_some(())
        });
        assert!(has_answer.is_some());
        self.until_ready()
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: &[u8]) {
        self.try_send(bytes).expect("the connection takes bytes");
    }

    /// The same, of a connection that may be closed.
    pub fn try_send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// Reads one frame; an error where the connection is closed or nothing comes.
    pub fn read(&mut self) -> io::Result<Frame> {
        let mut header = [0; 5];
        self.stream.read_exact(&mut header)?;
        let length = u32::from_be_bytes(header[1..].try_into().unwrap());
        let mut body = vec![0; usize::try_from(length).unwrap() - 4];
        self.stream.read_exact(&mut body)?;
        Ok(Frame {
            kind: header[0],
            body,
        })
    }

    /// Reads up to and including the next ReadyForQuery.
    pub fn until_ready(&mut self) -> Vec<Frame> {
        let mut answer = Vec::new();
        loop {
            let frame = self
                .read()
                .unwrap_or_else(|error| panic!("{error} after {answer:?}"));
            let last = frame.kind == b'Z';
            answer.push(frame);
            if last {
                return answer;
            }
        }
    }

    /// Reads until the connection is closed.
    pub fn until_closed(&mut self) -> Vec<Frame> {
        let mut answer = Vec::new();
        loop {
            match self.read() {
                Ok(frame) => answer.push(frame),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    panic!("still open after {answer:?}")
                }
                Err(_) => return answer,
            }
        }
    }

    /// One Query message and its whole answer.
    pub fn query(&mut self, sql: &str) -> Vec<Frame> {
        self.send(&frames::query(sql));
        self.until_ready()
    }

    /// The socket, for half-closes, timeouts and TLS.
    pub fn stream(&mut self) -> &mut TcpStream {
        &mut self.stream
    }

    fn send_password(&mut self, password: &str) {
        self.send(&frames::message(b'p', &frames::zero_ended(password)));
    }
}

impl Frame {
    /// The field of an ErrorResponse or NoticeResponse.
    pub fn field(&self, code: u8) -> Option<String> {
        let mut fields = self.body.split(|byte| *byte == 0);
        fields
            .find(|field| field.first() == Some(&code))
            .map(|field| String::from_utf8_lossy(&field[1..]).into_owned())
    }

    /// The SQLSTATE of an ErrorResponse or NoticeResponse; empty for other frames.
    pub fn sqlstate(&self) -> String {
        let has_fields = matches!(self.kind, b'E' | b'N');
        if has_fields {
            self.field(b'C').unwrap_or_default()
        } else {
            String::new()
        }
    }

    /// The first two strings of its body: name and value of a ParameterStatus.
    pub fn two_strings(&self) -> (String, String) {
        let mut parts = self.body.split(|byte| *byte == 0);
        let mut next = || String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
        (next(), next())
    }
}

/// Type byte and body, readable where it is text.
impl fmt::Debug for Frame {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{}({})",
            char::from(self.kind),
            self.body.escape_ascii()
        )
    }
}

/// The type bytes of an answer, to compare orders at a glance: `"TDDCZ"`.
pub fn kinds(answer: &[Frame]) -> String {
    answer.iter().map(|frame| char::from(frame.kind)).collect()
}

/// The rows of an answer in texts; what is NULL is `-`.
pub fn values(answer: &[Frame]) -> Vec<Vec<String>> {
    let rows = answer.iter().filter(|frame| frame.kind == b'D');
    rows.map(|frame| {
        let mut body = &frame.body[2..];
        let mut values = Vec::new();
        while let Some((length, rest)) = body.split_first_chunk::<4>() {
            let length = usize::try_from(i32::from_be_bytes(*length));
            let taken = length.unwrap_or(0);
            values.push(match length {
                Ok(_) => String::from_utf8_lossy(&rest[..taken]).into_owned(),
                Err(_) => "-".into(),
            });
            body = &rest[taken..];
        }
        values
    })
    .collect()
}

/// The same, a line a row, with `|` between its values.
pub fn rows(answer: &[Frame]) -> Vec<String> {
    let lines = values(answer).into_iter();
    lines.map(|line| line.join("|")).collect()
}
