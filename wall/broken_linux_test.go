package wall

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
)

// unfenced is a provider whose fence lets everything through.
func unfenced(o localfs.Options) (*localfs.FS, error) {
	o.Sandbox = nil
	return localfs.Host(o)
}

// publications are what the provider's own ways come to, without a fence.
func publications(ctx context.Context, p vfs.Provider, outside string) map[string]func() error {
	put := func(name string, c vfs.Condition) func() error {
		return func() error {
			t, err := p.Resolve(ctx, "", filepath.Join(outside, name))
			if err == nil {
				_, err = p.Put(ctx, t, []byte("new"), vfs.PutOptions{If: c})
			}
			return err
		}
	}
	return map[string]func() error{
		"Put: create":        put("new", vfs.IfAbsent()),
		"Put: below new":     put("a/b/new", vfs.IfAbsent()),
		"Put: replace":       put("f", vfs.IfVersion(vfs.VersionOf([]byte("old")))),
		"Put: unconditional": put("f", vfs.Condition{}),
	}
}

// attempt is how one deed ended.
type attempt struct {
	Name, Err string
	Refused   bool
}

func attempts(deeds ...map[string]func() error) (all []attempt) {
	for _, some := range deeds {
		for name, deed := range some {
			err := deed()
			// Names that would move between directories are refused as if these lay on
			// different disks.
			refused := errors.Is(err, unix.EACCES) || errors.Is(err, unix.EXDEV) || vfs.CodeOf(err) == vfs.CodePermissionDenied
			all = append(all, attempt{name, fmt.Sprint(err), refused})
		}
	}
	return all
}

// selfConfined is a process around which the wall is, with the fence switched off.
func selfConfined(ws, outside string, mode sandbox.Mode) []attempt {
	ctx := context.Background()
	base := filepath.Dir(ws)
	fenced, err := localfs.Host(localfs.Options{Cwd: ws, StateDir: filepath.Join(base, "state"),
		Sandbox: &localfs.Sandbox{Mode: mode, NoTemp: true}})
	if err != nil {
		return []attempt{{Name: "made", Err: err.Error()}}
	}
	defer fenced.Close()
	open, err := unfenced(fenced.Options())
	if err != nil {
		return []attempt{{Name: "made", Err: err.Error()}}
	}
	defer open.Close()
	if s, err := Self(fenced, filepath.Join(base, "further")); err != nil || !s.Confined {
		return []attempt{{Name: "confined", Err: fmt.Sprint(s, err)}}
	}
	all := attempts(mischief(ws, outside), publications(ctx, open, outside))
	if mode == sandbox.ReadOnly {
		all = append(all, attempts(publications(ctx, open, ws))...)
	} else {
		all = append(all, allowed(ctx, open, ws))
	}
	return append(all, allowed(ctx, open, filepath.Join(base, "further")))
}

// allowed is a change that must not be refused.
func allowed(ctx context.Context, p vfs.Provider, dir string) attempt {
	t, err := p.Resolve(ctx, "", filepath.Join(dir, "g/inside"))
	if err == nil {
		_, err = p.Put(ctx, t, []byte("x"), vfs.PutOptions{})
	}
	return attempt{"allowed in " + dir, fmt.Sprint(err), err == nil}
}

// broken is a worker's provider without a fence, which does what the content says.
type broken struct {
	*localfs.FS
	deeds map[string]func() error
}

func openBroken(_ []string, o localfs.Options) (files, error) {
	ws := o.Cwd
	p, err := unfenced(o)
	return &broken{p, mischief(ws, ws+"-evil")}, err
}

func (b *broken) Put(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
	if deed := b.deeds[string(data)]; deed != nil {
		if err := deed(); err != nil {
			return vfs.Info{}, &vfs.Error{Code: vfs.CodePermissionDenied, Msg: err.Error(), Err: err}
		}
		return vfs.Info{}, nil
	}
	return b.FS.Put(ctx, t, data, o)
}

func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		fmt.Fprintln(&b, path, d.Type(), err)
		if err == nil && d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			fmt.Fprintf(&b, "%q %v\n", data, err)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func judge(t *testing.T, all []attempt, least int) {
	t.Helper()
	if len(all) < least {
		t.Errorf("only %d attempts were made: %+v", len(all), all)
	}
	for _, a := range all {
		if !a.Refused {
			t.Errorf("%s: %s", a.Name, a.Err)
		}
	}
}

func TestBrokenFenceOfASelfConfinedProcess(t *testing.T) {
	needLandlock(t)
	for _, mode := range []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite} {
		t.Run(string(mode), func(t *testing.T) {
			ws, outside := places(t)
			for _, dir := range []string{filepath.Join(outside, "empty"), filepath.Join(filepath.Dir(ws), "further")} {
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			before := snapshot(t, outside)
			cmd := exec.Command(os.Args[0], "self", ws, outside, string(mode))
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var all []attempt
			if err := json.NewDecoder(bytes.NewReader(out)).Decode(&all); err != nil {
				t.Fatalf("%v in %q", err, out)
			}
			judge(t, all, len(mischief("", ""))+6)
			if after := snapshot(t, outside); after != before {
				t.Errorf("outside there was\n%snow there is\n%s", before, after)
			}
		})
	}
}

func TestBrokenFenceOfAWorker(t *testing.T) {
	ws, outside := places(t)
	if err := os.Mkdir(filepath.Join(outside, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, outside)
	f := behind(t, ws, Options{Command: []string{os.Args[0], "broken-worker"}})
	deeds := map[string]func() error{}
	inside := target(t, f, "f")
	for name := range mischief("", "") {
		deeds[name] = func() error {
			_, err := f.Put(t.Context(), inside, []byte(name), vfs.PutOptions{})
			return err
		}
	}
	judge(t, attempts(deeds, publications(t.Context(), f, outside)), len(deeds)+4)
	if after := snapshot(t, outside); after != before {
		t.Errorf("outside there was\n%snow there is\n%s", before, after)
	}
	if _, err := f.Put(t.Context(), target(t, f, "g/inside"), []byte("x"), vfs.PutOptions{}); err != nil {
		t.Error(err)
	}
}
