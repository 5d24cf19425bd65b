package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"blskernel/internal/atomicfile"
	"blskernel/internal/disk"
)

const (
	// DefaultStall is how long a server may send nothing.
	DefaultStall = 30 * time.Second
	// fruitless is how many connections in a row may bring nothing new before an address is given up.
	fruitless = 3
	// pause is what is waited before another connection.
	pause = time.Second
)

// ErrStalled is why a download was given up when nothing arrived for as long as [Downloader.Stall].
var ErrStalled = errors.New("catalog: the server sends nothing")

// A StatusError says that a server answered with a status that is no success.
type StatusError struct {
	URL  string
	Code int // of HTTP
}

// Error returns the address and the status in words.
func (e *StatusError) Error() string {
	return fmt.Sprintf("catalog: %s: %d %s", e.URL, e.Code, http.StatusText(e.Code))
}

// passing tells whether the status may be another one soon.
func (e *StatusError) passing() bool {
	return e.Code >= 500 || e.Code == http.StatusTooManyRequests || e.Code == http.StatusRequestTimeout
}

// A Downloader fetches files. The zero value fetches from the addresses of the catalog.
type Downloader struct {
	Base   string        // an http or https address that NAME.gz is appended to; empty for those of the set
	Client *http.Client  // nil for one with Go's defaults; a Timeout in it bounds whole downloads
	Stall  time.Duration // how long a server may send nothing; 0 stands for DefaultStall

	// Progress, if it is not nil, is called with the bytes of the packed file that are there and
	// their number in the end, -1 where the server does not tell.
	Progress func(f File, done, total int64)

	pause time.Duration // in place of the constant, for tests
}

// Fetch downloads the file f of s to dir, which is made if need be, and returns the path that it has then:
// f.Name + ".gz", or f.Name where the server sent it unpacked. A file of that name is replaced.
//
// The bytes go to f.Name + ".gz.part" and stay there when the download is cut off; Fetch goes on from
// them, unless they could not be brought to the disk, when they are removed. A connection that breaks is made again as long as each brings something new; a server that
// fails is tried three times, and then the next address. The file gets its name only after
// [File.Check] has found its content right. Content that is wrong is removed, and where a part of it was
// from an earlier connection the file is fetched once more from its first byte, since the parts may be of
// different files.
//
//	errors: *StatusError for what the server refused; ErrStalled; *ContentError for what it sent; those
//	of the operating system and of the connection, wrapped; all of these joined where several addresses
//	were tried; why ctx was cancelled.
func (d *Downloader) Fetch(ctx context.Context, s Set, f File, dir string) (path string, err error) {
	bases := s.Bases
	if d.Base != "" {
		bases = []string{d.Base}
	}
	if len(bases) == 0 {
		return "", fmt.Errorf("catalog: no address is known for %s; give one", f.Name)
	}
	var addresses []string
	for _, base := range bases {
		a, err := address(base, f)
		if err != nil {
			return "", err
		}
		addresses = append(addresses, a)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("catalog: %w", err)
	}
	var failed []error
	for _, a := range addresses {
		path, err := d.fetch(ctx, a, f, dir)
		if err == nil {
			return path, nil
		}
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		failed = append(failed, err)
		if isLocal(err) { // another server does not mend a disk
			failed = append(failed, localAdvice(err)...)
			break
		}
	}
	if part := partPath(dir, f); sizeOf(part) == 0 {
		_ = disk.RemoveFile(part) // nothing is lost if an empty file stays
	}
	return "", errors.Join(failed...)
}

// address returns base/NAME.gz.
func address(base string, f File) (string, error) {
	u, err := url.Parse(base)
	if err != nil {
		return "", fmt.Errorf("catalog: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("catalog: %q is no address; want one that begins with http:// or https://", base)
	}
	return u.JoinPath(f.Name + ".gz").String(), nil
}

// isLocal tells whether the error is one of files.
func isLocal(err error) bool {
	var p *fs.PathError
	var l *os.LinkError
	return errors.As(err, &p) || errors.As(err, &l)
}

// localAdvice says what to do about an error of files that does not say so itself.
func localAdvice(err error) []error {
	var naming *atomicfile.WriteError
	var folder *atomicfile.FolderError
	if errors.As(err, &naming) || errors.As(err, &folder) {
		return nil
	}
	var loss *lossError
	if errors.As(err, &loss) {
		return []error{errors.New(disk.Remedy(err))}
	}
	return []error{fmt.Errorf("%s; what has arrived is kept, and the next try goes on from there", disk.Remedy(err))}
}

// fetch downloads from one address, verifies, and gives the file its name.
func (d *Downloader) fetch(ctx context.Context, address string, f File, dir string) (string, error) {
	part := partPath(dir, f)
	for again := false; ; again = true {
		mixed, err := d.complete(ctx, address, f, part)
		if err == nil {
			if err = f.CheckFile(ctx, part, nil); err == nil {
				return adopt(part, filepath.Join(dir, f.Name))
			}
		}
		if !errors.Is(err, ErrContent) {
			return "", err
		}
		if removal := disk.RemoveFile(part); removal != nil {
			return "", errors.Join(err, fmt.Errorf("catalog: %w", removal))
		}
		if !mixed || again {
			return "", fmt.Errorf("catalog: %s sent something else, which was removed: %w", address, err)
		}
	}
}

// adopt gives the verified part, which connect has brought to the disk, the name, with .gz where it is packed.
func adopt(part, name string) (string, error) {
	file, err := disk.OpenFile(part, os.O_RDONLY, 0)
	if err != nil {
		return "", fmt.Errorf("catalog: %w", err)
	}
	var head [2]byte
	n, err := io.ReadFull(file, head[:])
	_ = file.Close() // it was only read
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return "", fmt.Errorf("catalog: %w", err)
	}
	if n == 2 && head == [2]byte{0x1f, 0x8b} {
		name += ".gz"
	}
	if err := atomicfile.Adopt(part, name); err != nil {
		return "", fmt.Errorf("catalog: %w", err)
	}
	return name, nil
}

// complete connects until part is whole. mixed says that part of it was there before the connection that
// made it whole.
func (d *Downloader) complete(ctx context.Context, address string, f File, part string) (mixed bool, err error) {
	wait := d.pause
	if wait == 0 {
		wait = pause
	}
	for failures := 0; ; {
		before := sizeOf(part)
		mixed, err = d.connect(ctx, address, f, part)
		if err == nil || ctx.Err() != nil || isLocal(err) || errors.Is(err, ErrContent) {
			return mixed, err
		}
		var status *StatusError
		if errors.As(err, &status) && !status.passing() {
			return mixed, err
		}
		if failures++; sizeOf(part) > before {
			failures = 0
		}
		if failures == fruitless {
			return mixed, err
		}
		select {
		case <-ctx.Done():
			return mixed, context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
