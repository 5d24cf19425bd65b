package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/dataset/stream"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// colored returns a model file with two columns: color, which is one of two words, and size.
func colored(t *testing.T, missing stream.Missing) *modelfile.File {
	t.Helper()
	x, labels := mat.NewDense(60, 3, nil), make([]int, 60)
	for i := range labels {
		labels[i] = i % 2
		x.SetRow(i, []float64{float64(labels[i]), float64(1 - labels[i]), float64(i % 7)})
	}
	c := &bls.Classifier{Features: features}
	testutil.NoError(t, c.Fit(x, labels))
	meta := modelfile.Metadata{Inputs: []string{"color=1", "color=red", "size"}, Classes: []string{"r", "1"},
		Columns: stream.Columns{{Levels: []string{"1", "red"}}, {}}}
	if missing == stream.MissingMean {
		meta.Missing = missing.String()
		meta.Columns[0].Fill, meta.Columns[1].Fill = []float64{0, 1}, []float64{3}
	}
	return &modelfile.File{Classifier: c, Metadata: meta}
}

// TestWords sends known words, unknown words, and missing cells.
func TestWords(t *testing.T) {
	at, _ := start(t, colored(t, stream.MissingMean))
	for _, test := range []struct {
		body    string
		labels  []string
		unknown map[string]int64
	}{
		{`{"rows": [["red", 3], ["1", 3], [1, 3], [null, 3], [" red\t", null]]}`, []string{"r", "1", "1", "r", "r"}, nil},
		{`{"rows": [{"size": 3, "color": "red"}, {"color": "1", "size": null}]}`, []string{"r", "1"}, nil},
		{`{"rows": [["pink", 3], [2, 3], ["red", 3]]}`, nil, map[string]int64{"color": 2}},
	} {
		got, _ := predict(t, at, test.body)
		if test.labels != nil && !reflect.DeepEqual(got.Labels, test.labels) || !reflect.DeepEqual(got.Unknown, test.unknown) {
			t.Errorf("%s: %+v", test.body, got)
		}
	}
	for body, want := range map[string]string{
		`{"rows": [["red", "big"]]}`:          `row 1, column 2 (\"size\"): \"big\" is not a number`,
		`{"rows": [["red", 1], [true, 1]]}`:   `row 2, column 1 (\"color\"): true is not a word`,
		`{"rows": [["red", 1, 2]]}`:           `row 1 has 3 cells; the model has 2 columns`,
		`{"rows": [{"color=red": 1}]}`:        `row 1, column 1 (\"color\"): missing from the row`,
		`{"rows": [{"color": [], "size":1}]}`: `row 1, column 1 (\"color\"): [] is not a word`,
	} {
		if status, text := post(t, at+"/predict", body); status != http.StatusBadRequest || text != `{"error":"`+want+"\"}\n" {
			t.Errorf("%s: status %d, %s; want %s", body, status, text, want)
		}
	}
	var about map[string]any
	if get(t, at+"/model", &about); fmt.Sprint(about["columns"], about["inputs"], about["words"]) != "2 [color size] map[color:[1 red]]" {
		t.Errorf("%+v", about)
	}
	f := colored(t, stream.MissingMean)
	f.Metadata.NA = []string{"-999", "9007199254740993"}
	as, _ := start(t, f)
	want, _ := predict(t, as, `{"rows": [[null, 3], [null, 3], ["red", null], ["red", null], ["red", null]]}`)
	if got, _ := predict(t, as, `{"rows": [["NA", 3], [-999, 3], ["red", -999], ["red", -999.0], ["red", "?"]]}`); !reflect.DeepEqual(got, want) {
		t.Errorf("missing cells: %+v; want %+v", got, want)
	}
	if got, _ := predict(t, as, `{"rows": [["red", 9007199254740993], ["red", 9007199254740992]]}`); reflect.DeepEqual(got.Scores[0], got.Scores[1]) || !reflect.DeepEqual(got.Scores[0], want.Scores[2]) {
		t.Errorf("integers that are equal as float64: %+v", got)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		body := strings.NewReplacer(`"u"`, `"color"`, `"v"`, `"size"`).Replace(hostileBody(r))
		if status, text := post(t, at+"/predict", body); status != 200 && status != 400 && status != 413 {
			t.Errorf("status %d, %s for %.300q", status, text, body)
		}
	}
	at, _ = start(t, colored(t, stream.MissingError))
	if status, text := post(t, at+"/predict", `{"rows": [[null, 1]]}`); status != http.StatusBadRequest {
		t.Errorf("status %d, %s", status, text)
	}
}
