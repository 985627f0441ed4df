package requirements_test

import (
	"maps"
	"slices"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tests are an area's tests, by the id of the requirement.
type tests map[string]func(*testing.T)

func TestRequirements(t *testing.T) {
	areas := []tests{
		archTests, pkgTests, cfgTests, listTests, listTextTests, readTests, readTextTests,
		writeTests, editTests, valTests, metaTests, schTests, execTests, cwdTests, gateTests,
		obsTests, schedTests, promptTests, costTests, errTests, limTests, sbxTests,
	}
	all := tests{}
	for _, area := range areas {
		for id, test := range area {
			if all[id] != nil {
				t.Errorf("%s has two tests", id)
			}
			all[id] = test
		}
	}
	for _, id := range ids {
		test, reason := all[id], notInScope[id]
		delete(all, id)
		switch {
		case test == nil && reason == "":
			t.Errorf("%s has neither a test nor a reason why it has none", id)
		case test == nil:
			t.Logf("%s is not in scope here: %s", id, reason)
		case reason != "":
			t.Errorf("%s has a test and a reason why it has none", id)
		default:
			t.Run(id, test)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		t.Errorf("%s is no requirement", id)
	}
}
