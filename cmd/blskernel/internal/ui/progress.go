package ui

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

// Progress shows how far a run has got: a bar on a terminal, elsewhere lines unless Quiet is set.
type Progress struct {
	w     io.Writer
	Quiet bool

	bar     *progressbar.ProgressBar // nil if w is not a terminal
	columns int                      // of the terminal; 0 if unknown
	printed time.Time
	waiting string // the line to print after the pause; a later one replaces it
}

// Pause is the minimum time between two lines, and before the first one. Tests of other output set it
// longer than any command takes on the slowest machine.
var Pause = 2 * time.Second

const (
	// barSteps is the maximum of the bar, which thus moves in steps of 0.1%.
	barSteps = 1000
	// barColumns is the minimum terminal width for a bar, since a wrapped line cannot be redrawn.
	barColumns = 80
	// barWidth is the width of the bar, barRest the width of the line without the description.
	barWidth = 24
	barRest  = len(" 100% |") + barWidth + len("|  [99h59m59s]")
)

// NewProgress returns a Progress that writes to w. quiet suppresses the lines, but not the bar.
func NewProgress(w io.Writer, quiet bool) *Progress {
	p := &Progress{w: w, Quiet: quiet, printed: time.Now()}
	if columns, ok := takesBar(w); ok {
		p.bar, p.columns = newBar(w), columns
	}
	return p
}

// WithoutBar turns the bar off. Show then prints lines, unless Quiet is set.
func (p *Progress) WithoutBar() { p.bar = nil }

func newBar(w io.Writer) *progressbar.ProgressBar {
	return progressbar.NewOptions(barSteps,
		progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(barWidth),
		progressbar.OptionUseANSICodes(runtime.GOOS != "windows"), // which also clear other text in the line, such as ^C
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(true))
}

// takesBar reports whether a line of w can be redrawn, and returns its width, or 0 if unknown.
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

// Show shows the text doing and the share of the work that is done: 0 to 1, or negative if unknown.
func (p *Progress) Show(share float64, doing string) {
	switch {
	case p.bar != nil:
		// The last column stays free: some terminals break the line there.
		p.bar.Describe(shorten(doing, cmp.Or(p.columns, barColumns)-1-barRest))
		_ = p.bar.Set(int(barSteps * max(0, share)))
	case p.Quiet:
	default:
		p.waiting = doing + "\n"
		if share >= 0 {
			p.waiting = fmt.Sprintf("%3.0f%%  %s\n", 100*share, doing)
		}
		p.print()
	}
}

// shorten returns text, cut to n characters with an ellipsis at the end if it is longer.
func shorten(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return text
}

func (p *Progress) print() {
	if p.waiting == "" || time.Since(p.printed) < Pause {
		return
	}
	fmt.Fprint(p.w, p.waiting)
	p.printed, p.waiting = time.Now(), ""
}

func (p *Progress) refresh() {
	if p.bar != nil {
		_ = p.bar.RenderBlank()
	} else {
		p.print()
	}
}

// Clear removes the bar from the terminal until it is shown again.
func (p *Progress) Clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
