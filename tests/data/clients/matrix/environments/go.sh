# lib/pq and pgx as Debian has them; what they stand on is compiled here once.
debian golang-go golang-github-lib-pq-dev golang-github-jackc-pgx-v4-dev
export GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE=$PWD/cache
go build github.com/lib/pq github.com/jackc/pgx/v4/pgxpool github.com/jackc/pgx/v4/stdlib
