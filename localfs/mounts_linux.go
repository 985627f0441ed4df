//go:build !toolfs_portable

package localfs

import (
	"os"
	"strings"
)

// mountOf is the mount point that a path lies below, by the table of mounts: nothing of
// the mount itself is touched.
func mountOf(path string) string {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	longest := ""
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		point := unescapeMount(fields[4])
		if len(point) > len(longest) && within(point, path) {
			longest = point
		}
	}
	return longest
}

// unescapeMount undoes the octal escapes of the table.
func unescapeMount(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}
