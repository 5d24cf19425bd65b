package main

import (
	"context"
	"log"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"blskernel/bls/modelfile"
	"blskernel/dataset/stream"
)

// A server answers by the model of a file, and follows the file.
type server struct {
	path   string
	poll   time.Duration    // between two looks at the file
	hangup <-chan os.Signal // asks for the file to be loaded again

	model atomic.Pointer[model] // a request takes it once, and keeps it to its end
	stale atomic.Bool           // whether the last load failed
}

// A model is a loaded file. No request changes it, so several goroutines may use it.
type model struct {
	*modelfile.File
	inputs, outputs int
	cells           stream.Columns // of a row: how they become the inputs
	fills           bool           // a missing cell has what stands for it
	names           []string       // of the cells; nil without names
	columns         map[string]int // their numbers by name; nil without distinct names
	loaded          time.Time
}

// load loads the file. On an error the model is the one before.
func (s *server) load() error {
	m := &model{loaded: time.Now().UTC()}
	var err error
	if m.File, err = modelfile.Load(s.path, nil); err == nil {
		err = m.measure()
	}
	s.stale.Store(err != nil)
	if err != nil {
		return err
	}
	read := m.Metadata.Options()
	if m.names, m.cells = read.Inputs, read.Columns; m.cells == nil {
		m.cells = make(stream.Columns, m.inputs) // of numbers
	}
	m.fills = read.Missing == stream.MissingMean && read.Columns != nil
	if len(m.names) > 0 {
		m.columns = map[string]int{}
		for j, name := range m.names {
			m.columns[name] = j
		}
		if len(m.columns) < len(m.names) {
			m.columns = nil
		}
	}
	s.model.Store(m)
	return nil
}

// name returns the name of column j, its number from 1 without names.
func (m *model) name(j int) string {
	if m.names == nil {
		return strconv.Itoa(j + 1)
	}
	return m.names[j]
}

// measure sets the sizes. It solves for the weights, which would otherwise take time, or fail, at the
// first request.
func (m *model) measure() error {
	m.inputs = m.Learner().FittedFeatures().Inputs()
	weights, err := m.Learner().Weights()
	if err != nil {
		return err
	}
	_, m.outputs = weights.Dims()
	return nil
}

// follow loads the file at every hangup, and whenever it differs from seen, until ctx is done.
func (s *server) follow(ctx context.Context, seen os.FileInfo) {
	tick := time.NewTicker(s.poll)
	defer tick.Stop()
	for {
		asked := false
		select {
		case <-ctx.Done():
			return
		case <-s.hangup:
			asked = true
		case <-tick.C:
		}
		// What changes after this line is seen at the next tick.
		now, err := os.Stat(s.path)
		if !asked && (err != nil || same(now, seen)) {
			continue
		}
		seen = now
		if err := s.load(); err != nil {
			log.Printf("the model stays the one loaded at %s: %v", s.model.Load().loaded.Format(time.RFC3339), err)
			continue
		}
		log.Printf("loaded %s again", s.path)
	}
}

// same reports whether a file has not been replaced or changed; there may have been none before.
func same(now, before os.FileInfo) bool {
	return before != nil && os.SameFile(now, before) && now.Size() == before.Size() && now.ModTime().Equal(before.ModTime())
}
