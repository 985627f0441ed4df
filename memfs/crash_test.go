package memfs_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/toolfs/toolfs/memfs"
)

func TestEverythingSyncedSurvives(t *testing.T) {
	fs := memfs.New(memfs.Options{})
	must(t, fs.WriteFile("/a", "written"), fs.Mkdir("/empty"), fs.Symlink("a", "/link"))
	if info := put(t, fs, "/d/b", "published"); info.Publication.NotDurable {
		t.Error("a synced Put says that it is not durable")
	}
	clone := fs.CrashClone(func(name string) bool {
		t.Errorf("%s is in doubt", name)
		return false
	})
	holds(t, clone, map[string]string{"/a": "written", "/d/b": "published"})
	if got, err := clone.ReadFile("/link"); err != nil || got != "written" {
		t.Errorf("the link gives %q, %v", got, err)
	}
	if err := clone.Remove("/empty"); err != nil {
		t.Errorf("the empty directory is lost: %v", err)
	}
}

func TestUnsyncedPublicationsAreInDoubt(t *testing.T) {
	fs := memfs.New(memfs.Options{NoSync: true})
	must(t, fs.WriteFile("/old", "0"), fs.WriteFile("/same", "same"))
	for _, content := range []string{"1", "2", "3"} {
		if info := put(t, fs, "/old", content); !info.Publication.NotDurable {
			t.Error("Put says that it is durable")
		}
	}
	put(t, fs, "/new/dir/f", "made")
	visible := map[string]string{"/old": "3", "/same": "same", "/new/dir/f": "made"}
	holds(t, fs, visible)

	holds(t, fs.CrashClone(nil), map[string]string{"/old": "0", "/same": "same"})
	if err := fs.CrashClone(nil).Remove("/new"); err == nil {
		t.Error("a directory outlives the file for which it was made")
	}
	holds(t, fs.CrashClone(func(string) bool { return true }), visible)

	var asked []string
	clone := fs.CrashClone(func(name string) bool {
		asked = append(asked, name)
		return len(asked) == 3 // the second publication of /old, the newest first
	})
	if want := []string{"/new/dir/f", "/old", "/old"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
	holds(t, clone, map[string]string{"/old": "2", "/same": "same"})

	holds(t, fs, visible) // a crash of the clone is none of the original
	fs.Sync()
	holds(t, fs.CrashClone(nil), visible)
}

// Each unsynced publication is lost or kept by itself: all outcomes are met.
func TestEveryOutcomeOfACrash(t *testing.T) {
	fs := memfs.New(memfs.Options{NoSync: true})
	for i := range 3 {
		must(t, fs.WriteFile(fmt.Sprintf("/f%d", i), "old"))
		put(t, fs, fmt.Sprintf("/f%d", i), "new")
	}
	seen := map[string]bool{}
	for outcome := range 8 {
		clone := fs.CrashClone(func(name string) bool { return outcome>>(name[2]-'0')&1 == 1 })
		files := clone.Files()
		if len(files) != 3 {
			t.Errorf("%v", files)
		}
		seen[files["/f0"]+files["/f1"]+files["/f2"]] = true
	}
	if len(seen) != 8 {
		t.Errorf("%d outcomes, want 8: %v", len(seen), seen)
	}
}

func TestAfterACrashLifeGoesOnApart(t *testing.T) {
	fs := memfs.New(memfs.Options{NoSync: true})
	put(t, fs, "/d/f", "lost")
	must(t, fs.WriteFile("/d/g", "kept")) // and with it the directory
	clone := fs.CrashClone(nil)
	holds(t, clone, map[string]string{"/d/g": "kept"})
	put(t, clone, "/d/g", "by the clone")
	holds(t, fs, map[string]string{"/d/f": "lost", "/d/g": "kept"})
	must(t, fs.Rename("/d/f", "/moved"))
	holds(t, fs.CrashClone(nil), map[string]string{"/d/g": "kept"})
	holds(t, clone.CrashClone(nil), map[string]string{"/d/g": "kept"})
}
