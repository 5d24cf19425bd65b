package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"blskernel/mat"
)

// An octave is a process of GNU Octave in which bls_serve.m waits for steps.
type octave struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	folder  string // of the exchanged files
	version string // and its BLAS
}

// startOctave starts it on the given folder, with as many threads as ours.
func startOctave(ctx context.Context, o options, folder string) (*octave, error) {
	scripts, err := filepath.Abs(o.scripts)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(scripts, "bls_serve.m")); err != nil {
		return nil, fmt.Errorf("-scripts: %w; run this in the root of the repository", err)
	}
	c := exec.CommandContext(ctx, o.octave, "--no-history", "--norc", "--quiet", "--path", scripts, "--eval", "bls_serve('"+folder+"')")
	c.Stderr = os.Stderr
	threads := strconv.Itoa(o.threads)
	c.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS="+threads, "OMP_NUM_THREADS="+threads)
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, fmt.Errorf("%w: install GNU Octave (Debian and Ubuntu: apt-get install octave) or name its command by -octave", err)
	}
	p := &octave{command: c, in: in, out: bufio.NewReader(out), folder: folder}
	if p.version, err = p.answer("ready"); err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

// stop ends the process. It has nothing to save, and Octave 7 complains about its own way out.
func (p *octave) stop() {
	p.command.Process.Kill()
	p.command.Wait()
}

// answer reads a line and returns what follows the word that is expected.
func (p *octave) answer(word string) (string, error) {
	line, err := p.out.ReadString('\n')
	if errors.Is(err, io.EOF) {
		return "", errors.New("GNU Octave has ended before it answered")
	}
	if err != nil {
		return "", err
	}
	first, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	if first != word {
		return "", fmt.Errorf("GNU Octave: %s", strings.TrimSpace(line))
	}
	return rest, nil
}

// step runs a step of a method and returns its time and the weights, k×c.
func (p *octave) step(method string, step, k, c int) (seconds float64, w *mat.Dense, err error) {
	// Octave's fgetl looks for what follows the end of a line, and would wait for it.
	if _, err := fmt.Fprintf(p.in, "%s %d\n ", method, step); err != nil {
		return 0, nil, fmt.Errorf("GNU Octave does not listen: %w", err)
	}
	answer, err := p.answer("done")
	if err != nil {
		return 0, nil, fmt.Errorf("%s, step %d: %w", method, step, err)
	}
	if seconds, err = strconv.ParseFloat(answer, 64); err != nil {
		return 0, nil, err
	}
	w, err = readMatrix(filepath.Join(p.folder, "w.bin"), k, c)
	return seconds, w, err
}

// testFeatures returns the features of the test set by Octave's own maps, of l samples.
func (p *octave) testFeatures(l, k int) (*mat.Dense, error) {
	return readMatrix(filepath.Join(p.folder, "t.bin"), l, k)
}
