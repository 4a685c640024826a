import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { heldTool, shownTexts, storedState } from '@vitrine/testing/internal/session.fixture';
import { simulatedTabs, type SimulatedTab } from '@vitrine/testing/internal/simulated-tabs.fixture';
import { simulatedTime } from '@vitrine/testing/internal/simulated-time.fixture';
import type { AgentSession, Turn } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { loadParts } from '../session/loaded-parts.fixture.ts';
import type { SessionCommand } from '@vitrine/core/internal/session/machine/session-input';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';
import type { TabLink } from '@vitrine/core/internal/session/store/tab-link';
import { type Answer, type LinkMessage, unseal, seal } from './protocol.ts';

type Runner = { readonly session: AgentSession; readonly kill: () => void };

/** Runners of one session that come one after the other, and a client that speaks the protocol alone. */
async function stage(isLost: () => boolean = () => false) {
  await loadParts();
  const time = simulatedTime();
  const links = simulatedTabs([1], time.sleep, isLost);
  const sessions = memorySessions();
  await sessions.load('a');
  let count = 0;
  const answers = new Map<string, Answer>();
  const heard: LinkMessage[] = [];
  const channel = links.open().link.open('vitrine:shared:a', (data) => {
    const message = unseal(data);
    if (message !== null) heard.push(message);
    if (message?.type === 'answer') answers.set(message.commandId, message);
  });
  const start = async (agent: AgentDefinition, own: Partial<SessionStore> = {}): Promise<Runner> => {
    const tab: SimulatedTab = links.open();
    const session = createAgentSession({
      agent,
      sessions: { ...sessions, tabs: tab.link, ...own },
      sessionId: 'a',
      publish: 'immediate',
      resume: true,
      env: time.env(count++),
    });
    void session.ready;
    await time.pass(50);
    return { session, kill: tab.kill };
  };
  const give = (command: SessionCommand): void => channel.post(seal({ type: 'command', command }));
  const answered = (id: string): Turn | null => answers.get(id)?.turn ?? null;
  const hello = (): void => channel.post(seal({ type: 'hello', id: 'client', have: null, seen: null }));
  return { time, start, give, answers, answered, heard, hello, sessions };
}

/** An agent whose tool is held, and its answer behind it. */
function holding(script: Parameters<typeof scriptedAgent>[0], held: ReturnType<typeof heldTool>) {
  return scriptedAgent(script, { tools: [held.tool] });
}

const look = { toolCalls: [{ name: 'look', input: 0 }] };
const send = (id: string, text: string, onBusy: 'queue' | 'steer' = 'queue'): SessionCommand => ({
  type: 'send',
  id,
  message: { text },
  options: {},
  onBusy,
});

describe('a turn whose runner is replaced', () => {
  it('a regenerate that is given again to the next runner resolves with the run that goes on', async () => {
    const { time, start, give, answers, answered } = await stage();
    const first = heldTool('look', { effects: 'idempotent' });
    const dying = await start(holding([{ text: 'one' }, look], first));
    await dying.session.sendMessage('Hello');
    const again: SessionCommand = {
      type: 'move',
      id: 'again',
      kind: 'regenerate',
      messageId: null,
      message: null,
      options: {},
      at: 0,
    };
    give(again);
    await time.until(
      () => first.runs.length === 1,
      () => 'the tool',
    );
    // Everything up to the call is stored.
    await time.pass(3000);
    dying.kill();
    const next = heldTool('look', { effects: 'idempotent' });
    const { session } = await start(holding([{ text: 'two' }], next));
    await time.until(
      () => next.runs.length === 1,
      () => 'the tool again',
    );
    expect(session.store.getState().turn?.id).toBe('again');
    give(again);
    await time.pass(500);
    expect(answers.has('again')).toBe(false);
    next.end();
    await time.until(
      () => answers.has('again'),
      () => 'the answer',
    );
    expect(answered('again')).toMatchObject({ id: 'again', status: 'done', outcome: 'completed' });
    expect(shownTexts(session)).toEqual(['Hello', '', 'two']);
  });

  it('a message that is given again while a later one was steered into its run waits for the run', async () => {
    const { time, start, give, answers, answered } = await stage();
    const [one, two] = [
      heldTool('look', { effects: 'idempotent' }),
      heldTool('look', { effects: 'idempotent' }),
    ];
    const dying = await start(holding([look, look], one));
    give(send('first', 'Look'));
    await time.until(
      () => one.runs.length === 1,
      () => 'the tool',
    );
    give(send('second', 'And there', 'steer'));
    await time.pass(50);
    one.end();
    await time.until(
      () => one.runs.length === 2,
      () => 'the second step',
    );
    // Everything up to the call is stored.
    await time.pass(3000);
    dying.kill();
    const { session } = await start(holding([{ text: 'found' }], two));
    await time.until(
      () => two.runs.length === 1,
      () => 'the tool again',
    );
    give(send('first', 'Look'));
    give(send('second', 'And there', 'steer'));
    await time.pass(500);
    expect([...answers.keys()]).toEqual([]);
    two.end();
    await time.until(
      () => answers.size === 2,
      () => 'the answers',
    );
    expect(['first', 'second'].map((id) => answered(id)?.status)).toEqual(['done', 'done']);
    expect(messages(session.store.getState().state).filter(({ role }) => role === 'user')).toHaveLength(2);
  });
});

describe('a stop that arrives late', () => {
  it('a stop of a follower does not stop the run after the one that was shown when it was given', async () => {
    let isLost = false;
    const { time, start } = await stage(() => isLost);
    const held = heldTool('look');
    const { session } = await start(holding([look, { text: 'found' }, look, { text: 'more' }], held));
    const follower = (await start(scriptedAgent([]))).session;
    await time.pass(500);
    const asked = ['Look', 'Again'].map((text) => session.sendMessage(text));
    await time.until(
      () => follower.store.getState().activity.type === 'tool',
      () => 'the first run',
    );
    isLost = true;
    let isStopped = false;
    void follower.stop().then(() => (isStopped = true));
    await time.pass(20);
    isLost = false;
    held.end();
    await time.until(
      () => held.runs.length === 2,
      () => 'the second run',
    );
    await time.until(
      () => isStopped,
      () => 'the answer to the stop',
    );
    held.end();
    const turns = await Promise.all(asked);
    expect(turns.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
  });

  it('a stop that names an execution ends that one only', async () => {
    const { time, start, give, answers } = await stage();
    const held = heldTool('look');
    const { session } = await start(holding([look, { text: 'found' }], held));
    const asked = session.sendMessage('Look');
    await time.until(
      () => held.runs.length === 1,
      () => 'the run',
    );
    const { executionId = '' } = session.store.getState().state.execution ?? {};
    const stop = { type: 'stop', message: 'Stopped' } as const;
    give({ ...stop, id: 'other', executionId: '00000000-0000-7000-8000-000000000000' });
    give({ ...stop, id: 'nothing', executionId: null });
    await time.until(
      () => answers.size === 2,
      () => 'the answers',
    );
    expect(session.store.getState().status).toBe('streaming');
    give({ ...stop, id: 'this', executionId });
    await time.until(
      () => answers.size === 3,
      () => 'the stop',
    );
    expect(await asked).toMatchObject({ outcome: 'stopped' });
  });
});

describe('a runner of a fenced store that is replaced', () => {
  it('it writes nothing, forks nothing and tells nothing after the next one has begun, whenever that is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 3000 }), async (afterMs) => {
        const { time, start, heard, hello, sessions } = await stage();
        const slow = { text: 'some words', chunks: 2 };
        const held = heldTool('look', { effects: 'idempotent' });
        const fence = { fence: 'end' } as const;
        const { session: before } = await start(holding([look, slow], held), fence);
        hello();
        const asked = before.sendMessage('Look');
        await time.until(
          () => held.runs.length === 1,
          () => 'the run',
        );
        await time.pass(afterMs);
        // The process was paused: the next one does not know it, and reads only the store.
        const { session: next } = await start(scriptedAgent([{ text: 'of the next' }]), {
          ...fence,
          tabs: null,
        });
        await time.until(
          () => next.store.getState().status === 'ready',
          () => next.store.getState().status,
        );
        await next.sendMessage('And now');
        const known = heard.length;
        expect(known).toBeGreaterThan(1);
        held.end();
        await time.until(
          () => before.store.getState().status === 'error',
          () => before.store.getState().status,
        );
        // A live message may go out with the write that finds the conflict. Nothing is told as stored, and no answer.
        await time.pass(1);
        const late = heard.slice(known);
        expect(
          late.flatMap((message) => (message.type === 'batch' ? (message.view.stored ?? []) : [])),
        ).toEqual([]);
        expect(late.filter(({ type }) => type !== 'batch')).toEqual([]);
        const told = heard.length;
        const turn = await asked;
        expect(turn).toMatchObject({ status: 'overtaken', stored: false, forkedTo: null });
        expect(turn.error?.code).toBe('session-conflict');
        expect(before.store.getState()).toMatchObject({
          status: 'error',
          error: { code: 'session-conflict' },
        });
        expect(await before.sendMessage('More')).toMatchObject({ status: 'refused' });
        expect(await before.dispose()).toEqual({ stored: false });
        await time.pass(5000);
        expect(heard.slice(told)).toEqual([]);
        expect((await sessions.list()).sessions).toHaveLength(1);
        expect(await storedState(sessions)).toEqual(next.store.getState().state);
      }),
      { numRuns: Number(process.env['PROVE_RUNS'] ?? 10), endOnFailure: true },
    );
  });
});

describe('the place where a session runs', () => {
  it('a snapshot names the place of the runner, and nobody while no runner is known', async () => {
    const { time, start, heard, sessions } = await stage();
    expect(heard).toEqual([]);
    const links = simulatedTabs([1], time.sleep);
    const place = (): TabLink => ({ ...links.open().link, where: 'server' });
    const alone = links.open().link;
    const orphan = await start(scriptedAgent([]), {
      tabs: {
        ...alone,
        where: 'server',
        lock: (_name, onTurn) => (queueMicrotask(() => onTurn(false)), () => undefined),
      },
    });
    expect(orphan.session.store.getState().where).toBe('nobody');
    const server = await start(scriptedAgent([{ text: 'yes' }]), { tabs: place() });
    await time.pass(60_000);
    expect(server.session.store.getState().where).toBe('server');
    expect(orphan.session.store.getState().where).toBe('server');
    const { session } = await start(scriptedAgent([]), { ...sessions, tabs: null });
    expect(session.store.getState().where).toBe('tab');
  });
});
