package modelfile

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"io"

	"blskernel/internal/atomicfile"
	"blskernel/internal/codec"
	"blskernel/internal/vfs"
)

// Write writes f to w. Where a File has no model, or two, it panics.
//
// The model is encoded twice, once for its length, and no copy of it is made. It must not learn
// meanwhile; it may predict.
//
//	errors: bls.ErrNotFitted; *MetadataError, before anything is written; those of blsupdate.Encode, for a state with NaN,
//	with an infinity or with a contradiction in it; ErrChanged; those of w. After an error of the last three a part of the
//	file is written.
//
// Nothing here takes a context: what w returns is returned, so a writer that looks at one stops it.
func Write(w io.Writer, f *File) error {
	if err := f.check(); err != nil {
		return err
	}
	metadata, err := f.Metadata.encode()
	if err != nil {
		return err
	}
	sum := sha256.New()
	out := io.MultiWriter(w, sum)
	if _, err := out.Write(header(Version)); err != nil {
		return err
	}
	if err := writeSection(out, sectionMetadata, bytesOf(metadata)); err != nil {
		return err
	}
	model := f.Regressor.Encode
	if f.Classifier != nil {
		model = f.Classifier.Encode
	}
	if err := writeSection(out, f.section(), model); err != nil {
		return err
	}
	return writeSection(w, sectionEnd, bytesOf(sum.Sum(nil)))
}

// bytesOf returns what writes b.
func bytesOf(b []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}

// writeSection writes a section with what payload writes, which it calls twice.
func writeSection(w io.Writer, name string, payload func(io.Writer) error) error {
	var size, again codec.Size
	if err := payload(&size); err != nil {
		return err
	}
	sum := crc32.New(castagnoli)
	out := io.MultiWriter(w, sum)
	if _, err := out.Write(binary.LittleEndian.AppendUint64([]byte(name), uint64(size))); err != nil {
		return err
	}
	if err := payload(io.MultiWriter(out, &again)); err != nil {
		return err
	}
	if again != size {
		return ErrChanged
	}
	_, err := w.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32()))
	return err
}

// Save writes f to the file at path, which it replaces as a whole: if Save returns an error, or the
// program or the machine stops, there is what was there before. When it has returned nil the file is on
// the disk, as far as the system can tell. A link stays one: what it leads to is replaced.
//
//	errors: those of Write and of the file system, as a *WriteError; *FolderError is the one after which the new file is there.
func Save(path string, f *File) error { return SaveFS(vfs.OS, path, f) }

// SaveFS is Save on another file system: one whose operations fail, for tests of this module.
func SaveFS(fsys vfs.FS, path string, f *File) error {
	file, err := atomicfile.Create(fsys, path)
	if err != nil {
		return err
	}
	defer file.Abort()
	if err := Write(file, f); err != nil {
		return err
	}
	return file.Commit()
}
