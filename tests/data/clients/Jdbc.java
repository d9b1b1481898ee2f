// JDBC: run as `java -cp postgresql.jar Jdbc.java`; host and the rest from the environment of libpq.

import java.io.StringWriter;
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
import java.util.Properties;
import java.util.Timer;
import java.util.TimerTask;
import org.postgresql.PGConnection;
import org.postgresql.jdbc.PreferQueryMode;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

public class Jdbc {
  public static void main(String[] arguments) throws Exception {
    for (String mode : new String[] {"extended", "simple", "extendedForPrepared", "extendedCacheEverything"}) {
      System.out.println("-- " + mode);
      try (Connection connection = open(mode)) {
        reads(connection);
        transactions(connection);
        refusals(connection);
        copy(connection);
        cancel(connection);
        pooling(connection);
      }
    }
    try (Connection connection = open("extended")) {
      metadata(connection);
      errors(connection);
    }
    System.out.println("done");
  }

  static Connection open(String mode) throws SQLException {
    var env = System.getenv();
    Properties settings = new Properties();
    settings.setProperty("user", env.get("PGUSER"));
    settings.setProperty("password", env.get("PGPASSWORD"));
    settings.setProperty("preferQueryMode", mode);
    settings.setProperty("prepareThreshold", "3");
    settings.setProperty("ApplicationName", "jdbc tests");
    if (env.containsKey("PGOPTIONS")) {
      settings.setProperty("options", env.get("PGOPTIONS"));
    }
    return DriverManager.getConnection(
        "jdbc:postgresql://" + env.get("PGHOST") + ":" + env.get("PGPORT") + "/" + env.get("PGDATABASE"), settings);
  }

  static void reads(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT id, name, price, made, tags, state FROM item WHERE id <= ? ORDER BY id")) {
      // From the third time on the statement is prepared by name, and its results are binary.
      for (int turn = 1; turn < 7; turn++) {
        statement.setInt(1, turn);
        show(statement.executeQuery());
      }
    }
    try (Statement statement = connection.createStatement()) {
      show(statement.executeQuery("SELECT a_bool, a_int8, a_float8, a_text, a_date, a_jsonb, a_point, an_interval FROM every_type"));
      statement.setMaxRows(3);
      show(statement.executeQuery("SELECT id FROM item ORDER BY id"));
    }
    // In simple mode the driver writes values into the text, which it cannot for all of these.
    if (mode(connection) == PreferQueryMode.SIMPLE) {
      return;
    }
    try (PreparedStatement statement = connection.prepareStatement("SELECT ?::int, ?::text, ?::bool, ?::date, ?::bytea, ?::int[]")) {
      statement.setInt(1, 7);
      statement.setString(2, "it's ünïcode");
      statement.setBoolean(3, true);
      statement.setObject(4, java.time.LocalDate.of(2024, 2, 29));
      statement.setBytes(5, new byte[] {0, 1, 2});
      statement.setArray(6, connection.createArrayOf("int4", new Object[] {1, null, 3}));
      show(statement.executeQuery());
      ResultSetMetaData columns = statement.getMetaData();
      System.out.println(columns.getColumnTypeName(1) + statement.getParameterMetaData().getParameterTypeName(6));
    }
  }

  static void transactions(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    connection.setReadOnly(true);
    int[] levels = {
      Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE
    };
    for (int level : levels) {
      connection.setTransactionIsolation(level);
      try (Statement statement = connection.createStatement()) {
        show(statement.executeQuery("SHOW transaction_isolation"));
        Savepoint savepoint = connection.setSavepoint("a savepoint");
        fails(() -> statement.executeQuery("SELECT 1/0"), "22012");
        connection.rollback(savepoint);
        connection.releaseSavepoint(savepoint);
        show(statement.executeQuery("SELECT 'after the savepoint'"));
        // A fetch size makes portals that are suspended and resumed.
        statement.setFetchSize(37);
        ResultSet rows = statement.executeQuery("SELECT id FROM item ORDER BY id");
        long sum = 0;
        while (rows.next()) {
          sum += rows.getInt(1);
        }
        System.out.println(sum);
      }
      connection.commit();
    }
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    try (Statement statement = connection.createStatement()) {
      statement.executeQuery("SELECT 1");
      fails(() -> statement.executeUpdate("UPDATE item SET name = ''"), "25006");
      fails(() -> statement.executeQuery("SELECT 1"), "25P02");
      connection.rollback();
      show(statement.executeQuery("SELECT 'usable'"));
    }
    connection.rollback();
    connection.setAutoCommit(true);
  }

  static void refusals(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      fails(() -> statement.executeUpdate("DELETE FROM item"), "25006");
      fails(() -> statement.executeQuery("SELECT nextval('counter')"), "25006");
      fails(() -> statement.executeQuery("SELECT * FROM item FOR SHARE"), "25006");
      fails(() -> statement.execute("CREATE TEMP TABLE t (a int)"), "25006");
    }
    try (PreparedStatement statement = connection.prepareStatement("INSERT INTO item (id, name) VALUES (?, ?)")) {
      statement.setInt(1, 0);
      statement.setString(2, "x");
      fails(statement::executeUpdate, "25006");
      statement.addBatch();
      statement.addBatch();
      fails(statement::executeBatch, "25006");
    }
    try (Statement statement = connection.createStatement()) {
      show(statement.executeQuery("SELECT count(*) FROM item"));
    }
  }

  static void copy(Connection connection) throws Exception {
    if (mode(connection) == PreferQueryMode.SIMPLE) {
      return;
    }
    StringWriter out = new StringWriter();
    var manager = connection.unwrap(PGConnection.class).getCopyAPI();
    manager.copyOut("COPY (SELECT id, name FROM item WHERE id < 4 ORDER BY id) TO STDOUT (FORMAT csv)", out);
    manager.copyOut("COPY item (id, name) TO STDOUT WITH (FORMAT csv, HEADER)", out);
    System.out.println(out);
    fails(() -> manager.copyIn("COPY item FROM STDIN"), "25006");
    try (Statement statement = connection.createStatement()) {
      show(statement.executeQuery("SELECT 'usable'"));
    }
  }

  static void cancel(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      int pid = ((PGConnection) connection).getBackendPID();
      Timer timer = new Timer();
      timer.schedule(
          new TimerTask() {
            @Override
            public void run() {
              // A statement is cancelled once and no more: it has to run by then.
              try (Connection other = open("simple");
                  Statement asking = other.createStatement()) {
                String active =
                    "SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%generate_series%' AND pid = ";
                while (!asking.executeQuery(active + pid).next()) {
                  Thread.sleep(20);
                }
                statement.cancel();
              } catch (SQLException | InterruptedException error) {
                throw new IllegalStateException(error);
              }
            }
          },
          0);
      fails(() -> statement.executeQuery("SELECT count(*) FROM generate_series(1, 1000000000)"), "57014");
      timer.cancel();
      statement.setQueryTimeout(3);
      fails(() -> statement.executeQuery("SELECT count(*) FROM generate_series(1, 1000000000)"), "57014");
      statement.setQueryTimeout(0);
      show(statement.executeQuery("SELECT 'usable'"));
    }
  }

  static void pooling(Connection connection) throws SQLException {
    System.out.println(connection.isValid(5));
    connection.setSchema("other");
    try (Statement statement = connection.createStatement()) {
      show(statement.executeQuery("SELECT note FROM item"));
      statement.execute("RESET ALL");
      statement.execute("DISCARD ALL");
      show(statement.executeQuery("SHOW transaction_read_only"));
      show(statement.executeQuery("SELECT 'notice' ~~~> 'hello'"));
      for (SQLWarning warning = statement.getWarnings(); warning != null; warning = warning.getNextWarning()) {
        System.out.println(warning.getSQLState() + " " + warning.getMessage());
      }
    }
    connection.setClientInfo("ApplicationName", "renamed");
    System.out.println(connection.getClientInfo("ApplicationName"));
  }

  static void metadata(Connection connection) throws SQLException {
    DatabaseMetaData found = connection.getMetaData();
    System.out.println(found.getDatabaseProductName() + found.getUserName() + found.getMaxColumnNameLength());
    show(found.getTables(null, "public", "%", null));
    show(found.getColumns(null, "public", "item", "%"));
    show(found.getPrimaryKeys(null, "public", "item"));
    show(found.getImportedKeys(null, "public", "part"));
    show(found.getExportedKeys(null, "public", "item"));
    show(found.getIndexInfo(null, "public", "item", false, true));
    show(found.getSchemas());
    show(found.getProcedures(null, "public", "%"));
    show(found.getFunctions(null, "public", "%"));
    show(found.getFunctionColumns(null, "public", "say", "%"));
    show(found.getTypeInfo());
    show(found.getTablePrivileges(null, "public", "item"));
    show(found.getColumnPrivileges(null, "public", "item", "id"));
    show(found.getVersionColumns(null, "public", "item"));
    show(found.getBestRowIdentifier(null, "public", "item", DatabaseMetaData.bestRowSession, true));
    show(found.getUDTs(null, "public", "%", null));
    show(found.getTableTypes());
    show(found.getClientInfoProperties());
    System.out.println(found.getSQLKeywords().length() > 0);
  }

  static void errors(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT 'P0042' !!!> 'told'");
      throw new IllegalStateException("no error");
    } catch (PSQLException error) {
      ServerErrorMessage told = error.getServerErrorMessage();
      System.out.println(told.getSQLState() + told.getMessage() + told.getDetail() + told.getHint() + told.getTable() + told.getWhere());
    }
  }

  static PreferQueryMode mode(Connection connection) throws SQLException {
    return connection.unwrap(PGConnection.class).getPreferQueryMode();
  }

  interface Attempt {
    void run() throws Exception;
  }

  static void fails(Attempt attempt, String sqlstate) {
    try {
      attempt.run();
    } catch (SQLException error) {
      SQLException found = error;
      while (found.getNextException() != null) {
        found = found.getNextException();
      }
      System.out.println("refused " + found.getSQLState());
      if (!sqlstate.equals(found.getSQLState())) {
        throw new IllegalStateException("expected " + sqlstate, error);
      }
      return;
    } catch (Exception error) {
      throw new IllegalStateException(error);
    }
    throw new IllegalStateException("not refused, expected " + sqlstate);
  }

  static void show(ResultSet rows) throws SQLException {
    int width = rows.getMetaData().getColumnCount();
    while (rows.next()) {
      StringBuilder line = new StringBuilder();
      for (int column = 1; column <= width; column++) {
        line.append(rows.getString(column)).append('|');
      }
      System.out.println(line);
    }
    rows.close();
  }
}
