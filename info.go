package blskernel

import "blskernel/internal/linalg/kernel"

// Info describes a Backend. A field that does not apply is empty.
type Info struct {
	Name    string // "pure", "pure/KERNEL" or "openblas"
	Kernel  string // avx512, avx2, neon or generic for pure; the CPU type that OpenBLAS chose its kernels for
	Library string // the file that OpenBLAS was opened from
	Version string // what OpenBLAS says of itself: version, options, CPU type, largest number of threads
	Reason  string // why it is the backend of this process; empty for any other
}

// Describe returns what b is and why it was chosen. A nil b stands for Default(). It looks through a
// Backend that wraps another and has a method Unwrap() Backend.
func Describe(b Backend) Info {
	if b == nil {
		b = Default()
	}
	for {
		w, ok := b.(interface{ Unwrap() Backend })
		if !ok {
			break
		}
		b = w.Unwrap()
	}
	info := Info{Name: b.Name()}
	if own, ok := b.(interface {
		About() (kernel, library, version string)
	}); ok {
		info.Kernel, info.Library, info.Version = own.About()
	}
	if s := selected(); s.backend == b {
		info.Reason = s.why
	}
	return info
}

// Peak measures the fused multiply-adds that the given number of threads execute together, in flop/s
// (an FMA is two flops). It is the limit of every kernel: the best kernel of this CPU runs FMAs on
// registers alone, for some milliseconds. Peak panics if threads < 1.
func Peak(threads int) float64 {
	if threads < 1 {
		panic("blskernel: Peak needs at least one thread")
	}
	best, err := kernel.Lookup(kernel.Names()[0])
	if err != nil {
		panic(err)
	}
	return kernel.MeasurePeak(best, threads, nil)
}
