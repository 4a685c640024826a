import { AgentState, Message, type StopReason, StopSignal } from '@vitrine/core';
import { describe, expect, it } from 'vitest';
import { endOfAnswer } from './end-of-answer.ts';
import { texts } from './texts.ts';

/** A state whose run a signal ended. */
function ended(signal: StopSignal): AgentState {
  const asked = AgentState.create({ messages: [Message.user('Hi'), Message.assistant('Hello!')] });
  const stopped = AgentState.withStopSignal(AgentState.forNextExecution(asked), signal);
  return AgentState.withExecutionCompleted(stopped);
}

/** All reasons: the type check fails when one is missing. */
const sentences: Readonly<Record<StopReason, string | null>> = {
  'error-forbade': null,
  'stop-requested': 'Stopped',
  'steps-limit-reached': 'Stopped: Budget of the team.',
  'token-limit-reached': 'Stopped: Budget of the team.',
  'time-limit-reached': 'Stopped: Budget of the team.',
  'cost-limit-reached': 'Stopped: Budget of the team.',
  'retry-limit-reached': null,
  'finish-reason-received': null,
  'user-requested': 'Stopped by you',
  completed: null,
  unknown: 'Stopped',
};

describe('the end of an answer', () => {
  it.each(Object.entries(sentences))('a run that ended with %s shows the sentence %j', (reason, sentence) => {
    const signal = StopSignal.of(reason as StopReason, { message: 'Budget of the team' });
    expect(endOfAnswer(ended(signal), texts.endOfAnswer).sentence).toBe(sentence);
  });

  it('a reason that a newer version stored is shown as a stop', () => {
    const state = ended(StopSignal.of('completed'));
    const newer = JSON.parse(JSON.stringify(state).replaceAll('"completed"', '"quota-of-team-reached"'));
    expect(endOfAnswer(newer as AgentState, texts.endOfAnswer)).toEqual({
      sentence: 'Stopped',
      isLimit: false,
      isCut: false,
    });
  });
});
