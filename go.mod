module blskernel

go 1.24.0

require (
	github.com/cespare/xxhash/v2 v2.3.0
	github.com/gofrs/flock v0.13.0
	github.com/klauspost/cpuid/v2 v2.3.0
	github.com/rogpeppe/go-internal v1.14.1
	github.com/sbinet/npyio v0.9.0
	github.com/schollz/progressbar/v3 v3.18.0
	github.com/spf13/cobra v1.10.2
	golang.org/x/sys v0.37.0
	golang.org/x/term v0.36.0
	gonum.org/v1/gonum v0.17.0
	gonum.org/v1/netlib v0.0.0-20230729102104-8b8060e7531f
)

require (
	github.com/cpuguy83/go-md2man/v2 v2.0.6 // indirect
	github.com/kr/text v0.2.0 // indirect
	github.com/nlpodyssey/gopickle v0.3.0 // indirect
	github.com/russross/blackfriday/v2 v2.1.0 // indirect
	go.yaml.in/yaml/v3 v3.0.4 // indirect
	golang.org/x/tools v0.35.0 // indirect
)

require (
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/spf13/pflag v1.0.9
	golang.org/x/text v0.28.0 // indirect
)
