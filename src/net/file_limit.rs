//! How many files and sockets the process may have open.
//!
//! Systems give a process a soft limit of 1,024, for programs that know no more, and let it raise
//! that up to a hard limit. A session takes two descriptors, one on each leg: with the soft limit a
//! proxy turns clients away from about the five-hundredth on.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the soft limit to the hard one. Where the system does not let it, the limit stays as it
/// is, and the metric `process_max_fds` says so.
pub fn raise_limit() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum {
        let raised = Rlimit {
            current: maximum,
            maximum,
        };
        let _stays = setrlimit(Resource::Nofile, raised);
    }
}
