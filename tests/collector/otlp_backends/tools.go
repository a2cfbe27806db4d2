//go:build tools

// Package tools pins Prometheus as a program.
package tools

import _ "github.com/prometheus/prometheus/cmd/prometheus"
