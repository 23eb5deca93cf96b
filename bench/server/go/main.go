// The load of bench/server/run, by gocql (../rust has the same by the scylla crate): one line for each workload, requests/s, 50th and 99th percentile in microseconds.
//
//	load HOST PORT fill
//	load HOST PORT WORKLOAD SECONDS CONCURRENCY RATE
//
// RATE: how many requests are due in a second, of all workers; 0: each worker's next one when it has the answer.
package main

import (
	"fmt"
	"log"
	"math/rand"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gocql/gocql"
)

const (
	rooms    = 200
	messages = 200
	page     = 50
	create   = "CREATE KEYSPACE bench_server WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
	table    = "CREATE TABLE bench_server.chat (room int, id bigint, author int, text text, PRIMARY KEY (room, id)) WITH CLUSTERING ORDER BY (id DESC)"
	insert   = "INSERT INTO bench_server.chat (room, id, author, text) VALUES (?, ?, ?, ?)"
)

var text = strings.Repeat("a message of a hundred bytes or so, ", 3)
var nextID atomic.Int64

var workloads = map[string]func(session *gocql.Session, random *rand.Rand) error{
	"point": func(session *gocql.Session, random *rand.Rand) error {
		var got string
		return session.Query("SELECT text FROM bench_server.chat WHERE room = ? AND id = ?", random.Intn(rooms), random.Intn(messages)).Scan(&got)
	},
	"page": func(session *gocql.Session, random *rand.Rand) error {
		rows := 0
		iter := session.Query("SELECT id, author, text FROM bench_server.chat WHERE room = ? AND id < ? LIMIT 50", random.Intn(rooms),
			page+random.Intn(messages-page)).Iter()
		var id int64
		var author int
		var got string
		for iter.Scan(&id, &author, &got) {
			rows++
		}
		if err := iter.Close(); err != nil {
			return err
		}
		if rows != page {
			return fmt.Errorf("a page of %d rows", rows)
		}
		return nil
	},
	"insert": func(session *gocql.Session, random *rand.Rand) error {
		return session.Query(insert, rooms+random.Intn(rooms), nextID.Add(1), 1, text).Exec()
	},
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func fill(session *gocql.Session) {
	must(session.Query("DROP KEYSPACE IF EXISTS bench_server").Exec())
	must(session.Query(create).Exec())
	must(session.Query(table).Exec())
	each(16, func(worker int) {
		for room := worker; room < rooms; room += 16 {
			for id := 0; id < messages; id++ {
				must(session.Query(insert, room, id, id%7, text).Exec())
			}
		}
	})
}

func each(workers int, run func(worker int)) {
	var group sync.WaitGroup
	for worker := 0; worker < workers; worker++ {
		group.Add(1)
		go func() {
			defer group.Done()
			run(worker)
		}()
	}
	group.Wait()
}

// How long each request took from when it was due, of all workers, in order. A timer that rings late is not the server's fault.
func measure(session *gocql.Session, request func(*gocql.Session, *rand.Rand) error, duration time.Duration, workers int, rate float64) []time.Duration {
	var lock sync.Mutex
	var all []time.Duration
	var step time.Duration
	if rate > 0 {
		step = time.Duration(float64(workers) / rate * float64(time.Second))
	}
	start := time.Now()
	end := start.Add(duration)
	each(workers, func(worker int) {
		var mine []time.Duration
		random := rand.New(rand.NewSource(int64(worker)))
		for due := start.Add(step * time.Duration(worker) / time.Duration(workers)); due.Before(end); {
			from := due
			if wait := time.Until(due); wait > 0 {
				time.Sleep(wait)
				from = time.Now()
			}
			must(request(session, random))
			now := time.Now()
			mine = append(mine, now.Sub(from))
			if step > 0 {
				due = due.Add(step)
			} else {
				due = now
			}
		}
		lock.Lock()
		all = append(all, mine...)
		lock.Unlock()
	})
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	return all
}

func main() {
	port, err := strconv.Atoi(os.Args[2])
	must(err)
	cluster := gocql.NewCluster(os.Args[1])
	cluster.Port, cluster.Timeout, cluster.ConnectTimeout, cluster.Consistency, cluster.NumConns = port, time.Minute, time.Minute, gocql.LocalOne, 4
	cluster.PageSize = page
	if len(os.Args) > 6 && os.Args[6] != "0" { // else it holds a request back for 200 us, for others to come with it
		cluster.WriteCoalesceWaitTime = 0
	}
	session, err := cluster.CreateSession()
	must(err)
	defer session.Close()
	if os.Args[3] == "fill" {
		fill(session)
		return
	}
	seconds, err := strconv.ParseFloat(os.Args[4], 64)
	must(err)
	workers, err := strconv.Atoi(os.Args[5])
	must(err)
	rate, err := strconv.ParseFloat(os.Args[6], 64)
	must(err)
	nextID.Store(time.Now().UnixNano())
	duration := time.Duration(seconds * float64(time.Second))
	took := measure(session, workloads[os.Args[3]], duration, workers, rate)
	fmt.Println(len(took), float64(len(took))/seconds, took[len(took)/2].Microseconds(), took[len(took)*99/100].Microseconds())
}
