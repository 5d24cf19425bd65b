package report

import (
	"errors"
	"fmt"

	"blskernel/bench/result"
)

// ErrNoResults is returned for files that have nothing that a page could show.
var ErrNoResults = errors.New("report: the files have no results: neither rows of a table nor flops, cells, costs, crossovers or growth")

// A Page is a report. It is made by New, and does not change.
type Page struct {
	Title    string
	Findings []Finding // what the measurements say, one of each section or more
	machines table
	commands []string
	sources  string // how many files, and their names where these are few
	sections []section
}

// A Finding is a sentence or two, computed from the results.
type Finding struct {
	Section string // the title of the section that has the numbers
	Text    string
}

// A section is a kind of result.
type section struct {
	ID, Title string
	Text      []string // paragraphs
	Figures   []figure
	findings  []string
}

// A figure is a plot with its numbers. plot is nil where numbers are all there is.
type figure struct {
	Title   string // a heading, or none
	Caption string // what the plot shows and how to read it
	plot    *Plot
	Tables  []table
}

// A table is the numbers behind a plot. The first column names the row.
type table struct {
	Caption string
	Columns []column
	Rows    [][]string // as long as Columns
}

// A column has numbers, aligned to the right, or text.
type column struct {
	Head, Unit string
	Text       bool
}

// mostOpenRows is how many rows a table may have that is seen at once; longer ones have to be opened.
const mostOpenRows = 12

// Long tells whether the table is to be opened first.
func (t table) Long() bool { return len(t.Rows) > mostOpenRows }

// New makes a page of files. Kinds of results that none has are left out; the error is ErrNoResults where all are, or says
// which plot cannot be drawn.
func New(files []*result.File) (*Page, error) {
	p := &Page{Title: "blskernel: what was measured"}
	var parts []*result.File
	for _, f := range files {
		parts = append(parts, f.Parts()...)
	}
	at := placesOf(parts)
	runs := joinRuns(files, at)
	for _, s := range []section{
		speedupSection(runs), timeSection(runs), accuracySection(runs), flopsSection(parts),
		crossoverSection(parts, at), predictionSection(parts, runs, at), speedSection(parts, at), growthSection(parts, at),
	} {
		if len(s.Figures) == 0 {
			continue
		}
		p.sections = append(p.sections, s)
		for i, f := range s.Figures {
			if f.plot != nil && f.plot.empty() {
				s.Figures[i].plot = nil // its table says what there is
			}
		}
		for _, text := range s.findings {
			p.Findings = append(p.Findings, Finding{s.Title, sentence(text)})
		}
	}
	if len(p.sections) == 0 {
		return nil, ErrNoResults
	}
	p.machines, p.commands = machineTable(files)
	p.name()
	p.sources = sourceNames(files)
	return p, nil
}

// name gives plots names that are unique.
func (p *Page) name() {
	taken := map[string]bool{}
	for _, plot := range p.Plots() {
		name := plot.Name
		for n := 2; taken[plot.Name]; n++ {
			plot.Name = fmt.Sprintf("%s-%d", name, n)
		}
		taken[plot.Name] = true
	}
}

// Plots returns all plots in the order of the page. Their names are different.
func (p *Page) Plots() []*Plot {
	var plots []*Plot
	for _, s := range p.sections {
		for _, f := range s.Figures {
			if f.plot != nil {
				plots = append(plots, f.plot)
			}
		}
	}
	return plots
}

// sourceNames names the files, where they are few.
func sourceNames(files []*result.File) string {
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	const most = 12
	if len(names) > most {
		return fmt.Sprintf("%d files", len(names))
	}
	return list(names)
}

// Sections returns the titles of the sections that the page has below its summary.
func (p *Page) Sections() []string {
	var titles []string
	for _, s := range p.sections {
		titles = append(titles, s.Title)
	}
	return titles
}
