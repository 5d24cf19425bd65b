// Command native is the library of the Python package: a C interface to the learners and the kernels
// (blskernel.h). The functions of the interface are in border.c, and call the exported functions of
// this file, which catch every panic before it can reach C.
package main

// #cgo CFLAGS: -fvisibility=hidden
// #include "blskernel.h"
import "C"

import (
	"encoding/json"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"blskernel"
)

// main is never called, but a C-shared library must have it.
func main() {}

// guarded calls f with the pure backend, regardless of the environment. It returns BLS_OK. If f fails
// or panics, guarded returns the code of the error and writes the message to text.
func guarded(text *C.char, capacity C.int64_t, f func(b blskernel.Backend) error) (code C.int32_t) {
	var err error
	defer func() {
		if r := recover(); r != nil {
			err = panicked(r)
		}
		if err != nil {
			write(text, capacity, err.Error())
			code = C.int32_t(codeOf(err))
		}
	}()
	write(text, capacity, "")
	b, err := blskernel.Lookup("pure")
	if err == nil {
		err = f(b)
	}
	return C.BLS_OK
}

// write writes s and a terminating NUL to text. It truncates s between characters to fit the capacity.
func write(text *C.char, capacity C.int64_t, s string) {
	if text == nil || capacity <= 0 {
		return
	}
	s = strings.ToValidUTF8(s[:min(int64(len(s)), int64(capacity)-1)], "")
	to := unsafe.Slice((*byte)(unsafe.Pointer(text)), len(s)+1)
	to[copy(to, s)] = 0
}

//export goOpen
func goOpen(kind, options *C.char, bytes unsafe.Pointer, n C.int64_t, out *C.bls_handle, text *C.char, capacity C.int64_t) C.int32_t {
	return guarded(text, capacity, func(b blskernel.Backend) (err error) {
		if out == nil || kind == nil && (n < 0 || bytes == nil && n != 0) {
			return valueError("object or bytes is NULL, or n is negative: give the address of a handle, and n bytes")
		}
		var o object
		if kind == nil {
			o, err = decode(b, unsafe.Slice((*byte)(bytes), int(n)))
		} else {
			o, err = open(b, C.GoString(kind), []byte(C.GoString(options)))
		}
		if err == nil {
			*out = C.bls_handle(add(&entry{object: o}))
		}
		return err
	})
}

//export goStart
func goStart(h C.bls_handle, method, options *C.char, arrays *C.bls_matrix, count C.int64_t, out *C.bls_handle, text *C.char, capacity C.int64_t) C.int32_t {
	return guarded(text, capacity, func(b blskernel.Backend) error {
		if out == nil || method == nil || count < 0 || arrays == nil && count != 0 {
			return valueError("job, method or arrays is NULL, or count is negative: give the address of a handle, a name, and as many arrays as count says")
		}
		e, err := lookup[*entry](int64(h))
		if err != nil {
			return err
		}
		given := slices.Clone(unsafe.Slice((*array)(unsafe.Pointer(arrays)), min(int(count), 4))) // no method takes 4
		j, err := e.start(&call{backend: b, name: C.GoString(method), text: []byte(C.GoString(options)), arrays: given})
		if err == nil {
			*out = C.bls_handle(add(j))
		}
		return err
	})
}

//export goWait
func goWait(h C.bls_handle, milliseconds C.int64_t, text *C.char, capacity C.int64_t) C.int32_t {
	return guarded(text, capacity, func(blskernel.Backend) error {
		j, err := lookup[*job](int64(h))
		if err != nil {
			return err
		}
		var late <-chan time.Time
		if milliseconds >= 0 && !j.ended() {
			timer := time.NewTimer(time.Duration(min(milliseconds, 1e9)) * time.Millisecond)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-j.done:
		case <-late:
			return errRunning
		}
		if j.err == nil {
			write(text, capacity, strconv.FormatInt(j.elapsed.Nanoseconds(), 10))
		}
		return j.err
	})
}

//export goResult
func goResult(h C.bls_handle, bytes unsafe.Pointer, n *C.int64_t) C.int32_t {
	return guarded(nil, 0, func(blskernel.Backend) error {
		if n == nil {
			return valueError("n is NULL: give the address of the size")
		}
		j, err := lookup[*job](int64(h))
		if err != nil {
			return err
		}
		if !j.ended() {
			return errRunning
		}
		if bytes != nil && int64(*n) >= int64(len(j.result)) {
			copy(unsafe.Slice((*byte)(bytes), len(j.result)), j.result)
		}
		*n = C.int64_t(len(j.result))
		return nil
	})
}

//export goEnd
func goEnd(h C.bls_handle, free bool) C.int32_t {
	return guarded(nil, 0, func(blskernel.Backend) error {
		if free {
			return remove(int64(h))
		}
		j, err := lookup[*job](int64(h))
		if err == nil {
			j.cancel()
		}
		return err
	})
}

//export goInfo
func goInfo(text *C.char, capacity C.int64_t) C.int32_t {
	return guarded(text, capacity, func(b blskernel.Backend) error {
		handles.Lock()
		defer handles.Unlock()
		about := blskernel.Describe(b)
		out, err := json.Marshal(map[string]any{"backend": about.Name, "kernel": about.Kernel,
			"threads": blskernel.Threads(), "handles": len(handles.all) - 1, "go": runtime.Version()})
		write(text, capacity, string(out))
		return err
	})
}
