import { describe, expect, it } from 'vitest';
import { checkDecision } from './approval-decision.ts';

describe('a decision about a tool call', () => {
  it('a decision runs, asks or rejects', () => {
    expect(checkDecision(false, 't')).toEqual({ kind: 'allow' });
    expect(checkDecision(true, 't')).toEqual({ kind: 'ask', reason: null });
    expect(checkDecision({ ask: 'why' }, 't')).toEqual({ kind: 'ask', reason: 'why' });
    expect(checkDecision({ deny: 'no' }, 't')).toEqual({ kind: 'deny', reason: 'no' });
    expect(checkDecision({ ask: 'why', deny: 'no' }, 't')).toEqual({ kind: 'deny', reason: 'no' });
  });

  it('a decision of another shape lets no call through', () => {
    for (const wrong of [undefined, null, 0, '', 'deny', {}, { kind: 'allow' }, { ask: true }, []]) {
      expect(() => checkDecision(wrong, 't')).toThrow(expect.objectContaining({ code: 'agent-invalid' }));
    }
  });
});
