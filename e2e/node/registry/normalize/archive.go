package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// archiveReader reads images of an archive; what several images share is read once.
type archiveReader struct {
	file, scratch string
	layers        map[layerKey]*layer
}

type layerKey struct {
	content v1.Hash
	latest  int64
}

func (reader *archiveReader) image(
	tag name.Tag, labels map[string]string, created, latest time.Time,
) (v1.Image, error) {
	source, err := tarball.ImageFromPath(reader.file, &tag)
	if err != nil {
		return nil, err
	}
	config, err := source.ConfigFile()
	if err != nil {
		return nil, err
	}
	layers, err := source.Layers()
	if err != nil {
		return nil, err
	}
	normalized, err := mutate.ConfigFile(empty.Image, normalConfig(config, labels, created))
	if err != nil {
		return nil, err
	}
	normalized = mutate.ConfigMediaType(mutate.MediaType(normalized, types.OCIManifestSchema1), types.OCIConfigJSON)
	histories := config.History
	for _, layer := range layers {
		kept, err := reader.layer(layer, latest)
		if err != nil {
			return nil, err
		}
		// Steps that changed no file come before the one of this layer.
		for len(histories) > 0 && histories[0].EmptyLayer {
			if normalized, err = appendHistory(normalized, histories[0], nil, created); err != nil {
				return nil, err
			}
			histories = histories[1:]
		}
		if len(histories) == 0 {
			return nil, fmt.Errorf("its configuration has fewer steps than layers")
		}
		if normalized, err = appendHistory(normalized, histories[0], kept, created); err != nil {
			return nil, err
		}
		histories = histories[1:]
	}
	for _, step := range histories {
		if normalized, err = appendHistory(normalized, step, nil, created); err != nil {
			return nil, err
		}
	}
	return normalized, nil
}

func (reader *archiveReader) layer(source v1.Layer, latest time.Time) (*layer, error) {
	content, err := source.DiffID()
	if err != nil {
		return nil, err
	}
	key := layerKey{content, latest.Unix()}
	if known, ok := reader.layers[key]; ok {
		return known, nil
	}
	stream, err := source.Uncompressed()
	if err != nil {
		return nil, fmt.Errorf("layer %s: %w", content, err)
	}
	defer stream.Close()
	hash := sha256.New()
	bytes := io.TeeReader(stream, hash)
	kept, err := normalLayer(bytes, latest, reader.scratch)
	if err != nil {
		return nil, fmt.Errorf("layer %s: %w", content, err)
	}
	// Behind the end of a tar archive are zeros, which count.
	if _, err := io.Copy(io.Discard, bytes); err != nil {
		return nil, fmt.Errorf("layer %s: %w", content, err)
	}
	if found := fmt.Sprintf("%x", hash.Sum(nil)); found != content.Hex {
		return nil, fmt.Errorf("layer %s is damaged, its SHA-256 is %s", content, found)
	}
	reader.layers[key] = kept
	return kept, nil
}

// normalConfig returns a configuration without layers and history, and without what names the machine that built it.
func normalConfig(source *v1.ConfigFile, labels map[string]string, created time.Time) *v1.ConfigFile {
	config := *source.Config.DeepCopy()
	config.Hostname, config.Domainname, config.Image = "", "", ""
	// The engine's own, of which a registry knows nothing.
	config.AttachStdin, config.AttachStdout, config.AttachStderr = false, false, false
	config.OpenStdin, config.StdinOnce, config.Tty = false, false, false
	merged := map[string]string{}
	for _, of := range []map[string]string{config.Labels, labels} {
		for key, value := range of {
			merged[key] = value
		}
	}
	config.Labels = merged
	return &v1.ConfigFile{
		Architecture: source.Architecture,
		OS:           source.OS,
		Variant:      source.Variant,
		Created:      v1.Time{Time: created},
		Config:       config,
		RootFS:       v1.RootFS{Type: "layers"},
	}
}

func appendHistory(image v1.Image, step v1.History, kept *layer, created time.Time) (v1.Image, error) {
	// A step's text names the base by the key of its content.
	added := v1.History{
		Created: v1.Time{Time: created}, CreatedBy: strings.TrimSpace(step.CreatedBy), EmptyLayer: kept == nil,
	}
	addendum := mutate.Addendum{History: added}
	if kept != nil {
		addendum.Layer, addendum.MediaType = kept, types.OCILayer
	}
	return mutate.Append(image, addendum)
}
