//! One test for each version of Postgres, and the cases of one check dealt out among the versions.

use std::sync::LazyLock;

use crate::support::VERSIONS;
use crate::support::shared::shared_cluster_of;

/// A test for each version, beside each other: `NAME::on_13`, and so on. Each calls a function with
/// its version, which returns at once where that Postgres cannot be had.
macro_rules! on_every_version {
    ($name:ident, $check:ident) => {
        on_every_version!(
            $name, $check, on_13 13, on_14 14, on_15 15, on_16 16, on_17 17, on_18 18
        );
    };
    ($name:ident, $check:ident, from 14) => {
        on_every_version!($name, $check, on_14 14, on_15 15, on_16 16, on_17 17, on_18 18);
    };
    ($name:ident, $check:ident, $($test:ident $version:literal),+) => {
        mod $name {
            $(
                #[test]
                fn $test() {
                    super::$check($version);
                }
            )+
        }
    };
}
pub(crate) use on_every_version;

/// Whether a version has the case of this number where all versions together have each case once:
/// for checks of what pgsieve does whatever the version. Neighbouring cases are had by different
/// versions, in no fixed order.
pub fn has_case(version: u32, case: usize) -> bool {
    let versions = sharing_versions();
    // The golden ratio scatters numbers that follow each other.
    let case = u64::try_from(case).expect("64 bits");
    let scattered = case.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    let dealt = usize::try_from(scattered).expect("32 bits") % versions.len();
    versions.len() == 1 || versions[dealt] == version
}

/// The versions that cases are dealt out among: those that can be had. With `EVERY_CASE=1` in the
/// environment it is one, whichever: each version has each case.
pub fn sharing_versions() -> &'static [u32] {
    static AVAILABLE: LazyLock<Vec<u32>> = LazyLock::new(|| {
        if std::env::var_os("EVERY_CASE").is_some() {
            return vec![VERSIONS[0]];
        }
        let can_be_had = |version: &u32| shared_cluster_of(*version).is_some();
        VERSIONS.into_iter().filter(can_be_had).collect()
    });
    &AVAILABLE
}
