package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"blskernel/bls/modelfile"
	"blskernel/internal/testutil"
)

// TestMain makes the test binary a server when TestProcess starts it.
func TestMain(m *testing.M) {
	if os.Getenv("BLSKERNEL_TEST_SERVER") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

var eventually = testutil.Eventually

// TestReloadUnderLoad replaces the file 10 times, or 40 in the long form, while four clients send
// requests. Every answer is from one of the two models, and after each replacement from the new one.
func TestReloadUnderLoad(t *testing.T) {
	replacements := 10
	if testutil.Long() {
		replacements = 40
	}
	models := []*modelfile.File{classifier(t, 1e-6), classifier(t, 10)}
	at, path := start(t, models[0])
	_, first := post(t, at+"/predict", good)
	testutil.NoError(t, modelfile.Save(path, models[1]))
	var second string
	eventually(t, "another answer", func() bool { _, second = post(t, at+"/predict", good); return second != first })

	var clients sync.WaitGroup
	var done atomic.Bool
	var asked atomic.Int64
	for range 4 {
		clients.Add(1)
		go func() {
			defer clients.Done()
			for !done.Load() {
				response, err := http.Post(at+"/predict", "", strings.NewReader(good))
				if err != nil {
					t.Error(err)
					return
				}
				text, err := io.ReadAll(response.Body)
				response.Body.Close()
				if err != nil || response.StatusCode != http.StatusOK || string(text) != first && string(text) != second {
					t.Errorf("status %d, %v, %s", response.StatusCode, err, text)
					return
				}
				asked.Add(1)
			}
		}()
	}
	for i := range replacements {
		want := []string{first, second}[i%2]
		testutil.NoError(t, modelfile.Save(path, models[i%2]))
		before := asked.Load()
		eventually(t, "the answer of the new model", func() bool { _, got := post(t, at+"/predict", good); return got == want })
		eventually(t, "answers to each client", func() bool { return t.Failed() || asked.Load() >= before+4 })
	}
	done.Store(true)
	clients.Wait()
	t.Log("requests:", asked.Load())
}

// TestReloadFails replaces the model with nothing, a folder, a FIFO, a device, and files that cannot be
// loaded. The model is stale each time, its answers stay the same, and the server goes on checking: it
// loads the next file.
func TestReloadFails(t *testing.T) {
	at, path := start(t, classifier(t, 1e-6))
	_, want := post(t, at+"/predict", good)
	saved, err := os.ReadFile(path)
	testutil.NoError(t, err)
	var health struct {
		Stale  bool
		Looked time.Time
	}
	looked := func(t *testing.T, stale bool) {
		t.Helper()
		began := time.Now()
		eventually(t, "another look", func() bool {
			get(t, at+"/healthz", &health)
			return health.Stale == stale && health.Looked.After(began)
		})
	}
	places := map[string]func() error{
		"cut":      func() error { return os.Truncate(path, int64(len(saved)-1)) },
		"empty":    func() error { return os.Truncate(path, 0) },
		"text":     func() error { return os.WriteFile(path, []byte("text"), 0o600) },
		"none":     func() error { return os.Remove(path) },
		"a folder": func() error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o777)) },
	}
	if runtime.GOOS != "windows" {
		places["a FIFO"] = func() error { return errors.Join(os.Remove(path), exec.Command("mkfifo", path).Run()) }
		places["a device"] = func() error { return errors.Join(os.Remove(path), os.Symlink(os.DevNull, path)) }
	}
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			testutil.NoError(t, place())
			looked(t, true)
			if status, got := post(t, at+"/predict", good); status != http.StatusOK || got != want {
				t.Errorf("status %d, %s; want %s", status, got, want)
			}
			testutil.NoError(t, os.RemoveAll(path))
			testutil.WriteFile(t, path, saved)
			looked(t, false)
		})
	}
}

// TestLoadTime lets a load exceed its time: the old model stays, until a later try succeeds.
func TestLoadTime(t *testing.T) {
	s := loaded(t)
	before := s.model.Load()
	s.loadTime = 0
	if err := s.load(t.Context()); err == nil || !strings.HasSuffix(err.Error(), "not loaded after 0s") || !s.stale.Load() || s.model.Load() != before {
		t.Errorf("%v, stale %v", err, s.stale.Load())
	}
	s.loadTime, s.poll = time.Minute, time.Millisecond
	seen, _ := os.Stat(s.path)
	go s.follow(t.Context(), seen)
	eventually(t, "another try", func() bool { return !s.stale.Load() && s.model.Load() != before })
}

type counted struct {
	context.Context
	asked int
}

func (c *counted) Err() error {
	c.asked++
	return c.Context.Err()
}

// TestReads checks that a file of a few kilobytes takes few reads.
func TestReads(t *testing.T) {
	ctx := &counted{Context: t.Context()}
	if _, err := open(ctx, loaded(t).path); err != nil || ctx.asked > 5 {
		t.Errorf("%d reads, %v", ctx.asked, err)
	}
}

// TestHangup reloads the file, and then finds none. Only SIGHUP makes the server check the file.
func TestHangup(t *testing.T) {
	hangup := make(chan os.Signal)
	s := loaded(t)
	s.poll, s.hangup = time.Hour, hangup
	before := s.model.Load()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go s.follow(ctx, nil)
	hangup <- syscall.SIGHUP
	eventually(t, "another model", func() bool { return s.model.Load() != before })
	before = s.model.Load()
	testutil.NoError(t, os.Remove(s.path))
	hangup <- syscall.SIGHUP
	eventually(t, "stale", s.stale.Load)
	if s.model.Load() != before {
		t.Error("the model has changed")
	}
}

// TestProcess starts the program, reloads with SIGHUP, and sends SIGTERM while a request is half sent.
// The request is answered, and the exit status is 0.
func TestProcess(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process can send these signals")
	}
	path := filepath.Join(t.TempDir(), "model.bls")
	testutil.NoError(t, modelfile.Save(path, classifier(t, 1e-6)))
	cmd := exec.Command(os.Args[0], "-model", path, "-addr", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "BLSKERNEL_TEST_SERVER=1")
	stderr, err := cmd.StderrPipe()
	testutil.NoError(t, err)
	testutil.NoError(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill() }() // an error after the end does not matter
	messages := bufio.NewReader(stderr)
	line := func() string {
		text, err := messages.ReadString('\n')
		testutil.NoError(t, err)
		return text
	}
	_, address, _ := strings.Cut(strings.TrimSpace(line()), " at http://")
	status, first := post(t, "http://"+address+"/predict", good)
	if status != http.StatusOK {
		t.Fatal(first)
	}
	testutil.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
	testutil.Contains(t, line(), "loaded", path)

	conn, err := net.Dial("tcp", address)
	testutil.NoError(t, err)
	defer conn.Close()
	testutil.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	fmt.Fprintf(conn, "POST /predict HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", len(good))
	answers := bufio.NewReader(conn)
	text, err := answers.ReadString('\n') // the server reads the body
	testutil.NoError(t, err)
	testutil.Contains(t, text, "100 Continue")
	_, err = answers.ReadString('\n')
	testutil.NoError(t, err)
	testutil.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	eventually(t, "no new connections", func() bool {
		other, err := net.Dial("tcp", address)
		if err == nil {
			other.Close()
		}
		return err != nil
	})
	_, err = io.WriteString(conn, good)
	testutil.NoError(t, err)
	response, err := http.ReadResponse(answers, nil)
	testutil.NoError(t, err)
	got, err := io.ReadAll(response.Body)
	testutil.NoError(t, err)
	if response.StatusCode != http.StatusOK || string(got) != first {
		t.Errorf("status %d, %s; want %s", response.StatusCode, got, first)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
}
