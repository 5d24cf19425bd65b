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

// samples returns n random points near three corners of a square, and the corner of each, 0 to 2.
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

// start serves the model file f, which the server checks every millisecond, on a free port of the
// loopback interface. It returns the address and the path of the file. At the end of the test, the
// server must stop without an error, and must not have logged a panic.
func start(t *testing.T, f *modelfile.File) (url, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "model.bls")
	testutil.NoError(t, modelfile.Save(path, f))
	var logged bytes.Buffer // the log package writes single lines
	log.SetOutput(&logged)
	ctx, stop := context.WithCancel(context.Background())
	ready, stopped := make(chan net.Addr, 1), make(chan error, 1)
	s := newServer(path)
	s.poll = time.Millisecond
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

func get(t *testing.T, url string, v any) {
	t.Helper()
	response, err := http.Get(url)
	testutil.NoError(t, err)
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(v); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, %v", url, response.StatusCode, err)
	}
}

func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	return postFrom(t, url, strings.NewReader(body))
}

// postFrom is post for a body from a reader, whose length may be unknown.
func postFrom(t *testing.T, url string, body io.Reader) (int, string) {
	t.Helper()
	response, err := http.Post(url, "application/json", body)
	testutil.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	testutil.NoError(t, err)
	return response.StatusCode, string(text)
}

// predict sends rows, which the server must accept, and returns the answer and its text.
func predict(t *testing.T, at, body string) (got answer, text string) {
	t.Helper()
	status, text := post(t, at+"/predict", body)
	if err := json.Unmarshal([]byte(text), &got); status != http.StatusOK || err != nil {
		t.Fatalf("%s: status %d, %v, %s", body, status, err, text)
	}
	return got, text
}

// classifier returns a model file for samples. Models with different ridges give different answers.
func classifier(t *testing.T, lambda float64) *modelfile.File {
	t.Helper()
	x, labels := samples(90)
	c := &bls.Classifier{Features: features, Method: blsupdate.QR, Update: blsupdate.Options{Lambda: lambda}}
	testutil.NoError(t, c.Fit(x, labels))
	return &modelfile.File{Classifier: c, Metadata: modelfile.Metadata{
		Inputs: []string{"u", "v"}, Classes: []string{"near", "east", "north"}}}
}

// TestClassifier requests predictions of all samples at once, as lists and as objects.
func TestClassifier(t *testing.T) {
	x, labels := samples(90)
	f := classifier(t, 1e-6)
	at, _ := start(t, f)
	body, err := json.Marshal(map[string]any{"rows": lists(x)})
	testutil.NoError(t, err)
	got, text := predict(t, at, string(body))
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
	if _, byName := predict(t, at, string(body)); byName != text {
		t.Errorf("by name: %s; want %s", byName, text)
	}

	var about, health map[string]any
	if get(t, at+"/model", &about); fmt.Sprint(about["columns"], about["inputs"], about["classes"]) != "2 [u v] [near east north]" {
		t.Error(about)
	}
	if get(t, at+"/healthz", &health); health["status"] != "ok" || health["stale"] != false || health["loaded"] == nil {
		t.Error(health)
	}
}

// TestRegressor serves a model with 500 targets, with which a short request has too many numbers.
func TestRegressor(t *testing.T) {
	const targets = 500
	x, labels := samples(60)
	y := mat.NewDense(60, targets, nil)
	for i, v := range labels {
		for j := range targets {
			y.Set(i, j, float64(v+j))
		}
	}
	r := &bls.Regressor{Features: features, Method: blsupdate.QR, Update: blsupdate.Options{Lambda: 1e-6}}
	testutil.NoError(t, r.Fit(x, y))
	at, _ := start(t, &modelfile.File{Regressor: r})
	if status, text := post(t, at+"/predict", `{"rows": [{"u": 1}]}`); status != http.StatusBadRequest || !strings.Contains(text, "row 1: the model has no distinct column names") {
		t.Errorf("status %d, %s", status, text)
	}
	many := `{"rows": [` + strings.Repeat("[0,0],", maxNumbers/(targets+2)) + "[0,0]]}"
	if status, text := post(t, at+"/predict", many); status != http.StatusRequestEntityTooLarge || !strings.Contains(text, "send several") {
		t.Errorf("status %d, %.200s", status, text)
	}
	got, text := predict(t, at, `{"rows": [[0, 0], [10, 0]]}`)
	want, err := r.Predict(mat.NewDense(2, 2, []float64{0, 0, 10, 0}))
	testutil.NoError(t, err)
	if fmt.Sprint(got.Values) != fmt.Sprint(lists(want)) || got.Labels != nil {
		t.Errorf("%s; want %v", text, lists(want))
	}
}

func loaded(t *testing.T) *server {
	t.Helper()
	s := newServer(filepath.Join(t.TempDir(), "model.bls"))
	testutil.NoError(t, modelfile.Save(s.path, classifier(t, 1e-6)))
	testutil.NoError(t, s.load(t.Context()))
	return s
}

func TestServeErrors(t *testing.T) {
	s := newServer(filepath.Join(t.TempDir(), "none.bls"))
	if err := s.serve(t.Context(), "127.0.0.1:0", func(net.Addr) { t.Error("it listens") }); err == nil {
		t.Error("a missing model is served")
	}
}
