package stream

import "io"

const arrayPiece = 1 << 18 // bytes read at once

// decode decodes the next n samples, those before the first bad one, and sets ahead or texts, and bad.
func (a *array) decode(n int) error {
	a.texts, a.decoded = a.texts[:0], a.decoded[:0]
	use := a.decodeNumbers
	if a.labels {
		use = a.decodeLabels
	}
	err := a.pieces(n, use)
	if isBad(err) {
		a.bad = err.(*Error)
		good := int(a.bad.Row - 1 - a.row)
		a.decoded = a.decoded[:min(len(a.decoded), good*a.width)]
		err = nil
	}
	if a.pixels {
		for i, v := range a.decoded {
			a.decoded[i] = v / pixelScale
		}
	}
	a.ahead = a.decoded
	return err
}

// decodeNumbers appends the elements of src to decoded.
func (a *array) decodeNumbers(src []byte) error {
	var err error
	if a.decoded, err = a.DType.Decode(a.decoded, src, a.nan); err != nil {
		at := len(a.decoded)
		return a.fault(at/a.width, at%a.width+1, "is "+err.Error())
	}
	return nil
}

// decodeLabels appends the elements of src to texts.
func (a *array) decodeLabels(src []byte) error {
	size := a.DType.Size
	for ; len(src) > 0; src = src[size:] {
		label, err := a.DType.Label(src[:size])
		if err != nil {
			return a.fault(len(a.texts), 0, err.Error())
		}
		a.texts = append(a.texts, label)
	}
	return nil
}

// pieces calls use with whole elements of the next n samples, up to the first bad one, which it passes.
func (a *array) pieces(n int, use func([]byte) error) error {
	size := int64(a.DType.Size)
	total := int64(n) * int64(a.width) * size
	if a.piece == nil {
		a.piece = make([]byte, min(a.Bytes, max(arrayPiece/size, 1)*size))
	}
	for done := int64(0); done < total; {
		if len(a.rest) == 0 {
			p := a.piece[:min(total-done, int64(len(a.piece)))]
			if m, err := io.ReadFull(a.stream, p); err != nil {
				return a.readFault((done+int64(m))/size, err)
			}
			a.rest = p
		}
		p := a.rest[:min(total-done, int64(len(a.rest)))]
		err := use(p)
		if isBad(err) {
			end := (err.(*Error).Row - a.row) * int64(a.width) * size
			if fault := a.pass(done, end-done); fault != nil {
				return fault
			}
		}
		if err != nil {
			return err
		}
		a.rest = a.rest[len(p):]
		done += int64(len(p))
	}
	return nil
}

// pass skips the given number of bytes, which begin done bytes after the start of sample row.
func (a *array) pass(done, bytes int64) error {
	held := min(bytes, int64(len(a.rest)))
	a.rest = a.rest[held:]
	done, bytes = done+held, bytes-held
	for bytes > 0 {
		if a.in.ctx.Err() != nil {
			return canceled(a.in.ctx)
		}
		m, err := io.CopyN(io.Discard, a.stream, min(bytes, 1<<24))
		done, bytes = done+m, bytes-m
		if err != nil {
			return a.readFault(done/int64(a.DType.Size), err)
		}
	}
	return nil
}
