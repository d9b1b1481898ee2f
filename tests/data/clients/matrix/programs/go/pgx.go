// pgx: its three ways to ask, binary values, batches, copy, its pool, and as a driver of database/sql.

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgconn"
	"github.com/jackc/pgtype"
	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
	"github.com/jackc/pgx/v4/stdlib"
)

var background = context.Background()

func withConn(settings string, run func(*pgx.Conn) (any, error)) func() (any, error) {
	return func() (any, error) {
		config, err := pgx.ParseConfig(os.Getenv("MATRIX_URL") + "?sslmode=disable" + settings)
		if err != nil {
			return nil, err
		}
		one, err := pgx.ConnectConfig(background, config)
		if err != nil {
			return nil, err
		}
		defer one.Close(background)
		return run(one)
	}
}

type asker interface {
	Query(context.Context, string, ...any) (pgx.Rows, error)
}

func all(from asker, text string, given ...any) (any, error) {
	set, err := from.Query(background, text, given...)
	if err != nil {
		return nil, err
	}
	return collect(set)
}

func collect(set pgx.Rows) (any, error) {
	defer set.Close()
	found := []any{}
	for set.Next() {
		row, err := set.Values()
		if err != nil {
			return nil, err
		}
		for n, each := range row {
			row[n] = told(each)
		}
		found = append(found, row)
	}
	return found, set.Err()
}

// Values that are pointers within would print as addresses.
func told(value any) any {
	switch it := value.(type) {
	case pgtype.Numeric:
		text, err := it.EncodeText(nil, nil)
		if err != nil {
			return err.Error()
		}
		return string(text)
	case []byte:
		return fmt.Sprintf("%x", it)
	case *net.IPNet:
		return it.String()
	case pgtype.TextEncoder:
		text, err := it.EncodeText(nil, nil)
		if err != nil {
			return fmt.Sprintf("%T", it)
		}
		return string(text)
	case []any, map[string]any:
		return fmt.Sprint(it)
	default:
		return plain(it)
	}
}

const types = `SELECT a_bool, a_int2, a_int4, a_int8, a_float4, a_float8, a_numeric::text, a_text, a_varchar, a_char, a_name,
	a_bytea, a_date, a_time, a_timestamp, a_timestamptz, an_interval, a_uuid, a_json, a_jsonb, a_bit, an_inet, a_cidr, a_macaddr,
	a_point, a_box, a_path, a_polygon, a_circle, an_int4range, a_daterange, an_enum, a_domain, an_array, an_oid FROM every_type`

const parameters = `SELECT $1::int4, $2::int8, $3::text, $4::bool, $5::float8, $6::numeric, $7::bytea, $8::timestamptz,
	$9::date, $10::int4[], $11::text[], $12::jsonb, $13::uuid, $14::inet, $15::text, $16::mood`

func given() []any {
	return []any{7, int64(9007199254740993), "it's \\ ünïcode 🙂", true, 1.5e-7, "1234.56", []byte("abc"),
		time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC), time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), []int32{1, 2},
		[]string{"a", "b,\"c\""}, map[string]any{"a": 1}, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "10.0.0.0/8", nil, "happy"}
}

var modes = map[string]string{
	"prepared": "", "described": "&statement_cache_mode=describe", "not cached": "&statement_cache_capacity=0",
	"simple": "&prefer_simple_protocol=true",
}

func queries(mode string) {
	settings := modes[mode]
	if mode == "simple" {
		settings = ""
	}
	ask := func(one *pgx.Conn, text string, given ...any) (any, error) {
		if mode == "simple" {
			given = append([]any{pgx.QuerySimpleProtocol(true)}, given...)
		}
		return all(one, text, given...)
	}
	step("rows, "+mode, withConn(settings, func(one *pgx.Conn) (any, error) {
		return ask(one, "SELECT id, name, price, made, tags, state FROM item ORDER BY id LIMIT 12")
	}))
	step("every type, "+mode, withConn(settings, func(one *pgx.Conn) (any, error) {
		if mode == "simple" {
			// It does not read years before Christ in text.
			return ask(one, types+" WHERE a_int4 > 0")
		}
		return ask(one, types)
	}))
	step("again and again, "+mode, withConn(settings, func(one *pgx.Conn) (any, error) {
		answers := []any{}
		for id := 1; id < 12; id += 3 {
			rows, err := ask(one, "SELECT * FROM item WHERE id = $1", id)
			if err != nil {
				return nil, err
			}
			answers = append(answers, rows)
		}
		return answers, nil
	}))
	step("fifty thousand rows, "+mode, withConn(settings, func(one *pgx.Conn) (any, error) {
		sum, id, note := 0, 0, ""
		_, err := one.QueryFunc(background, "SELECT id, note FROM shop.reading", nil, []any{&id, &note}, func(pgx.QueryFuncRow) error {
			sum += id + len(note)
			return nil
		})
		return sum, err
	}))
	if mode != "simple" {
		step("parameters, "+mode, withConn(settings, func(one *pgx.Conn) (any, error) { return ask(one, parameters, given()...) }))
	}
	for _, each := range statements("error") {
		each := each
		step("error: "+each.name+", "+mode, withConn(settings, func(one *pgx.Conn) (any, error) { return ask(one, each.text) }))
	}
	for _, each := range statements("write") {
		each := each
		write(each.name+", "+mode, withConn(settings, func(one *pgx.Conn) (any, error) { return ask(one, each.text) }))
	}
}

func statementsAndBatches() {
	step("prepared by name", withConn("", func(one *pgx.Conn) (any, error) {
		about, err := one.Prepare(background, "one", "SELECT * FROM item WHERE id = $1 AND state = $2")
		if err != nil {
			return nil, err
		}
		rows, err := all(one, "one", 2, "happy")
		if err != nil {
			return nil, err
		}
		columns := []any{}
		for _, field := range about.Fields {
			columns = append(columns, fmt.Sprint(string(field.Name), field.DataTypeOID))
		}
		return []any{columns, fmt.Sprint(about.ParamOIDs[0]), rows}, one.Deallocate(background, "one")
	}))
	step("batch", withConn("", func(one *pgx.Conn) (any, error) {
		batch := &pgx.Batch{}
		for id := 1; id < 20; id++ {
			batch.Queue("SELECT name FROM item WHERE id = $1", id)
		}
		batch.Queue("SELECT count(*) FROM part")
		results := one.SendBatch(background, batch)
		defer results.Close()
		answers := []any{}
		for n := 0; n < batch.Len(); n++ {
			set, err := results.Query()
			if err != nil {
				return nil, err
			}
			rows, err := collect(set)
			if err != nil {
				return nil, err
			}
			answers = append(answers, rows)
		}
		return answers, nil
	}))
	step("a batch that fails", withConn("", func(one *pgx.Conn) (any, error) {
		batch := &pgx.Batch{}
		for _, text := range []string{"SELECT 1", "SELECT 1 / (id - id) FROM item", "SELECT 2"} {
			batch.Queue(text)
		}
		results := one.SendBatch(background, batch)
		answers := []any{}
		for n := 0; n < batch.Len(); n++ {
			if _, err := results.Exec(); err != nil {
				answers = append(answers, failure(err))
			} else {
				answers = append(answers, "passed")
			}
		}
		results.Close()
		rows, err := all(one, "SELECT 'usable'")
		return []any{answers, rows}, err
	}))
	step("several statements", withConn("", func(one *pgx.Conn) (any, error) {
		answers := []any{}
		reader := one.PgConn().Exec(background, "SET TIME ZONE 'UTC'; SELECT id FROM item WHERE id < 3; RESET TIME ZONE")
		for reader.NextResult() {
			result := reader.ResultReader().Read()
			answers = append(answers, []any{result.CommandTag.String(), fmt.Sprint(result.Rows)})
		}
		return answers, reader.Close()
	}))
	for _, text := range []string{"COPY (SELECT id, name, tags FROM item ORDER BY id) TO STDOUT", "COPY part (item_id, line) TO STDOUT",
		"COPY item TO STDOUT (FORMAT csv, HEADER)", "COPY (SELECT * FROM part ORDER BY 1, 2) TO STDOUT (FORMAT binary)"} {
		text := text
		step(text, withConn("", func(one *pgx.Conn) (any, error) {
			var out bytes.Buffer
			tag, err := one.PgConn().CopyTo(background, &out, text)
			return []any{tag.String(), out.Len(), fmt.Sprintf("%x", sha256.Sum256(out.Bytes()))}, err
		}))
	}
	write("copy in", withConn("", func(one *pgx.Conn) (any, error) {
		return one.CopyFrom(background, pgx.Identifier{"part"}, []string{"item_id", "line"}, pgx.CopyFromRows([][]any{{1, 77}}))
	}))
	write("copy in of text", withConn("", func(one *pgx.Conn) (any, error) {
		return one.PgConn().CopyFrom(background, strings.NewReader("1\t77\n"), "COPY part FROM STDIN")
	}))
	write("batch with a write", withConn("", func(one *pgx.Conn) (any, error) {
		batch := &pgx.Batch{}
		batch.Queue("SELECT 1")
		batch.Queue("INSERT INTO part VALUES ($1, 99)", 1)
		return nil, one.SendBatch(background, batch).Close()
	}))
	step("listen", withConn("", func(one *pgx.Conn) (any, error) {
		tag, err := one.Exec(background, "LISTEN left_behind")
		return tag.String(), err
	}))
	write("large object", withConn("", func(one *pgx.Conn) (any, error) {
		tx, err := one.Begin(background)
		if err != nil {
			return nil, err
		}
		defer tx.Rollback(background)
		objects := tx.LargeObjects()
		return objects.Create(background, 0)
	}))
}

func transactions() {
	for _, level := range []pgx.TxIsoLevel{"", pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable} {
		for _, access := range []pgx.TxAccessMode{pgx.ReadOnly, pgx.ReadWrite} {
			for _, mode := range []pgx.TxDeferrableMode{"", pgx.Deferrable} {
				options := pgx.TxOptions{IsoLevel: level, AccessMode: access, DeferrableMode: mode}
				step(fmt.Sprintf("transaction: %v", options), withConn("", func(one *pgx.Conn) (any, error) {
					var answer any
					err := one.BeginTxFunc(background, options, func(tx pgx.Tx) error {
						shown, err := all(tx, "SHOW transaction_isolation")
						if err != nil {
							return err
						}
						inner, err := tx.Begin(background)
						if err != nil {
							return err
						}
						_, failed := all(inner, "SELECT 1 / (id - id) FROM item")
						if err := inner.Rollback(background); err != nil {
							return err
						}
						count, err := all(tx, "SELECT count(*) FROM item WHERE id > $1", 5)
						answer = []any{shown, failure(failed), count}
						return err
					})
					return answer, err
				}))
			}
		}
	}
	for _, each := range statements("write") {
		each := each
		write(each.name+", in a transaction", withConn("", func(one *pgx.Conn) (any, error) {
			return nil, one.BeginTxFunc(background, pgx.TxOptions{AccessMode: pgx.ReadWrite}, func(tx pgx.Tx) error {
				_, err := tx.Exec(background, each.text)
				return err
			})
		}))
	}
}

func sessions() {
	step("settings at connect", withConn("&application_name=matrix&search_path=shop,public&statement_timeout=4000",
		func(one *pgx.Conn) (any, error) {
			answers := []any{one.PgConn().ParameterStatus("server_version"), one.PgConn().ParameterStatus("client_encoding")}
			for _, name := range strings.Fields("application_name search_path statement_timeout") {
				rows, err := all(one, "SHOW "+name)
				if err != nil {
					return nil, err
				}
				answers = append(answers, rows)
			}
			return answers, nil
		}))
	step("any session", withConn("&target_session_attrs=any", func(one *pgx.Conn) (any, error) { return all(one, "SELECT 1") }))
	step("pool", func() (any, error) {
		pool, err := pgxpool.Connect(background, os.Getenv("MATRIX_URL")+"?sslmode=disable&pool_max_conns=4")
		if err != nil {
			return nil, err
		}
		defer pool.Close()
		answers := make([]any, 30)
		var group sync.WaitGroup
		for n := range answers {
			group.Add(1)
			go func(n int) {
				defer group.Done()
				rows, err := all(pool, "SELECT name FROM item WHERE id = $1", n+1)
				answers[n] = rows
				if err != nil {
					answers[n] = err.Error()
				}
			}(n)
		}
		group.Wait()
		return answers, pool.Ping(background)
	})
	step("database/sql", func() (any, error) {
		config, err := pgx.ParseConfig(os.Getenv("MATRIX_URL") + "?sslmode=disable")
		if err != nil {
			return nil, err
		}
		db := stdlib.OpenDB(*config)
		defer db.Close()
		tx, err := db.BeginTx(background, &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelSerializable})
		if err != nil {
			return nil, err
		}
		count := 0
		if err := tx.QueryRow("SELECT count(*) FROM item WHERE id > $1", 10).Scan(&count); err != nil {
			return nil, err
		}
		return count, tx.Commit()
	})
	step("cancel by the context", withConn("", func(one *pgx.Conn) (any, error) {
		limited, stop := context.WithTimeout(background, 700*time.Millisecond)
		defer stop()
		_, err := one.Exec(limited, "SELECT count(*) FROM generate_series(1, 1000000000)")
		return []any{err != nil, one.IsClosed()}, nil
	}))
	step("cancel by a request", withConn("", func(one *pgx.Conn) (any, error) {
		go func() {
			time.Sleep(time.Second)
			one.PgConn().CancelRequest(background)
		}()
		_, err := one.Exec(background, "SELECT count(*) FROM generate_series(1, 1000000000)")
		failed, wrong := fails(err)
		if wrong != nil {
			return nil, wrong
		}
		rows, err := all(one, "SELECT 'usable'")
		return []any{failed, rows}, err
	}))
	step("notices", func() (any, error) {
		config, err := pgx.ParseConfig(os.Getenv("MATRIX_URL") + "?sslmode=disable")
		if err != nil {
			return nil, err
		}
		told := []any{}
		config.OnNotice = func(_ *pgconn.PgConn, notice *pgconn.Notice) {
			told = append(told, []any{notice.Code, notice.Message})
		}
		one, err := pgx.ConnectConfig(background, config)
		if err != nil {
			return nil, err
		}
		defer one.Close(background)
		_, err = one.Exec(background, "SELECT 'warning' ~~~> 'words'")
		return told, err
	})
	step("types that are loaded", withConn("", func(one *pgx.Conn) (any, error) {
		return all(one, "SELECT oid::text, typname::text, typelem::text FROM pg_type WHERE typname IN ('mood', 'pair', 'positive', '_mood') ORDER BY typname")
	}))
	step("error: fields", withConn("", func(one *pgx.Conn) (any, error) {
		_, err := one.Exec(background, "SELECT 'P0042' !!!> 'told'")
		told, known := err.(*pgconn.PgError)
		if !known {
			return nil, err
		}
		return []any{told.Code, told.Message, told.Detail, told.Hint, told.TableName, told.ColumnName, told.SchemaName,
			told.ConstraintName, told.DataTypeName, told.Severity}, nil
	}))
	write("replication", func() (any, error) {
		one, err := pgconn.Connect(background, os.Getenv("MATRIX_URL")+"?sslmode=disable&replication=database")
		if err != nil {
			return nil, err
		}
		defer one.Close(background)
		_, err = one.Exec(background, "IDENTIFY_SYSTEM").ReadAll()
		return nil, err
	})
}

func main() {
	emit(map[string]any{"client": "pgx", "version": packaged("golang-github-jackc-pgx-v4-dev")})
	for _, mode := range []string{"prepared", "described", "not cached", "simple"} {
		queries(mode)
	}
	statementsAndBatches()
	transactions()
	sessions()
}
