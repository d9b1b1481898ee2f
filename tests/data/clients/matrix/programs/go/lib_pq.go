// lib/pq under database/sql: its two ways of parameters, transactions, copy, its Listener.

package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/lib/pq"
)

var background = context.Background()

func open(settings string) *sql.DB {
	db, err := sql.Open("postgres", os.Getenv("MATRIX_URL")+"?sslmode=disable"+settings)
	if err != nil {
		panic(err)
	}
	db.SetMaxOpenConns(4)
	return db
}

func withDb(settings string, run func(*sql.DB) (any, error)) func() (any, error) {
	return func() (any, error) {
		db := open(settings)
		defer db.Close()
		return run(db)
	}
}

type asker interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}

func all(from asker, text string, given ...any) (any, error) {
	set, err := from.QueryContext(background, text, given...)
	if err != nil {
		return nil, err
	}
	return collect(set)
}

func collect(set *sql.Rows) (any, error) {
	defer set.Close()
	names, _ := set.Columns()
	found := []any{}
	for set.Next() {
		row, into := make([]any, len(names)), make([]any, len(names))
		for n := range row {
			into[n] = &row[n]
		}
		if err := set.Scan(into...); err != nil {
			return nil, err
		}
		found = append(found, plain(row))
	}
	return found, set.Err()
}

const parameters = `SELECT $1::int4, $2::int8, $3::text, $4::bool, $5::float8, $6::numeric, $7::bytea, $8::timestamptz,
	$9::date, $10::int4[], $11::text[], $12::jsonb, $13::uuid, $14::inet, $15::text, $16::mood`

func given() []any {
	return []any{7, int64(9007199254740993), "it's \\ ünïcode 🙂", true, 1.5e-7, "1234.5600", []byte("abc"),
		time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC), "2024-02-29", pq.Array([]int64{1, 2}), pq.Array([]string{"a", "b,\"c\""}),
		`{"a": [1, null]}`, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "10.0.0.0/8", nil, "happy"}
}

func queries(name, settings string) {
	step("rows, "+name, withDb(settings, func(db *sql.DB) (any, error) {
		return all(db, "SELECT id, name, price, made, tags, state FROM item ORDER BY id LIMIT 12")
	}))
	step("every type, "+name, withDb(settings, func(db *sql.DB) (any, error) { return all(db, "SELECT * FROM every_type") }))
	step("parameters, "+name, withDb(settings, func(db *sql.DB) (any, error) { return all(db, parameters, given()...) }))
	step("prepared, "+name, withDb(settings, func(db *sql.DB) (any, error) {
		one, err := db.Prepare("SELECT * FROM item WHERE id = $1")
		if err != nil {
			return nil, err
		}
		defer one.Close()
		answers := []any{}
		for id := 1; id < 12; id += 3 {
			set, err := one.Query(id)
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
	step("columns, "+name, withDb(settings, func(db *sql.DB) (any, error) {
		set, err := db.Query("SELECT * FROM every_type WHERE a_int4 > $1", 0)
		if err != nil {
			return nil, err
		}
		defer set.Close()
		types, _ := set.ColumnTypes()
		found := []any{}
		for _, each := range types {
			size, sized := each.Length()
			found = append(found, fmt.Sprint(each.Name(), each.DatabaseTypeName(), size, sized, each.ScanType()))
		}
		return found, nil
	}))
	step("fifty thousand rows, "+name, withDb(settings, func(db *sql.DB) (any, error) {
		set, err := db.Query("SELECT id, note FROM shop.reading WHERE id > $1", 0)
		if err != nil {
			return nil, err
		}
		defer set.Close()
		sum, id, note := 0, 0, ""
		for set.Next() {
			if err := set.Scan(&id, &note); err != nil {
				return nil, err
			}
			sum += id + len(note)
		}
		return sum, set.Err()
	}))
	step("left early, "+name, withDb(settings, func(db *sql.DB) (any, error) {
		set, err := db.Query("SELECT id FROM shop.reading ORDER BY id")
		if err != nil {
			return nil, err
		}
		set.Next()
		set.Close()
		return all(db, "SELECT 'usable'")
	}))
}

func transactions() {
	levels := []sql.IsolationLevel{sql.LevelDefault, sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSerializable}
	for _, level := range levels {
		for _, readOnly := range []bool{true, false} {
			step(fmt.Sprintf("transaction: %v, read only %v", level, readOnly), withDb("", func(db *sql.DB) (any, error) {
				tx, err := db.BeginTx(background, &sql.TxOptions{Isolation: level, ReadOnly: readOnly})
				if err != nil {
					return nil, err
				}
				defer tx.Rollback()
				shown, err := all(tx, "SHOW transaction_isolation")
				if err != nil {
					return nil, err
				}
				if _, err := tx.Exec("SAVEPOINT one"); err != nil {
					return nil, err
				}
				failed, err := fails(second(all(tx, "SELECT 1/0")))
				if err != nil {
					return nil, err
				}
				if _, err := tx.Exec("ROLLBACK TO SAVEPOINT one"); err != nil {
					return nil, err
				}
				count, err := all(tx, "SELECT count(*) FROM item WHERE id > $1", 5)
				if err != nil {
					return nil, err
				}
				return []any{shown, failed, count}, tx.Commit()
			}))
		}
	}
	step("a transaction that fails", withDb("", func(db *sql.DB) (any, error) {
		tx, err := db.Begin()
		if err != nil {
			return nil, err
		}
		failed, err := fails(second(all(tx, "SELECT no_such_column FROM item")))
		if err != nil {
			return nil, err
		}
		again, err := fails(second(all(tx, "SELECT 1")))
		tx.Commit()
		return []any{failed, again}, err
	}))
}

func second(_ any, err error) error { return err }

func errorsAndWrites() {
	for _, each := range statements("error") {
		each := each
		step("error: "+each.name, withDb("", func(db *sql.DB) (any, error) { return all(db, each.text) }))
		step("error: "+each.name+", prepared", withDb("", func(db *sql.DB) (any, error) {
			one, err := db.Prepare(each.text)
			if err != nil {
				return nil, err
			}
			return one.Exec()
		}))
	}
	for _, each := range statements("write") {
		each := each
		write(each.name, withDb("", func(db *sql.DB) (any, error) { return db.Exec(each.text) }))
		write(each.name+", prepared", withDb("", func(db *sql.DB) (any, error) {
			one, err := db.Prepare(each.text)
			if err != nil {
				return nil, err
			}
			return one.Exec()
		}))
		write(each.name+", in a transaction", withDb("", func(db *sql.DB) (any, error) {
			tx, err := db.Begin()
			if err != nil {
				return nil, err
			}
			defer tx.Rollback()
			if _, err := tx.Exec(each.text); err != nil {
				return nil, err
			}
			return nil, tx.Commit()
		}))
	}
	write("copy in", withDb("", func(db *sql.DB) (any, error) {
		tx, err := db.Begin()
		if err != nil {
			return nil, err
		}
		defer tx.Rollback()
		into, err := tx.Prepare(pq.CopyIn("part", "item_id", "line"))
		if err != nil {
			return nil, err
		}
		if _, err := into.Exec(1, 77); err != nil {
			return nil, err
		}
		if _, err := into.Exec(); err != nil {
			return nil, err
		}
		return nil, tx.Commit()
	}))
	// It must hear an answer, and not try for ever.
	step("listener", func() (any, error) {
		listener := pq.NewListener(os.Getenv("MATRIX_URL")+"?sslmode=disable", 10*time.Millisecond, time.Second, nil)
		defer listener.Close()
		return nil, listener.Listen("left_behind")
	})
}

func sessions() {
	step("settings at connect", withDb("&application_name=matrix&search_path=shop,public&statement_timeout=4000&TimeZone=UTC",
		func(db *sql.DB) (any, error) {
			answers := []any{}
			for _, name := range strings.Fields("application_name search_path statement_timeout timezone datestyle") {
				rows, err := all(db, "SHOW "+name)
				if err != nil {
					return nil, err
				}
				answers = append(answers, rows)
			}
			return answers, nil
		}))
	step("one connection", withDb("", func(db *sql.DB) (any, error) {
		one, err := db.Conn(background)
		if err != nil {
			return nil, err
		}
		defer one.Close()
		for _, text := range []string{"SET search_path TO shop", "SET TIME ZONE 'UTC'; SET datestyle TO 'ISO, DMY'"} {
			if _, err := one.ExecContext(background, text); err != nil {
				return nil, err
			}
		}
		rows, err := all(one, "SELECT current_schema(), count(*) FROM customer")
		if err != nil {
			return nil, err
		}
		_, err = one.ExecContext(background, "DISCARD ALL")
		return rows, err
	}))
	step("several statements", withDb("", func(db *sql.DB) (any, error) {
		set, err := db.Query("SET TIME ZONE 'UTC'; SELECT id FROM item WHERE id < 3; RESET TIME ZONE")
		if err != nil {
			return nil, err
		}
		answers := []any{}
		for more := true; more; more = set.NextResultSet() {
			for set.Next() {
				id := 0
				if err := set.Scan(&id); err != nil {
					return nil, err
				}
				answers = append(answers, id)
			}
		}
		return answers, set.Close()
	}))
	step("pool", withDb("", func(db *sql.DB) (any, error) {
		answers := make([]any, 30)
		var group sync.WaitGroup
		for n := range answers {
			group.Add(1)
			go func(n int) {
				defer group.Done()
				rows, err := all(db, "SELECT name FROM item WHERE id = $1", n+1)
				answers[n] = rows
				if err != nil {
					answers[n] = err.Error()
				}
			}(n)
		}
		group.Wait()
		return answers, db.Ping()
	}))
	step("cancel by the context", withDb("", func(db *sql.DB) (any, error) {
		limited, stop := context.WithTimeout(background, 700*time.Millisecond)
		defer stop()
		_, err := db.QueryContext(limited, "SELECT count(*) FROM generate_series(1, 1000000000)")
		failed, wrong := fails(err)
		if wrong != nil {
			return nil, wrong
		}
		rows, err := all(db, "SELECT 'usable'")
		return []any{failed, rows}, err
	}))
	step("notices", func() (any, error) {
		told := []any{}
		base, err := pq.NewConnector(os.Getenv("MATRIX_URL") + "?sslmode=disable")
		if err != nil {
			return nil, err
		}
		db := sql.OpenDB(pq.ConnectorWithNoticeHandler(base, func(notice *pq.Error) {
			told = append(told, []any{string(notice.Code), notice.Message})
		}))
		defer db.Close()
		_, err = db.Exec("SELECT 'warning' ~~~> 'words'")
		return told, err
	})
	step("error: fields", withDb("", func(db *sql.DB) (any, error) {
		_, err := db.Exec("SELECT 'P0042' !!!> 'told'")
		told, known := err.(*pq.Error)
		if !known {
			return nil, err
		}
		return []any{string(told.Code), told.Message, told.Detail, told.Hint, told.Table, told.Column, told.Schema,
			told.Constraint, told.DataTypeName, told.Severity}, nil
	}))
	step("error: the database is not there", func() (any, error) {
		address := strings.Replace(os.Getenv("MATRIX_URL"), "/matrix", "/no_such_database", 1)
		db, err := sql.Open("postgres", address+"?sslmode=disable")
		if err != nil {
			return nil, err
		}
		defer db.Close()
		return nil, db.Ping()
	})
}

func main() {
	emit(map[string]any{"client": "lib/pq", "version": packaged("golang-github-lib-pq-dev")})
	queries("described first", "")
	queries("binary parameters", "&binary_parameters=yes")
	transactions()
	errorsAndWrites()
	sessions()
}
