package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"blskernel"
)

// load returns the model that the update starts with, and how many rows of the sources it has learned
// already: those of the last checkpoint if the update goes on after one, which is in out, else none.
func (set *updateSettings) load(ctx context.Context, path, out string, st *standing, b blskernel.Backend) (*learner, int64, error) {
	from := path
	if set.resume && out != path {
		if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
			from = out
		}
	}
	model, err := loadModel(ctx, from, b)
	if err != nil {
		return nil, 0, err
	}
	meta := &model.Metadata
	if set.resume && meta.Progress != nil && st.differs(meta) == "" {
		return model, meta.Progress.Rows, nil
	}
	if from != path {
		return nil, 0, usageError{fmt.Errorf("--resume: %s is not of this update, %s: give another --out, or leave out --resume", from, st.differs(meta))}
	}
	switch what := unfinished(meta); {
	case what == "" || set.restart:
		return model, 0, nil
	case set.resume:
		return nil, 0, usageError{fmt.Errorf("--resume: %s is %s, and not of this update, %s: finish that first, or begin with --restart", path, what, st.differs(meta))}
	default:
		return nil, 0, usageError{fmt.Errorf("%s is %s: finish that by its command with --resume, or learn these rows all the same with --restart", path, what)}
	}
}
