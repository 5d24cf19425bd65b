package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/internal/io/npy"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// A sample is a row of a generated data set: three classes about three centers, and two smooth targets.
type sample struct {
	x      [4]float64
	label  string
	y1, y2 float64
}

func samples(n int, seed uint64) []sample {
	random := rand.New(rand.NewPCG(seed, 1))
	labels := []string{"red", "green", "dark blue"}
	out := make([]sample, n)
	for i := range out {
		s := &out[i]
		class := random.IntN(3)
		s.label = labels[class]
		for j := range s.x {
			s.x[j] = 10*float64(j) + 3*float64((class*(j+1))%3) + random.NormFloat64()
		}
		s.y1 = s.x[0] + 2*math.Sin(s.x[1]/3) + 0.01*random.NormFloat64()
		s.y2 = 1000 - s.x[2]*s.x[3]/10
	}
	return out
}

func weightOf(row int) int { return (row*row + row/3) % 4 }

// csvText returns the CSV text of the rows with the named columns, with a header or without.
func csvText(rows []sample, header bool, columns ...string) string {
	var b strings.Builder
	if header {
		b.WriteString(strings.Join(columns, ",") + "\n")
	}
	for i, s := range rows {
		var cells []string
		for _, c := range columns {
			switch c {
			case "a", "b", "c", "d":
				cells = append(cells, fmt.Sprint(s.x[c[0]-'a']))
			case "color":
				cells = append(cells, s.label)
			case "y1":
				cells = append(cells, fmt.Sprint(s.y1))
			case "y2":
				cells = append(cells, fmt.Sprint(s.y2))
			case "id":
				cells = append(cells, fmt.Sprintf("row-%d", i))
			case "y0": // a column of fractions and whole numbers
				cells = append(cells, fmt.Sprint([]float64{s.y1, math.Trunc(s.y1)}[i%2]))
			case "w":
				cells = append(cells, fmt.Sprint(weightOf(i)))
			default:
				panic(c)
			}
		}
		b.WriteString(strings.Join(cells, ",") + "\n")
	}
	return b.String()
}

func writeText(t *testing.T, dir, name, text string) string {
	t.Helper()
	return testutil.WriteFile(t, filepath.Join(dir, name), text)
}

// small returns the arguments of a train command with k = 30 nodes.
func small(args ...string) []string {
	return append([]string{"train", "--groups", "2", "--group-nodes", "5", "--enhancement", "20", "--first", "100", "--batch", "50"}, args...)
}

func succeed(t *testing.T, args ...string) string {
	t.Helper()
	status, stdout, stderr := inProcess(args...)
	if status != 0 {
		t.Fatalf("%q: status %d, stderr %q", args, status, stderr)
	}
	return stdout
}

// silent is succeed for a command that writes nothing to standard error.
func silent(t *testing.T, args ...string) string {
	t.Helper()
	status, stdout, stderr := inProcess(args...)
	if status != 0 || stderr != "" {
		t.Fatalf("%q: status %d, stderr %q", args, status, stderr)
	}
	return stdout
}

type trainedModel interface {
	Encode(w io.Writer) error
	Weights() (*mat.Dense, error)
	Updater() blsupdate.Updater
}

func load(path string) (trainedModel, error) {
	f, err := modelfile.Load(path, nil)
	if err != nil {
		return nil, err
	}
	if f.Classifier != nil {
		return f.Classifier, nil
	}
	return f.Regressor, nil
}

// encoded returns the bytes of the model in a file, without the metadata.
func encoded(path string) ([]byte, error) { return encodedBy(path, trainedModel.Encode) }

// encodedLayer returns the bytes of the output layer alone.
func encodedLayer(path string) ([]byte, error) {
	return encodedBy(path, func(m trainedModel, w io.Writer) error { return blsupdate.Encode(w, m.Updater()) })
}

func encodedBy(path string, encode func(m trainedModel, w io.Writer) error) ([]byte, error) {
	m, err := load(path)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = encode(m, &b)
	return b.Bytes(), err
}

func outputWeights(path string) (*mat.Dense, error) {
	m, err := load(path)
	if err != nil {
		return nil, err
	}
	return m.Weights()
}

// state returns what encoded returns, and ends the test on an error.
func state(t *testing.T, path string) []byte {
	t.Helper()
	bits, err := encoded(path)
	testutil.NoError(t, err)
	return bits
}

// wordText returns the CSV text of n rows: a color, a size, a fit, a number and whether somebody buys.
// Some cells are missing.
func wordText(n int, seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for i := range n {
		color, fit := []string{"rot", "grün", "blau", ""}[random.IntN(4)], []string{"S", "M", "L"}[random.IntN(3)]
		size := random.NormFloat64()
		value, shown := size, fmt.Sprintf("%.3f", size)
		if color == "rot" {
			value += 2
		}
		if fit == "L" {
			value++
		}
		if random.IntN(20) == 0 {
			shown = "NA"
		}
		fmt.Fprintf(&b, "%s,%s,%s,%d,%s\n", color, shown, fit, i, map[bool]string{true: "yes", false: "no"}[value > 1])
	}
	return b.String()
}

func object[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return v
}

// writeIDX writes a training set of n synthetic digits and a test set of 200 to a folder as idx files.
// The first two files are gzipped.
func writeIDX(dir string, n int) error {
	write := func(name string, data []byte) error { return os.WriteFile(filepath.Join(dir, name), data, 0o644) }
	train, test := dataset.Digits(n, 1), dataset.Digits(200, 2)
	return errors.Join(
		write("train-images-idx3-ubyte.gz", testutil.Gzipped(testutil.IDX(8, train.Pixels, uint32(n), 28, 28))),
		write("train-labels-idx1-ubyte.gz", testutil.Gzipped(testutil.IDX(8, train.Labels, uint32(n)))),
		write("t10k-images-idx3-ubyte", testutil.IDX(8, test.Pixels, 200, 28, 28)),
		write("t10k-labels-idx1-ubyte", testutil.IDX(8, test.Labels, 200)),
	)
}

// arrayOf returns CSV text without a header as a NumPy array of numbers, or of one column of texts.
func arrayOf(text string) []byte {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var numbers []float64
	for _, cell := range strings.Split(strings.Join(lines, ","), ",") {
		if v, err := strconv.ParseFloat(cell, 64); err == nil {
			numbers = append(numbers, v)
		}
	}
	if len(numbers) > 0 {
		return npy.AppendFloats(npy.AppendHeader(nil, npy.Float64, len(lines), len(numbers)/len(lines)), numbers)
	}
	descr := npy.LabelType(lines)
	array := npy.AppendHeader(nil, descr, len(lines))
	for _, label := range lines {
		array = npy.AppendLabel(array, descr, label)
	}
	return array
}
