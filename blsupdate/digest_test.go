package blsupdate

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/fnv"
	"math"
	"reflect"
)

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

// forgettable are fields that are computed anew where they are missing.
var forgettable = map[string]bool{"Counter": true, "factor": true, "factored": true}

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
