// Steps of a client program: each prints one line of JSON, and none stops the ones behind it.

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

var direct = os.Getenv("MATRIX_WAY") == "direct"

// A statement that every client asks; see statements.tsv.
type statement struct{ name, text string }

func statements(kind string) []statement {
	_, here, _, _ := runtime.Caller(0)
	file, err := os.Open(filepath.Join(filepath.Dir(here), "..", "statements.tsv"))
	if err != nil {
		panic(err)
	}
	defer file.Close()
	var found []statement
	for lines := bufio.NewScanner(file); lines.Scan(); {
		parts := strings.Split(lines.Text(), "\t")
		if parts[0] == kind {
			found = append(found, statement{parts[1], parts[2]})
		}
	}
	return found
}

// The version of a Debian package: drivers of Go do not tell their own.
func packaged(name string) string {
	told, err := exec.Command("dpkg-query", "-W", "-f", "${Version}", name).Output()
	if err != nil {
		return "unknown"
	}
	return strings.SplitN(string(told), "-", 2)[0]
}

// What has Postgres's code: each driver's error does, by one of these names.
type coded interface{ SQLState() string }

func failure(err error) map[string]any {
	code := fmt.Sprintf("%T", err)
	var told coded
	if errors.As(err, &told) {
		code = told.SQLState()
	}
	return map[string]any{"error": code, "message": strings.SplitN(err.Error(), "\n", 2)[0]}
}

func emit(line map[string]any) {
	text, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
}

// A step that hangs would take the others with it.
const stepMax = 25 * time.Second

type outcome struct {
	value any
	err   error
}

func bounded(run func() (any, error)) (any, error) {
	done := make(chan outcome, 1)
	go func() {
		value, err := run()
		done <- outcome{value, err}
	}()
	select {
	case told := <-done:
		return told.value, told.err
	case <-time.After(stepMax):
		return nil, errors.New("the step took too long")
	}
}

func step(name string, run func() (any, error)) { say(map[string]any{"step": name}, run) }

// A write must fail; directly it is not tried.
func write(name string, run func() (any, error)) {
	if !direct {
		say(map[string]any{"step": name, "write": true}, run)
	}
}

func say(line map[string]any, run func() (any, error)) {
	value, err := bounded(run)
	if err == nil {
		line["value"] = plain(value)
	} else {
		for key, each := range failure(err) {
			line[key] = each
		}
	}
	emit(line)
}

// What a step that must fail failed with.
func fails(err error) (any, error) {
	if err == nil {
		return nil, errors.New("this should have failed")
	}
	return failure(err), nil
}

// Values as JSON that is the same for the same values.
func plain(value any) any {
	switch it := value.(type) {
	case []byte:
		return string(it)
	case time.Time:
		return it.UTC().Format(time.RFC3339Nano)
	case float64:
		if math.IsNaN(it) || math.IsInf(it, 0) {
			return fmt.Sprint(it)
		}
		return it
	case float32:
		return plain(float64(it))
	case map[string]any:
		for key, each := range it {
			it[key] = plain(each)
		}
		return it
	case []any:
		for n, each := range it {
			it[n] = plain(each)
		}
		return it
	case nil, bool, string, int, int16, int32, int64, uint32, json.RawMessage, []string, []int64:
		return it
	default:
		return fmt.Sprintf("%T %v", it, it)
	}
}
