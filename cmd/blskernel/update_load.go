package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"blskernel"
)

// load returns the model that the update starts with, and whether that is the last checkpoint of this
// update, which is in out.
func (set *updateSettings) load(ctx context.Context, path, out string, st *standing, b blskernel.Backend) (model *learner, resumed bool, err error) {
	from := path
	if set.resume && out != path {
		if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
			from = out
		}
	}
	if model, err = loadModel(ctx, from, b); err != nil {
		return nil, false, err
	}
	meta := &model.Metadata
	if set.resume && meta.Progress != nil && st.differs(meta) == "" {
		return model, true, nil
	}
	if from != path {
		return nil, false, usageError{fmt.Errorf("--resume: %s is not of this update, %s: give another --out, or leave out --resume", from, st.differs(meta))}
	}
	switch what := unfinished(meta); {
	case set.resume && what == "" && st.sameData(meta):
		return nil, false, usageError{fmt.Errorf("--resume: %s has learned this data by an update that was finished, and is not this one: %s; leave out --resume to learn it once more", path, st.differs(meta))}
	case what == "" || set.restart:
		return model, false, nil
	case meta.Notes[noteOnce] != "":
		return nil, false, usageError{fmt.Errorf("%s is %s, and nothing can go on with it, since %s cannot be read again: learn these rows all the same with --restart", path, what, meta.Notes[noteOnce])}
	case set.resume:
		return nil, false, usageError{fmt.Errorf("--resume: %s is %s, and not of this update, %s: finish that first, or begin with --restart", path, what, st.differs(meta))}
	default:
		return nil, false, usageError{fmt.Errorf("%s is %s: finish that by its command with --resume, or learn these rows all the same with --restart", path, what)}
	}
}
