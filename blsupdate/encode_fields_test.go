package blsupdate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
)

// What Encode and Decode do with a field.
const (
	kept    = "kept"    // it is written
	derived = "derived" // it follows from what is written
	scratch = "scratch" // later results do not depend on it
)

// fields says what Encode and Decode do with every field of a model. A new field must be added here;
// TestFieldsAreEncoded checks the entries.
var fields = map[string]map[string]string{
	"blsupdate.updater":          {"method": derived, "counter": scratch, "state": kept, "report": kept, "began": scratch, "inverse": scratch, "poisoned": scratch},
	"state.base":                 {"counter": scratch, "method": derived, "samples": derived, "options": kept, "k": derived, "c": derived, "lambda": kept, "sums": kept},
	"types.options":              {"lambda": kept, "form": kept, "solve": kept, "c": kept, "workspace": kept, "backend": scratch},
	"blsupdate.report":           {"samples": derived, "added": kept, "form": kept, "start": kept, "rankc": kept, "steps": scratch, "elapsed": scratch, "abandoned": kept, "model": scratch, "counted": scratch},
	"state.sums":                 {"rows": kept, "weight": kept, "mean": kept, "spread": kept, "rss": kept},
	"state.norms":                {"a": kept, "y": kept, "erra": kept, "erry": kept, "errr": kept, "rest": kept, "gain": kept, "drift": kept, "squared": derived, "triangle": derived, "ridge": derived},
	"state.inverse":              {"base": kept, "gain": kept, "w": kept, "size": kept, "rows": kept, "boundx": kept, "boundw": kept},
	"pseudoinverse.rows":         {"cols": derived, "count": derived, "blocks": kept},
	"pseudoinverse.rowblock":     {"data": kept, "capacity": kept},
	"pseudoinverse.conditioning": {"a": kept, "plus": kept, "power": kept},
	"gram.state":                 {"base": kept, "g": kept, "t": kept, "size": kept, "factor": derived, "w": kept, "refined": kept, "factored": scratch},
	"qr.state":                   {"base": kept, "r": kept, "z": kept, "size": kept, "w": kept},
	"ridge.state":                {"inverse": kept, "q": kept},
	"cholesky.state":             {"inverse": kept, "l": kept},
	"mat.sympacked":              {"n": derived, "data": kept},
	"mat.dense":                  {"mat": kept, "caprows": derived, "capcols": derived},
	"blas64.general":             {"rows": derived, "cols": derived, "data": kept, "stride": derived},
	"pseudoinverse.state":        {"base": kept, "p": kept, "w": kept, "keys": kept, "y": kept, "a": kept, "rank": kept, "norm": kept, "size": kept, "reach": kept, "largest": kept, "prior": kept, "doubt": kept, "worst": kept, "drift": kept},
	"pseudoinverse.prior":        {"share": kept, "delta": kept, "size": kept, "first": kept, "mixed": kept, "shift": kept},
}

// A leaf is a number of a model that is encoded.
type leaf struct {
	name string
	v    reflect.Value
}

func leavesOf(u Updater) (leaves []leaf) {
	visit("", reflect.ValueOf(driverOf(u)).Elem(), func(of reflect.Type, field string) bool {
		roles, ok := fields[strings.ToLower(of.String())]
		if !ok || len(roles) != of.NumField() {
			panic(fmt.Sprintf("of a %v with %d fields it is said what becomes of %d", of, of.NumField(), len(roles)))
		}
		switch role := roles[strings.ToLower(field)]; role {
		case kept, derived, scratch:
			return role == kept
		default:
			panic(fmt.Sprintf("it is not said what becomes of the field %s of a %v", field, of))
		}
	}, func(name string, i int, v reflect.Value) {
		if v.CanAddr() { // of a field that is not exported
			v = reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
		}
		leaves = append(leaves, leaf{fmt.Sprintf("%s[%d]", strings.TrimPrefix(name, "."), i), v})
	})
	return leaves
}

// visit calls leaf for each number that can be reached from v, through the struct fields that enter
// accepts, with its index if it is in a slice.
func visit(name string, v reflect.Value, enter func(of reflect.Type, field string) bool, leaf func(name string, i int, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Float64, reflect.Uint64, reflect.Int, reflect.Int64, reflect.Bool:
		leaf(name, 0, v)
	case reflect.Slice:
		for i := range v.Len() {
			if kind := v.Index(i).Kind(); kind == reflect.Float64 || kind == reflect.Uint64 {
				leaf(name, i, v.Index(i))
				continue
			}
			visit(fmt.Sprintf("%s[%d]", name, i), v.Index(i), enter, leaf)
		}
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			visit(name, v.Elem(), enter, leaf)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i).Name; enter(v.Type(), field) {
				visit(name+"."+strings.ToLower(field), v.Field(i), enter, leaf)
			}
		}
	default:
		panic(fmt.Sprintf("%s is a %v", name, v.Kind()))
	}
}

// TestFieldsAreEncoded changes each number of a model that should be encoded, and checks that the
// encoding changes, and that NaN is refused. A field that fields does not list makes leavesOf panic.
func TestFieldsAreEncoded(t *testing.T) {
	met := map[string]bool{}
	for _, u := range smallModels(t) {
		before := encoded(t, u)
		for _, l := range leavesOf(u) {
			old := reflect.New(l.v.Type()).Elem()
			old.Set(l.v)
			switch l.v.Kind() {
			case reflect.Float64:
				if l.besideTriangle() {
					continue
				}
				l.v.SetFloat(math.NaN())
				if err := Encode(io.Discard, u); !errors.Is(err, ErrOverflow) {
					t.Errorf("%v: %s is NaN: %v", u.Method(), l.name, err)
				}
				l.v.SetFloat(math.Nextafter(old.Float(), math.Inf(1)))
			case reflect.Uint64:
				l.v.SetUint(l.v.Uint() + 1)
			case reflect.Int, reflect.Int64:
				l.v.SetInt(l.v.Int() + 1)
			case reflect.Bool:
				l.v.SetBool(!l.v.Bool())
			}
			// A number that contradicts the others is noticed in another way.
			var out bytes.Buffer
			if err := Encode(&out, u); err != nil && !is[*StateError](err) {
				t.Fatalf("%v: %s: %v", u.Method(), l.name, err)
			} else if err == nil && bytes.Equal(out.Bytes(), before) {
				t.Errorf("%v: %s is not encoded", u.Method(), l.name)
			}
			l.v.Set(old)
			name, _, _ := strings.Cut(l.name, "[")
			met[name] = true
		}
		if !bytes.Equal(encoded(t, u), before) {
			t.Fatal("the model is not what it was")
		}
	}
	for _, name := range []string{"state.base.lambda", "state.w.mat.data", "state.keys", "state.a.blocks", "state.rank", "report.start"} {
		if !met[name] {
			t.Errorf("no model has %s: %v", name, met)
		}
	}
}

// besideTriangle tells whether the leaf is one of the zeros of R or F, which are not written.
func (l leaf) besideTriangle() bool {
	return l.v.Float() == 0 && (strings.HasPrefix(l.name, "state.r.mat") || strings.HasPrefix(l.name, "state.l.mat"))
}

// digest returns a hash of every bit of a model that its future depends on: all numbers that can be
// reached from its state, without the counter and without cached results.
func digest(u Updater) uint64 {
	d := driverOf(u)
	return hashOf(d.state, d.Samples())
}

// forgettable are fields that are recomputed if they are missing, or set by every call.
var forgettable = map[string]bool{"Counter": true, "factor": true, "factored": true, "Options": true}

// hashOf returns a hash of all numbers that can be reached from the values, and of where they are.
func hashOf(values ...any) uint64 {
	h := fnv.New64a()
	for _, v := range values {
		visit("", reflect.ValueOf(v), func(_ reflect.Type, field string) bool { return !forgettable[field] }, func(name string, i int, v reflect.Value) {
			word := uint64(0)
			switch v.Kind() {
			case reflect.Float64:
				word = math.Float64bits(v.Float())
			case reflect.Uint64:
				word = v.Uint()
			case reflect.Bool:
				if v.Bool() {
					word = 1
				}
			default:
				word = uint64(v.Int())
			}
			h.Write(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64([]byte(name), uint64(i)), word))
		})
	}
	return h.Sum64()
}
