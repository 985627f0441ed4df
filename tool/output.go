package tool

import (
	"context"
	"errors"
)

// conclude makes the result of what dispatch came to: stage 9.
func (x *execution) conclude(value Value, err error) Result {
	if err != nil {
		return failed(err)
	}
	if x.def == nil { // a hook answered in the body's place
		def, ok := x.r.Get(x.exec.Name, x.scope)
		if !ok {
			return failed(unknownTool(x.exec.Name))
		}
		x.def = def
	}
	return x.succeeded(value)
}

// succeeded checks a value and projects it. A failure of a projector is the tool's.
func (x *execution) succeeded(value Value) Result {
	if list := x.check(value); list != nil {
		return failed(invalidOutput(x.exec.Name, list...))
	}
	result := Result{Value: value}
	var err error
	if result.Content, err = x.render(value); err != nil {
		return failed(invalidOutput(x.exec.Name, "output.render failed: "+messageOf(err)))
	}
	if x.exec.Parent == "" && x.def.Output.Meta != nil {
		if result.Meta, err = x.meta(value); err != nil {
			return failed(invalidOutput(x.exec.Name, "output.presentationMeta failed: "+messageOf(err)))
		}
	}
	return result
}

// check gives the violations of a value. One that cannot show itself is no data.
func (x *execution) check(value Value) (list []string) {
	if value == nil {
		return []string{notLossless}
	}
	var err error
	func() {
		defer x.r.recovered(&err)
		list = x.def.Output.Schema.ValidateValue(value)
	}()
	if err != nil {
		return []string{notLossless}
	}
	return list
}

func (x *execution) render(value Value) (content []Block, err error) {
	defer x.r.recovered(&err)
	return x.def.Output.Render(x.exec.Args, value), nil
}

func (x *execution) meta(value Value) (meta any, err error) {
	defer x.r.recovered(&err)
	return x.def.Output.Meta(x.exec.Args, value), nil
}

// review lets the post-execute hooks decide what becomes of the result: stage 11.
func (x *execution) review(ctx context.Context) Result {
	hooks := x.r.post.All()
	if len(hooks) == 0 {
		return x.result
	}
	decision, err := waterfall(ctx, x.r, hooks,
		func(c context.Context, h PostExecute, next func(context.Context) (PostDecision, error)) (PostDecision, error) {
			return h(c, x.exec, x.result, func() (PostDecision, error) { return next(c) })
		},
		func(context.Context) (PostDecision, error) { return PostDecision{}, nil })
	switch {
	case err != nil:
		return failed(err)
	case decision.Block && decision.Feedback == "":
		return failed(errors.New("the result was blocked"))
	case decision.Block:
		return failed(errors.New(decision.Feedback))
	case decision.Content != nil && decision.Value != nil:
		return failed(errors.New("a result's content or its value can be replaced, not both"))
	case decision.Value != nil && x.result.IsError:
		return failed(errors.New("a failed result has no value to replace"))
	case decision.Value != nil:
		return x.succeeded(decision.Value)
	case decision.Content != nil:
		result := x.result
		result.Content = decision.Content
		return result
	}
	return x.result
}
