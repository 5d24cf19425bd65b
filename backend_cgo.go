//go:build cgo && !noopenblas

package blskernel

import (
	"errors"
	"os"

	"blskernel/internal/linalg/openblas"
)

func init() {
	if !openblas.Built() {
		return // the tag cgo is set, but there was no C compiler, or the platform is not supported
	}
	register("openblas", func() (Backend, error) {
		library := os.Getenv(envLibrary)
		if noLibrary(library) {
			return nil, &UnavailableError{Backend: "openblas", Why: envLibrary + "=" + library, Remedy: "unset it, or use \"pure\""}
		}
		b, err := openblas.Open(library)
		var unusable *openblas.Error
		switch {
		case errors.As(err, &unusable):
			err = &UnavailableError{Backend: "openblas", Why: unusable.Why, Remedy: unusable.Remedy}
		case err == nil:
			threadMu.Lock()
			defer threadMu.Unlock()
			libraryThreads = openblas.SetThreads
			libraryThreads(Threads())
		}
		return b, err
	})
}
