package wall

import (
	"reflect"
	"slices"
	"testing"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/vfs"
)

// TestMethods fails when a provider for the local disk learns something new: what changes
// files must not come through here as it is.
func TestMethods(t *testing.T) {
	known := []string{
		"Put", "Exclusive", "Close", // which are FS's own
		"Resolve", "Stat", "Lstat", "Open", "ReadDir", "ReadDirWithheld", "Explain", "CheckWrite", "SandboxMode",
		"ProcessPath", "Contains", "MaxGuardedBytes", "TextEncoding", "Cwd", "Roots", "Options", "EffectivePolicy", "WritableRoots",
		"OpenDir", "ModTime", "Glob", "Grep", "Ripgrep", // which read
		"Collect", // for programs, which clean up by themselves
	}
	for i, inner := 0, reflect.TypeFor[*localfs.FS](); i < inner.NumMethod(); i++ {
		if name := inner.Method(i).Name; !slices.Contains(known, name) {
			t.Errorf("is it known what %s of a localfs.FS does behind the wall?", name)
		}
	}
}

// TestCapabilities are those of the provider within, also in a critical section.
func TestCapabilities(t *testing.T) {
	ws, _ := places(t)
	f := behind(t, ws, Options{}, func(o *localfs.Options) { o.Encoding = "windows-1252" })
	held, release, err := f.Exclusive(t.Context(), target(t, f, "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for _, p := range []vfs.Provider{f, held} {
		if _, ok := p.(vfs.Unwrapper); ok {
			t.Errorf("%T can be unwrapped", p)
		}
		_, locator := vfs.As[vfs.Locator](p)
		_, lstater := vfs.As[vfs.Lstater](p)
		_, container := vfs.As[vfs.Container](p)
		_, exclusive := vfs.As[vfs.Exclusive](p)
		_, guard := vfs.As[vfs.Guard](p)
		_, explainer := vfs.As[vfs.Explainer](p)
		encoded, _ := vfs.As[vfs.Encoded](p)
		if !locator || !lstater || !container || !exclusive || !guard || !explainer || encoded.TextEncoding() != "windows-1252" || vfs.SandboxMode(p) != "workspace-write" {
			t.Errorf("%T lacks something", p)
		}
	}
	out, err := vfs.WriteText(t.Context(), f, target(t, f, "latin"), "\u00e9", vfs.WriteOptions{})
	if err != nil || out.Info.Size != 1 {
		t.Errorf("written as %+v, %v", out.Info, err)
	}
}
