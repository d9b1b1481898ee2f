//! What becomes of what the upstream says: the client gets it, or something else, or nothing.

use bytes::BytesMut;

/// What becomes of a row that may be one of pgsieve's own.
pub(in crate::session) enum OwnRow {
    /// It is none.
    NotOwn,
    /// It is not taken yet.
    Waits,
    /// This is what the client gets in its place, should there be room in its result.
    Told(BytesMut),
}

/// What becomes of a frame that was read.
pub(in crate::session) enum Forwarding {
    Forward,
    Drop,
}
