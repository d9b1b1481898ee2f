# Perl's DBD::Pg, as Debian has it.
debian libdbd-pg-perl
