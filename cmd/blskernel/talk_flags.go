package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

// talkSettings are the flags that say what a command tells.
type talkSettings struct {
	json, quiet, verbose bool
}

func (s *talkSettings) register(cmd *cobra.Command, object string) {
	f := cmd.Flags()
	f.BoolVar(&s.json, "json", false, "print "+object+" in place of text")
	f.BoolVar(&s.quiet, "quiet", false, "print nothing but what was asked for, and errors")
	f.BoolVar(&s.verbose, "verbose", false, "tell on standard error what is chosen, and why")
}

func (s *talkSettings) check() error {
	if s.quiet && s.verbose {
		return usageError{errors.New("--quiet and --verbose contradict each other")}
	}
	return nil
}

// talk is where a command tells what it does.
type talk struct {
	talkSettings
	streams
	shown *progress
}

// begin returns the talk of a command that works from now on.
func (s *talkSettings) begin(to streams) *talk {
	t := &talk{talkSettings: *s, streams: to, shown: newProgress(to.err, s.json || s.quiet)}
	t.shown.pause, t.shown.told = 2*time.Second, time.Now() // what takes less needs no lines
	if s.quiet {
		t.shown.bar = nil
	}
	return t
}

// say prints a line of the result, unless nobody wants to read it.
func (t *talk) say(format string, args ...any) error {
	if t.quiet || t.json {
		return nil
	}
	t.shown.clear()
	_, err := fmt.Fprintf(t.out, format+"\n", args...)
	return err
}

// object prints an object of the result, if those are wanted.
func (t *talk) object(v any) error {
	if !t.json {
		return nil
	}
	t.shown.clear()
	return json.NewEncoder(t.out).Encode(v)
}

// explain tells on standard error what was chosen, if that is wanted. Where it cannot be told the work
// goes on.
func (t *talk) explain(format string, args ...any) {
	if t.verbose {
		t.shown.clear()
		fmt.Fprintf(t.err, format+"\n", args...)
	}
}

// warn tells on standard error what may be wrong, unless nobody wants to know.
func (t *talk) warn(format string, args ...any) {
	if t.quiet {
		return
	}
	t.shown.clear()
	fmt.Fprintf(t.err, "note: "+format+"\n", args...)
}

// doneRows is the object of a command that finds its work done.
type doneRows struct {
	Done string `json:"done"`
	Rows int64  `json:"rows"`
}

// tellDone says that there was nothing left to do.
func (t *talk) tellDone(model string, rows int64) error {
	if err := t.object(doneRows{model, rows}); err != nil {
		return err
	}
	return t.say("%s   is done: all %s have been learned", model, counted(int(rows), "row"))
}
