package stream

import (
	"archive/zip"
	"errors"
	"io"
	"strings"
)

const (
	// maxMembers bounds the arrays of an archive, whose headers are read to find that of X.
	maxMembers = 1 << 10
	// maxDirectory bounds the bytes of an archive's directory: package zip makes ten times as many
	// of them.
	maxDirectory  = maxMembers << 10
	encryptedFlag = 1
	verifyPiece   = 1 << 24 // bytes read between two checks of the context
)

// An archive is an .npz: a zip of .npy files, each named as its array.
type archive struct {
	in      *input
	bytes   int64 // of the file
	members map[string]*zip.File
	names   []string // in the order of the archive
}

// A directoryReader fails once its directory has been read to maxDirectory, until done.
type directoryReader struct {
	r    io.ReaderAt
	left int64 // bytes of the directory
	done bool
}

func (d *directoryReader) ReadAt(p []byte, at int64) (int, error) {
	if !d.done {
		if d.left -= int64(len(p)); d.left < 0 {
			return 0, faultf("has a directory of more than %d KiB, as no .npz has; save it again with numpy.savez", maxDirectory>>10)
		}
	}
	return d.r.ReadAt(p, at)
}

// readArchive reads the directory.
func readArchive(in *input) (*archive, error) {
	directory := &directoryReader{r: in.random, left: maxDirectory}
	r, err := zip.NewReader(directory, in.size)
	directory.done = true
	var known *Error
	if errors.As(err, &known) {
		return nil, err
	}
	// Names of members are not used as paths, so those that lead out of a folder do no harm.
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, &Error{What: "is not an .npz, or a damaged one; save it again with numpy.savez", Err: err}
	}
	if len(r.File) > maxMembers {
		return nil, faultf("has %d members; at most %d are read", len(r.File), maxMembers)
	}
	z := &archive{in: in, bytes: in.size, members: map[string]*zip.File{}}
	if in.copied != nil {
		z.bytes = in.position()
	}
	for _, member := range r.File {
		name, ok := strings.CutSuffix(member.Name, ".npy")
		if !ok {
			continue
		}
		if z.members[name] != nil {
			return nil, faultf("has two arrays named %s", shorten(name))
		}
		z.members[name] = member
		z.names = append(z.names, name)
	}
	if z.names == nil {
		return nil, faultf("has no arrays; save it with numpy.savez(path, X=x, y=y)")
	}
	return z, nil
}

// unpack begins to read a member.
func (z *archive) unpack(name string) (io.ReadCloser, error) {
	member := z.members[name]
	if member.Flags&encryptedFlag != 0 {
		return nil, faultf("array %s is encrypted; save it again with numpy.savez", shorten(name))
	}
	r, err := member.Open()
	if err != nil {
		return nil, &Error{What: "array " + shorten(name) + " cannot be unpacked; save it again with numpy.savez", Err: err}
	}
	return r, nil
}

// header reads the header of a member.
func (z *archive) header(name string) (arrayFile, error) {
	r, err := z.unpack(name)
	if err != nil {
		return arrayFile{}, err
	}
	defer r.Close()
	return z.readHeader(name, r)
}

func (z *archive) readHeader(name string, r io.Reader) (arrayFile, error) {
	f, err := readNPY(z.in, r)
	if err != nil {
		return f, err
	}
	f.name, f.archive = name, z
	if size := z.members[name].UncompressedSize64; size != uint64(f.Length+f.Bytes) {
		return f, faultf("has %d bytes, but its header promises %d; it is damaged", size, f.Length+f.Bytes)
	}
	return f, nil
}

// verify reads a member once in order for its checksum, which reading in another order cannot verify.
func (z *archive) verify(name string) error {
	in := z.in
	if in.verified[name] {
		return nil
	}
	r, err := z.unpack(name)
	if err != nil {
		return located(in.path, err)
	}
	defer r.Close()
	for err == nil {
		if in.ctx.Err() != nil {
			return canceled(in.ctx)
		}
		_, err = io.CopyN(io.Discard, r, verifyPiece)
	}
	if err != io.EOF {
		return readFault(in.ctx, in.path, err)
	}
	if in.verified == nil {
		in.verified = map[string]bool{}
	}
	in.verified[name] = true
	return nil
}
