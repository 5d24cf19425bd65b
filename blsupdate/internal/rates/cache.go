package rates

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/internal/atomicfile"
	"blskernel/internal/backend"
	"blskernel/internal/vfs"
)

// EnvCache names the environment variable for the folder of files of rates. Without it that is
// blskernel in the user's cache folder.
const EnvCache = "BLSKERNEL_CACHE"

// For returns the rates of b, nil for blskernel.Default(), with the set number of threads. It reads the
// file of this machine, or else calls Measure, which takes about a minute, and writes the file. It
// replaces a file that it cannot read. Where it cannot write the file it returns the rates, and Unsaved
// says why. progress, which may be nil, and the error are those of Measure.
func For(ctx context.Context, b blskernel.Backend, progress func(done float64)) (*Rates, error) {
	return ratesFor(ctx, b, kinds, progress)
}

func ratesFor(ctx context.Context, b blskernel.Backend, kinds []kindRates, progress func(done float64)) (*Rates, error) {
	b = backend.Or(b)
	if r, err := loadRates(b, kinds); err == nil {
		return r, nil
	}
	r, err := measureRates(ctx, b, kinds, progress)
	if err != nil {
		return nil, err
	}
	r.unsaved = r.Save()
	return r, nil
}

// Unsaved returns why For could not write the rates to a file, or nil. They will have to be measured
// again.
func (r *Rates) Unsaved() error { return r.unsaved }

// A CacheError says why rates could not be read from a file or written to it.
type CacheError struct {
	File    string
	Writing bool
	Err     error
}

// Error names the file and what to do.
func (e *CacheError) Error() string {
	if e.Writing {
		return fmt.Sprintf("blsupdate: rates cannot be kept in %s: %v; name another folder by %s", e.File, e.Err, EnvCache)
	}
	return fmt.Sprintf("blsupdate: rates in %s: %v; measure them anew", e.File, e.Err)
}

// Unwrap returns Err.
func (e *CacheError) Unwrap() error { return e.Err }

// Faults of a file of rates.
var (
	errForeign    = errors.New("they are of another machine, backend, number of threads or version")
	errNoRates    = errors.New("it is no file of rates")
	errIncomplete = errors.New("the file is damaged, or of another version")
)

// ratesFile is the contents of a file of rates.
type ratesFile struct {
	Key    Key                  `json:"key"`
	Probe  probe                `json:"probe"`
	Tables map[cost.Kind]*table `json:"tables"`
}

// Load returns the rates of b, nil for blskernel.Default(), with the set number of threads, from the
// file of this machine. The error is a *CacheError; it matches fs.ErrNotExist where there is no file.
func Load(b blskernel.Backend) (*Rates, error) {
	return loadRates(backend.Or(b), kinds)
}

func loadRates(b blskernel.Backend, kinds []kindRates) (*Rates, error) {
	key := keyFor(b)
	name, err := key.file()
	if err != nil {
		return nil, err
	}
	data, err := readBounded(name, mostCache)
	if err != nil {
		return nil, &CacheError{name, false, err}
	}
	var f ratesFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, &CacheError{name, false, fmt.Errorf("%w: %.200s", errIncomplete, err.Error())} // the error may quote all of the file
	}
	if f.Key != key {
		return nil, &CacheError{name, false, errForeign}
	}
	if !f.Probe.valid() {
		return nil, &CacheError{name, false, errIncomplete}
	}
	for _, k := range kinds {
		if t := f.Tables[k.kind]; t == nil || !t.valid() {
			return nil, &CacheError{name, false, fmt.Errorf("%s: %w", k.kind, errIncomplete)}
		}
	}
	return &Rates{key: f.Key, tables: f.Tables, probe: f.Probe, drift: steady, gauge: new(gauge)}, nil
}

// mostCache is far more than Save writes.
const mostCache = 16 << 20

// readBounded returns the contents of a regular file of at most most bytes.
func readBounded(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name) // before Open, which waits on a pipe
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, errNoRates
	}
	return os.ReadFile(name)
}

// Save writes the rates to the file that Load reads, in the folder that BLSKERNEL_CACHE names or in
// blskernel in the user's cache folder. It makes the folder, and replaces the file as a whole or not at
// all. The error is a *CacheError.
func (r *Rates) Save() error { return r.save(vfs.OS) }

func (r *Rates) save(fsys vfs.FS) error {
	name, err := r.key.file()
	if err != nil {
		return err
	}
	data, err := json.Marshal(ratesFile{r.key, r.probe, r.tables})
	if err != nil {
		return &CacheError{name, true, err}
	}
	if err := replaceFile(fsys, name, data); err != nil {
		return &CacheError{name, true, err}
	}
	return nil
}

// replaceFile replaces a file as a whole. It is no error that a loss of power may bring the old one
// back.
func replaceFile(fsys vfs.FS, name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := atomicfile.Create(fsys, name)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(data); err != nil {
		return err
	}
	var folder *atomicfile.FolderError
	if err := f.Commit(); err != nil && !errors.As(err, &folder) {
		return err
	}
	return nil
}

// file returns the name of the file of the key.
func (k Key) file() (string, error) {
	folder := os.Getenv(EnvCache)
	if folder == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("blsupdate: no folder for rates: %w; set %s", err, EnvCache)
		}
		folder = filepath.Join(user, "blskernel")
	}
	text, err := json.Marshal(k)
	if err != nil {
		return "", fmt.Errorf("blsupdate: key of rates: %w", err)
	}
	sum := sha256.Sum256(text)
	return filepath.Join(folder, "rates-"+hex.EncodeToString(sum[:8])+".json"), nil
}
