package model

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/dataset/stream"
	"blskernel/internal/testutil"
)

// TestMatch selects the columns of texts.
func TestMatch(t *testing.T) {
	const header = "b,a,y\n1,2,3\n4,5,6\n"
	learn := Data{Learn: true, Single: true}
	needs := modelfile.Metadata{Inputs: []string{"a", "b"}, Targets: []string{"y"}}
	numbers := modelfile.Metadata{Inputs: []string{"1", "2"}, Targets: []string{"7"}}
	for _, tc := range []struct {
		name, text      string
		options         stream.Options
		model           modelfile.Metadata
		data            Data
		inputs, targets []string // the names that are selected
		first           []float64
		err             string // a part of the error; empty if there is none
	}{
		{"by name", header, stream.Options{}, needs, learn, []string{"a", "b"}, []string{"y"}, []float64{2, 1}, ""},
		{"inputs alone", header, stream.Options{}, needs, Data{Single: true}, []string{"a", "b"}, nil, []float64{2, 1}, ""},
		{"no target to read", "b,a,y\n1,2,\n", stream.Options{Targets: []string{"y"}}, needs, Data{Single: true}, []string{"a", "b"}, nil, []float64{2, 1}, ""},
		{"no target with inputs", "b,a,y\n1,2,\n", stream.Options{Inputs: []string{"1", "2"}}, needs, Data{Single: true}, []string{"a", "b"}, nil, []float64{2, 1}, ""},
		{"no target by number", "1,2,\n", stream.Options{Header: stream.HeaderAbsent, Targets: []string{"3"}}, needs, Data{Single: true}, nil, nil, []float64{1, 2}, ""},
		{"a model without names", header, stream.Options{Targets: []string{"y"}}, modelfile.Metadata{}, Data{Learn: true}, []string{"b", "a"}, []string{"y"}, []float64{1, 2}, ""},
		{"given, in the model's order", header, stream.Options{Inputs: []string{"b", "a"}, Targets: []string{"3"}}, needs, learn, []string{"a", "b"}, []string{"y"}, []float64{2, 1}, ""},
		{"given, of other names", header, stream.Options{Inputs: []string{"b", "y"}, Targets: []string{"a"}}, needs, learn, []string{"b", "y"}, []string{"a"}, []float64{1, 3}, ""},
		{"given, too few", header, stream.Options{Inputs: []string{"b"}, Targets: []string{"a"}}, needs, learn, nil, nil, nil, "has 1 input column, but the model has 2"},
		{"names that are numbers", "2,1,7\n3,4,5\n", stream.Options{}, numbers, learn, []string{"1", "2"}, []string{"7"}, []float64{4, 3}, ""},
		{"a range in another order", header, stream.Options{Inputs: []string{"1-2"}}, needs, learn, nil, nil, nil, "in a different order from the model"},
		{"a column is missing", "b,y\n1,2\n", stream.Options{}, needs, learn, nil, nil, nil, `lacks columns of the model ("a") and has "b", "y": name`},
		{"many are missing", "z\n1\n", stream.Options{}, modelfile.Metadata{Inputs: strings.Split("abcdefghijkl", "")}, Data{}, nil, nil, nil, `"j" and 2 more) and has "z"`},
		{"a name twice", "a,b,a,y\n1,2,3,4\n", stream.Options{}, needs, learn, nil, nil, nil, `has more than one column named "a"`},
		{"a name of a column left out", "b,a,a,y\n1,2,3,4\n", stream.Options{Exclude: []string{"3"}}, needs, learn, []string{"a", "b"}, []string{"y"}, []float64{2, 1}, ""},
		{"names that are words", "b,a,y\nb,a,3\n", stream.Options{}, modelfile.Metadata{Inputs: []string{"a=a", "b=b"}, Targets: []string{"y"}, Columns: stream.Columns{{Levels: []string{"a"}}, {Levels: []string{"b"}}}},
			Data{Learn: true}, []string{"a=a", "b=b"}, []string{"y"}, []float64{1, 1}, ""},
		{"no target", "1,2\n3,4\n", stream.Options{Header: stream.HeaderAbsent}, needs, learn, nil, nil, nil, ErrNoTargets.Error()},
	} {
		tc.model.Columns = append(tc.model.Columns, make(stream.Columns, max(2, len(tc.model.Inputs))-len(tc.model.Columns))...)
		m := &Model{File: &modelfile.File{Metadata: tc.model}}
		path := filepath.Join(t.TempDir(), "x.csv")
		testutil.NoError(t, os.WriteFile(path, []byte(tc.text), 0o666))
		r, err := stream.Open(context.Background(), []string{path}, tc.options)
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		err = m.Match(r, tc.data)
		if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s: %v; want %q", tc.name, err, tc.err)
		}
		if err == nil {
			if !slices.Equal(r.Inputs(), tc.inputs) || !slices.Equal(r.Targets(), tc.targets) {
				t.Errorf("%s: inputs %q, targets %q; want %q, %q", tc.name, r.Inputs(), r.Targets(), tc.inputs, tc.targets)
			}
			b, err := r.Next(1)
			if err != nil || !slices.Equal(b.X.RawRowView(0), tc.first) {
				t.Errorf("%s: the first sample is %v, %v; want %v", tc.name, b, err, tc.first)
			}
		}
		testutil.NoError(t, r.Close())
	}
	// To search a list for each name would take minutes.
	many, back := make([]string, 1<<18), make([]string, 1<<18)
	for i := range many {
		many[i], back[i] = "c"+strconv.Itoa(i), "c"+strconv.Itoa(len(many)-1-i)
	}
	columns, err := named(back, many)
	if ordered, _ := inOrder(many, many, back); err != nil || columns[0] != "262144" || !slices.Equal(ordered, back) || !holds(many, back) {
		t.Errorf("%d names in reverse: %v", len(many), err)
	}
}
