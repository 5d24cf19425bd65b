package modelfile

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strings"

	"blskernel"
	"blskernel/bls"
	"blskernel/internal/io/codec"
	"blskernel/internal/io/vfs"
)

// Read reads what Write wrote, up to the end of r. b computes the products of the model; nil stands for
// blskernel.Default().
//
//	errors: one that wraps ErrNotAModel, *VersionError, *TruncatedError, *ChecksumError,
//	*FormatError; an error of r, through which a context can stop it.
//	memory: the model, and up to half of its largest matrix while reading. For n bytes of r, Read
//	allocates at most 12n bytes plus 512 KiB, whether it accepts or rejects them. The metadata, at
//	most 1 MiB, may take more: up to 96 times its size in short strings, 256 in columns of numbers.
func Read(r io.Reader, b blskernel.Backend) (*File, error) {
	f := &File{}
	_, err := scan(r, func(name string, payload io.Reader) error {
		var err error
		var size codec.Size
		counted := io.TeeReader(payload, &size)
		switch name {
		case sectionMetadata:
			f.Metadata, err = decodeMetadata(payload)
			return err
		case sectionClassifier:
			f.Classifier, err = bls.DecodeClassifier(counted, b)
		case sectionRegressor:
			f.Regressor, err = bls.DecodeRegressor(counted, b)
		}
		if err != nil {
			return err
		}
		end := codec.NewDecoder(payload, int64(size))
		end.End()
		return end.Err()
	})
	if err != nil {
		return nil, err
	}
	if err := f.check(); err != nil {
		return nil, &FormatError{Section: sectionMetadata, Err: err}
	}
	return f, nil
}

// Load reads the file at path with Read. Its errors name the file.
func Load(path string, b blskernel.Backend) (*File, error) { return LoadFS(vfs.OS, path, b) }

// LoadFS is Load on the file system fsys, or on vfs.OS if fsys is nil.
func LoadFS(fsys vfs.FS, path string, b blskernel.Backend) (*File, error) {
	file, err := vfs.Open(fsys, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: %w: it is a folder; name the file in it", path, ErrNotAModel)
	}
	f, err := Read(bufio.NewReader(file), b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// scan reads a file and calls read with the payload of each section but the last. read may leave part
// of the payload unread. A wrong checksum takes precedence over an error of read.
func scan(r io.Reader, read func(name string, payload io.Reader) error) (*Info, error) {
	s := &scanner{r: r, sum: sha256.New()}
	if err := s.header(); err != nil {
		return nil, err
	}
	info := &Info{Version: Version}
	for _, names := range [][]string{{sectionMetadata}, {sectionClassifier, sectionRegressor}} {
		section, err := s.section(names, read)
		if err != nil {
			return nil, err
		}
		info.Sections = append(info.Sections, section)
	}
	s.sum.Sum(info.SHA256[:0])
	var stored [sha256.Size]byte
	section, err := s.section([]string{sectionEnd}, func(_ string, payload io.Reader) error {
		_, err := io.ReadFull(payload, stored[:])
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case stored != info.SHA256:
		return nil, &ChecksumError{Section: "file"}
	}
	info.Sections = append(info.Sections, section)
	info.Bytes = s.at
	var one [1]byte
	switch n, err := s.full(one[:]); {
	case err != nil:
		return nil, err
	case n > 0:
		return nil, &FormatError{Section: sectionEnd, Err: errors.New("data follows the end")}
	}
	return info, nil
}

// A scanner reads a file by sections. It counts and hashes the bytes, and reads nothing after an error.
type scanner struct {
	r   io.Reader
	at  int64
	sum hash.Hash
	err error
}

// maxEmptyReads is the number of reads in a row that may return neither bytes nor an error, as in
// package bufio.
const maxEmptyReads = 100

func (s *scanner) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(p)
	for tries := 0; n == 0 && err == nil && len(p) > 0; tries++ {
		if tries == maxEmptyReads {
			err = io.ErrNoProgress
			break
		}
		n, err = s.r.Read(p)
	}
	_, _ = s.sum.Write(p[:n]) // a hash returns no error
	s.at += int64(n)
	s.err = err
	return n, err
}

// full reads into b until b is full or the file ends. The end of the file is not an error.
func (s *scanner) full(b []byte) (int, error) {
	n, err := io.ReadFull(s, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}

// header reads and checks the header. A *VersionError names the software that wrote the file, if known.
func (s *scanner) header() error {
	var b [headerSize]byte
	n, err := s.full(b[:])
	switch {
	case err != nil:
		return err
	case !strings.HasPrefix(magic, string(b[:min(n, len(magic))])):
		return notAModel(b[:n])
	case n == 0:
		return fmt.Errorf("%w: it is empty; use a backup, or train again", ErrNotAModel)
	case n < len(b):
		return &TruncatedError{Section: "header", Bytes: s.at}
	}
	version := binary.LittleEndian.Uint32(b[len(magic):])
	switch {
	case string(b[:]) != string(header(version)):
		return &ChecksumError{Section: "header"}
	case version == 0:
		return &FormatError{Section: "header", Err: errors.New("the version is 0")}
	case version != Version:
		e := &VersionError{Have: int(min(version, math.MaxInt32)), Supported: Version}
		// Every version has the metadata first, with the name of the software in it.
		var m struct {
			Software string `json:"software"`
		}
		_, err := s.section([]string{sectionMetadata}, func(_ string, payload io.Reader) error {
			return json.NewDecoder(payload).Decode(&m)
		})
		if err == nil {
			e.Software = m.Software
		}
		return e
	}
	return nil
}

// notAModel returns an error that says what a file with the first bytes b appears to be.
func notAModel(b []byte) error {
	switch text := string(b); {
	case strings.HasPrefix(text, magic[:4]) || strings.HasPrefix(text, magic[1:4]) || len(text) > 4 && text[1:4] == magic[1:4]:
		return fmt.Errorf("%w any more: its first bytes were changed, for example by a transfer in text mode; "+
			"copy it again, in binary mode", ErrNotAModel)
	case strings.HasPrefix(text, "\x1f\x8b"):
		return fmt.Errorf("%w: it is compressed with gzip; unpack it first", ErrNotAModel)
	case strings.HasPrefix(text, "\x93NUMPY"):
		return fmt.Errorf("%w: it is a NumPy array; name the file that a model was saved to", ErrNotAModel)
	case strings.HasPrefix(text, "PK\x03\x04"):
		return fmt.Errorf("%w: it is a zip file, such as NumPy's npz; name the file that a model was saved to", ErrNotAModel)
	default:
		return fmt.Errorf("%w: it begins with %q; name the file that a model was saved to", ErrNotAModel, text)
	}
}

// section reads a section with one of the names, passes its payload to read, and verifies its checksum.
func (s *scanner) section(names []string, read func(name string, payload io.Reader) error) (Section, error) {
	at := s.at
	var head [sectionHeaderSize]byte
	if n, err := s.full(head[:]); err != nil {
		return Section{}, err
	} else if n < len(head) {
		return Section{}, &TruncatedError{Bytes: s.at}
	}
	name, size := string(head[:4]), binary.LittleEndian.Uint64(head[4:])
	known := slices.Contains(names, name)
	part := names[0]
	if known {
		part = name
	}
	if size > maxSection || name == sectionMetadata && size > maxMetadata || name == sectionEnd && size != sha256.Size {
		// No section has that length, so the checksum is not where the length says.
		return Section{}, &ChecksumError{Section: part}
	}
	crc := crc32.New(castagnoli)
	_, _ = crc.Write(head[:]) // a hash returns no error
	limited := &io.LimitedReader{R: s, N: int64(size)}
	payload := io.TeeReader(limited, crc)
	var wrong error
	if !known {
		wrong = fmt.Errorf("the section should be %s", strings.Join(names, " or "))
	} else if err := read(name, payload); err != nil {
		wrong = codec.Moved(err, at+sectionHeaderSize)
	}
	if _, err := io.Copy(io.Discard, payload); err != nil {
		return Section{}, err
	}
	var stored [checksumSize]byte
	switch n, err := s.full(stored[:]); {
	case err != nil:
		return Section{}, err
	case limited.N > 0 || n < len(stored):
		return Section{}, &TruncatedError{Section: name, Bytes: s.at}
	case binary.LittleEndian.Uint32(stored[:]) != crc.Sum32():
		if !known {
			name = names[0]
		}
		return Section{}, &ChecksumError{Section: name}
	case wrong != nil:
		return Section{}, &FormatError{Section: name, Err: wrong}
	}
	return Section{Name: name, Offset: at, Bytes: int64(size), CRC32C: crc.Sum32()}, nil
}

// Info describes a file without its model.
type Info struct {
	Version  int               // the version of the format
	Sections []Section         // in the order of the file
	Metadata Metadata          // as in File
	Bytes    int64             // the size of the whole file
	SHA256   [sha256.Size]byte // the hash of everything before the last section, which stores the hash
}

// Regressor reports whether the model is a bls.Regressor rather than a bls.Classifier.
func (i *Info) Regressor() bool {
	return slices.ContainsFunc(i.Sections, func(s Section) bool { return s.Name == sectionRegressor })
}

// A Section describes one section of a file.
type Section struct {
	Name   string // 4 characters: "META", "CLAS" or "REGR", "END "
	Offset int64  // from the beginning of the file
	Bytes  int64  // the size of the content, without name, length and checksum
	CRC32C uint32 // the checksum of name, length and content
}

// Inspect reads a file to its end and verifies all checksums, without decoding the model. Besides the
// metadata it needs less than 1 MB of memory, whatever the size of the file. It returns the same errors
// as Read, except for faults inside the model.
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
