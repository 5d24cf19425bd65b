package blas12

import "gonum.org/v1/gonum/blas"

// square adds the contribution of the diagonal square of rows i to end to y.
func (s *symmetricProduct) square(i, end int, y []float64) {
	switch {
	case end-i < blockRows:
		s.anySquare(i, end, y)
	case s.ul == blas.Upper:
		s.upperSquare(i, (*[blockRows]float64)(s.x[i:]), (*[blockRows]float64)(y[i:]))
	default:
		s.lowerSquare(i, (*[blockRows]float64)(s.x[i:]), (*[blockRows]float64)(y[i:]))
	}
}

// anySquare is square for any number of rows.
func (s *symmetricProduct) anySquare(i, end int, y []float64) {
	at, step := s.at(i, i), s.step+s.growth*i
	for p := i; p < end; p++ {
		left, right := i, p
		if s.ul == blas.Upper {
			left, right = p+1, end
		}
		sum := dotAxpyShort(s.alpha*s.x[p], s.a[at+left-p:at+right-p], s.x[left:], y[left:])
		y[p] += float64(s.alpha * (float64(s.a[at]*s.x[p]) + sum))
		at, step = at+step, step+s.growth
	}
}

// upperSquare is anySquare for eight rows of an upper triangle from row i on, bit for bit; x and y are
// the elements of these rows. Without loops, and with y in registers, Dsymv is 1.1 times as fast at n =
// 500 and 1.4 times at n = 100.
func (s *symmetricProduct) upperSquare(i int, x, y *[blockRows]float64) {
	alpha, at := s.alpha, s.at(i, i)
	lda, step := s.distances(i)
	y0, y1, y2, y3, y4, y5, y6, y7 := y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7]
	var t, sum float64
	row := s.a[at : at+8]
	t, sum, at = alpha*x[0], 0, at+lda+1
	sum, y1 = sum+float64(row[1]*x[1]), y1+float64(t*row[1])
	sum, y2 = sum+float64(row[2]*x[2]), y2+float64(t*row[2])
	sum, y3 = sum+float64(row[3]*x[3]), y3+float64(t*row[3])
	sum, y4 = sum+float64(row[4]*x[4]), y4+float64(t*row[4])
	sum, y5 = sum+float64(row[5]*x[5]), y5+float64(t*row[5])
	sum, y6 = sum+float64(row[6]*x[6]), y6+float64(t*row[6])
	sum, y7 = sum+float64(row[7]*x[7]), y7+float64(t*row[7])
	y0 += float64(alpha * (float64(row[0]*x[0]) + sum))
	row, lda = s.a[at:at+7], lda+step
	t, sum, at = alpha*x[1], 0, at+lda+1
	sum, y2 = sum+float64(row[1]*x[2]), y2+float64(t*row[1])
	sum, y3 = sum+float64(row[2]*x[3]), y3+float64(t*row[2])
	sum, y4 = sum+float64(row[3]*x[4]), y4+float64(t*row[3])
	sum, y5 = sum+float64(row[4]*x[5]), y5+float64(t*row[4])
	sum, y6 = sum+float64(row[5]*x[6]), y6+float64(t*row[5])
	sum, y7 = sum+float64(row[6]*x[7]), y7+float64(t*row[6])
	y1 += float64(alpha * (float64(row[0]*x[1]) + sum))
	row, lda = s.a[at:at+6], lda+step
	t, sum, at = alpha*x[2], 0, at+lda+1
	sum, y3 = sum+float64(row[1]*x[3]), y3+float64(t*row[1])
	sum, y4 = sum+float64(row[2]*x[4]), y4+float64(t*row[2])
	sum, y5 = sum+float64(row[3]*x[5]), y5+float64(t*row[3])
	sum, y6 = sum+float64(row[4]*x[6]), y6+float64(t*row[4])
	sum, y7 = sum+float64(row[5]*x[7]), y7+float64(t*row[5])
	y2 += float64(alpha * (float64(row[0]*x[2]) + sum))
	row, lda = s.a[at:at+5], lda+step
	t, sum, at = alpha*x[3], 0, at+lda+1
	sum, y4 = sum+float64(row[1]*x[4]), y4+float64(t*row[1])
	sum, y5 = sum+float64(row[2]*x[5]), y5+float64(t*row[2])
	sum, y6 = sum+float64(row[3]*x[6]), y6+float64(t*row[3])
	sum, y7 = sum+float64(row[4]*x[7]), y7+float64(t*row[4])
	y3 += float64(alpha * (float64(row[0]*x[3]) + sum))
	row, lda = s.a[at:at+4], lda+step
	t, sum, at = alpha*x[4], 0, at+lda+1
	sum, y5 = sum+float64(row[1]*x[5]), y5+float64(t*row[1])
	sum, y6 = sum+float64(row[2]*x[6]), y6+float64(t*row[2])
	sum, y7 = sum+float64(row[3]*x[7]), y7+float64(t*row[3])
	y4 += float64(alpha * (float64(row[0]*x[4]) + sum))
	row, lda = s.a[at:at+3], lda+step
	t, sum, at = alpha*x[5], 0, at+lda+1
	sum, y6 = sum+float64(row[1]*x[6]), y6+float64(t*row[1])
	sum, y7 = sum+float64(row[2]*x[7]), y7+float64(t*row[2])
	y5 += float64(alpha * (float64(row[0]*x[5]) + sum))
	row, lda = s.a[at:at+2], lda+step
	t, sum, at = alpha*x[6], 0, at+lda+1
	sum, y7 = sum+float64(row[1]*x[7]), y7+float64(t*row[1])
	y6 += float64(alpha * (float64(row[0]*x[6]) + sum))
	row = s.a[at : at+1]
	sum = 0
	y7 += float64(alpha * (float64(row[0]*x[7]) + sum))
	y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7] = y0, y1, y2, y3, y4, y5, y6, y7
}

// lowerSquare is upperSquare for a lower triangle.
func (s *symmetricProduct) lowerSquare(i int, x, y *[blockRows]float64) {
	alpha, at := s.alpha, s.at(i, i)
	lda, step := s.distances(i)
	y0, y1, y2, y3, y4, y5, y6, y7 := y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7]
	var t, sum float64
	row := s.a[at : at+1]
	at += lda
	y0 += float64(alpha * (float64(row[0]*x[0]) + sum))
	row, lda = s.a[at:at+2], lda+step
	t, sum, at = alpha*x[1], 0, at+lda
	sum, y0 = sum+float64(row[0]*x[0]), y0+float64(t*row[0])
	y1 += float64(alpha * (float64(row[1]*x[1]) + sum))
	row, lda = s.a[at:at+3], lda+step
	t, sum, at = alpha*x[2], 0, at+lda
	sum, y0 = sum+float64(row[0]*x[0]), y0+float64(t*row[0])
	sum, y1 = sum+float64(row[1]*x[1]), y1+float64(t*row[1])
	y2 += float64(alpha * (float64(row[2]*x[2]) + sum))
	row, lda = s.a[at:at+4], lda+step
	t, sum, at = alpha*x[3], 0, at+lda
	sum, y0 = sum+float64(row[0]*x[0]), y0+float64(t*row[0])
	sum, y1 = sum+float64(row[1]*x[1]), y1+float64(t*row[1])
	sum, y2 = sum+float64(row[2]*x[2]), y2+float64(t*row[2])
	y3 += float64(alpha * (float64(row[3]*x[3]) + sum))
	row, lda = s.a[at:at+5], lda+step
	t, sum, at = alpha*x[4], 0, at+lda
	sum, y0 = sum+float64(row[0]*x[0]), y0+float64(t*row[0])
	sum, y1 = sum+float64(row[1]*x[1]), y1+float64(t*row[1])
	sum, y2 = sum+float64(row[2]*x[2]), y2+float64(t*row[2])
	sum, y3 = sum+float64(row[3]*x[3]), y3+float64(t*row[3])
	y4 += float64(alpha * (float64(row[4]*x[4]) + sum))
	row, lda = s.a[at:at+6], lda+step
	t, sum, at = alpha*x[5], 0, at+lda
	sum, y0 = sum+float64(row[0]*x[0]), y0+float64(t*row[0])
	sum, y1 = sum+float64(row[1]*x[1]), y1+float64(t*row[1])
	sum, y2 = sum+float64(row[2]*x[2]), y2+float64(t*row[2])
	sum, y3 = sum+float64(row[3]*x[3]), y3+float64(t*row[3])
	sum, y4 = sum+float64(row[4]*x[4]), y4+float64(t*row[4])
	y5 += float64(alpha * (float64(row[5]*x[5]) + sum))
	row, lda = s.a[at:at+7], lda+step
	t, sum, at = alpha*x[6], 0, at+lda
	sum, y0 = sum+float64(row[0]*x[0]), y0+float64(t*row[0])
	sum, y1 = sum+float64(row[1]*x[1]), y1+float64(t*row[1])
	sum, y2 = sum+float64(row[2]*x[2]), y2+float64(t*row[2])
	sum, y3 = sum+float64(row[3]*x[3]), y3+float64(t*row[3])
	sum, y4 = sum+float64(row[4]*x[4]), y4+float64(t*row[4])
	sum, y5 = sum+float64(row[5]*x[5]), y5+float64(t*row[5])
	y6 += float64(alpha * (float64(row[6]*x[6]) + sum))
	row = s.a[at : at+8]
	t, sum = alpha*x[7], 0
	sum, y0 = sum+float64(row[0]*x[0]), y0+float64(t*row[0])
	sum, y1 = sum+float64(row[1]*x[1]), y1+float64(t*row[1])
	sum, y2 = sum+float64(row[2]*x[2]), y2+float64(t*row[2])
	sum, y3 = sum+float64(row[3]*x[3]), y3+float64(t*row[3])
	sum, y4 = sum+float64(row[4]*x[4]), y4+float64(t*row[4])
	sum, y5 = sum+float64(row[5]*x[5]), y5+float64(t*row[5])
	sum, y6 = sum+float64(row[6]*x[6]), y6+float64(t*row[6])
	y7 += float64(alpha * (float64(row[7]*x[7]) + sum))
	y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7] = y0, y1, y2, y3, y4, y5, y6, y7
}
