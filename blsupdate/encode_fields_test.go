package blsupdate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"blskernel/mat"
)

// What becomes of a field in Encode and Decode.
const (
	kept    = "kept"    // it is written
	derived = "derived" // it follows from what is written
	scratch = "scratch" // later results do not depend on it
)

// fields says what becomes of every field of a model. Who adds one has to say it here;
// TestFieldsAreEncoded looks whether it is so.
var fields = map[string]map[string]string{
	"blsupdate.updater": {"method": derived, "counter": scratch, "state": kept, "samples": derived, "report": kept, "began": scratch, "poisoned": scratch},
	"state.base":        {"counter": scratch, "method": derived, "action": scratch, "options": kept, "k": derived, "c": derived, "lambda": kept, "lost": kept},
	"api.options":       {"lambda": kept, "form": kept, "solve": kept, "c": kept, "workspace": kept, "backend": scratch},
	"blsupdate.report":  {"samples": derived, "added": kept, "form": kept, "start": kept, "rankc": kept, "steps": scratch, "elapsed": scratch, "abandoned": kept, "model": scratch, "counted": scratch},
	"state.norms":       {"a": kept, "y": kept, "peak": kept},
	"state.inverse":     {"base": kept, "gain": kept, "w": kept, "size": kept, "peak": kept, "worst": kept, "noted": kept, "most": kept, "mostw": kept},
	"pinv.rows":         {"cols": derived, "count": derived, "blocks": kept},
	"pinv.rowblock":     {"data": kept, "most": kept},
	"pinv.conditioning": {"a": kept, "plus": kept, "power": kept},
	"gram.state":        {"base": kept, "g": kept, "t": kept, "size": kept, "factor": derived, "w": kept, "factored": scratch},
	"qr.state":          {"base": kept, "count": derived, "r": kept, "z": kept, "size": kept, "w": kept},
	"ridge.state":       {"inverse": kept, "q": kept},
	"cholesky.state":    {"inverse": kept, "l": kept},
	"pinv.state":        {"base": kept, "p": kept, "w": kept, "keys": kept, "y": kept, "a": kept, "rank": kept, "norm": kept, "worst": kept, "drift": kept},
}

// A leaf is a number of a model that is kept.
type leaf struct {
	name string
	v    reflect.Value
}

// leavesOf returns all numbers of a model that are kept.
func leavesOf(u Updater) []leaf {
	var leaves []leaf
	d := driverOf(u)
	collect(&leaves, "", reflect.ValueOf(d).Elem())
	return leaves
}

func collect(leaves *[]leaf, name string, v reflect.Value) {
	if v.CanAddr() { // of a field that is not exported
		v = reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
	}
	switch v.Kind() {
	case reflect.Float64, reflect.Uint64, reflect.Int, reflect.Int64, reflect.Bool:
		*leaves = append(*leaves, leaf{name, v})
	case reflect.Slice:
		for i := range v.Len() {
			collect(leaves, fmt.Sprintf("%s[%d]", name, i), v.Index(i))
		}
	case reflect.Interface:
		collect(leaves, name, v.Elem())
	case reflect.Pointer:
		switch m := v.Interface().(type) {
		case *mat.Dense:
			if m != nil {
				collect(leaves, name, reflect.ValueOf(m.RawMatrix().Data))
			}
		case *mat.SymPacked:
			collect(leaves, name, reflect.ValueOf(m.RawSymPacked().Data))
		default:
			collect(leaves, name, v.Elem())
		}
	case reflect.Struct:
		roles, ok := fields[strings.ToLower(v.Type().String())]
		if !ok {
			panic(fmt.Sprintf("%s is a %v, of which it is not said what becomes of its fields", name, v.Type()))
		}
		if v.NumField() != len(roles) {
			panic(fmt.Sprintf("a %v has %d fields, and roles for %d", v.Type(), v.NumField(), len(roles)))
		}
		for i := range v.NumField() {
			field := strings.ToLower(v.Type().Field(i).Name)
			switch roles[field] {
			case kept:
				collect(leaves, strings.TrimPrefix(name+"."+field, "."), v.Field(i))
			case derived, scratch:
			default:
				panic(fmt.Sprintf("it is not said what becomes of the field %s of a %v", field, v.Type()))
			}
		}
	default:
		panic(fmt.Sprintf("%s is a %v", name, v.Kind()))
	}
}

// TestFieldsAreEncoded changes each number of a model that is said to be kept, and looks whether the
// encoding changes, which NaN may not be in. A field of which nothing is said makes leavesOf panic.
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
			// What contradicts the rest is noticed in another way.
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
	for _, name := range []string{"state.base.lambda", "state.w", "state.keys", "state.a.blocks", "state.rank", "report.start"} {
		if !met[name] {
			t.Errorf("no model has %s: %v", name, met)
		}
	}
}

// besideTriangle tells whether the leaf is one of the zeros of R or F, which are not written.
func (l leaf) besideTriangle() bool {
	return l.v.Float() == 0 && (strings.HasPrefix(l.name, "state.r[") || strings.HasPrefix(l.name, "state.l["))
}

// digest returns a hash of every bit of a model that its future depends on: all numbers that can be
// reached from its state, without the counter and without results that are kept only to be given once
// more.
func digest(u Updater) uint64 {
	h := fnv.New64a()
	d := driverOf(u)
	walk(h, reflect.ValueOf(d.state), map[uintptr]bool{})
	walk(h, reflect.ValueOf(d.samples), nil)
	return h.Sum64()
}

// forgettable are fields that are computed anew where they are missing, or set by every call.
var forgettable = map[string]bool{"Counter": true, "Action": true, "factor": true, "factored": true}

func walk(h hash.Hash, v reflect.Value, seen map[uintptr]bool) {
	word := func(x uint64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], x)
		h.Write(b[:])
	}
	switch v.Kind() {
	case reflect.Float64:
		word(math.Float64bits(v.Float()))
	case reflect.Int, reflect.Int64:
		word(uint64(v.Int()))
	case reflect.Uint64, reflect.Uintptr, reflect.Uint8, reflect.Uint32:
		word(v.Uint())
	case reflect.Bool:
		if v.Bool() {
			word(1)
		}
		word(2)
	case reflect.String:
		h.Write([]byte(v.String()))
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			word(3)
			return
		}
		if v.Kind() == reflect.Pointer {
			if seen[v.Pointer()] {
				return
			}
			seen[v.Pointer()] = true
		}
		walk(h, v.Elem(), seen)
	case reflect.Slice, reflect.Array:
		word(uint64(v.Len()))
		for i := range v.Len() {
			walk(h, v.Index(i), seen)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name == "Options" || forgettable[v.Type().Field(i).Name] {
				continue
			}
			walk(h, v.Field(i), seen)
		}
	case reflect.Map:
		word(uint64(v.Len()))
	default:
		panic(fmt.Sprintf("a state has a %v", v.Kind()))
	}
}
