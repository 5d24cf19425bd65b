package modelfile

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/internal/io/atomicfile"
	"blskernel/internal/io/codec"
	"blskernel/internal/io/vfs"
	"blskernel/mat"
)

// Version is the format version that Write writes and Read reads. No release has written version 1.
const Version = 2

// magic begins every file: a byte that is not text, a name, and line endings, which text mode changes.
const magic = "\x89BLS\r\n\x1a\n"

// The sections, in order; a file has a classifier or a regressor.
const (
	sectionMetadata   = "META"
	sectionClassifier = "CLAS"
	sectionRegressor  = "REGR"
	sectionEnd        = "END "
)

const (
	headerSize        = len(magic) + 8 // magic, version, CRC-32C of both
	sectionHeaderSize = 12             // name, length
	checksumSize      = 4
	maxMetadata       = 1 << 20
	maxSection        = 1 << 62
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func header(version uint32) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(magic), version)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// A File is the contents of a model file.
type File struct {
	// Exactly one of Classifier and Regressor is not nil, and it is fitted.
	Classifier *bls.Classifier
	Regressor  *bls.Regressor

	Metadata Metadata
}

// A Learner has methods that *bls.Classifier and *bls.Regressor share.
type Learner interface {
	FittedFeatures() *bls.Features
	Updater() blsupdate.Updater
	Weights() (*mat.Dense, error)
	Encode(w io.Writer) error
	Forget(factor float64) error
	SetLambda(lambda float64) error
	Choice() bls.Choice
	Calibrated() bool
	KeptRows() int
	KeptInputs() *mat.Dense
	OutsideContext(ctx context.Context, x *mat.Dense) ([]float64, error)
}

// Learner returns the classifier or the regressor of f.
func (f *File) Learner() Learner {
	if f.Classifier != nil {
		return f.Classifier
	}
	return f.Regressor
}

// check panics unless f has exactly one model. It returns an error unless the model is fitted and its
// sizes agree with the metadata.
func (f *File) check() error {
	if (f.Classifier != nil) == (f.Regressor != nil) {
		panic("modelfile: a File must have a Classifier or a Regressor, but not both")
	}
	features := f.Learner().FittedFeatures()
	if features == nil {
		_, err := f.Learner().Weights()
		return err
	}
	classifier, c := f.Classifier != nil, f.Learner().Updater().Targets()
	if classifier {
		c = f.Classifier.NumClasses()
	}
	m := &f.Metadata
	wrong := func(field, format string, args ...any) error {
		return &MetadataError{Field: field, What: fmt.Sprintf(format, args...)}
	}
	inputs, classes, targets := len(m.Inputs), len(m.Classes), len(m.Targets)
	switch d := features.Inputs(); {
	case inputs != 0 && inputs != d:
		return wrong("inputs", "%d named, but the model has %d", inputs, d)
	case m.Columns != nil && m.Columns.Inputs() != d:
		return wrong("columns", "the columns make %d inputs, but the model has %d", m.Columns.Inputs(), d)
	case !classifier && classes != 0:
		return wrong("classes", "a regressor has none")
	case classes != 0 && classes != c:
		return wrong("classes", "%d labeled, but the model has %d", classes, c)
	case !classifier && targets != 0 && targets != c:
		return wrong("targets", "%d named, but the model has %d", targets, c)
	case classifier && targets > 1:
		return wrong("targets", "%d names, but a classifier has one column of labels", targets)
	}
	return m.Check()
}

// Write writes f to w. It panics unless f has exactly one model. It encodes the model twice, first to
// find its length, and needs the memory of Encode. The model may predict meanwhile, but not learn.
//
//	errors: bls.ErrNotFitted; *MetadataError, before anything is written; the errors of
//	blsupdate.Encode for a state with a NaN, an infinity or a contradiction; ErrChanged; an error of
//	w, through which a context can stop Write. The last three may leave part of the file written.
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
	name := sectionRegressor
	if f.Classifier != nil {
		name = sectionClassifier
	}
	if err := writeSection(out, name, f.Learner().Encode); err != nil {
		return err
	}
	return writeSection(w, sectionEnd, bytesOf(sum.Sum(nil)))
}

func bytesOf(b []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}

// writeSection writes a section with the output of payload. It calls payload twice, first for the
// length, and returns ErrChanged if the two lengths differ.
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

// Save writes f to the file at path, which it replaces as a whole: even after a crash or a kill, it is
// either the old or the new file. Once Save has returned nil, the file is on the disk, as far as the
// system can tell. If path is a link, Save replaces its target.
//
//	errors: as Write; *WriteError; *FolderError, after which the new file is in place.
func Save(path string, f *File) error { return SaveFS(vfs.OS, path, f) }

// SaveFS is Save on the file system fsys, for example one that injects faults in a test.
func SaveFS(fsys vfs.FS, path string, f *File) error {
	return atomicfile.Write(fsys, path, func(w io.Writer) error { return Write(w, f) })
}
