package main

import (
	"cmp"
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

	columns int // of the terminal; 0 where it does not tell, for barColumns

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
	// barWidth is that of the bar itself, and barRest what else is in its line beside the description:
	// the percentage, the ends of the bar and the clock, of up to 99 hours.
	barWidth = 24
	barRest  = len(" 100% |") + barWidth + len("|  [99h59m59s]")
)

func newProgress(w io.Writer, quiet bool) *progress {
	p := &progress{w: w, quiet: quiet}
	if columns, ok := takesBar(w); ok {
		p.bar, p.columns = newBar(w), columns
	}
	return p
}

func newBar(w io.Writer) *progressbar.ProgressBar {
	return progressbar.NewOptions(barSteps,
		progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(barWidth),
		progressbar.OptionUseANSICodes(runtime.GOOS != "windows"), // which clear whatever else is in the line, as ^C
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(true))
}

// takesBar tells whether w is a terminal on which a line can be drawn again and again, and of how many
// columns, 0 if it does not tell.
func takesBar(w io.Writer) (columns int, ok bool) {
	f, ok := w.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return 0, false
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		columns = 0
	}
	return columns, columns == 0 || columns >= barColumns
}

// show says that the given share of the work, 0 to 1, or a negative number where nobody knows, is done
// and what comes now.
func (p *progress) show(share float64, doing string) {
	switch {
	case p.bar != nil:
		p.bar.Describe(shorten(doing, cmp.Or(p.columns, barColumns)-1-barRest)) // the last column is left: some break the line there
		_ = p.bar.Set(int(barSteps * max(0, share)))
	case !p.quiet && share < 0:
		p.waiting = "      " + doing + "\n"
		p.tell()
	case !p.quiet:
		p.waiting = fmt.Sprintf("%3.0f%%  %s\n", 100*share, doing)
		p.tell()
	}
}

// shorten cuts text to so many characters, which dots at its end are part of.
func shorten(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
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
