package scaleout

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blskernel/bls"
	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// classes returns the inputs of a table and the number of each row's class, which depends on the first
// two inputs. Every class of names has rows.
func classes(rows int, names []string) (x *mat.Dense, numbers []int) {
	x, _ = table(rows)
	for i := range rows {
		numbers = append(numbers, int(x.At(i, 0)*2)*2%len(names)+int(x.At(i, 1)/5)%len(names)%2)
	}
	return x, numbers
}

func csvClasses(x *mat.Dense, labels []string, rows []int) []byte {
	var b strings.Builder
	b.WriteString("class,c,a,b\n")
	for _, i := range rows {
		fmt.Fprintf(&b, "%s,%v,%v,%v\n", labels[i], x.At(i, 2), x.At(i, 0), x.At(i, 1))
	}
	return []byte(b.String())
}

// TestNewClasses fits shards with labels that the base model lacks, each shard with other labels. It
// compares the result with a state of all rows that knew all classes from the start.
func TestNewClasses(t *testing.T) {
	names := []string{"d", "b", "c", "a"} // the model has the first two
	x, numbers := classes(600, names)
	var labels []string
	var of [4][]int
	for i, n := range numbers {
		labels = append(labels, names[n])
		of[n] = append(of[n], i)
	}
	c := &bls.Classifier{
		Features: bls.FeatureOptions{Scaling: bls.ScaleColumns, Groups: 2, GroupNodes: 3, EnhancementNodes: 8},
		Method:   blsupdate.Gram, Update: blsupdate.Options{Lambda: 0.125},
	}
	first := slices.Concat(of[0][:30], of[1][:30])
	sample, sampled := mat.NewDense(60, 3, nil), make([]int, 60)
	for to, i := range first {
		sample.SetRow(to, x.RawRowView(i))
		sampled[to] = numbers[i]
	}
	testutil.NoError(t, c.Fit(sample, sampled))
	path := saved(t, &modelfile.File{Classifier: c, Metadata: modelfile.Metadata{
		Inputs: []string{"a", "b", "c"}, Targets: []string{"class"}, Classes: names[:2]}})

	folder := t.TempDir()
	for name, rows := range map[string][]int{
		"0.csv": slices.Concat(of[0][:10], of[1]), "1.csv": slices.Concat(of[3][:20], of[0][10:30]),
		"2.csv": slices.Concat(of[2], of[3][20:]), "3.csv": of[0][30:],
	} {
		writeFile(t, folder, name, csvClasses(x, labels, rows))
	}
	sh := sharded{patterns: []string{filepath.Join(folder, "*.csv")}}

	a, y, err := c.Expand(x, make([]int, 600))
	testutil.NoError(t, err)
	all := mat.NewDense(600, 5, nil) // the constant and the classes d, b, a, c
	for i, n := range numbers {
		all.SetRow(i, []float64{y.At(i, 0), -1, -1, -1, -1})
		all.Set(i, 1+[]int{0, 1, 3, 2}[n], 1)
	}
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
		f, _ := sh.fit(t, Options{Method: method, Model: path, Lambda: 0.5, Created: created})
		if got := f.Metadata.Classes; !slices.Equal(got, []string{"d", "b", "a", "c"}) {
			t.Fatalf("%v: the classes are %q", method, got)
		}
		want, limit := one(t, method, a, all, 0.5)
		checkWeights(t, method, f.Classifier.Updater(), want, limit)
	}
	shard := Shard{Path: filepath.Join(folder, "1.csv")}
	_, err = bundle(newLearnFn(t, path, Options{KnownLabels: true}), shard)
	if err == nil || !strings.Contains(err.Error(), `1.csv:2: the label "a" is not a class of the model ("d", "b"); train the model with all classes`) {
		t.Errorf("with KnownLabels: %v", err)
	}
}

// TestClassesInAnyOrder merges states of different classes in both orders, with encoding in between. A
// state that is added does not change.
func TestClassesInAnyOrder(t *testing.T) {
	a := mat.NewDense(4, 3, []float64{1, 2, 3, 0, 1, 4, 5, 6, 0, 1, 1, 1})
	own := []string{"p", "q"} // the classes of the model
	learn := func(s *State, method blsupdate.Method, labels ...string) error {
		y, all, err := targetsOf(labels, s.classes)
		if err == nil {
			err = s.learn(method, a, y, all)
		}
		return err
	}
	state := func(method blsupdate.Method, batches ...[]string) *State {
		s := &State{classes: own}
		for _, labels := range batches {
			testutil.NoError(t, learn(s, method, labels...))
		}
		return s
	}
	known := []string{"p", "q", "p", "p"}
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
		parts := []*State{
			state(method, []string{"x", "q", "p", "p"}, known, []string{"p", "q", "10", "p"}),
			state(method, known),
			state(method, []string{"p", "q", "9", "x"}),
			{},
		}
		var want *mat.Dense
		for _, order := range [][]int{{0, 1, 2, 3}, {2, 0, 3, 1}, {3, 1, 2, 0}} {
			sum := &State{}
			for _, i := range order {
				in := encoded(t, parts[i])
				testutil.NoError(t, sum.add(parts[i]))
				if !bytes.Equal(in, encoded(t, parts[i])) {
					t.Error("the added state has changed")
				}
				var err error
				sum, err = decodeState(encoded(t, sum))
				testutil.NoError(t, err)
			}
			testutil.NoError(t, sum.sorted(len(own)))
			if got := fmt.Sprint(sum.classes); got != "[p q 10 9 x]" || sum.updater.Targets() != 6 || sum.updater.Samples() != 20 {
				t.Fatalf("the sum has classes %s, %d targets and %d samples", got, sum.updater.Targets(), sum.updater.Samples())
			}
			w := weights(t, sum.updater)
			if want == nil {
				want = w
			}
			if d := difference(w, want); !(d <= 1e-12) {
				t.Errorf("%v, order %v: the weights differ by %.3g", method, order, d)
			}
		}
	}
	numbers := state(blsupdate.Gram, []string{"10", "9", "p", "p"})
	testutil.NoError(t, numbers.sorted(len(own)))
	if got := fmt.Sprint(numbers.classes); got != "[p q 9 10]" {
		t.Errorf("numeric labels are in the order %s", got)
	}
	many := []string{}
	for i := range model.MaxClasses {
		many = append(many, fmt.Sprint(i))
	}
	before := encoded(t, numbers)
	if err := learn(numbers, blsupdate.Gram, many...); err == nil || !strings.Contains(err.Error(), "want at most 4096") || !bytes.Equal(before, encoded(t, numbers)) {
		t.Errorf("too many classes: %v", err)
	}
}
