package scaleout

import (
	"log/slog"
	"os"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
)

// TestMain runs the tests with Prism, without its log lines and the temporary files it leaves.
func TestMain(m *testing.M) {
	beam.RegisterInit(func() { slog.SetDefault(slog.New(slog.DiscardHandler)) })
	folder, err := os.MkdirTemp("", "scaleout-*")
	if err == nil {
		err = os.Setenv("TMPDIR", folder)
	}
	if err != nil {
		panic(err)
	}
	status := ptest.MainRet(m)
	_ = os.RemoveAll(folder)
	os.Exit(status)
}
