// Command normalize writes images of a container engine in a form that depends on their content alone: into an OCI
// image layout, and to a registry.
//
// Standard input is a request in JSON, standard output the digests in JSON. Nothing is written where an image of the
// archive is incomplete.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
)

// Request describes the images of one archive, as `docker save` writes it.
type Request struct {
	Archive string `json:"archive"`
	// Layout is the folder of the OCI image layout; it must be absent.
	Layout string `json:"layout"`
	// Created is the time of all images, in seconds since 1970.
	Created int64   `json:"created"`
	Images  []Image `json:"images"`
}

// Image describes an image of the archive, and where it goes.
type Image struct {
	Name string `json:"name"`
	// Reference is its name in the archive.
	Reference string `json:"reference"`
	// Latest is the latest time that a file may have, in seconds since 1970; later ones get it.
	Latest int64             `json:"latest"`
	Labels map[string]string `json:"labels"`
	// Push is where it is pushed; empty, it is not.
	Push string `json:"push"`
}

// Written has the digests of an image.
type Written struct {
	Digest    string            `json:"digest"`
	Platforms map[string]string `json:"platforms"`
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("normalize: ")
	written, err := run(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(written); err != nil {
		log.Fatal(err)
	}
}

func run(input io.Reader) (map[string]Written, error) {
	var request Request
	decoder := json.NewDecoder(input)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&request); err != nil {
		return nil, fmt.Errorf("the request on standard input is malformed: %w", err)
	}
	// Layers are kept here until all images are complete.
	scratch, err := os.MkdirTemp("", "normalize-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	reader := archiveReader{file: request.Archive, scratch: scratch, layers: map[layerKey]*layer{}}
	created := time.Unix(request.Created, 0).UTC()
	var indexes []namedIndex
	for _, image := range request.Images {
		tag, err := name.NewTag(image.Reference)
		if err != nil {
			return nil, err
		}
		normalized, err := reader.image(tag, image.Labels, created, time.Unix(image.Latest, 0).UTC())
		if err != nil {
			return nil, fmt.Errorf("%s in %s: %w: save it again", image.Reference, request.Archive, err)
		}
		index, err := indexOf(normalized, image)
		if err != nil {
			return nil, err
		}
		indexes = append(indexes, index)
	}
	if err := writeLayout(request.Layout, indexes); err != nil {
		return nil, err
	}
	written := map[string]Written{}
	for _, index := range indexes {
		if written[index.image.Name], err = index.push(); err != nil {
			return nil, err
		}
	}
	return written, nil
}
