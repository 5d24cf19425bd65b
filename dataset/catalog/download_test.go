package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A fixture is a file to be fetched, the server that has it, and a folder to fetch it to.
type fixture struct {
	plain, gz []byte
	file      File
	set       Set
	dir       string
	requests  atomic.Int64
	ranges    atomic.Int64 // requests for what follows some byte
}

// newFixture serves the requests for a file of 300,000 bytes by the handler, which is given the fixture.
func newFixture(t *testing.T, handler func(x *fixture, w http.ResponseWriter, r *http.Request)) *fixture {
	x := &fixture{dir: filepath.Join(t.TempDir(), "data")}
	x.plain, x.file = content("some-idx3-ubyte", 300_000)
	x.gz = packed(t, x.plain, 6)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x.requests.Add(1)
		if r.Header.Get("Range") != "" {
			x.ranges.Add(1)
		}
		handler(x, w, r)
	}))
	t.Cleanup(server.Close)
	x.set = Set{Name: "test", Bases: []string{server.URL + "/sets/"}, Files: []File{x.file}}
	return x
}

// serve answers as a file server does, Range included.
func serve(w http.ResponseWriter, r *http.Request, data []byte) {
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// cut answers a request as serve does and breaks the connection when n bytes of the body have gone.
func cut(w http.ResponseWriter, r *http.Request, data []byte, n int) {
	serve(&cutWriter{w, n}, r, data)
}

type cutWriter struct {
	http.ResponseWriter
	left int
}

func (c *cutWriter) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p[:min(len(p), c.left)])
	if c.left -= n; c.left == 0 {
		_ = http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, err
}

func quickly() *Downloader { return &Downloader{pause: time.Millisecond, Stall: 10 * time.Second} }

// wantFetched checks that the file is there, under the name with .gz, that its content is right, and that nothing
// else is there.
func (x *fixture) wantFetched(t *testing.T, path string, err error) {
	t.Helper()
	if err != nil || path != filepath.Join(x.dir, x.file.Name+".gz") {
		t.Fatalf("path %q, error %v", path, err)
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, x.gz) {
		t.Errorf("%d bytes, error %v; want the %d of the server", len(got), err, len(x.gz))
	}
	x.wantFiles(t, filepath.Base(path))
}

func (x *fixture) wantFiles(t *testing.T, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(x.dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("files %v, want %v", got, names)
	}
}

// putPart puts a part of a download there.
func (x *fixture) putPart(t *testing.T, data []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(x.dir, 0o777), os.WriteFile(partPath(x.dir, x.file), data, 0o666)); err != nil {
		t.Fatal(err)
	}
}

func TestFetch(t *testing.T) {
	x := newFixture(t, func(x *fixture, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/sets/some-idx3-ubyte.gz" || r.Header.Get("Accept-Encoding") != "identity" {
			t.Errorf("asked for %s, %v", r.URL, r.Header)
		}
		serve(w, r, x.gz)
	})
	d := quickly()
	last, calls := int64(-1), 0
	d.Progress = func(f File, done, total int64) {
		if f.Name != x.file.Name || done < last || total != int64(len(x.gz)) {
			t.Errorf("%s: %d of %d after %d", f.Name, done, total, last)
		}
		last, calls = done, calls+1
	}
	path, err := d.Fetch(context.Background(), x.set, x.file, x.dir)
	x.wantFetched(t, path, err)
	if last != int64(len(x.gz)) || calls < 5 {
		t.Errorf("told %d times, at last of %d bytes", calls, last)
	}
	// A base without a slash at its end, in place of that of the set; and once more over what is there.
	d = &Downloader{Base: strings.TrimSuffix(x.set.Bases[0], "/")}
	path, err = d.Fetch(context.Background(), Set{Bases: []string{"http://192.0.2.1/"}}, x.file, x.dir)
	x.wantFetched(t, path, err)
}

// TestFetchPlain has a server that unpacks what it sends: the file gets the name without .gz.
func TestFetchPlain(t *testing.T) {
	x := newFixture(t, func(x *fixture, w http.ResponseWriter, r *http.Request) { serve(w, r, x.plain) })
	path, err := quickly().Fetch(context.Background(), x.set, x.file, x.dir)
	if err != nil || path != filepath.Join(x.dir, x.file.Name) {
		t.Errorf("path %q, error %v", path, err)
	}
	x.wantFiles(t, x.file.Name)
}

// TestFetchChunked has a server that does not tell the length.
func TestFetchChunked(t *testing.T) {
	x := newFixture(t, func(x *fixture, w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(x.gz); i += 100_000 {
			_, _ = w.Write(x.gz[i:min(len(x.gz), i+100_000)])
			_ = http.NewResponseController(w).Flush()
		}
	})
	d := quickly()
	d.Progress = func(_ File, _, total int64) {
		if total != -1 {
			t.Errorf("a length of %d out of nothing", total)
		}
	}
	path, err := d.Fetch(context.Background(), x.set, x.file, x.dir)
	x.wantFetched(t, path, err)
}

func TestFetchResume(t *testing.T) {
	for _, test := range []struct {
		name             string
		part             func(x *fixture) []byte // what an earlier call left
		handler          func(x *fixture, w http.ResponseWriter, r *http.Request)
		requests, ranges int64
	}{
		{"after an earlier call", func(x *fixture) []byte { return x.gz[:123_456] }, func(x *fixture, w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("Range"); got != "bytes=123456-" {
				t.Errorf("asked for %q", got)
			}
			serve(w, r, x.gz)
		}, 1, 1},
		{"connections are cut", nil, func(x *fixture, w http.ResponseWriter, r *http.Request) { cut(w, r, x.gz, 50_000) }, 7, 6},
		{"whole already", func(x *fixture) []byte { return x.gz }, func(x *fixture, w http.ResponseWriter, r *http.Request) { serve(w, r, x.gz) }, 1, 1},
		{"whole already, and the length is not told", func(x *fixture) []byte { return x.gz }, func(_ *fixture, w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
		}, 1, 1},
		{"longer than the file", func(x *fixture) []byte { return append(bytes.Clone(x.gz), 1, 2, 3) },
			func(x *fixture, w http.ResponseWriter, r *http.Request) { serve(w, r, x.gz) }, 2, 1},
		{"of another file", func(x *fixture) []byte { return make([]byte, 1000) },
			func(x *fixture, w http.ResponseWriter, r *http.Request) { serve(w, r, x.gz) }, 2, 1},
		{"server without Range", func(x *fixture) []byte { return x.gz[:1000] }, func(x *fixture, w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Range")
			serve(w, r, x.gz)
		}, 1, 1},
		{"server without Range, cut twice", nil, func(x *fixture, w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Range")
			if x.requests.Load() < 3 {
				cut(w, r, x.gz, 50_000)
			}
			serve(w, r, x.gz)
		}, 3, 2},
		{"server sends another range", func(x *fixture) []byte { return x.gz[:1000] }, func(x *fixture, w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") != "" {
				r.Header.Set("Range", "bytes=500-")
			}
			serve(w, r, x.gz)
		}, 2, 1},
		{"server fails twice", nil, func(x *fixture, w http.ResponseWriter, r *http.Request) {
			if x.requests.Load() < 3 {
				http.Error(w, "busy", http.StatusServiceUnavailable)
				return
			}
			serve(w, r, x.gz)
		}, 3, 0},
		{"server fails in between", func(x *fixture) []byte { return x.gz[:1000] }, func(x *fixture, w http.ResponseWriter, r *http.Request) {
			if x.requests.Load() < 2 {
				http.Error(w, "busy", http.StatusTooManyRequests)
				return
			}
			serve(w, r, x.gz)
		}, 2, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := newFixture(t, test.handler)
			if test.part != nil {
				x.putPart(t, test.part(x))
			}
			path, err := quickly().Fetch(context.Background(), x.set, x.file, x.dir)
			x.wantFetched(t, path, err)
			if x.requests.Load() != test.requests || x.ranges.Load() != test.ranges {
				t.Errorf("%d requests, %d of them for a range; want %d and %d", x.requests.Load(), x.ranges.Load(), test.requests, test.ranges)
			}
		})
	}
}

func TestFetchFailures(t *testing.T) {
	for _, test := range []struct {
		name     string
		part     int // bytes that an earlier call left
		handler  func(x *fixture, w http.ResponseWriter, r *http.Request)
		requests int64
		kept     bool // whether the part stays
		check    func(err error) bool
	}{
		{"not found", 0, func(_ *fixture, w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }, 1, false,
			func(err error) bool {
				var s *StatusError
				return errors.As(err, &s) && s.Code == 404 && strings.Contains(err.Error(), "some-idx3-ubyte.gz: 404 Not Found")
			}},
		{"forbidden, with a part", 1000, func(_ *fixture, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, 1, true,
			func(err error) bool { var s *StatusError; return errors.As(err, &s) && s.Code == 403 }},
		{"server fails", 1000, func(_ *fixture, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, fruitless, true,
			func(err error) bool { var s *StatusError; return errors.As(err, &s) && s.Code == 502 }},
		{"connection is cut before the first byte", 0, func(_ *fixture, _ http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, fruitless, false,
			func(err error) bool { return err != nil && !errors.Is(err, ErrContent) }},
		{"another file", 0, func(x *fixture, w http.ResponseWriter, r *http.Request) { serve(w, r, x.gz[:100_000]) }, 1, false,
			func(err error) bool { return errors.Is(err, ErrContent) }},
		{"one byte wrong", 0, func(x *fixture, w http.ResponseWriter, r *http.Request) {
			bad := bytes.Clone(x.plain)
			bad[200_000] ^= 1
			serve(w, r, bad)
		}, 1, false, func(err error) bool {
			return errors.Is(err, ErrContent) && strings.Contains(err.Error(), "SHA-256 is") && strings.Contains(err.Error(), "removed")
		}},
		{"another file, with a part", 1000, func(x *fixture, w http.ResponseWriter, r *http.Request) { serve(w, r, make([]byte, 5000)) }, 2, false,
			func(err error) bool { return errors.Is(err, ErrContent) }},
		{"another file, and every connection is cut", 0, func(x *fixture, w http.ResponseWriter, r *http.Request) {
			bad := bytes.Clone(x.plain)
			bad[200_000] ^= 1
			cut(w, r, bad, 160_000)
		}, 4, false, func(err error) bool { return errors.Is(err, ErrContent) }},
		{"a page of HTML", 0, func(_ *fixture, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "<!DOCTYPE html><html><body>Log in to this network</body></html>")
		}, 1, false, func(err error) bool {
			return errors.Is(err, ErrContent) && strings.Contains(err.Error(), "begins with")
		}},
		{"nothing", 0, func(_ *fixture, _ http.ResponseWriter, _ *http.Request) {}, 1, false,
			func(err error) bool {
				return errors.Is(err, ErrContent) && strings.Contains(err.Error(), "has 0 bytes")
			}},
		{"an announced flood", 0, func(_ *fixture, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000000000000")
			_, _ = w.Write(make([]byte, 1<<16))
		}, 1, false, func(err error) bool {
			return errors.Is(err, ErrContent) && strings.Contains(err.Error(), "longer than")
		}},
		{"an endless flood", 0, func(_ *fixture, w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}, 1, false, func(err error) bool {
			return errors.Is(err, ErrContent) && strings.Contains(err.Error(), "longer than")
		}},
		{"a bomb", 0, func(_ *fixture, w http.ResponseWriter, r *http.Request) {
			serve(w, r, packed(t, make([]byte, 64<<20), 9))
		}, 1, false, func(err error) bool { return errors.Is(err, ErrContent) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := newFixture(t, test.handler)
			if test.part > 0 {
				x.putPart(t, x.gz[:test.part])
			}
			path, err := quickly().Fetch(context.Background(), x.set, x.file, x.dir)
			if path != "" || !test.check(err) {
				t.Errorf("path %q, error %v", path, err)
			}
			if x.requests.Load() != test.requests {
				t.Errorf("%d requests, want %d", x.requests.Load(), test.requests)
			}
			if test.kept {
				x.wantFiles(t, x.file.Name+".gz.part")
			} else {
				x.wantFiles(t)
			}
		})
	}
}

// TestFetchWorstPacked has a file that gzip has made longer, stored in the smallest blocks that it makes.
func TestFetchWorstPacked(t *testing.T) {
	x := newFixture(t, func(x *fixture, w http.ResponseWriter, r *http.Request) { serve(w, r, x.gz) })
	x.gz = packed(t, x.plain, 0)
	if len(x.gz) <= len(x.plain) {
		t.Fatalf("%d bytes of %d", len(x.gz), len(x.plain))
	}
	path, err := quickly().Fetch(context.Background(), x.set, x.file, x.dir)
	x.wantFetched(t, path, err)
}

func TestFetchStalled(t *testing.T) {
	for _, sent := range []int{0, 1000} {
		x := newFixture(t, func(x *fixture, w http.ResponseWriter, r *http.Request) {
			if sent > 0 && r.Header.Get("Range") == "" {
				w.Header().Set("Content-Length", fmt.Sprint(len(x.gz)))
				_, _ = w.Write(x.gz[:sent])
				_ = http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
		})
		d := quickly()
		d.Stall = 50 * time.Millisecond
		_, err := d.Fetch(context.Background(), x.set, x.file, x.dir)
		if !errors.Is(err, ErrStalled) {
			t.Errorf("after %d bytes: error %v", sent, err)
		}
		if got := sizeOf(partPath(x.dir, x.file)); got != int64(sent) {
			t.Errorf("%d bytes are kept of %d", got, sent)
		}
	}
}

// TestFetchSlow has a server that takes longer than Stall in all, and never half as long for a part.
func TestFetchSlow(t *testing.T) {
	const stall, parts = 400 * time.Millisecond, 8
	x := newFixture(t, func(x *fixture, w http.ResponseWriter, _ *http.Request) {
		for i := range parts {
			time.Sleep(stall / 5)
			_, _ = w.Write(x.gz[i*len(x.gz)/parts : (i+1)*len(x.gz)/parts])
			_ = http.NewResponseController(w).Flush()
		}
	})
	d := quickly()
	d.Stall = stall
	path, err := d.Fetch(context.Background(), x.set, x.file, x.dir)
	x.wantFetched(t, path, err)
	if x.requests.Load() != 1 {
		t.Errorf("%d requests", x.requests.Load())
	}
}

// TestFetchCancelled cancels while the body comes; what has arrived stays, and is used by the next call.
func TestFetchCancelled(t *testing.T) {
	wait := atomic.Bool{}
	wait.Store(true)
	x := newFixture(t, func(x *fixture, w http.ResponseWriter, r *http.Request) {
		if !wait.Load() {
			serve(w, r, x.gz)
			return
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(x.gz)))
		_, _ = w.Write(x.gz[:100_000])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(context.Background())
	d := quickly()
	d.Progress = func(_ File, done, _ int64) {
		if done > 0 {
			cancel(stop)
		}
	}
	if _, err := d.Fetch(ctx, x.set, x.file, x.dir); !errors.Is(err, stop) {
		t.Fatalf("error %v", err)
	}
	x.wantFiles(t, x.file.Name+".gz.part")
	wait.Store(false)
	d.Progress = nil
	path, err := d.Fetch(context.Background(), x.set, x.file, x.dir)
	x.wantFetched(t, path, err)
	if x.requests.Load() != 2 || x.ranges.Load() != 1 {
		t.Errorf("%d requests, %d of them for a range", x.requests.Load(), x.ranges.Load())
	}
	if _, err := d.Fetch(ctx, x.set, x.file, x.dir); !errors.Is(err, stop) {
		t.Errorf("cancelled before: error %v", err)
	}
}

// TestFetchAddresses has a first address that refuses, as that of MNIST's authors may, and a second that does not.
func TestFetchAddresses(t *testing.T) {
	bad := newFixture(t, func(_ *fixture, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	good := newFixture(t, func(x *fixture, w http.ResponseWriter, r *http.Request) { serve(w, r, x.gz) })
	set := Set{Bases: []string{bad.set.Bases[0], good.set.Bases[0]}}
	path, err := quickly().Fetch(context.Background(), set, good.file, good.dir)
	good.wantFetched(t, path, err)
	if bad.requests.Load() != 1 {
		t.Errorf("%d requests to the first", bad.requests.Load())
	}
	set.Bases[1] = set.Bases[0]
	if _, err = quickly().Fetch(context.Background(), set, bad.file, bad.dir); strings.Count(fmt.Sprint(err), "403 Forbidden") != 2 {
		t.Errorf("error %v", err)
	}
	for _, base := range []string{"ftp://example.org/", "example.org", "http:///x", "http://[::1", ""} {
		if _, err := quickly().Fetch(context.Background(), Set{Bases: []string{base}}, bad.file, bad.dir); err == nil {
			t.Errorf("%q is taken for an address", base)
		}
	}
	if _, err := quickly().Fetch(context.Background(), Set{}, bad.file, bad.dir); err == nil || !strings.Contains(err.Error(), "no address") {
		t.Errorf("error %v", err)
	}
}

func TestFetchDisk(t *testing.T) {
	serving := func(x *fixture, w http.ResponseWriter, r *http.Request) { serve(w, r, x.gz) }
	t.Run("a file for the folder", func(t *testing.T) {
		x := newFixture(t, serving)
		if err := os.WriteFile(x.dir, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		var p *fs.PathError
		if _, err := quickly().Fetch(context.Background(), x.set, x.file, x.dir); !errors.As(err, &p) || x.requests.Load() != 0 {
			t.Errorf("error %v after %d requests", err, x.requests.Load())
		}
	})
	t.Run("a folder for the part", func(t *testing.T) {
		x := newFixture(t, serving)
		if err := os.MkdirAll(partPath(x.dir, x.file), 0o777); err != nil {
			t.Fatal(err)
		}
		var p *fs.PathError
		if _, err := quickly().Fetch(context.Background(), x.set, x.file, x.dir); !errors.As(err, &p) || x.requests.Load() != 0 {
			t.Errorf("error %v after %d requests", err, x.requests.Load())
		}
	})
	t.Run("a folder for the file", func(t *testing.T) {
		x := newFixture(t, serving)
		if err := os.MkdirAll(filepath.Join(x.dir, x.file.Name+".gz", "in it"), 0o777); err != nil {
			t.Fatal(err)
		}
		var l *os.LinkError
		if _, err := quickly().Fetch(context.Background(), x.set, x.file, x.dir); !errors.As(err, &l) {
			t.Errorf("error %v", err)
		}
		if got := sizeOf(partPath(x.dir, x.file)); got != int64(len(x.gz)) {
			t.Errorf("%d bytes are kept of %d", got, len(x.gz))
		}
	})
	t.Run("full", func(t *testing.T) {
		const full = "/dev/full"
		if _, err := os.Stat(full); err != nil {
			t.Skipf("no %s here", full)
		}
		x := newFixture(t, serving)
		x.set.Bases = append(x.set.Bases, x.set.Bases[0]) // which is not tried
		if err := errors.Join(os.MkdirAll(x.dir, 0o777), os.Symlink(full, partPath(x.dir, x.file))); err != nil {
			t.Fatal(err)
		}
		var p *fs.PathError
		if _, err := quickly().Fetch(context.Background(), x.set, x.file, x.dir); !errors.As(err, &p) || p.Op != "write" || x.requests.Load() != 1 {
			t.Errorf("error %v after %d requests", err, x.requests.Load())
		}
	})
}
