package train

import (
	"context"
	"errors"
	"io/fs"

	"blskernel/cmd/blskernel/internal/input"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/io/vfs"
)

// loadCheckpoint loads the model that the run resumes from, if there is one.
func (tr *training) loadCheckpoint(ctx context.Context) (err error) {
	if !tr.Resume {
		return nil
	}
	if _, err := vfs.Stat(tr.FS, tr.Out); errors.Is(err, fs.ErrNotExist) {
		tr.Explain("%s does not exist: the training begins", tr.Out)
		return nil
	}
	if tr.Model, err = tr.Load(ctx, tr.Out); err != nil {
		return err
	}
	tr.Model.LabelsIn = input.Shown(tr.In.Options.TargetPath)
	if tr.Model.Metadata.Progress == nil {
		return ui.Usagef("--resume: %s is no checkpoint: remove it to train anew", tr.Out)
	}
	if why := tr.Manifest.Differs(&tr.Model.Metadata); why != "" {
		return ui.Usagef("--resume: %s is a checkpoint of another training, %s: give the flags and files of that, or leave out --resume to train anew", tr.Out, why)
	}
	return nil
}
