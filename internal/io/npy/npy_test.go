package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"blskernel/internal/testutil"
)

var file = testutil.NPY

func TestReadHeader(t *testing.T) {
	for _, test := range []struct {
		dict    string
		fortran bool
		shape   []int64
		bytes   int64
	}{
		{"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }          \n", false, []int64{3, 4}, 96},
		{"{'descr': '<f8', 'fortran_order': True, 'shape': (3,), }\n", true, []int64{3}, 24},
		{"{'descr': '<f8', 'fortran_order': False, 'shape': (), }\n", false, nil, 8},
		{"{'shape':(0,1,7),'fortran_order':False,'descr':\"<f8\"}", false, []int64{0, 1, 7}, 0},
		{"{'descr': '<f8', 'fortran_order': False, 'shape': (3L, 4L)}\n", false, []int64{3, 4}, 96},
		{" { 'descr' :\n'<f8' , 'shape' : ( 2 , ) , 'fortran_order' : True , } ", true, []int64{2}, 16},
	} {
		for version := byte(1); version <= 3; version++ {
			data := file(version, test.dict)
			r := iotest.OneByteReader(bytes.NewReader(append(slices.Clone(data), "rest"...)))
			h, err := ReadHeader(r)
			if err != nil {
				t.Errorf("%q: %v", test.dict, err)
				continue
			}
			if h.Fortran != test.fortran || !slices.Equal(h.Shape, test.shape) || h.Bytes != test.bytes || h.Length != int64(len(data)) {
				t.Errorf("%q: %+v", test.dict, h)
			}
			if rest, _ := io.ReadAll(r); string(rest) != "rest" {
				t.Errorf("%q: read too far, %q left", test.dict, rest)
			}
		}
	}
}

func TestReadHeaderMalformed(t *testing.T) {
	dict := func(descr, order, shape string) string {
		return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n"
	}
	good, long := dict("'<f8'", "False", "(2, 3)"), strings.Repeat("é", MaxHeader/2-100)
	for _, test := range []struct {
		name string
		data []byte
		says string
	}{
		{"magic cut", []byte(Magic), "ends within"},
		{"version 4", file(4, good), "version 4.0"},
		{"version 0", file(0, good), "version 0.0"},
		{"length cut", file(2, good)[:10], "ends within"},
		{"dictionary cut", file(1, good)[:40], "ends within"},
		{"no dictionary", file(1, "     \n"), "not a dictionary"},
		{"empty dictionary", file(1, "{}"), "lacks the type"},
		{"no newline, no end", file(1, "{'descr': '<f8'"), "not a dictionary"},
		{"key twice", file(1, "{'shape': (1,), 'shape': (1,), }"), "not a dictionary"},
		{"unknown key", file(1, "{'evil': '<f8'}"), "not a dictionary"},
		{"after the end", file(1, strings.TrimSpace(good)+"x"), "not a dictionary"},
		{"escape", file(1, dict(`'\x3cf8'`, "False", "(1,)")), "not a dictionary"},
		{"order", file(1, dict("'<f8'", "Maybe", "(1,)")), "not a dictionary"},
		{"no order", file(1, "{'descr': '<f8', 'shape': (1,)}"), "neither True nor False"},
		{"shape is a list", file(1, dict("'<f8'", "False", "[1]")), "no tuple of sizes"},
		{"shape not closed", file(1, dict("'<f8'", "False", "(1")), "no tuple of sizes"},
		{"no number", file(1, dict("'<f8'", "False", "(a,)")), "no tuple of sizes"},
		{"structured", file(1, dict("[('a', '<f8')]", "False", "(1,)")), "structured"},
		{"complex", file(1, dict("'<c16'", "False", "(1,)")), "complex"},
		{"object with size", file(1, dict("'|O8'", "False", "(1,)")), "pickled"},
		{"dates", file(1, dict("'<M8[ns]'", "False", "(1,)")), "dates"},
		{"long double", file(1, dict("'<f16'", "False", "(1,)")), "extended"},
		{"i3", file(1, dict("'<i3'", "False", "(1,)")), "unknown type"},
		{"f1", file(1, dict("'<f1'", "False", "(1,)")), "unknown type"},
		{"b8", file(1, dict("'<b8'", "False", "(1,)")), "unknown type"},
		{"no byte order", file(1, dict("'|f8'", "False", "(1,)")), "unknown type"},
		{"other order", file(1, dict("'=f8'", "False", "(1,)")), "unknown byte order"},
		{"no type", file(1, dict("''", "False", "(1,)")), "unknown type"},
		{"text of length 0", file(1, dict("'<U0'", "False", "(1,)")), "length 0"},
		{"long text", file(1, dict("'<U999999999'", "False", "(1,)")), "at most"},
		{"key that fills the header", file(2, "{'"+long+"': 1}"), "not a dictionary"},
		{"type twice that fills it", file(2, "{'descr': '<f8', 'descr': '"+long+"'}"), "not a dictionary"},
		{"type that fills it", file(2, dict("'"+long+"'", "False", "(1,)")), "unknown type"},
		{"complex that fills it", file(2, dict("'<c"+long+"'", "False", "(1,)")), "complex"},
		{"length of 60000 zeros", file(2, dict("'<U"+strings.Repeat("0", 60000)+"'", "False", "(1,)")), "length 0"},
		{"length behind them", file(2, dict("'<U"+strings.Repeat("0", 60000)+"99999999'", "False", "(1,)")), "at most"},
	} {
		_, err := ReadHeader(bytes.NewReader(test.data))
		var known Error
		if !errors.As(err, &known) || !strings.Contains(err.Error(), test.says) || len(err.Error()) > 400 {
			t.Errorf("%s: error %.500v, want %q", test.name, err, test.says)
		}
	}
	broken := errors.New("disk on fire")
	for n := range len(file(1, good)) {
		_, err := ReadHeader(io.MultiReader(bytes.NewReader(file(1, good)[:n]), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) {
			t.Errorf("after %d bytes: error %v", n, err)
		}
	}
}

// encode writes v as NumPy writes the type of d.
func encode(d DType, v float64) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	if d.Big {
		order = binary.BigEndian
	}
	e := any(v)
	switch {
	case d.Kind == Float && d.Size == 4:
		e = float32(v)
	case d.Kind == Unsigned:
		e = map[int]any{1: uint8(v), 2: uint16(v), 4: uint32(v), 8: uint64(v)}[d.Size]
	case d.Kind != Float:
		e = map[int]any{1: int8(v), 2: int16(v), 4: int32(v), 8: int64(v)}[d.Size]
	}
	out, _ := binary.Append(nil, order, e) // all of these have a size
	return out
}

func TestDecode(t *testing.T) {
	for _, test := range []struct {
		descr  string
		values []float64
	}{
		{"|b1", []float64{0, 1}},
		{"|i1", []float64{0, 1, -1, 127, -128}},
		{"|u1", []float64{0, 1, 255}},
		{"<i2", []float64{0, -2, 32767, -32768}}, {">i2", []float64{0, -2, 32767, -32768}},
		{"<u2", []float64{0, 258, 65535}}, {">u2", []float64{0, 258, 65535}},
		{"<i4", []float64{0, -3, 1<<31 - 1, -1 << 31}}, {">i4", []float64{0, -3, 1<<31 - 1, -1 << 31}},
		{"<u4", []float64{0, 1<<32 - 1}}, {">u4", []float64{0, 1<<32 - 1}},
		{"<i8", []float64{0, -3, 1 << 53, -1 << 53, -1 << 63}}, {">i8", []float64{0, -3, 1 << 62, -1 << 63}},
		{"<u8", []float64{0, 1 << 53, 1 << 63}}, {">u8", []float64{0, 1<<53 + 2}},
		{"<f4", []float64{0, -1.5, math.MaxFloat32, math.SmallestNonzeroFloat32}}, {">f4", []float64{0, -1.5}},
		{"<f8", []float64{0, math.Copysign(0, -1), math.Pi, math.MaxFloat64, 5e-324}}, {">f8", []float64{-math.E}},
	} {
		d, err := ParseDType(test.descr)
		testutil.NoError(t, err)
		var src []byte
		for _, v := range test.values {
			src = append(src, encode(d, v)...)
		}
		got, err := d.Decode([]float64{42}, src, false)
		if err != nil || len(got) != 1+len(test.values) || got[0] != 42 {
			t.Errorf("%s: %v, %v", test.descr, got, err)
			continue
		}
		for i, want := range test.values {
			if math.Float64bits(got[1+i]) != math.Float64bits(want) {
				t.Errorf("%s: %v, want %v", test.descr, got[1+i], want)
			}
		}
	}
	b := DType{Kind: Bool, Size: 1}
	if got, _ := b.Decode(nil, []byte{7}, false); got[0] != 1 {
		t.Errorf("true is %v", got[0])
	}
}

// TestDecodeHalf compares all 65536 numbers of binary16 with their definition in exact arithmetic.
func TestDecodeHalf(t *testing.T) {
	for _, big := range []bool{false, true} {
		d := DType{Kind: Float, Size: 2, Big: big}
		for h := range 1 << 16 {
			src := []byte{byte(h), byte(h >> 8)}
			if big {
				src[0], src[1] = src[1], src[0]
			}
			exponent, fraction := h>>10&31, h&1023
			got, err := d.Decode(nil, src, false)
			if exponent == 31 {
				if err == nil {
					t.Fatalf("%#04x: no error", h)
				}
				continue
			}
			// Value times 2^24, an integer: the smallest subnormal is 2^-24.
			scaled := int64(fraction)
			if exponent > 0 {
				scaled = int64(1024+fraction) << (exponent - 1)
			}
			want := float64(scaled) / (1 << 24)
			if h>>15 == 1 {
				want = -want
			}
			if err != nil || math.Float64bits(got[0]) != math.Float64bits(want) || d.Round(want*(1+0x1p-13)) != want {
				t.Fatalf("%#04x: %v, %v, want %v", h, got, err, want)
			}
		}
	}
}

func TestDecodeFaults(t *testing.T) {
	le := binary.LittleEndian
	for _, test := range []struct {
		descr string
		bad   []byte
		says  string
	}{
		{"<f8", le.AppendUint64(nil, math.Float64bits(math.NaN())), "missing"},
		{"<f8", le.AppendUint64(nil, math.Float64bits(math.Inf(-1))), "-Inf, infinite"},
		{"<f4", le.AppendUint32(nil, math.Float32bits(float32(math.Inf(1)))), "infinite"},
		{"<f2", []byte{0, 0x7c}, "infinite"},
		{"<f2", []byte{1, 0xfc}, "missing"},
		{"<u8", le.AppendUint64(nil, 1<<53+1), "9007199254740993"},
		{"<u8", le.AppendUint64(nil, math.MaxUint64), "18446744073709551615"},
		{"<i8", le.AppendUint64(nil, math.MaxInt64), "9223372036854775807"},
		{"<i8", le.AppendUint64(nil, uint64(1<<64-1<<53-1)), "-9007199254740993"},
	} {
		d, err := ParseDType(test.descr)
		testutil.NoError(t, err)
		good := make([]byte, d.Size)
		got, err := d.Decode([]float64{42}, slices.Concat(good, good, test.bad, good), false)
		if !errors.As(err, new(Error)) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error %v, want %q", test.descr, err, test.says)
		}
		if !slices.Equal(got, []float64{42, 0, 0}) {
			t.Errorf("%s: %v before the fault", test.descr, got)
		}
	}
}

func TestLabel(t *testing.T) {
	utf32 := func(big bool, size int, text string) []byte {
		var out []byte
		for _, c := range text {
			if big {
				out = binary.BigEndian.AppendUint32(out, uint32(c))
			} else {
				out = binary.LittleEndian.AppendUint32(out, uint32(c))
			}
		}
		return append(out, make([]byte, size-len(out))...)
	}
	for _, test := range []struct {
		descr string
		b     []byte
		want  string // empty for an error
	}{
		{"<U5", utf32(false, 20, "né☃"), "né☃"},
		{">U5", utf32(true, 20, "né😀ab"), "né😀ab"},
		{"<U2", utf32(false, 8, "\x00b"), "\x00b"},
		{"<U1", utf32(false, 4, "\U0010ffff"), "\U0010ffff"},
		{"<U2", make([]byte, 8), ""},
		{"<U1", []byte{0, 0xd8, 0, 0}, ""},
		{"<U1", []byte{0, 0, 0x11, 0}, ""},
		{"<U1", []byte{1, 0, 0, 0x80}, ""},
		{"|S4", []byte("ab\x00\x00"), "ab"},
		{"|S2", []byte("\xff\x00"), ""},
		{"|S2", []byte("\x00\x00"), ""},
		{"|S65536", bytes.Repeat([]byte{0xff}, 1<<16), ""},
		{"|b1", []byte{1}, "True"}, {"|b1", []byte{0}, "False"},
		{"|i1", []byte{0xff}, "-1"}, {"|u1", []byte{0xff}, "255"}, {">i2", []byte{0x80, 0}, "-32768"},
		{"<i8", []byte{255, 255, 255, 255, 255, 255, 255, 127}, "9223372036854775807"},
		{"<u8", []byte{255, 255, 255, 255, 255, 255, 255, 255}, "18446744073709551615"},
		{"<f8", encode(DType{Kind: Float, Size: 8}, -3), "-3"},
		{"<f8", encode(DType{Kind: Float, Size: 8}, 0.5), ""},
		{"<f8", encode(DType{Kind: Float, Size: 8}, math.NaN()), ""},
		{"<f8", encode(DType{Kind: Float, Size: 8}, 1e300), ""},
	} {
		d, err := ParseDType(test.descr)
		testutil.NoError(t, err)
		got, err := d.Label(test.b)
		if got != test.want || (err == nil) != (test.want != "") || err != nil && len(err.Error()) > 400 {
			t.Errorf("%s % x: %q, %v, want %q", test.descr, test.b, got, err, test.want)
		}
	}
}
