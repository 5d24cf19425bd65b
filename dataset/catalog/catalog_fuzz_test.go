package catalog

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"blskernel/internal/faults"
)

// FuzzCheck asks whether any bytes, plain or gzip, are a file of 64 bytes: they are exactly if they unpack to it, or, where no
// sum is known, to as many bytes with that beginning; and no more is unpacked than tells.
func FuzzCheck(f *testing.F) {
	data, _ := content("some", 64)
	for _, b := range [][]byte{data, data[:63], append(bytes.Clone(data), 0), nil, []byte("<html>"), data[:3]} {
		f.Add(b, byte(0))
		f.Add(packed(f, b, 6), byte(1))
		f.Add(packed(f, b, 9)[:20], byte(2))
	}
	f.Add(packed(f, make([]byte, 1<<20), 9), byte(0))
	f.Add(append(packed(f, data[:30], 6), packed(f, data[30:], 6)...), byte(1))
	f.Fuzz(func(t *testing.T, got []byte, how byte) {
		file := File{Name: "some", Size: 64, Header: data[:16]}
		want := data
		switch how % 3 {
		case 0:
			sum := sha256.Sum256(data)
			file.SHA256 = hex.EncodeToString(sum[:])
		case 1:
			sum := md5.Sum(data)
			file.MD5 = hex.EncodeToString(sum[:])
		case 2:
			want = data[:16]
		}
		var err error
		// Two buffers of 64 KiB and what unpacks gzip, of 45 KB, whatever there is.
		faults.Bounded(t, 0, 0, 1<<18, func() { err = file.Check(context.Background(), bytes.NewReader(got)) })
		var wrong *ContentError
		if err != nil && (!errors.As(err, &wrong) || !errors.Is(err, ErrContent) || len(err.Error()) > 500) {
			t.Errorf("error %.300v", err)
		}
		plain, whole := got, true
		if bytes.HasPrefix(got, []byte("\x1f\x8b")) {
			z, err := gzip.NewReader(bytes.NewReader(got))
			if whole = err == nil; whole {
				plain, err = io.ReadAll(io.LimitReader(z, 65))
				whole = err == nil
			}
		}
		if right := whole && len(plain) == 64 && bytes.HasPrefix(plain, want); right != (err == nil) {
			t.Errorf("%d bytes: error %v", len(plain), err)
		}
	})
}

// FuzzAccepted judges any answer of a server: what is appended to the bytes that are there begins where they end, or they are
// given up for a whole file.
func FuzzAccepted(f *testing.F) {
	for _, header := range []string{"", "bytes 5-9/10", "bytes 5-9/*", "bytes 0-9/10", "bytes 5-9/-1", "bytes 5-9/5", "bytes 5-9/9223372036854775808", "bytes 55-9/60", "chunks 5-", strings.Repeat("x", 1<<10)} {
		for _, status := range []int{200, 206, 416, 404, 503, 0} {
			f.Add(status, header, int64(10), int64(5))
			f.Add(status, header, int64(-1), int64(0))
		}
	}
	f.Fuzz(func(t *testing.T, status int, header string, length, have int64) {
		if have < 0 || length < -1 {
			t.Skip() // no file has as many bytes, and no answer of package http
		}
		response := &http.Response{StatusCode: status, ContentLength: length, Header: http.Header{"Content-Range": {header}}}
		from, total, err := accepted(response, "http://localhost/some.gz", have)
		switch {
		case from != 0 && from != have:
			t.Errorf("goes on from %d, there are %d", from, have)
		case err != nil && len(err.Error()) > 1000:
			t.Errorf("a message of %d bytes", len(err.Error()))
		case err == nil && total >= 0 && from > total:
			t.Errorf("goes on from %d of %d", from, total)
		case err == nil && status != http.StatusOK && status != http.StatusPartialContent && status != http.StatusRequestedRangeNotSatisfiable:
			t.Errorf("status %d is accepted", status)
		case err == nil && from > 0 && status == http.StatusPartialContent && !strings.HasPrefix(header, "bytes "):
			t.Errorf("%q is accepted", header)
		}
	})
}
