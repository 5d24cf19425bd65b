package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"blskernel/internal/disk"
)

// mostPacked is how many packed bytes of a file are read at most. Deflate makes what it cannot pack
// longer by 5 bytes in 16 KiB or less; the rest is for the header of gzip and empty blocks.
func mostPacked(f File) int64 { return f.Size + f.Size/1000 + 1<<16 }

// connect makes one request for what part lacks and appends what arrives to it. It returns nil once the server
// says, or lets it be seen, that the file is whole. mixed says that a part of it was there before.
func (d *Downloader) connect(ctx context.Context, address string, f File, part string) (mixed bool, err error) {
	file, err := disk.OpenFile(part, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o666)
	if err != nil {
		return false, fmt.Errorf("catalog: %w", err)
	}
	defer func() {
		// What was written is on the disk before the file can get its name.
		if failed := errors.Join(file.Sync(), file.Close()); failed != nil {
			err = errors.Join(err, distrust(part, failed))
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return false, fmt.Errorf("catalog: %w", err)
	}
	have := info.Size()

	stall := d.Stall
	if stall == 0 {
		stall = DefaultStall
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	alarm := time.AfterFunc(stall, func() { cancel(fmt.Errorf("%w for %v", ErrStalled, stall)) })
	defer alarm.Stop()

	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return false, fmt.Errorf("catalog: %w", err)
	}
	request.Header.Set("Accept-Encoding", "identity") // the bytes of the file, of which a range can be asked for
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	client := d.Client
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return false, broken(ctx, address, err)
	}
	defer response.Body.Close()
	from, total, err := accepted(response, address, have)
	if from == 0 && have > 0 {
		// The server sends no parts, or has another file than the one that the part is of.
		if err := file.Truncate(0); err != nil {
			return false, fmt.Errorf("catalog: %w", err)
		}
	}
	if err != nil || from == total {
		return from > 0, err
	}
	in := &stallReader{response.Body, alarm, stall}
	for done := from; ; {
		if most := mostPacked(f); done > most || total > most {
			return from > 0, &ContentError{File: f.Name, Path: address, Msg: fmt.Sprintf("is longer than the %d bytes that it can have, packed", most)}
		}
		if d.Progress != nil {
			d.Progress(f, done, total)
		}
		n, err := io.CopyN(file, in, 1<<16)
		done += n
		switch {
		case err == io.EOF && total >= 0 && done < total:
			return from > 0, broken(ctx, address, io.ErrUnexpectedEOF)
		case err == io.EOF:
			if d.Progress != nil {
				d.Progress(f, done, total)
			}
			return from > 0, nil
		case isLocal(err):
			return from > 0, fmt.Errorf("catalog: %w", err)
		case err != nil:
			return from > 0, broken(ctx, address, err)
		}
	}
}

// A lossError says that what had arrived may not be on the disk, so that nothing can go on from it.
type lossError struct {
	what string // was done about it
	err  error
}

func (e *lossError) Error() string {
	return fmt.Sprintf("catalog: %v: what had arrived may not be on the disk, %s", e.err, e.what)
}

func (e *lossError) Unwrap() error { return e.err }

// distrust removes the part that could not be brought to the disk, also where the connection broke anyway: a system
// tells of that once, then has the bytes in memory only, and would say of the next attempt that it succeeded.
func distrust(part string, failed error) error {
	e := &lossError{what: "and was removed", err: failed}
	if disk.RemoveFile(part) != nil {
		e.what = "remove " + part
	}
	return e
}

// accepted judges the answer of a server that was asked for what follows the first have bytes. It returns the
// byte with which the body begins and the length of the whole file, -1 where the server does not tell; from ==
// total says that nothing follows. With an error, from is have if what is there can be kept, else 0.
func accepted(response *http.Response, address string, have int64) (from, total int64, err error) {
	content := response.Header.Get("Content-Range")
	unit, length, _ := strings.Cut(content, "/") // bytes FIRST-LAST/TOTAL
	total, numberErr := strconv.ParseInt(length, 10, 64)
	if numberErr != nil || total < 0 {
		total = -1
	}
	switch response.StatusCode {
	case http.StatusOK:
		return 0, response.ContentLength, nil
	case http.StatusPartialContent:
		if have > 0 && strings.HasPrefix(unit, fmt.Sprintf("bytes %d-", have)) && (total < 0 || total > have) {
			return have, total, nil
		}
		return 0, 0, fmt.Errorf("catalog: %s: was asked for what follows byte %d and sent %.100q", address, have, content)
	case http.StatusRequestedRangeNotSatisfiable:
		if have > 0 {
			return have, have, nil // nothing follows; whether that is the file, its content will tell
		}
	}
	return have, 0, &StatusError{URL: address, Code: response.StatusCode}
}

// broken makes the error for a connection that failed.
func broken(ctx context.Context, address string, err error) error {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return fmt.Errorf("catalog: %s: %w", address, err)
}

// A stallReader puts off the alarm whenever something has arrived.
type stallReader struct {
	r     io.Reader
	alarm *time.Timer
	stall time.Duration
}

func (s *stallReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if n > 0 {
		s.alarm.Reset(s.stall)
	}
	return n, err
}
