//go:build linux

package cases_test

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// painRows are the rows of the log that concern file tools or those who wrote them
// before; its numbers have gaps.
const painRows = `
	1 2 4 5 6 7 8 9 10 12 13 16 17 18 19 20 22 23 24 26 28 29 30
	31 32 33 34 35 36 38 40 41 42 43 44 45 47 48 49
	51 52 53 54 55 56 57 58 59 60 61 62 63 64 66 67 68 69 71 72 74 75 76 77 78 79
	80 81 82 83 86 87 88 89 90 91 92 93 94 96 97 98 99 101 102
	103 110 111 112 113 115 116 117 118 119 120 121 122
	s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 s12 s13 s14 s15 s16 s17 s18 s19 s20 s21 s22 s23 s24 s25
`

// attackRows gives all rows of the attacks, and for those that have no test in this
// package the reason: that it is in another, or why there is none.
func attackRows(t *testing.T) (rows string, reasons map[string]string) {
	t.Helper()
	list, err := os.ReadFile("testdata/attack-rows.txt")
	if err != nil {
		t.Fatal(err)
	}
	reasons = map[string]string{}
	for line := range strings.Lines(string(list)) {
		where, what, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch where {
		case "cases":
			rows += " " + what
		case "localfs":
			rows += " " + what
			for row := range strings.FieldsSeq(what) {
				reasons[row] += "it is tested in localfs"
			}
		case "none":
			row, reason, _ := strings.Cut(what, " ")
			rows += " " + row
			reasons[row] += reason
		}
	}
	all := strings.Fields(rows)
	slices.SortFunc(all, func(a, b string) int { return strings.Compare(padded(a), padded(b)) })
	if got := strings.Join(all, " "); got != strings.Join(strings.Fields(everyAttack), " ") {
		t.Errorf("the list has the rows %s", got)
	}
	return rows, reasons
}

// everyAttack is every row of the attacks on file tools; the numbers have gaps.
const everyAttack = `
	1 2 3 5 6 7 9 10 11 12 13 14 15 17 18
	19 20 21 23 24 25 26 27 28 30
	31 32 33 34 36 37 38 39 40 42 43 44 45 47
	48 49 50 52 53 54 55 56 58 59
	60 62 63 64 65 66 68 69 71 72 73
	74 75 76 78 79 80 81 82 83 84 86 87 88 89 91 92 93 94 95
	96 97 98 99 100 101 102 103 105 107 108 109
	110 111 113 114 116 117 118 119 120
`

const (
	lookAlike   = "a name that is not there is not found: the contract fixes the text, and no look-alike is taken or offered (case-026 holds to that)"
	oneEditOnly = "a call makes one edit in one file; there is no tool for several"
)

// notApplicable are the rows of the log that have no test, and why.
var notApplicable = map[string]string{
	"23": lookAlike,
	"24": lookAlike,
	"45": "the contract counts a read of any window as a read of the file, for an edit and for an overwrite",
	"55": "renaming over an open file fails on another operating system only",
	"72": "no file system here has files whose bytes are elsewhere",
	"74": "the forms of path in question belong to another operating system; here they are ordinary names",
	"76": "there are no rules on paths yet, and no file system here folds case",
	"80": "the contract has glob list ignored files; a flood of them hides no other entry (case-086), and grep leaves them out (case-063)",
	"99": oneEditOnly,

	"s4":  "it takes a file system without hard links, which a test cannot mount everywhere",
	"s10": oneEditOnly,
}
