package main

// #include "blskernel.h"
import "C"

import (
	"context"
	"errors"
	"fmt"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/internal/io/codec"
	"blskernel/internal/io/memory"
	"blskernel/lapack"
)

var errRunning = errors.New("the method is still running: wait for it, or cancel it and wait")

// valueError returns an error about arguments or options, with the default code, BLS_VALUE.
func valueError(format string, args ...any) error { return fmt.Errorf(format, args...) }

// An unsupportedError reports an action that the update method does not support.
type unsupportedError struct{ error }

type panicError struct{ error }

func panicked(value any) error {
	return panicError{valueError("internal error of blskernel (%v): please report it, and do not use the object any more", value)}
}

func is[T error](err error) bool {
	var e T
	return errors.As(err, &e)
}

func codeOf(err error) int {
	switch {
	case errors.Is(err, context.Canceled):
		return C.BLS_CANCELLED
	case err == errRunning:
		return C.BLS_RUNNING
	case is[handleError](err):
		return C.BLS_HANDLE
	case is[panicError](err), is[*blsupdate.StateError](err):
		return C.BLS_INTERNAL
	case errors.Is(err, bls.ErrNotFitted):
		return C.BLS_NOT_FITTED
	case is[*memory.Error](err):
		return C.BLS_MEMORY
	case is[*blsupdate.UnsupportedError](err), is[unsupportedError](err):
		return C.BLS_UNSUPPORTED
	case errors.Is(err, modelfile.ErrNotAModel), is[*codec.FormatError](err), is[*modelfile.FormatError](err),
		is[*modelfile.VersionError](err), is[*modelfile.TruncatedError](err), is[*modelfile.ChecksumError](err):
		return C.BLS_FORMAT
	case is[*blsupdate.ConditionError](err), is[*blsupdate.RankError](err), is[*blsupdate.LeverageError](err), is[*bls.ScaleError](err),
		errors.Is(err, blsupdate.ErrOverflow), errors.Is(err, blsupdate.ErrNoConvergence),
		is[*lapack.PivotError](err), is[*lapack.GrowthError](err), errors.Is(err, lapack.ErrSingular), errors.Is(err, lapack.ErrNotPositiveDefinite), errors.Is(err, lapack.ErrOverflow):
		return C.BLS_NUMERIC
	}
	return C.BLS_VALUE
}
