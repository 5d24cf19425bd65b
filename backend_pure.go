package blskernel

import (
	"blskernel/internal/linalg/blas"
	"blskernel/internal/linalg/kernel"
)

func init() {
	register("pure", func() (Backend, error) {
		k, err := kernel.Selected()
		if err != nil {
			return nil, &UnavailableError{
				Backend: "pure", Why: err.Error(),
				Remedy: "unset " + kernel.EnvKernel + ", or set it to one of the usable kernels",
			}
		}
		return blas.New("pure", k), nil
	})
	for _, name := range kernel.Names() {
		register("pure/"+name, func() (Backend, error) {
			k, err := kernel.Lookup(name)
			return blas.New("pure/"+name, k), err
		})
	}
}
