// PgJDBC in its query modes, with all of DatabaseMetaData. Run as `java -cp postgresql.jar JdbcMatrix.java`.

import java.io.ByteArrayOutputStream;
import java.io.StringReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Types;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.UUID;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGConnectionPoolDataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.util.PGobject;

public class JdbcMatrix {
  static final boolean DIRECT = "direct".equals(System.getenv("MATRIX_WAY"));
  static final String[] MODES = {"simple", "extended", "extendedForPrepared", "extendedCacheEverything"};
  static Path programs = Path.of(System.getProperty("programs", "."));

  public static void main(String[] arguments) throws Exception {
    try (Connection connection = open()) {
      DatabaseMetaData told = connection.getMetaData();
      System.out.println(json(Map.of("client", "PgJDBC", "version", told.getDriverVersion())));
    }
    for (String mode : MODES) {
      queries(mode);
      if (!mode.equals("simple")) {
        described(mode);
      }
      streams(mode);
      transactions(mode);
      errors(mode);
    }
    writes();
    cursors();
    sessions();
    cancels();
    metadata();
  }

  // --- steps

  interface Run<T> {
    Object on(T given) throws Exception;
  }

  static void step(String name, Run<Connection> run, String... settings) {
    say(name, false, run, settings);
  }

  static void write(String name, Run<Connection> run, String... settings) {
    if (!DIRECT) {
      say(name, true, run, settings);
    }
  }

  static void say(String name, boolean write, Run<Connection> run, String... settings) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("step", name);
    if (write) {
      line.put("write", true);
    }
    try (Connection connection = open(settings)) {
      line.put("value", run.on(connection));
    } catch (Exception error) {
      line.putAll(failure(error));
    }
    System.out.println(json(line));
  }

  static Map<String, Object> failure(Throwable error) {
    if (error instanceof SQLException) {
      SQLException told = (SQLException) error;
      while (told.getNextException() != null) {
        told = told.getNextException();
      }
      return Map.of("error", String.valueOf(told.getSQLState()), "message", firstLine(told.getMessage()));
    }
    return Map.of("error", error.getClass().getSimpleName(), "message", firstLine(String.valueOf(error.getMessage())));
  }

  static String firstLine(String text) {
    return text == null ? "" : text.split("\n")[0];
  }

  static Object fails(Attempt attempt) throws Exception {
    try {
      attempt.run();
    } catch (SQLException error) {
      return failure(error);
    }
    throw new IllegalStateException("this should have failed");
  }

  interface Attempt {
    void run() throws Exception;
  }

  static Connection open(String... settings) throws SQLException {
    var env = System.getenv();
    Properties given = new Properties();
    given.setProperty("user", env.get("PGUSER"));
    given.setProperty("password", env.get("PGPASSWORD"));
    given.setProperty("sslmode", "disable");
    for (String setting : settings) {
      String[] parts = setting.split("=", 2);
      given.setProperty(parts[0], parts[1]);
    }
    return DriverManager.getConnection(
        "jdbc:postgresql://" + env.get("PGHOST") + ":" + env.get("PGPORT") + "/" + env.get("PGDATABASE"), given);
  }

  static List<String[]> statements(String kind) throws Exception {
    List<String[]> found = new ArrayList<>();
    for (String line : Files.readAllLines(programs.resolve("statements.tsv"))) {
      String[] parts = line.split("\t");
      if (parts[0].equals(kind)) {
        found.add(new String[] {parts[1], parts[2]});
      }
    }
    return found;
  }

  // --- values

  static Object rows(ResultSet set) throws SQLException {
    List<Object> found = new ArrayList<>();
    int width = set.getMetaData().getColumnCount();
    while (set.next()) {
      List<Object> row = new ArrayList<>();
      for (int column = 1; column <= width; column++) {
        row.add(set.getString(column));
      }
      found.add(row);
    }
    set.close();
    return found;
  }

  static Object objects(ResultSet set) throws SQLException {
    List<Object> found = new ArrayList<>();
    int width = set.getMetaData().getColumnCount();
    while (set.next()) {
      List<Object> row = new ArrayList<>();
      for (int column = 1; column <= width; column++) {
        Object value = set.getObject(column);
        row.add(value == null ? null : value.getClass().getSimpleName() + " " + shown(value));
      }
      found.add(row);
    }
    return found;
  }

  static String shown(Object value) throws SQLException {
    if (value instanceof byte[]) {
      return Arrays.toString((byte[]) value);
    }
    if (value instanceof Array) {
      return Arrays.deepToString(new Object[] {((Array) value).getArray()});
    }
    return value.toString();
  }

  static Object ask(Connection connection, String text) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return rows(statement.executeQuery(text));
    }
  }

  static String json(Object value) {
    if (value == null || value instanceof Boolean || value instanceof Integer || value instanceof Long
        || value instanceof Short) {
      return String.valueOf(value);
    }
    if (value instanceof Map) {
      List<String> parts = new ArrayList<>();
      ((Map<?, ?>) value).forEach((key, each) -> parts.add(json(String.valueOf(key)) + ": " + json(each)));
      return "{" + String.join(", ", parts) + "}";
    }
    if (value instanceof List) {
      List<String> parts = new ArrayList<>();
      ((List<?>) value).forEach(each -> parts.add(json(each)));
      return "[" + String.join(", ", parts) + "]";
    }
    StringBuilder text = new StringBuilder("\"");
    for (char letter : value.toString().toCharArray()) {
      if (letter == '"' || letter == '\\') {
        text.append('\\').append(letter);
      } else if (letter < 32 || letter > 126) {
        text.append(String.format("\\u%04x", (int) letter));
      } else {
        text.append(letter);
      }
    }
    return text.append('"').toString();
  }

  // --- what is asked

  static final String EVERY_TYPE =
      "SELECT a_bool, a_int2, a_int4, a_int8, a_float4, a_float8, a_numeric, a_text, a_varchar, a_char, a_name, a_char1,"
          + " a_bytea, a_time, an_interval, a_uuid, a_json, a_jsonb, a_bit, an_inet, a_point, a_line, a_box, a_path,"
          + " a_circle, an_int4range, an_enum, a_pair, a_domain, an_array, a_matrix, a_pairs, an_oid, a_regclass"
          + " FROM every_type";

  static void queries(String mode) {
    String setting = "preferQueryMode=" + mode;
    step("rows, " + mode, c -> ask(c, "SELECT * FROM item ORDER BY id LIMIT 12"), setting);
    step("every type as text, " + mode, c -> ask(c, "SELECT * FROM every_type"), setting);
    step("every type as objects, " + mode, c -> {
      try (PreparedStatement statement = c.prepareStatement(EVERY_TYPE)) {
        Object answer = null;
        // From the fifth time on it is prepared by name, and numbers come in binary.
        for (int turn = 0; turn < 7; turn++) {
          answer = objects(statement.executeQuery());
        }
        return answer;
      }
    }, setting);
    step("every type in binary, " + mode, c -> {
      try (PreparedStatement statement = c.prepareStatement(EVERY_TYPE)) {
        return objects(statement.executeQuery());
      }
    }, setting, "prepareThreshold=-1");
    step("parameters, " + mode, c -> parameters(c), setting);
    step("parameters of no type, " + mode, c -> {
      try (PreparedStatement statement = c.prepareStatement("SELECT id FROM item WHERE id = ? AND state = ?")) {
        statement.setString(1, "2");
        statement.setString(2, "happy");
        return rows(statement.executeQuery());
      }
    }, setting, "stringtype=unspecified");
    step("several statements, " + mode, c -> {
      List<Object> answers = new ArrayList<>();
      try (Statement statement = c.createStatement()) {
        boolean found = statement.execute("SET TIME ZONE 'UTC'; SELECT id FROM item WHERE id < 3; RESET TIME ZONE");
        while (found || statement.getUpdateCount() != -1) {
          answers.add(found ? rows(statement.getResultSet()) : statement.getUpdateCount());
          found = statement.getMoreResults();
        }
      }
      return answers;
    }, setting);
    step("a batch of reads, " + mode, c -> {
      try (PreparedStatement statement = c.prepareStatement("SELECT id FROM item WHERE id = ?")) {
        for (int id = 1; id < 4; id++) {
          statement.setInt(1, id);
          statement.addBatch();
        }
        return Arrays.toString(statement.executeBatch());
      }
    }, setting);
    step("many times, " + mode, c -> {
      List<Object> answers = new ArrayList<>();
      for (int turn = 0; turn < 30; turn++) {
        try (PreparedStatement statement = c.prepareStatement("SELECT name FROM item WHERE id = ?")) {
          statement.setInt(1, turn + 1);
          answers.add(rows(statement.executeQuery()));
        }
      }
      return answers;
    }, setting, "preparedStatementCacheQueries=0");
  }

  // What the driver cannot do in the simple protocol, where nothing is described.
  static void described(String mode) {
    String setting = "preferQueryMode=" + mode;
    step("columns of a result, " + mode, c -> columns(c), setting);
    step("calls, " + mode, c -> {
      try (CallableStatement call = c.prepareCall("{? = call shop.with_tax(?, ?)}")) {
        call.registerOutParameter(1, Types.NUMERIC);
        call.setBigDecimal(2, new BigDecimal("10"));
        call.setBigDecimal(3, new BigDecimal("0.5"));
        call.execute();
        return List.of(call.getBigDecimal(1).toString(), ask(c, "SELECT {fn upper('x')}, {fn curdate()} > {d '2020-01-01'}"));
      }
    }, setting);
  }

  static Object parameters(Connection c) throws SQLException {
    String text = "SELECT ?::int, ?::bigint, ?::text, ?::bool, ?::float8, ?::numeric, ?::date, ?::timestamptz, ?::uuid,"
        + " ?::jsonb, ?::mood, ?::int[], ?::text[], ?::text";
    try (PreparedStatement statement = c.prepareStatement(text)) {
      statement.setInt(1, 7);
      statement.setLong(2, Long.MAX_VALUE);
      statement.setString(3, "it's \\ ünïcode 🙂");
      statement.setBoolean(4, true);
      statement.setDouble(5, 1.5e-7);
      statement.setBigDecimal(6, new BigDecimal("1234.5600"));
      statement.setObject(7, LocalDate.of(2024, 2, 29));
      statement.setObject(8, OffsetDateTime.parse("2024-02-29T12:00:00Z"));
      statement.setObject(9, UUID.fromString("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"));
      statement.setObject(10, typed("jsonb", "{\"a\": [1, null]}"));
      statement.setObject(11, typed("mood", "happy"));
      statement.setArray(12, c.createArrayOf("int4", new Object[] {1, null, 3}));
      statement.setArray(13, c.createArrayOf("text", new Object[] {"a", "b,\"c\"", null}));
      statement.setNull(14, Types.VARCHAR);
      return objects(statement.executeQuery());
    }
  }

  static PGobject typed(String type, String value) throws SQLException {
    PGobject object = new PGobject();
    object.setType(type);
    object.setValue(value);
    return object;
  }

  static Object columns(Connection c) throws SQLException {
    List<Object> found = new ArrayList<>();
    try (PreparedStatement statement = c.prepareStatement("SELECT i.*, c.*, k.\"Key\", 1 AS one FROM item i, shop.customer c,"
        + " \"Mixed Case\" k WHERE i.id = ? AND c.id = i.id")) {
      ResultSetMetaData told = statement.getMetaData();
      for (int column = 1; column <= told.getColumnCount(); column++) {
        found.add(List.of(told.getColumnLabel(column), told.getColumnTypeName(column), told.getTableName(column),
            told.getSchemaName(column), told.isNullable(column), told.isAutoIncrement(column), told.getPrecision(column),
            told.getScale(column), told.getColumnClassName(column), told.getColumnDisplaySize(column)));
      }
      found.add(statement.getParameterMetaData().getParameterTypeName(1));
    }
    return found;
  }

  static void streams(String mode) {
    String setting = "preferQueryMode=" + mode;
    step("fetch size, " + mode, c -> {
      c.setAutoCommit(false);
      try (PreparedStatement statement = c.prepareStatement("SELECT id, note FROM shop.reading ORDER BY id")) {
        statement.setFetchSize(777);
        long sum = 0;
        ResultSet set = statement.executeQuery();
        while (set.next()) {
          sum += set.getInt(1) + set.getString(2).length();
        }
        c.commit();
        return sum;
      }
    }, setting);
    step("default fetch size, left early, " + mode, c -> {
      c.setAutoCommit(false);
      List<Object> seen = new ArrayList<>();
      try (Statement statement = c.createStatement()) {
        ResultSet set = statement.executeQuery("SELECT id FROM shop.reading ORDER BY id");
        while (set.next() && seen.size() < 75) {
          seen.add(set.getInt(1));
        }
      }
      Object after = ask(c, "SELECT 'usable'");
      c.rollback();
      return List.of(seen, after);
    }, setting, "defaultRowFetchSize=50");
    step("fetch size that adapts, " + mode, c -> {
      c.setAutoCommit(false);
      long sum = 0;
      try (Statement statement = c.createStatement()) {
        ResultSet set = statement.executeQuery("SELECT id FROM shop.reading");
        while (set.next()) {
          sum += set.getInt(1);
        }
      }
      return sum;
    }, setting, "adaptiveFetch=true", "defaultRowFetchSize=10", "maxResultBuffer=1M");
    step("most rows, " + mode, c -> {
      try (Statement statement = c.createStatement()) {
        statement.setMaxRows(3);
        return rows(statement.executeQuery("SELECT id FROM item ORDER BY id"));
      }
    }, setting);
    step("scrolled, " + mode, c -> {
      try (Statement statement = c.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)) {
        ResultSet set = statement.executeQuery("SELECT id FROM item ORDER BY id");
        set.last();
        int last = set.getInt(1);
        set.absolute(10);
        return List.of(last, set.getInt(1), set.previous(), set.getInt(1));
      }
    }, setting);
    for (String text : new String[] {"COPY (SELECT id, name, tags FROM item ORDER BY id) TO STDOUT",
        "COPY part (item_id, line) TO STDOUT", "COPY item TO STDOUT (FORMAT csv, HEADER)",
        "COPY (SELECT * FROM part ORDER BY 1, 2) TO STDOUT (FORMAT binary)"}) {
      step(text + ", " + mode, c -> {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        long count = c.unwrap(PGConnection.class).getCopyAPI().copyOut(text, out);
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(out.toByteArray());
        return List.of(count, out.size(), Arrays.toString(hash), ask(c, "SELECT 'usable'"));
      }, setting);
    }
  }

  static final int[] LEVELS = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ,
      Connection.TRANSACTION_SERIALIZABLE};

  static void transactions(String mode) {
    String setting = "preferQueryMode=" + mode;
    for (String readOnlyMode : new String[] {"ignore", "transaction", "always"}) {
      for (boolean readOnly : new boolean[] {true, false}) {
        step("transactions: " + readOnlyMode + ", " + (readOnly ? "read only" : "read write") + ", " + mode, c -> {
          List<Object> answers = new ArrayList<>();
          c.setReadOnly(readOnly);
          for (int level : LEVELS) {
            c.setTransactionIsolation(level);
            c.setAutoCommit(false);
            answers.add(ask(c, "SHOW transaction_isolation"));
            Savepoint savepoint = c.setSavepoint("a savepoint");
            answers.add(fails(() -> ask(c, "SELECT 1/0")));
            c.rollback(savepoint);
            c.releaseSavepoint(savepoint);
            answers.add(ask(c, "SELECT count(*) FROM item"));
            c.commit();
            c.setAutoCommit(true);
          }
          c.setReadOnly(!readOnly);
          answers.add(ask(c, "SELECT 1"));
          c.setReadOnly(readOnly);
          answers.add(c.getTransactionIsolation());
          return answers;
        }, setting, "readOnlyMode=" + readOnlyMode);
      }
    }
    step("read only from the URL, " + mode, c -> List.of(c.isReadOnly(), ask(c, "SELECT 1")), setting, "readOnly=true",
        "readOnlyMode=always");
    for (String autosave : new String[] {"never", "conservative", "always"}) {
      step("autosave: " + autosave + ", " + mode, c -> {
        c.setAutoCommit(false);
        List<Object> answers = new ArrayList<>();
        answers.add(ask(c, "SELECT count(*) FROM item"));
        answers.add(fails(() -> ask(c, "SELECT no_such_column FROM item")));
        try {
          answers.add(ask(c, "SELECT 'after'"));
        } catch (SQLException error) {
          answers.add(failure(error));
        }
        c.rollback();
        try (PreparedStatement statement = c.prepareStatement("SELECT name FROM item WHERE id = ?")) {
          for (int turn = 1; turn < 8; turn++) {
            statement.setInt(1, turn);
            answers.add(rows(statement.executeQuery()));
          }
        }
        c.commit();
        return answers;
      }, setting, "autosave=" + autosave, "cleanupSavepoints=true");
    }
  }

  static void errors(String mode) throws Exception {
    for (String[] each : statements("error")) {
      step("error: " + each[0] + ", " + mode, c -> ask(c, each[1]), "preferQueryMode=" + mode);
    }
    for (String[] each : statements("write")) {
      write(each[0] + ", " + mode, c -> c.createStatement().execute(each[1]), "preferQueryMode=" + mode);
    }
  }

  static void writes() throws Exception {
    for (String[] each : statements("write")) {
      write(each[0] + ", prepared", c -> c.prepareStatement(each[1]).execute(), "prepareThreshold=-1");
      write(each[0] + ", in a transaction", c -> {
        c.setReadOnly(false);
        c.setAutoCommit(false);
        c.createStatement().execute(each[1]);
        c.commit();
        return null;
      }, "readOnlyMode=always", "autosave=always");
    }
    write("batch", c -> {
      try (PreparedStatement statement = c.prepareStatement("INSERT INTO part VALUES (?, ?)")) {
        for (int line = 98; line < 100; line++) {
          statement.setInt(1, 1);
          statement.setInt(2, line);
          statement.addBatch();
        }
        return statement.executeBatch().length;
      }
    }, "reWriteBatchedInserts=true");
    write("generated keys", c -> c.createStatement().executeUpdate("INSERT INTO part VALUES (1, 99)",
        Statement.RETURN_GENERATED_KEYS));
    write("update of a row", c -> {
      Statement statement = c.createStatement(ResultSet.TYPE_SCROLL_SENSITIVE, ResultSet.CONCUR_UPDATABLE);
      ResultSet set = statement.executeQuery("SELECT id, name FROM item WHERE id = 1");
      set.next();
      set.updateString(2, "x");
      set.updateRow();
      return null;
    });
    write("delete of a row", c -> {
      Statement statement = c.createStatement(ResultSet.TYPE_SCROLL_SENSITIVE, ResultSet.CONCUR_UPDATABLE);
      ResultSet set = statement.executeQuery("SELECT item_id, line FROM part WHERE item_id = 1");
      set.next();
      set.deleteRow();
      return null;
    });
    write("copy in", c -> c.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY part FROM STDIN", new StringReader("1\t77\t1\n")));
    write("procedure", c -> c.prepareCall("call shop.close_day()").execute());
    write("create of a large object", c -> {
      c.setAutoCommit(false);
      return c.unwrap(PGConnection.class).getLargeObjectAPI().createLO();
    });
    write("prepare transaction", c -> {
      c.setAutoCommit(false);
      return c.createStatement().execute("PREPARE TRANSACTION 'left_behind'");
    });
    step("listen", c -> c.createStatement().execute("LISTEN left_behind"));
    write("replication", c -> ask(c, "IDENTIFY_SYSTEM"), "replication=database", "preferQueryMode=simple");
  }

  static void cursors() {
    step("held over a commit", c -> {
      c.setAutoCommit(false);
      try (Statement statement = c.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY,
          ResultSet.HOLD_CURSORS_OVER_COMMIT)) {
        statement.setFetchSize(10);
        ResultSet set = statement.executeQuery("SELECT id FROM item ORDER BY id");
        set.next();
        c.commit();
        int count = 1;
        while (set.next()) {
          count++;
        }
        return count;
      }
    });
    step("updatable rows that are read", c -> {
      try (Statement statement = c.createStatement(ResultSet.TYPE_SCROLL_SENSITIVE, ResultSet.CONCUR_UPDATABLE)) {
        ResultSet set = statement.executeQuery("SELECT id, name FROM item WHERE id < 4 ORDER BY id");
        set.next();
        set.refreshRow();
        return List.of(set.getString(2), set.getConcurrency());
      }
    });
    step("cursor in SQL", c -> {
      c.setAutoCommit(false);
      c.createStatement().execute("DECLARE mine SCROLL CURSOR FOR SELECT id FROM item ORDER BY id");
      List<Object> answers = new ArrayList<>();
      for (String text : new String[] {"FETCH 3 FROM mine", "MOVE 100 IN mine", "FETCH BACKWARD 2 FROM mine", "CLOSE mine"}) {
        Statement statement = c.createStatement();
        answers.add(statement.execute(text) ? rows(statement.getResultSet()) : statement.getUpdateCount());
      }
      c.commit();
      return answers;
    });
    step("two at once", c -> {
      c.setAutoCommit(false);
      long sum = 0;
      try (Statement one = c.createStatement(); Statement two = c.createStatement()) {
        one.setFetchSize(7);
        two.setFetchSize(11);
        ResultSet first = one.executeQuery("SELECT id FROM item ORDER BY id");
        ResultSet second = two.executeQuery("SELECT id FROM item ORDER BY id DESC");
        while (first.next() && second.next()) {
          sum += first.getLong(1) * second.getLong(1);
        }
      }
      return sum;
    });
  }

  static void sessions() {
    step("settings at connect", c -> {
      List<Object> answers = new ArrayList<>();
      for (String name : new String[] {"application_name", "search_path", "statement_timeout", "extra_float_digits", "DateStyle"}) {
        answers.add(ask(c, "SHOW " + name));
      }
      return answers;
    }, "ApplicationName=matrix", "currentSchema=shop,public", "options=-c statement_timeout=4s", "assumeMinServerVersion=9.0");
    step("client info", c -> {
      c.setClientInfo("ApplicationName", "it's renamed");
      return List.of(c.getClientInfo("ApplicationName"), ask(c, "SHOW application_name"));
    });
    step("schema", c -> {
      c.setSchema("shop");
      return List.of(c.getSchema(), ask(c, "SELECT count(*) FROM customer"), c.getCatalog());
    });
    step("is it valid", c -> List.of(c.isValid(5), c.isClosed()));
    step("reset", c -> {
      for (String text : new String[] {"SET search_path TO shop", "RESET ALL", "DEALLOCATE ALL", "DISCARD ALL", "CLOSE ALL", "UNLISTEN *"}) {
        c.createStatement().execute(text);
      }
      return ask(c, "SHOW search_path");
    });
    step("warnings", c -> {
      try (Statement statement = c.createStatement()) {
        statement.executeQuery("SELECT 'notice' ~~~> 'hello'");
        SQLWarning warning = statement.getWarnings();
        return List.of(warning.getSQLState(), warning.getMessage());
      }
    });
    step("types", c -> {
      try (PreparedStatement statement = c.prepareStatement("SELECT a_pair, an_int4range FROM every_type LIMIT 1")) {
        ResultSet set = statement.executeQuery();
        set.next();
        return List.of(((PGobject) set.getObject(1)).getType(), ((PGobject) set.getObject(2)).getType());
      }
    });
    step("data source", c -> {
      PGSimpleDataSource source = new PGSimpleDataSource();
      fill(source);
      try (Connection another = source.getConnection()) {
        return ask(another, "SELECT count(*) FROM item");
      }
    });
    step("pool data source", c -> {
      PGConnectionPoolDataSource source = new PGConnectionPoolDataSource();
      fill(source);
      var pooled = source.getPooledConnection();
      List<Object> answers = new ArrayList<>();
      for (int turn = 0; turn < 3; turn++) {
        try (Connection lent = pooled.getConnection()) {
          lent.setAutoCommit(false);
          answers.add(ask(lent, "SELECT count(*) FROM item"));
        }
      }
      pooled.close();
      return answers;
    });
    step("error: the database is not there", c -> {
      var env = System.getenv();
      return DriverManager.getConnection("jdbc:postgresql://" + env.get("PGHOST") + ":" + env.get("PGPORT") + "/no_such_database",
          env.get("PGUSER"), env.get("PGPASSWORD"));
    });
  }

  static void fill(org.postgresql.ds.common.BaseDataSource source) {
    var env = System.getenv();
    source.setServerNames(new String[] {env.get("PGHOST")});
    source.setPortNumbers(new int[] {Integer.parseInt(env.get("PGPORT"))});
    source.setDatabaseName(env.get("PGDATABASE"));
    source.setUser(env.get("PGUSER"));
    source.setPassword(env.get("PGPASSWORD"));
  }

  static final String SLOW = "SELECT count(*) FROM generate_series(1, 1000000000)";

  // A cancel that comes before its statement does is lost: so it is sent again.
  static Object cancelled(Statement statement, Attempt cancel) throws Exception {
    List<Exception> refused = new ArrayList<>();
    Thread other = new Thread(() -> {
      try {
        for (int turn = 0; turn < 20; turn++) {
          Thread.sleep(500);
          cancel.run();
        }
      } catch (InterruptedException done) {
        return;
      } catch (Exception error) {
        refused.add(error);
      }
    });
    statement.setQueryTimeout(12);
    other.start();
    Object failed = fails(() -> statement.executeQuery(SLOW));
    other.interrupt();
    other.join();
    if (!refused.isEmpty()) {
      throw refused.get(0);
    }
    return failed;
  }

  static void cancels() {
    step("cancel", c -> {
      try (Statement statement = c.createStatement()) {
        Object failed = cancelled(statement, statement::cancel);
        return List.of(failed, ask(c, "SELECT 'usable'"));
      }
    });
    step("query timeout", c -> {
      try (Statement statement = c.createStatement()) {
        statement.setQueryTimeout(1);
        return List.of(fails(() -> statement.executeQuery(SLOW)), ask(c, "SELECT 'usable'"));
      }
    });
    step("cancel by pid", c -> {
      int pid = c.unwrap(PGConnection.class).getBackendPID();
      try (Statement statement = c.createStatement(); Connection another = open();
          PreparedStatement cancel = another.prepareStatement("SELECT pg_cancel_backend(?)")) {
        cancel.setInt(1, pid);
        Object pids = ask(c, "SELECT pg_backend_pid() = " + pid);
        return List.of(pids, cancelled(statement, cancel::executeQuery), ask(c, "SELECT 'usable'"));
      }
    });
    step("network timeout", c -> {
      c.setNetworkTimeout(Runnable::run, 5000);
      return List.of(c.getNetworkTimeout(), ask(c, "SELECT 1"));
    });
  }

  // --- all of DatabaseMetaData

  static void metadata() throws Exception {
    Method[] methods = DatabaseMetaData.class.getMethods();
    Arrays.sort(methods, Comparator.comparing(Method::toString));
    Map<String, Object> plain = new TreeMap<>();
    try (Connection connection = open()) {
      DatabaseMetaData told = connection.getMetaData();
      for (Method method : methods) {
        if (method.getParameterCount() == 0 && method.getReturnType() != ResultSet.class
            && !List.of("getURL", "getConnection").contains(method.getName())) {
          plain.put(method.getName(), call(method, told));
        }
      }
    }
    step("metadata: plain answers", c -> plain);
    for (Method method : methods) {
      if (method.getDeclaringClass() != DatabaseMetaData.class) {
        continue;
      }
      for (Object[] given : arguments(method)) {
        String name = "metadata: " + method.getName() + " " + Arrays.deepToString(given);
        step(name, c -> call(method, c.getMetaData(), given));
        step(name + ", simple", c -> call(method, c.getMetaData(), given), "preferQueryMode=simple");
      }
    }
  }

  // What the driver does not do is told the same both ways.
  static Object call(Method method, DatabaseMetaData told, Object... given) throws Exception {
    try {
      Object answer = method.invoke(told, given);
      if (!(answer instanceof ResultSet)) {
        return answer == null ? null : answer.toString();
      }
      ResultSetMetaData columns = ((ResultSet) answer).getMetaData();
      List<Object> names = new ArrayList<>();
      for (int column = 1; column <= columns.getColumnCount(); column++) {
        names.add(columns.getColumnLabel(column));
      }
      return List.of(names, rows((ResultSet) answer));
    } catch (InvocationTargetException error) {
      if (error.getCause() instanceof java.sql.SQLFeatureNotSupportedException) {
        return "not supported";
      }
      throw (Exception) error.getCause();
    }
  }

  static final String[][] TABLES = {{"public", "item"}, {"public", "part"}, {"shop", "purchase_line"}, {"shop", "event"},
      {"Mixed Schema", "Mixed Table"}, {"public", "every_type"}};

  static List<Object[]> arguments(Method method) {
    List<Object[]> found = new ArrayList<>();
    Class<?>[] types = method.getParameterTypes();
    String name = method.getName();
    if (types.length == 0) {
      if (method.getReturnType() == ResultSet.class) {
        found.add(new Object[0]);
      }
    } else if (name.equals("getCrossReference")) {
      found.add(new Object[] {null, "public", "item", null, "public", "part"});
      found.add(new Object[] {null, "shop", "purchase", null, "shop", "purchase_line"});
    } else if (types[0] == int.class) {
      // Levels of isolation, holdability, kinds of result sets, and what is none of them.
      for (int one : new int[] {0, 1, 2, 4, 8, 9, 1003, 1004, 1005, 1007, 1008}) {
        found.add(types.length == 1 ? new Object[] {one} : new Object[] {one, 1007});
      }
    } else if (types[0] == Class.class) {
      found.add(new Object[] {Connection.class});
    } else if (types.length == 2) {
      found.add(new Object[] {null, "%"});
      found.add(new Object[] {null, "sh%"});
    } else if (types.length == 3) {
      namedObjects(found, name);
    } else if (name.equals("getTables") || name.equals("getUDTs")) {
      listed(found, name);
    } else if (types[3] == String.class) {
      for (String[] table : TABLES) {
        found.add(new Object[] {null, table[0], table[1], "%"});
      }
      found.add(new Object[] {null, null, "%", "%id%"});
      found.add(new Object[] {null, "shop", "%", "%"});
    } else {
      for (String[] table : TABLES) {
        found.add(types.length == 5 && types[3] == int.class
            ? new Object[] {null, table[0], table[1], DatabaseMetaData.bestRowSession, true}
            : new Object[] {null, table[0], table[1], true, false});
      }
    }
    return found;
  }

  static void namedObjects(List<Object[]> found, String name) {
    for (String[] table : TABLES) {
      found.add(new Object[] {null, table[0], table[1]});
    }
    if (!name.endsWith("Keys")) {
      found.add(new Object[] {null, "shop", "%"});
      found.add(new Object[] {null, null, "s%"});
    }
  }

  static void listed(List<Object[]> found, String name) {
    found.add(new Object[] {null, "%", "%", null});
    found.add(new Object[] {null, "shop", "c%", null});
    if (name.equals("getTables")) {
      found.add(new Object[] {null, "shop", "%", new String[] {"TABLE", "VIEW", "MATERIALIZED VIEW"}});
      found.add(new Object[] {"matrix", "pg_catalog", "pg_cl%", new String[] {"SYSTEM TABLE", "SYSTEM INDEX"}});
      found.add(new Object[] {null, "public", "%", new String[] {"PARTITIONED TABLE", "SEQUENCE", "INDEX", "TYPE", "FOREIGN TABLE"}});
    } else {
      found.add(new Object[] {null, "public", "%", new int[] {Types.DISTINCT, Types.STRUCT}});
    }
  }
}
