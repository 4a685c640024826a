import { describe, expect, it } from 'vitest';
import * as Continuation from './execution-continuation.ts';
import * as StopSignal from './stop-signal.ts';

const signal = StopSignal.of('user-requested');

describe('the stop signals of an execution', () => {
  it('signals of one priority are decided by their order, and an empty list decides nothing', () => {
    const signals = [StopSignal.of('unknown', { source: 'a' }), StopSignal.of('unknown', { source: 'b' })];
    expect(StopSignal.highest(signals)?.source).toBe('a');
    expect(StopSignal.highest([])).toBe(null);
  });

  it('signals are sorted by priority without changing the list', () => {
    const signals = [signal, StopSignal.of('stop-requested')];
    expect(StopSignal.byPriority(signals).map(({ reason }) => reason)).toEqual([
      'stop-requested',
      'user-requested',
    ]);
    expect(signals[0]).toBe(signal);
  });
});

describe('the continuation of an execution', () => {
  it('a continuation request moves the signals it overrides, with their record', () => {
    const asked = Continuation.of({ stopSignals: [signal], isContinuationRequested: true });
    const consumed = Continuation.withRequestConsumed(asked);
    expect(consumed).toEqual({ stopSignals: [], isContinuationRequested: false, overridden: [signal] });
    expect(Continuation.withRequestConsumed(consumed)).toBe(consumed);
  });
});
