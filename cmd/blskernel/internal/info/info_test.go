package info

import (
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// TestInfoEscapes checks that a message with text from the environment has no control characters.
func TestInfoEscapes(t *testing.T) {
	var b strings.Builder
	info := Information{Missing: map[string]string{"openblas": "/x\x1b[31m\nkernel: fast"}}
	testutil.NoError(t, info.print(&b))
	testutil.Contains(t, b.String(), "not usable: /x\\x1b[31m\\nkernel: fast\n")
}
