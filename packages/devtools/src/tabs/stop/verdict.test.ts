import { AgentState, StopReason, StopSignal } from '@vitrine/core';
import { describe, expect, it } from 'vitest';
import { decidingBranch, reasonWords, verdict } from './verdict.ts';

describe('the verdict', () => {
  it('names the signal that core says has won, for every pair of reasons', () => {
    for (const first of StopReason.stopReasons) {
      for (const second of StopReason.stopReasons) {
        const state = AgentState.withExecutionCompleted(
          [first, second].reduce(
            (current, reason) => AgentState.withStopSignal(current, StopSignal.of(reason)),
            AgentState.create(),
          ),
        );
        const winner = AgentState.stopReason(state)!;
        expect(verdict(state)).toContain(winner === 'completed' ? 'It finished' : reasonWords[winner]);
        expect(decidingBranch(state, [])).toBe(winner === 'completed' ? 'nothing-left' : 'stop-signals');
      }
    }
  });

  it('has other words for every reason, and none of its name', () => {
    const words = Object.entries(reasonWords);
    expect(new Set(words.map(([, text]) => text)).size).toBe(StopReason.stopReasons.length - 1);
    for (const [reason, text] of words) expect(text).not.toContain(reason);
  });

  it('is plain about runs that have not ended', () => {
    expect(verdict(AgentState.create())).toBe('It has not run yet.');
    expect(verdict(AgentState.withExecutionStatus(AgentState.create(), 'in-progress'))).toMatch(
      /in progress/,
    );
  });
});
