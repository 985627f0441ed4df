package approval

import (
	"crypto/rand"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolfs/toolfs/internal/quote"
	"github.com/toolfs/toolfs/sandbox"
)

// Grant is what a person allowed for the rest of a session.
type Grant struct {
	ID      string       `json:"id"`
	Session string       `json:"session"`
	Scope   Scope        `json:"scope"`
	Path    string       `json:"path"` // as people see it
	Key     string       `json:"key"`  // the identity of the file or directory
	Mode    sandbox.Mode `json:"mode"`
	Since   time.Time    `json:"since"`
}

// covers reports whether the grant holds for a file.
func (g Grant) covers(session, key string) bool {
	if g.Session != session {
		return false
	}
	switch g.Scope {
	case ScopeFile:
		return g.Key == key
	case ScopeDirectory:
		below, ok := strings.CutPrefix(key, strings.TrimRight(g.Key, `/\`))
		return ok && !isTop(g.Key) && len(below) > 1 && (below[0] == '/' || below[0] == '\\')
	}
	return false
}

// isTop reports a directory that holds everything, which nobody means who allows a
// change in it.
func isTop(dir string) bool { return dir == "" || filepath.Dir(dir) == dir }

// maxGrants bounds what one session keeps; the oldest goes first.
const maxGrants = 1000

// Keeper is where grants are kept as well, so that another process can list and revoke
// them. A grant holds only while Holds says so.
type Keeper interface {
	Keep(g Grant) error
	Holds(id string) bool
	Drop(id string)
}

// Grants is a store of grants. Safe for concurrent use.
type Grants struct {
	mu     sync.Mutex
	all    []Grant
	keeper Keeper
	now    func() time.Time
}

// NewGrants makes an empty store in memory.
func NewGrants() *Grants { return &Grants{now: time.Now} }

// KeptGrants makes an empty store whose grants are kept by k too.
func KeptGrants(k Keeper) *Grants { return &Grants{now: time.Now, keeper: k} }

// add keeps what the answer to a request allows for longer.
func (s *Grants) add(r Request, scope Scope) {
	g := Grant{ID: rand.Text(), Session: r.Session, Scope: scope, Path: r.Path, Key: r.Key, Mode: r.Mode, Since: s.now()}
	if scope == ScopeDirectory {
		if isTop(r.Dir) {
			return
		}
		g.Key, g.Path = r.Dir, quote.Path(r.Dir)
	}
	s.Add(g)
}

// Add keeps a grant, for example one of an earlier process. One without an ID gets one.
func (s *Grants) Add(g Grant) {
	if g.ID == "" {
		g.ID = rand.Text()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keeper != nil && s.keeper.Keep(g) != nil {
		return // what cannot be revoked is not granted
	}
	s.all = append(s.all, g)
	if len(s.all) > maxGrants {
		s.drop(s.all[0])
		s.all = s.all[1:]
	}
}

// Widest is the widest mode that a session was granted for a file, by the file's
// identity. For a protected place only a grant of that very file counts: who allows a
// directory does not mean what git runs in it.
func (s *Grants) Widest(session, key string, protected bool) (mode sandbox.Mode, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.all {
		if protected && g.Scope != ScopeFile {
			continue
		}
		if g.covers(session, key) && s.holds(g) && (!ok || g.Mode.Wider(mode)) {
			mode, ok = g.Mode, true
		}
	}
	return mode, ok
}

// List gives the grants of a session, or with "" of all, the oldest first.
func (s *Grants) List(session string) []Grant {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Grant
	for _, g := range s.all {
		if (session == "" || g.Session == session) && s.holds(g) {
			list = append(list, g)
		}
	}
	return list
}

// Revoke takes a grant back, and reports whether there was one.
func (s *Grants) Revoke(id string) bool {
	return s.remove(func(g Grant) bool { return g.ID == id }) > 0
}

// Forget drops the grants of a session.
func (s *Grants) Forget(session string) {
	s.remove(func(g Grant) bool { return g.Session == session })
}

func (s *Grants) remove(gone func(Grant) bool) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.all)
	s.all = slices.DeleteFunc(slices.Clone(s.all), func(g Grant) bool {
		if !gone(g) {
			return false
		}
		s.drop(g)
		return true
	})
	return before - len(s.all)
}

func (s *Grants) holds(g Grant) bool { return s.keeper == nil || s.keeper.Holds(g.ID) }

func (s *Grants) drop(g Grant) {
	if s.keeper != nil {
		s.keeper.Drop(g.ID)
	}
}
