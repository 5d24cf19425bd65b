// Package report implements the report command, which makes a page from result files.
package report

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blskernel/bench/report"
	"blskernel/bench/result"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/io/vfs"

	"github.com/spf13/cobra"
)

// New returns the report command.
func New(s ui.Streams) *cobra.Command {
	var results []string
	var out string
	var quiet bool
	cmd := &cobra.Command{
		Use:   "report --results DIR|FILE... --out DIR",
		Short: "Make a page with plots from result files",
		Long: `Read the --json output of paper, bench and flops, and write the page DIR/README.md and its plots in
DIR/plots. The page begins with the main numbers and with the plots and their meaning. The tables
follow, collapsed. The main numbers are also printed. Results of different commands are kept apart, and
each ratio compares times of one table.`,
		Example: `  blskernel report --results docs/results --out docs/results
  blskernel report --results table2.jsonl --results speeds.jsonl --out page
  blskernel report --out page results/*.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return writeReport(cmd.Context(), append(results, args...), out, quiet, s)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVar(&results, "results", nil, "result file, or folder of result files; may be repeated; files may also be given as arguments")
	ui.OutFlag(cmd, &out, "folder for the page; created if it does not exist")
	ui.QuietFlag(cmd, &quiet)
	return cmd
}

func writeReport(ctx context.Context, results []string, out string, quiet bool, s ui.Streams) error {
	switch {
	case len(results) == 0:
		return ui.Usagef("--results is missing: name a result file, or a folder of result files")
	case out == "":
		return ui.Usagef("--out is missing: name the folder for the page")
	}
	if info, err := vfs.Stat(s.FS, out); err == nil && !info.IsDir() {
		return ui.Usagef("--out is %q, which is not a folder: give another name", out)
	}
	files, err := readResults(ctx, s.FS, results)
	if err != nil {
		return err
	}
	page, err := report.New(files)
	if errors.Is(err, report.ErrNoResults) {
		return fmt.Errorf("nothing to show in %s: want the output of paper, bench or flops with --json",
			strings.Join(results, ", "))
	}
	if err != nil {
		return err
	}
	if err := page.WriteFolder(s.FS, out); err != nil {
		return err
	}
	for _, n := range page.Numbers {
		if _, err := fmt.Fprintf(s.Out, "%-16s  %s\n", n.Value, n.Text); err != nil {
			return err
		}
	}
	if quiet {
		return nil
	}
	_, err = fmt.Fprintf(s.Err, "%s   %s, from %s\n",
		filepath.Join(out, "README.md"), ui.Count(len(page.Sections), "section"), ui.Count(len(files), "file"))
	return err
}

// readResults reads result files and folders of result files. It reads a repeated path only once.
func readResults(ctx context.Context, fsys vfs.FS, paths []string) (files []*result.File, err error) {
	var names []string
	for _, path := range paths {
		info, err := vfs.Stat(fsys, path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%q does not exist", path)
		case err != nil:
			return nil, err
		case !info.IsDir():
			names = append(names, filepath.Clean(path))
			continue
		}
		inside, err := fs.Glob(os.DirFS(path), "*.jsonl")
		if err != nil || len(inside) == 0 {
			return nil, fmt.Errorf("the folder %q has no result files (*.jsonl): name a folder or file with the --json output of paper, bench or flops", path)
		}
		for _, name := range inside {
			names = append(names, filepath.Join(path, name))
		}
	}
	for i, name := range names {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if slices.Contains(names[:i], name) {
			continue
		}
		f, err := result.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}
