package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/dataset/stream"
)

// A server predicts with the model in a file, and reloads the file when it changes.
type server struct {
	path        string
	poll        time.Duration    // between two checks of the file
	loadTime    time.Duration    // bounds a load, which may never end if the file system does not answer
	predictTime time.Duration    // bounds the predictions of a request
	hangup      <-chan os.Signal // each signal reloads the file

	model  atomic.Pointer[served]    // a request reads the pointer once, and keeps that model to its end
	stale  atomic.Bool               // whether the last load failed
	looked atomic.Pointer[time.Time] // when the last check of the file ended
}

// newServer returns a server for the file at path, without loading it.
func newServer(path string) *server {
	return &server{path: path, poll: time.Second, loadTime: 5 * time.Minute, predictTime: time.Minute}
}

// A served is a loaded model. No request changes it, so it is safe for concurrent use.
type served struct {
	*model.Model
	inputs, outputs int
	cells           stream.Columns // how the cells of a row become the inputs
	read            stream.Options // with the words for missing cells
	fills           bool           // whether missing cells are filled in
	names           []string       // of the cells; nil without names
	distinct        bool           // whether there are names, and they are distinct
	loaded          time.Time
}

// load loads the file. It gives up after loadTime, or when ctx is done. On error the old model stays.
func (s *server) load(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.loadTime, fmt.Errorf("not loaded after %v", s.loadTime))
	defer cancel()
	type result struct {
		*served
		error
	}
	done := make(chan result, 1)
	go func() {
		m, err := open(ctx, s.path)
		done <- result{m, err}
	}()
	var got result
	select {
	case got = <-done:
	case <-ctx.Done():
		got.error = fmt.Errorf("%s: %w", s.path, context.Cause(ctx))
	}
	s.stale.Store(got.error != nil)
	if got.error != nil {
		return got.error
	}
	s.model.Store(got.served)
	return nil
}

// open reads the model in a regular file, unless ctx is done first. It rejects a FIFO without waiting.
func open(ctx context.Context, path string) (*served, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file; save the model to a file, and rename it to this name", path)
	}
	f, err := modelfile.Read(bufio.NewReaderSize(contextReader{file, ctx}, 1<<16), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m := &served{Model: model.New(f), loaded: time.Now().UTC()}
	m.inputs = m.FittedFeatures().Inputs()
	weights, err := m.Weights() // otherwise the first request would take this time, or fail
	if err != nil {
		return nil, err
	}
	_, m.outputs = weights.Dims()
	m.cells, m.names = m.Columns()
	m.read = m.Metadata.Options()
	m.fills = m.read.Missing == stream.MissingMean && m.Metadata.Columns != nil
	m.distinct = len(m.names) > 0 && len(slices.Compact(slices.Sorted(slices.Values(m.names)))) == len(m.names)
	return m, nil
}

type contextReader struct {
	io.Reader
	ctx context.Context
}

func (r contextReader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.Reader.Read(p)
}

// name returns the name of column j, or its number from 1 if the columns have no names.
func (m *served) name(j int) string {
	if m.names == nil {
		return strconv.Itoa(j + 1)
	}
	return m.names[j]
}

// retryChecks is the number of checks between two loads of a file that cannot be loaded: the cause may
// have passed without a change of the file, such as too many open files.
const retryChecks = 60

// follow loads the file on every SIGHUP, whenever it differs from seen, and every retryChecks checks
// while the last load has failed, until ctx is done.
func (s *server) follow(ctx context.Context, seen os.FileInfo) {
	tick := time.NewTicker(s.poll)
	defer tick.Stop()
	for checks := 1; ; checks++ {
		asked := false
		select {
		case <-ctx.Done():
			return
		case <-s.hangup:
			asked = true
		case <-tick.C:
		}
		// Changes after this line are seen at the next tick.
		now, _ := os.Stat(s.path) // load returns the error
		again := now != nil && s.stale.Load() && checks%retryChecks == 0
		if asked || again || !same(now, seen) {
			err := s.load(ctx)
			at := time.Now().UTC().Format(time.RFC3339)
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				log.Printf("%s: keeping the model loaded at %s: %v", at, s.model.Load().loaded.Format(time.RFC3339), err)
			default:
				log.Printf("%s: loaded %s again", at, s.path)
			}
		}
		seen = now
		s.look()
	}
}

// look records the time at which a check of the file ended.
func (s *server) look() {
	now := time.Now().UTC()
	s.looked.Store(&now)
}

// same reports whether now and before describe the same, unchanged file. Nil means that none exists.
func same(now, before os.FileInfo) bool {
	if now == nil || before == nil {
		return now == before
	}
	return os.SameFile(now, before) && now.Size() == before.Size() && now.ModTime().Equal(before.ModTime())
}
