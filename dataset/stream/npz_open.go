package stream

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxMembers bounds the arrays of an archive whose headers are read to find that of X.
const maxMembers = 1 << 10

// maxDirectory bounds the bytes of an archive's directory, a kilobyte for each of the members that there may be: what
// package zip makes of an entry takes some ten times its bytes.
const maxDirectory = maxMembers << 10

const encryptedFlag = 1

// verifyPiece is how much is read between two looks at the context.
const verifyPiece = 1 << 24

// An archive is an .npz: a zip of .npy files, each named as its array.
type archive struct {
	in      *input
	members map[string]*zip.File
	names   []string // in the order of the archive
}

// openNPZ makes the source of the array of X and, where Targets name one, of that of the targets.
func openNPZ(in *input, q *request, opt *Options) (source, error) {
	if err := in.spool(); err != nil {
		return nil, err
	}
	z, err := readArchive(in)
	if err != nil {
		return nil, err
	}
	var target string
	if len(q.targets) == 1 && z.members[q.targets[0]] != nil && !q.targetsOnly {
		target = q.targets[0]
		q = &request{inputs: q.inputs}
	}
	if q.targetsOnly {
		return z.openTargets(q, opt)
	}
	input, err := z.inputArray(opt, target)
	if err != nil {
		return nil, err
	}
	if q.named() {
		return nil, &Error{What: fmt.Sprintf("its columns have no names: give the inputs by number, and as target one of its arrays %s, or numbers of columns", listNames(z.names))}
	}
	x, err := z.open(input, q, opt)
	if err != nil || target == "" {
		return x, err
	}
	y, err := z.open(target, &request{targetsOnly: true}, opt)
	if err != nil {
		return nil, errors.Join(err, x.close())
	}
	return joinMembers(x, y, in.path, input, target, opt)
}

// joinMembers joins two arrays of one archive.
func joinMembers(x, y source, path, input, target string, opt *Options) (source, error) {
	if n, m := x.rows(), y.rows(); n != m {
		return nil, errors.Join(&Error{What: fmt.Sprintf("array %q has %d rows, but %q has %d: each sample needs its target", target, m, input, n)}, x.close(), y.close())
	}
	return newPair(x, y, path, path, opt)
}

// A directoryReader fails when its directory has been read to maxDirectory, until that is over.
type directoryReader struct {
	r    io.ReaderAt
	left int64 // bytes of the directory
	done bool
}

func (d *directoryReader) ReadAt(p []byte, at int64) (int, error) {
	if !d.done {
		if d.left -= int64(len(p)); d.left < 0 {
			return 0, &Error{What: fmt.Sprintf("has a directory of more than %d KiB, which no .npz has: save it again with numpy.savez", maxDirectory>>10)}
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
	// Names are no paths here: nothing is written under them, so that they may be such as lead out of a folder.
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, &Error{What: "is no .npz, or a damaged one: save it again with numpy.savez", Err: err}
	}
	if len(r.File) > maxMembers {
		return nil, &Error{What: fmt.Sprintf("has %d members, at most %d are read", len(r.File), maxMembers)}
	}
	z := &archive{in: in, members: map[string]*zip.File{}}
	for _, member := range r.File {
		name, ok := strings.CutSuffix(member.Name, ".npy")
		if !ok {
			continue
		}
		if z.members[name] != nil {
			return nil, &Error{What: fmt.Sprintf("has two arrays named %s", shorten(name))}
		}
		z.members[name] = member
		z.names = append(z.names, name)
	}
	if z.names == nil {
		return nil, &Error{What: "has no arrays: save it with numpy.savez(path, X=x, y=y)"}
	}
	return z, nil
}

// inputArray returns the name of the array of X.
func (z *archive) inputArray(opt *Options, target string) (string, error) {
	if name := opt.InputArray; name != "" {
		if z.members[name] == nil {
			return "", &Error{What: fmt.Sprintf("has no array %s; %s", shorten(name), instead(name, z.names))}
		}
		return name, nil
	}
	for _, name := range []string{"X", "x"} {
		if z.members[name] != nil && name != target {
			return name, nil
		}
	}
	var found []string
	for _, name := range z.names {
		// An array that is not of numbers may stand beside that of X, and is not asked for.
		if f, err := z.header(name); err == nil && len(f.shape) >= 2 && name != target {
			found = append(found, name)
		}
	}
	switch len(found) {
	case 0:
		return "", &Error{What: fmt.Sprintf("has no array X and none of two dimensions: name one of its arrays %s", listNames(z.names))}
	case 1:
		return found[0], nil
	}
	return "", &Error{What: fmt.Sprintf("has no array X and more than one of two dimensions: name one of %s", listNames(found))}
}

// openTargets makes the source of a file of targets: the array that is named, else y or Y, else the
// only one.
func (z *archive) openTargets(q *request, opt *Options) (source, error) {
	name := ""
	switch {
	case len(q.targets) == 1 && z.members[q.targets[0]] != nil:
		name = q.targets[0]
		q = &request{targetsOnly: true}
	case z.members["y"] != nil:
		name = "y"
	case z.members["Y"] != nil:
		name = "Y"
	case len(z.names) == 1:
		name = z.names[0]
	default:
		return nil, &Error{What: fmt.Sprintf("has no array y: name the one of the targets among %s", listNames(z.names))}
	}
	return z.open(name, q, opt)
}

// header reads the header of a member.
func (z *archive) header(name string) (headed, error) {
	r, err := z.unpack(name)
	if err != nil {
		return headed{}, err
	}
	defer r.Close()
	return z.readHeader(name, r)
}

// unpack begins to read a member.
func (z *archive) unpack(name string) (io.ReadCloser, error) {
	member := z.members[name]
	if member.Flags&encryptedFlag != 0 {
		return nil, &Error{What: fmt.Sprintf("array %s is encrypted: save it again with numpy.savez", shorten(name))}
	}
	r, err := member.Open()
	if err != nil {
		return nil, &Error{What: fmt.Sprintf("array %s cannot be unpacked: save it again with numpy.savez", shorten(name)), Err: err}
	}
	return r, nil
}

func (z *archive) readHeader(name string, r io.Reader) (headed, error) {
	f, err := readNPY(z.in, r)
	if err != nil {
		return f, err
	}
	f.name = name
	if size := z.members[name].UncompressedSize64; size != uint64(f.length+f.bytes) {
		return f, &Error{What: fmt.Sprintf("array %s has %d bytes, but its header promises %d: it is damaged", shorten(name), size, f.length+f.bytes)}
	}
	return f, nil
}

// open makes the source of a member. What is packed is unpacked as it is read, so that no more of an
// array is held than the batch at hand, whatever the archive claims.
func (z *archive) open(name string, q *request, opt *Options) (source, error) {
	r, err := z.unpack(name)
	if err != nil {
		return nil, err
	}
	f, err := z.readHeader(name, r)
	if err != nil {
		r.Close()
		return nil, inArray(name, err)
	}
	f.close = r.Close
	f.whole, f.names = z.in.size, z.names
	if z.in.copied != nil {
		f.whole = z.in.position()
	}
	member := z.members[name]
	if f.order && member.Method == zip.Store && member.CompressedSize64 == member.UncompressedSize64 {
		offset, err := member.DataOffset()
		if err != nil {
			r.Close()
			return nil, &Error{What: "is damaged: fetch it, or save it, again", Err: err}
		}
		f.verify = func() error { return z.verify(name) }
		f.random = io.NewSectionReader(z.in.random, offset+f.length, min(f.bytes, max(0, z.in.size-offset-f.length)))
	}
	s, err := newArray(f.arrayFile, q, opt)
	if err != nil {
		r.Close()
		return nil, inArray(name, err)
	}
	return s, nil
}

// verify reads a member once, in order, for its checksum: where an array is read in another order,
// nothing else would find that it is damaged.
func (z *archive) verify(name string) error {
	if z.in.verified[name] {
		return nil
	}
	r, err := z.unpack(name)
	if err != nil {
		return located(z.in.path, err)
	}
	defer r.Close()
	for err == nil {
		if z.in.ctx.Err() != nil {
			return canceled(z.in.ctx)
		}
		_, err = io.CopyN(io.Discard, r, verifyPiece)
	}
	if err != io.EOF {
		return readFault(z.in.ctx, z.in.path, err)
	}
	if z.in.verified == nil {
		z.in.verified = map[string]bool{}
	}
	z.in.verified[name] = true
	return nil
}

// inArray says in an error which array of the archive is to blame.
func inArray(name string, err error) error {
	if known, ok := err.(*Error); ok {
		known.What = fmt.Sprintf("array %s: %s", shorten(name), known.What)
	}
	return err
}
