package vfstest_test

import (
	"context"
	"path"
	"strings"

	"github.com/toolfs/toolfs/memfs"
	"github.com/toolfs/toolfs/vfs"
)

// unconfined is memory that confines nothing: what confines is the mutant.
func unconfined() memfs.Options { return memfs.Options{Cwd: "/ws"} }

func inside(key string) bool { return key == "/ws" || strings.HasPrefix(key, "/ws/") }

func denied(t vfs.Target) error {
	return failure("access", t, vfs.CodeSandboxDenied, "it is outside the workspace")
}

// fenced confines by a check of its own, in Resolve only; asked is the absolute name,
// not folded.
func fenced(allowed func(b *broken, asked string, t vfs.Target) bool) func(*broken) vfs.Provider {
	return func(b *broken) vfs.Provider {
		b.resolve = func(ctx context.Context, base, name string) (vfs.Target, error) {
			t, err := b.fs.Resolve(ctx, base, name)
			asked := absolute(base, name)
			if err != nil && (t.Path == "" || inside(path.Clean(asked))) {
				return t, err
			}
			if err != nil || !allowed(b, asked, t) {
				return t, denied(t)
			}
			return t, nil
		}
		return nil
	}
}

// really is where an absolute name leads.
func (b *broken) really(name string) string {
	t, err := b.fs.Resolve(context.Background(), "", name)
	if err != nil {
		return ""
	}
	return t.Key
}

func (b *broken) isLink(name string) bool {
	info, err := b.fs.Lstat(context.Background(), "", name)
	return err == nil && info.Type == vfs.TypeSymlink
}

func escapeMutants() []mutant {
	return []mutant{
		{name: "confines by a prefix of the text", kills: []string{"Escape/absolute"}, options: unconfined(), breaks: fenced(func(_ *broken, _ string, t vfs.Target) bool {
			return strings.HasPrefix(t.Key, "/ws")
		})},
		{name: "confines before it folds", kills: []string{"Escape/dot-dot"}, options: unconfined(), breaks: fenced(func(b *broken, asked string, t vfs.Target) bool {
			return inside(asked) && !b.isLink("/ws/l")
		})},
		{name: "trusts the base", kills: []string{"Escape/base"}, options: unconfined(), breaks: fenced(func(_ *broken, asked string, t vfs.Target) bool {
			return inside(t.Key) || !strings.Contains(asked, "..") && strings.HasPrefix(asked, "/ws-evil/./")
		})},
		{name: "confines what is spelled and follows links", kills: []string{"Escape/linked-directory", "Escape/linked-file", "Escape/dangling-link", "Escape/swap"}, options: unconfined(), breaks: fenced(func(_ *broken, asked string, _ vfs.Target) bool {
			return inside(path.Clean(asked))
		})},
		{name: "looks at the last name only", kills: []string{"Escape/linked-directory"}, options: unconfined(), breaks: fenced(func(b *broken, asked string, t vfs.Target) bool {
			clean := path.Clean(asked)
			return inside(clean) && (!b.isLink(clean) || inside(t.Key))
		})},
		{name: "looks at the directory only", kills: []string{"Escape/linked-file"}, options: unconfined(), breaks: fenced(func(b *broken, asked string, _ vfs.Target) bool {
			clean := path.Clean(asked)
			return clean == "/ws" || inside(b.really(path.Dir(clean)))
		})},
		{name: "looks at what exists only", kills: []string{"Escape/dangling-link"}, options: unconfined(), breaks: fenced(func(b *broken, asked string, t vfs.Target) bool {
			return inside(t.Key) || inside(path.Clean(asked)) && !b.exists(t.Key)
		})},
		{name: "folds what it checks and not what it opens", kills: []string{"Escape/dot-dot-after-a-link"}, options: unconfined(), breaks: fenced(func(b *broken, asked string, _ vfs.Target) bool {
			return inside(b.really(path.Clean(asked)))
		})},
		{name: "tells what is missing outside", kills: []string{"Escape/no-oracle"}, breaks: func(b *broken) vfs.Provider {
			b.resolve = func(ctx context.Context, base, name string) (vfs.Target, error) {
				t, err := b.fs.Resolve(ctx, base, name)
				if vfs.CodeOf(err) == vfs.CodeSandboxDenied {
					if _, outside := b.fs.ReadFile(absolute(base, name)); missing(outside) {
						err = vfs.NotFound("resolve", t)
					}
				}
				return t, err
			}
			return nil
		}},
		{name: "lists links as what they lead to outside", kills: []string{"Escape/listing"}, options: unconfined(), breaks: fenced(func(_ *broken, _ string, t vfs.Target) bool { return inside(t.Key) })},
		{name: "denies every link", kills: []string{"Escape/inside-allowed"}, options: unconfined(), breaks: fenced(func(_ *broken, asked string, t vfs.Target) bool {
			return inside(t.Key) && t.Key == path.Clean(asked)
		})},
	}
}

func laterMutants() []mutant {
	return []mutant{
		{name: "confines when it resolves and follows links later", kills: []string{"Escape/planted-directory", "Escape/planted-file", "Escape/planted-root"}, options: unconfined(),
			breaks: func(b *broken) vfs.Provider {
				fenced(func(_ *broken, _ string, t vfs.Target) bool { return inside(t.Key) })(b)
				return followLater(func(string) bool { return true })(b)
			}},
		{name: "checks anew and then follows links", kills: []string{"Escape/swap"}, options: unconfined(), breaks: func(b *broken) vfs.Provider {
			fenced(func(_ *broken, _ string, t vfs.Target) bool { return inside(t.Key) })(b)
			b.key = func(key string) string {
				if !inside(b.really(key)) {
					return key
				}
				b.pause()
				if now := b.really(key); now != "" {
					return now
				}
				return key
			}
			return nil
		}},
		{name: "makes a vanished root again", kills: []string{"Escape/vanished-root"}, options: unconfined(), breaks: fenced(func(_ *broken, _ string, t vfs.Target) bool { return inside(t.Key) })},
	}
}
