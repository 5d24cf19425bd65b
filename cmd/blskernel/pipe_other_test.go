//go:build !unix

package main

import (
	"testing"
)

// pipeWith is for systems that have named pipes in the file system.
func pipeWith(t *testing.T, _ string) string {
	t.Helper()
	t.Skip("no named pipes in the file system")
	return ""
}
