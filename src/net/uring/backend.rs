//! Who waits for sockets, as settings say it.

use std::io;

/// What reads and writes the sockets of sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IoBackend {
    /// io_uring where the system lets this process have it, epoll elsewhere.
    Auto,
    /// The runtime's own way.
    #[default]
    Epoll,
    /// io_uring, or no start.
    Uring,
}

impl IoBackend {
    /// As settings name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Epoll => "epoll",
            Self::Uring => "uring",
        }
    }

    /// Whether workers are to have rings.
    ///
    /// # Errors
    /// They must, and the system lets this process have none.
    pub fn wants_rings(self) -> io::Result<bool> {
        match self {
            Self::Epoll => Ok(false),
            Self::Auto => Ok(super::probe().is_ok()),
            Self::Uring => super::probe().map(|()| true),
        }
    }
}
