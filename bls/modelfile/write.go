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

// Write writes f to w. It panics if f has no model, or two. It encodes the model twice, first for its
// length, and makes no copy of it. The model may predict at the same time, but not learn.
//
//	errors: bls.ErrNotFitted; *MetadataError, before anything is written; those of blsupdate.Encode,
//	for a state with NaN, with an infinity or with a contradiction in it; ErrChanged; those of w, by
//	which a context stops it. After an error of the last three a part of the file is written.
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
	name, encode := sectionRegressor, f.Regressor.Encode
	if f.Classifier != nil {
		name, encode = sectionClassifier, f.Classifier.Encode
	}
	if err := writeSection(out, name, encode); err != nil {
		return err
	}
	return writeSection(w, sectionEnd, bytesOf(sum.Sum(nil)))
}

// bytesOf returns a function that writes b.
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

// Save writes f to the file at path, which it replaces as a whole: after an error, a crash or a kill
// the old file is there. After nil the file is on the disk, as far as the system can tell. Save
// replaces the target of a link, and keeps the link.
//
//	errors: those of Write and of the file system, as a *WriteError; after a *FolderError the new
//	file is there.
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
