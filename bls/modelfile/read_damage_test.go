package modelfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"blskernel/bls"
	"blskernel/blsupdate"
)

// A bit that was flipped in the name or the length of a section is an altered file, and none that no
// program writes; where the length is one that can be, the file may seem to end too early.
func TestAlteredSectionHeaders(t *testing.T) {
	b := written(t, file(t, blsupdate.Gram, false))
	info, err := Inspect(bytes.NewReader(b))
	must(t, err)
	for _, s := range info.Sections {
		for at := s.Offset; at < s.Offset+sectionHeaderSize; at++ {
			for bit := range 8 {
				altered := slices.Clone(b)
				altered[at] ^= 1 << bit
				_, err := Read(bytes.NewReader(altered), nil)
				var checksum *ChecksumError
				var truncated *TruncatedError
				if named := at < s.Offset+4; !errors.As(err, &checksum) && (named || !errors.As(err, &truncated)) {
					t.Errorf("%s, byte %d of the header, bit %d: %v", s.Name, at-s.Offset, bit, err)
				}
				if checksum != nil && checksum.Section != s.Name && checksum.Section != sectionRegressor {
					t.Errorf("%s, byte %d of the header, bit %d: %v", s.Name, at-s.Offset, bit, err)
				}
			}
		}
	}
}

// The byte that an error names is that of the file.
func TestOffsets(t *testing.T) {
	meta, model := parts(t, written(t, file(t, blsupdate.Gram, false)))
	begins := int64(headerSize + sectionHeaderSize + len(meta) + checksumSize + sectionHeaderSize)
	head := 8 + int(binary.LittleEndian.Uint64(model))
	for _, at := range []int{8, head, head + 16} {
		altered := slices.Clone(model)
		binary.LittleEndian.PutUint64(altered[at:], 99)
		f := forged(Version, string(meta), sectionClassifier, altered)
		_, err := Read(bytes.NewReader(f), nil)
		var e *bls.FormatError
		if !errors.As(err, &e) || e.Offset != begins+int64(at) || !strings.Contains(err.Error(), fmt.Sprint(e.Offset)) {
			t.Errorf("word %d of the model: %v, want byte %d", at/8, err, begins+int64(at))
		}
	}
}
