import { describe, expect, it } from 'vitest';
import * as AgentState from '../../run/agent-state.ts';
import * as AgentStep from '../agent-step.ts';
import { ofCall } from '../tool-execution.ts';
import * as Usage from '../usage.ts';
import * as Message from '../message.ts';
import type { AgentStep as Step } from '../types.ts';

const response = (): Step['inferenceResponse'] => ({
  id: null,
  model: null,
  finishReason: 'stop',
  usage: Usage.none(),
  durationMs: 1,
  firstDeltaMs: null,
});
const finalStep = (text: string): Step =>
  AgentStep.of({ outputMessages: [Message.assistant(text)], inferenceResponse: response() });
const toolStep = (): Step =>
  AgentStep.of({
    outputMessages: [Message.assistant('')],
    toolExecutions: [ofCall({ id: 'c1', name: 'ok', input: {}, providerCallId: null })],
    inferenceResponse: response(),
  });
const archive = (step: Step): ReturnType<typeof AgentState.create> =>
  AgentState.withCurrentStepCompleted(AgentState.withCurrentStep(AgentState.create(), step));

describe('the transitions of a state', () => {
  it('a transition freezes its result in development', () => {
    const state = AgentState.withMetadata(AgentState.create(), { a: { b: 1 } });
    expect(Object.isFrozen(state.context.metadata['a'])).toBe(true);
  });

  it('a transition returns the same state when nothing changes', () => {
    const state = AgentState.create();
    expect(AgentState.withMetadata(state, {})).toBe(state);
    expect(AgentState.withSystemPrompt(state, '')).toBe(state);
    expect(AgentState.withLlmConfig(state, null)).toBe(state);
  });

  it('an error before any run creates a pending execution', () => {
    const failed = AgentState.withFailure(AgentState.create(), new Error('x'));
    expect([AgentState.status(failed), AgentState.stopReason(failed)]).toEqual(['pending', 'error-forbade']);
  });
});

describe('the steps of a state', () => {
  it('a step that is applied again replaces the earlier one and is not duplicated', () => {
    const step = finalStep('a');
    const once = AgentState.withCurrentStep(AgentState.create(), step);
    const current = AgentState.currentStep(once);
    const twice = AgentState.withCurrentStep(once, {
      ...step,
      outputMessages: current?.outputMessages ?? [],
    });
    expect(AgentState.messages(twice)).toHaveLength(1);
  });
});

describe('the accessors of a state', () => {
  it('an accessor returns the same reference for the same state', () => {
    const state = AgentState.withCurrentStep(archive(toolStep()), finalStep('x'));
    const skipped = new Set(['create', 'toJSON', 'fromJSON', 'executionDuration']);
    for (const [name, accessor] of Object.entries(AgentState)) {
      if (
        name.startsWith('with') ||
        name.startsWith('for') ||
        skipped.has(name) ||
        typeof accessor !== 'function'
      )
        continue;
      const select = accessor as (state: unknown) => unknown;
      expect(select(state), name).toBe(select(state));
    }
  });
});
