package modelfile

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"blskernel"
	"blskernel/bls"
	"blskernel/internal/codec"
)

// Read reads what Write wrote, up to the end of r. b computes the products of the model, nil stands for
// blskernel.Default().
//
//	errors: one that wraps ErrNotAModel, *VersionError, *TruncatedError, *ChecksumError, *FormatError; those of r, which is
//	how a context stops it.
//	memory: the model, and up to half of its largest matrix more on the way. Of n bytes that r has no more than 12n bytes and
//	512 KiB are allocated, what is freed again included, whether it is a model or refused; of the metadata, which has at
//	most 1 MB, up to 96n, where it consists of very short strings.
func Read(r io.Reader, b blskernel.Backend) (*File, error) {
	f := &File{}
	_, err := scan(r, func(name string, payload io.Reader) error {
		var err error
		switch name {
		case sectionMetadata:
			f.Metadata, err = decodeMetadata(payload)
		case sectionClassifier:
			f.Classifier, err = bls.DecodeClassifier(payload, b)
		case sectionRegressor:
			f.Regressor, err = bls.DecodeRegressor(payload, b)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := f.check(); err != nil {
		return nil, &FormatError{Section: sectionMetadata, Err: err}
	}
	return f, nil
}

// Load reads the file at path by Read. Its errors name the file.
func Load(path string, b blskernel.Backend) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: %w: it is a folder; name the file in it", path, ErrNotAModel)
	}
	f, err := Read(file, b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// scan reads a file of version 1 and gives the payload of each section, but the last, to read, which
// need not read all of it. A wrong checksum goes before an error of read.
func scan(r io.Reader, read func(name string, payload io.Reader) error) (*Info, error) {
	s := &scanner{source: source{r: r}, sum: sha256.New()}
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
	sum := s.sum.Sum(nil)
	var stored []byte
	section, err := s.section([]string{sectionEnd}, func(_ string, payload io.Reader) error {
		stored = make([]byte, sha256.Size)
		_, err := io.ReadFull(payload, stored)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case string(stored) != string(sum):
		return nil, &ChecksumError{Section: "file"}
	}
	var one [1]byte
	switch n, err := s.source.full(one[:]); {
	case err != nil:
		return nil, err
	case n > 0:
		return nil, &FormatError{Section: sectionEnd, Err: errors.New("there is something after the end")}
	}
	info.Sections = append(info.Sections, section)
	info.Bytes = s.source.at
	info.SHA256 = [sha256.Size]byte(sum)
	return info, nil
}

// A scanner reads a file part by part.
type scanner struct {
	source source
	sum    hash.Hash // of all that has been read of the header and of sections
}

// header reads and checks the header. Of a newer version it looks for what wrote the file.
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
		return &TruncatedError{Section: "header", Bytes: s.source.at}
	}
	version := binary.LittleEndian.Uint32(b[len(magic):])
	switch {
	case string(b[:]) != string(header(version)):
		return &ChecksumError{Section: "header"}
	case version == 0:
		return &FormatError{Section: "header", Err: errors.New("the version is 0")}
	case version > Version:
		e := &VersionError{Have: int(min(version, math.MaxInt32)), Supported: Version}
		// Every version has the metadata first, and the name of what wrote it therein. Where that
		// cannot be read the version is all that there is to say.
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

// notAModel tells what a file is, as far as its first bytes do.
func notAModel(b []byte) error {
	switch text := string(b); {
	case strings.HasPrefix(text, magic[:4]) || strings.HasPrefix(text, magic[1:4]) || len(text) > 4 && text[1:4] == magic[1:4]:
		return fmt.Errorf("%w any more: its first bytes were changed, as by a transfer in text mode; copy it again, in binary mode", ErrNotAModel)
	case strings.HasPrefix(text, "\x1f\x8b"):
		return fmt.Errorf("%w: it is compressed by gzip; unpack it first", ErrNotAModel)
	case strings.HasPrefix(text, "\x93NUMPY"):
		return fmt.Errorf("%w: it is a NumPy array; name the file that a model was saved to", ErrNotAModel)
	case strings.HasPrefix(text, "PK\x03\x04"):
		return fmt.Errorf("%w: it is a zip file, such as NumPy's npz; name the file that a model was saved to", ErrNotAModel)
	default:
		return fmt.Errorf("%w: it begins with %q; name the file that a model was saved to", ErrNotAModel, text)
	}
}

// section reads a section with one of the names, gives its payload to read, and checks it.
func (s *scanner) section(names []string, read func(name string, payload io.Reader) error) (Section, error) {
	at := s.source.at
	var head [sectionHeaderSize]byte
	if n, err := s.full(head[:]); err != nil {
		return Section{}, err
	} else if n < len(head) {
		return Section{}, &TruncatedError{Bytes: s.source.at}
	}
	name, size := string(head[:4]), binary.LittleEndian.Uint64(head[4:])
	var wrong error
	if !slices.Contains(names, name) {
		wrong = fmt.Errorf("the section should be %s", strings.Join(names, " or "))
		read = func(string, io.Reader) error { return nil }
	}
	if size > maxSection || name == sectionMetadata && size > maxMetadata || name == sectionEnd && size != sha256.Size {
		// No section is as long, and the checksum is not to be found.
		return Section{}, &ChecksumError{Section: names[0]}
	}
	crc := crc32.New(castagnoli)
	_, _ = crc.Write(head[:]) // a hash returns no error
	limited := &io.LimitedReader{R: &s.source, N: int64(size)}
	payload := io.TeeReader(limited, io.MultiWriter(crc, s.sum))
	if err := read(name, payload); err != nil {
		wrong = codec.Moved(err, at+sectionHeaderSize)
	}
	if _, err := io.Copy(io.Discard, payload); err != nil {
		return Section{}, err
	}
	var stored [checksumSize]byte
	switch n, err := s.source.full(stored[:]); {
	case err != nil:
		return Section{}, err
	case limited.N > 0 || n < len(stored):
		return Section{}, &TruncatedError{Section: name, Bytes: s.source.at}
	case binary.LittleEndian.Uint32(stored[:]) != crc.Sum32():
		if !slices.Contains(names, name) {
			name = names[0]
		}
		return Section{}, &ChecksumError{Section: name}
	case wrong != nil:
		return Section{}, &FormatError{Section: name, Err: wrong}
	}
	_, _ = s.sum.Write(stored[:])
	return Section{Name: name, Offset: at, Bytes: int64(size), CRC32C: crc.Sum32()}, nil
}

// full fills b, as far as there is so much, and adds it to the sum.
func (s *scanner) full(b []byte) (int, error) {
	n, err := s.source.full(b)
	_, _ = s.sum.Write(b[:n])
	return n, err
}

// A source counts the bytes that are read, and does not read on after an error.
type source struct {
	r   io.Reader
	at  int64
	err error
}

func (s *source) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(p)
	for tries := 0; n == 0 && err == nil && len(p) > 0; tries++ {
		if tries == mostEmptyReads {
			err = io.ErrNoProgress
			break
		}
		n, err = s.r.Read(p)
	}
	s.at += int64(n)
	s.err = err
	return n, err
}

// mostEmptyReads is the number of reads in a row that may return nothing and no error, as in package bufio.
const mostEmptyReads = 100

// full fills b as far as there is so much, which is no error.
func (s *source) full(b []byte) (int, error) {
	n, err := io.ReadFull(s, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}
