package scaleout

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// table returns the inputs a, b and c of rows, and the targets y and z, which are functions of them.
func table(rows int) (x, y *mat.Dense) {
	r := rand.New(rand.NewPCG(3, 4))
	x, y = mat.NewDense(rows, 3, nil), mat.NewDense(rows, 2, nil)
	for i := range rows {
		a, b, c := r.Float64(), 10*r.Float64(), 100+r.Float64()
		x.SetRow(i, []float64{a, b, c})
		y.SetRow(i, []float64{7 + a*b, 50 + a - c/10})
	}
	return x, y
}

// regression returns a regressor fitted to some rows of such a table, and the path of its model file.
func regression(t testing.TB) (*bls.Regressor, string) {
	t.Helper()
	r := &bls.Regressor{
		Features: bls.FeatureOptions{Scaling: bls.ScaleColumns, Groups: 2, GroupNodes: 3, EnhancementNodes: 8},
		Method:   blsupdate.Gram, Update: blsupdate.Options{Lambda: 0.125},
	}
	x, y := table(40)
	testutil.NoError(t, r.Fit(x, y))
	return r, saved(t, &modelfile.File{Regressor: r, Metadata: modelfile.Metadata{
		Inputs: []string{"a", "b", "c"}, Targets: []string{"y", "z"}, Batch: 77,
		Created: created.AddDate(-1, 0, 0), Progress: &modelfile.Progress{Rows: 40}, Notes: map[string]string{"command": "train", "y": "matrix"}}})
}

// csvTable returns rows of a table as CSV text, with the columns in another order than the model's.
func csvTable(x, y *mat.Dense, from, to int) []byte {
	var b strings.Builder
	b.WriteString("z,c,a,y,b\n")
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "%v,%v,%v,%v,%v\n", y.At(i, 1), x.At(i, 2), x.At(i, 0), y.At(i, 0), x.At(i, 1))
	}
	return []byte(b.String())
}

// TestRegression fits to CSV files with column names, and checks the metadata of the model.
func TestRegression(t *testing.T) {
	base, model := regression(t)
	x, y := table(600)
	folder := t.TempDir()
	const count = 7
	for i := range count {
		writeFile(t, folder, fmt.Sprintf("%d.csv", i), csvTable(x, y, i*600/count, (i+1)*600/count))
	}
	a, ya, err := base.Expand(x, y)
	testutil.NoError(t, err)
	sh := sharded{patterns: []string{filepath.Join(folder, "*.csv")}}
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
		for _, lambda := range []float64{-1, 2} {
			ridge := lambda
			if lambda < 0 {
				ridge = 0.125 // the ridge of the model
			}
			want, limit := one(t, method, a, ya, ridge)
			f, _ := sh.fit(t, Options{Method: method, Model: model, Lambda: lambda, Created: created, Software: "a test 1.2"})
			checkWeights(t, method, f.Regressor, want, limit)
			if got := f.Regressor.Center(); fmt.Sprint(got) != fmt.Sprint(base.Center()) {
				t.Errorf("%v: the center is %v, want %v as in the model", method, got, base.Center())
			}
			meta := modelfile.Metadata{Created: created, Changed: created, Software: "a test 1.2", Batch: 77, Inputs: []string{"a", "b", "c"}, Targets: []string{"y", "z"}, Notes: map[string]string{"y": "matrix"}}
			if got := f.Metadata; fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", meta) {
				t.Errorf("%v: the metadata is\n%+v\nwant\n%+v", method, got, meta)
			}
		}
	}
}

// TestColumns reads shards whose columns fit the model, and shards whose columns do not.
func TestColumns(t *testing.T) {
	_, model := regression(t)
	folder := t.TempDir()
	for _, test := range []struct {
		name, text string
		opt        Options
		want       string // the first inputs and targets, or the error
	}{
		{"in another order", "z,y,c,b,a\n5,4,3,2,1\n", Options{}, "[1 2 3][4 5]"},
		{"given by numbers", "p,q,r,s,t\n1,2,3,4,5\n", Options{Inputs: []string{"1-3"}, Targets: []string{"s", "t"}}, "[1 2 3][4 5]"},
		{"other names", "a,b,d,y,z\n1,2,3,4,5\n", Options{}, `lacks columns of the model ("c") and has "a", "b", "d", "y", "z": name the columns with --inputs and --target, or use --header absent if`},
		{"too many", "1,2,3,4,5,6\n", Options{Targets: []string{"5-6"}}, "has 4 input columns, but the model has 3"},
		{"one target", "1,2,3,4\n", Options{Targets: []string{"4"}}, "has the wrong number of label or target columns (1, but the model has 2); name the ones to use"},
		{"none named", "1,2,3\n", Options{}, "has no labels or targets"},
		{"not there", "1,2,3,4,5\n", Options{Targets: []string{"y"}}, `has no column named "y"`},
	} {
		path := writeFile(t, folder, test.name+".csv", []byte(test.text))
		got := ""
		r, err := newLearnFn(t, model, test.opt).open(background, Shard{Path: path}, nil)
		if err == nil {
			b, next := r.Next(1)
			testutil.NoError(t, next)
			got = fmt.Sprint(b.X.RawRowView(0), b.Y.RawRowView(0))
			testutil.NoError(t, r.Close())
		}
		switch {
		case err == nil && strings.ReplaceAll(got, "] [", "][") != test.want:
			t.Errorf("%s: read %s", test.name, got)
		case err != nil && (!strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path)):
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
