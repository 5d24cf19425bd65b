package main

import "testing"

// Two loops in one: the inner one has a branch out of it and a comment.
const listing = `
Disassembly of section .text:

00000000001a4990 <blskernel/internal/linalg/kernel/neon.Gemm.abi0>:
  1a4990:      	b	0x1a49a0 <blskernel/internal/linalg/kernel/neon.Gemm.abi0+0x10>
  1a4994:      	ldp	q24, q25, [x15]
  1a4998:      	fmla	v0.2d, v24.2d, v28.d[0]
  1a499c:      	b.pl	0x1a4994 <blskernel/internal/linalg/kernel/neon.Gemm.abi0+0x4>
  1a49a0:      	ldr	d8, [x1, x7, lsl #3]
  1a49a4:      	fmls	v0.2d, v24.2d, v25.2d
  1a49a8:      	fmadd	d17, d10, d8, d0
  1a49ac:      	stp	q0, q1, [x2, #0x20]     // comment
  1a49b0:      	cbz	x0, 0x1a49bc <blskernel/internal/linalg/kernel/neon.Gemm.abi0+0x2c>
  1a49b4:      	b.mi	0x1a49a0 <blskernel/internal/linalg/kernel/neon.Gemm.abi0+0x10>
  1a49b8:      	tbnz	w1, #0x0, 0x1a4994 <blskernel/internal/linalg/kernel/neon.Gemm.abi0+0x4>
  1a49bc:      	ret

0000000000608360 <fmt.Println>:
  608360:      	retq

00000000006085a0 <blskernel/internal/linalg/kernel.dotLanes>:
  6085a0:      	vmovupd	(%rdx,%r8), %zmm0
  6085a6:      	vfmadd231pd	(%rcx), %zmm0, %zmm1 # zmm1 = (zmm0 * mem) + zmm1
  6085ac:      	vfnmadd213sd	%xmm0, %xmm1, %xmm2
  6085b0:      	vmovupd	%zmm0, (%rsi,%r8) {%k1}
  6085b6:      	movsd	%xmm2, 0x20(%rsp)
  6085bc:      	jne	0x6085a0 <blskernel/internal/linalg/kernel.dotLanes>
  6085c2:      	retq
`

func TestLoops(t *testing.T) {
	functions := map[string]loop{}
	parse(functions, "x", listing)
	if len(functions) != 2 || len(functions["x/neon.Gemm"]) != 12 || len(functions["x/dotLanes"]) != 7 {
		t.Fatalf("%d functions: %v", len(functions), functions)
	}
	for _, c := range []struct {
		function, first                string
		length                         int
		adds, products, stores, stored int
	}{
		{"neon.Gemm", "1a49a0", 6, 2, 3, 1, 4},
		{"dotLanes", "6085a0", 6, 2, 9, 2, 9},
	} {
		l := functions["x/"+c.function].main(products)
		if len(l) != c.length || l[0].address != c.first {
			t.Errorf("%s: the loop is %v", c.function, l)
		}
		if n, m := l.count(products); n != c.adds || m != c.products {
			t.Errorf("%s: %d multiply-adds of %d numbers, want %d of %d", c.function, n, m, c.adds, c.products)
		}
		if n, m := l.count(stores); n != c.stores || m != c.stored {
			t.Errorf("%s: %d stores of %d numbers, want %d of %d", c.function, n, m, c.stores, c.stored)
		}
	}
	if l := functions["x/dotLanes"][6:].main(products); l != nil {
		t.Errorf("a loop in RET: %v", l)
	}
}
