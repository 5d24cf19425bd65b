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

// EnvCache names the environment variable for the folder in which rates are kept. Where it is not set that is the
// folder blskernel in the user's cache folder.
const EnvCache = "BLSKERNEL_CACHE"

// RatesFor returns the rates of b, nil for blskernel.Default(), with the number of threads that is set: those that
// were measured before on this machine, else MeasureRates, which takes about a minute, and keeps them for the next
// time. A file that cannot be used is measured anew and replaced. Where the new rates cannot be kept they are
// returned all the same, and Unsaved says why. progress, which may be nil, and the error are those of MeasureRates.
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

// Unsaved returns why RatesFor could not keep the rates, so that they will have to be measured again, or nil.
func (r *Rates) Unsaved() error { return r.unsaved }

// A CacheError says why there are no rates to be had from a file, or why they could not be kept in it.
type CacheError struct {
	File    string
	Writing bool
	Err     error
}

func (e *CacheError) Error() string {
	if e.Writing {
		return fmt.Sprintf("blsupdate: rates cannot be kept in %s: %v; name another folder by %s", e.File, e.Err, EnvCache)
	}
	return fmt.Sprintf("blsupdate: rates in %s: %v; measure them anew", e.File, e.Err)
}

// Unwrap returns Err.
func (e *CacheError) Unwrap() error { return e.Err }

// What is wrong with a file of rates.
var (
	errForeign    = errors.New("they are of another machine, backend, number of threads or version")
	errNoRates    = errors.New("it is no file of rates")
	errIncomplete = errors.New("the file is damaged, or of another version")
)

// ratesFile is what a file of rates holds.
type ratesFile struct {
	Key    Key                  `json:"key"`
	Probe  probe                `json:"probe"`
	Tables map[cost.Kind]*table `json:"tables"`
}

// LoadRates returns the rates of b, nil for blskernel.Default(), with the number of threads that is set, that were
// saved on this machine. The error is a *CacheError that matches fs.ErrNotExist where there are none.
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
		return nil, &CacheError{name, false, fmt.Errorf("%w: %.200s", errIncomplete, err.Error())} // it may quote all of the file
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

// mostCache is more than what Save writes by far.
const mostCache = 16 << 20

// readBounded returns what is in a regular file of no more than most bytes.
func readBounded(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name) // before it is opened, which waits where it is a pipe
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, errNoRates
	}
	return os.ReadFile(name)
}

// Save keeps the rates for LoadRates, in a file of their own in the folder that BLSKERNEL_CACHE names or in
// blskernel in the user's cache folder, which is made if need be. The file is replaced as a whole or not at all; the error
// is a *CacheError.
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

// replaceFile replaces a file as a whole. That a loss of power may bring the old one back is no error: then the rates are
// measured again.
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

// file returns the name of the file for the key.
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
