package main

import (
	"archive/tar"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"sort"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/gzip"
)

// Files that say when and where an image was built, and that nothing reads in a container.
var leftOut = []string{
	"tmp/*",
	"tmp/*/*",
	"var/cache/apt/*.bin",
	"var/cache/debconf/*-old",
	"var/cache/ldconfig/aux-cache",
	"var/lib/apt/lists/*",
	"var/lib/dpkg/*-old",
	"var/log/*",
	"var/log/*/*",
}

// What stays of an entry's extended records: capabilities of files, for one.
const attributes = "SCHILY.xattr."

// entry is a file of a layer; its content is in a scratch file.
type entry struct {
	header *tar.Header
	offset int64
}

// normalLayer reads a layer and writes it with entries by name, without names of owners and times of access, and with
// no time later than latest.
func normalLayer(stream io.Reader, latest time.Time, scratch string) (*layer, error) {
	spool, err := os.CreateTemp(scratch, "content-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(spool.Name())
	defer spool.Close()
	entries, err := readEntries(tar.NewReader(stream), spool, latest)
	if err != nil {
		return nil, err
	}
	kept := byName(entries)
	compressed, err := os.CreateTemp(scratch, "layer-")
	if err != nil {
		return nil, err
	}
	defer compressed.Close()
	written := &counted{writer: compressed, hash: sha256.New()}
	// This library is pinned; what the standard one writes changes with Go.
	squeezed, err := gzip.NewWriterLevel(written, gzip.DefaultCompression)
	if err != nil {
		return nil, err
	}
	content := &counted{writer: squeezed, hash: sha256.New()}
	archive := tar.NewWriter(content)
	for _, entry := range kept {
		if err := archive.WriteHeader(entry.header); err != nil {
			return nil, fmt.Errorf("%s: %w", entry.header.Name, err)
		}
		if _, err := io.Copy(archive, io.NewSectionReader(spool, entry.offset, entry.header.Size)); err != nil {
			return nil, fmt.Errorf("%s: %w", entry.header.Name, err)
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := squeezed.Close(); err != nil {
		return nil, err
	}
	return &layer{file: compressed.Name(), content: content.sum(), compressed: written.sum(), size: written.size}, nil
}

func readEntries(archive *tar.Reader, spool io.Writer, latest time.Time) (map[string]entry, error) {
	entries := map[string]entry{}
	var offset int64
	for {
		header, err := archive.Next()
		if err == io.EOF {
			return entries, nil
		}
		if err != nil {
			return nil, err
		}
		size, err := io.Copy(spool, archive)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", header.Name, err)
		}
		normal := normalHeader(header, size, latest)
		if place := strings.TrimSuffix(normal.Name, "/"); !isLeftOut(place, normal.Typeflag) {
			// Of two entries with one name the later one counts.
			entries[place] = entry{normal, offset}
		}
		offset += size
	}
}

func normalHeader(header *tar.Header, size int64, latest time.Time) *tar.Header {
	modified := header.ModTime.Truncate(time.Second)
	if modified.After(latest) {
		modified = latest
	}
	records := map[string]string{}
	for key, value := range header.PAXRecords {
		if strings.HasPrefix(key, attributes) {
			records[key] = value
		}
	}
	name := path.Clean(strings.TrimLeft(header.Name, "/"))
	target := header.Linkname
	if header.Typeflag == tar.TypeLink {
		target = path.Clean(strings.TrimLeft(target, "/"))
	}
	kind := header.Typeflag
	switch kind {
	case tar.TypeDir:
		name += "/"
	case tar.TypeGNUSparse, tar.TypeCont:
		kind = tar.TypeReg
	}
	return &tar.Header{
		Typeflag: kind, Name: name, Linkname: target, Size: size, Mode: header.Mode & 0o7777,
		Uid: header.Uid, Gid: header.Gid, ModTime: modified,
		Devmajor: header.Devmajor, Devminor: header.Devminor, PAXRecords: records,
	}
}

func isLeftOut(place string, kind byte) bool {
	// A whiteout removes a file of a layer below.
	if kind == tar.TypeDir && !strings.HasPrefix(place, "tmp/") || strings.HasPrefix(path.Base(place), ".wh.") {
		return false
	}
	for _, pattern := range leftOut {
		if matches, _ := path.Match(pattern, place); matches {
			return true
		}
	}
	return false
}

// byName returns entries by name, each folder before what it has; of the names of one file the first has the content.
func byName(entries map[string]entry) []entry {
	places := make([]string, 0, len(entries))
	for place := range entries {
		places = append(places, place)
	}
	sort.Strings(places)
	first := map[string]string{}
	sorted := make([]entry, 0, len(places))
	for _, place := range places {
		named := entries[place]
		owner := place
		if named.header.Typeflag == tar.TypeLink {
			owner = named.header.Linkname
		}
		source, here := entries[owner]
		if !here || source.header.Typeflag == tar.TypeLink && owner != place {
			sorted = append(sorted, named)
			continue
		}
		if before, ok := first[owner]; ok {
			link := *source.header
			link.Typeflag, link.Name, link.Linkname, link.Size = tar.TypeLink, place, before, 0
			named = entry{header: &link}
		} else {
			first[owner] = place
			if owner != place {
				whole := *source.header
				whole.Name = place
				named = entry{&whole, source.offset}
			}
		}
		sorted = append(sorted, named)
	}
	return sorted
}

// counted writes on, and knows size and SHA-256 of what it wrote.
type counted struct {
	writer io.Writer
	hash   hash.Hash
	size   int64
}

func (counted *counted) Write(bytes []byte) (int, error) {
	written, err := counted.writer.Write(bytes)
	counted.hash.Write(bytes[:written])
	counted.size += int64(written)
	return written, err
}

func (counted *counted) sum() v1.Hash {
	return v1.Hash{Algorithm: "sha256", Hex: fmt.Sprintf("%x", counted.hash.Sum(nil))}
}

// layer is a normalized layer in a file.
type layer struct {
	file                string
	content, compressed v1.Hash
	size                int64
}

func (layer *layer) Digest() (v1.Hash, error)            { return layer.compressed, nil }
func (layer *layer) DiffID() (v1.Hash, error)            { return layer.content, nil }
func (layer *layer) Size() (int64, error)                { return layer.size, nil }
func (layer *layer) MediaType() (types.MediaType, error) { return types.OCILayer, nil }
func (layer *layer) Compressed() (io.ReadCloser, error)  { return os.Open(layer.file) }
func (layer *layer) Uncompressed() (io.ReadCloser, error) {
	compressed, err := os.Open(layer.file)
	if err != nil {
		return nil, err
	}
	content, err := gzip.NewReader(compressed)
	if err != nil {
		compressed.Close()
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{content, compressed}, nil
}
