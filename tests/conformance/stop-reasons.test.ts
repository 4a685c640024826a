import {
  AgentState,
  AgentStep,
  ExecutionContinuation,
  Message,
  type StopReason as Reason,
  StopReason,
  StopSignal,
} from '@vitrine/core';
import { describe, expect, it } from 'vitest';

const signal = StopSignal.of;
const withSignals = (...reasons: readonly Reason[]): AgentState =>
  reasons.reduce(
    (state, reason) => AgentState.withStopSignal(state, signal(reason)),
    AgentState.withCurrentStep(
      AgentState.create(),
      AgentStep.of({ outputMessages: [Message.assistant('x')] }),
    ),
  );

describe('stop reasons', () => {
  it('30 the stop reasons are exactly these, in this priority', () => {
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
    const priorities = StopReason.stopReasons.map(StopReason.priority);
    expect(priorities).toEqual(priorities.toSorted((a, b) => a - b));
    expect(new Set(priorities).size).toBe(11);
  });

  it('32 the stop reasons are forced, except for completed and finish-reason-received', () => {
    const natural = StopReason.stopReasons.filter((reason) => !StopReason.wasForceStopped(reason));
    expect(natural).toEqual(['finish-reason-received', 'completed']);
    expect(StopReason.wasForceStopped('unknown')).toBe(true);
  });
});

describe('stop signals', () => {
  it('33 stop signals are decided by priority, and keep their order', () => {
    const state = withSignals('finish-reason-received', 'steps-limit-reached');
    expect(AgentState.stopReason(state)).toBe('steps-limit-reached');
    expect(AgentState.stopSignals(state)[0]?.reason).toBe('finish-reason-received');
    const { continuation } = state.execution!;
    expect(ExecutionContinuation.highestSignal(continuation)?.reason).toBe('steps-limit-reached');
  });

  it('38 stop signals that come later with a higher priority decide, with their source', () => {
    const archived = AgentState.withCurrentStepCompleted(withSignals('completed'));
    const message = 'cancelled before next step';
    const ended = AgentState.withExecutionCompleted(
      AgentState.withStopSignal(archived, StopSignal.userRequested({ message, source: 'later' })),
    );
    expect(AgentState.status(ended)).toBe('stopped');
    expect(AgentState.stopSignal(ended)).toMatchObject({ reason: 'user-requested', message });
    expect(AgentState.stopSource(ended)).toBe('later');
  });

  it('39 stop signals of one priority are decided by the archived step', () => {
    const step = AgentState.withStopSignal(withSignals(), StopSignal.userRequested({ source: 'step' }));
    const archived = AgentState.withCurrentStepCompleted(step);
    const both = AgentState.withStopSignal(archived, StopSignal.userRequested({ source: 'execution' }));
    expect(AgentState.stopSignals(both).map(({ source }) => source)).toEqual(['step', 'execution']);
    expect(AgentState.stopSource(both)).toBe('step');
  });

  it('40 decide the status: the highest one does, and a finish reason is a natural end', () => {
    const end = (...reasons: Reason[]): (string | null)[] => {
      const ended = AgentState.withExecutionCompleted(withSignals(...reasons));
      return [AgentState.status(ended), AgentState.stopReason(ended)];
    };
    expect(end('completed', 'user-requested')).toEqual(['stopped', 'user-requested']);
    expect(end('finish-reason-received')).toEqual(['completed', 'finish-reason-received']);
  });

  it('41 stop signals of the user have an empty message, context and source by default', () => {
    expect(StopSignal.userRequested()).toEqual({
      reason: 'user-requested',
      message: '',
      context: {},
      source: null,
      at: expect.any(Number),
    });
  });

  it('42 stop signals without a reason, or with an unknown one, are refused with their place', () => {
    const good = ExecutionContinuation.of({ stopSignals: [StopSignal.userRequested()] });
    const document = JSON.stringify(ExecutionContinuation.toJSON(good));
    expect(ExecutionContinuation.fromJSON(JSON.parse(document))).toEqual(good);
    for (const reason of [null, '"because"']) {
      const damaged = document.replace('"reason":"user-requested",', reason ? `"reason":${reason},` : '');
      expect(damaged).not.toBe(document);
      expect(() => ExecutionContinuation.fromJSON(JSON.parse(damaged))).toThrow(
        expect.objectContaining({ code: 'state-invalid', message: expect.stringContaining('reason') }),
      );
    }
    expect(() => signal('because' as never)).toThrow(expect.objectContaining({ code: 'signal-invalid' }));
  });
});

describe('a continuation', () => {
  const stopSignals = [StopSignal.userRequested()];
  it.each([
    ['35 without signals goes on', {}, false],
    ['35 with a signal stops', { stopSignals }, true],
    ['35 with a signal and a request goes on', { stopSignals, isContinuationRequested: true }, false],
    ['35 with a request only goes on', { isContinuationRequested: true }, false],
  ])('%s', (_title, init, expected) => {
    expect(ExecutionContinuation.shouldStop(ExecutionContinuation.of(init))).toBe(expected);
  });

  it('36 a continuation explains itself in words', () => {
    const limits = [
      signal('steps-limit-reached', { message: 'Step limit reached: 1/1' }),
      signal('token-limit-reached', { message: 'T' }),
    ];
    expect(ExecutionContinuation.explain(ExecutionContinuation.of({ stopSignals: limits }))).toBe(
      'Stop Signals: steps-limit-reached: Step limit reached: 1/1 | token-limit-reached: T; Continuation Requested: No',
    );
    expect(ExecutionContinuation.explain(ExecutionContinuation.of())).toBe(
      'No Stop Signals; Continuation Requested: No',
    );
    const asked = ExecutionContinuation.of({ isContinuationRequested: true });
    expect(ExecutionContinuation.explain(asked)).toBe('No Stop Signals; Continuation Requested: Yes');
  });
});
