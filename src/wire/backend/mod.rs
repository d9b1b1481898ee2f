//! What the upstream says, where pgsieve needs to know it: one file per message, each reader takes
//! the body of one whole frame and gives slices of it. Rows of clients are never read.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

mod authentication;
mod backend_key_data;
mod command_complete;
mod data_row;
mod error_response;
mod negotiate_protocol_version;
mod parameter_status;
mod ready_for_query;
mod row_description;

pub use authentication::{Authentication, authentication};
pub use backend_key_data::backend_key_data;
pub use command_complete::command_tag;
pub use data_row::data_row;
pub use error_response::{ResponseFields, error_fields};
pub use negotiate_protocol_version::{NegotiateProtocolVersion, negotiate_protocol_version};
pub use parameter_status::parameter_status;
pub use ready_for_query::{TransactionStatus, ready_for_query};
pub use row_description::{FieldDescription, row_description};

/// A reader accepts this body, and no shorter and no longer one.
#[cfg(test)]
fn check_ends(body: &[u8], accepts: impl Fn(&[u8]) -> bool) {
    assert!(accepts(body), "the sample itself is read");
    for kept in 0..body.len() {
        assert!(!accepts(&body[..kept]), "cut at {kept}");
    }
    for extra in [&b"\0"[..], b"x", b"\0\0\0\0\0"] {
        assert!(!accepts(&[body, extra].concat()), "leftover {extra:?}");
    }
}
