module widerow.test/jaeger

go 1.22

require (
	github.com/gocql/gocql v1.3.2
	github.com/jaegertracing/jaeger v1.57.0
	go.uber.org/zap v1.27.0
)
