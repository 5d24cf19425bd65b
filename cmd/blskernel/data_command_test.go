package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blskernel/dataset/catalog"
)

// madeNORB returns the content of those files of small NORB that are made from their description: the categories of
// sample i are i mod 5.
func madeNORB() map[string][]byte {
	cat := []byte{0x54, 0x4c, 0x3d, 0x1e, 1, 0, 0, 0, 0xec, 0x5e, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}
	for i := range 24300 {
		cat = append(cat, byte(i%5), 0, 0, 0)
	}
	return map[string][]byte{
		"smallnorb-5x46789x9x18x6x2x96x96-training-cat.mat": cat,
		"smallnorb-5x01235x9x18x6x2x96x96-testing-cat.mat":  cat,
	}
}

// dataLines parses the lines of --json.
func dataLines(t *testing.T, out string) (lines []dataFile) {
	t.Helper()
	for _, text := range strings.Split(strings.TrimSpace(out), "\n") {
		var line dataFile
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&line); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		lines = append(lines, line)
	}
	return lines
}

func TestDataList(t *testing.T) {
	status, stdout, stderr := inProcess("data")
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	for _, c := range catalog.Sets() {
		for _, f := range c.Files {
			if !strings.Contains(stdout, f.Name) || !strings.Contains(stdout, f.SHA256) || !strings.Contains(stdout, c.Bases[0]) || !strings.Contains(stdout, c.Page) {
				t.Errorf("%s is not in\n%s", f.Name, stdout)
			}
		}
	}
	if !strings.Contains(stdout, "sha256 not known, md5 8138a0902307b32dfa0025a36dfa45ec") {
		t.Errorf("what is not known is not said in\n%s", stdout)
	}
	status, stdout, _ = inProcess("data", "--set", "norb")
	if status != 0 || strings.Contains(stdout, "mnist") || !strings.Contains(stdout, "norb") {
		t.Errorf("status %d\n%s", status, stdout)
	}
	_, stdout, _ = inProcess("data", "-json")
	lines := dataLines(t, stdout)
	if len(lines) != 10 || lines[0].Set != "mnist" || lines[0].Bytes != 47040016 || lines[0].State != "" ||
		!slices.Contains(lines[0].URLs, "http://yann.lecun.com/exdb/mnist/train-images-idx3-ubyte.gz") || lines[4].SHA256 != "" || lines[4].MD5 == "" {
		t.Errorf("%+v", lines)
	}
}

func TestDataVerify(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	status, stdout, stderr := inProcess("data", "--dir", dir)
	if status != exitFailure || !strings.Contains(stderr, "has no file of mnist or norb") || strings.Count(stdout, "none of its files is there") != 2 {
		t.Errorf("empty folder: status %d\n%s%s", status, stdout, stderr)
	}
	made := madeNORB()
	names := []string{"smallnorb-5x46789x9x18x6x2x96x96-training-cat.mat", "smallnorb-5x01235x9x18x6x2x96x96-testing-cat.mat"}
	write(names[0], made[names[0]])
	wrong := bytes.Clone(made[names[1]])
	wrong[30] ^= 1
	write(names[1], wrong)
	write("smallnorb-5x46789x9x18x6x2x96x96-training-dat.mat.gz.part", make([]byte, 1_234_567))

	// The MNIST files, of which there are none, are not asked for.
	status, stdout, stderr = inProcess("data", "--dir", dir)
	for _, want := range []string{
		"lacks smallnorb-5x46789x9x18x6x2x96x96-training-dat.mat, smallnorb-5x01235x9x18x6x2x96x96-testing-dat.mat\n",
		"has the wrong content in " + names[1] + ": remove it",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%q is not in\n%s", want, stderr)
		}
	}
	if status != exitFailure || strings.Contains(stderr, "ubyte") || strings.Contains(stderr, "info") {
		t.Errorf("status %d\n%s", status, stderr)
	}
	for _, want := range []string{"ok       SHA-256", "not needed", "1.2 MB of it from a download that was interrupted", "SHA-256 is "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
	status, stdout, _ = inProcess("data", "--dir", dir, "--set", "norb", "--json")
	lines := dataLines(t, stdout)
	var states []string
	for _, line := range lines {
		states = append(states, line.State)
	}
	if status != exitFailure || !slices.Equal(states, []string{"missing", "ok", "missing", "missing", "wrong", "missing"}) {
		t.Fatalf("status %d, %v", status, states)
	}
	if lines[0].Part != 1_234_567 || lines[1].By != "SHA-256" || lines[1].Path != filepath.Join(dir, names[0]) || !lines[2].Optional ||
		!strings.Contains(lines[4].Error, "SHA-256 is") || lines[4].By != "" {
		t.Errorf("%+v", lines)
	}
	status, _, stderr = inProcess("data", "--dir", dir, "--set", "mnist")
	if status != exitFailure || !strings.Contains(stderr, "lacks train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte, t10k-labels-idx1-ubyte") {
		t.Errorf("status %d\n%s", status, stderr)
	}
}

// TestDataVerifyMNISTReal verifies the files of the folder named by BLSKERNEL_MNIST, else shared/data/mnist
// beside the repository.
func TestDataVerifyMNISTReal(t *testing.T) {
	dir := os.Getenv("BLSKERNEL_MNIST")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data", "mnist")
		if _, err := os.Stat(dir); err != nil {
			t.Skipf("no MNIST files: BLSKERNEL_MNIST is not set and %s is not there", dir)
		}
	}
	for _, args := range [][]string{nil, {"--set", "mnist"}} {
		status, stdout, stderr := inProcess(append([]string{"data", "--dir", dir}, args...)...)
		if status != 0 || stderr != "" || strings.Count(stdout, "ok  SHA-256") != 4 {
			t.Errorf("status %d\n%s%s", status, stdout, stderr)
		}
	}
}

func TestDataDownload(t *testing.T) {
	made := madeNORB()
	asked := make(chan string, 20)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path
		if data, ok := made[strings.TrimSuffix(filepath.Base(r.URL.Path), ".gz")]; ok {
			_, _ = w.Write(data)
			return
		}
		http.NotFound(w, r)
	}))
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "norb")
	args := []string{"data", "--dir", dir, "--set", "norb", "--download", "--url", server.URL + "/x"}
	status, stdout, stderr := inProcess(args...)
	if status != exitFailure || strings.Count(stdout, "ok ") != 2 || strings.Count(stderr, "404 Not Found") != 4 || !strings.Contains(stderr, "lacks smallnorb-5x46789") ||
		!strings.Contains(stderr, "100%  fetching smallnorb-5x46789x9x18x6x2x96x96-training-cat.mat, 0.1 MB of 0.1 MB") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	if n := len(asked); n != 6 {
		t.Errorf("%d requests, want 6", n)
	}
	for len(asked) > 0 {
		if path := <-asked; !strings.HasPrefix(path, "/x/smallnorb-") || !strings.HasSuffix(path, ".mat.gz") {
			t.Errorf("asked for %s", path)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("%v, error %v; want two files and no parts", entries, err)
	}

	// What is there is neither asked for nor overwritten, right or wrong.
	name := filepath.Join(dir, "smallnorb-5x46789x9x18x6x2x96x96-training-cat.mat")
	if err := os.WriteFile(name, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr = inProcess(append(args, "--json")...)
	if got, err := os.ReadFile(name); err != nil || string(got) != "mine" || len(asked) != 4 {
		t.Errorf("%q, error %v, %d requests", got, err, len(asked))
	}
	if lines := dataLines(t, stdout); status != exitFailure || len(lines) != 6 || lines[1].State != "wrong" || strings.Contains(stderr, "%") {
		t.Errorf("status %d, %+v, stderr %q", status, lines, stderr)
	}
}

func TestDataUsage(t *testing.T) {
	for _, tc := range []struct{ args, want string }{
		{"data x", `unexpected argument "x"`},
		{"data --set cifar", `--set is "cifar"; want mnist or norb`},
		{"data --download", `--download wants --dir, the folder to fetch into`},
		{"data --download --dir x", `--download wants --set: mnist (11.6 MB) or norb (262.8 MB)`},
		{"data --dir x --url http://x/", `--url is where to fetch from, and without --download nothing is fetched`},
		{"data --dir x --set norb --download --url ftp://x/", `--url is "ftp://x/"; want an address that begins with http:// or https://`},
	} {
		status, stdout, stderr := inProcess(strings.Fields(tc.args)...)
		if want := "blskernel data: " + tc.want + "\nRun 'blskernel data -h' for help.\n"; status != exitUsage || stdout != "" || stderr != want {
			t.Errorf("%s: status %d, stdout %q, stderr %q", tc.args, status, stdout, stderr)
		}
	}
	status, stdout, _ := inProcess("data", "-h")
	for _, want := range []string{"Examples:", "--dir", "--set", "--download", "--url", "--json"} {
		if status != 0 || !strings.Contains(stdout, want) {
			t.Errorf("status %d, %q is not in\n%s", status, want, stdout)
		}
	}
}
