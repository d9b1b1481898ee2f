# R's RPostgreSQL, as Debian has it.
debian r-cran-rpostgresql r-cran-jsonlite
