//! Asks a client for its password in clear, where nobody else can read it.

use bytes::BytesMut;
use tokio::time::Instant;

use super::AuthError;
use crate::net::framed_stream::FramedStream;
use crate::secret::Secret;
use crate::wire::encode;
use crate::wire::frontend::password::password;

/// Asks for the password and waits for it. An empty one is refused, as Postgres does.
///
/// Not to be cancelled and gone on with: the question may be out.
///
/// # Errors
/// It is empty or did not come in time, or the client broke the protocol.
pub async fn request_password(
    framed: &mut FramedStream,
    deadline: Instant,
) -> Result<Secret, AuthError> {
    let mut out = BytesMut::new();
    encode::authentication_cleartext(&mut out);
    framed.send(&out, deadline).await.map_err(AuthError::Peer)?;
    let message = framed.frontend(deadline).await.map_err(AuthError::Peer)?;
    match password(message.body()).map_err(AuthError::Malformed)? {
        "" => Err(AuthError::EmptyPassword),
        given => Ok(Secret::new(given)),
    }
}
