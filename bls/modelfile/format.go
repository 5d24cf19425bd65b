package modelfile

import (
	"encoding/binary"
	"hash/crc32"
)

// Version is the version of the format that Write writes, and the newest that Read reads.
const Version = 1

// magic begins every file: a byte that is no text, a name, and line ends that a transfer as text would
// change.
const magic = "\x89BLS\r\n\x1a\n"

// The sections of version 1, in their order; a file has one of the two models.
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
