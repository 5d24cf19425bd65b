package learn

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"blskernel/cmd/blskernel/internal/ui"
)

// loadCheckpoint loads the model that the run resumes from, if there is one.
func (tr *training) loadCheckpoint(ctx context.Context) (err error) {
	if !tr.resume {
		return nil
	}
	if _, err := os.Stat(tr.out); errors.Is(err, fs.ErrNotExist) {
		tr.Explain("%s does not exist: the training begins", tr.out)
		return nil
	}
	if tr.model, err = tr.load(ctx, tr.out); err != nil {
		return err
	}
	tr.model.LabelsIn = shown(tr.opt.TargetPath)
	if tr.model.Metadata.Progress == nil {
		return ui.Usagef("--resume: %s is no checkpoint: remove it to train anew", tr.out)
	}
	if why := tr.differs(&tr.model.Metadata); why != "" {
		return ui.Usagef("--resume: %s is a checkpoint of another training, %s: give the flags and files of that, or leave out --resume to train anew", tr.out, why)
	}
	return nil
}
