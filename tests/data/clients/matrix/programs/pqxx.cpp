// libpqxx: transactions of each kind, prepared statements, streams, cursors, pipelines, large objects.

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <pqxx/pqxx>

using std::string;

static string PROGRAMS = ".";
static const bool DIRECT = string(std::getenv("MATRIX_WAY")) == "direct";

static string quoted(const string &text) {
  std::ostringstream out;
  out << '"';
  for (unsigned char letter : text) {
    char escaped[8];
    if (letter == '"' || letter == '\\') {
      out << '\\' << letter;
    } else if (letter < 32 || letter == 127) {
      snprintf(escaped, sizeof escaped, "\\u%04x", letter);
      out << escaped;
    } else {
      out << letter;
    }
  }
  out << '"';
  return out.str();
}

// Rows as JSON.
static string rows(const pqxx::result &result) {
  string out = "[";
  for (pqxx::result::size_type n = 0; n < result.size(); n++) {
    out += n == 0 ? "[" : ", [";
    for (pqxx::row::size_type column = 0; column < result.columns(); column++) {
      const auto field = result[n][column];
      out += (column == 0 ? "" : ", ") + (field.is_null() ? string("null") : quoted(field.c_str()));
    }
    out += "]";
  }
  return out + "]";
}

static string list(const std::vector<string> &parts) {
  string out = "[";
  for (const auto &part : parts) out += (out.size() > 1 ? ", " : "") + part;
  return out + "]";
}

static string failure(const std::exception &error) {
  string code = "error";
  if (const auto *told = dynamic_cast<const pqxx::sql_error *>(&error)) code = told->sqlstate();
  string message = error.what();
  message = message.substr(0, message.find('\n'));
  const auto port = message.find("port ");
  if (port != string::npos) message = message.substr(0, port);
  return "\"error\": " + quoted(code) + ", \"message\": " + quoted(message);
}

static string where() {
  const auto env = [](const char *name) { return string(std::getenv(name)); };
  return "host=" + env("PGHOST") + " port=" + env("PGPORT") + " user=" + env("PGUSER") + " password=" + env("PGPASSWORD") +
         " dbname=" + env("PGDATABASE") + " sslmode=disable";
}

using Run = std::function<string(pqxx::connection &)>;

static void told(const string &name, const string &mark, const Run &run, const string &settings) {
  std::cout << "{\"step\": " << quoted(name) << ", " << mark;
  try {
    pqxx::connection connection(where() + settings);
    const string value = run(connection);
    std::cout << "\"value\": " << value;
  } catch (const std::exception &error) {
    std::cout << failure(error);
  }
  std::cout << "}" << std::endl;
}

static void step(const string &name, const Run &run, const string &settings = "") { told(name, "", run, settings); }

// A write must fail; directly it is not tried.
static void write(const string &name, const Run &run) {
  if (!DIRECT) told(name, "\"write\": true, ", run, "");
}

static string fails(const std::function<void()> &run) {
  try {
    run();
  } catch (const std::exception &error) {
    return "{" + failure(error) + "}";
  }
  throw std::logic_error("this should have failed");
}

// The statements that every client asks; see statements.tsv.
static std::vector<std::pair<string, string>> statements(const string &kind) {
  std::vector<std::pair<string, string>> found;
  std::ifstream file(PROGRAMS + "/statements.tsv");
  for (string line; std::getline(file, line);) {
    const auto first = line.find('\t'), second = line.find('\t', first + 1);
    if (line.substr(0, first) == kind) {
      found.emplace_back(line.substr(first + 1, second - first - 1), line.substr(second + 1));
    }
  }
  return found;
}

static void queries() {
  step("rows", [](pqxx::connection &c) {
    pqxx::work tx(c);
    return rows(tx.exec("SELECT id, name, price, made, tags, state FROM item ORDER BY id LIMIT 12"));
  });
  step("every type", [](pqxx::connection &c) {
    pqxx::nontransaction tx(c);
    return rows(tx.exec("SELECT * FROM every_type"));
  });
  step("parameters", [](pqxx::connection &c) {
    pqxx::read_transaction tx(c);
    return rows(tx.exec_params("SELECT $1::int, $2::text, $3::bool, $4::float8, $5::jsonb, $6::mood", 7, "it's \\ ünïcode", true, 1.5,
                               "{\"a\": 1}", "happy"));
  });
  step("prepared", [](pqxx::connection &c) {
    c.prepare("one", "SELECT * FROM item WHERE id = $1");
    pqxx::work tx(c);
    std::vector<string> answers;
    for (int id : {1, 2, 10}) answers.push_back(rows(tx.exec_prepared("one", id)));
    return list(answers);
  });
  step("columns", [](pqxx::connection &c) {
    pqxx::work tx(c);
    const auto result = tx.exec("SELECT * FROM every_type");
    std::vector<string> found;
    for (pqxx::row::size_type n = 0; n < result.columns(); n++) {
      found.push_back(quoted(string(result.column_name(n)) + " " + std::to_string(result.column_type(n)) + " " +
                             std::to_string(result.table_column(n))));
    }
    return list(found);
  });
  step("cursor", [](pqxx::connection &c) {
    pqxx::work tx(c);
    pqxx::icursorstream stream(tx, "SELECT id FROM item ORDER BY id", "mine", 300);
    std::vector<string> counts;
    for (pqxx::result got; stream >> got;) counts.push_back(std::to_string(got.size()));
    return list(counts);
  });
  step("cursor that scrolls", [](pqxx::connection &c) {
    pqxx::work tx(c);
    pqxx::stateless_cursor<pqxx::cursor_base::read_only, pqxx::cursor_base::owned> cursor(tx, "SELECT id FROM item ORDER BY id", "scrolled", false);
    const auto size = std::to_string(cursor.size());
    return list({size, rows(cursor.retrieve(10, 15)), rows(cursor.retrieve(900, 902))});
  });
  step("stream from a table", [](pqxx::connection &c) {
    pqxx::work tx(c);
    pqxx::stream_from stream(tx, "part", std::vector<string>{"item_id", "line"});
    long sum = 0;
    // Its tuples do not read what it asked for: see what comes as lines.
    for (string line; stream.get_raw_line(line);) {
      for (unsigned char letter : line) sum = (sum * 31 + letter) % 1000003;
    }
    stream.complete();
    return std::to_string(sum);
  });
  step("pipeline", [](pqxx::connection &c) {
    pqxx::work tx(c);
    pqxx::pipeline line(tx);
    std::vector<pqxx::pipeline::query_id> asked;
    for (int id = 1; id < 8; id++) asked.push_back(line.insert("SELECT name FROM item WHERE id = " + std::to_string(id)));
    std::vector<string> answers;
    for (const auto id : asked) answers.push_back(rows(line.retrieve(id)));
    return list(answers);
  });
  step("several statements", [](pqxx::connection &c) {
    pqxx::nontransaction tx(c);
    return rows(tx.exec("SET TIME ZONE 'UTC'; SELECT id FROM item WHERE id < 3"));
  });
}

static void transactions() {
  step("transaction: read committed", [](pqxx::connection &c) {
    pqxx::transaction<pqxx::read_committed> tx(c);
    return rows(tx.exec("SHOW transaction_isolation"));
  });
  step("transaction: repeatable read", [](pqxx::connection &c) {
    pqxx::transaction<pqxx::repeatable_read> tx(c);
    return rows(tx.exec("SHOW transaction_isolation"));
  });
  step("transaction: serializable, read only", [](pqxx::connection &c) {
    pqxx::transaction<pqxx::serializable, pqxx::read_only> tx(c);
    return rows(tx.exec("SHOW transaction_isolation"));
  });
  step("subtransaction", [](pqxx::connection &c) {
    pqxx::work tx(c);
    string failed;
    {
      pqxx::subtransaction inner(tx, "inner");
      failed = fails([&] { inner.exec("SELECT 1 / (id - id) FROM item"); });
    }
    const auto count = rows(tx.exec("SELECT count(*) FROM item"));
    tx.commit();
    return list({failed, count});
  });
  step("settings", [](pqxx::connection &c) {
    c.set_variable("search_path", "shop, public");
    pqxx::nontransaction tx(c);
    return list({rows(tx.exec("SHOW search_path")), quoted(c.get_variable("search_path")), quoted(c.get_client_encoding())});
  });
  step("settings at connect", [](pqxx::connection &c) {
    pqxx::nontransaction tx(c);
    return list({rows(tx.exec("SHOW application_name")), rows(tx.exec("SHOW statement_timeout"))});
  }, " application_name=matrix options='-c statement_timeout=4s'");
}

static void errors() {
  for (const auto &each : statements("error")) {
    const string text = each.second;
    step("error: " + each.first, [text](pqxx::connection &c) { return rows(pqxx::work(c).exec(text)); });
    step("error: " + each.first + ", with parameters", [text](pqxx::connection &c) { return rows(pqxx::work(c).exec_params(text)); });
  }
  for (const auto &each : statements("write")) {
    const string text = each.second;
    write(each.first, [text](pqxx::connection &c) { return rows(pqxx::nontransaction(c).exec(text)); });
    write(each.first + ", in a transaction", [text](pqxx::connection &c) {
      pqxx::work tx(c);
      tx.exec(text);
      tx.commit();
      return string("null");
    });
    write(each.first + ", prepared", [text](pqxx::connection &c) {
      c.prepare("w", text);
      pqxx::work tx(c);
      tx.exec_prepared("w");
      tx.commit();
      return string("null");
    });
  }
  write("stream to a table", [](pqxx::connection &c) {
    pqxx::work tx(c);
    pqxx::stream_to stream(tx, "part", std::vector<string>{"item_id", "line"});
    stream << std::make_tuple(1, 77);
    stream.complete();
    tx.commit();
    return string("null");
  });
  write("create of a large object", [](pqxx::connection &c) {
    pqxx::work tx(c);
    pqxx::largeobject object(tx);
    tx.commit();
    return string("null");
  });
  write("robust transaction", [](pqxx::connection &c) {
    pqxx::robusttransaction<> tx(c);
    tx.exec("DELETE FROM part");
    tx.commit();
    return string("null");
  });
  step("listen", [](pqxx::connection &c) {
    struct Receiver : pqxx::notification_receiver {
      explicit Receiver(pqxx::connection &c) : pqxx::notification_receiver(c, "left_behind") {}
      void operator()(const string &, int) override {}
    } receiver(c);
    return string("null");
  });
}

int main(int, char **arguments) {
  PROGRAMS = arguments[1];
  std::cout << "{\"client\": \"libpqxx\", \"version\": " << quoted(PQXX_VERSION) << "}" << std::endl;
  queries();
  transactions();
  errors();
}
