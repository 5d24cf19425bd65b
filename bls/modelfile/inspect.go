package modelfile

import (
	"crypto/sha256"
	"io"
	"slices"
)

// Info describes a file without its model.
type Info struct {
	Version  int               // of the format
	Sections []Section         // in the order of the file
	Metadata Metadata          // as in File
	Bytes    int64             // of the whole file
	SHA256   [sha256.Size]byte // of all before the last section, which holds it
}

// Regressor reports whether the model is a bls.Regressor, and not a bls.Classifier.
func (i *Info) Regressor() bool {
	return slices.ContainsFunc(i.Sections, func(s Section) bool { return s.Name == sectionRegressor })
}

// A Section is a part of a file.
type Section struct {
	Name   string // 4 characters: "META", "CLAS" or "REGR", "END "
	Offset int64  // from the beginning of the file
	Bytes  int64  // of its content, without the name, the length and the checksum
	CRC32C uint32 // of all of it but the checksum
}

// Inspect reads a file to its end and verifies all checksums, without decoding the model. Beside the
// metadata it needs less than 1 MB of memory, whatever the size of the file. Its errors are those of
// Read that do not come from the model.
func Inspect(r io.Reader) (*Info, error) {
	var metadata Metadata
	info, err := scan(r, func(name string, payload io.Reader) (err error) {
		if name == sectionMetadata {
			metadata, err = decodeMetadata(payload)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	info.Metadata = metadata
	return info, nil
}
