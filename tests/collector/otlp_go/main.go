// A program with OpenTelemetry's SDK for Go: services that count, measure and time what each line of the input says, and
// export it before they answer. It obeys the same command line and input as the one in Java.
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/metric"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
)

// Nothing is exported but what a flush exports.
const never = 24 * time.Hour

type service struct {
	provider *sdk.MeterProvider
	orders   metric.Int64Counter
	waiting  metric.Float64Gauge
	duration metric.Float64Histogram
}

func delta(sdk.InstrumentKind) metricdata.Temporality { return metricdata.DeltaTemporality }

func cumulative(sdk.InstrumentKind) metricdata.Temporality { return metricdata.CumulativeTemporality }

// The name says how it exports: <anything>-<cumulative or delta>-<grpc or http>.
func exporter(ctx context.Context, name, grpcPort, httpPort, token string) (sdk.Exporter, error) {
	temporality := cumulative
	if strings.Contains(name, "-delta-") {
		temporality = delta
	}
	headers := map[string]string{"authorization": "Bearer " + token}
	if strings.HasSuffix(name, "-grpc") {
		return otlpmetricgrpc.New(ctx, otlpmetricgrpc.WithEndpoint("127.0.0.1:"+grpcPort), otlpmetricgrpc.WithInsecure(),
			otlpmetricgrpc.WithHeaders(headers), otlpmetricgrpc.WithTemporalitySelector(temporality))
	}
	return otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpoint("127.0.0.1:"+httpPort), otlpmetrichttp.WithInsecure(),
		otlpmetrichttp.WithHeaders(headers), otlpmetrichttp.WithTemporalitySelector(temporality))
}

func newService(ctx context.Context, name, grpcPort, httpPort, token string) (*service, error) {
	exports, err := exporter(ctx, name, grpcPort, httpPort, token)
	if err != nil {
		return nil, err
	}
	described := resource.NewSchemaless(attribute.String("service.namespace", "shop"),
		attribute.String("service.name", name), attribute.String("service.instance.id", "0"))
	one := &service{provider: sdk.NewMeterProvider(sdk.WithResource(described),
		sdk.WithReader(sdk.NewPeriodicReader(exports, sdk.WithInterval(never))))}
	meter := one.provider.Meter("orders")
	if one.orders, err = meter.Int64Counter("app.orders"); err != nil {
		return nil, err
	}
	if one.waiting, err = meter.Float64Gauge("app.waiting"); err != nil {
		return nil, err
	}
	one.duration, err = meter.Float64Histogram("app.duration", metric.WithUnit("s"),
		metric.WithExplicitBucketBoundaries(0.1, 0.5, 1))
	return one, err
}

func (one *service) add(ctx context.Context, amount int64) error {
	one.orders.Add(ctx, amount)
	one.waiting.Record(ctx, float64(amount)+0.5)
	for range amount {
		one.duration.Record(ctx, 0.25)
	}
	return one.provider.ForceFlush(ctx)
}

func run(ctx context.Context, arguments []string) error {
	var services []*service
	for _, name := range arguments[3:] {
		one, err := newService(ctx, name, arguments[0], arguments[1], arguments[2])
		if err != nil {
			return err
		}
		services = append(services, one)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		amount, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err != nil {
			return err
		}
		for _, one := range services {
			if err := one.add(ctx, amount); err != nil {
				return err
			}
		}
		fmt.Println("exported")
	}
	return lines.Err()
}

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}
