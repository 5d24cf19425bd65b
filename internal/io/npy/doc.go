// Package npy reads and writes NumPy's .npy format: a header, and elements as float64 or as text.
//
// # The format
//
// A file has, in this order (NumPy Enhancement Proposal 1 and numpy.lib.format),
//
//	6 bytes      magic: 0x93 and "NUMPY"
//	2 bytes      major and minor version: 1.0, 2.0 or 3.0
//	2 or 4       length h of the header, little-endian: uint16 in version 1, uint32 in 2 and 3
//	h bytes      a Python dictionary, padded with spaces and ended by a newline; version 3: UTF-8
//	the rest     the elements without gaps, rows first (C order) or columns first (Fortran order)
//
// and the dictionary has three keys:
//
//	{'descr': '<f8', 'fortran_order': False, 'shape': (60000, 784), }
//
// A header is checked before it is used: its length is at most [MaxHeader], each dimension is at least
// 0, and all elements together take less than 2^62 bytes. Nothing in it is executed or unpickled.
//
// The package writes version 1.0 in C order: numbers as '<f8', labels as '<i8' or '<U', with the first
// element at a multiple of 64 bytes.
package npy
