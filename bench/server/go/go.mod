module widerow.test/bench/server

go 1.22

require github.com/gocql/gocql v1.3.2
