package scaleout

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"blskernel/internal/atomicfile"

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
//	errors, of the pipeline: those of the file system; what was at path is then what it was.
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
	write := writeRemote
	if local(fn.Path) {
		write = writeLocal
	}
	if err := write(ctx, fn.Path, m); err != nil {
		return fmt.Errorf("scaleout: the model file %s: %w", fn.Path, err)
	}
	return nil
}

// writeLocal writes a file of this machine, and brings it to the disk.
func writeLocal(_ context.Context, path string, m Model) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer file.Abort()
	if _, err := m.WriteTo(file); err != nil {
		return err
	}
	return file.Commit()
}

// writeRemote writes a file by Beam.
func writeRemote(ctx context.Context, path string, m Model) error {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer fs.Close()
	renamer, renames := fs.(filesystem.Renamer)
	if !renames {
		return writeObject(ctx, fs, path, m)
	}
	// Of its own, since the step may run twice at the same time.
	other := path + "." + rand.Text() + ".part"
	if err = writeObject(ctx, fs, other, m); err == nil {
		err = renamer.Rename(ctx, other, path)
	}
	if remover, removes := fs.(filesystem.Remover); err != nil && removes {
		_ = remover.Remove(ctx, other) // as far as it is there
	}
	return err
}

// writeObject writes an object of a file system. Where that fails it is not completed: the context of
// the writer is done before it is closed.
func writeObject(ctx context.Context, fs filesystem.Interface, path string, m Model) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := fs.OpenWrite(ctx, path)
	if err != nil {
		return err
	}
	if _, err := m.WriteTo(w); err != nil {
		cancel()
		return errors.Join(err, w.Close())
	}
	return w.Close()
}
