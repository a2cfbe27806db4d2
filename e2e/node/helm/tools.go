//go:build tools

// Package tools pins the command that this module is built for.
package tools

import _ "helm.sh/helm/v3/cmd/helm"
