package report

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"blskernel/bench/result"
	"blskernel/internal/io/atomicfile"
	"blskernel/internal/io/vfs"
)

// ErrNoResults is the error of New for files that have no results to report.
var ErrNoResults = errors.New("report: the files have no results; want lines of kind row, flops, cell or cost")

// A Page is a report, made by New.
type Page struct {
	Numbers  []Number // at the top
	Plots    []*Plot  // below the numbers
	Meaning  []string // what the numbers mean, in sentences
	Sections []Section
	Machines Table
	Commands []string
}

// A Number is a measured number with its description.
type Number struct{ Value, Text string }

// A Section is the part of a page about one kind of result.
type Section struct {
	Title  string
	Text   string // explains the tables, in lines of Markdown
	Plots  []*Plot
	Tables []Table

	// For the top of the page; see Page.
	numbers []Number
	meaning []string
	top     []*Plot
}

// A Table has a name in the first cell of each row, and numbers or words in the others.
type Table struct {
	Title, Text string // either may be empty
	Columns     []string
	Rows        [][]string // each as long as Columns
}

// Long reports whether the page folds the table away.
func (t Table) Long() bool { return len(t.Rows) > 12 }

// New makes a page from files. It omits the kinds of results that no file has, and returns ErrNoResults
// if no file has any results.
func New(files []*result.File) (*Page, error) {
	p, runs := new(Page), runsOf(files)
	for _, s := range []Section{
		speedupSection(runs), timeSection(runs), accuracySection(runs), SpeedSection(files), flopsSection(files), PredictionSection(files),
	} {
		if len(s.Tables) > 0 {
			p.Numbers, p.Plots, p.Meaning = append(p.Numbers, s.numbers...), append(p.Plots, s.top...), append(p.Meaning, s.meaning...)
			p.Sections = append(p.Sections, s)
		}
	}
	if len(p.Sections) == 0 {
		return nil, ErrNoResults
	}
	p.Machines, p.Commands = machineTable(files)
	return p, nil
}

//go:embed *.tmpl
var templateFiles embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{"cell": escape, "bullet": bullet}).ParseFS(templateFiles, "*.tmpl"))

func bullet(s string) string { return "- " + strings.Join(wrapped(escape(s), 100), "\n  ") }

// escape escapes the characters that are special in a Markdown table.
func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", "|", "\\|", "*", "\\*", "[", "\\[", "]", "\\]", "`", "\\`", "\\", "\\\\",
		"\n", " ").Replace(s)
}

// Markdown returns the page as Markdown, with links to its plots in the folder plots.
func (p *Page) Markdown() string {
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, "readme.tmpl", p); err != nil {
		panic(err) // the template does not fit Page
	}
	return b.String()
}

// WriteFolder writes README.md, and each plot as plots/NAME.svg, to dir in fsys; a nil fsys means
// vfs.OS. It creates the folders, replaces existing files atomically, and leaves other files alone. The
// last line of README.md links to notes.md if dir has that file. Errors of the file system are wrapped.
func (p *Page) WriteFolder(fsys vfs.FS, dir string) error {
	plots := p.Plots
	for _, s := range p.Sections {
		plots = append(plots, s.Plots...)
	}
	for _, plot := range plots {
		if err := write(fsys, filepath.Join(dir, "plots", plot.Name+".svg"), plot.SVG()); err != nil {
			return err
		}
	}
	text := p.Markdown()
	switch _, err := vfs.Stat(fsys, filepath.Join(dir, "notes.md")); {
	case err == nil:
		text += "\n[notes.md](notes.md) lists the files and says how to read them.\n"
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("report: %w", err)
	}
	return write(fsys, filepath.Join(dir, "README.md"), text)
}

func write(fsys vfs.FS, path, text string) error {
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = atomicfile.Write(fsys, path, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

func machineTable(files []*result.File) (t Table, commands []string) {
	t.Columns = []string{"CPU", "backend", "threads", "processors", "kernel", "OpenBLAS", "Go", "version", "date, UTC"}
	for _, f := range files {
		for _, m := range f.Machines {
			if m.Command != "" {
				commands = append(commands, strings.Join(strings.Fields(m.Command), " "))
			}
			date := ""
			if !m.Date.IsZero() {
				date = m.Date.UTC().Format("2006-01-02")
			}
			row := []string{
				m.CPU, strings.Join(m.Backends, ", "), threadsOf(&m) + beside(&m), fmt.Sprint(m.GOMAXPROCS), m.Kernel, m.OpenBLAS, m.Go, m.Version, date,
			}
			for i := range row {
				row[i] = orAbsent(row[i])
			}
			if !slices.ContainsFunc(t.Rows, func(r []string) bool { return slices.Equal(r, row) }) {
				t.Rows = append(t.Rows, row)
			}
		}
	}
	return t, slices.Compact(commands)
}
