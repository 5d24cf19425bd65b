package report

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/template"
	"unicode/utf8"

	"blskernel/bench/result"
)

// ErrNoResults is returned for files without results that a page can show.
var ErrNoResults = errors.New("report: the files have no results: neither rows of a table nor flops, cells or costs")

// A Page is a report, made by New.
type Page struct {
	Numbers  []Number // stand first
	Plot     *Plot    // below the numbers, or nil
	Sections []Section
	Machines Table
	Commands []string
}

// A Number is a measured number with the words that say what it is.
type Number struct{ Value, Text string }

// A Section is a kind of result.
type Section struct {
	Title    string
	Text     string   // explains the figures
	Findings []string // what the results say, in a sentence or two each
	Figures  []Figure

	numbers []Number // for the top of the page
}

// A Figure is plots, a table, or both.
type Figure struct {
	Title, Text string
	Plots       []*Plot
	Table       Table // or empty
}

// A Table has a name in the first cell of each row, and numbers or words in the others.
type Table struct {
	Columns []string
	Rows    [][]string // as long as Columns
}

// Long reports whether the page folds the table away.
func (t Table) Long() bool { return len(t.Rows) > 12 }

// New makes a page of files. It leaves out kinds of results that no file has, and returns ErrNoResults
// if no file has any.
func New(files []*result.File) (*Page, error) {
	p := new(Page)
	var parts []*result.File
	for _, f := range files {
		parts = append(parts, f.Parts()...)
	}
	runs := joinRuns(files)
	for _, s := range []Section{
		speedupSection(runs), timeSection(runs), accuracySection(runs), speedSection(parts), flopsSection(parts),
		predictionSection(parts),
	} {
		if len(s.Figures) == 0 {
			continue
		}
		p.Numbers = append(p.Numbers, s.numbers...)
		if first := &s.Figures[0]; p.Plot == nil && len(s.numbers) > 0 && len(first.Plots) > 0 {
			p.Plot, first.Plots = first.Plots[0], first.Plots[1:]
		}
		p.Sections = append(p.Sections, s)
	}
	if len(p.Sections) == 0 {
		return nil, ErrNoResults
	}
	p.Machines, p.Commands = machineTable(files)
	taken := map[string]bool{}
	for _, plot := range p.Plots() {
		name := plot.Name
		for n := 2; taken[plot.Name]; n++ {
			plot.Name = fmt.Sprintf("%s-%d", name, n)
		}
		taken[plot.Name] = true
	}
	return p, nil
}

// Plots returns all plots in the order of the page. Their names differ.
func (p *Page) Plots() []*Plot {
	var plots []*Plot
	if p.Plot != nil {
		plots = append(plots, p.Plot)
	}
	for _, s := range p.Sections {
		for _, f := range s.Figures {
			plots = append(plots, f.Plots...)
		}
	}
	return plots
}

//go:embed readme.tmpl
var readmeText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"cell": escape, "wrap": wrap}).Parse(readmeText))

// escape escapes what Markdown would not show as it is in the cell of a table.
func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", "|", "\\|", "*", "\\*", "[", "\\[", "]", "\\]", "`", "\\`", "\\", "\\\\",
		"\n", " ").Replace(s)
}

// wrap escapes a text and breaks it into lines of at most 100 columns, the first of them behind head
// and the others below it.
func wrap(head, s string) string {
	const columns = 100
	var b strings.Builder
	b.WriteString(head)
	at := len(head)
	for i, word := range strings.Split(escape(s), " ") {
		long := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+long > columns:
			b.WriteString("\n" + strings.Repeat(" ", len(head)))
			at = len(head)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += long
	}
	return b.String()
}

// WriteMarkdown writes the page as Markdown. Its plots are links to plots/NAME.svg.
func (p *Page) WriteMarkdown(w io.Writer) error { return failed(pageTemplate.Execute(w, p)) }

// failed names the package in an error, if there is one.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("report: %w", err)
}
