module blskernel/cmd/blskernel/_sbom

go 1.24.0

require github.com/CycloneDX/cyclonedx-go v0.9.3
