import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '@vitrine/core/internal/agent/tool';
import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import * as Message from '@vitrine/core/internal/graph/message';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import {
  recordedSessions,
  type RecordedSessions,
  typesOf,
} from '@vitrine/testing/internal/recorded-sessions.fixture';
import { askingTool, shownTexts, storedState, texts } from '@vitrine/testing/internal/session.fixture';
import { simulatedTime, type SimulatedTime } from '@vitrine/testing/internal/simulated-time.fixture';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import { loadParts } from '../session/loaded-parts.fixture.ts';
import { definePlugin } from '@vitrine/core/internal/features/define-plugin';

type Stage = { time: SimulatedTime; sessions: RecordedSessions; session: AgentSession };

async function stage(make: (time: SimulatedTime) => AgentDefinition): Promise<Stage> {
  await loadParts();
  const time = simulatedTime();
  const sessions = recordedSessions();
  return { time, sessions, session: open(time, sessions, make(time)) };
}

function open(time: SimulatedTime, sessions: RecordedSessions, agent: AgentDefinition): AgentSession {
  return createAgentSession({ agent, sessions, sessionId: 'a', publish: 'immediate', env: time.env(1) });
}

async function done<Value>(time: SimulatedTime, work: Promise<Value>): Promise<Value> {
  let isOver = false;
  const over = (): void => void (isOver = true);
  work.then(over, over);
  await time.until(
    () => isOver,
    () => 'the end of the work',
  );
  return work;
}

/** A model that streams deltas of `length` characters, `everyMs` milliseconds apart. */
function speaking(
  { sleep }: SimulatedTime,
  deltas: number,
  length: number,
  everyMs: number,
): AgentDefinition {
  return scriptedAgent([], {
    inference: {
      async *stream() {
        for (let at = 0; at < deltas; at++) {
          await sleep(everyMs);
          yield { type: 'text-delta', delta: 'x'.repeat(length) };
        }
      },
    },
  });
}

const input = z.object({});
const quick = (name: string, init: object = {}): ReturnType<typeof defineTool> =>
  defineTool({ name, description: '', input, execute: () => name, ...init });
const calls = (...names: string[]): { toolCalls: { name: string; input: JsonValue }[] } => ({
  toolCalls: names.map((name) => ({ name, input: {} })),
});

describe('the text of an answer', () => {
  const textWrites = async (deltas: number, length: number, everyMs: number): Promise<number[]> => {
    const { time, sessions, session } = await stage((clock) => speaking(clock, deltas, length, everyMs));
    await done(time, session.sendMessage('Hi'));
    return sessions.writes.flatMap((write) =>
      write.type === 'append'
        ? write.append.events.flatMap((event) => (event.type === 'text-delta' ? [event.delta.length] : []))
        : [],
    );
  };

  it('text is written as one event after 500 ms with 512 pending characters', async () => {
    expect(await textWrites(60, 64, 10)).toEqual([3136, 704]);
    expect((await textWrites(30, 64, 100)).slice(0, 3)).toEqual([512, 512, 512]);
  });

  it('text of any length is written after two seconds', async () => {
    expect((await textWrites(50, 1, 100)).slice(0, 2)).toEqual([20, 20]);
  });
});

describe('the writes of a session', () => {
  it('a session writes the first message whole and then events, with starts and ends at once', async () => {
    const { time, sessions, session } = await stage(() =>
      scriptedAgent([calls('ask'), { text: 'Done' }], { tools: [askingTool('ask').tool] }),
    );
    await done(time, session.sendMessage('Hi'));
    const [first, ...others] = typesOf(sessions.writes);
    expect(first).toEqual(['save']);
    expect(others.flat()).not.toContain('save');
    expect(others.at(-1)).toEqual(expect.arrayContaining(['approval-request', 'execution-pause']));
    const [call] = session.store.getState().state.execution?.currentStep?.toolExecutions ?? [];
    await done(time, session.approve(call!.id));
    expect(texts(await storedState(sessions))).toEqual(shownTexts(session));
    expect(typesOf(sessions.writes).filter(([type]) => type === 'save')).toHaveLength(1);
  });

  it('a session continues its journal after a reload and writes nothing again', async () => {
    const { time, sessions, session } = await stage(() => scriptedAgent([{ text: 'A' }]));
    await done(time, session.sendMessage('one'));
    await done(time, session.dispose());
    const journal = loadedSession(await sessions.load('a'))!.journal;
    const before = sessions.writes.length;
    const again = open(time, sessions, scriptedAgent([{ text: 'B' }]));
    await done(time, again.ready);
    await done(time, again.dispose());
    expect(sessions.writes).toHaveLength(before);
    const third = open(time, sessions, scriptedAgent([{ text: 'B' }]));
    await done(time, third.sendMessage('two'));
    const first = sessions.writes[before];
    expect(first).toMatchObject({
      type: 'append',
      append: { journalId: journal.id },
    });
    expect(typesOf(sessions.writes.slice(before)).flat()).not.toContain('save');
    expect(texts(await storedState(sessions))).toEqual(['one', 'A', 'two', 'B']);
  });

  it('a write without events is the head alone, and a draft does not change the date', async () => {
    const { time, sessions, session } = await stage(() => scriptedAgent([{ text: 'A' }]));
    await done(time, session.sendMessage('one'));
    const { updatedAt } = loadedSession(await sessions.load('a'))!;
    await time.pass(90_000);
    session.setDraft('typed');
    await time.pass(1000);
    expect(sessions.writes.at(-1)).toMatchObject({
      type: 'append',
      append: { events: [], head: { draft: 'typed' } },
    });
    expect(loadedSession(await sessions.load('a'))!.updatedAt).toBe(updatedAt);
    await done(time, session.rename('Named'));
    expect(loadedSession(await sessions.load('a'))!.title).toBe('Named');
  });

  it('a tail that outgrew its snapshot is folded when a turn begins', async () => {
    const { time, sessions, session } = await stage((clock) => speaking(clock, 20, 4000, 10));
    for (const words of ['one', 'two', 'three', 'four']) await done(time, session.sendMessage(words));
    const saves = sessions.writes.flatMap((write) => (write.type === 'save' ? [write] : []));
    expect(saves.map(({ record }) => texts(record.state).filter((words) => words.length < 9))).toEqual([
      ['one'],
      ['one', 'two'],
      ['one', 'two', 'three'],
    ]);
    // Runs that were replaced in the tail become rows when the tail is folded.
    expect(saves.map(({ options }) => options.newRuns?.length)).toEqual([0, 0, 1]);
    expect(saves.at(-1)!.record.checkpoints.map(({ messageId }) => messageId)).toHaveLength(3);
  });

  it('replaced texts are erased at once from the snapshot, tail, runs and checkpoints', async () => {
    const { time, sessions, session } = await stage(() => scriptedAgent([{ text: 'Secret' }]));
    await done(time, session.sendMessage('one'));
    await done(time, session.sendMessage('two'));
    for (const erase of [() => session.setMessages([Message.user('new')]), () => session.reset()]) {
      await done(time, erase());
      await time.pass(0);
      const record = loadedSession(await sessions.load('a'))!;
      expect(sessions.writes.at(-1)).toMatchObject({
        type: 'save',
        options: { isErasing: true, newRuns: [] },
      });
      expect([record.journal.tail, record.checkpoints]).toEqual([[], []]);
      expect(JSON.stringify([record.title, record.state.context])).not.toContain('Secret');
    }
    expect(await sessions.runs?.('a')).toEqual([]);
  });

  it('a stored session has no state of plugins with persist none and stays readable', async () => {
    const mood = definePlugin({ id: 'mood', state: z.string(), initial: '', persist: 'none' });
    const feel = quick('feel', {
      execute: (_i: unknown, ctx: never) =>
        (ctx as { plugin: (p: typeof mood) => { set: (v: string) => void } }).plugin(mood).set('hidden'),
    });
    const agent = scriptedAgent([calls('feel'), { text: 'A' }], { tools: [feel], plugins: [mood] });
    const { time, sessions, session } = await stage(() => agent);
    await done(time, session.sendMessage('one'));
    await done(time, session.dispose());
    expect(session.store.getState().state.plugins).toHaveProperty('mood');
    expect(JSON.stringify(loadedSession(await sessions.load('a')))).not.toContain('hidden');
    const again = open(time, sessions, agent);
    await done(time, again.ready);
    expect(shownTexts(again)).toEqual(['one', '', 'A']);
  });
});

describe('a tool whose effect happens once', () => {
  it('a tool starts once its start is stored, and starts that are ready together share a write', async () => {
    const before: string[][] = [];
    const note = (sessions: () => RecordedSessions): ReturnType<typeof defineTool> =>
      quick('note', { execute: () => void before.push(typesOf(sessions().writes).flat()) });
    const place: { sessions?: RecordedSessions } = {};
    const agent = scriptedAgent([calls('note', 'note', 'note'), { text: 'A' }], {
      tools: [note(() => place.sessions!)],
    });
    const { time, sessions, session } = await stage(() => agent);
    place.sessions = sessions;
    await done(time, session.sendMessage('one'));
    const starts = typesOf(sessions.writes).filter((types) => types.includes('tool-start'));
    expect(starts.map((types) => types.filter((type) => type === 'tool-start'))).toEqual([
      Array(3).fill('tool-start'),
    ]);
    expect(before.every((types) => types.includes('tool-start'))).toBe(true);
  });

  it('a call whose start cannot be stored waits for a person, who may still run it', async () => {
    const runs: string[] = [];
    const run = (name: string, effects: 'once' | 'idempotent'): ReturnType<typeof defineTool> =>
      quick(name, { effects, execute: () => runs.push(name) });
    const agent = scriptedAgent([calls('pay', 'look'), { text: 'A' }], {
      tools: [run('pay', 'once'), run('look', 'idempotent')],
    });
    const { time, sessions, session } = await stage(() => agent);
    await done(time, session.ready);
    sessions.fail(new Error('full'));
    const turn = await done(time, session.sendMessage('one'));
    expect([turn.status, runs]).toEqual(['awaiting-input', ['look']]);
    const [pay] = session.store.getState().state.execution?.currentStep?.toolExecutions ?? [];
    expect(pay).toMatchObject({
      status: 'awaiting-approval',
      startedAt: null,
      approval: { cause: 'not-stored' },
    });
    expect(pay?.approval?.reason).toContain('full');
    expect((await done(time, session.approve(pay!.id))).outcome).toBe('completed');
    expect(runs).toEqual(['look', 'pay']);
  });

  it('a stopped call does not run while its start is being stored', async () => {
    const runs: string[] = [];
    const agent = scriptedAgent([calls('pay')], {
      tools: [quick('pay', { execute: () => runs.push('pay') })],
    });
    const { time, sessions, session } = await stage(() => agent);
    const { append } = sessions;
    const slow = {
      ...sessions,
      append: async (...args: Parameters<typeof append>) => {
        await time.sleep(1000);
        return append(...args);
      },
    };
    const other = open(time, slow, agent);
    void session;
    const turn = other.sendMessage('one');
    await time.until(
      () => other.store.getState().activity.type === 'tool',
      () => 'the call',
    );
    void other.stop();
    expect((await done(time, turn)).outcome).toBe('stopped');
    expect(runs).toEqual([]);
    const [call] = other.store.getState().state.execution?.stepExecutions[0]?.step.toolExecutions ?? [];
    expect(call).toMatchObject({ status: 'interrupted' });
    expect(call?.error?.message).toContain('was not run');
  });
});

describe('a write that fails', () => {
  it('a write counts as made when only its answer was lost', async () => {
    const { time, sessions, session } = await stage(() => scriptedAgent([{ text: 'A' }]));
    await done(time, session.sendMessage('one'));
    const { append } = sessions;
    let isLost = true;
    const deaf = {
      ...sessions,
      append: async (...args: Parameters<typeof append>) => {
        const version = await append(...args);
        if (!isLost) return version;
        isLost = false;
        throw new Error('timeout');
      },
    };
    const other = open(time, deaf, scriptedAgent([{ text: 'B' }]));
    expect((await done(time, other.sendMessage('two'))).outcome).toBe('completed');
    await time.pass(5000);
    expect(other.store.getState().persistence.status).toBe('saved');
    expect(texts(await storedState(sessions))).toEqual(['one', 'A', 'two', 'B']);
  });

  it('a session is not reported as deleted when a second read fails too', async () => {
    const { time, sessions, session } = await stage(() => scriptedAgent([{ text: 'A' }]));
    await done(time, session.sendMessage('one'));
    let isAway = false;
    const away = {
      ...sessions,
      load: async (id: string) => {
        if (isAway) throw Object.assign(new Error('away'));
        return sessions.load(id);
      },
    };
    const other = open(time, away, scriptedAgent([{ text: 'B' }]));
    await done(time, other.ready);
    await done(time, session.sendMessage('two'));
    isAway = true;
    expect((await done(time, other.sendMessage('three'))).status).toBe('queued');
    expect(other.store.getState().status).toBe('error');
    isAway = false;
    expect((await done(time, other.sendMessage('four'))).outcome).toBe('completed');
    expect(shownTexts(other)).toEqual(expect.arrayContaining(['two', 'four']));
  });
});
