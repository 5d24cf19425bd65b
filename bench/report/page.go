package report

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"
	texttemplate "text/template"

	"blskernel/bench/result"
)

// ErrNoResults is returned for files without results that a page can show.
var ErrNoResults = errors.New("report: the files have no results: neither rows of a table nor flops, cells, costs or crossovers")

// A Page is a report, made by New. It does not change.
type Page struct {
	Title    string
	Numbers  []Number  // at most five, which stand first
	Findings []Finding // one of each section or more
	plot     *Plot     // below the numbers, or nil
	machines table
	commands []string
	sources  string // the names of the files, or how many they are
	sections []section
}

// A Number is a measured number with the words that say what it is.
type Number struct{ Value, Text string }

// A Finding is what the results say, in a sentence or two.
type Finding struct {
	Section string // the title of the section with the numbers
	Text    string
}

// A section is a kind of result.
type section struct {
	ID, Title string
	Text      string // explains the figures
	Figures   []figure
	findings  []string
	number    *Number // for the top of the page, or nil
}

// A figure is a plot with its numbers.
type figure struct {
	Title   string // a heading, or none
	Caption string
	plot    *Plot // or nil
	Tables  []table
}

// A table is the numbers of a plot. The first column names the row.
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

// Long reports whether the table is folded away.
func (t table) Long() bool { return len(t.Rows) > 12 }

// New makes a page of files. It leaves out kinds of results that no file has, and returns ErrNoResults
// where that is all.
func New(files []*result.File) (*Page, error) {
	p := &Page{Title: "blskernel: measurements"}
	var parts []*result.File
	for _, f := range files {
		parts = append(parts, f.Parts()...)
	}
	at := placesOf(parts)
	runs := joinRuns(files, at)
	for _, s := range []section{
		speedupSection(runs), timeSection(runs), accuracySection(runs), crossoverSection(parts, at), speedSection(parts, at),
		flopsSection(parts), predictionSection(parts, at),
	} {
		if len(s.Figures) == 0 {
			continue
		}
		for i, f := range s.Figures {
			if f.plot != nil && f.plot.empty() {
				s.Figures[i].plot = nil
			}
		}
		if first := &s.Figures[0]; p.plot == nil && s.number != nil && first.plot != nil {
			p.plot, first.plot = first.plot, nil
		}
		if s.number != nil {
			p.Numbers = append(p.Numbers, *s.number)
		}
		for _, text := range s.findings {
			p.Findings = append(p.Findings, Finding{s.Title, sentence(text)})
		}
		p.sections = append(p.sections, s)
	}
	if len(p.sections) == 0 {
		return nil, ErrNoResults
	}
	p.machines, p.commands = machineTable(files)
	p.sources = sourceNames(files)
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
	if p.plot != nil {
		plots = append(plots, p.plot)
	}
	for _, s := range p.sections {
		for _, f := range s.Figures {
			if f.plot != nil {
				plots = append(plots, f.plot)
			}
		}
	}
	return plots
}

// Sections returns the titles of the sections.
func (p *Page) Sections() []string {
	var titles []string
	for _, s := range p.sections {
		titles = append(titles, s.Title)
	}
	return titles
}

// sourceNames names the files, where they are few.
func sourceNames(files []*result.File) string {
	if len(files) > 12 {
		return fmt.Sprintf("%d files", len(files))
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	return list(names)
}

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed readme.tmpl
var pageMarkdown string

var (
	htmlTemplate     = template.Must(template.New("page").Funcs(template.FuncMap{"svg": inline}).Parse(pageHTML))
	markdownTemplate = texttemplate.Must(texttemplate.New("page").Funcs(texttemplate.FuncMap{"cell": markdownCell}).Parse(pageMarkdown))
)

// inline returns a plot as an element of the page.
func inline(p *Plot) (template.HTML, error) {
	var b strings.Builder
	err := p.write(&b, false)
	return template.HTML(b.String()), err // write escapes all texts
}

// markdownCell escapes what a cell of a table may not have.
func markdownCell(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", "|", "\\|", "*", "\\*", "\n", " ").Replace(s)
}

// Plot returns the plot of a figure, for the templates.
func (f figure) Plot() *Plot { return f.plot }

// Findings returns the findings of a section, for the templates.
func (s section) Findings() []string {
	var texts []string
	for _, text := range s.findings {
		texts = append(texts, sentence(text))
	}
	return texts
}

// view is what the templates show.
func (p *Page) view() any {
	return struct {
		*Page
		CSS      template.CSS
		Plot     *Plot
		Machines table
		Commands []string
		Sections []section
		Sources  string
	}{p, template.CSS(pageCSS + inkCSS()), p.plot, p.machines, p.commands, p.sections, p.sources}
}

// WriteHTML writes the page as one HTML file, which is well-formed XML too. It loads nothing.
func (p *Page) WriteHTML(w io.Writer) error {
	if err := htmlTemplate.Execute(w, p.view()); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// WriteMarkdown writes the numbers, the first plot and the findings as Markdown. The plot is a link to
// plots/NAME.svg.
func (p *Page) WriteMarkdown(w io.Writer) error {
	if err := markdownTemplate.Execute(w, p.view()); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}
