package experiment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blskernel/bench/report"
	"blskernel/bench/result"
	"blskernel/cmd/blskernel/internal/ui"

	"github.com/spf13/cobra"
)

// NewReport returns the command report.
func NewReport(s ui.Streams) *cobra.Command {
	var results []string
	var out string
	var quiet bool
	cmd := &cobra.Command{
		Use:   "report --results DIR|FILE... --out DIR",
		Short: "Make a page with plots from files of results",
		Long: `Read what paper writes with --out, or paper, bench and flops with --json, and write DIR/README.md:
a few numbers and a plot, and below them, folded away, the findings in plain sentences with plots and
tables. DIR/plots has the plots as SVG. A folder stands for all of its files *.jsonl.

Runs of the same settings under the same conditions are combined, in whichever files: on the same
CPU with the same backend, kernel, threads and version of Go. Ratios are of times of one run. The
findings are printed too.`,
		Example: `  blskernel report --results docs/results --out docs/results
  blskernel report --results table2.jsonl --results speeds.jsonl --out page
  blskernel report --out page results/*.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return writeReport(cmd.Context(), append(results, args...), out, quiet, s)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVar(&results, "results", nil, "a file of results, or a folder of them; may be repeated; files may also follow as arguments")
	ui.OutFlag(cmd, &out, "folder for the page, which is made if it does not exist")
	ui.QuietFlag(cmd, &quiet)
	return cmd
}

func writeReport(ctx context.Context, results []string, out string, quiet bool, s ui.Streams) error {
	switch {
	case len(results) == 0:
		return ui.Usagef("--results is missing: name a file of results, or a folder of them")
	case out == "":
		return ui.Usagef("--out is missing: name the folder for the page")
	}
	if info, err := os.Stat(out); err == nil && !info.IsDir() {
		return ui.Usagef("--out is %q, which is no folder", out)
	}
	files, err := readResults(results)
	if err != nil {
		return err
	}
	page, err := report.New(files)
	if errors.Is(err, report.ErrNoResults) {
		return fmt.Errorf("nothing to show in %s: want what paper, bench or flops write with --out or --json",
			strings.Join(results, ", "))
	}
	if err != nil {
		return err
	}
	if err := page.WriteFolder(ctx, s.FS, out); err != nil {
		return err
	}
	if _, err := io.WriteString(s.Out, findings(page)); err != nil || quiet {
		return err
	}
	_, err = fmt.Fprintf(s.Err, "%s   %s, from %s\n%s   %s\n",
		filepath.Join(out, "README.md"), ui.Count(len(page.Sections), "section"), ui.Count(len(files), "file"),
		filepath.Join(out, "plots"), ui.Count(len(page.Plots()), "plot"))
	return err
}

// findings returns the sentences of the page, section by section.
func findings(page *report.Page) string {
	var sections []string
	for _, s := range page.Sections {
		sections = append(sections, s.Title+"\n  "+strings.Join(s.Findings, "\n  ")+"\n")
	}
	return strings.Join(sections, "\n")
}

// readResults reads files of results and folders of them; a file that is named twice is read once.
func readResults(paths []string) (files []*result.File, err error) {
	var names []string
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("--results: %q does not exist", path)
		case err != nil:
			return nil, fmt.Errorf("--results: %w", err)
		case !info.IsDir():
			names = append(names, filepath.Clean(path))
			continue
		}
		inside, err := fs.Glob(os.DirFS(path), "*.jsonl")
		if err != nil || len(inside) == 0 {
			return nil, fmt.Errorf("--results: the folder %q has no files of results, *.jsonl", path)
		}
		for _, name := range inside {
			names = append(names, filepath.Join(path, name))
		}
	}
	var read []os.FileInfo
	for _, name := range names {
		info, err := os.Stat(name)
		if err == nil && slices.ContainsFunc(read, func(x os.FileInfo) bool { return os.SameFile(x, info) }) {
			continue
		}
		read = append(read, info)
		f, err := result.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}
