package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// samples returns points around three corners, and the number of the corner of each.
func samples(n int) (*mat.Dense, []int) {
	r := rand.New(rand.NewPCG(1, 2))
	x, labels := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		labels[i] = i % 3
		x.Set(i, 0, 10*float64(labels[i]%2)+r.NormFloat64())
		x.Set(i, 1, 10*float64(labels[i]/2)+r.NormFloat64())
	}
	return x, labels
}

var features = bls.FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 10, Shrink: bls.DefaultShrink, Seed: 1, Scaling: bls.ScaleColumns}

// start serves the file of a model, which it looks at every millisecond, at a free port of the loopback
// interface. It returns the address and the path of the file. At the end of the test the server must
// stop without an error, and must not have logged a panic.
func start(t *testing.T, f *modelfile.File) (url, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "model.bls")
	testutil.NoError(t, modelfile.Save(path, f))
	var logged bytes.Buffer // the log package writes one line at a time
	log.SetOutput(&logged)
	ctx, stop := context.WithCancel(context.Background())
	ready, stopped := make(chan net.Addr, 1), make(chan error, 1)
	s := &server{path: path, poll: time.Millisecond}
	go func() { stopped <- s.serve(ctx, "127.0.0.1:0", func(at net.Addr) { ready <- at }) }()
	t.Cleanup(func() {
		stop()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		log.SetOutput(os.Stderr)
		if text := logged.String(); strings.Contains(text, "panic") {
			t.Error(text)
		}
	})
	select {
	case at := <-ready:
		return "http://" + at.String(), path
	case err := <-stopped:
		stopped <- err
		t.Fatal(err)
	case <-time.After(time.Minute):
		t.Fatal("the server does not listen after a minute")
	}
	return "", ""
}

// get asks for a path and decodes the answer.
func get(t *testing.T, url string, v any) {
	t.Helper()
	response, err := http.Get(url)
	testutil.NoError(t, err)
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(v); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, %v", url, response.StatusCode, err)
	}
}

// post sends a body and returns the status and the text of the answer.
func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	testutil.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	testutil.NoError(t, err)
	return response.StatusCode, string(text)
}

// classifier returns the file of a model for samples, whose ridge makes the answers of two differ.
func classifier(t *testing.T, lambda float64) *modelfile.File {
	t.Helper()
	x, labels := samples(90)
	c := &bls.Classifier{Features: features, Method: blsupdate.QR, Update: blsupdate.Options{Lambda: lambda}}
	testutil.NoError(t, c.Fit(x, labels))
	return &modelfile.File{Classifier: c, Metadata: modelfile.Metadata{
		Inputs: []string{"u", "v"}, Classes: []string{"near", "east", "north"}}}
}

// TestClassifier asks for all samples at once, by lists and by names.
func TestClassifier(t *testing.T) {
	x, labels := samples(90)
	f := classifier(t, 1e-6)
	at, _ := start(t, f)
	body, err := json.Marshal(map[string]any{"rows": lists(x)})
	testutil.NoError(t, err)
	status, text := post(t, at+"/predict", string(body))
	var got answer
	if err := json.Unmarshal([]byte(text), &got); status != http.StatusOK || err != nil {
		t.Fatalf("status %d, %v, %s", status, err, text)
	}
	for i, class := range labels {
		if got.Labels[i] != f.Metadata.Classes[class] {
			t.Fatalf("row %d is %s; want %s", i, got.Labels[i], f.Metadata.Classes[class])
		}
	}
	want, err := f.Classifier.DecisionFunction(x)
	testutil.NoError(t, err)
	if fmt.Sprint(got.Scores) != fmt.Sprint(lists(want)) || got.Values != nil {
		t.Errorf("scores %v; want %v", got.Scores, lists(want))
	}

	var rows []map[string]any
	for _, row := range lists(x) {
		rows = append(rows, map[string]any{"v": row[1], "id": []any{nil, "x"}, "u": row[0], "U": 1e3})
	}
	body, err = json.Marshal(map[string]any{"rows": rows})
	testutil.NoError(t, err)
	if status, byName := post(t, at+"/predict", string(body)); status != http.StatusOK || byName != text {
		t.Errorf("by name: status %d, %s; want %s", status, byName, text)
	}

	var about struct {
		Columns         int
		Inputs, Classes []string
	}
	if get(t, at+"/model", &about); fmt.Sprint(about) != "{2 [u v] [near east north]}" {
		t.Error(about)
	}
	var health struct {
		Status string
		Loaded time.Time
		Stale  bool
	}
	if get(t, at+"/healthz", &health); health.Status != "ok" || health.Stale || time.Since(health.Loaded) > time.Hour {
		t.Error(health)
	}
}

// TestWrong has everything that a request can have wrong.
func TestWrong(t *testing.T) {
	at, _ := start(t, classifier(t, 1e-6))
	for body, want := range map[string]string{
		``:                             `ends too early; a request is {"rows": [ROW, ...]}`,
		`null`:                         `null where {`,
		`[[1, 2]]`:                     `[ where {`,
		`{}`:                           `} where "rows"`,
		`{"rows": null}`:               `null where [`,
		`{"rows": []}`:                 `the request has no rows`,
		`{"row": [[1, 2]]}`:            `"row" where "rows"`,
		`{"rows": [[1, 2]], "rows": 1`: `"rows" where }`,
		`{"rows": [[1, 2]]`:            `ends too early`,
		`{"rows": [[1, 2]]} {}`:        `after row 1: there is more than the JSON object, which ends at byte 18`,
		`{"rows": [[1, 2]]} x`:         `after row 1: there is more`,
		`{"rows": [[1, 2]]}}`:          `after row 1: there is more`,
		`{"rows": [[]]}`:               `row 1, column 1 ("u"): the row lacks it`,
		`{"rows": [[1, 2], [3]]}`:      `row 2, column 2 ("v"): the row lacks it`,
		`{"rows": [[1, 2], [3`:         `row 2, column 2 ("v"): the JSON ends too early`,
		`{"rows": [[1, 2, 3]]}`:        `row 1, column 3: the model has 2 columns`,
		`{"rows": [[1, 2], 3]}`:        `row 2: 3 is neither`,
		`{"rows": [[1, 2], null]}`:     `row 2: null is neither`,
		`{"rows": [[1, 2],]}`:          `row 2: invalid character ']'`,
		`{"rows": [[1, null]]}`:        `row 1, column 2 ("v"): null is not a number`,
		`{"rows": [[NaN, 2]]}`:         `row 1, column 1 ("u"): invalid character 'N'`,
		`{"rows": [[1, -Infinity]]}`:   `row 1, column 2 ("v"): invalid character 'I'`,
		`{"rows": [["1", 2]]}`:         `row 1, column 1 ("u"): "1" is not a number`,
		`{"rows": [[true, 2]]}`:        `row 1, column 1 ("u"): true is not a number`,
		`{"rows": [[[1], 2]]}`:         `row 1, column 1 ("u"): [ is not a number`,
		`{"rows": [[1, 2], [1e999,2]]`: `row 2, column 1 ("u"): 1e999 is beyond`,
		`{"rows": [[1, 2], [1e308,2]]`: `ends too early`,
		`{"rows": [[0,0],[1e308,0]]}`:  `row 2: `,
		`{"rows": [{"u": 1}]}`:         `row 1, column 2 ("v"): the row lacks it`,
		`{"rows": [{"u": 1, "V": 2}]}`: `row 1, column 2 ("v"): the row lacks it`,
		`{"rows": [{"v": null}]}`:      `row 1, column 2 ("v"): null is not a number`,
		`{"rows": [{"v": 1, "v": 1}]}`: `row 1, column 2 ("v"): the row has it twice`,
		`{"rows": [{"x": [1, "u": 1}]`: `row 1, "x": invalid character ':'`,
		`{"rows": [{"x": `:             `row 1, "x": the JSON ends too early`,
		`{"rows": [{1: 2}]}`:           `row 1: invalid character '1'`,
	} {
		status, text := post(t, at+"/predict", body)
		var got struct{ Error string }
		if err := json.Unmarshal([]byte(text), &got); err != nil || status != http.StatusBadRequest || !strings.Contains(got.Error, want) {
			t.Errorf("%s: status %d, %s; want %s", body, status, text, want)
		}
	}
	row := `[0.12345678901234567890, 1.2345678901234567890],`
	for _, body := range []io.Reader{
		strings.NewReader(strings.Repeat(" ", mostBytes+1)),
		// One of unknown length.
		io.MultiReader(strings.NewReader(`{"rows": [`), strings.NewReader(strings.Repeat(row, mostBytes/len(row)+1))),
		strings.NewReader(`{"rows": [` + strings.Repeat("[0,0],", mostNumbers/5+1)),
		io.MultiReader(strings.NewReader(good), strings.NewReader(strings.Repeat(" ", mostBytes))),
	} {
		response, err := http.Post(at+"/predict", "", body)
		testutil.NoError(t, err)
		text, err := io.ReadAll(response.Body)
		testutil.NoError(t, err)
		response.Body.Close()
		if response.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(string(text), "send several") {
			t.Errorf("status %d, %s", response.StatusCode, text)
		}
	}
}

func TestRegressor(t *testing.T) {
	x, labels := samples(60)
	y := mat.NewDense(60, 1, nil)
	for i, v := range labels {
		y.Set(i, 0, float64(v))
	}
	r := &bls.Regressor{Features: features, Method: blsupdate.QR, Update: blsupdate.Options{Lambda: 1e-6}}
	testutil.NoError(t, r.Fit(x, y))
	at, _ := start(t, &modelfile.File{Regressor: r})
	if status, text := post(t, at+"/predict", `{"rows": [{"u": 1}]}`); status != http.StatusBadRequest || !strings.Contains(text, "row 1: the model has no distinct names") {
		t.Errorf("status %d, %s", status, text)
	}
	_, text := post(t, at+"/predict", `{"rows": [[0, 0], [10, 0]]}`)
	var got answer
	testutil.NoError(t, json.NewDecoder(bytes.NewBufferString(text)).Decode(&got))
	want, err := r.Predict(mat.NewDense(2, 2, []float64{0, 0, 10, 0}))
	testutil.NoError(t, err)
	if fmt.Sprint(got.Values) != fmt.Sprint(lists(want)) || got.Labels != nil {
		t.Errorf("%s; want %v", text, lists(want))
	}
}

func TestServeErrors(t *testing.T) {
	s := &server{path: filepath.Join(t.TempDir(), "none.bls"), poll: time.Hour}
	if err := s.serve(t.Context(), "127.0.0.1:0", func(net.Addr) { t.Error("it listens") }); err == nil {
		t.Error("a model that is not there is served")
	}
}
