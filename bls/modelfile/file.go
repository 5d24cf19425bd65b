package modelfile

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"blskernel/bls"
)

// Version is the version of the format that Write writes, the newest that Read reads.
const Version = 1

// magic begins every file: a byte that is no text, a name, and line ends that a transfer as text
// changes.
const magic = "\x89BLS\r\n\x1a\n"

// The sections of version 1, in order; a file has one of the two models.
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

// header returns the header of a file of a version.
func header(version uint32) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(magic), version)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// A File is what a model file holds.
type File struct {
	// Exactly one of the two is not nil; it is fitted.
	Classifier *bls.Classifier
	Regressor  *bls.Regressor

	Metadata Metadata
}

// check returns an error unless there is one fitted model whose sizes agree with the metadata.
func (f *File) check() error {
	if (f.Classifier != nil) == (f.Regressor != nil) {
		panic("modelfile: a File must have a Classifier or a Regressor, and not both")
	}
	classifier := f.Classifier != nil
	var features *bls.Features
	var c int
	if classifier {
		if features = f.Classifier.FittedFeatures(); features != nil {
			c = f.Classifier.Updater().Targets()
		}
	} else if features = f.Regressor.FittedFeatures(); features != nil {
		c = f.Regressor.Updater().Targets()
	}
	if features == nil {
		return bls.ErrNotFitted
	}
	m := &f.Metadata
	wrong := func(field, format string, args ...any) error {
		return &MetadataError{Field: field, What: fmt.Sprintf(format, args...)}
	}
	inputs, classes, targets := len(m.Inputs), len(m.Classes), len(m.Targets)
	switch d := features.Inputs(); {
	case inputs != 0 && inputs != d:
		return wrong("inputs", "%d names for %d inputs of the model", inputs, d)
	case !classifier && classes != 0:
		return wrong("classes", "a regressor has none")
	case classes != 0 && classes != c:
		return wrong("classes", "%d labels for %d classes of the model", classes, c)
	case !classifier && targets != 0 && targets != c:
		return wrong("targets", "%d names for %d targets of the model", targets, c)
	case classifier && targets > 1:
		return wrong("targets", "%d names, and a classifier has one column of labels", targets)
	}
	return m.Check()
}
