package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// handles maps each handle of this process to its object or job. Handles begin at a random number, so
// that a handle from another process is most likely unknown.
var handles = struct {
	sync.Mutex
	next int64
	all  map[int64]any
}{next: 1 + int64(rand.Uint32()>>1)<<31, all: map[int64]any{0: &entry{object: library{}}}}

func add(v any) int64 {
	handles.Lock()
	defer handles.Unlock()
	h := handles.next
	handles.next++
	handles.all[h] = v
	return h
}

// A handleError is a handle that is unknown or of the wrong kind.
type handleError int64

func (h handleError) Error() string {
	return fmt.Sprintf("handle %d was freed, is of the wrong kind, or belongs to another process: create or load the object again", h)
}

func lookup[T any](h int64) (T, error) {
	handles.Lock()
	defer handles.Unlock()
	if v, ok := handles.all[h].(T); ok {
		return v, nil
	}
	return *new(T), handleError(h)
}

func remove(h int64) error {
	if j, err := lookup[*job](h); err == nil {
		j.cancel()
		<-j.done
	}
	handles.Lock()
	defer handles.Unlock()
	if _, ok := handles.all[h]; !ok || h == 0 {
		return handleError(h)
	}
	delete(handles.all, h)
	return nil
}

// An object returns the methods of its kind, by name.
type object interface{ methods() map[string]method }

type entry struct {
	object
	mu sync.RWMutex
}

// pairs is held by methods that lock two objects, to prevent a deadlock.
var pairs sync.Mutex

// A job is a method that runs or has ended.
type job struct {
	cancel  context.CancelFunc
	done    chan struct{} // closed at the end, after the fields below are set
	result  []byte
	elapsed time.Duration
	err     error
}

func (j *job) ended() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

func (e *entry) start(c *call) (*job, error) {
	c.method = e.methods()[c.name]
	if err := c.check(); err != nil {
		return nil, err
	}
	j := &job{done: make(chan struct{})}
	c.ctx, j.cancel = context.WithCancel(context.Background())
	go func() {
		defer close(j.done)
		defer j.cancel()
		j.err = e.run(c, j)
	}()
	return j, nil
}

// run calls a method while it holds the locks that the method needs. It returns a panic as an error.
func (e *entry) run(c *call, j *job) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicked(r)
		}
	}()
	began := time.Now()
	if err := parse(c.text, &c.options); err != nil {
		return err
	}
	for _, a := range c.arrays[:c.operands] {
		c.in = append(c.in, a.view())
	}
	if c.name == "merge" {
		o, err := lookup[*entry](c.Other)
		if err != nil {
			return err
		} else if o == e {
			return valueError("an object cannot be merged with itself: merge a copy")
		}
		pairs.Lock()
		defer pairs.Unlock()
		o.mu.Lock()
		defer o.mu.Unlock()
		c.other = o.object
	}
	lock, unlock := e.mu.Lock, e.mu.Unlock
	if c.reads {
		lock, unlock = e.mu.RLock, e.mu.RUnlock
	}
	lock()
	defer unlock()
	if err = c.ctx.Err(); err == nil {
		err = c.run(c)
	}
	j.elapsed, j.result = time.Since(began), c.result
	return err
}
