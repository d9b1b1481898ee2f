# PgJDBC, as Debian has it.
have java || debian default-jdk-headless
debian libpostgresql-jdbc-java
