// pgconn, which pgx stands on: run as `go run kinds.go URL WISH…`; says which kinds of server it takes it for.

package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/jackc/pgconn"
)

func main() {
	for _, wish := range os.Args[2:] {
		connection, err := pgconn.Connect(context.Background(), os.Args[1]+"&target_session_attrs="+wish)
		if err != nil {
			if !strings.Contains(err.Error(), "ValidateConnect failed") {
				panic(err)
			}
			continue
		}
		if rows := connection.ExecParams(context.Background(), "SELECT 1", nil, nil, nil, nil).Read(); rows.Err != nil {
			panic(rows.Err)
		}
		connection.Close(context.Background())
		fmt.Println(wish)
	}
}
