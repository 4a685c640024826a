import {
  type AgentEvent,
  AgentState,
  AgentStopError,
  defineHook,
  defineTool,
  StopSignal,
} from '@vitrine/core';
import type { HookPoint } from '@vitrine/core/types';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { call, expectRun, final, iter, scripted, errorStep, throws } from './fixtures.ts';

const of = <Type extends AgentEvent['type']>(events: readonly AgentEvent[], type: Type) =>
  events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);
const rejecting = (on: HookPoint, error: unknown) =>
  defineHook({ name: 'stops', on, run: () => Promise.reject(error) });

describe('an error of the model', () => {
  it('64 an error of the model fails the run, is reported, and calls the error hooks once', async () => {
    const heard: unknown[] = [];
    const hook = defineHook({
      name: 'e',
      on: 'on-error',
      run: (_state, { fields }) => void heard.push(fields.errors?.map(({ message }) => message)),
    });
    const { events } = await expectRun([throws('boom')], { hooks: [hook] }).toEnd('failed', 'error-forbade');
    expect(of(events, 'error-record').map(({ error }) => error.message)).toEqual(['boom']);
    expect(heard).toEqual([['boom']]);
    expect(events.at(-1)).toMatchObject({ type: 'execution-end', status: 'failed' });
  });

  it('66 an error of the model is recorded once, in the step that was prepared for it', async () => {
    const ids: unknown[] = [];
    const look = defineHook({
      name: 'look',
      on: 'before-step',
      run: (state) => void ids.push(AgentState.currentStep(state)?.id),
    });
    const { state, events } = await expectRun([throws('x')], { hooks: [look] }).toEnd(
      'failed',
      'error-forbade',
      { steps: 1 },
    );
    expect(AgentState.steps(state)).toMatchObject([{ id: ids[0], errors: [{ message: 'x' }] }]);
    expect(of(events, 'step-end')).toHaveLength(1);
  });

  it('67 an error of the model after a step with a call gives two states, the last one failed', async () => {
    const states = await iter(scripted([call('nope'), errorStep('boom')]));
    expect(states.map(AgentState.status)).toEqual(['in-progress', 'failed']);
    expect(AgentState.errors(states[1]!).some(({ message }) => message === 'boom')).toBe(true);
  });

  it('77 an error of the model that a hook recovers leaves the run completed, with errors', async () => {
    let asks = 0;
    const hook = defineHook({
      name: 'again',
      on: 'after-step',
      run: (state) => (asks++ === 0 ? AgentState.withExecutionContinued(state) : state),
    });
    const { state } = await expectRun([throws('x'), final('Better')], { hooks: [hook] }).toEnd(
      'completed',
      'completed',
      { steps: 2, text: 'Better' },
    );
    expect(AgentState.hasErrors(state)).toBe(true);
    expect(AgentState.stopSignals(state).map(({ reason }) => reason)).toEqual(['completed']);
  });
});

describe('an error of a tool', () => {
  it('69 an error of a tool in every step ends at the limit of steps, stopped', async () => {
    const { state } = await expectRun([call('bad')], { budget: { maxSteps: 2 } }).toEnd(
      'stopped',
      'steps-limit-reached',
      { steps: 2 },
    );
    expect(AgentState.hasErrors(state)).toBe(true);
  });
});

describe('a stop exception', () => {
  const carried = StopSignal.userRequested({ message: 'm', context: { c: 1 }, source: 's' });
  const kept = { reason: 'user-requested', message: 'm', context: { c: 1 }, source: 's' };

  it('72 a stop exception of a hook or a tool records the signal that it carries', async () => {
    const error = new AgentStopError(carried);
    const inHook = await expectRun([final()], { hooks: [rejecting('before-inference', error)] }).toEnd(
      'stopped',
      'user-requested',
    );
    const tool = defineTool({
      name: 'stops',
      description: '',
      input: z.object({}),
      execute: () => Promise.reject(error),
    });
    const inTool = await expectRun([call('stops')], { tools: [tool] }).toEnd('stopped', 'user-requested');
    for (const { state } of [inHook, inTool]) expect(AgentState.stopSignals(state)).toMatchObject([kept]);
  });

  it('73 a stop exception without a message shows its reason', () => {
    expect(new AgentStopError(StopSignal.userRequested()).message).toBe('user-requested');
    expect(new AgentStopError(carried).message).toBe('m');
  });

  it('76 a stop exception before a step stops with stop-requested and no step', async () => {
    await expectRun([final()], { hooks: [rejecting('before-step', new AgentStopError())] }).toEnd(
      'stopped',
      'stop-requested',
      { steps: 0, modelCalls: 0 },
    );
  });
});
