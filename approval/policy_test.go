package approval_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/tool"
)

// A policy says whether somebody is asked; it never says yes.
func TestPolicies(t *testing.T) {
	for _, c := range []struct {
		standing, session approval.Policy
		asked             int32
		want              tool.Outcome
	}{
		{"", "", 1, approval.AllowedOnce},
		{approval.Ask, "", 1, approval.AllowedOnce},
		{approval.Never, "", 0, approval.Rejected},
		{approval.Ask, approval.Never, 0, approval.Rejected},
		{approval.Never, approval.Ask, 1, approval.AllowedOnce},
	} {
		var asked atomic.Int32
		s := service(t, approval.Options{Policy: c.standing, Answerer: func(context.Context, approval.Request) (approval.Answer, error) {
			asked.Add(1)
			return approval.Answer{Outcome: approval.AllowedOnce}, nil
		}})
		if c.session != "" {
			if _, err := s.SetPolicy("A", c.session); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Request(t.Context(), request())
		if err != nil || got.Outcome != c.want || asked.Load() != c.asked {
			t.Errorf("%s, %s: %+v, %v, asked %d times", c.standing, c.session, got, err, asked.Load())
		}
	}
	// Not even a policy that asks helps where nobody answers.
	if got, err := service(t, approval.Options{Policy: approval.Ask}).Request(t.Context(), request()); err != nil || got.Outcome != approval.Unavailable {
		t.Errorf("without an answerer: %+v, %v", got, err)
	}
}

func TestPolicyChangesAndTexts(t *testing.T) {
	s := service(t, approval.Options{})
	const ask = "Approval policy: ask. Operations that require approval may ask through the configured answerers; without an available answerer, the request fails closed."
	const never = "Approval prompts are disabled in this session: actions that require approval are rejected automatically — do not request sandbox escalation (do not set `sandbox_permissions`)."
	for _, step := range []struct {
		to           approval.Policy
		notice, text string
	}{
		{approval.Ask, "", ask},
		{approval.Never, `The approval policy changed from "ask" to "never" (changed by the user).`, never},
		{approval.Never, "", never},
		{approval.Ask, `The approval policy changed from "never" to "ask" (changed by the user).`, ask},
	} {
		notice, err := s.SetPolicy("A", step.to)
		if err != nil || notice != step.notice || s.Context("A") != step.text || s.Policy("A") != step.to {
			t.Errorf("to %s: %q, %v, %q", step.to, notice, err, s.Context("A"))
		}
	}
	if _, err := s.SetPolicy("A", approval.Never); err != nil {
		t.Fatal(err)
	}
	if s.Context("B") != ask {
		t.Error("another session's policy changed too")
	}
	const want = `approval policy must be one of "ask" or "never"`
	if _, err := s.SetPolicy("A", "always"); err == nil || err.Error() != want || s.Policy("A") != approval.Never {
		t.Errorf("always: %v, %s", err, s.Policy("A"))
	}
	if _, err := approval.NewService(approval.Options{Policy: "always"}); err == nil || err.Error() != want {
		t.Errorf("always: %v", err)
	}
	if _, err := approval.ParsePolicy("yes"); err == nil {
		t.Error("yes is a policy")
	}
	s.Forget("A")
	if s.Policy("A") != approval.Ask {
		t.Error("a session that ended keeps its policy")
	}
}
