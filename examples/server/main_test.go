package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"slices"
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

var features = bls.FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 10, Seed: 1, Scaling: bls.ScaleColumns}

// start serves a model at a free port of the loopback interface and returns the address; at the end of
// the test the server must stop without an error.
func start(t *testing.T, f *modelfile.File) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.bls")
	testutil.NoError(t, modelfile.Save(path, f))
	ctx, stop := context.WithCancel(context.Background())
	ready, stopped := make(chan net.Addr, 1), make(chan error, 1)
	go func() { stopped <- serve(ctx, path, "127.0.0.1:0", func(at net.Addr) { ready <- at }) }()
	t.Cleanup(func() {
		stop()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
	select {
	case at := <-ready:
		return "http://" + at.String()
	case err := <-stopped:
		stopped <- err
		t.Fatal(err)
	case <-time.After(time.Minute):
		t.Fatal("the server does not listen after a minute")
	}
	return ""
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

// TestClassifier asks for all samples at once, and with everything that a request can have wrong.
func TestClassifier(t *testing.T) {
	x, labels := samples(90)
	c := &bls.Classifier{Features: features, Method: blsupdate.QR, Update: blsupdate.Options{Lambda: 1e-6}}
	testutil.NoError(t, c.Fit(x, labels))
	names := []string{"near", "east", "north"}
	at := start(t, &modelfile.File{Classifier: c, Metadata: modelfile.Metadata{Inputs: []string{"u", "v"}, Classes: names}})

	body, err := json.Marshal(request{Rows: lists(x)})
	testutil.NoError(t, err)
	status, text := post(t, at+"/predict", string(body))
	var got answer
	if err := json.Unmarshal([]byte(text), &got); status != http.StatusOK || err != nil {
		t.Fatalf("status %d, %v, %s", status, err, text)
	}
	predicted, err := c.Predict(x)
	testutil.NoError(t, err)
	for i, class := range predicted {
		if got.Labels[i] != names[class] {
			t.Fatalf("row %d is %s; want %s", i, got.Labels[i], names[class])
		}
	}
	if !slices.Equal(predicted, labels) || len(got.Scores) != 90 || len(got.Scores[0]) != 3 || got.Values != nil {
		t.Errorf("%d scores, classes %v", len(got.Scores), predicted)
	}

	for body, want := range map[string]string{
		`{"rows": []}`:                  "the request has no rows",
		`{"rows": [[]]}`:                "the request has no rows",
		`{"rows": [[1, 2], [3]]}`:       "row 1 has 1 numbers and row 0 has 2",
		`{"rows": [[1, 2, 3]]}`:         "2 columns",
		`{"rows": [["1", "2"]]}`:        "cannot unmarshal",
		`{"row": [[1, 2]]}`:             "unknown field",
		`{"rows": [[1e999, 2]]}`:        "1e999",
		`{"rows": [[1, 2]`:              "unexpected EOF",
		"[" + strings.Repeat("0,", 9e6): "",
	} {
		if status, text := post(t, at+"/predict", body); status != http.StatusBadRequest || !strings.Contains(text, want) {
			t.Errorf("%.40s: status %d, %s", body, status, text)
		}
	}

	response, err := http.Get(at + "/model")
	testutil.NoError(t, err)
	defer response.Body.Close()
	var about struct{ Inputs, Classes []string }
	if err := json.NewDecoder(response.Body).Decode(&about); err != nil || fmt.Sprint(about) != "{[u v] [near east north]}" {
		t.Errorf("%v, %v", about, err)
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
	at := start(t, &modelfile.File{Regressor: r})
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
	none := func(net.Addr) { t.Error("it listens") }
	if err := serve(t.Context(), filepath.Join(t.TempDir(), "none.bls"), "127.0.0.1:0", none); err == nil {
		t.Error("a model that is not there is served")
	}
}
