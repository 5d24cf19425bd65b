// Package names formats names, lists, counts and numbers for messages, finds names in a list, and reads
// the version of the program.
package names

import (
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
)

// String returns names[v], or the type and the number, as in "Format(7)", if there is no such name.
func String[T ~int](names []string, v T) string {
	if v < 0 || int(v) >= len(names) || names[v] == "" {
		_, kind, _ := strings.Cut(fmt.Sprintf("%T", v), ".")
		return fmt.Sprintf("%s(%d)", kind, int(v))
	}
	return names[v]
}

// Parse returns the constant with the given name, ignoring case. The error starts with the package name
// in, and lists the names. An empty element of names stands for a constant without a name.
func Parse[T ~int](in string, names []string, name string) (T, error) {
	for i, known := range names {
		if known != "" && strings.EqualFold(name, known) {
			return T(i), nil
		}
	}
	_, kind, _ := strings.Cut(fmt.Sprintf("%T", T(0)), ".")
	return 0, fmt.Errorf("%s: unknown %s %q; must be one of %s", in, strings.ToLower(kind), name, strings.TrimPrefix(strings.Join(names, ", "), ", "))
}

// Alternatives returns the names of the constants, joined with "or", as in "gram or qr".
func Alternatives[T fmt.Stringer](constants []T) string {
	var names []string
	for _, v := range constants {
		names = append(names, v.String())
	}
	return strings.Join(names, " or ")
}

// Shorten returns text in quotes. It cuts text of more than ShownText bytes, and then adds "...".
func Shorten(text string) string {
	if len(text) <= ShownText {
		return strconv.Quote(text)
	}
	return strconv.Quote(strings.ToValidUTF8(text[:ShownText], "")) + "..."
}

// ShownText is the largest number of bytes of text that Shorten shows.
const ShownText = 40

// List returns the first ten names in quotes and the number of the others, as in "a", ..., "j" and 3
// more. It quotes only the two ends of a long name, since long names may differ at either end.
func List(names []string) string {
	const most, end = 10, 40
	quoted := make([]string, min(most, len(names)))
	for i := range quoted {
		quoted[i] = strconv.Quote(names[i])
		if r := []rune(names[i]); len(r) > 2*end {
			quoted[i] = fmt.Sprintf("%q...%q", string(r[:end]), string(r[len(r)-end:]))
		}
	}
	text := strings.Join(quoted, ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Index returns the position of each name, or -1 for a name that occurs more than once.
func Index(names []string) map[string]int {
	at := make(map[string]int, len(names))
	for i, name := range names {
		if _, repeated := at[name]; repeated {
			i = -1
		}
		at[name] = i
	}
	return at
}

// Count formats n and the noun thing, as in "3 rows". The default plural is thing with an s.
func Count[N int | int64](n N, thing string, plural ...string) string {
	switch {
	case n == 1:
	case len(plural) > 0:
		thing = plural[0]
	default:
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// Version returns the release of this program, or the version that the go command derives from the
// revision, with +dirty for changed files. Otherwise it returns "(devel)" or "unknown".
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
