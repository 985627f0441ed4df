package vfstest

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/toolfs/toolfs/vfs"
)

const canary = "a secret that must not come out"

func escapeCases() []Case {
	confined := []Trait{Confined, Outsiders}
	linked := []Trait{Confined, Outsiders, Links}
	return []Case{
		{Name: "absolute", Rule: "no operation reaches the outside by an absolute path, not even one that begins with the root's name", Needs: confined, run: escapeAbsolute},
		{Name: "dot-dot", Rule: "no operation reaches the outside by going up", Needs: confined, run: escapeDotDot},
		{Name: "base", Rule: "no operation reaches the outside by the directory that a name starts from", Needs: confined, run: escapeBase},
		{Name: "linked-directory", Rule: "no operation reaches the outside through a link to a directory there", Needs: linked, run: escapeLinkedDirectory},
		{Name: "linked-file", Rule: "no operation reaches the outside through a link to a file there", Needs: linked, run: escapeLinkedFile},
		{Name: "dangling-link", Rule: "no operation makes a file outside through a link to what does not exist there", Needs: linked, run: escapeDangling},
		{Name: "dot-dot-after-a-link", Rule: "no operation reaches the outside by going up from where a link leads", Needs: linked, run: escapeLinkDotDot},
		{Name: "no-oracle", Rule: "a refusal is the same whether or not there is something outside", Needs: linked, run: escapeOracle},
		{Name: "listing", Rule: "a link that leads outside is listed as other", Needs: linked, run: escapeListing},
		{Name: "inside-allowed", Rule: "links that lead to the inside are followed, relative, absolute and by way of the outside", Needs: linked, run: escapeInside},
	}
}

// plantSecret puts a file outside, and gives its name.
func (c *check) plantSecret() string {
	c.Helper()
	name := path.Join(c.Outside, "secret")
	c.must(c.Write(name, canary))
	return name
}

// untouched demands that nothing outside was changed or made.
func (c *check) untouched(secret string) {
	c.Helper()
	c.stored(secret, canary)
	for _, made := range []string{"new", "new/x", "sub", "sub/new", "f"} {
		if _, err := c.Read(path.Join(c.Outside, made)); !errors.Is(err, fs.ErrNotExist) {
			c.Errorf("%s was made outside (%v)", made, err)
		}
	}
}

// denied tries everything with names that lead outside.
func (c *check) denied(names ...string) {
	c.Helper()
	for _, name := range names {
		t, err := c.Provider.Resolve(c.Context(), c.Root, name)
		if err != nil {
			c.fails("Resolve "+name, err, vfs.CodeSandboxDenied)
			continue
		}
		for what, err := range c.attempts(t) {
			c.fails(what+" "+name, err, vfs.CodeSandboxDenied)
		}
	}
}

// attempts does everything that can be done with a target, and gives the errors.
func (c *check) attempts(t vfs.Target) map[string]error {
	p, ctx := c.Provider, c.Context()
	did := map[string]error{}
	_, did["Stat"] = p.Stat(ctx, t)
	_, did["Open"] = content(ctx, p, t)
	_, did["ReadDir"] = vfs.ListDir(ctx, p, t)
	_, _, did["ReadText"] = vfs.ReadText(ctx, p, t)
	_, did["EditText"] = vfs.EditText(ctx, p, t, vfs.Edit{Old: "secret", New: "mine"}, vfs.EditOptions{})
	_, did["Put"] = c.putIf(t, "mine", vfs.Condition{})
	_, did["Put if absent"] = c.putIf(t, "mine", vfs.IfAbsent())
	_, did["Put if version"] = c.putIf(t, "mine", vfs.IfVersion(vfs.VersionOf([]byte(canary))))
	_, did["WriteText"] = vfs.WriteText(ctx, p, t, "mine", vfs.WriteOptions{})
	return did
}

// up is the way from the root to the directory outside.
func (c *check) up() string {
	return strings.Repeat("../", strings.Count(path.Clean(c.Root), "/")) + strings.TrimPrefix(c.Outside, "/")
}

func escapeAbsolute(c *check) {
	secret := c.plantSecret()
	c.denied(secret, c.Outside, c.Outside+"/new", c.Outside+"/new/x", "//"+secret, "/proc/self/root"+secret, "/", path.Dir(c.Root))
	c.untouched(secret)
}

func escapeDotDot(c *check) {
	secret := c.plantSecret()
	c.seed("d/f", "x")
	up := c.up()
	c.denied(up+"/secret", "d/../"+up+"/secret", "./d/.././"+up+"/new/x", up, "..", "../missing/x", c.path("../"+path.Base(c.Root)+"/"+up+"/secret"))
	c.untouched(secret)
}

func escapeBase(c *check) {
	secret := c.plantSecret()
	for _, base := range []string{c.Outside, "/", path.Dir(c.Root)} {
		for _, name := range []string{"secret", "f", "./secret", strings.TrimPrefix(secret, "/")} {
			t, err := c.Provider.Resolve(c.Context(), base, name)
			if err == nil {
				_, err = c.putIf(t, "mine", vfs.Condition{})
			}
			c.fails("from "+base+" "+name, err, vfs.CodeSandboxDenied)
		}
	}
	c.untouched(secret)
}

func escapeLinkedDirectory(c *check) {
	secret := c.plantSecret()
	c.link(c.Outside, "l")
	c.link(c.up(), "relative")
	c.link("l", "chain")
	c.denied("l", "l/secret", "l/new", "l/new/x", "relative/secret", "relative/new/x", "chain/secret", "chain/new")
	_, err := vfs.Lstat(c.Context(), c.Provider, c.Root, "l/secret")
	c.fails("Lstat l/secret", err, vfs.CodeSandboxDenied)
	c.untouched(secret)
}

func escapeLinkedFile(c *check) {
	secret := c.plantSecret()
	c.link(secret, "f")
	c.link(c.up()+"/secret", "relative")
	c.link("f", "chain")
	c.denied("f", "relative", "chain")
	c.untouched(secret)
}

func escapeDangling(c *check) {
	secret := c.plantSecret()
	c.link(path.Join(c.Outside, "new"), "f")
	c.link(c.up()+"/sub", "d")
	c.denied("f", "d", "d/new")
	c.untouched(secret)
}

func escapeLinkDotDot(c *check) {
	secret := c.plantSecret()
	c.must(c.Write(path.Join(c.Outside, "deep/keep"), "x"))
	c.link(path.Join(c.Outside, "deep"), "l")
	c.denied("l/../secret", "l/../new", "l/../new/x")
	c.untouched(secret)
}

func escapeOracle(c *check) {
	secret := c.plantSecret()
	c.link(c.Outside, "l")
	refusal := func(name string) string {
		_, err := c.Provider.Resolve(c.Context(), c.Root, name)
		if e, ok := errors.AsType[*vfs.Error](err); ok {
			return fmt.Sprintf("%s, %s: %s", e.Code, e.Op, e.Msg)
		}
		return fmt.Sprint(err)
	}
	for _, dir := range []string{c.Outside, c.up(), "l"} {
		want := refusal(dir + "/nothing")
		for _, name := range []string{"/secret", "/secret/below", "/secret/", "/nothing/below", "/nothing/", "/nothing/../secret"} {
			if got := refusal(dir + name); got != want {
				c.Errorf("%q is refused with %q, what does not exist with %q", dir+name, got, want)
			}
		}
	}
	for link, target := range map[string]string{"file": "secret/..", "nothing": "nothing/..", "below": "secret/below", "loop": "loop"} {
		c.link(c.Outside+"/"+target, "to-"+link)
	}
	c.must(c.Symlink("loop", path.Join(c.Outside, "loop")))
	for _, name := range []string{"to-file", "to-file/x", "to-nothing", "to-nothing/x", "to-below", "to-loop", "to-loop/x"} {
		if got, want := refusal(name), refusal(c.Outside); got != want {
			c.Errorf("%q is refused with %q, the outside with %q", name, got, want)
		}
	}
	c.untouched(secret)
}

func escapeListing(c *check) {
	secret := c.plantSecret()
	c.link(c.Outside, "d")
	c.link(secret, "f")
	c.link(path.Join(c.Outside, "new"), "nothing")
	c.listed(c.target("."), map[string]vfs.Type{"d": vfs.TypeOther, "f": vfs.TypeOther, "nothing": vfs.TypeOther})
}

func escapeInside(c *check) {
	real := c.seed("real/f", "inside")
	c.must(c.Symlink(c.Root, path.Join(c.Outside, "back")))
	c.link("real", "relative")
	c.link(c.path("real"), "absolute")
	c.link(path.Join(c.Outside, "back/real"), "around")
	for _, name := range []string{"relative/f", "absolute/f", "around/f", "real/../real/f", path.Join(c.Outside, "back/real/f")} {
		t, err := c.Provider.Resolve(c.Context(), c.Root, name)
		if err != nil || t.Key != real.Key {
			c.Errorf("%q is %+v, %v, want the key %q", name, t, err, real.Key)
			continue
		}
		c.put(t, "changed by "+name)
		c.holds(real, "changed by "+name)
	}
}
