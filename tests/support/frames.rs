//! Frontend messages as bytes, right or deliberately wrong. Written from the protocol's page, not
//! with the code under test:
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

/// A message with this type byte and body, its length as it must be.
pub fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap();
    [&[kind][..], &length.to_be_bytes(), body].concat()
}

/// A StartupMessage of protocol 3.`minor`.
pub fn startup(minor: u16, parameters: &[(&str, &str)]) -> Vec<u8> {
    let mut body = [&3_u16.to_be_bytes()[..], &minor.to_be_bytes()].concat();
    for (name, value) in parameters {
        body.extend(zero_ended(name));
        body.extend(zero_ended(value));
    }
    body.push(0);
    untyped(&body)
}

/// An SSLRequest.
pub fn ssl_request() -> Vec<u8> {
    untyped(&80_877_103_u32.to_be_bytes())
}

/// A GSSENCRequest.
pub fn gss_request() -> Vec<u8> {
    untyped(&80_877_104_u32.to_be_bytes())
}

/// A CancelRequest with the key of a BackendKeyData.
pub fn cancel_request(pid: i32, secret: &[u8]) -> Vec<u8> {
    untyped(
        &[
            &80_877_102_u32.to_be_bytes()[..],
            &pid.to_be_bytes(),
            secret,
        ]
        .concat(),
    )
}

/// A message that has no type byte: length and body.
pub fn untyped(body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap();
    [&length.to_be_bytes()[..], body].concat()
}

/// Query.
pub fn query(sql: &str) -> Vec<u8> {
    message(b'Q', &zero_ended(sql))
}

/// Parse with no parameter types.
pub fn parse(name: &str, sql: &str) -> Vec<u8> {
    message(
        b'P',
        &[&zero_ended(name)[..], &zero_ended(sql), &[0, 0]].concat(),
    )
}

/// Bind with text parameters; `binary` asks for binary results.
pub fn bind(portal: &str, statement: &str, values: &[Option<&str>], binary: bool) -> Vec<u8> {
    let mut body = [&zero_ended(portal)[..], &zero_ended(statement), &[0, 0]].concat();
    body.extend(u16::try_from(values.len()).unwrap().to_be_bytes());
    for value in values {
        match value {
            None => body.extend((-1_i32).to_be_bytes()),
            Some(text) => {
                body.extend(u32::try_from(text.len()).unwrap().to_be_bytes());
                body.extend(text.as_bytes());
            }
        }
    }
    body.extend(if binary {
        [0, 1, 0, 1].as_slice()
    } else {
        &[0, 0]
    });
    message(b'B', &body)
}

/// A row of text values.
pub fn row(values: &[Option<&str>]) -> Vec<u8> {
    let mut body = u16::try_from(values.len()).unwrap().to_be_bytes().to_vec();
    for value in values {
        match value {
            None => body.extend((-1_i32).to_be_bytes()),
            Some(text) => {
                body.extend(u32::try_from(text.len()).unwrap().to_be_bytes());
                body.extend(text.as_bytes());
            }
        }
    }
    message(b'D', &body)
}

/// Describe of a statement (`S`) or a portal (`P`).
pub fn describe(target: u8, name: &str) -> Vec<u8> {
    message(b'D', &[&[target][..], &zero_ended(name)].concat())
}

/// Execute; 0 means all rows.
pub fn execute(portal: &str, rows_max: i32) -> Vec<u8> {
    message(
        b'E',
        &[&zero_ended(portal)[..], &rows_max.to_be_bytes()].concat(),
    )
}

/// Close of a statement (`S`) or a portal (`P`).
pub fn close(target: u8, name: &str) -> Vec<u8> {
    message(b'C', &[&[target][..], &zero_ended(name)].concat())
}

/// Sync.
pub fn sync() -> Vec<u8> {
    message(b'S', &[])
}

/// Flush.
pub fn flush() -> Vec<u8> {
    message(b'H', &[])
}

/// Terminate.
pub fn terminate() -> Vec<u8> {
    message(b'X', &[])
}

/// Parse, Bind, Describe, Execute and Sync of one statement, all unnamed.
pub fn extended(sql: &str, values: &[Option<&str>], binary: bool) -> Vec<u8> {
    let bind = bind("", "", values, binary);
    [
        parse("", sql),
        bind,
        describe(b'P', ""),
        execute("", 0),
        sync(),
    ]
    .concat()
}

/// Text with a terminator.
pub fn zero_ended(text: &str) -> Vec<u8> {
    [text.as_bytes(), &[0]].concat()
}
