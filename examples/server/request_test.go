package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"blskernel/internal/testutil"
)

const good = `{"rows": [[0.5, -0.25], {"v": 9.75, "u": 1e-3, "id": "x"}, [10, 10]]}`

var pieces = []string{
	`{`, `}`, `[`, `]`, `,`, `:`, `"`, `\`, ` `, "\x00", "\xff\xfe", "\ufeff", `null`, `NaN`, `Infinity`, `true`, `"rows"`, `"u"`, `"v"`, `"\ud800"`,
	`1`, `-0`, `01`, `.5`, `1e308`, `-1e308`, `1e999`, `1e-999`, `1.7976931348623157e308`, `[1,2]`, `{"u":1,"v":2}`, `{"rows":[[1,2]]}`, `/**/`,
}

// hostileBody damages a good request, or builds one from pieces.
func hostileBody(r *rand.Rand) string {
	some := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	}
	at := r.IntN(len(good))
	switch r.IntN(8) {
	case 0:
		return good[:at]
	case 1:
		return good[:at] + string(byte(r.IntN(256))) + good[at+1:]
	case 2:
		return good[:at] + some(1+r.IntN(3)) + good[at:]
	case 3:
		return good[:at] + good[min(len(good), at+1+r.IntN(9)):]
	case 4:
		return good + some(1+r.IntN(3))
	case 5:
		return some(r.IntN(30))
	case 6:
		deep := strings.Repeat([]string{"[", `{"u":`, `{"x":[`}[r.IntN(3)], 1+r.IntN(20000))
		return []string{"", `{"rows":`, `{"rows":[{"x":`}[r.IntN(3)] + deep
	default:
		row := strings.Repeat(some(1)+",", r.IntN(2000))
		return `{"rows": [[` + row + some(1) + `]]}`
	}
}

// TestWrong sends every kind of invalid request, and expects an error that says where it is wrong.
func TestWrong(t *testing.T) {
	at, _ := start(t, classifier(t, 1e-6))
	for body, want := range map[string]string{
		``:                             `unexpected EOF; a request is {"rows": [ROW, ...]}`,
		`null`:                         `found <nil> instead of {`,
		`[[1, 2]]`:                     `found [ instead of {`,
		`{}`:                           `found } instead of rows`,
		`{"rows": null}`:               `found <nil> instead of [`,
		`{"rows": []}`:                 `the request has no rows`,
		`{"row": [[1, 2]]}`:            `found row instead of rows`,
		`{"rows": [[1, 2]], "rows": 1`: `found rows instead of }`,
		`{"rows": [[1, 2]]`:            `unexpected EOF`,
		`{"rows": [[1, 2]]} {}`:        `data follows the JSON object`,
		`{"rows": [[1, 2]]} x`:         `after the JSON object: invalid`,
		`{"rows": [[1, 2]]}}`:          `after the JSON object: invalid`,
		`{"rows": [[]]}`:               `row 1 has 0 cells; the model has 2 columns`,
		`{"rows": [[1, 2], [3]]}`:      `row 2 has 1 cells`,
		`{"rows": [[1, 2], [3`:         `row 2: unexpected EOF`,
		`{"rows": [[1, 2, 3]]}`:        `row 1 has 3 cells; the model has 2 columns`,
		`{"rows": [[1, 2], 3]}`:        `row 2 is neither`,
		`{"rows": [[1, 2], null]}`:     `row 2 is neither`,
		`{"rows": [[1, 2],]}`:          `row 2: invalid character ']'`,
		`{"rows": [[1, null]]}`:        `row 1, column 2 ("v"): null is not a number`,
		`{"rows": [[NaN, 2]]}`:         `row 1: invalid character 'N'`,
		`{"rows": [[1, -Infinity]]}`:   `row 1: invalid character 'I'`,
		`{"rows": [["1", 2]]}`:         `row 1, column 1 ("u"): "1" is not a number`,
		`{"rows": [[true, 2]]}`:        `row 1, column 1 ("u"): true is not a number`,
		`{"rows": [[[1], 2]]}`:         `row 1, column 1 ("u"): [1] is not a number`,
		`{"rows": [[1, 2], [1e999,2]]`: `row 2, column 1 ("u"): 1e999 is beyond`,
		`{"rows": [[1, 2], [1e308,2]]`: `unexpected EOF`,
		`{"rows": [[0,0],[1e308,0]]}`:  `row 2: `,
		`{"rows": [{"u": 1}]}`:         `row 1, column 2 ("v"): missing from the row`,
		`{"rows": [{"u": 1, "V": 2}]}`: `row 1, column 2 ("v"): missing from the row`,
		`{"rows": [{"v": null}]}`:      `row 1, column 2 ("v"): null is not a number`,
		`{"rows": [{"v": 1, "v": 1}]}`: `row 1, column 1 ("u"): missing from the row`,
		`{"rows": [{"x": [1, "u": 1}]`: `row 1: invalid character ':'`,
		`{"rows": [{"x": `:             `row 1: unexpected EOF`,
		`{"rows": [[` + strings.Repeat("1,", maxRow) + `1]]}`: `row 1 has more than`,
		`{"rows": [{1: 2}]}`: `row 1: invalid character '1'`,
	} {
		status, text := post(t, at+"/predict", body)
		var got struct{ Error string }
		if err := json.Unmarshal([]byte(text), &got); err != nil || status != http.StatusBadRequest || !strings.Contains(got.Error, want) {
			t.Errorf("%s: status %d, %s; want %s", body, status, text, want)
		}
	}
	row := `{"u": 1, "v": 2, "x": "` + strings.Repeat("x", 1<<16) + `"},`
	for _, body := range []io.Reader{
		strings.NewReader(strings.Repeat(" ", maxBytes+1)),
		// Two bodies of unknown length.
		io.MultiReader(strings.NewReader(`{"rows": [`), strings.NewReader(strings.Repeat(row, maxBytes/len(row)+1))),
		io.MultiReader(strings.NewReader(good), strings.NewReader(strings.Repeat(" ", maxBytes))),
	} {
		if status, text := postFrom(t, at+"/predict", body); status != http.StatusRequestEntityTooLarge || !strings.Contains(text, "send several") {
			t.Errorf("status %d, %s", status, text)
		}
	}
}

// TestHostile sends 500 hostile bodies, or 2000 in the long form. None gets a status of 500 or above or
// makes the server panic. After every tenth body, a good request still gets the same answer.
func TestHostile(t *testing.T) {
	requests := 500
	if testutil.Long() {
		requests = 2000
	}
	at, _ := start(t, classifier(t, 1e-6))
	r := rand.New(rand.NewPCG(23, 12))
	status, want := post(t, at+"/predict", good)
	if status != http.StatusOK {
		t.Fatal(want)
	}
	seen := map[int]int{}
	for i := range requests {
		body := hostileBody(r)
		if i%250 == 0 {
			body = strings.Repeat(" ", maxBytes+1)
		}
		status, text := post(t, at+"/predict", body)
		if status != 200 && status != 400 && status != 413 {
			t.Errorf("request %d: status %d, %s for %.300q", i, status, text, body)
		}
		seen[status]++
		if i%10 == 9 {
			if status, got := post(t, at+"/predict", good); status != http.StatusOK || got != want {
				t.Fatalf("after request %d: status %d, %s; want %s", i, status, got, want)
			}
		}
	}
	if seen[200] == 0 || seen[400] < requests/2 || seen[413] < 2 { // some are right by chance
		t.Error("requests by status:", seen)
	}
}

// TestHalfClosed closes its side of the connection after each request, as nc -N does. All are answered.
func TestHalfClosed(t *testing.T) {
	at, _ := start(t, classifier(t, 1e-6))
	body := `{"rows": [` + strings.Repeat("[0.5,-0.25],", 20000) + "[10,10]]}"
	for range 10 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(at, "http://"))
		testutil.NoError(t, err)
		defer conn.Close()
		fmt.Fprintf(conn, "POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		testutil.NoError(t, conn.(*net.TCPConn).CloseWrite())
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		testutil.NoError(t, err)
		text, err := io.ReadAll(response.Body)
		if response.StatusCode != http.StatusOK || err != nil {
			t.Errorf("status %d, %v, %.200s", response.StatusCode, err, text)
		}
	}
}

// TestTooSlow lets predictions exceed their time, which is not a fault of the request. The time to send
// the rows does not count.
func TestTooSlow(t *testing.T) {
	s := loaded(t)
	s.predictTime = 0
	w := httptest.NewRecorder()
	s.handler().ServeHTTP(w, httptest.NewRequest("POST", "/predict", strings.NewReader(good)))
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "the predictions took longer than 0s") {
		t.Errorf("status %d, %s", w.Code, w.Body)
	}
	s.predictTime = time.Second
	body, sent := io.Pipe()
	time.AfterFunc(s.predictTime+time.Second/10, func() { fmt.Fprint(sent, good); sent.Close() })
	w = httptest.NewRecorder()
	if s.handler().ServeHTTP(w, httptest.NewRequest("POST", "/predict", body)); w.Code != http.StatusOK {
		t.Errorf("rows that take longer: status %d, %s", w.Code, w.Body)
	}
}
