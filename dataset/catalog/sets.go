package catalog

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// A Set is a data set that the loaders of package dataset read.
type Set struct {
	Name  string   // by which it is looked up
	Title string   // for people to read
	Page  string   // the address of its description
	Terms string   // under which it may be used, as far as its authors say
	Bases []string // addresses that File.Name + ".gz" is appended to, in the order in which they are tried
	Files []File
}

// A File is a file of a set. Sizes and sums are those of its unpacked content.
type File struct {
	Name     string // plain, without .gz
	Size     int64  // bytes
	Packed   int64  // bytes of the gzip file at the first address, for people to know what they ask for
	Header   []byte // with which the content begins
	SHA256   string // in hexadecimal; empty where it is not known
	MD5      string // in hexadecimal; empty where it is not used
	Optional bool   // the set can be loaded without it
}

// Sets returns all sets, in new storage.
func Sets() []Set { return []Set{mnist(), norb()} }

// Names returns the names of all sets.
func Names() []string {
	var names []string
	for _, s := range Sets() {
		names = append(names, s.Name)
	}
	return names
}

// Lookup returns the set of that name, in new storage.
//
//	errors: one that lists the names where there is none.
func Lookup(name string) (Set, error) {
	sets := Sets()
	if i := slices.IndexFunc(sets, func(s Set) bool { return s.Name == name }); i >= 0 {
		return sets[i], nil
	}
	return Set{}, fmt.Errorf("catalog: no set %q; want %s", name, strings.Join(Names(), " or "))
}

// mnist is known by its files; the authors' page gives no sums.
func mnist() Set {
	idx := func(dims ...uint32) []byte {
		h := []byte{0, 0, 0x08, byte(len(dims))}
		for _, d := range dims {
			h = binary.BigEndian.AppendUint32(h, d)
		}
		return h
	}
	return Set{
		Name:  "mnist",
		Title: "MNIST handwritten digits (Y. LeCun, C. Cortes, C. J. C. Burges): 60,000 + 10,000 images of 28 x 28 in 10 classes",
		Page:  "http://yann.lecun.com/exdb/mnist/",
		Terms: "see the page; to be cited as Y. LeCun, L. Bottou, Y. Bengio and P. Haffner, Gradient-based learning applied to document recognition, Proc. IEEE 86 (1998)",
		// The authors' own site often refuses programs, so the mirror comes first.
		Bases: []string{"https://ossci-datasets.s3.amazonaws.com/mnist/", "http://yann.lecun.com/exdb/mnist/"},
		Files: []File{
			{Name: "train-images-idx3-ubyte", Size: 47040016, Packed: 9912422, Header: idx(60000, 28, 28),
				SHA256: "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
			{Name: "train-labels-idx1-ubyte", Size: 60008, Packed: 28881, Header: idx(60000),
				SHA256: "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
			{Name: "t10k-images-idx3-ubyte", Size: 7840016, Packed: 1648877, Header: idx(10000, 28, 28),
				SHA256: "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
			{Name: "t10k-labels-idx1-ubyte", Size: 10008, Packed: 4542, Header: idx(10000),
				SHA256: "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
		},
	}
}

func norb() Set {
	const (
		ints, bytes = 0x1E3D4C54, 0x1E3D4C55
		training    = "smallnorb-5x46789x9x18x6x2x96x96-training-"
		testing     = "smallnorb-5x01235x9x18x6x2x96x96-testing-"
	)
	// A header has at least three dimensions; those that are not used are 1.
	header := func(magic, nd uint32, dims ...uint32) []byte {
		h := binary.LittleEndian.AppendUint32(nil, magic)
		h = binary.LittleEndian.AppendUint32(h, nd)
		for _, d := range dims {
			h = binary.LittleEndian.AppendUint32(h, d)
		}
		return h
	}
	dat, cat, info := header(bytes, 4, 24300, 2, 96, 96), header(ints, 1, 24300, 1, 1), header(ints, 2, 24300, 4, 1)
	return Set{
		Name:  "norb",
		Title: "small NORB, V1.0 (F. J. Huang, Y. LeCun): 24,300 + 24,300 image pairs of 96 x 96 of toys in 5 classes",
		Page:  "https://cs.nyu.edu/~ylclab/data/norb-v1.0-small/",
		Terms: "for research, not to be sold, with reference to Y. LeCun, F. J. Huang and L. Bottou, Learning methods for generic object recognition with invariance to pose and lighting, CVPR 2004",
		Bases: []string{"https://cs.nyu.edu/~ylclab/data/norb-v1.0-small/"},
		Files: []File{
			{Name: training + "dat.mat", Size: 447897624, Packed: 131896188, Header: dat, MD5: "8138a0902307b32dfa0025a36dfa45ec"},
			{Name: training + "cat.mat", Size: 97220, Packed: 348, Header: cat, MD5: "fd5120d3f770ad57ebe620eb61a0b633",
				SHA256: "591ed90c090cb6724593e8de28180bd602095ee8ec82bd1a5ca30b488cd1d06e"},
			{Name: training + "info.mat", Size: 388820, Packed: 71052, Header: info, MD5: "19faee774120001fc7e17980d6960451", Optional: true},
			{Name: testing + "dat.mat", Size: 447897624, Packed: 130799817, Header: dat, MD5: "e9920b7f7b2869a8f1a12e945b2c166c"},
			{Name: testing + "cat.mat", Size: 97220, Packed: 347, Header: cat, MD5: "fd5120d3f770ad57ebe620eb61a0b633",
				SHA256: "591ed90c090cb6724593e8de28180bd602095ee8ec82bd1a5ca30b488cd1d06e"},
			{Name: testing + "info.mat", Size: 388820, Packed: 10428, Header: info, MD5: "7c5b871cc69dcadec1bf6a18141f5edc", Optional: true,
				SHA256: "318f817236b7c97af03cd90e07a9cbb4346e20ef83a1118a61eeb50e3b96db7e"},
		},
	}
}
