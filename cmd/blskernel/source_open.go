package main

import (
	"context"

	"blskernel/dataset/stream"
)

// openSource opens the data. It returns as soon as ctx is cancelled, even where standard input has
// nothing to say yet.
func openSource(ctx context.Context, paths []string, opt stream.Options) (*stream.Reader, error) {
	var r *stream.Reader
	err := interruptible(ctx, func() (err error) {
		r, err = stream.Open(ctx, paths, opt)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}
