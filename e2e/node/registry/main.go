// Command registry is a container registry that keeps images in memory, for tests of pushing. Usage: registry ADDRESS
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: registry ADDRESS, for example 127.0.0.1:0")
	}
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	// Port 0 lets the kernel choose; whoever started us reads the choice here.
	fmt.Println(listener.Addr())
	server := &http.Server{Handler: registry.New(), ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.Serve(listener))
}
