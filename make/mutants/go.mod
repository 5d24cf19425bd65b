module blskernel/make/mutants

go 1.26.0
