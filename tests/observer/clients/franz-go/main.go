// Produces and consumes as README.md beside this folder says, by franz-go.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
)

var codecs = map[string]kgo.CompressionCodec{
	"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
	"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
}

var acknowledgements = map[string][]kgo.Opt{
	"all": {kgo.RequiredAcks(kgo.AllISRAcks())},
	"1":   {kgo.RequiredAcks(kgo.LeaderAck()), kgo.DisableIdempotentWrite()},
	"0":   {kgo.RequiredAcks(kgo.NoAck()), kgo.DisableIdempotentWrite()},
}

type counts struct {
	Acknowledged int `json:"acknowledged"`
	Unconfirmed  int `json:"unconfirmed"`
	Consumed     int `json:"consumed"`
}

func main() {
	topic, clientID := os.Args[2], os.Args[3]
	records, err := strconv.Atoi(os.Args[4])
	if err != nil {
		log.Fatal(err)
	}
	common := []kgo.Opt{kgo.SeedBrokers(os.Args[1]), kgo.ClientID(clientID), kgo.AllowAutoTopicCreation()}
	var done counts
	for _, way := range strings.Split(os.Args[5], ",") {
		codec, acks, _ := strings.Cut(way, ":")
		options := append([]kgo.Opt{kgo.ProducerBatchCompression(codecs[codec])}, acknowledgements[acks]...)
		produce(append(options, common...), topic, way, records)
		if acks == "0" {
			done.Unconfirmed += records
		} else {
			done.Acknowledged += records
		}
	}
	group := []kgo.Opt{
		kgo.ConsumerGroup(clientID), kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
	}
	done.Consumed = consume(append(group, common...), done.Acknowledged+done.Unconfirmed)
	if err := json.NewEncoder(os.Stdout).Encode(done); err != nil {
		log.Fatal(err)
	}
}

func produce(options []kgo.Opt, topic, way string, records int) {
	client, err := kgo.NewClient(options...)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	sent := make([]*kgo.Record, records)
	for number := range sent {
		key, value := []byte(strconv.Itoa(number)), []byte(strings.Repeat(fmt.Sprintf("%s %d ", way, number), 10))
		sent[number] = &kgo.Record{Topic: topic, Key: key, Value: value}
	}
	if err := client.ProduceSync(context.Background(), sent...).FirstErr(); err != nil {
		log.Fatal(err)
	}
}

func consume(options []kgo.Opt, wanted int) int {
	client, err := kgo.NewClient(options...)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	places := map[string]bool{}
	for len(places) < wanted {
		client.PollFetches(context.Background()).EachRecord(func(record *kgo.Record) {
			places[fmt.Sprintf("%d:%d", record.Partition, record.Offset)] = true
		})
	}
	return len(places)
}
