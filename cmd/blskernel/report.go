package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blskernel/bench/report"
	"blskernel/bench/result"

	"github.com/spf13/cobra"
)

// reportSettings are the flags of report.
type reportSettings struct {
	results []string
	out     string
}

func newReport(s streams) *cobra.Command {
	var set reportSettings
	cmd := &cobra.Command{
		Use:   "report --results DIR|FILE... --out DIR",
		Short: "Make a page with plots from files of results",
		Long: `Read what paper and crossover write with --out, or any of these, bench and flops
with --json, and make DIR/index.html of it: what was measured in plain sentences, plots,
and below each plot its numbers. The page is one file that loads nothing. DIR/README.md
has the sentences as Markdown, DIR/plots the plots as SVG. A folder stands for all of its
files *.jsonl.

Runs of the same settings under the same conditions are put together, wherever they are:
on the same CPU with the same backend, kernel, threads and version of Go. Ratios are of
times of one run. The sentences are printed too.`,
		Example: `  blskernel report --results docs/results --out docs/results
  blskernel report --results table2.jsonl --results speeds.jsonl --out page
  blskernel report --out page results/*.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			set.results = append(set.results, args...)
			return set.run(cmd.Context(), s)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVar(&set.results, "results", nil, "a file of results, or a folder of them; it can be given several times, and files can follow without it")
	f.StringVar(&set.out, "out", "", "folder for the page; it is made if it is not there")
	return cmd
}

func (set *reportSettings) run(ctx context.Context, s streams) error {
	switch {
	case len(set.results) == 0:
		return usageError{errors.New("--results is missing: name a file of results, or a folder of them")}
	case set.out == "":
		return usageError{errors.New("--out is missing: name the folder for the page")}
	}
	if info, err := os.Stat(set.out); err == nil && !info.IsDir() {
		return usageError{fmt.Errorf("--out is %q, which is no folder", set.out)}
	}
	files, err := readResults(set.results)
	if err != nil {
		return err
	}
	page, err := report.New(files)
	if errors.Is(err, report.ErrNoResults) {
		return fmt.Errorf("nothing to show in %s: want what paper, crossover, bench or flops write with --out or --json", strings.Join(set.results, ", "))
	}
	if err != nil {
		return err
	}
	written, err := page.WriteFolderFS(ctx, s.fs, set.out)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(s.out, findings(page)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.err, "%s   %d kB, %s, from %s\n%s   %s\n",
		written[0].Path, (written[0].Bytes+999)/1000, counted(len(page.Sections()), "section"), counted(len(files), "file"), filepath.Join(set.out, "plots"), counted(len(page.Plots()), "plot"))
	return err
}

// findings returns what the page says in sentences, section by section.
func findings(page *report.Page) string {
	var b strings.Builder
	section := ""
	for _, f := range page.Findings {
		if f.Section != section {
			if section != "" {
				b.WriteString("\n")
			}
			section = f.Section
			b.WriteString(section + "\n")
		}
		b.WriteString("  " + f.Text + "\n")
	}
	return b.String()
}

// counted writes a number of things.
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// readResults reads files of results and folders of them; a file that is named twice is read once.
func readResults(paths []string) ([]*result.File, error) {
	var files []*result.File
	seen := map[string]bool{}
	for _, path := range paths {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("--results: %q is not there", path)
		}
		if err != nil {
			return nil, fmt.Errorf("--results: %w", err)
		}
		names := []string{path}
		if info.IsDir() {
			if names, err = resultsIn(path); err != nil {
				return nil, fmt.Errorf("--results: %w", err)
			}
		}
		for _, name := range names {
			place, err := filepath.EvalSymlinks(name)
			if err == nil {
				place, err = filepath.Abs(place)
			}
			if err != nil {
				return nil, fmt.Errorf("--results: %w", err)
			}
			if seen[place] {
				continue
			}
			seen[place] = true
			f, err := result.ReadFile(name)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
	}
	return files, nil
}

// resultsIn returns the files of results in a folder, of which there must be some, in order.
func resultsIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".jsonl" {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("the folder %q has no files of results, *.jsonl", dir)
	}
	return names, nil
}
