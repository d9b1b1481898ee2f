//! A client of pgsieve's own: a session as any client has one, over a stream to a listener of
//! pgsieve. What it sends is judged like every client's.
//!
//! * [`session`]: the login, statements sent, messages read
//! * [`server_error`]: errors as a client reads them; [`notices`]: what pgsieve says beside results

pub mod notices;
pub mod server_error;
pub mod session;
