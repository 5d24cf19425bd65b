package beamfile

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"

	"blskernel/internal/atomicfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// Write writes what content has to the file at path, which it replaces as a whole: on this machine,
// where folders that are missing are made, and wherever files can be renamed, another file is written
// and takes the name when it is complete; elsewhere it is a single object, which is there when it is
// complete.
//
// A process that is killed may leave a file beside it, whose name ends with .tmp or .part.
//
//	errors: those of the file system and of content; what was at path is then what it was, unless it
//	is the renaming of another file system that failed half-way.
func Write(ctx context.Context, path string, content io.WriterTo) error {
	if Local(path) {
		return writeLocal(ctx, path, content)
	}
	return writeRemote(ctx, path, content)
}

// writeLocal writes a file of this machine, and brings it to the disk.
func writeLocal(ctx context.Context, path string, content io.WriterTo) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := atomicfile.Create(nil, path)
	if err != nil {
		return err
	}
	defer file.Abort()
	if _, err := content.WriteTo(file); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return file.Commit()
}

// writeRemote writes a file by Beam.
func writeRemote(ctx context.Context, path string, content io.WriterTo) error {
	system, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer system.Close()
	renamer, renames := system.(filesystem.Renamer)
	if !renames {
		return writeObject(ctx, system, path, content)
	}
	// Of its own, since a step may run twice at the same time.
	other := path + "." + rand.Text() + ".part"
	if err = writeObject(ctx, system, other, content); err == nil {
		err = renamer.Rename(ctx, other, path)
	}
	if remover, removes := system.(filesystem.Remover); err != nil && removes {
		_ = remover.Remove(context.WithoutCancel(ctx), other) // as far as it is there
	}
	return err
}

// writeObject writes an object of a file system. Where that fails it is not completed: the context of
// the writer is done before it is closed.
func writeObject(ctx context.Context, system filesystem.Interface, path string, content io.WriterTo) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := system.OpenWrite(ctx, path)
	if err != nil {
		return err
	}
	if _, err := content.WriteTo(w); err != nil {
		cancel()
		return errors.Join(err, w.Close())
	}
	return w.Close()
}
