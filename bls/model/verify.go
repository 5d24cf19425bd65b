package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/dataset/stream"
	"blskernel/internal/io/memory"
	"blskernel/internal/io/names"
	"blskernel/internal/io/vfs"
	"blskernel/mat"

	"github.com/cespare/xxhash/v2"
)

// A Verdict says whether the files in a model's log reproduce the model.
type Verdict string

// The verdicts of Verify.
const (
	Same      Verdict = "same"
	Different Verdict = "different"
	Unknown   Verdict = "unknown" // undecided: Missing says why
)

// A Verification is the result of Verify.
type Verification struct {
	Verdict    Verdict  `json:"verdict"`
	Missing    []string `json:"missing,omitempty"`    // what a verdict would need
	Differs    []string `json:"differs,omitempty"`    // the parts that differ
	Unverified []string `json:"unverified,omitempty"` // the parts that were not repeated

	Rows       int     `json:"rows"`       // the rows that the model has learned
	Bits       bool    `json:"bits"`       // whether the output layers agree to the last bit
	Difference float64 `json:"difference"` // the largest ‖w-v‖/max(‖w‖,‖v‖) of the weights w and v of a target
	Bound      float64 `json:"bound"`      // the bound on Difference, from Condition of both models; 0 if the bits must agree
}

// Verify repeats the log of m on the files at paths and compares the result with m, which is unchanged.
// Files are found by hash, under any name. A file whose rows were later removed is not needed if both
// operations used the same column of weights and nothing was forgotten in between. The output layers
// must agree to the last bit if m has only learned, and otherwise to the digits that Condition reports
// for both models. From the training files, Verify also recomputes maps and settings.
//
// Nothing is signed: Verify shows that the rows produce the model, not who made it or how good it is.
//
//	cost: all training runs and updates again.
//	errors: errors of reading and learning; *bls.MemoryError for batches that do not fit in memory;
//	the cause of ctx. There is then no verdict.
func (m *Model) Verify(ctx context.Context, paths []string) (*Verification, error) {
	v := &verifier{ctx: ctx, of: m, paths: map[string]string{}}
	for _, path := range paths {
		hash, err := HashOf(nil, path)
		if err != nil {
			return nil, err
		}
		v.paths[hash] = path
	}
	log, learned := stayed(m.Metadata.Log)
	v.need(log)
	if v.Verdict = Unknown; len(v.Missing) > 0 {
		return &v.Verification, nil
	}
	again, err := v.run(log)
	// A removed row may have changed the maps after the training, or been needed until others came.
	if removesFiles(log) && ctx.Err() == nil && (err != nil || slices.ContainsFunc(v.fresh, func(m *Model) bool { return !v.sameMaps(m) })) {
		v.fresh, v.first, v.given = nil, nil, true
		again, err = v.run(log)
	}
	if err == nil {
		err = v.compare(again, learned)
	}
	return &v.Verification, err
}

// HashOf returns the 64-bit xxHash, in hexadecimal, of the file at path on fsys; nil stands for vfs.OS.
func HashOf(fsys vfs.FS, path string) (string, error) {
	file, err := vfs.Open(fsys, path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum, err := hashOf(func(w io.Writer) error {
		_, err := io.Copy(w, file)
		return err
	})
	return strconv.FormatUint(sum, 16), err
}

func hashOf(write func(io.Writer) error) (uint64, error) {
	sum := xxhash.New()
	err := write(sum)
	return sum.Sum64(), err
}

type verifier struct {
	Verification
	ctx   context.Context
	of    *Model
	paths map[string]string // paths of the available files, by hash
	fresh []*Model          // models whose feature maps were recomputed while learning all rows
	first []*Model          // models with feature maps recomputed from the first rows alone
	given bool              // take the maps of the model: rows removed later may have made its constant columns vary

	out func(row int64) bool // reports whether a row is skipped; nil skips the rows that the operation held out
}

func learns(op *modelfile.Operation) bool {
	return slices.Contains([]string{modelfile.OpTrain, modelfile.OpLike, modelfile.OpUpdate}, op.Kind)
}

// forgets reports whether an operation lowers the weight of earlier rows.
func forgets(op *modelfile.Operation) bool { return op.Factor > 0 && op.Factor < 1 }

// stayed returns a copy of the log in which each file that was learned and later removed is marked as
// Removed in both operations. It marks a file only if both used the same column of weights, and nothing
// was forgotten between them. learned is true if no operation forgets, removes or merges.
func stayed(log modelfile.Log) (left modelfile.Log, learned bool) {
	left, learned = slices.Clone(log), true
	for i := range left {
		op := &left[i]
		op.Files = slices.Clone(op.Files)
		for k := range op.Files {
			op.Files[k].Removed = false // here it marks a file that is not needed
		}
		learned = learned && !forgets(op) && op.Kind != modelfile.OpRemove && op.Kind != modelfile.OpMerge
		for k := range op.Files {
			if op.Kind == modelfile.OpRemove {
				takeBack(left[:i], &op.Files[k], op.Options().Weight)
			}
		}
	}
	return left, learned
}

// takeBack finds the last operation in before that learned file with the same column of weights, and
// marks file and its entry there as removed. It does nothing if an operation after that one forgets.
func takeBack(before modelfile.Log, file *modelfile.Learned, weight string) {
	for i := len(before) - 1; i >= 0; i-- {
		op := &before[i]
		for k := range op.Files {
			f := &op.Files[k]
			if learns(op) && op.Options().Weight == weight && !f.Removed && f.Hash != "" && f.Hash == file.Hash && f.Rows == file.Rows {
				f.Removed, file.Removed = true, true
				return
			}
		}
		if forgets(op) {
			return
		}
	}
}

// removesFiles reports whether stayed has marked a file in a log.
func removesFiles(log modelfile.Log) bool {
	return slices.ContainsFunc(log, func(op modelfile.Operation) bool {
		return slices.ContainsFunc(op.Files, func(f modelfile.Learned) bool { return f.Removed })
	})
}

// need adds to v.Missing everything that repeating the log requires but v lacks.
func (v *verifier) need(log modelfile.Log) {
	missing := func(format string, args ...any) {
		if what := fmt.Sprintf(format, args...); !slices.Contains(v.Missing, what) {
			v.Missing = append(v.Missing, what)
		}
	}
	if len(log) == 0 {
		missing("a log: models made in Go, Python or Beam have none")
	}
	if p := v.of.Metadata.Progress; p != nil && !p.Done {
		missing("the rest of a run that was interrupted: finish it")
	}
	for i := range log {
		op := &log[i]
		switch {
		case op.Kind == modelfile.OpMaps:
			continue
		case op.Kind == modelfile.OpCut:
			missing("the first operations, which the log has dropped")
		case op.Kind == modelfile.OpMerge && 0 < op.Merged && op.Merged < i:
		case op.Kind == modelfile.OpMerge:
			missing("the log of a merged model")
		case !learns(op) && op.Kind != modelfile.OpRemove:
			missing("a program that supports the operation %q in the log", op.Kind)
		case len(op.Files) == 0:
			missing("the files of a run that was interrupted")
		}
		for _, f := range op.Files {
			if op.Kind == modelfile.OpRemove && !f.Removed && f.Rows > 0 && !v.of.KnowsRows() {
				v.Unverified = append(v.Unverified, fmt.Sprintf("that the model had learned the removed rows of %s", f.Name))
			}
			switch {
			case f.Removed:
			case f.Hash == "":
				missing("the rows of %s, which is not a file", f.Name)
			case v.paths[f.Hash] == "":
				missing("the file %q (%d bytes, %s, XXH64 %s)", f.Name, f.Size, names.Count(f.Rows, "row"), f.Hash)
			}
		}
	}
}

// run repeats a log and returns the resulting model, or nil if no rows were learned.
func (v *verifier) run(log modelfile.Log) (*Model, error) {
	if len(log) == 0 {
		return nil, nil
	}
	last := len(log) - 1
	op := &log[last]
	from := last
	if op.Kind == modelfile.OpMerge {
		from -= min(op.Merged, last)
	}
	m, err := v.run(log[:from])
	switch {
	case err != nil:
		return nil, err
	case op.Kind == modelfile.OpMaps:
		return m, v.makeMaps(op)
	case op.Kind == modelfile.OpMerge:
		other, err := v.run(log[from:last])
		if err != nil || m == nil || other == nil {
			return cmp.Or(m, other), err
		}
		if other.KeptRows() > 0 { // m learns the rows that other keeps, and other's maps are dropped
			v.fresh = slices.DeleteFunc(v.fresh, func(f *Model) bool { return f == other })
		}
		return m, m.Merge(other, true)
	case op.Kind == modelfile.OpRemove && m != nil:
		paths := v.files(op, false)
		if len(paths) == 0 {
			return m, nil
		}
		return m, v.each(op, paths, op.Batch, func(b *stream.Batch) error { return m.Remove(v.ctx, b) })
	}
	return v.learn(m, op)
}

// learn returns m after it has learned the files of an operation, except files that were removed later.
// A nil m stands for a model without rows.
func (v *verifier) learn(m *Model, op *modelfile.Operation) (*Model, error) {
	paths, rows := v.files(op, false), op.First
	whole := !v.given && len(paths) == len(op.Files)
	if !whole && op.Kind == modelfile.OpTrain {
		if err := v.makeMaps(op); err != nil {
			return nil, err
		}
	}
	var err error
	if m != nil {
		err = m.Reweigh(cmp.Or(op.Factor, 1), op.Lambda)
	}
	if err != nil || len(paths) == 0 {
		return m, err
	}
	switch {
	case m != nil:
	case (whole || !v.given && v.few(op)) && op.Kind == modelfile.OpTrain:
		m = v.unfitted(op)
		v.fresh = append(v.fresh, m)
	default:
		if m, err = v.emptied(op); err == nil && (!whole || op.Kind != modelfile.OpLike) {
			rows = max(rows, 2*m.Updater().Nodes()) // some methods need so large a first batch
			other := *op
			op, other.Ends = &other, nil
		}
	}
	if err != nil {
		return nil, err
	}
	m.Calibrating = op.Kind == modelfile.OpUpdate && m.Calibrated()
	return m, v.each(op, paths, rows, func(b *stream.Batch) error { return m.Learn(v.ctx, b) })
}

// few reports whether so few rows of a training run are left, after later removals, that the model may
// have kept them. The model and its maps were then refitted to the rows that were left.
func (v *verifier) few(op *modelfile.Operation) bool {
	rows := int64(0)
	for _, f := range op.Files {
		if !f.Removed {
			rows += f.Rows
		}
	}
	return !op.Fixed && rows < int64(max(200, 10*len(v.of.Labels())))
}

// makeMaps recomputes the feature maps of a training run if all its files are available.
func (v *verifier) makeMaps(op *modelfile.Operation) error {
	paths := v.files(op, true)
	if len(paths) < len(op.Files) {
		return nil
	}
	m := v.unfitted(op)
	v.first = append(v.first, m)
	made := errors.New("the maps are made")
	err := v.each(op, paths, op.First, func(b *stream.Batch) error { return cmp.Or(m.Learn(v.ctx, b), made) })
	if err == made {
		return nil
	}
	return err
}

// files returns the paths of the available files of an operation: all, or only files not removed later.
func (v *verifier) files(op *modelfile.Operation, all bool) (paths []string) {
	for _, f := range op.Files {
		if path := v.paths[f.Hash]; path != "" && (all || !f.Removed) {
			paths = append(paths, path)
		}
	}
	return paths
}

// unfitted returns a model that has the options of a training run, but has learned nothing.
func (v *verifier) unfitted(op *modelfile.Operation) *Model {
	f := &modelfile.File{Metadata: v.of.Metadata}
	if c := v.of.Classifier; c != nil {
		f.Classifier = c.Unfitted()
		f.Classifier.Classes = min(op.Classes, len(v.of.Labels()))
		f.Metadata.Classes = v.of.Labels()[:f.Classifier.Classes]
	} else {
		f.Regressor = v.of.Regressor.Unfitted()
	}
	m := New(f)
	if op.Lambda != nil {
		*m.given() = *op.Lambda
	}
	m.FixMaps = op.Fixed
	return m
}

// emptied returns a copy of the model to verify, with its feature maps and settings. The next batch
// replaces all rows that the copy has learned.
func (v *verifier) emptied(op *modelfile.Operation) (m *Model, err error) {
	f := &modelfile.File{Metadata: v.of.Metadata}
	if c := v.of.Classifier; c != nil {
		f.Classifier, err = c.Clone()
	} else {
		f.Regressor, err = v.of.Regressor.Clone()
	}
	if err != nil {
		return nil, err
	}
	l := f.Learner()
	u := l.Updater()
	if op.Kind == modelfile.OpLike && op.Lambda != nil &&
		blsupdate.Supports(u.Method(), blsupdate.ActionRidge) {
		var leverage *blsupdate.LeverageError
		if err = l.SetLambda(*op.Lambda); errors.As(err, &leverage) {
			// QR cannot remove so much of a ridge.
			opt := u.Options()
			opt.Lambda = *op.Lambda
			u, err = blsupdate.New(u.Method(), mat.NewDense(1, u.Nodes(), nil), mat.NewDense(1, u.Targets(), nil), opt)
			if err == nil && f.Classifier != nil {
				f.Classifier, err = f.Classifier.WithUpdater(u)
			} else if err == nil {
				f.Regressor, err = f.Regressor.WithUpdater(u)
			}
		}
	}
	m = New(f)
	m.Refit = true
	return m, err
}

// each calls do with the rows of an operation, batch by batch, until do returns an error, which each
// returns. The first batch has the given number of rows, and the others have op.Batch, but a batch also
// ends at each of op.Ends. each leaves out the bad rows that the operation left out.
func (v *verifier) each(op *modelfile.Operation, paths []string, rows int, do func(*stream.Batch) error) error {
	opt := op.Options()
	opt.Classes, opt.Labels, opt.TargetNotations = v.of.Classifier != nil, v.of.Labels(), v.of.Metadata.TargetNotations
	opt.Bad = func(*stream.Error) error { return nil }
	apart := opt.TargetPath != ""
	if last := len(paths) - 1; apart {
		paths, opt.TargetPath = paths[:last], paths[last]
	}
	if len(paths) == 0 || rows < 1 || op.Batch < 1 {
		return errors.New("the log lacks the files or batch sizes of a run, so the run cannot be repeated")
	}
	r, err := stream.Open(v.ctx, paths, opt)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := v.of.Match(r, Data{Missing: opt.Missing, Learn: true, Elsewhere: apart, Single: !apart && len(paths) == 1}); err != nil {
		if fault, ok := err.(*stream.Error); ok && fault.Path == "" {
			fault.Path = paths[0]
		}
		return err
	}
	out := v.out
	if out == nil {
		out = Holdout(op.Holdout).Holds
	}
	ends := op.Ends
	batch := op.Batch
	for _, n := range []*int{&rows, &batch} {
		if *n, err = batchOf(op, *n, max(r.Dim(), r.Outputs())); err != nil {
			return err
		}
	}
	for read := int64(0); ; rows = batch {
		for len(ends) > 0 && ends[0] <= read {
			ends = ends[1:]
		}
		if len(ends) > 0 {
			rows = int(min(int64(rows), ends[0]-read))
		}
		b, err := r.Next(rows)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		rest := restOf(b, read, out)
		read += int64(b.X.RawMatrix().Rows)
		if _, err := SkipBad(rest, do, func(*Error) error { return nil }); err != nil {
			return err
		}
	}
}

// batchOf returns rows, the batch size of op, or less if op lists far fewer rows, so that a forged log
// cannot request all rows at once. It returns a *bls.MemoryError if there is no memory for the batch.
// width is the number of inputs or outputs, whichever is larger.
func batchOf(op *modelfile.Operation, rows, width int) (int, error) {
	listed := 0.0
	for _, f := range op.Files {
		listed += float64(f.Rows)
	}
	most := float64(min(rows, 1<<30))
	least := int(min(most, listed))
	const do = "verify the model where more memory is free, or train it again in smaller batches"
	err := memory.Check(memory.Floats(least, width), "bls", do, "a batch of %d rows with %d numbers each", least, width)
	return int(min(most, 1000+2*listed/(1-op.Holdout))), err
}
