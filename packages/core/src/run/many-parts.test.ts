import { describe, expect, it } from 'vitest';
import * as AgentState from './agent-state.ts';
import type { InferenceEvent } from '../model/inference-client.ts';
import { none } from '../graph/usage.ts';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { fold } from './apply.ts';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';
import type { AgentChange } from './events.ts';
import { mergeDeltas } from './merge-deltas.ts';
import { work } from '../kit/work.ts';

const most = 1000;

/** An answer that alternates parts of text and reasoning, so that no two deltas belong to one part. */
async function* parts(count: number): AsyncGenerator<InferenceEvent> {
  yield { type: 'start', id: null, model: 'm' };
  for (let at = 0; at < count; at += 2) {
    yield { type: 'text-delta', partId: `t${at}`, delta: `${at} ` };
    yield { type: 'reasoning-delta', partId: `r${at}`, delta: `${at} ` };
  }
  yield { type: 'source', id: 's', url: null, title: 'One source too many' } as InferenceEvent;
  yield { type: 'finish', finishReason: 'stop', usage: none() };
}

describe('an answer of more parts than a message may have', () => {
  it(
    'an answer of more parts keeps 1,000 parts with all of its text, also when deltas are merged',
    { timeout: 300_000 },
    async () => {
      const count = most + 60;
      const loop = createAgentLoop(scriptedAgent([], { inference: { stream: () => parts(count) } }));
      const changes: AgentChange[] = [];
      const base = ask();
      let state = base;
      for await (const next of loop.stream(base)) {
        if (next.event.seq !== null) changes.push(next.event);
        ({ state } = next);
      }
      const message = AgentState.messages(state).at(-1);
      expect(message?.parts).toHaveLength(most);
      for (const type of ['text', 'reasoning'] as const) {
        const texts = message?.parts.flatMap((part) => (part.type === type ? [part.text] : [])) ?? [];
        expect(texts.join('')).toBe(Array.from({ length: count / 2 }, (_, at) => `${at * 2} `).join(''));
      }
      expect(fold(base, mergeDeltas(changes))).toEqual(state);
    },
  );

  it('an answer of twice the parts costs twice the work, far beyond the most parts of a message', async () => {
    const [some, more] = [await workOf(10 * most), await workOf(20 * most)];
    expect(more.copied / some.copied).toBeLessThan(2.2);
    expect(more.units / some.units).toBeLessThan(2.2);
    expect(more.copied).toBeLessThan(20 * most * (most + 10));
  });
});

/** The work of a run whose answer has this many parts. */
async function workOf(count: number): Promise<typeof work> {
  const loop = createAgentLoop(scriptedAgent([], { inference: { stream: () => parts(count) } }));
  const before = { ...work };
  await loop.execute(ask());
  return { units: work.units - before.units, copied: work.copied - before.copied };
}
