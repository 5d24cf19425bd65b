package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// drawnFigure is a figure with its plot as an element.
type drawnFigure struct {
	figure
	SVG template.HTML
}

// drawnSection is a section with its plots as elements.
type drawnSection struct {
	ID, Title string
	Text      []string
	Figures   []drawnFigure
	Findings  []string
}

// WriteHTML writes the page. It is whole in itself: styles and plots are in it, and it loads nothing. It is well-formed
// XML too.
func (p *Page) WriteHTML(w io.Writer) error {
	data := struct {
		Title    string
		CSS      template.CSS
		Machines table
		Commands []string
		Sections []drawnSection
		Sources  string
	}{p.Title, template.CSS(pageCSS + inkCSS()), p.machines, p.commands, nil, p.sources}
	for _, s := range p.sections {
		drawn := drawnSection{ID: s.ID, Title: s.Title, Text: s.Text}
		for _, f := range p.Findings {
			if f.Section == s.Title {
				drawn.Findings = append(drawn.Findings, f.Text)
			}
		}
		for _, f := range s.Figures {
			d := drawnFigure{figure: f}
			if f.plot != nil {
				var b strings.Builder
				if err := f.plot.writeInline(&b); err != nil {
					return err
				}
				d.SVG = template.HTML(b.String()) // of this package's canvas, which escapes all texts
			}
			drawn.Figures = append(drawn.Figures, d)
		}
		data.Sections = append(data.Sections, drawn)
	}
	if err := pageTemplate.Execute(w, data); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}
