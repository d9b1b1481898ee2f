# Debian's postgresql-contrib is what brings pgbench where the server's own package does not.
have pgbench || debian postgresql-contrib
pgbench --version
