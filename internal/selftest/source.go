package selftest

import (
	"encoding/binary"
	"math"
	"runtime"

	"blskernel/internal/linalg/detmath"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sys/cpu"
)

// A Source draws numbers with integer operations alone, by SplitMix64. Its initial value is the seed.
type Source uint64

// Uint64 returns the next 64 bits.
func (s *Source) Uint64() uint64 {
	v := uint64(*s)
	*s += detmath.SplitMixStep
	return detmath.SplitMix64(v)
}

// Float64 returns the next number: a multiple of 2⁻⁵², uniform on [-1, 1).
func (s *Source) Float64() float64 { return float64(int64(s.Uint64()>>11)-1<<52) * 0x1p-52 }

// Vector returns the next n numbers.
func (s *Source) Vector(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = s.Float64()
	}
	return x
}

// Sum returns the 64-bit xxHash of the bits of all numbers, one after another, little-endian. All NaNs
// count as the same number.
func Sum(all ...[]float64) uint64 {
	digest := xxhash.New()
	var bytes [512]byte
	for _, x := range all {
		for len(x) > 0 {
			n := min(len(x), len(bytes)/8)
			for i, v := range x[:n] {
				bits := math.Float64bits(v)
				if math.IsNaN(v) {
					bits = 0x7ff8000000000000
				}
				binary.LittleEndian.PutUint64(bytes[8*i:], bits)
			}
			digest.Write(bytes[:8*n])
			x = x[n:]
		}
	}
	return digest.Sum64()
}

// Outside returns the reason why results on this machine may differ from results on other machines, or
// "" if they cannot differ.
func Outside() string {
	switch runtime.GOARCH {
	case "amd64":
		if !cpu.X86.HasFMA {
			return "this CPU has no fused multiply-add"
		}
	case "arm64", "loong64", "ppc64", "ppc64le", "riscv64", "s390x":
	default:
		return runtime.GOARCH + " is a 32-bit architecture or has no fused multiply-add"
	}
	return ""
}
