package blskernel

import "blskernel/internal/linalg/kernel"

// Info describes a Backend. A field that does not apply is empty.
type Info struct {
	Name    string // "pure", "pure/KERNEL" or "openblas"
	Kernel  string // of pure: avx512, avx2, neon or generic; of openblas: the CPU type that it chose its kernels for
	Library string // the file that OpenBLAS was opened from
	Version string // OpenBLAS's own description: version, options, CPU type, thread limit
	Reason  string // why this is the default backend of the process; empty for any other backend
}

// Describe returns the Info of b. A nil b stands for Default(). A Backend that wraps another and has a
// method Unwrap() Backend is unwrapped first.
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

// Peak measures the total rate at which the given number of threads execute fused multiply-adds, in
// flop/s (an FMA is two flops). For a few milliseconds it runs the FMAs of this CPU's best kernel on
// registers alone, so no kernel can be faster. Peak panics if threads < 1.
func Peak(threads int) float64 {
	if threads < 1 {
		panic("blskernel: Peak needs at least one thread")
	}
	return kernel.MeasurePeak(kernel.Best(), threads, nil)
}
