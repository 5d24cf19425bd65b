package stream

import (
	"archive/zip"
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"

	"blskernel/internal/io/names"
)

const (
	// maxMembers bounds the members of an archive, since all headers may be read to find X.
	maxMembers = 1 << 10
	// maxDirectory bounds an archive's directory, in bytes. Package zip allocates ten times that.
	maxDirectory  = maxMembers << 10
	encryptedFlag = 1
)

// An archive is an .npz: a zip of .npy files, each named after its array.
type archive struct {
	in      *input
	members map[string]*zip.File
	names   []string // in the order of the archive
}

// A directoryReader reads from r. It returns an error after left bytes unless done is true.
type directoryReader struct {
	r    io.ReaderAt
	left int64 // bytes of the directory that may still be read
	done bool  // the directory has been read: from now on ReadAt may be called in parallel
}

func (d *directoryReader) ReadAt(p []byte, at int64) (int, error) {
	if !d.done {
		if d.left -= int64(len(p)); d.left < 0 {
			return 0, Errorf("has a directory of more than %d KiB, too large for an .npz; save it again with numpy.savez", maxDirectory>>10)
		}
	}
	return d.r.ReadAt(p, at)
}

func readArchive(in *input) (*archive, error) {
	directory := &directoryReader{r: in.random, left: maxDirectory}
	r, err := zip.NewReader(directory, in.size)
	directory.done = true
	var known *Error
	if errors.As(err, &known) {
		return nil, err
	}
	// Names of members are not used as paths, so a name that leads out of a folder does no harm.
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, &Error{What: "is not an .npz or is damaged; save it again with numpy.savez", Err: err}
	}
	if len(r.File) > maxMembers {
		return nil, Errorf("has %d members, but at most %d can be read; save fewer arrays in one file", len(r.File), maxMembers)
	}
	z := &archive{in: in, members: map[string]*zip.File{}}
	for _, member := range r.File {
		name, ok := strings.CutSuffix(member.Name, ".npy")
		if !ok {
			continue
		}
		if z.members[name] != nil {
			return nil, Errorf("has two arrays named %s; give each array its own name", names.Shorten(name))
		}
		z.members[name] = member
		z.names = append(z.names, name)
	}
	if z.names == nil {
		return nil, foreignArchive(r.File)
	}
	return z, nil
}

// read opens the array of the given name and reads its header. A packed member is unpacked as it is
// read, so memory holds only the current batch, whatever the archive claims.
func (z *archive) read(name string) (arrayFile, error) {
	member := z.members[name]
	if member.Flags&encryptedFlag != 0 {
		return arrayFile{}, Errorf("is encrypted; save it again with numpy.savez")
	}
	r, err := member.Open()
	if err != nil {
		return arrayFile{}, &Error{What: "cannot be unpacked; save it again with numpy.savez", Err: err}
	}
	f, err := readNPY(z.in, r)
	if size := f.Length + f.Bytes; err == nil && member.UncompressedSize64 != uint64(size) {
		err = Errorf("has %d bytes, but its header declares %d; it is damaged: save it again with numpy.savez", member.UncompressedSize64, size)
	}
	f.name, f.archive = name, z
	return f, err
}

// openNPZ opens the array of inputs as a source, paired with the array that Targets names, if any.
func openNPZ(in *input, opt *Options) (source, error) {
	if in.random == nil {
		return nil, Errorf("is an .npz that is gzipped or does not come from a local file, so random access to its " +
			"arrays is impossible; unpack or copy it to a local file, or save its arrays as .npy")
	}
	z, err := readArchive(in)
	if err != nil {
		return nil, err
	}
	if opt.targetsOnly {
		return z.openTargets(opt)
	}
	var target string
	if len(opt.Targets) == 1 && z.members[opt.Targets[0]] != nil {
		target = opt.Targets[0]
		opt = opt.withoutTargets()
	}
	input, err := z.inputArray(opt, target)
	if err != nil {
		return nil, err
	}
	if opt.named() {
		return nil, Errorf("its columns have no names; select columns by number, and the target by number or as one of its arrays %s",
			names.List(z.names))
	}
	x, errX := z.open(input, opt)
	if target == "" {
		return x, errX
	}
	ofTarget := *opt
	ofTarget.targetsOnly = true
	y, errY := z.open(target, &ofTarget)
	return newPair(x, y, errX, errY, in.path, in.path)
}

func (z *archive) inputArray(opt *Options, target string) (string, error) {
	if name := opt.InputArray; name != "" {
		if z.members[name] == nil {
			return "", Errorf("has no array %s; it has %s", names.Shorten(name), names.List(z.names))
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
		// Arrays other than X may hold anything, so their errors do not matter.
		if f, err := z.read(name); err == nil && len(f.Shape) >= 2 && name != target {
			found = append(found, name)
		}
	}
	switch len(found) {
	case 0:
		return "", Errorf("has no array X for the inputs and no other array of two or more dimensions; name one of its arrays %s with %v",
			names.List(z.names), Remedy{Option: OptionInputArray})
	case 1:
		return found[0], nil
	}
	return "", Errorf("has no array X, but several arrays of two or more dimensions: name one of %s with %v",
		names.List(found), Remedy{Option: OptionInputArray})
}

// openTargets opens the targets: the array that Targets names, else y, else Y, else the only array.
func (z *archive) openTargets(opt *Options) (source, error) {
	name := ""
	switch {
	case len(opt.Targets) == 1 && z.members[opt.Targets[0]] != nil:
		name = opt.Targets[0]
		opt = opt.withoutTargets()
	case z.members["y"] != nil:
		name = "y"
	case z.members["Y"] != nil:
		name = "Y"
	case len(z.names) == 1:
		name = z.names[0]
	default:
		return nil, Errorf("has no array y or Y; name the array of the targets, one of %s, with %v", names.List(z.names), Remedy{Option: OptionTargets})
	}
	return z.open(name, opt)
}

func (z *archive) open(name string, opt *Options) (s source, err error) {
	f, err := z.read(name)
	if err == nil {
		f.stream = bufio.NewReaderSize(f.stream, inputBuffer)
		s, err = newArray(f, opt)
	}
	if known, ok := err.(*Error); ok {
		array := names.Shorten(name)
		known.What = "array " + array + ": " + known.What
		if known.format != "" {
			known.format, known.args = "array %s: "+known.format, slices.Insert(known.args, 0, any(array))
		}
	}
	return s, err
}
