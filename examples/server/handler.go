package main

import (
	"encoding/json"
	"fmt"
	"net/http"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/mat"
)

// mostBytes bounds a request.
const mostBytes = 16 << 20

type request struct {
	Rows [][]float64 `json:"rows"`
}

type answer struct {
	Labels []string    `json:"labels,omitempty"` // of a classification
	Scores [][]float64 `json:"scores,omitempty"` // of a classification
	Values [][]float64 `json:"values,omitempty"` // of a regression
}

// handler answers requests by the model, several at a time: several goroutines may use a model that
// none changes.
func handler(f *modelfile.File) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /predict", func(w http.ResponseWriter, r *http.Request) {
		var in request
		decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostBytes))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		out, err := predict(r, f, in.Rows)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		write(w, out)
	})
	mux.HandleFunc("GET /model", func(w http.ResponseWriter, _ *http.Request) {
		m := f.Metadata
		write(w, map[string]any{"inputs": m.Inputs, "classes": m.Classes, "targets": m.Targets, "changed": m.Changed})
	})
	return mux
}

func write(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	// An error means that the client went away.
	_ = json.NewEncoder(w).Encode(v)
}

// predict returns the predictions for rows. The model returns an error for rows of another length than
// its inputs, and for numbers that are not finite.
func predict(r *http.Request, f *modelfile.File, rows [][]float64) (*answer, error) {
	x, err := matrix(rows)
	if err != nil {
		return nil, err
	}
	if f.Regressor != nil {
		values, err := f.Regressor.PredictContext(r.Context(), x)
		if err != nil {
			return nil, err
		}
		return &answer{Values: lists(values)}, nil
	}
	scores, err := f.Classifier.DecisionFunctionContext(r.Context(), x)
	if err != nil {
		return nil, err
	}
	out := &answer{Scores: lists(scores)}
	for _, class := range bls.ArgMax(scores) {
		label := fmt.Sprint(class)
		if f.Metadata.Classes != nil {
			label = f.Metadata.Classes[class]
		}
		out.Labels = append(out.Labels, label)
	}
	return out, nil
}

// matrix returns rows as a matrix.
func matrix(rows [][]float64) (*mat.Dense, error) {
	if len(rows) == 0 || len(rows[0]) == 0 {
		return nil, fmt.Errorf("the request has no rows")
	}
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		if len(row) != len(rows[0]) {
			return nil, fmt.Errorf("row %d has %d numbers and row 0 has %d", i, len(row), len(rows[0]))
		}
		copy(x.RawRowView(i), row)
	}
	return x, nil
}

// lists returns the rows of a matrix.
func lists(m *mat.Dense) [][]float64 {
	rows, _ := m.Dims()
	out := make([][]float64, rows)
	for i := range out {
		out[i] = m.RawRowView(i)
	}
	return out
}
