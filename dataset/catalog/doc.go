// Package catalog knows the public data sets that the loaders of package dataset read: which files they have,
// where these can be had, what their content must be. It verifies a folder against that, and downloads what is
// missing when told to.
//
// # What is verified
//
// A file may be plain or gzip, as for the loaders; all sizes and sums are those of the unpacked content, since
// the packed bytes differ between the places that distribute it. Of each file the header, which gives type and
// dimensions, and the size must be right, and beyond that a checksum: SHA-256 where the catalog has it, else
// MD5. [File.Evidence] says which.
//
// The SHA-256 sums of MNIST are those of the files as distributed. For small NORB none are published. The MD5
// sums in the catalog are those in which the public programs that load this set agree. Three of its six files can
// be made from their description alone, and have then just these sums: both cat files (category i mod
// 5 for sample i) and the testing-info file (for each five samples, instance, elevation, azimuth and lighting
// counted up with the last one fastest); their SHA-256 sums are those of what was made so. A test makes them
// again. The training pairs are shuffled, so that the training-info file cannot be made.
//
// # Downloads
//
// A download is written to NAME.gz.part. It goes on where it was cut off, by HTTP's Range, within a call and from
// call to call; a server without Range makes it begin anew. It gets its name, atomically, only after its unpacked
// content was verified. Nothing depends on how much a server sends: neither the packed nor the unpacked content is
// read beyond what the file can have.
package catalog
