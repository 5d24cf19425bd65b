//go:build unix

package main

import (
	"os"
	"syscall"
	"time"
)

// pipeWith makes a named pipe into which somebody writes the text once, and returns a function that
// ends that.
func pipeWith(path, text string) (stop func(), err error) {
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return
		}
		_, _ = f.WriteString(text) // whoever does not want all of it closes the pipe
		_ = f.Close()
	}()
	return func() {
		for { // a writer that nobody has listened to still waits for a reader, and then fails
			if f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
				_ = f.Close()
			}
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}, nil
}
