// Package memory refuses work that needs more memory than is available, before the work starts.
//
// Check compares a lower bound on what the work allocates with an upper bound on what the system can
// give. It therefore refuses nothing that would fit, and admitted work may still fail.
//
// The upper bound is the smallest of these:
//
//   - the address space;
//   - the limit of the Go runtime (GOMEMLIMIT or debug.SetMemoryLimit), less the memory in use;
//   - on Linux the memory available in the machine and in each control group of the process, with swap.
//
// Zeros allocates arrays, in huge pages where these pay off. ReadTo reads data of a claimed size.
package memory

import (
	"fmt"
	"math"
	"math/bits"
	"runtime/debug"
	"sync/atomic"
)

// An Error reports that work, which has not started, needs more memory than the system can give.
type Error struct {
	Op    string // the package that asked
	What  string // what needs the memory, with its sizes
	Need  int64  // bytes, a lower bound; math.MaxInt64 means that or more
	Have  int64  // bytes that the system can give, an upper bound
	Limit string // what bounds Have
	Do    string // what to do about it
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s needs at least %s of memory, but at most %s is available (%s): %s",
		e.Op, e.What, bytesText(e.Need), bytesText(e.Have), e.Limit, e.Do)
}

// small is the number of bytes below which Check does not ask the system, which would cost too much.
const small = 64 << 20

// limit holds the bytes that Limit has set, 0 for none.
var limit atomic.Int64

// Limit makes Check compare only with bytes, at least 1, until undo is called. It is for tests.
func Limit(bytes int64) (undo func()) {
	before := limit.Swap(bytes)
	return func() { limit.Store(before) }
}

// Check returns nil if the system may be able to give that many bytes, and an *Error otherwise. op is
// the package that needs the bytes, format and args say what for, and do is the advice to the user. If
// memory seems short, Check first collects garbage.
func Check(bytes int64, op, do, format string, args ...any) error {
	have := bound{limit.Load(), "as it was set"}
	if have.bytes == 0 {
		if bytes < small {
			return nil
		}
		if have = least(bounds()); have.bytes < bytes {
			debug.FreeOSMemory()
			have = least(bounds())
		}
	}
	if bytes <= have.bytes {
		return nil
	}
	return &Error{Op: op, What: fmt.Sprintf(format, args...), Need: bytes, Have: have.bytes, Limit: have.rule, Do: do}
}

// addressable bounds the bytes that a process can use: 4 GiB with 32-bit addresses, and 256 TiB with
// 64-bit ones, of which Go's heap uses 48 bits. An int can count the float64s that fit.
const addressable = 1 << (32 + 16*(bits.UintSize/64))

// Floats returns the size in bytes of an array of float64 numbers with the given dimensions, none of
// which is negative. The result is at most math.MaxInt64.
func Floats(sizes ...int) int64 {
	product := int64(8)
	for _, n := range sizes {
		product = times(product, int64(n))
	}
	return product
}

// Triangle returns the size in bytes of n(n+1)/2 float64 numbers, at most math.MaxInt64.
func Triangle(n int) int64 {
	if all := times(int64(n), int64(n)+1); all < math.MaxInt64 {
		return times(all/2, 8)
	}
	return math.MaxInt64
}

// times returns the product of two nonnegative numbers, at most math.MaxInt64.
func times(a, b int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high != 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(low)
}

// Sum returns the sum of nonnegative numbers, at most math.MaxInt64.
func Sum(all ...int64) int64 {
	sum := int64(0)
	for _, n := range all {
		if n > math.MaxInt64-sum {
			return math.MaxInt64
		}
		sum += n
	}
	return sum
}

// bytesText returns n bytes as text with a unit, such as "1.23 GB", to three significant digits.
func bytesText(n int64) string {
	if n == math.MaxInt64 {
		return "9 EB"
	}
	v := float64(n)
	for _, unit := range []string{"B", "kB", "MB", "GB", "TB", "PB"} {
		if v < 999.5 {
			return fmt.Sprintf("%.3g %s", v, unit)
		}
		v /= 1000
	}
	return fmt.Sprintf("%.3g EB", v)
}
