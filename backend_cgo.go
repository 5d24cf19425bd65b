//go:build cgo

package blskernel

import (
	"os"

	"blskernel/internal/openblas"
)

func init() {
	if !openblas.Built() {
		return // the tag cgo is set, but there is no C compiler or the platform is another
	}
	register("openblas", func() (Backend, error) {
		b, err := openblas.Open(os.Getenv(openblas.EnvLibrary))
		if err != nil {
			return nil, &UnavailableError{Backend: "openblas", Why: err.Why, Remedy: err.Remedy}
		}
		onThreads(func() { openblas.SetThreads(Threads()) })
		return b, nil
	})
}
