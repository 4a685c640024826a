import { AgentState, StopReason, StopSignal } from '@vitrine/core';
import { describe, expect, it } from 'vitest';
import { decidingBranch, verdict } from './verdict.ts';

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
        expect(verdict(state)).toContain(winner === 'completed' ? 'It finished' : winner);
        expect(decidingBranch(state, [])).toBe(winner === 'completed' ? 'nothing-left' : 'stop-signals');
      }
    }
  });

  it('is plain about runs that have not ended', () => {
    expect(verdict(AgentState.create())).toBe('It has not run yet.');
    expect(verdict(AgentState.withExecutionStatus(AgentState.create(), 'in-progress'))).toMatch(
      /in progress/,
    );
  });
});
