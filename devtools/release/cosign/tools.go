//go:build tools

// Package tools pins the command that this module is built for.
package tools

import _ "github.com/sigstore/cosign/v2/cmd/cosign"
