package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"text/tabwriter"

	"blskernel/dataset"
	"blskernel/dataset/catalog"

	"github.com/spf13/cobra"
)

// dataSettings are the flags of data.
type dataSettings struct {
	set, dir, url  string
	download, json bool
}

func newData(s streams) *cobra.Command {
	var set dataSettings
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Say where the data sets can be had, and verify or fetch their files",
		Long: `List the files of the data sets, MNIST and small NORB: where each can be had, its size
and its checksum. With --dir, verify the files that are in a folder, plain or gzip, by
the SHA-256 or MD5 of their unpacked content; the exit status is 1 if a file is wrong or
missing. Without --set, a set of which the folder has no file is passed over if it has
those of another.

Nothing is fetched unless --download says so. Then the missing files of the set are
downloaded into the folder, from the address in the list or from that of --url, to which
NAME.gz is appended. What was interrupted goes on where it stopped. A file gets its name
only once its content has been verified; files that are there are never overwritten.`,
		Example: `  blskernel data
  blskernel data --dir mnist
  blskernel data --dir mnist --set mnist --download
  blskernel data --dir norb --set norb --download --url https://example.org/norb/`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return set.run(cmd.Context(), s) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&set.set, "set", "", strings.Join(catalog.Names(), " or ")+"; by default both")
	f.StringVar(&set.dir, "dir", "", "folder whose files are verified")
	f.BoolVar(&set.download, "download", false, "fetch the files of the set that the folder lacks")
	f.StringVar(&set.url, "url", "", "address of a folder to fetch from, in place of that in the list")
	f.BoolVar(&set.json, "json", false, "print one JSON object for each file")
	return cmd
}

func (set *dataSettings) run(ctx context.Context, s streams) error {
	sets := catalog.Sets()
	if set.set != "" {
		chosen, err := catalog.Lookup(set.set)
		if err != nil {
			return usageError{fmt.Errorf("--set is %q; want %s", set.set, strings.Join(catalog.Names(), " or "))}
		}
		sets = []catalog.Set{chosen}
	}
	switch {
	case set.download && set.dir == "":
		return usageError{errors.New("--download wants --dir, the folder to fetch into")}
	case set.download && set.set == "":
		var sizes []string
		for _, c := range sets {
			sizes = append(sizes, fmt.Sprintf("%s (%s)", c.Name, megabytes(packedSize(c))))
		}
		return usageError{fmt.Errorf("--download wants --set: %s", strings.Join(sizes, " or "))}
	case set.url != "" && !set.download:
		return usageError{errors.New("--url is where to fetch from, and without --download nothing is fetched")}
	case set.url != "" && !strings.HasPrefix(set.url, "http://") && !strings.HasPrefix(set.url, "https://"):
		return usageError{fmt.Errorf("--url is %q; want an address that begins with http:// or https://", set.url)}
	}
	if set.dir == "" {
		return set.list(sets, s.out)
	}
	shown := newProgress(s.err, set.json)
	defer shown.clear()
	var found [][]catalog.Status
	var failed error
	err := attend(ctx, shown, func(ctx context.Context, here func(func() error) error) error {
		told := shareTeller(shown, here)
		if set.download {
			if failed = set.fetch(ctx, sets[0], told); ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
		for _, c := range sets {
			all, err := c.Verify(ctx, set.dir, func(f catalog.File, done int64) {
				if shown.bar != nil { // it takes a second or two: not worth lines
					told("verifying "+f.Name, done, f.Size)
				}
			})
			if err != nil {
				return err
			}
			found = append(found, all)
		}
		return nil
	})
	if err != nil {
		return err
	}
	shown.clear()
	if err := set.report(sets, found, s.out); err != nil {
		return err
	}
	return errors.Join(failed, verdict(set.dir, set.set == "", found))
}

// fetch downloads the files that are missing. What fails does not keep the others from being tried.
func (set *dataSettings) fetch(ctx context.Context, c catalog.Set, told func(doing string, done, total int64)) error {
	d := catalog.Downloader{Base: set.url, Progress: func(f catalog.File, done, total int64) {
		if total < 0 {
			total = max(done, f.Packed)
		}
		told(fmt.Sprintf("fetching %s, %s of %s", f.Name, megabytes(done), megabytes(total)), done, total)
	}}
	var failed []error
	for _, f := range c.Files {
		if _, err := dataset.FindFile(set.dir, f.Name); !errors.Is(err, fs.ErrNotExist) {
			continue // what is wrong with it is found when it is verified
		}
		_, err := d.Fetch(ctx, c, f, set.dir)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// shareTeller returns a function that shows what is done, at each twentieth of it where it is shown in lines.
func shareTeller(shown *progress, here func(func() error) error) func(doing string, done, total int64) {
	file, last := "", int64(-1)
	steps := int64(20)
	if shown.bar != nil {
		steps = barSteps
	}
	return func(doing string, done, total int64) {
		name, _, _ := strings.Cut(doing, ",")
		step := steps * done / max(total, 1)
		if name == file && step == last {
			return
		}
		file, last = name, step
		// Where it cannot be shown the work is over.
		_ = here(func() error { shown.show(float64(step)/float64(steps), doing); return nil })
	}
}

// verdict returns an error that names what is wrong and what is missing, nil where nothing is. Where all sets are
// asked for, those of which nothing is there do not count, unless nothing is there at all.
func verdict(dir string, all bool, found [][]catalog.Status) error {
	var wrong, missing []string
	some := false
	for _, statuses := range found {
		there := anyThere(statuses)
		some = some || there
		if all && !there {
			continue
		}
		for _, status := range statuses {
			switch {
			case status.Missing() && !status.File.Optional:
				missing = append(missing, status.File.Name)
			case status.Err != nil && !status.Missing():
				wrong = append(wrong, status.File.Name)
			}
		}
	}
	var errs []error
	if all && !some {
		errs = append(errs, fmt.Errorf("folder %q has no file of %s", dir, strings.Join(catalog.Names(), " or ")))
	}
	if missing != nil {
		errs = append(errs, fmt.Errorf("folder %q lacks %s", dir, strings.Join(missing, ", ")))
	}
	if wrong != nil {
		errs = append(errs, fmt.Errorf("folder %q has the wrong content in %s: remove it to have it fetched anew", dir, strings.Join(wrong, ", ")))
	}
	return errors.Join(errs...)
}

// anyThere tells whether a file of a set is there, right or wrong, or a part of one.
func anyThere(statuses []catalog.Status) bool {
	for _, s := range statuses {
		if !s.Missing() || s.Part > 0 {
			return true
		}
	}
	return false
}

// dataFile is a line of the JSON output.
type dataFile struct {
	Set      string   `json:"set"`
	File     string   `json:"file"`
	Bytes    int64    `json:"bytes"`        // unpacked
	Packed   int64    `json:"packed_bytes"` // of the download
	SHA256   string   `json:"sha256,omitempty"`
	MD5      string   `json:"md5,omitempty"`
	Optional bool     `json:"optional,omitempty"`
	URLs     []string `json:"urls"`
	Page     string   `json:"page"`
	State    string   `json:"state,omitempty"` // ok, missing or wrong; left out where nothing was verified
	By       string   `json:"verified_by,omitempty"`
	Path     string   `json:"path,omitempty"`
	Part     int64    `json:"part_bytes,omitempty"` // of a download that was interrupted
	Error    string   `json:"error,omitempty"`
}

func newDataFile(c catalog.Set, f catalog.File) dataFile {
	line := dataFile{Set: c.Name, File: f.Name, Bytes: f.Size, Packed: f.Packed, SHA256: f.SHA256, MD5: f.MD5, Optional: f.Optional, Page: c.Page}
	for _, base := range c.Bases {
		line.URLs = append(line.URLs, base+f.Name+".gz")
	}
	return line
}

// list prints the catalog.
func (set *dataSettings) list(sets []catalog.Set, w io.Writer) error {
	if set.json {
		encoder := json.NewEncoder(w)
		for _, c := range sets {
			for _, f := range c.Files {
				if err := encoder.Encode(newDataFile(c, f)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for i, c := range sets {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s\n  page:  %s\n  terms: %s\n", c.Name, c.Title, c.Page, c.Terms)
		for _, base := range c.Bases {
			fmt.Fprintf(w, "  from:  %sNAME.gz\n", base)
		}
		fmt.Fprintf(w, "  %s to download, %s unpacked; sums are of the unpacked files\n", megabytes(packedSize(c)), megabytes(unpackedSize(c)))
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, f := range c.Files {
			name := f.Name
			if f.Optional {
				name += " (not needed)"
			}
			sum := "sha256 not known, md5 " + f.MD5
			if f.SHA256 != "" {
				sum = "sha256 " + f.SHA256
			}
			fmt.Fprintf(t, "  %s\t%d bytes\t%s\n", name, f.Size, sum)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// report prints what was found.
func (set *dataSettings) report(sets []catalog.Set, found [][]catalog.Status, w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	encoder := json.NewEncoder(w)
	for i, c := range sets {
		if set.set == "" && !set.json && !anyThere(found[i]) {
			fmt.Fprintf(t, "%s\tnone of its files is there\n", c.Name)
			continue
		}
		for _, status := range found[i] {
			state, why := describe(status)
			if set.json {
				line := newDataFile(c, status.File)
				line.State, line.Path, line.Part = state, status.Path, status.Part
				if state == "ok" {
					line.By = status.File.Evidence()
				}
				if state == "wrong" {
					line.Error = status.Err.Error()
				}
				if err := encoder.Encode(line); err != nil {
					return err
				}
				continue
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", c.Name, status.File.Name, state, why)
		}
	}
	return t.Flush()
}

// describe says how a file was found, in a word and in more.
func describe(s catalog.Status) (state, why string) {
	switch {
	case s.Err == nil:
		return "ok", s.File.Evidence()
	case !s.Missing():
		return "wrong", s.Err.Error()
	case s.Part > 0:
		why = fmt.Sprintf("%s of it from a download that was interrupted", megabytes(s.Part))
	case s.File.Optional:
		why = "not needed"
	}
	return "missing", why
}

func packedSize(c catalog.Set) (sum int64) {
	for _, f := range c.Files {
		sum += f.Packed
	}
	return sum
}

func unpackedSize(c catalog.Set) (sum int64) {
	for _, f := range c.Files {
		sum += f.Size
	}
	return sum
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
