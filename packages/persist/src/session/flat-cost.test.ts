import { describe, expect, it } from 'vitest';
import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import * as AgentState from '@vitrine/core/internal/run/agent-state';
import { none } from '@vitrine/core/internal/graph/usage';
import { work } from '@vitrine/core/internal/kit/work';
import type { InferenceEvent } from '@vitrine/core/internal/model/inference-client';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';

const tools = [fakeTool('tool', 'done')];

/** The work of a session with a store that is sent some messages, the document of its state included. */
async function workOf(agent: AgentDefinition, messages: number): Promise<typeof work> {
  const session = createAgentSession({ sessions: memorySessions(), sessionId: 'a', agent });
  await session.ready;
  const before = { ...work };
  for (let at = 0; at < messages; at++) await session.sendMessage(`Message ${at}`);
  AgentState.toJSON(session.store.getState().state);
  const after = { ...work };
  await session.dispose();
  return { units: after.units - before.units, copied: after.copied - before.copied };
}

function stepping(stepsOfTurn: number): AgentDefinition {
  let called = 0;
  const step = () =>
    ++called % stepsOfTurn === 0
      ? { text: 'done' }
      : { text: 'so', toolCalls: [{ name: 'tool', input: {} }] };
  return scriptedAgent([step], { tools, budget: { maxSteps: null } });
}

function calling(calls: number): AgentDefinition {
  const toolCalls = Array.from({ length: calls }, (_, at) => ({ name: 'tool', input: { at } }));
  return scriptedAgent([{ toolCalls }, { text: 'done' }], { tools, maxToolCalls: calls });
}

async function* parts(count: number): AsyncGenerator<InferenceEvent> {
  yield { type: 'start', id: null, model: 'm' };
  for (let at = 0; at < count; at++)
    yield { type: at % 2 ? 'text-delta' : 'reasoning-delta', partId: `${at}`, delta: `${at} ` };
  yield { type: 'finish', finishReason: 'stop', usage: none() };
}

describe('a session with a store', () => {
  it.each<[string, number, (times: number) => Promise<typeof work>]>([
    ['steps in one turn', 100, (steps) => workOf(stepping(steps), 1)],
    ['turns of five steps', 20, (turns) => workOf(stepping(5), turns)],
    ['calls in one answer', 250, (calls) => workOf(calling(calls), 1)],
    [
      'parts in one answer',
      500,
      (count) => workOf(scriptedAgent([], { inference: { stream: () => parts(count) } }), 1),
    ],
  ])('four times as many %s take four times the work', { timeout: 120_000 }, async (_name, times, run) => {
    await run(10);
    const [few, many] = [await run(times), await run(times * 4)];
    expect(many.units).toBeLessThanOrEqual(few.units * 4.4);
  });

  it('a step in turns of 20 takes the same work after 20,000 events as after 2,000', async () => {
    const step = { text: 'so', toolCalls: [{ name: 'tool', input: {} }] };
    const agent = scriptedAgent([step], { tools, budget: { maxSteps: 20 } });
    const session = createAgentSession({ sessions: memorySessions(), sessionId: 'a', agent });
    await session.ready;
    const { store } = session;
    /** The median of some turns: in a few of them the growing tail is folded into the snapshot. */
    const workAfter = async (events: number): Promise<number> => {
      const units: number[] = [];
      while (units.length < 9) {
        const before = { ...work };
        await session.sendMessage('Go on');
        if (store.getState().state.seq > events) units.push(work.units - before.units);
      }
      return units.toSorted((a, b) => a - b)[4] ?? 0;
    };
    const [early, late] = [await workAfter(2000), await workAfter(20_000)];
    expect(late).toBeLessThanOrEqual(early * 1.05);
    await session.dispose();
  });

  it('the calls of one answer are copied once with each of their events', async () => {
    const calls = 500;
    const { copied } = await workOf(calling(calls), 1);
    // A call joins the answer, starts, ends and is settled; results and requests are copied once for all.
    expect(copied / calls).toBeLessThanOrEqual(3.5 * calls + 20);
  });
});
