package ignore

import "strings"

// Layer binds rules to the directory that they are for.
type Layer struct {
	Rules  *Rules
	Dir    string // relative to the top; "" is the top itself
	Source string // what people know the file by
}

// Decision is what layers say about a path.
type Decision struct {
	Verdict Verdict
	Pattern *Pattern // the one that decided; nil if none did
	Source  string   // the layer's that has it
	At      string   // the path it matched: the path asked about or a directory above it
}

// Decide asks layers, of which a later one has precedence, about a path relative to the
// top. A directory that is ignored decides for everything below it, whatever any pattern
// says about that; an exception for a directory says nothing about what is below.
func Decide(layers []Layer, path string, isDir bool) Decision {
	for i := 0; i < len(path); i++ {
		if path[i] != '/' {
			continue
		}
		if d := DecideBelow(layers, path[:i], true); d.Verdict == Ignored {
			return d
		}
	}
	return DecideBelow(layers, path, isDir)
}

// DecideBelow is Decide where none of the directories above the path is ignored, for a
// walk that has asked about each on its way down.
func DecideBelow(layers []Layer, path string, isDir bool) Decision {
	for i := len(layers) - 1; i >= 0; i-- {
		l := &layers[i]
		rest, exceptions := l.below(path)
		if v, p := l.Rules.match(rest, isDir, exceptions); v != None {
			return Decision{Verdict: v, Pattern: p, Source: l.Source, At: path}
		}
	}
	return Decision{}
}

// below is the path relative to the layer's directory, or "" if it is not below it. Where
// denials count in any case, they count below the directory in any case; exceptions tells
// whether the path is below it as written.
func (l *Layer) below(path string) (rest string, exceptions bool) {
	if l.Dir == "" {
		return path, true
	}
	if n := len(l.Dir); len(path) > n && path[n] == '/' && path[:n] == l.Dir {
		return path[n+1:], true
	}
	if l.Rules == nil || !l.Rules.fold {
		return "", false
	}
	rest = path
	for range strings.Count(l.Dir, "/") + 1 {
		_, after, ok := strings.Cut(rest, "/")
		if !ok {
			return "", false
		}
		rest = after
	}
	if fold(path[:len(path)-len(rest)-1]) != fold(l.Dir) {
		return "", false
	}
	return rest, false
}
