package docs

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// patience is how long a server may take to answer.
const patience = 30 * time.Second

// TestExternalLinks asks for every link that leads out of the repository, once, if the environment variable BLSKERNEL_LINKS
// is 1: it needs the network.
func TestExternalLinks(t *testing.T) {
	if os.Getenv("BLSKERNEL_LINKS") != "1" {
		t.Skip("needs the network; BLSKERNEL_LINKS=1 does it")
	}
	from := map[string]string{}
	for _, p := range pages(t) {
		for _, l := range p.links {
			if address, _, _ := strings.Cut(l.text, "#"); strings.HasPrefix(address, "https://") {
				from[address] = p.at(l.line)
			}
		}
	}
	if len(from) == 0 {
		t.Fatal("no links were found")
	}
	for _, address := range slices.Sorted(maps.Keys(from)) {
		if err := ask(t.Context(), http.DefaultClient, address); err != nil {
			t.Errorf("%s: %v", from[address], err)
		} else {
			t.Log(address)
		}
	}
}

// ask returns why there is nothing at an address. A server that refuses programs, or too many of them, is there.
func ask(ctx context.Context, client *http.Client, address string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, _ = io.CopyN(io.Discard, response.Body, 1<<16) // so that the connection is of further use
	switch code := response.StatusCode; {
	case code < 300, code == http.StatusForbidden, code == http.StatusTooManyRequests:
		return nil
	}
	return fmt.Errorf("%s: %s", address, response.Status)
}

func TestAsk(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/there", http.StatusMovedPermanently)
		case "/gone":
			w.WriteHeader(http.StatusGone)
		case "/full":
			w.WriteHeader(http.StatusTooManyRequests)
		case "/there":
			fmt.Fprintln(w, "here")
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	for path, right := range map[string]bool{"/there": true, "/moved": true, "/full": true, "/gone": false, "/missing": false} {
		if err := ask(t.Context(), server.Client(), server.URL+path); (err == nil) != right {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := ask(t.Context(), server.Client(), "https://127.0.0.1:1/"); err == nil {
		t.Error("nobody answers, and that is no error")
	}
}
