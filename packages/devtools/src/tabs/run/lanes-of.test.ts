import { AgentState, defineAgent, defineHook, defineTool, type SessionStore } from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { eventsOf, type JournalRecord } from '@vitrine/inspect';
import { recordAt } from '@vitrine/inspect/internal/journal-record';
import { fakeTool, type ScriptedEntry, scriptedInference } from '@vitrine/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { graphChanges, graphOf, nodesOf } from '../graph/graph-of.ts';
import { graphLayout, mostNodes } from '../graph/graph-layout.ts';
import { recordedRun } from '../recorded-run.fixture.ts';
import { childRecord, stepRecordOf } from '../steps/step-record.ts';
import { lanesOf } from './lanes-of.ts';
import { texts } from '../../texts.ts';
import { timeScale } from './time-scale.ts';

const usage = { inputTokens: 10, outputTokens: 5, cost: 0.5 };

const child = (): ReturnType<typeof defineAgent> =>
  defineAgent({
    name: 'child',
    tools: [fakeTool('look', 1)],
    inference: scriptedInference([
      { toolCalls: [{ name: 'look', input: {} }], usage },
      { text: 'Seen', usage },
    ]),
  });
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const slow = defineTool({
  name: 'slow',
  description: '',
  input: z.object({}),
  execute: () => new Promise((resolve) => setTimeout(() => resolve(1), 30)),
});
const delegating: ScriptedEntry[] = [
  { toolCalls: [{ name: 'delegate', input: { agent: 'child', task: 'Look' } }], usage },
  { text: 'Done', usage },
];

afterEach(() => void vi.useRealTimers());

describe('the waterfall of a run', () => {
  it.each([false, true])(
    'the waterfall shows subagents as inner lanes with their tokens in the step (recorded late: %s)',
    async (isLate) => {
      const lanes = lanesOf(await recordedRun({ subagents: [child()] }, delegating, isLate));
      expect(lanes.map(({ depth, label, state }) => `${depth} ${label} ${state}`)).toEqual([
        '0 1 tool-execution',
        '1 delegate completed',
        '2 1 tool-execution',
        '3 look completed',
        '2 2 final-response',
        '0 2 final-response',
      ]);
      expect(lanes.map(({ tokens }) => tokens)).toEqual([45, 30, 15, 0, 15, 15]);
      expect(lanes[0]?.cost).toBe(1.5);
      for (const { from, to, segments } of lanes)
        for (const segment of segments) {
          expect(segment.from).toBeGreaterThanOrEqual(from);
          expect(segment.to).toBeLessThanOrEqual(to);
        }
    },
  );

  it('the waterfall adds up the usage of three levels of twenty subagents', async () => {
    const asks = Array.from({ length: 20 }, () => ({
      name: 'delegate',
      input: { agent: 'below', task: 'Look' },
    }));
    /** Delegates twenty times at once and answers afterwards; the lowest level answers at once. */
    const level = (below: ReturnType<typeof defineAgent> | null): object => ({
      inference: scriptedInference([
        ({ messages }) =>
          below === null || messages.some(({ role }) => role === 'tool')
            ? { text: 'Done', usage }
            : { toolCalls: asks, usage },
      ]),
      ...(below && { subagents: [below] }),
    });
    const lowest = defineAgent({ name: 'below', ...level(null) } as Parameters<typeof defineAgent>[0]);
    const middle = defineAgent({ name: 'below', ...level(lowest) } as Parameters<typeof defineAgent>[0]);
    const lanes = lanesOf(await recordedRun(level(middle), []));
    // Each agent above the lowest level makes two model calls; the lowest makes one.
    const calls = 2 + 20 * (2 + 20);
    const total = lanes.filter(({ depth }) => depth === 0);
    expect(total.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(15 * calls);
    expect(total.reduce((sum, { cost }) => sum + (cost ?? 0), 0)).toBe(0.5 * calls);
    const perDepth = [0, 1, 2, 3, 4].map((depth) => lanes.filter((lane) => lane.depth === depth).length);
    expect(perDepth).toEqual([2, 20, 40, 400, 400]);
    for (const { tokens, depth } of lanes.filter(({ kind }) => kind === 'call'))
      expect(tokens).toBe(depth === 1 ? 15 * 22 : 15);
  });

  it('the waterfall shows parallel calls, the time to the first token and the streaming time', async () => {
    const both = {
      toolCalls: [
        { name: 'slow', input: {} },
        { name: 'slow', input: {} },
      ],
    };
    const script = [{ text: 'Let me see', chunks: 3, delayMs: 12, ...both }, { text: 'Done' }];
    vi.useFakeTimers();
    const recording = recordedRun({ tools: [slow] }, script);
    await vi.advanceTimersByTimeAsync(10_000);
    const lanes = lanesOf(await recording);
    const [step, first, second] = lanes;
    expect(first!.from).toBeLessThan(second!.to);
    expect(second!.from).toBeLessThan(first!.to);
    const kinds = step!.segments.map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['first-token', 'streaming', 'tool']));
    expect(first!.durationMs).toBe(30);
  });

  it('the waterfall separates the duration of a tool from the time for storing its start', async () => {
    const store = memorySessions();
    const sessions: SessionStore = {
      ...store,
      save: async (...given) => (await pause(80), store.save(...given)),
      append: async (...given) => (await pause(80), store.append(...given)),
    };
    const script = [{ toolCalls: [{ name: 'slow', input: {} }] }, { text: 'Done' }];
    const [step, call] = lanesOf(
      await recordedRun({ tools: [slow] }, script, false, { sessions, sessionId: 'slow' }),
    );
    const kinds = call?.segments.map(({ kind }) => kind);
    expect(kinds).toEqual(['before', 'tool']);
    const [stored, ran] = (call?.segments ?? []).map(({ from, to }) => to - from);
    expect(stored).toBeGreaterThan(50);
    expect(ran).toBe(Math.ceil(call?.durationMs ?? 0));
    expect(step?.segments.slice(-2)).toEqual(call?.segments);
  });

  it('the waterfall shows failed attempts and the time that a person took', async () => {
    const ask = defineTool({
      name: 'ask',
      description: '',
      input: z.object({}),
      needsApproval: true,
      execute: () => 1,
    });
    const failing: ScriptedEntry[] = [
      { error: { code: 'upstream-failed', message: 'Busy', retryable: true, retryAfterMs: 20 } },
      { toolCalls: [{ name: 'ask', input: {} }] },
    ];
    const record = await recordedRun({ tools: [ask], retry: { maxAttempts: 2 } }, failing);
    const [step, call] = lanesOf(record);
    expect(step?.segments.map(({ kind }) => kind)).toContain('retry');
    expect(call?.state).toBe('awaiting-approval');
    expect(step?.state).toBe('waiting');
    expect(call?.isOpen).toBe(true);
  });

  /** A hook whose time a step has before its model call. */
  const before = defineHook({
    name: 'careful',
    on: 'before-step',
    run: async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
    },
  });
  const kinds = (moment: JournalRecord): unknown => lanesOf(moment)[0]?.segments.map(({ kind }) => kind);

  it('the waterfall shows no wait for a first token before the model is called', async () => {
    const record = await recordedRun({ hooks: [before] }, [{ text: 'Done' }]);
    const called = eventsOf(record).findIndex(({ event }) => event.type === 'inference-start');
    expect(kinds(recordAt(record, called - 1))).toEqual(['before']);
  });

  it('the waterfall of a watched run shows no hooks and checks, because no stream tells of them', async () => {
    const record = await recordedRun({ hooks: [before] }, [{ text: 'Done', delayMs: 10 }]);
    const knows = { prompt: false, usage: false, times: false, results: true };
    expect(kinds({ ...record, knows })).not.toContain('before');
  });

  it('the waterfall shows an answer as streaming from its first content on, also when it is stopped', async () => {
    const record = await recordedRun({}, [{ text: 'One two three', chunks: 3, delayMs: 15 }]);
    const events = eventsOf(record);
    const at = (type: string): number => events.findLastIndex(({ event }) => event.type === type);
    const first = events[at('first-delta')]?.event;
    const called = events[at('inference-start')]?.event;
    // The deltas are merged, and the merged one has the time of the last.
    const streaming = recordAt(record, at('text-delta'));
    const segment = lanesOf(streaming)[0]?.segments.at(-1);
    expect(segment).toMatchObject({ kind: 'streaming', from: first?.at });
    expect(first?.at ?? 0).toBeGreaterThan(called?.at ?? 0);
    const execution = { ...streaming.state.execution!, currentStepStartedAt: called?.at ?? 0 };
    const unknown = { ...streaming, pages: [], state: { ...streaming.state, execution } } as JournalRecord;
    expect(lanesOf(unknown)[0]?.segments.map(({ kind }) => kind)).toEqual(['streaming']);
  });

  it('the waterfall cuts out the time in which nobody ran the agent, and names it', async () => {
    const record = await recordedRun({ tools: [slow] }, [
      { toolCalls: [{ name: 'slow', input: {} }] },
      { text: 'Done' },
    ]);
    const hour = 3_600_000;
    const started = eventsOf(record).findIndex(({ event }) => event.type === 'tool-start');
    const open = recordAt(record, started);
    const [page] = open.pages.slice(-1);
    const last = page!.events.at(-1)!;
    const resumed = {
      ...last,
      event: { type: 'execution-resume', path: [], seq: open.state.seq + 1, at: last.event.at + hour },
    };
    const moment = {
      ...open,
      pages: [...open.pages.slice(0, -1), { ...page, events: [...page!.events, resumed] }],
      state: { ...open.state, updatedAt: last.event.at + hour + 50 },
    } as JournalRecord;
    const [step, call] = lanesOf(moment);
    expect(call?.segments.map(({ kind, from, to }) => [kind, to - from])).toEqual([
      ['tool', 50],
      ['closed', hour],
    ]);
    expect(step?.durationMs).toBe(step!.to - step!.from - hour);
    const scale = timeScale(lanesOf(moment));
    expect(scale.gaps.map(({ ms }) => ms)).toContain(hour);
  });

  it('a step that failed has one word in the waterfall and in the graph', async () => {
    const record = await recordedRun({}, [{ error: new Error('No such model') }]);
    expect(lanesOf(record)[0]?.state).toBe('error');
    expect(texts.stepMarks.error).toBe('✕ failed');
    const graph = nodesOf(graphOf(record.state, { opened: new Set(), texts }));
    expect(graph.find(({ kind }) => kind === 'AgentStep')?.facts[0]).toBe('failed');
  });

  it('the waterfall shows a run up to the selected moment', async () => {
    const record = await recordedRun({ subagents: [child()] }, delegating);
    const events = eventsOf(record);
    const at = events.findIndex(({ event }) => event.type === 'tool-start' && event.path.length === 1);
    const lanes = lanesOf(recordAt(record, at));
    expect(lanes.map(({ state }) => state)).toEqual(['running', 'running', 'running', 'running']);
  });
});

describe('the record of a subagent', () => {
  it('the record of a subagent gives its steps like that of an agent', async () => {
    const record = await recordedRun({ subagents: [child()] }, delegating);
    const path = lanesOf(record).find(({ depth }) => depth === 2)!.path;
    const own = childRecord(record, path)!;
    const step = stepRecordOf(own, 0)!;
    expect(step.isRecorded).toBe(true);
    expect(step.request?.messages).toHaveLength(1);
    expect(AgentState.stepCount(stepRecordOf(own, 1)!.stateBefore!)).toBe(1);
    expect(childRecord(record, ['nobody'])).toBeNull();
  });
});

describe('the graph of a state', () => {
  it('the graph marks exactly the added and changed nodes since another state', async () => {
    const record = await recordedRun({ tools: [fakeTool('look', 1)] }, [
      { toolCalls: [{ name: 'look', input: {} }] },
      { text: 'Done' },
    ]);
    const now = graphOf(record.state, { opened: new Set(), texts });
    const before = graphOf(stepRecordOf(record, 1)!.stateBefore!, { opened: new Set(), texts });
    const changes = graphChanges(now, before);
    const titleOf = new Map(nodesOf(now).map(({ id, title }) => [id, title]));
    const added = [...changes].filter(([, change]) => change === 'added').map(([id]) => titleOf.get(id));
    expect(added).toEqual(['assistant', 'step 2', 'completed']);
    expect(graphChanges(now, now).size).toBe(0);
  });

  it('the graph shows the end of a long list, all of it when expanded, and never more than the maximum number of nodes', async () => {
    const script = [
      ...Array.from({ length: 40 }, () => ({ toolCalls: [{ name: 'look', input: {} }] })),
      { text: 'Done' },
    ];
    const { state } = await recordedRun({ tools: [fakeTool('look', 1)], budget: { maxSteps: 60 } }, script);
    const closed = nodesOf(graphOf(state, { opened: new Set(), texts }));
    const rest = closed.find(({ title }) => title === '35 earlier')!;
    expect(closed.filter(({ kind }) => kind === 'AgentStep')).toHaveLength(6);
    const opened = graphOf(state, { opened: new Set([rest.id]), texts });
    expect(nodesOf(opened).filter(({ kind }) => kind === 'AgentStep')).toHaveLength(41);
    const ids = nodesOf(opened).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const everything = new Set(closed.filter(({ hidden }) => hidden > 0).map(({ id }) => id));
    expect(graphLayout(graphOf(state, { opened: everything, texts })).length).toBeLessThanOrEqual(mostNodes);
  });
});
