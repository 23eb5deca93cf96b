module widerow.test/temporal

go 1.25

require (
	go.temporal.io/api v1.53.0
	go.temporal.io/sdk v1.35.0
	go.temporal.io/server v1.29.1
)
