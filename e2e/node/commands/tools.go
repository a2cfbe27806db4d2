//go:build tools

// Package tools pins the commands that this module is built for.
package tools

import _ "go.etcd.io/etcd/server/v3"
