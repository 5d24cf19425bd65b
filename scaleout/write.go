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

// Write writes a model, the PCollection<Model> of FitGram or FitQR, to the file at path of any file
// system that Beam knows, which it replaces as a whole: on this machine, and wherever files can be
// renamed, another file is written and takes the name when it is complete; elsewhere it is a single
// object, which is there when it is complete. A step that is run twice writes the same bytes. Folders
// of this machine that are missing are made.
//
//	panics: for a scheme whose file system is not linked into the program, and a PCollection of
//	another type.
//	errors, of the pipeline: those of the file system; what was at path is then what
//	it was, unless it is the renaming of another file system than this machine's that failed
//	half-way.
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
