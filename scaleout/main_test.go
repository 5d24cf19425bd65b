package scaleout

import (
	"log/slog"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
)

// TestMain runs the tests with Prism, which would write a line about each step of each pipeline.
func TestMain(m *testing.M) {
	beam.RegisterInit(func() { slog.SetDefault(slog.New(slog.DiscardHandler)) })
	ptest.Main(m)
}
