package scaleout

import (
	"context"
	"fmt"

	"blskernel/scaleout/internal/beamfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn2x1[context.Context, Model, error](&writeFn{})
}

// Write writes a model, the PCollection<Model> of FitGram or FitQR, to the file at path on any file
// system of Beam. It replaces an existing file as a whole: on file systems that can rename, such as
// this machine's, it writes another file and renames it when it is complete; elsewhere it writes one
// object. It makes missing local folders. A repeated step writes the same bytes.
//
//	panics: for a scheme whose file system is not linked into the program, and a PCollection of
//	another type.
//	errors, of the pipeline: those of the file system. An existing file is then unchanged, unless a
//	remote file system failed in the middle of the renaming.
func Write(s beam.Scope, path string, model beam.PCollection) {
	filesystem.ValidateScheme(path)
	beam.ParDo0(s.Scope("scaleout.Write"), &writeFn{Path: path}, model)
}

// A writeFn writes a model file.
type writeFn struct {
	Path string
}

// ProcessElement writes the file.
func (fn *writeFn) ProcessElement(ctx context.Context, m Model) error {
	if err := beamfile.Write(ctx, fn.Path, m); err != nil {
		return fmt.Errorf("scaleout: the model file %s: %w", fn.Path, err)
	}
	return nil
}
