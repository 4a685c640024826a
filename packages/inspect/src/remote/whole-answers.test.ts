import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { createWholeAnswers } from './share-sessions.ts';

const event = (type: string, path: readonly string[] = []): AgentEvent =>
  ({ type, path, seq: 1, at: 1 }) as unknown as AgentEvent;
const names = (events: readonly AgentEvent[]): string[] =>
  events.map(({ type, path }) => [...path, type].join(' '));

describe('the answers of shared sessions', () => {
  it('an answer is held back until its end, per agent, with the events beside it', () => {
    const answers = createWholeAnswers();
    const add = (type: string, ...path: string[]): string[] => names(answers.add(event(type, path)));
    expect(add('text-delta', 'a')).toEqual([]);
    expect(add('tool-progress')).toEqual(['tool-progress']);
    expect(add('metadata-change', 'a')).toEqual([]);
    expect(add('inference-end', 'b')).toEqual(['b inference-end']);
    expect(add('inference-end', 'a')).toEqual(['a text-delta', 'a metadata-change', 'a inference-end']);
    expect(add('step-end', 'a')).toEqual(['a step-end']);
  });

  it('an answer is held back no longer than its parent agent or its journal lasts', () => {
    const answers = createWholeAnswers();
    answers.add(event('reasoning-delta', ['a', 'b']));
    answers.add(event('text-delta', ['ab']));
    expect(names(answers.add(event('execution-end', ['a'])))).toEqual([
      'a b reasoning-delta',
      'a execution-end',
    ]);
    expect(names(answers.end())).toEqual(['ab text-delta']);
    expect(answers.end()).toEqual([]);
  });

  it('the input of a tool is not sent letter by letter', () => {
    const answers = createWholeAnswers();
    expect([...answers.add(event('tool-call-delta')), ...answers.end()]).toEqual([]);
  });
});
