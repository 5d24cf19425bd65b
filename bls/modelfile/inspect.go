package modelfile

import (
	"crypto/sha256"
	"io"
)

// Info is what Inspect says of a file.
type Info struct {
	Version  int               // of the format
	Sections []Section         // in the order of the file
	Metadata Metadata          // as in File
	Bytes    int64             // of the whole file
	SHA256   [sha256.Size]byte // of all before the last section, which has it
}

// Regressor tells whether the model is a bls.Regressor. It is a bls.Classifier otherwise.
func (i *Info) Regressor() bool {
	for _, s := range i.Sections {
		if s.Name == sectionRegressor {
			return true
		}
	}
	return false
}

// A Section is a part of a file.
type Section struct {
	Name   string // 4 characters: "META", "CLAS" or "REGR", "END "
	Offset int64  // of the section, from the beginning of the file
	Bytes  int64  // of its content, without the name, the length and the checksum
	CRC32C uint32 // of all of it but the checksum
}

// Inspect reads a file to its end, verifies all checksums, and returns what there is to say without
// decoding the model. Beside the metadata, see Read, it needs less than 1 MB of memory, whatever the size of
// the file. Its errors are those of Read, as far as they do not come from the model.
func Inspect(r io.Reader) (*Info, error) {
	var metadata Metadata
	info, err := scan(r, func(name string, payload io.Reader) error {
		if name != sectionMetadata {
			return nil
		}
		var err error
		metadata, err = decodeMetadata(payload)
		return err
	})
	if err != nil {
		return nil, err
	}
	info.Metadata = metadata
	return info, nil
}
