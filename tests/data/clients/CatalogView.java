// JDBC: what DatabaseMetaData says of the schema shop, one row a line, with what was asked before it.

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

public class CatalogView {
  public static void main(String[] arguments) throws SQLException {
    for (String mode : new String[] {"extended", "simple"}) {
      try (Connection connection = open(mode)) {
        metadata(mode, connection.getMetaData());
      }
    }
  }

  static Connection open(String mode) throws SQLException {
    var env = System.getenv();
    Properties settings = new Properties();
    settings.setProperty("user", env.get("PGUSER"));
    settings.setProperty("password", env.get("PGPASSWORD"));
    settings.setProperty("preferQueryMode", mode);
    return DriverManager.getConnection(
        "jdbc:postgresql://" + env.get("PGHOST") + ":" + env.get("PGPORT") + "/" + env.get("PGDATABASE"), settings);
  }

  static void metadata(String mode, DatabaseMetaData found) throws SQLException {
    show(mode + "|schemas", found.getSchemas(), "TABLE_SCHEM");
    show(mode + "|tables", found.getTables(null, "shop", "%", null), "TABLE_NAME", "TABLE_TYPE", "REMARKS");
    String[] column = {
      "TABLE_NAME", "COLUMN_NAME", "TYPE_NAME", "COLUMN_SIZE", "DECIMAL_DIGITS", "IS_NULLABLE", "COLUMN_DEF", "REMARKS"
    };
    show(mode + "|columns", found.getColumns(null, "shop", "%", "%"), column);
    List<String> tables = new ArrayList<>();
    try (ResultSet rows = found.getTables(null, "shop", "%", new String[] {"TABLE", "PARTITIONED TABLE"})) {
      while (rows.next()) {
        tables.add(rows.getString("TABLE_NAME"));
      }
    }
    for (String table : tables) {
      show(mode + "|key", found.getPrimaryKeys(null, "shop", table), "TABLE_NAME", "COLUMN_NAME", "PK_NAME");
      String[] key = {"PKTABLE_NAME", "PKCOLUMN_NAME", "FKTABLE_NAME", "FKCOLUMN_NAME", "FK_NAME"};
      show(mode + "|imported", found.getImportedKeys(null, "shop", table), key);
      show(mode + "|exported", found.getExportedKeys(null, "shop", table), key);
      ResultSet indexes = found.getIndexInfo(null, "shop", table, false, true);
      show(mode + "|index", indexes, "TABLE_NAME", "INDEX_NAME", "COLUMN_NAME", "NON_UNIQUE");
      show(mode + "|rights", found.getTablePrivileges(null, "shop", table), "TABLE_NAME", "GRANTEE", "PRIVILEGE");
      show(mode + "|rights of columns", found.getColumnPrivileges(null, "shop", table, "%"), "TABLE_NAME", "COLUMN_NAME");
      ResultSet best = found.getBestRowIdentifier(null, "shop", table, DatabaseMetaData.bestRowSession, true);
      show(mode + "|best row of " + table, best, "COLUMN_NAME", "TYPE_NAME");
    }
    show(mode + "|functions", found.getFunctions(null, "shop", "%"), "FUNCTION_NAME", "REMARKS");
    show(mode + "|arguments", found.getFunctionColumns(null, "shop", "%", "%"), "FUNCTION_NAME", "COLUMN_NAME", "TYPE_NAME");
    show(mode + "|procedures", found.getProcedures(null, "shop", "%"), "PROCEDURE_NAME");
    show(mode + "|types", found.getUDTs(null, "shop", "%", null), "TYPE_NAME", "REMARKS");
    show(mode + "|all types", found.getTypeInfo(), "TYPE_NAME");
  }

  static void show(String asked, ResultSet rows, String... names) throws SQLException {
    while (rows.next()) {
      StringBuilder line = new StringBuilder(asked);
      for (String name : names) {
        line.append('|').append(rows.getString(name));
      }
      System.out.println(line);
    }
    rows.close();
  }
}
