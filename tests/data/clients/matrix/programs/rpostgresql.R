# R's RPostgreSQL: frames, fetches in pieces, parameters, tables as data frames, metadata, transactions.

suppressPackageStartupMessages({
  library(DBI)
  library(RPostgreSQL)
  library(jsonlite)
})

direct <- Sys.getenv("MATRIX_WAY") == "direct"
programs <- commandArgs(trailingOnly = TRUE)[1]
driver <- dbDriver("PostgreSQL")

open <- function(options = "") {
  dbConnect(driver, host = Sys.getenv("PGHOST"), port = as.integer(Sys.getenv("PGPORT")), user = Sys.getenv("PGUSER"),
            password = Sys.getenv("PGPASSWORD"), dbname = Sys.getenv("PGDATABASE"), options = options)
}

emit <- function(line) cat(toJSON(line, auto_unbox = TRUE, null = "null", na = "null", digits = NA, POSIXt = "ISO8601"), "\n", sep = "")

# The driver says what the server said as a warning, or within an error of its own.
failure <- function(condition) {
  text <- conditionMessage(condition)
  found <- regmatches(text, regexpr("ERROR: +[^\n]*", text))
  message <- if (length(found) > 0) found else strsplit(text, "\n")[[1]][1]
  list(error = "error", message = sub("\\)$", "", message))
}

told <- function(name, mark, run) {
  outcome <- tryCatch({
    connection <- open()
    on.exit(try(dbDisconnect(connection), silent = TRUE))
    value <- list(value = plain(run(connection)))
    value
  }, error = failure, warning = failure)
  emit(c(list(step = name), mark, outcome))
}

# Frames as lists of columns, each value as text.
plain <- function(value) {
  if (is.data.frame(value)) return(lapply(as.list(value), function(column) I(as.character(column))))
  value
}

step <- function(name, run) told(name, list(), run)
# A write must fail; directly it is not tried.
write_step <- function(name, run) if (!direct) told(name, list(write = TRUE), run)

# The statements that every client asks; see statements.tsv.
statements <- function(kind) {
  lines <- strsplit(readLines(file.path(programs, "statements.tsv"), encoding = "UTF-8"), "\t")
  Filter(function(line) line[1] == kind, lines)
}

queries <- function() {
  step("rows", function(c) dbGetQuery(c, "SELECT id, name, price, made, tags, state FROM item ORDER BY id LIMIT 12"))
  step("types", function(c) dbGetQuery(c, "SELECT a_bool, a_int2, a_int4, a_float4, a_numeric, a_text, a_varchar, a_date, a_timestamp,
    a_uuid::text, a_jsonb::text FROM every_type WHERE a_int4 > 0"))
  step("parameters", function(c) dbGetQuery(c, "SELECT $1::int + 1 AS n, $2::text AS t", list(41, "it's")))
  step("in pieces", function(c) {
    result <- dbSendQuery(c, "SELECT id FROM shop.reading ORDER BY id")
    total <- 0
    while (!dbHasCompleted(result)) total <- total + sum(fetch(result, n = 1700)$id)
    about <- list(total, dbGetRowCount(result), dbColumnInfo(result)$name, dbGetStatement(result))
    dbClearResult(result)
    about
  })
  step("left early", function(c) {
    result <- dbSendQuery(c, "SELECT id FROM shop.reading ORDER BY id")
    few <- fetch(result, n = 3)$id
    dbClearResult(result)
    list(I(few), dbGetQuery(c, "SELECT count(*)::int AS n FROM item")$n)
  })
  step("a table as a frame", function(c) dbReadTable(c, "part")[1:5, ])
  step("a table of a schema as a frame", function(c) dbReadTable(c, c("shop", "purchase_line"))$sku[1:9])
}

metadata <- function() {
  step("tables", function(c) I(sort(dbListTables(c))))
  step("fields", function(c) list(I(dbListFields(c, "item")), I(dbListFields(c, "Mixed Case"))))
  step("is there a table", function(c) list(dbExistsTable(c, "item"), dbExistsTable(c, "nothing"), dbExistsTable(c, c("shop", "customer"))))
  step("primary key", function(c) dbGetQuery(c, "SELECT a.attname FROM pg_index i JOIN pg_attribute a
    ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey) WHERE i.indrelid = 'part'::regclass AND i.indisprimary ORDER BY 1"))
  step("about the connection", function(c) {
    told <- dbGetInfo(c)
    list(told$user, told$dbname, told$serverVersion)
  })
  step("strings", function(c) list(postgresqlEscapeStrings(c, "it's \\"), postgresqlQuoteId("a\"b")))
}

transactions <- function() {
  for (line in statements("begin")) local({
    text <- line[3]
    step(paste0("transaction: ", line[2]), function(c) {
      invisible(dbGetQuery(c, text))
      level <- dbGetQuery(c, "SHOW transaction_isolation")
      dbGetQuery(c, "SAVEPOINT one")
      failed <- tryCatch(dbGetQuery(c, "SELECT 1 / (id - id) FROM item"), error = failure, warning = failure)
      dbGetQuery(c, "ROLLBACK TO SAVEPOINT one")
      count <- dbGetQuery(c, "SELECT count(*)::int AS n FROM item")
      dbCommit(c)
      list(plain(level), failed, plain(count))
    })
  })
  step("in a transaction", function(c) {
    dbBegin(c)
    count <- dbGetQuery(c, "SELECT count(*)::int AS n FROM item")$n
    dbRollback(c)
    count
  })
  step("settings", function(c) {
    dbGetQuery(c, "SET search_path TO shop, public")
    list(plain(dbGetQuery(c, "SHOW search_path")), plain(dbGetQuery(c, "SELECT count(*)::int AS n FROM customer")))
  })
}

errors <- function() {
  for (line in statements("error")) local({
    text <- line[3]
    step(paste0("error: ", line[2]), function(c) dbGetQuery(c, text))
  })
  for (line in statements("write")) local({
    text <- line[3]
    write_step(line[2], function(c) dbGetQuery(c, text))
  })
  write_step("a frame as a new table", function(c) dbWriteTable(c, "left_behind", data.frame(a = 1:3)))
  write_step("a frame behind a table", function(c) {
    if (!dbWriteTable(c, "part", data.frame(item_id = 1, line = 99, amount = 1), append = TRUE, row.names = FALSE)) stop("refused")
  })
  write_step("remove a table", function(c) if (!dbRemoveTable(c, "part")) stop("refused"))
}

emit(list(client = "RPostgreSQL", version = as.character(packageVersion("RPostgreSQL"))))
queries()
metadata()
transactions()
errors()
