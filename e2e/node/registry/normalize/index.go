package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Tools find an image of a layout by this annotation.
const referenceName = "org.opencontainers.image.ref.name"

// namedIndex is an image of each platform, and what it is called.
type namedIndex struct {
	image Image
	index v1.ImageIndex
	// Digests by platform.
	platforms map[string]string
}

func indexOf(normalized v1.Image, image Image) (namedIndex, error) {
	config, err := normalized.ConfigFile()
	if err != nil {
		return namedIndex{}, err
	}
	platform := v1.Platform{OS: config.OS, Architecture: config.Architecture, Variant: config.Variant}
	annotated := mutate.Annotations(normalized, image.Labels).(v1.Image)
	digest, err := annotated.Digest()
	if err != nil {
		return namedIndex{}, err
	}
	added := mutate.IndexAddendum{Add: annotated, Descriptor: v1.Descriptor{Platform: &platform}}
	index := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), added)
	index = mutate.Annotations(index, image.Labels).(v1.ImageIndex)
	return namedIndex{image, index, map[string]string{platform.String(): digest.String()}}, nil
}

// push sends the index to its registry, where it has one, and returns its digests.
func (named namedIndex) push() (Written, error) {
	digest, err := named.index.Digest()
	if err != nil {
		return Written{}, err
	}
	if named.image.Push != "" {
		reference, err := name.ParseReference(named.image.Push)
		if err != nil {
			return Written{}, err
		}
		signIn := remote.WithAuthFromKeychain(authn.DefaultKeychain)
		if err := remote.WriteIndex(reference, named.index, signIn); err != nil {
			remedy := "correct REGISTRY, or sign in there"
			return Written{}, fmt.Errorf("%s could not be pushed: %w: %s", named.image.Push, err, remedy)
		}
	}
	return Written{digest.String(), named.platforms}, nil
}

// writeLayout makes a layout with all images; it appears when it is complete, and replaces none.
func writeLayout(folder string, indexes []namedIndex) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return err
	}
	partial, err := os.MkdirTemp(filepath.Dir(folder), ".layout-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(partial)
	written, err := layout.Write(partial, empty.Index)
	if err != nil {
		return err
	}
	for _, named := range indexes {
		names := layout.WithAnnotations(map[string]string{referenceName: named.image.Name})
		if err := written.AppendIndex(named.index, names); err != nil {
			return err
		}
	}
	if err := os.Chmod(partial, 0o755); err != nil {
		return err
	}
	return os.Rename(partial, folder)
}
