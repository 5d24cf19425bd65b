package result

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
)

// The memory that the doc comment of Read promises.
const (
	perByte  = 512
	constant = 1 << 18
)

// FuzzRead reads any bytes. Read returns a *LineError with a readable message, or a file. Written and
// read again, the file is the same to the last bit.
func FuzzRead(f *testing.F) {
	whole, _ := lines(f)
	all := strings.SplitAfter(whole.String(), "\n")
	for _, line := range all {
		f.Add([]byte(line))
		f.Add([]byte(line[:len(line)/2] + "\n"))
	}
	f.Add(whole.Bytes())
	f.Add([]byte(strings.Join(all[1:3], "") + strings.Join(all[:3], "") + all[2]))
	for _, line := range []string{
		"", "\n", "{}", "null", "[]", "\"kind\"", `{"kind":"machine","date":"9999-12-31T23:59:59.999999999-23:59"}`, `{"kind":"row","cells":[{},{},{}]}`,
		`{"kind":"flops","l":1e400}`, `{"kind":"flops","l":` + strings.Repeat("9", 999) + `}`, `{"kind":"cost","l":-0,"total":{"flops_model":5e-324}}`,
		`{"kind":"cell","op":"` + "\xff\x00" + `"}`, strings.Repeat("[", 20000), `{"kind":"cell","kind":"cost"}`, `{"KIND":"cost","Method":"\u0000"}`, "\xef\xbb\xbf{}",
	} {
		f.Add([]byte(line + "\n"))
		f.Add([]byte(line + "\r\n" + line))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got *File
		var err error
		faults.Bounded(t, len(data), perByte, constant, func() { got, err = Read("file", bytes.NewReader(data)) })
		if err != nil {
			checkLine(t, err)
			return
		}
		once := written(t, got).Bytes()
		again, err := Read("file", bytes.NewReader(once))
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if twice := written(t, again).Bytes(); !bytes.Equal(twice, once) {
			t.Errorf("%q becomes %q", once, twice)
		}
		if len(got.Flops) != len(again.Flops) || len(got.Cells) != len(again.Cells) || len(got.Costs) != len(again.Costs) {
			t.Errorf("%q loses lines", once)
		}
	})
}

// checkLine checks that err is a *LineError with a readable message.
func checkLine(t *testing.T, err error) *LineError {
	t.Helper()
	var at *LineError
	if !errors.As(err, &at) || at.Line < 1 || len(err.Error()) > 4*120+100 {
		t.Errorf("error %.500v", err)
		return &LineError{}
	}
	return at
}

// TestLines reads what no command writes. Each fault names its line, briefly even if the line is long.
func TestLines(t *testing.T) {
	long := strings.Repeat("x", maxLine-100)
	for _, test := range []struct {
		name, line, says string
	}{
		{"nested lists", strings.Repeat("[", maxLine-1), "exceeded max depth"},
		{"nested objects", strings.Repeat(`{"kind":`, 1<<15), "file: line 2: "},
		{"a number of 1 MB", `{"kind":"flops","l":` + strings.Repeat("9", maxLine-100) + `}`, "cannot unmarshal"},
		{"a number beyond int", `{"kind":"flops","l":9223372036854775808}`, "cannot unmarshal"},
		{"a number beyond float64", `{"kind":"table","lambda":1e999}`, "cannot unmarshal"},
		{"a list", `["machine"]`, "cannot unmarshal"},
		{"NaN", `{"kind":"table","lambda":NaN}`, "invalid character"},
		{"a text for a number", `{"kind":"table","lambda":"` + long[:1<<10] + `"}`, "cannot unmarshal"},
		{"a date of 1 MB", `{"kind":"machine","date":"` + long + `"}`, "parsing time"},
		{"a step that is not the next", `{"kind":"table"}` + "\n" + `{"kind":"row","step":1}`, "step 1 of seed 0; want step 0"},
		{"a negative table", `{"kind":"row","table":-2147483648}`, "before the table"},
		{"a mark of UTF-8", "\xef\xbb\xbf{}", "invalid character"},
		{"zeros", strings.Repeat("\x00", 1<<10), "invalid character"},
		{"CR alone", "{}\r{}\r{}", "after top-level value"},
		{"a line of more than 1 MB", strings.Repeat(" ", maxLine+1), "longer than"},
	} {
		at := checkLine(t, readLines("{}\n"+test.line+"\n"))
		if at.Err == nil || !strings.Contains(at.Error(), test.says) || at.Line != 2+strings.Count(test.line, "\n") {
			t.Errorf("%s: %v, want %q", test.name, at, test.says)
		}
	}
	for name, text := range map[string]string{"CRLF": "{}\r\n{}\r\n", "keys that are there twice": `{"kind":"flops","kind":"cost"}` + "\n", "no UTF-8": "{\"kind\":\"\xff\"}\n", "a part of a line of 1 MB": strings.Repeat("[", maxLine)} {
		if err := readLines(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	broken := errors.New("disk on fire")
	if _, err := Read("file", iotest.ErrReader(broken)); !errors.Is(err, broken) || !strings.Contains(err.Error(), "reading line 1") {
		t.Errorf("a broken disk: %v", err)
	}
}

func readLines(text string) error {
	_, err := Read("file", strings.NewReader(text))
	return err
}

// TestMemory reads lines that take the most memory for their length. If Read searched all rows of a
// table, or all steps of a seed, the last two files would take quadratic time. That exceeds the
// patience of faults.Bounded.
func TestMemory(t *testing.T) {
	testutil.NotUnderRace(t, "it counts bytes")
	testutil.NotEmulated(t, "the whole files take as long as the patience")
	each := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	const many = 3 << 15
	methods := func(names string) string { return `{"kind":"table","methods":[` + names + `""]}` + "\n" }
	for name, text := range map[string]string{
		"tables":   strings.Repeat(`{"kind":"table"}`+"\n", 1<<12),
		"machines": strings.Repeat(`{"kind":"machine"}`+"\n", 1<<12),
		"costs":    strings.Repeat(`{"kind":"cost"}`+"\n", 1<<12),
		"others":   strings.Repeat("{}\n", 1<<14),
		"cells":    methods("") + `{"kind":"row","cells":[` + strings.Repeat(`{},`, 1<<15) + "{}]}\n",
		"methods":  methods(strings.Repeat(`"",`, 1<<15)) + `{"kind":"row"}` + "\n",
		"names":    methods(each(1<<14, `"%x",`)) + `{"kind":"row"}` + "\n",

		"rows of the first of many tables": each(many, `{"kind":"table","table":%d}`+"\n") + each(many, `{"kind":"row","step":%d}`+"\n"),
		"rows of many seeds":               methods("") + each(many, `{"kind":"row","seed":%d}`+"\n"),
	} {
		faults.Bounded(t, len(text), perByte, constant, func() {
			if err := readLines(text); err != nil {
				t.Errorf("%s: %.200v", name, err)
			}
		})
	}
}
