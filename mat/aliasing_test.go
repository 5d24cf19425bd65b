package mat

import (
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/fuzz"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A cut takes choices from the data of a fuzzer, and zeros after the end of the data.
type cut struct{ fuzz.Choices }

// view returns a rows×cols view of the storage, if there is room, and the indices of its elements.
func (c *cut) view(storage []float64, rows, cols int) (m *Dense, at [][]int, ok bool) {
	stride := cols + c.Below(4)
	length := (rows-1)*stride + cols
	if length > len(storage) {
		return nil, nil, false
	}
	first := c.Below(len(storage) - length + 1)
	d := new(Dense)
	d.SetRawMatrix(blas64.General{Rows: rows, Cols: cols, Stride: stride, Data: storage[first : first+length]})
	for i := range rows {
		var row []int
		for j := range cols {
			row = append(row, first+i*stride+j)
		}
		at = append(at, row)
	}
	return d, at, true
}

// relate reports whether two views share an element, and whether they are the same.
func relate(a, b [][]int) (share, same bool) {
	held := map[int]bool{}
	for _, row := range a {
		for _, at := range row {
			held[at] = true
		}
	}
	for _, row := range b {
		for _, at := range row {
			share = share || held[at]
		}
	}
	return share, slices.EqualFunc(a, b, slices.Equal)
}

// FuzzAliasing places operands and result anywhere in one slice. The result may be an operand. If the
// result overlaps an operand in another way, the call panics and writes nothing. Otherwise the result
// is the product, and nothing else changes. The call may panic without need if strides differ.
func FuzzAliasing(f *testing.F) {
	for _, seed := range []string{
		"", "\x00\x02\x02\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00", // all three the same
		"\x01\x02\x02\x02\x02\x02\x00\x02\x03\x00\x02\x20\x00\x00", // columns side by side
		"\x02\x03\x01\x02\x01\x00\x01\x05\x01\x0a\x00\x00",
		"\x03\x01\x03\x03\x03\x07\x02\x07\x01\x20\x00\x00",
		"\x07\x03\x03\x03\x00\x00\x00\x08\x00\x20\x01\x00", // an empty result that keeps its storage
		"\x0b\x03\x03\x03\x00\x00\x00\x08\x00\x20\x01\x00",
	} {
		f.Add([]byte(seed))
	}
	rnd := rand.New(rand.NewPCG(20, 1))
	for range 400 {
		f.Add(fuzz.Random(rnd, 10))
	}
	b, err := blskernel.Lookup("pure")
	testutil.NoError(f, err)
	f.Fuzz(func(t *testing.T, data []byte) {
		c := &cut{data}
		storage := make([]float64, 48)
		for i := range storage {
			storage[i] = float64(i%7 - 3)
		}
		form := c.Below(12)
		aTrans, bTrans, empty := form&1 != 0, form&2 != 0, form >= 8
		m, n, k := 1+c.Below(5), 1+c.Below(5), 1+c.Below(5)
		rowsA, colsA, rowsB, colsB := m, k, k, n
		if aTrans {
			rowsA, colsA = k, m
		}
		if bTrans {
			rowsB, colsB = n, k
		}
		x, atX, ok := c.view(storage, rowsA, colsA)
		y, atY, okY := c.view(storage, rowsB, colsB)
		dst, at, okDst := c.view(storage, m, n)
		if !ok || !okY || !okDst {
			return
		}
		if empty { // kept storage has no gaps
			first := at[0][0]
			dst.SetRawMatrix(blas64.General{Rows: m, Cols: n, Stride: n, Data: storage[first : first+m*n]})
			for i := range at {
				for j := range at[i] {
					at[i][j] = first + i*n + j
				}
			}
			dst.Reset()
		}
		var opX, opY mat.Matrix = mat.DenseCopyOf(x), mat.DenseCopyOf(y)
		if aTrans {
			opX = opX.T()
		}
		if bTrans {
			opY = opY.T()
		}
		want := product(opX, opY)
		before := slices.Clone(storage)
		shareX, sameX := relate(at, atX)
		shareY, sameY := relate(at, atY)
		bad := shareX && (!sameX || empty) || shareY && (!sameY || empty)
		switch got := testutil.PanicValue(func() { MulTrans(b, dst, x, aTrans, y, bTrans) }); {
		case got == nil && bad:
			t.Fatal("no panic")
		case got == regionOverlap && (bad || empty || dst.RawMatrix().Stride != x.RawMatrix().Stride || dst.RawMatrix().Stride != y.RawMatrix().Stride):
		case got != nil:
			t.Fatalf("panics with %v", got)
		default:
			for i := range m {
				for j := range n {
					if storage[at[i][j]] != want.At(i, j) {
						t.Fatalf("element (%d,%d) is %v, want %v", i, j, storage[at[i][j]], want.At(i, j))
					}
					before[at[i][j]] = storage[at[i][j]]
				}
			}
		}
		if !slices.Equal(storage, before) {
			t.Fatal("an element outside the result was written")
		}
	})
}
