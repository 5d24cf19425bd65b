package report

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"
	texttemplate "text/template"
	"unicode/utf8"

	"blskernel/bench/result"
)

// ErrNoResults is returned for files without results that a page can show.
var ErrNoResults = errors.New("report: the files have no results: neither rows of a table nor flops, cells or costs")

// A Page is a report, made by New.
type Page struct {
	Numbers  []Number // at most five, which stand first
	Plot     *Plot    // below the numbers, or nil
	Sections []Section
	Machines Table
	Commands []string
	Files    int
}

// A Number is a measured number with the words that say what it is.
type Number struct{ Value, Text string }

// A Section is a kind of result.
type Section struct {
	ID, Title string
	Text      string   // explains the figures
	Findings  []string // what the results say, in a sentence or two each
	Figures   []Figure

	numbers []Number // for the top of the page
}

// New makes a page of files. It leaves out kinds of results that no file has, and returns ErrNoResults
// if no file has any.
func New(files []*result.File) (*Page, error) {
	p := &Page{Files: len(files)}
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
		if first := &s.Figures[0]; p.Plot == nil && len(s.numbers) > 0 {
			p.Plot, first.Plot = first.Plot, nil
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
			if f.Plot != nil {
				plots = append(plots, f.Plot)
			}
		}
	}
	return plots
}

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed readme.tmpl
var pageMarkdown string

var (
	htmlTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
		"svg": inline,
		"css": func() template.CSS { return template.CSS(pageCSS + inkCSS()) },
	}).Parse(pageHTML))
	markdownTemplate = texttemplate.Must(texttemplate.New("page").Funcs(texttemplate.FuncMap{
		"cell": markdownCell, "item": markdownItem,
	}).Parse(pageMarkdown))
)

// inline returns a plot as an element of the page.
func inline(p *Plot) (template.HTML, error) {
	var b strings.Builder
	err := p.write(&b, "", "")
	return template.HTML(b.String()), err // write escapes all texts
}

// markdownCell escapes what a cell of a table may not have.
func markdownCell(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", "|", "\\|", "*", "\\*", "\n", " ").Replace(s)
}

// markdownItem breaks the text of an item into lines of at most 100 columns.
func markdownItem(s string) string {
	const columns = 100
	var b strings.Builder
	at := len("- ")
	for i, word := range strings.Split(markdownCell(s), " ") {
		long := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+long > columns:
			b.WriteString("\n  ")
			at = len("  ")
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += long
	}
	return b.String()
}

// WriteHTML writes the page as one HTML file, which is well-formed XML too. It loads nothing.
func (p *Page) WriteHTML(w io.Writer) error { return failed(htmlTemplate.Execute(w, p)) }

// WriteMarkdown writes the numbers, the first plot and the findings as Markdown. The plot is a link to
// plots/NAME.svg.
func (p *Page) WriteMarkdown(w io.Writer) error { return failed(markdownTemplate.Execute(w, p)) }

// failed names the package in an error, if there is one.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("report: %w", err)
}
