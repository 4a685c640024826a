import { AgentState, createAgentLoop, defineAgent, type AgentEvent } from '@vitrine/core';
import { type ScriptedStep, scriptedInference } from '@vitrine/testing';
import { expect, it } from 'vitest';
import { texts } from '../texts.ts';
import { foundSentence } from './found-sentence.ts';

const ended = (step: ScriptedStep): Promise<AgentState> =>
  createAgentLoop(defineAgent({ inference: scriptedInference([step]) })).execute(
    AgentState.withUserMessage(AgentState.create(), 'Hi'),
  );
const missing = (filename: string | null): AgentEvent => ({
  type: 'attachment-missing',
  messageId: 'a',
  hash: 'b',
  filename,
  seq: null,
  at: 1,
  path: [],
});

it.each([
  ['was cut', { text: 'Half', finishReason: 'length' }, [], 'The answer was cut at the length limit.'],
  ['was broken off', { text: 'Half', finishReason: 'other' }, [], texts.findings.brokenOff],
  ['lacks a file', { text: 'All' }, [missing('a.pdf')], 'The model could not read a.pdf. Attach it again.'],
  ['lacks a file without a name', { text: 'All' }, [missing(null)], texts.findings.fileMissing(null)],
  ['is whole', { text: 'All' }, [], null],
] as const)('an answer that %s', async (_what, step, events, sentence) => {
  expect(foundSentence(await ended(step), events, texts.findings)).toBe(sentence);
});

it('two findings are two sentences', async () => {
  const state = await ended({ text: 'Half', finishReason: 'length' });
  const sentence = foundSentence(state, [missing('a.pdf')], texts.findings);
  expect(sentence).toContain(texts.findings.cut);
  expect(sentence).toContain('a.pdf');
});
