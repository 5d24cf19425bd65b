package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"blskernel/bls"
	"blskernel/mat"
)

// maxBytes bounds the body of a request. maxNumbers bounds the numbers in its rows and predictions,
// since a short row may get the scores of many classes. One row is always allowed.
const (
	maxBytes   = 16 << 20
	maxNumbers = 4 << 20
)

type answer struct {
	Labels []string    `json:"labels,omitempty"` // for classification
	Scores [][]float64 `json:"scores,omitempty"` // for classification
	Values [][]float64 `json:"values,omitempty"` // for regression

	Unknown map[string]int64 `json:"unknown,omitempty"` // words that the model does not know, by column
}

// handler returns the HTTP handler of the server. Several requests may run at the same time.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /predict", func(w http.ResponseWriter, r *http.Request) {
		m := s.model.Load()
		if r.ContentLength > maxBytes {
			s.refuse(w, &http.MaxBytesError{Limit: maxBytes})
			return
		}
		x, unknown, err := m.readRows(http.MaxBytesReader(w, r.Body, maxBytes))
		if err != nil {
			s.refuse(w, err)
			return
		}
		// A client may close its side of the connection and wait for the answer. This cancels
		// the context of the request, as if the client had disconnected.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), s.predictTime)
		defer cancel()
		out, err := m.predict(ctx, x)
		if err != nil {
			s.refuse(w, err)
			return
		}
		out.Unknown = unknown
		write(w, http.StatusOK, out)
	})
	mux.HandleFunc("GET /model", func(w http.ResponseWriter, _ *http.Request) {
		m := s.model.Load()
		d := m.Metadata
		words := map[string][]string{}
		for j, c := range m.cells {
			if c.Levels != nil {
				words[m.name(j)] = c.Words()
			}
		}
		write(w, http.StatusOK, map[string]any{"columns": len(m.cells), "inputs": m.names, "words": words, "classes": d.Classes,
			"targets": d.Targets, "changed": d.Changed})
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, map[string]any{"status": "ok", "loaded": s.model.Load().loaded, "looked": s.looked.Load(),
			"stale": s.stale.Load()})
	})
	return mux
}

// refuse answers a request with err and its status. The weights were computed at the load, so an error
// comes from the request itself, or from predictions that take too long.
func (s *server) refuse(w http.ResponseWriter, err error) {
	var large *http.MaxBytesError
	status := http.StatusBadRequest
	switch {
	case errors.As(err, &large):
		status, err = http.StatusRequestEntityTooLarge, fmt.Errorf("more than %d bytes in one request; send several requests", large.Limit)
	case errors.Is(err, errTooManyRows):
		status = http.StatusRequestEntityTooLarge
	case errors.Is(err, context.DeadlineExceeded):
		status, err = http.StatusServiceUnavailable, fmt.Errorf("the predictions took longer than %v; send fewer rows, or try again later", s.predictTime)
	}
	write(w, status, map[string]string{"error": err.Error()})
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// An error means that the client has closed the connection.
	_ = json.NewEncoder(w).Encode(v)
}

func (m *served) predict(ctx context.Context, x *mat.Dense) (*answer, error) {
	scores, err := m.Predict(ctx, x)
	var overflow *bls.OverflowError
	if errors.As(err, &overflow) && overflow.Row >= 0 {
		return nil, fmt.Errorf("row %d: overflow in %s: the values of the row are far outside the range of the training data",
			overflow.Row+1, overflow.What)
	}
	if err != nil {
		return nil, err
	}
	if m.Regressor != nil {
		return &answer{Values: lists(scores)}, nil
	}
	out := &answer{Scores: lists(scores)}
	for _, class := range bls.ArgMax(scores) {
		out.Labels = append(out.Labels, m.Labels()[class])
	}
	return out, nil
}

func lists(m *mat.Dense) [][]float64 {
	rows, _ := m.Dims()
	out := make([][]float64, rows)
	for i := range out {
		out[i] = m.RawRowView(i)
	}
	return out
}
