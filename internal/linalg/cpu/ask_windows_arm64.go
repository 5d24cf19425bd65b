package cpu

import (
	"strings"

	"golang.org/x/sys/windows/registry"
)

// ask returns the first core as the registry describes it. The registry names CPU registers by their
// encodings; "CP 4000" is MIDR_EL1.
func ask() []core {
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, `HARDWARE\DESCRIPTION\System\CentralProcessor\0`, registry.QUERY_VALUE)
	if err != nil {
		return []core{{}}
	}
	defer k.Close()
	name, _, _ := k.GetStringValue("ProcessorNameString")
	midr, _, _ := k.GetIntegerValue("CP 4000")
	return []core{{name: strings.TrimSpace(name), id: idOf(midr)}}
}
