// Command registry is a container registry that keeps images in memory, for tests of pushing and pulling.
// It listens on one free port of each host. Usage: registry HOST...
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
	if len(os.Args) < 2 {
		log.Fatal("usage: registry HOST..., for example registry 127.0.0.1")
	}
	server := &http.Server{Handler: registry.New(), ReadHeaderTimeout: 10 * time.Second}
	// Port 0 lets the kernel choose; the other hosts get the same port.
	port := "0"
	for _, host := range os.Args[1:] {
		listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
		if err != nil {
			log.Fatal(err)
		}
		_, port, _ = net.SplitHostPort(listener.Addr().String())
		go func() { log.Fatal(server.Serve(listener)) }()
	}
	// Whoever started us reads the choice here.
	fmt.Println(port)
	select {}
}
