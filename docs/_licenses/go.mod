module blskernel/docs/_licenses

go 1.24.0

require github.com/google/licensecheck v0.3.1
