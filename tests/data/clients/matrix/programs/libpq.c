/* libpq: what drivers in C are built on. Simple and extended queries, binary results, pipelines, rows one by one,
   copies, cancels, asynchronous connects and writes, errors and their fields. */

#include <libpq-fe.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>

/* What a step says: JSON, put together piece by piece. */
static char said[1 << 20];
static size_t length;
static char failed[16];
static char failed_with[512];
static PGconn *connection;

static void put(const char *text) {
  size_t more = strlen(text);
  if (length + more + 1 < sizeof said) {
    memcpy(said + length, text, more + 1);
    length += more;
  }
}

static void put_string_of(const unsigned char *bytes, size_t count) {
  char one[8];
  put("\"");
  for (size_t at = 0; at < count; at++) {
    unsigned char byte = bytes[at];
    if (byte == '"' || byte == '\\' || byte < 32 || byte == 127)
      snprintf(one, sizeof one, "\\u%04x", byte);
    else
      snprintf(one, sizeof one, "%c", byte);
    put(one);
  }
  put("\"");
}

static void put_string(const char *text) {
  if (text)
    put_string_of((const unsigned char *)text, strlen(text));
  else
    put("null");
}

static void put_number(long number) {
  char text[32];
  snprintf(text, sizeof text, "%ld", number);
  put(text);
}

static void put_hex(const char *bytes, int count) {
  char one[4];
  put("\"");
  for (int at = 0; at < count; at++) {
    snprintf(one, sizeof one, "%02x", (unsigned char)bytes[at]);
    put(one);
  }
  put("\"");
}

static void separate(void) {
  if (length && said[length - 1] != '[' && said[length - 1] != '{' && said[length - 1] != ':')
    put(",");
}

static void first_line(const char *text) {
  snprintf(failed_with, sizeof failed_with, "%s", text ? text : "");
  char *end = strchr(failed_with, '\n');
  if (end)
    *end = 0;
}

static void fail_of(const PGresult *result) {
  if (failed[0])
    return;
  const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  snprintf(failed, sizeof failed, "%s", code ? code : "error");
  const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  first_line(message ? message : PQresultErrorMessage(result));
}

/* All of a result: status, tag, columns with what is told of them, rows, text or binary. */
static void put_result(PGresult *result) {
  separate();
  put("[");
  put_string(PQresStatus(PQresultStatus(result)));
  put(",");
  put_string(PQcmdStatus(result));
  put(",[");
  for (int column = 0; column < PQnfields(result); column++) {
    separate();
    put("[");
    put_string(PQfname(result, column));
    for (int what = 0; what < 5; what++) {
      long values[] = {PQftype(result, column), PQfmod(result, column), PQfsize(result, column), PQfformat(result, column),
                       PQftablecol(result, column)};
      put(",");
      put_number(values[what]);
    }
    put("]");
  }
  put("],[");
  for (int row = 0; row < PQntuples(result); row++) {
    separate();
    put("[");
    for (int column = 0; column < PQnfields(result); column++) {
      separate();
      if (PQgetisnull(result, row, column))
        put("null");
      else if (PQfformat(result, column))
        put_hex(PQgetvalue(result, row, column), PQgetlength(result, row, column));
      else
        put_string(PQgetvalue(result, row, column));
    }
    put("]");
  }
  put("]]");
  ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE)
    fail_of(result);
  PQclear(result);
}

/* What failed inside of a step that goes on: its code instead of the failure of the step. */
static void forgive(void) {
  separate();
  put_string(failed);
  failed[0] = 0;
}

static void query(const char *text) { put_result(PQexec(connection, text)); }

static void drain(void) {
  PGresult *result;
  while ((result = PQgetResult(connection)))
    put_result(result);
}

static void reconnect(void) {
  PQfinish(connection);
  connection = PQconnectdb("");
  if (PQstatus(connection) != CONNECTION_OK) {
    fprintf(stderr, "%s", PQerrorMessage(connection));
    exit(1);
  }
}

static int is_direct(void) { return strcmp(getenv("MATRIX_WAY"), "direct") == 0; }

static void step(const char *name, void (*work)(void), int is_write) {
  if (is_write && is_direct())
    return;
  length = 0;
  said[0] = 0;
  failed[0] = 0;
  put("[");
  work();
  put("]");
  printf("{\"step\":\"%s\"%s,", name, is_write ? ",\"write\":true" : "");
  if (failed[0]) {
    char message[sizeof failed_with];
    strcpy(message, failed_with);
    length = 0;
    put_string(message);
    printf("\"error\":\"%s\",\"message\":%s}\n", failed, said);
    reconnect();
  } else {
    printf("\"value\":%s}\n", said);
  }
  fflush(stdout);
}

static void on_connect(void) {
  const char *names[] = {"server_version", "server_encoding", "client_encoding", "is_superuser", "session_authorization", "DateStyle",
                         "IntervalStyle", "TimeZone", "integer_datetimes", "standard_conforming_strings", "application_name"};
  for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
    separate();
    put_string(PQparameterStatus(connection, names[at]));
  }
  put(",");
  put_number(PQprotocolVersion(connection));
  put(",");
  put_number(PQserverVersion(connection));
  put(",");
  put_number(PQconnectionUsedPassword(connection));
}

static void simple(void) {
  query("SELECT 1 AS one, 'two', NULL, true, ARRAY[1, NULL], name FROM item WHERE id = 1");
  query("");
  query("SHOW TimeZone");
  query("SELECT");
}

static void every_type(void) { query("SELECT * FROM every_type"); }

static void every_type_in_binary(void) {
  put_result(PQexecParams(connection,
                          "SELECT a_bool, a_int2, a_int4, a_int8, a_float4, a_float8, a_numeric, a_money, a_text, a_char, a_bytea, a_date, a_time,"
                          " a_timetz, a_timestamptz, an_interval, a_uuid, a_jsonb, a_bit, an_inet, a_macaddr, a_point, a_polygon, a_tsvector,"
                          " an_int4range, a_multirange, an_enum, a_domain, an_array, a_pg_lsn FROM every_type",
                          0, NULL, NULL, NULL, NULL, 1));
}

static void parameters(void) {
  const char *text[] = {"41", "it's", NULL, "{1,NULL}", "2024-02-29"};
  put_result(PQexecParams(connection, "SELECT $1::int + 1, $2::text, $3::int, $4::int[], $5::date", 5, NULL, text, NULL, NULL, 0));
  uint32_t number = htonl(41);
  const char *binary[] = {(const char *)&number, "raw\0bytes"};
  int lengths[] = {4, 9}, formats[] = {1, 1};
  Oid types[] = {23, 17};
  for (int format = 0; format < 2; format++)
    put_result(PQexecParams(connection, "SELECT $1 + 1, $2", 2, types, binary, lengths, formats, format));
}

static void prepared(void) {
  put_result(PQprepare(connection, "twice", "SELECT $1::int * 2 AS twice, $2::text", 2, NULL));
  PGresult *described = PQdescribePrepared(connection, "twice");
  for (int at = 0; at < PQnparams(described); at++) {
    separate();
    put_number(PQparamtype(described, at));
  }
  put_result(described);
  for (int turn = 0; turn < 7; turn++) {
    const char *values[] = {turn % 2 ? "1" : "21", "x"};
    put_result(PQexecPrepared(connection, "twice", 2, values, NULL, NULL, turn % 2));
  }
  query("DEALLOCATE twice");
}

static void housekeeping_around_a_read(void) { query("BEGIN; SET LOCAL search_path = shop; SELECT count(*) FROM customer; COMMIT"); }

static void several_statements(void) {
  if (!PQsendQuery(connection, "SELECT 1; SELECT 2, 'two'; SELECT id FROM item WHERE id < 3 ORDER BY id"))
    first_line(PQerrorMessage(connection));
  drain();
}

static void rows_one_by_one(void) {
  PGresult *result;
  long sum = 0, rows = 0;
  PQsendQueryParams(connection, "SELECT id FROM shop.reading", 0, NULL, NULL, NULL, NULL, 0);
  PQsetSingleRowMode(connection);
  while ((result = PQgetResult(connection))) {
    if (PQresultStatus(result) == PGRES_SINGLE_TUPLE) {
      sum += atol(PQgetvalue(result, 0, 0));
      rows++;
      PQclear(result);
    } else {
      put_result(result);
    }
  }
  separate();
  put_number(rows);
  put(",");
  put_number(sum);
}

static void pipeline(void) {
  PGresult *result;
  char number[16];
  const char *values[] = {number};
  PQenterPipelineMode(connection);
  for (int at = 0; at < 40; at++) {
    snprintf(number, sizeof number, "%d", at);
    PQsendQueryParams(connection, at == 20 ? "SELECT 1 / ($1::int - 20)" : "SELECT $1::int", 1, NULL, values, NULL, NULL, 0);
    if (at % 10 == 9)
      PQpipelineSync(connection);
  }
  for (int syncs = 0; syncs < 4;) {
    result = PQgetResult(connection);
    if (!result)
      continue;
    if (PQresultStatus(result) == PGRES_PIPELINE_SYNC)
      syncs++;
    put_result(result);
    if (failed[0])
      forgive();
  }
  PQexitPipelineMode(connection);
  query("SELECT 'usable'");
}

static void pipeline_with_flush(void) {
  PQenterPipelineMode(connection);
  PQsendPrepare(connection, "named", "SELECT $1::text", 1, NULL);
  PQsendDescribePrepared(connection, "named");
  const char *values[] = {"x"};
  PQsendQueryPrepared(connection, "named", 1, values, NULL, NULL, 0);
  PQsendFlushRequest(connection);
  PQflush(connection);
  for (int at = 0; at < 3; at++)
    drain();
  PQpipelineSync(connection);
  put_result(PQgetResult(connection));
  PQexitPipelineMode(connection);
}

static void copy_of(const char *text) {
  char *row;
  int count;
  long bytes = 0, rows = 0;
  PGresult *result = PQexec(connection, text);
  int formats = PQnfields(result) ? PQfformat(result, 0) : -1;
  put_result(result);
  separate();
  put_number(formats);
  while ((count = PQgetCopyData(connection, &row, 0)) > 0) {
    if (rows++ < 3) {
      put(",");
      put_hex(row, count);
    }
    bytes += count;
    PQfreemem(row);
  }
  put(",");
  put_number(rows);
  put(",");
  put_number(bytes);
  drain();
}

static void copies(void) {
  copy_of("COPY (SELECT id, name FROM item WHERE id < 4 ORDER BY id) TO STDOUT");
  copy_of("COPY shop.reading TO STDOUT (FORMAT binary)");
  copy_of("COPY shop.customer (id, tags) TO STDOUT (FORMAT csv, HEADER)");
}

static void cursors(void) {
  query("BEGIN");
  query("DECLARE c SCROLL CURSOR FOR SELECT id FROM shop.reading ORDER BY id");
  query("FETCH 3 FROM c");
  query("FETCH LAST FROM c");
  query("FETCH BACKWARD 2 FROM c");
  query("MOVE ABSOLUTE 10 IN c");
  put_result(PQexecParams(connection, "FETCH NEXT FROM c", 0, NULL, NULL, NULL, NULL, 1));
  put_result(PQdescribePortal(connection, "c"));
  query("CLOSE c");
  query("COMMIT");
}

static void transactions(void) {
  const char *texts[] = {"BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE", "SHOW transaction_isolation", "SAVEPOINT a", "SELECT 1/0",
                         "SELECT 1", "ROLLBACK TO a", "SELECT 'back'", "RELEASE a", "COMMIT AND CHAIN", "ROLLBACK",
                         "START TRANSACTION READ WRITE", "SELECT 1", "END"};
  for (size_t at = 0; at < sizeof texts / sizeof *texts; at++) {
    query(texts[at]);
    if (failed[0])
      forgive();
    put(",");
    put_number(PQtransactionStatus(connection));
  }
}

static void cancel(void) {
  char why[256] = "";
  PGcancel *handle = PQgetCancel(connection);
  PQsendQuery(connection, "SELECT count(*) FROM generate_series(1, 10000000000)");
  usleep(300000);
  put_number(PQcancel(handle, why, sizeof why));
  PQfreeCancel(handle);
  PGresult *result = PQgetResult(connection);
  put(",");
  put_string(PQresultErrorField(result, PG_DIAG_SQLSTATE));
  PQclear(result);
  while ((result = PQgetResult(connection)))
    PQclear(result);
  query("SELECT 'usable'");
}

static void backend_pid(void) {
  PGresult *result = PQexec(connection, "SELECT pg_backend_pid()");
  put(atoi(PQgetvalue(result, 0, 0)) == PQbackendPID(connection) ? "true" : "false");
  PQclear(result);
}

static void heard(void *place, const PGresult *notice) {
  (void)place;
  separate();
  put_string(PQresultErrorField(notice, PG_DIAG_SEVERITY));
  put(",");
  put_string(PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY));
}

static void notices(void) {
  PQnoticeReceiver before = PQsetNoticeReceiver(connection, heard, NULL);
  query("SELECT 'notice' ~~~> 'hello', 'warning' ~~~> 'careful'");
  PQsetNoticeReceiver(connection, before, NULL);
}

static void settings(void) {
  const char *texts[] = {"SET application_name = 'matrix'", "SET TIME ZONE 'Asia/Tokyo'", "SET search_path = shop, public",
                         "SHOW search_path", "SELECT set_config('extra_float_digits', '0', false)", "RESET ALL", "SHOW search_path",
                         "DISCARD ALL", "SHOW TimeZone", "UNLISTEN *"};
  for (size_t at = 0; at < sizeof texts / sizeof *texts; at++)
    query(texts[at]);
  separate();
  put_number(PQsetClientEncoding(connection, "UTF8"));
}

static void connect_slowly(void) {
  PGconn *other = PQconnectStart("application_name=given options='-c search_path=shop -c statement_timeout=20s'");
  PostgresPollingStatusType state = PGRES_POLLING_WRITING;
  while (state != PGRES_POLLING_OK && state != PGRES_POLLING_FAILED) {
    struct pollfd one = {PQsocket(other), state == PGRES_POLLING_READING ? POLLIN : POLLOUT, 0};
    poll(&one, 1, 10000);
    state = PQconnectPoll(other);
  }
  PGresult *result = PQexec(other, "SELECT current_setting('application_name'), current_setting('search_path'), current_setting('statement_timeout')");
  put_result(result);
  PQfinish(other);
}

static void nonblocking(void) {
  PQsetnonblocking(connection, 1);
  char *text = malloc(600000);
  strcpy(text, "SELECT length('");
  memset(text + strlen(text), 'x', 500000);
  strcpy(text + 15 + 500000, "')");
  PQsendQuery(connection, text);
  while (PQflush(connection) == 1) {
    struct pollfd one = {PQsocket(connection), POLLIN | POLLOUT, 0};
    poll(&one, 1, 10000);
    PQconsumeInput(connection);
  }
  PQsetnonblocking(connection, 0);
  drain();
  free(text);
}

static void reset(void) {
  PQreset(connection);
  query("SELECT 'anew'");
}

static void ping(void) { put_number(PQping("")); }

static void quoting(void) {
  char *literal = PQescapeLiteral(connection, "it's \\", 6), *name = PQescapeIdentifier(connection, "Mixed \"Name\"", 12);
  put_string(literal);
  put(",");
  put_string(name);
  PQfreemem(literal);
  PQfreemem(name);
}

/* An error with its fields that do not depend on where it was raised. */
static void fields_of(const char *text) {
  PGresult *result = PQexec(connection, text);
  int fields[] = {PG_DIAG_SEVERITY, PG_DIAG_SEVERITY_NONLOCALIZED, PG_DIAG_SQLSTATE, PG_DIAG_MESSAGE_PRIMARY, PG_DIAG_STATEMENT_POSITION,
                  PG_DIAG_COLUMN_NAME, PG_DIAG_TABLE_NAME, PG_DIAG_CONSTRAINT_NAME};
  for (size_t at = 0; at < sizeof fields / sizeof *fields; at++) {
    separate();
    put_string(PQresultErrorField(result, fields[at]));
  }
  PQclear(result);
}

static void errors(void) {
  fields_of("SELECT no_such_column_at_all FROM item");
  fields_of("SELECT * FROM no_such_table_at_all");
  fields_of("SELECT no_such_function_at_all(1)");
  fields_of("WHERE BY GROUP");
  fields_of("SELECT 1/0");
  fields_of("SELECT * FROM secret_table");
  fields_of("SELECT 'P0042' !!!> 'told'");
  fields_of("EXECUTE no_such_statement");
  fields_of("FETCH 1 FROM no_such_cursor");
}

static void write_insert(void) { query("INSERT INTO item (id, name) VALUES (0, 'x')"); }
static void write_prepared(void) {
  put_result(PQprepare(connection, "", "DELETE FROM item WHERE id = $1", 1, NULL));
  const char *values[] = {"1"};
  put_result(PQexecPrepared(connection, "", 1, values, NULL, NULL, 0));
}
static void write_behind_a_read(void) { query("SELECT 1; DELETE FROM item"); }
static void write_copy_in(void) {
  PGresult *result = PQexec(connection, "COPY item FROM STDIN");
  if (PQresultStatus(result) == PGRES_COPY_IN)
    PQputCopyEnd(connection, NULL);
  put_result(result);
}
static void write_fast_path(void) {
  int answer, count;
  PQArgBlock arguments[] = {{4, 1, {.integer = 1}}};
  put_result(PQfn(connection, 2880, &answer, &count, 1, arguments, 1));
}
static void write_large_object(void) {
  if (lo_creat(connection, 0x20000) == 0) {
    strcpy(failed, "lo");
    first_line(PQerrorMessage(connection));
  }
}
static void write_nextval(void) { query("SELECT nextval('shop.invoice_number')"); }
static void write_in_a_pipeline(void) {
  PQenterPipelineMode(connection);
  PQsendQueryParams(connection, "SELECT 1", 0, NULL, NULL, NULL, NULL, 0);
  PQsendQueryParams(connection, "DELETE FROM item", 0, NULL, NULL, NULL, NULL, 0);
  PQpipelineSync(connection);
  for (int nulls = 0; nulls < 3;) {
    PGresult *result = PQgetResult(connection);
    if (!result) {
      nulls++;
      continue;
    }
    int is_sync = PQresultStatus(result) == PGRES_PIPELINE_SYNC;
    put_result(result);
    if (is_sync)
      break;
  }
}
static void usable_at_the_end(void) { query("SELECT count(*) FROM item"); }

#ifdef LIBPQ_HAS_CHUNK_MODE
static void rows_in_chunks(void) {
  PGresult *result;
  long chunks = 0, rows = 0;
  PQsendQueryParams(connection, "SELECT id FROM shop.reading", 0, NULL, NULL, NULL, NULL, 0);
  PQsetChunkedRowsMode(connection, 500);
  while ((result = PQgetResult(connection))) {
    chunks++;
    rows += PQntuples(result);
    PQclear(result);
  }
  put_number(chunks);
  put(",");
  put_number(rows);
}
#endif

int main(void) {
  int version = PQlibVersion();
  printf("{\"client\":\"libpq\",\"version\":\"%d.%d\"}\n", version / 10000, version % 10000);
  reconnect();
  step("on connect", on_connect, 0);
  step("simple", simple, 0);
  step("every type", every_type, 0);
  step("every type in binary", every_type_in_binary, 0);
  step("parameters", parameters, 0);
  step("prepared", prepared, 0);
  step("housekeeping around a read", housekeeping_around_a_read, 0);
  step("several statements", several_statements, 0);
  step("rows one by one", rows_one_by_one, 0);
#ifdef LIBPQ_HAS_CHUNK_MODE
  step("rows in chunks", rows_in_chunks, 0);
#endif
  step("pipeline", pipeline, 0);
  step("pipeline with flush", pipeline_with_flush, 0);
  step("copies", copies, 0);
  step("cursors", cursors, 0);
  step("transactions", transactions, 0);
  step("cancel", cancel, 0);
  step("backend pid", backend_pid, 0);
  step("notices", notices, 0);
  step("settings", settings, 0);
  step("connect slowly", connect_slowly, 0);
  step("nonblocking", nonblocking, 0);
  step("reset", reset, 0);
  step("ping", ping, 0);
  step("quoting", quoting, 0);
  step("error fields", errors, 0);
  step("write: insert", write_insert, 1);
  step("write: prepared", write_prepared, 1);
  step("write: behind a read", write_behind_a_read, 1);
  step("write: copy in", write_copy_in, 1);
  step("write: fast path", write_fast_path, 1);
  step("write: large object", write_large_object, 1);
  step("write: nextval", write_nextval, 1);
  step("write: in a pipeline", write_in_a_pipeline, 1);
  step("usable at the end", usable_at_the_end, 0);
  PQfinish(connection);
  return 0;
}
