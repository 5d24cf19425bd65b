package backend_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/blas"
)

// A signature is a routine with the names of its parameters, in order, and its operands. The type and
// the name of a parameter determine its bad values and the text of the panic.
//
// An operand is NAME=KIND:DIMENSIONS, with ! before = if written, and !! if not read either. Kinds are
// v for a vector, m for a matrix, o for one with a transpose argument, t for a triangle, and b for a
// band. Dimensions are parameters, p and q for the rows and columns of op(A), or s for the order on a
// side. The roundings of an element are the sum of the dimensions in roundings, plus more.
type signature struct {
	routine, params, operands string
	roundings                 string
	more                      int
}

var signatures = []signature{
	{"Ddot", "n x incX y incY", "x=v:n y=v:n", "n", 0},
	{"Dnrm2", "n x incX", "x=v:n", "n", 10}, // three for a square, some for the root and the scale
	{"Dasum", "n x incX", "x=v:n", "n", 10},
	{"Idamax", "n x incX", "x=v:n", "", 0},
	{"Dswap", "n x incX y incY", "x!=v:n y!=v:n", "", 0},
	{"Dcopy", "n x incX y incY", "x=v:n y!!=v:n", "", 0},
	{"Daxpy", "n alpha x incX y incY", "x=v:n y!=v:n", "", 2},
	{"Drot", "n x incX y incY cos sin", "x!=v:n y!=v:n", "", 3},
	{"Drotm", "n x incX y incY p", "x!=v:n y!=v:n", "", 3},
	{"Dscal", "n alpha x incX", "x!=v:n", "", 1},
	{"Dgemv", "tA m n alpha a lda x incX beta y incY", "a=m:m,n x=v:q y!=v:p", "q", 4},
	{"Dgbmv", "tA m n kL kU alpha a lda x incX beta y incY", "a=b:m,n x=v:q y!=v:p", "q", 4},
	{"Dtrmv", "ul tA diag n a lda x incX", "a=t:n x!=v:n", "n", 4},
	{"Dtbmv", "ul tA diag n k a lda x incX", "a=t:n x!=v:n", "n", 4},
	{"Dtpmv", "ul tA diag n ap x incX", "ap=t:n x!=v:n", "n", 4},
	{"Dtrsv", "ul tA diag n a lda x incX", "a=t:n x!=v:n", "n", 4},
	{"Dtbsv", "ul tA diag n k a lda x incX", "a=t:n x!=v:n", "n", 4},
	{"Dtpsv", "ul tA diag n ap x incX", "ap=t:n x!=v:n", "n", 4},
	{"Dsymv", "ul n alpha a lda x incX beta y incY", "a=t:n x=v:n y!=v:n", "n", 4},
	{"Dsbmv", "ul n k alpha a lda x incX beta y incY", "a=t:n x=v:n y!=v:n", "n", 4},
	{"Dspmv", "ul n alpha ap x incX beta y incY", "ap=t:n x=v:n y!=v:n", "n", 4},
	{"Dger", "m n alpha x incX y incY a lda", "x=v:m y=v:n a!=m:m,n", "", 4},
	{"Dsyr", "ul n alpha x incX a lda", "x=v:n a!=t:n", "", 6},
	{"Dspr", "ul n alpha x incX ap", "x=v:n ap!=t:n", "", 6},
	{"Dsyr2", "ul n alpha x incX y incY a lda", "x=v:n y=v:n a!=t:n", "", 6},
	{"Dspr2", "ul n alpha x incX y incY ap", "x=v:n y=v:n ap!=t:n", "", 6},
	{"Dgemm", "tA tB m n k alpha a lda b ldb beta c ldc", "a=o:m,k b=o:k,n c!=m:m,n", "k", 4},
	{"Dsymm", "s ul m n alpha a lda b ldb beta c ldc", "a=t:s b=m:m,n c!=m:m,n", "s", 4},
	{"Dsyrk", "ul tA n k alpha a lda beta c ldc", "a=o:n,k c!=t:n", "k", 4},
	{"Dsyr2k", "ul tA n k alpha a lda b ldb beta c ldc", "a=o:n,k b=o:n,k c!=t:n", "k,k", 5},
	{"Dtrmm", "s ul tA diag m n alpha a lda b ldb", "a=t:s b!=m:m,n", "s", 4},
	{"Dtrsm", "s ul tA diag m n alpha a lda b ldb", "a=t:s b!=m:m,n", "s", 4},
	{"Dgemmt", "ul tA tB n k alpha a lda b ldb beta c ldc", "a=o:n,k b=o:k,n c!=t:n", "k", 4},
	{"Dgemmtp", "tA tB n k alpha a lda b ldb beta ap", "a=o:n,k b=o:k,n ap!=t:n", "k", 4},
	{"Dsprk", "tA n k alpha a lda beta ap", "a=o:n,k ap!=t:n", "k", 4},
	{"Dspmm", "s m n alpha ap b ldb beta c ldc", "ap=t:s b=m:m,n c!=m:m,n", "s", 4},
	{"DgemmTanh", "tA tB m n k alpha a lda b ldb bias c ldc", "a=o:m,k b=o:k,n bias=v:n c!!=m:m,n", "k", 5},
}

// TestSignatures checks that the table has every routine, with all its parameters, and that gonum's
// tests cover every routine of the interface. Drotg and Drotmg take nothing but scalars.
func TestSignatures(t *testing.T) {
	parameters, tested := map[string]int{"Drotg": 2, "Drotmg": 4}, []string{"Drotg"}
	for _, test := range conformances {
		tested = append(tested, testutil.RoutineOf(test))
	}
	for _, s := range signatures {
		parameters[s.routine] = len(strings.Fields(s.params))
	}
	for _, of := range []reflect.Type{
		reflect.TypeFor[blas.Float64](), reflect.TypeFor[blskernel.PackedProducts](), reflect.TypeFor[backend.FusedProducts](),
	} {
		for k := range of.NumMethod() {
			m := of.Method(k)
			if n, is := parameters[m.Name]; !is || n != m.Type.NumIn() {
				t.Errorf("%v.%s has %d parameters; in the table %d", of, m.Name, m.Type.NumIn(), n)
			}
			if of == reflect.TypeFor[blas.Float64]() && !slices.Contains(tested, m.Name) {
				t.Errorf("%s is in none of gonum's tests", m.Name)
			}
		}
	}
}

func (s signature) on(b blskernel.Backend) reflect.Value {
	for _, has := range []any{b, blskernel.Packed(b), backend.Fused(b)} {
		if m := reflect.ValueOf(has).MethodByName(s.routine); m.IsValid() {
			return m
		}
	}
	panic("no " + s.routine)
}

func (s signature) has(name string) bool { return slices.Contains(strings.Fields(s.params), name) }

// oneVector reports whether x is the only operand of the routine, which then does nothing if the
// increment is negative.
func (s signature) oneVector() bool { return !s.has("y") && !s.has("a") && !s.has("ap") }

// optional reports whether the routine is not in the Backend interface.
func (s signature) optional() bool {
	_, is := reflect.TypeFor[blas.Float64]().MethodByName(s.routine)
	return !is
}

// arguments are the values of parameters by name: flags, numbers, and the lengths of slices.
type arguments map[string]any
