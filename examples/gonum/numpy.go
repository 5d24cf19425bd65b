package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

//go:embed timings.py
var script string

// A numPy is a process of Python that times operations while this one waits.
type numPy struct {
	version string
	in      io.WriteCloser
	out     *bufio.Reader
	process *exec.Cmd
}

// startNumPy starts the program python, of which the BLAS uses GOMAXPROCS threads.
func startNumPy(python string) (*numPy, error) {
	p := &numPy{process: exec.Command(python, "-c", script)}
	threads := strconv.Itoa(runtime.GOMAXPROCS(0))
	p.process.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS="+threads, "OMP_NUM_THREADS="+threads, "MKL_NUM_THREADS="+threads)
	var problem strings.Builder
	p.process.Stderr = &problem
	var err error
	if p.in, err = p.process.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.process.Start(); err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if p.version, err = p.line(); err != nil {
		p.stop()
		lines := strings.Split(strings.TrimSpace(problem.String()), "\n")
		return nil, fmt.Errorf("%s: %s", python, lines[len(lines)-1])
	}
	return p, nil
}

func (p *numPy) line() (string, error) {
	line, err := p.out.ReadString('\n')
	return strings.TrimSpace(line), err
}

// seconds returns the time of a call, or NaN if NumPy has no such operation.
func (p *numPy) seconds(op operation, n int) (float64, error) {
	if p == nil {
		return math.NaN(), nil
	}
	if _, err := fmt.Fprintln(p.in, op.name, n); err != nil {
		return 0, err
	}
	line, err := p.line()
	if err != nil {
		return 0, fmt.Errorf("NumPy: %w", err)
	}
	return strconv.ParseFloat(line, 64)
}

// stop ends the process.
func (p *numPy) stop() {
	if p != nil {
		p.in.Close()
		p.process.Wait()
	}
}
