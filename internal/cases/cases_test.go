//go:build linux

package cases_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(endlessWriter); path != "" {
		writeForEver(path)
	}
	goleak.VerifyTestMain(m)
}

// cases are tests by the number of their row.
type cases map[string]func(*testing.T)

func TestPainLog(t *testing.T) {
	run(t, painRows, notApplicable, encodingCases, endingCases, unicodeCases, staleCases, missedCases,
		diskCases, contentCases, pathCases, listCases, searchCases, editCases, sourceCases, sandboxCases)
}

func TestAttackCases(t *testing.T) {
	rows, reasons := attackRows(t)
	run(t, rows, reasons, versionAttacks, hiddenAttacks, fenceAttacks, swapAttacks, readAttacks, editAttacks, sandboxAttacks)
}

// run runs every row's test, and fails for a row that has neither a test nor a reason
// why it does not apply.
func run(t *testing.T, rows string, reasons map[string]string, groups ...cases) {
	all := cases{}
	for _, group := range groups {
		for row, test := range group {
			if all[row] != nil {
				t.Errorf("row %s has two tests", row)
			}
			all[row] = test
		}
	}
	for _, row := range strings.Fields(rows) {
		test, reason := all[row], reasons[row]
		delete(all, row)
		switch {
		case test == nil && reason == "":
			t.Errorf("row %s has neither a test nor a reason why it has none", row)
		case test == nil:
			t.Logf("row %s does not apply: %s", row, reason)
		case reason != "":
			t.Errorf("row %s has a test and a reason why it has none", row)
		default:
			t.Run("case-"+padded(row), test)
		}
	}
	for _, row := range slices.Sorted(maps.Keys(all)) {
		t.Errorf("there is no row %s", row)
	}
}

// padded writes 7 as 007 and s7 as s07.
func padded(row string) string {
	digits := strings.TrimPrefix(row, "s")
	n, err := strconv.Atoi(digits)
	if err != nil {
		panic(err) // the rows are written in this package
	}
	if digits != row {
		return fmt.Sprintf("s%02d", n)
	}
	return fmt.Sprintf("%03d", n)
}
