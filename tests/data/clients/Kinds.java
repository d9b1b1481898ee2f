// JDBC: run as `java -cp postgresql.jar Kinds.java URL USER WISH…`; says which kinds of server it takes it for.

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Properties;

public class Kinds {
  public static void main(String[] arguments) throws Exception {
    for (int i = 2; i < arguments.length; i++) {
      Properties properties = new Properties();
      properties.setProperty("user", arguments[1]);
      properties.setProperty("password", arguments[1]);
      properties.setProperty("targetServerType", arguments[i]);
      boolean found = false;
      try (Connection connection = DriverManager.getConnection(arguments[0], properties)) {
        ResultSet rows = connection.createStatement().executeQuery("SELECT 1");
        found = rows.next() && rows.getInt(1) == 1;
      } catch (SQLException error) {
        if (!error.getMessage().startsWith("Could not find a server with specified targetServerType")) {
          throw error;
        }
      }
      if (found) {
        System.out.println(arguments[i]);
      }
    }
  }
}
