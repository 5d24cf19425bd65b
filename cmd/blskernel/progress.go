package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far a run is: by a bar on a terminal, by a line for each message elsewhere,
// and not at all where the output is for machines and nobody looks on.
type progress struct {
	w     io.Writer
	quiet bool
	bar   *progressbar.ProgressBar // nil where w is no terminal

	// Lines come at least so long one after the other; of those that come faster the last one waits for refresh.
	pause   time.Duration
	told    time.Time
	waiting string
}

const (
	// barSteps is the number of steps of the bar.
	barSteps = 1000
	// barColumns is the width of a line with the bar. In a narrower terminal it would be broken in
	// two, and only the second half could be drawn again.
	barColumns = 80
)

func newProgress(w io.Writer, quiet bool) *progress {
	p := &progress{w: w, quiet: quiet}
	if takesBar(w) {
		p.bar = newBar(w)
	}
	return p
}

func newBar(w io.Writer) *progressbar.ProgressBar {
	return progressbar.NewOptions(barSteps,
		progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(24),
		progressbar.OptionUseANSICodes(runtime.GOOS != "windows"), // which clear whatever else is in the line, as ^C
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(true))
}

// takesBar tells whether w is a terminal on which a line can be drawn again and again.
func takesBar(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return false
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	return err != nil || columns == 0 || columns >= barColumns // some do not tell
}

// show says that the given share of the work, 0 to 1, is done and what comes now.
func (p *progress) show(share float64, doing string) {
	switch {
	case p.bar != nil:
		p.bar.Describe(doing)
		_ = p.bar.Set(int(barSteps * share))
	case !p.quiet:
		p.waiting = fmt.Sprintf("%3.0f%%  %s\n", 100*share, doing)
		p.tell()
	}
}

// tell prints the line that is waiting, if it is time.
func (p *progress) tell() {
	if p.waiting == "" || time.Since(p.told) < p.pause {
		return
	}
	fmt.Fprint(p.w, p.waiting)
	p.told, p.waiting = time.Now(), ""
}

// refresh draws the bar again, or prints the line that is waiting.
func (p *progress) refresh() {
	if p.bar != nil {
		_ = p.bar.RenderBlank()
	} else {
		p.tell()
	}
}

// clear takes the bar from the terminal until it is shown again.
func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
