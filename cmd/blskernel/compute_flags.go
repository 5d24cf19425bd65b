package main

import (
	"fmt"

	"blskernel"

	"github.com/spf13/cobra"
)

// computeSettings are the flags that say what computes.
type computeSettings struct {
	backend string
	threads int
}

func (s *computeSettings) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.backend, "backend", "", "pure or openblas; by default $BLSKERNEL_BACKEND, else openblas where it can be had, else pure")
	f.IntVar(&s.threads, "threads", 0, "most threads to use; 0 for all processors")
}

// lookup sets the number of threads and finds the backend.
func (s *computeSettings) lookup() (blskernel.Backend, error) {
	if s.threads < 0 || s.threads > mostSamples {
		return nil, usageError{fmt.Errorf("--threads is %d; want 0 to %d", s.threads, mostSamples)}
	}
	b, err := lookupBackend("backend", s.backend)
	if err != nil {
		return nil, err
	}
	blskernel.SetThreads(s.threads)
	return b, nil
}
