import { describe, expect, it } from 'vitest';
import * as Continuation from './execution-continuation.ts';
import * as StopReason from './stop-reason.ts';
import * as StopSignal from './stop-signal.ts';

const signal = StopSignal.of('user-requested');

describe('stop reasons', () => {
  it('case 30: are these, in this order', () => {
    expect(StopReason.stopReasons).toEqual([
      'error-forbade',
      'stop-requested',
      'steps-limit-reached',
      'token-limit-reached',
      'time-limit-reached',
      'cost-limit-reached',
      'retry-limit-reached',
      'finish-reason-received',
      'user-requested',
      'completed',
      'unknown',
    ]);
  });

  it('case 32: are forced, but for the two of a natural end', () => {
    const natural = StopReason.stopReasons.filter((reason) => !StopReason.wasForceStopped(reason));
    expect(natural).toEqual(['finish-reason-received', 'completed']);
  });
});

describe('stop signals', () => {
  it('case 33: are decided by priority, not by order', () => {
    const signals = [StopSignal.of('finish-reason-received'), StopSignal.of('steps-limit-reached')];
    expect(StopSignal.highest(signals)).toBe(signals[1]);
    expect(StopSignal.byPriority(signals)[0]).toBe(signals[1]);
    expect(StopSignal.highest([])).toBeNull();
  });

  it('of one priority are decided by order', () => {
    const signals = [StopSignal.of('unknown', { source: 'a' }), StopSignal.of('unknown', { source: 'b' })];
    expect(StopSignal.highest(signals)?.source).toBe('a');
  });

  it('case 41: have empty defaults', () => {
    expect(StopSignal.userRequested()).toMatchObject({ message: '', context: {}, source: null });
    expect(() => StopSignal.of('because' as never)).toThrow(/unknown/);
  });
});

describe('a continuation', () => {
  it.each([
    ['nothing', Continuation.of(), false],
    ['a signal', Continuation.of({ stopSignals: [signal] }), true],
    [
      'a signal and a request',
      Continuation.of({ stopSignals: [signal], isContinuationRequested: true }),
      false,
    ],
    ['a request', Continuation.of({ isContinuationRequested: true }), false],
  ])('case 35: with %s', (_what, continuation, expected) => {
    expect(Continuation.shouldStop(continuation)).toBe(expected);
  });

  it('case 36: explains itself', () => {
    const stopSignals = [
      StopSignal.of('steps-limit-reached', { message: 'Step limit reached: 1/1' }),
      StopSignal.of('token-limit-reached', { message: 'T' }),
    ];
    expect(Continuation.explain(Continuation.of({ stopSignals }))).toBe(
      'Stop Signals: steps-limit-reached: Step limit reached: 1/1 | token-limit-reached: T; Continuation Requested: No',
    );
    expect(Continuation.explain(Continuation.of({ isContinuationRequested: true }))).toBe(
      'No Stop Signals; Continuation Requested: Yes',
    );
  });

  it('case 59: moves what a request overrides, with its record', () => {
    const consumed = Continuation.withRequestConsumed(
      Continuation.of({ stopSignals: [signal], isContinuationRequested: true }),
    );
    expect(consumed).toEqual({ stopSignals: [], isContinuationRequested: false, overridden: [signal] });
    expect(Continuation.withRequestConsumed(consumed)).toBe(consumed);
  });
});
