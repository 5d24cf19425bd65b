package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"blskernel/bench/result"
	"blskernel/internal/atomicfile"

	"github.com/klauspost/cpuid/v2"
)

// A place is where the baselines of a CPU are.
type place struct{ folder, cpu string }

// path returns that of the file of a kernel.
func (p place) path(kernel string) string { return filepath.Join(p.folder, p.cpu, kernel+".jsonl") }

// cpuName returns the name of the CPU's folder: vendor, family and model as the CPU tells them, such as
// authenticamd-25-17, because the name of a product stands for several models, and several names for
// one. A CPU that does not tell them has the name of its product, or that of the architecture.
func cpuName() string {
	c := cpuid.CPU
	if c.VendorString != "" && c.Family > 0 {
		return slug(fmt.Sprintf("%s %d %d", c.VendorString, c.Family, c.Model))
	}
	return slug(cmp.Or(c.BrandName, "unknown"))
}

// slug returns a name for a file: small letters and digits, with hyphens for all else.
func slug(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(words, "-")
}

// A baseline is a file of them.
type baseline struct {
	kernel  string
	machine result.Machine
	peaks   map[int]float64 // GFLOP/s, by number of threads; none in files of earlier versions
	lines   []baselineLine
}

// A peakLine is of the kind "peak": what the loop made on the machine of the baseline.
type peakLine struct {
	Threads int     `json:"threads"`
	GFLOPS  float64 `json:"gflops"`
}

// A baselineLine is the line of a cell, of the kind "gate".
type baselineLine struct {
	Case    string  `json:"case"`
	Threads int     `json:"threads"`
	OfPeak  float64 `json:"of_peak"`
	// OverOpenBLAS is absent where there was no OpenBLAS.
	OverOpenBLAS float64 `json:"over_openblas,omitempty"`
}

// all reads the files of all kernels, by name; none if the CPU has no baselines.
func (p place) all() ([]*baseline, error) {
	entries, err := os.ReadDir(filepath.Join(p.folder, p.cpu))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []*baseline
	for _, e := range entries {
		if kernel, ok := strings.CutSuffix(e.Name(), ".jsonl"); ok {
			b, err := p.read(kernel)
			if err != nil {
				return nil, err
			}
			all = append(all, b)
		}
	}
	return all, nil
}

// read reads the file of a kernel. The error is fs.ErrNotExist if there is none.
func (p place) read(kernel string) (*baseline, error) {
	text, err := os.ReadFile(p.path(kernel))
	if err != nil {
		return nil, err
	}
	b, err := parse(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.path(kernel), err)
	}
	b.kernel = kernel
	return b, nil
}

// parse reads the lines of a baseline.
func parse(r io.Reader) (*baseline, error) {
	b := &baseline{peaks: map[int]float64{}}
	seen := map[cell]bool{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if err := b.add(lines.Bytes(), seen); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if lines.Err() != nil {
		return nil, lines.Err()
	}
	if len(b.lines) == 0 {
		return nil, errors.New("has no ratios")
	}
	return b, nil
}

// add takes in a line. seen has the cells that were there before.
func (b *baseline) add(text []byte, seen map[cell]bool) error {
	var head struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return err
	}
	switch head.Kind {
	case "machine":
		return json.Unmarshal(text, &b.machine)
	case "peak":
		var line peakLine
		if err := json.Unmarshal(text, &line); err != nil {
			return err
		}
		if _, again := b.peaks[line.Threads]; again || !(line.GFLOPS > 0) {
			return fmt.Errorf("the peak with %d threads is there twice, or not positive", line.Threads)
		}
		b.peaks[line.Threads] = line.GFLOPS
		return nil
	case "gate":
		var line baselineLine
		if err := json.Unmarshal(text, &line); err != nil {
			return err
		}
		c := cell{name: line.Case, threads: line.Threads}
		switch {
		case seen[c]:
			return fmt.Errorf("%s with %d threads is there twice", line.Case, line.Threads)
		case !(line.OfPeak > 0) || line.OverOpenBLAS < 0:
			return fmt.Errorf("%s with %d threads: a ratio that is not positive", line.Case, line.Threads)
		}
		seen[c] = true
		b.lines = append(b.lines, line)
		return nil
	}
	return fmt.Errorf("is of the kind %q; want machine, peak or gate", head.Kind)
}

// addTo adds the ratios to those of all kernels: those over OpenBLAS only where it has the version of
// the baseline.
func (b *baseline) addTo(all map[cell]ratios, openBLAS string) {
	for _, l := range b.lines {
		r := ratios{byPeak: l.OfPeak}
		if openBLAS == b.machine.OpenBLAS {
			r[byOpenBLAS] = l.OverOpenBLAS
		}
		all[cell{l.Case, l.Threads, b.kernel}] = r
	}
}

// digits is how many digits of a ratio are kept: more would be noise.
const digits = 4

// write writes the files of kernels with the peaks, in GFLOP/s by number of threads, and tells of each.
// What a file has of cells that were not measured stays, but for ratios over an OpenBLAS of another
// version than the machine has now.
func (p place) write(log io.Writer, machine result.Machine, kernels []string, measured map[cell]ratios, peaks map[int]float64) error {
	if err := os.MkdirAll(filepath.Join(p.folder, p.cpu), 0o777); err != nil {
		return err
	}
	for _, k := range kernels {
		machine.Kernel = k
		b := &baseline{kernel: k, machine: machine, peaks: map[int]float64{}}
		maps.Copy(b.peaks, peaks)
		for c, r := range measured {
			if c.kernel == k {
				b.lines = append(b.lines, baselineLine{c.name, c.threads, rounded(r[byPeak]), rounded(r[byOpenBLAS])})
			}
		}
		before, err := p.read(k)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		dropped := 0
		if err == nil {
			dropped = b.keep(before)
		}
		if len(b.lines) == 0 { // such as the portable kernel where only large cases were measured
			continue
		}
		if err := p.replace(b); err != nil {
			return err
		}
		fmt.Fprintf(log, "wrote %s: %d cells\n", p.path(k), len(b.lines))
		if dropped > 0 {
			fmt.Fprintf(log, "warning: %d of them, which were not measured, have lost their ratios over OpenBLAS, which were of %q\n", dropped, before.machine.OpenBLAS)
		}
	}
	return nil
}

// keep adds what was there before and was not measured again. The line of the machine is the new one,
// so that ratios over an OpenBLAS of another version would pass for those of the version there; keep
// returns how many it has dropped.
func (b *baseline) keep(before *baseline) (dropped int) {
	for threads, peak := range before.peaks {
		if _, again := b.peaks[threads]; !again {
			b.peaks[threads] = peak
		}
	}
	for _, l := range before.lines {
		if slices.ContainsFunc(b.lines, func(now baselineLine) bool { return now.Case == l.Case && now.Threads == l.Threads }) {
			continue
		}
		if l.OverOpenBLAS != 0 && before.machine.OpenBLAS != b.machine.OpenBLAS {
			l.OverOpenBLAS = 0
			dropped++
		}
		b.lines = append(b.lines, l)
	}
	return dropped
}

// replace writes the file of a baseline: there is the old one or the new one, complete.
func (p place) replace(b *baseline) error {
	file, err := atomicfile.Create(p.path(b.kernel))
	if err != nil {
		return err
	}
	defer file.Abort()
	if err := result.Write(file, "machine", b.machine); err != nil {
		return err
	}
	for _, threads := range slices.Sorted(maps.Keys(b.peaks)) {
		if err := result.Write(file, "peak", peakLine{threads, rounded(b.peaks[threads])}); err != nil {
			return err
		}
	}
	slices.SortFunc(b.lines, func(a, b baselineLine) int {
		return cmp.Or(cmp.Compare(a.Case, b.Case), cmp.Compare(a.Threads, b.Threads))
	})
	for _, l := range b.lines {
		if err := result.Write(file, "gate", l); err != nil {
			return err
		}
	}
	return file.Commit()
}

// rounded keeps the first digits.
func rounded(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		return math.NaN()
	}
	return r
}
