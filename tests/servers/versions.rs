//! One test for each version of Postgres.

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
