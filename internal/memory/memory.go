// Package memory refuses work for which there is no memory before it starts, with the bytes that it needs.
//
// What is asked for is compared with what can be had. The first is to be a lower bound, what must be there at the same
// time whatever else is, and the second is an upper bound: what the system could give if everything gave way that can.
// So nothing is refused that would fit, and what is not refused may still fail.
//
// What can be had is bounded by the address space; by the limit of the Go runtime, where GOMEMLIMIT or
// debug.SetMemoryLimit has set one, less what is in use; and on Linux by what is available in the machine and in each
// control group that the process is in, swap included. Elsewhere a process cannot find that out by reading files, and no
// bound is known but the first two.
package memory

import (
	"fmt"
	"math"
	"math/bits"
	"runtime/debug"
	"sync/atomic"
)

// An Error says that work needs more memory than can be had. Nothing of it was begun, and nothing for it allocated.
type Error struct {
	Op    string // the package that found it
	What  string // what the memory is for, with its sizes
	Need  int64  // bytes at the least, math.MaxInt64 where they are as many or more
	Have  int64  // bytes that can be had at the most
	Limit string // what bounds them
	Do    string // what to do about it
}

// Error says what is needed, what can be had, and what to do.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s needs %s of memory at the least, and %s can be had at the most (%s): %s", e.Op, e.What, bytesText(e.Need), bytesText(e.Have), e.Limit, e.Do)
}

// small is what is not worth a look at the system: such amounts are had or not whatever was found a moment before.
const small = 64 << 20

// limit is what Limit has set, 0 for nothing.
var limit atomic.Int64

// Limit makes Check compare with so many bytes, at least 1, and with nothing else, until undo is called. It is for tests.
func Limit(bytes int64) (undo func()) {
	before := limit.Swap(bytes)
	return func() { limit.Store(before) }
}

// Check returns nil if so many bytes more may be had, and else an *Error with Need, Have and Limit, to which the caller
// adds the rest. Where too little seems to be there garbage is collected first.
func Check(bytes int64) *Error {
	if most := limit.Load(); most > 0 {
		return refuse(bytes, bound{most, "as it was set"})
	}
	if bytes < small {
		return nil
	}
	if refuse(bytes, least(bounds())) == nil {
		return nil
	}
	debug.FreeOSMemory()
	return refuse(bytes, least(bounds()))
}

// A bound is what can be had by one rule.
type bound struct {
	bytes int64
	rule  string
}

// least returns the lowest of the bounds.
func least(all []bound) bound {
	lowest := bound{addressable, "the address space of the process"}
	for _, b := range all {
		if b.bytes < lowest.bytes {
			lowest = b
		}
	}
	return lowest
}

// addressable bounds what a process can address: 4 GiB with 32 bits, and 256 TiB with 64, of which processors use 48 to
// 57. Sizes below it do not overflow an int when they are counted in numbers of eight bytes.
const addressable = 1 << (32 + 16*(bits.UintSize/64))

func refuse(need int64, have bound) *Error {
	if need <= have.bytes {
		return nil
	}
	return &Error{Need: need, Have: have.bytes, Limit: have.rule}
}

// Floats returns the bytes of as many float64 numbers as the product of the sizes is, and math.MaxInt64 where that is
// more. No size is negative.
func Floats(sizes ...int) int64 {
	product := int64(8)
	for _, n := range sizes {
		product = times(product, int64(n))
	}
	return product
}

// Triangle returns the bytes of n(n+1)/2 float64 numbers, and math.MaxInt64 where that is more.
func Triangle(n int) int64 {
	if all := times(int64(n), int64(n)+1); all < math.MaxInt64 {
		return times(all/2, 8)
	}
	return math.MaxInt64
}

// times returns the product of two numbers that are not negative, at most math.MaxInt64.
func times(a, b int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high != 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(low)
}

// Sum returns the sum of numbers that are not negative, at most math.MaxInt64.
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

// bytesText returns an amount of memory to three digits.
func bytesText(n int64) string {
	if n == math.MaxInt64 {
		return "more than 9 EB"
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
