package modelfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/mat"
)

// tempFolder returns a new folder for an example, and what removes it.
func tempFolder() (string, func()) {
	dir, err := os.MkdirTemp("", "modelfile")
	if err != nil {
		panic(err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }
}

// line returns a file with a regressor for y = 2u + 3v.
func line() *modelfile.File {
	x := mat.NewDense(5, 2, []float64{0, 0, 1, 0, 0, 1, 1, 1, 2, 3})
	y := mat.NewDense(5, 1, []float64{0, 2, 3, 5, 13})
	r := &bls.Regressor{Features: bls.FeatureOptions{Scaling: bls.ScaleColumns, Groups: 2, GroupNodes: 1}, Method: blsupdate.QR}
	if err := r.Fit(x, y); err != nil {
		panic(err)
	}
	return &modelfile.File{Regressor: r, Metadata: modelfile.Metadata{Software: "example 1.0", Inputs: []string{"u", "v"}, Targets: []string{"y"}}}
}

// A classifier is saved after a first batch. Another program loads it, goes on with a second one, and
// saves it under the same name, which has the old model or the new one at any time.
func Example() {
	dir, remove := tempFolder()
	defer remove()
	path := filepath.Join(dir, "digits.bls")
	train, test := dataset.Digits(1000, 1), dataset.Digits(500, 2)

	c := &bls.Classifier{Features: bls.FeatureOptions{Groups: 5, EnhancementNodes: 100, Seed: 1}, Method: blsupdate.Gram, Update: blsupdate.Options{Lambda: 1e-6}}
	if err := c.Fit(train.Dense(0, 500), train.LabelsInt(0, 500)); err != nil {
		fmt.Println(err)
		return
	}
	if err := modelfile.Save(path, &modelfile.File{Classifier: c}); err != nil {
		fmt.Println(err)
		return
	}

	f, err := modelfile.Load(path, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := f.Classifier.PartialFit(train.Dense(500, 1000), train.LabelsInt(500, 1000)); err != nil {
		fmt.Println(err)
		return
	}
	if err := modelfile.Save(path, f); err != nil {
		fmt.Println(err)
		return
	}
	score, err := f.Classifier.Score(test.Dense(0, 500), test.LabelsInt(0, 500))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d samples, more than 9 of 10 are right: %v\n", f.Classifier.Updater().Samples(), score > 0.9)
	// Output:
	// 1000 samples, more than 9 of 10 are right: true
}

func ExampleSave() {
	dir, remove := tempFolder()
	defer remove()
	fmt.Println(modelfile.Save(filepath.Join(dir, "line.bls"), line()))
	// Output:
	// <nil>
}

// Load gives the model back, and says of a file that is something else what it is.
func ExampleLoad() {
	dir, remove := tempFolder()
	defer remove()
	path := filepath.Join(dir, "line.bls")
	if err := modelfile.Save(path, line()); err != nil {
		fmt.Println(err)
		return
	}
	f, err := modelfile.Load(path, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := f.Regressor.Predict(mat.NewDense(1, 2, []float64{10, 1}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v of %v: %.6f\n", f.Metadata.Targets, f.Metadata.Inputs, p.At(0, 0))

	table := filepath.Join(dir, "table.csv")
	if err := os.WriteFile(table, []byte("u,v,y\n0,0,0\n1,0,2\n"), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	_, err = modelfile.Load(table, nil)
	fmt.Println(strings.TrimPrefix(err.Error(), dir+string(filepath.Separator)))
	// Output:
	// [y] of [u v]: 23.000000
	// table.csv: modelfile: not a model file: it begins with "u,v,y\n0,0,0\n1,0,"; name the file that a model was saved to
}

// Write and Read are for what is no file: a connection, an object store, a database.
func ExampleWrite() {
	var b bytes.Buffer
	if err := modelfile.Write(&b, line()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q\n", b.Bytes()[:8])
	// Output:
	// "\x89BLS\r\n\x1a\n"
}

func ExampleRead() {
	var b bytes.Buffer
	if err := modelfile.Write(&b, line()); err != nil {
		fmt.Println(err)
		return
	}
	f, err := modelfile.Read(&b, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Classifier == nil, f.Regressor.Method)
	// Output:
	// true qr
}

// Inspect verifies the checksums of a file and lists what is in it, without decoding the model.
func ExampleInspect() {
	var b bytes.Buffer
	if err := modelfile.Write(&b, line()); err != nil {
		fmt.Println(err)
		return
	}
	info, err := modelfile.Inspect(&b)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("version %d, a regressor: %v, by %s\n", info.Version, info.Regressor(), info.Metadata.Software)
	for _, s := range info.Sections {
		fmt.Printf("%q\n", s.Name)
	}
	// Output:
	// version 1, a regressor: true, by example 1.0
	// "META"
	// "REGR"
	// "END "
}

func ExampleInfo() {
	var b bytes.Buffer
	if err := modelfile.Write(&b, line()); err != nil {
		fmt.Println(err)
		return
	}
	size := int64(b.Len())
	info, err := modelfile.Inspect(&b)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(info.Bytes == size, info.Metadata.Inputs)
	// Output:
	// true [u v]
}

func ExampleSection() {
	var b bytes.Buffer
	if err := modelfile.Write(&b, line()); err != nil {
		fmt.Println(err)
		return
	}
	info, err := modelfile.Inspect(&b)
	if err != nil {
		fmt.Println(err)
		return
	}
	end := info.Sections[len(info.Sections)-1]
	fmt.Printf("%q has %d bytes\n", end.Name, end.Bytes)
	// Output:
	// "END " has 32 bytes
}

// A file has one model, and what is remembered beside it.
func ExampleFile() {
	f := line()
	f.Metadata.Notes = map[string]string{"task": "a line"}
	var b bytes.Buffer
	if err := modelfile.Write(&b, f); err != nil {
		fmt.Println(err)
		return
	}
	f, err := modelfile.Read(&b, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Regressor != nil, f.Classifier != nil, f.Metadata.Notes["task"])
	// Output:
	// true false a line
}

// Check finds before the training what cannot be written after it.
func ExampleMetadata() {
	m := modelfile.Metadata{Classes: []string{"cat", "dog", "cat"}}
	fmt.Println(m.Check())
	m.Classes[2] = "owl"
	fmt.Println(m.Check())
	// Output:
	// modelfile: metadata: classes: two classes have the label "cat"
	// <nil>
}

// A program that is to go on after it was stopped writes how far it has come into each of its
// checkpoints, in the same file as the model, so that the two cannot disagree.
func ExampleProgress() {
	f := line()
	f.Metadata.Progress = &modelfile.Progress{Rows: 5, Sources: []string{"line.csv"}}
	var b bytes.Buffer
	if err := modelfile.Write(&b, f); err != nil {
		fmt.Println(err)
		return
	}
	f, err := modelfile.Read(&b, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := f.Metadata.Progress
	fmt.Println("skip", p.Rows, "rows of", p.Sources, p.Done)
	// Output:
	// skip 5 rows of [line.csv] false
}

func ExampleMetadataError() {
	f := line()
	f.Metadata.Inputs = []string{"u"}
	err := modelfile.Write(&bytes.Buffer{}, f)
	var metadata *modelfile.MetadataError
	fmt.Println(errors.As(err, &metadata), err)
	// Output:
	// true modelfile: metadata: inputs: 1 names for 2 inputs of the model
}

func ExampleChecksumError() {
	var b bytes.Buffer
	if err := modelfile.Write(&b, line()); err != nil {
		fmt.Println(err)
		return
	}
	b.Bytes()[300] ^= 1 // one bit of the model
	_, err := modelfile.Read(&b, nil)
	var checksum *modelfile.ChecksumError
	fmt.Println(errors.As(err, &checksum), err)
	// Output:
	// true modelfile: the file was altered (the checksum of "REGR" is wrong): copy it again, in binary mode, or use a backup
}

func ExampleTruncatedError() {
	var b bytes.Buffer
	if err := modelfile.Write(&b, line()); err != nil {
		fmt.Println(err)
		return
	}
	b.Truncate(500)
	_, err := modelfile.Read(&b, nil)
	var truncated *modelfile.TruncatedError
	fmt.Println(errors.As(err, &truncated), err)
	// Output:
	// true modelfile: the file is not complete, it ends after 500 bytes in "REGR": copy it again, or use a backup
}

// A file of a later version says what wrote it.
func ExampleVersionError() {
	later := "\x89BLS\r\n\x1a\n\x02\x00\x00\x00\x3b\xc1\xd7\x25"
	_, err := modelfile.Read(strings.NewReader(later), nil)
	var version *modelfile.VersionError
	fmt.Println(errors.As(err, &version), err)
	// Output:
	// true modelfile: the file is of version 2, and this program reads version 1 at most: read it with a newer release of blskernel
}

func ExampleFormatError() {
	var b bytes.Buffer
	if err := modelfile.Write(&b, line()); err != nil {
		fmt.Println(err)
		return
	}
	b.WriteString("something else")
	_, err := modelfile.Read(&b, nil)
	var format *modelfile.FormatError
	fmt.Println(errors.As(err, &format), err)
	// Output:
	// true modelfile: section "END " has what no model file has: there is something after the end: use a backup, or train again
}

func ExampleFolderError() {
	err := error(&modelfile.FolderError{Path: "line.bls", Err: errors.New("input/output error")})
	var folder *modelfile.FolderError
	fmt.Println(errors.As(err, &folder), err)
	// Output:
	// true line.bls is written, but its folder could not be brought to the disk: input/output error
}
