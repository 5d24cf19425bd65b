package catalog

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"blskernel/internal/faults"
)

// TestHostileAnswers has servers that mean no good; TestFetchFailures has floods and bombs. What they send is given up, nothing of it
// stays, and the message is short.
func TestHostileAnswers(t *testing.T) {
	long := strings.Repeat("9", 1<<16)
	for _, test := range []struct {
		name   string
		answer func(w http.ResponseWriter, r *http.Request)
		says   string
	}{
		{"a ring of redirections", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path+"x", http.StatusFound) }, "10 redirects"},
		{"a range that was not asked for, of 64 KB", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", "bytes 0-1/"+long)
			w.WriteHeader(http.StatusPartialContent)
		}, "was asked for what follows byte 0"},
		{"a status of 64 KB in words", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", long)
			w.WriteHeader(499)
		}, "499"},
		{"zeros", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1<<16)) }, "begins with"},
		{"the beginning of gzip", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("\x1f\x8b\x08\x1c\xff\xff\xff\xff\xff\xff\xff\xff"))
		}, "damaged gzip data"},
	} {
		x := newFixture(t, func(_ *fixture, w http.ResponseWriter, r *http.Request) { test.answer(w, r) })
		// Go's client and server, their buffers and ten requests, and the 64 KiB of a header some times.
		faults.Bounded(t, 1<<16, 16, 4<<20, func() {
			path, err := quickly().Fetch(context.Background(), x.set, x.file, x.dir)
			if err == nil || path != "" || !strings.Contains(err.Error(), test.says) || len(err.Error()) > 1000 {
				t.Errorf("%s: path %q, error %.500v, want %q", test.name, path, err, test.says)
			}
		})
		x.wantFiles(t)
	}
}
