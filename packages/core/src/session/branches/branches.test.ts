import { describe, expect, it, vi } from 'vitest';
import { pendingApprovals } from '../../graph/agent-state/accessors.ts';
import { withMessages } from '../../graph/agent-state/transitions.ts';
import { create } from '../../graph/agent-state/create.ts';
import { user } from '../../graph/message.ts';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { askingTool } from '@vitrine/testing/internal/session.fixture';
import type { AgentSession, AgentSessionOptions } from '../agent-session.ts';
import { diarist, idOf, lineOf, notesOf, wordsOf } from './branches.fixture.ts';
import { createAgentSession } from '../create-agent-session.ts';
import { memorySessions } from '@vitrine/persist/internal/drivers/memory/memory-sessions';

function open(options: Partial<AgentSessionOptions> = {}): AgentSession {
  return createAgentSession({ agent: diarist(), publish: 'immediate', ...options });
}

async function sent(
  words: readonly string[],
  options: Partial<AgentSessionOptions> = {},
): Promise<AgentSession> {
  const session = open(options);
  for (const text of words) await session.sendMessage(text);
  return session;
}

const placeOf = (session: AgentSession, words: string): [number, number] => {
  const { ids, index } = session.branches(idOf(session, words));
  return [index, ids.length];
};

describe('an edit of an earlier message', () => {
  it('an edit begins a new branch with the plugin state of that point and keeps the old branch', async () => {
    const session = await sent(['note a', 'note b', 'note c']);
    const [old, notes] = [lineOf(session), notesOf(session)];
    const turn = await session.edit(idOf(session, 'note b'), 'note B');
    expect(turn).toMatchObject({ kind: 'edit', status: 'done', outcome: 'completed' });
    expect(wordsOf(session)).toEqual(['note a', 'answer 1', 'note B', 'answer 4']);
    expect(notesOf(session)).toEqual(['note a 1', 'note B 1']);
    expect(placeOf(session, 'note B')).toEqual([1, 2]);
    expect(placeOf(session, 'note a')).toEqual([0, 1]);
    const [first = ''] = session.branches(idOf(session, 'note B')).ids;
    expect(await session.switchBranch(first)).toMatchObject({ kind: 'switch', status: 'done' });
    expect([lineOf(session), notesOf(session)]).toEqual([old, notes]);
  });

  it('an edit within a branch has alternatives of its own', async () => {
    const session = await sent(['one', 'two']);
    await session.edit(idOf(session, 'one'), 'uno');
    await session.sendMessage('due');
    await session.edit(idOf(session, 'due'), 'deux');
    expect([placeOf(session, 'uno'), placeOf(session, 'deux')]).toEqual([
      [1, 2],
      [1, 2],
    ]);
    await session.switchBranch(session.branches(idOf(session, 'uno')).ids[0] as string);
    expect(wordsOf(session)).toEqual(['one', 'answer 1', 'two', 'answer 2']);
    expect(placeOf(session, 'two')).toEqual([0, 1]);
    await session.edit(idOf(session, 'two'), 'zwei');
    await session.switchBranch(session.branches(idOf(session, 'one')).ids[1] as string);
    expect(wordsOf(session).slice(0, 3)).toEqual(['uno', 'answer 3', 'deux']);
    expect(session.store.getState().tree.branches).toHaveLength(3);
  });

  it('an edit stops the answer in progress and keeps it in its branch as far as it came', async () => {
    const session = open({ agent: diarist({ delayMs: 40 }) });
    const first = session.sendMessage('one');
    await vi.waitFor(() => expect(session.store.getState().status).toBe('streaming'));
    const edited = await session.edit(idOf(session, 'one'), 'two');
    expect((await first).outcome).toBe('stopped');
    expect(edited.outcome).toBe('completed');
    expect(wordsOf(session)).toEqual(['two', 'answer 2']);
    await session.switchBranch(session.branches(idOf(session, 'two')).ids[0] as string);
    expect(lineOf(session).at(-1)?.metadata['incomplete']).toBe(true);
    expect(session.store.getState().status).toBe('ready');
  });

  it('an edit runs before the queue, which continues behind it', async () => {
    const session = open({ agent: diarist({ delayMs: 20 }) });
    void session.sendMessage('one');
    const waiting = session.sendMessage('later');
    await vi.waitFor(() => expect(session.store.getState().status).toBe('streaming'));
    await session.edit(idOf(session, 'one'), 'two');
    expect((await waiting).outcome).toBe('completed');
    expect(wordsOf(session).filter((words) => !words.startsWith('answer'))).toEqual(['two', 'later']);
  });

  it("an edit is refused for a message that is not a user's on the active branch, and for an empty one", async () => {
    const session = await sent(['one']);
    const answer = lineOf(session)[1]?.id ?? '';
    for (const id of ['nobody', answer])
      expect(await session.edit(id, 'two')).toMatchObject({
        kind: 'edit',
        status: 'refused',
        error: { code: 'message-not-found' },
      });
    expect((await session.edit(idOf(session, 'one'), '  ')).error?.code).toBe('message-empty');
    expect([wordsOf(session), session.store.getState().error]).toEqual([['one', 'answer 1'], null]);
  });

  it('an edit of a given history begins with the messages before it', async () => {
    const initialState = withMessages(create(), [user('given'), user('too')]);
    const session = open({ initialState });
    await session.edit(idOf(session, 'too'), 'three');
    expect(wordsOf(session)).toEqual(['given', 'three', 'answer 1']);
    expect(placeOf(session, 'three')).toEqual([1, 2]);
  });
});

describe('an answer that is made again', () => {
  it('a regenerated answer stands beside the earlier one, which keeps its plugin state', async () => {
    const session = await sent(['one', 'note b']);
    const message = idOf(session, 'note b');
    expect((await session.regenerate()).kind).toBe('regenerate');
    expect(wordsOf(session)).toEqual(['one', 'answer 1', 'note b', 'answer 3']);
    expect(notesOf(session)).toEqual(['note b 1']);
    expect(placeOf(session, 'answer 3')).toEqual([1, 2]);
    expect(placeOf(session, 'note b')).toEqual([0, 1]);
    await session.regenerate(idOf(session, 'answer 1'));
    expect([wordsOf(session), notesOf(session)]).toEqual([['one', 'answer 4'], []]);
    await session.switchBranch(message);
    expect(wordsOf(session)).toEqual(['one', 'answer 1', 'note b', 'answer 3']);
  });

  it('a regenerated answer that fails before its first word keeps the others reachable', async () => {
    let isFailing = false;
    const answer = (): { text: string } | { error: Error } =>
      isFailing ? { error: new Error('gone') } : { text: 'fine' };
    const session = open({ agent: scriptedAgent([answer], { retry: { maxAttempts: 1 } }) });
    await session.sendMessage('one');
    isFailing = true;
    const turn = await session.regenerate();
    expect([turn.outcome, session.store.getState().status]).toEqual(['failed', 'error']);
    const { answers } = session.branches(idOf(session, 'one'));
    expect(answers).toHaveLength(1);
    await session.switchBranch(answers[0] as string);
    expect([wordsOf(session), session.store.getState().status]).toEqual([['one', 'fine'], 'ready']);
    expect(session.store.getState().tree.branches).toHaveLength(0);
  });

  it('a regeneration without an earlier message is refused', async () => {
    const session = open();
    expect((await session.regenerate()).error?.code).toBe('session-idle');
    expect((await session.regenerate('nobody')).error?.code).toBe('message-not-found');
  });
});

describe('a switch to another branch', () => {
  it('a switch restores a waiting call, whose answer goes to its branch', async () => {
    const pay = askingTool('pay');
    const script = [{ toolCalls: [{ name: 'pay', input: 1 }] }, { text: 'edited' }, { text: 'paid' }];
    const session = open({ agent: scriptedAgent(script, { tools: [pay.tool] }) });
    expect((await session.sendMessage('pay')).status).toBe('awaiting-input');
    await session.edit(idOf(session, 'pay'), 'do not');
    expect(session.store.getState().status).toBe('ready');
    await session.switchBranch(session.branches(idOf(session, 'do not')).ids[0] as string);
    expect(session.store.getState()).toMatchObject({
      status: 'awaiting-input',
      turn: { status: 'awaiting-input' },
    });
    const [call] = pendingApprovals(session.store.getState().state);
    expect((await session.approve(call?.id ?? '')).outcome).toBe('completed');
    expect([pay.runs, wordsOf(session).at(-1)]).toEqual([[1], 'paid']);
  });

  it('a switch holds the queue until the next message', async () => {
    const session = open({ agent: diarist({ delayMs: 20 }) });
    await session.sendMessage('one');
    await session.edit(idOf(session, 'one'), 'two');
    void session.sendMessage('three');
    void session.sendMessage('later');
    await session.switchBranch(session.branches(idOf(session, 'two')).ids[0] as string);
    const { queue, status } = session.store.getState();
    expect([queue.map(({ text }) => text), status]).toEqual([['later'], 'ready']);
    await session.sendMessage('now');
    expect(wordsOf(session).filter((words) => !words.startsWith('answer'))).toEqual(['one', 'later', 'now']);
  });

  it('a switch within the active branch succeeds, and one to an unknown id is refused', async () => {
    const session = await sent(['one']);
    const { state } = session.store.getState();
    expect((await session.switchBranch(idOf(session, 'one'))).status).toBe('done');
    expect(session.store.getState().state).toBe(state);
    expect((await session.switchBranch('nobody')).error?.code).toBe('message-not-found');
    expect(session.branches('nobody')).toEqual({ ids: [], index: -1, answers: [] });
  });
});

describe('the stored branches of a session', () => {
  it('branches are saved with the session and return after a reload', async () => {
    const sessions = memorySessions();
    const before = await sent(['note a', 'note b'], { sessions, sessionId: 'a' });
    await before.edit(idOf(before, 'note b'), 'note c');
    await before.dispose();
    const session = open({ sessions, sessionId: 'a' });
    await session.ready;
    expect(session.store.getState().tree).toEqual(before.store.getState().tree);
    expect(placeOf(session, 'note c')).toEqual([1, 2]);
    await session.edit(idOf(session, 'note a'), 'note d');
    expect(notesOf(session)).toEqual(['note d 1']);
  });

  it('branches are removed by reset and setMessages, but not by a failed setMessages', async () => {
    const session = await sent(['one']);
    await session.edit(idOf(session, 'one'), 'two');
    const failing = (): never => {
      throw new Error('no');
    };
    await expect(session.setMessages(failing)).rejects.toThrow('no');
    expect(session.store.getState().tree.branches).toHaveLength(1);
    await session.setMessages([user('new')]);
    expect(session.store.getState().tree).toEqual({ branches: [], checkpoints: [] });
    await session.edit(idOf(session, 'new'), 'newer');
    await session.reset();
    expect(session.store.getState().tree).toEqual({ branches: [], checkpoints: [] });
  });

  it('checkpoints are exact for the last hundred turns, and an older turn begins with the earliest one known', async () => {
    const words = Array.from({ length: 60 }, (_, at) => `note ${at}`);
    const session = await sent(words);
    expect(session.store.getState().tree.checkpoints).toHaveLength(100);
    await session.edit(idOf(session, 'note 20'), 'plain');
    expect(notesOf(session)).toEqual(words.slice(0, 20).map((text) => `${text} 1`));
    await session.switchBranch(session.branches(idOf(session, 'plain')).ids[0] as string);
    await session.edit(idOf(session, 'note 3'), 'plain');
    expect(wordsOf(session)).toHaveLength(8);
    expect((notesOf(session) as string[]).length).toBeLessThan(15);
  });

  it('branches of a message are found after a compaction of the messages before it', async () => {
    const session = await sent(['one', 'two', 'three']);
    await session.edit(idOf(session, 'three'), 'trois');
    await session.update((state) => withMessages(state, lineOf(session).slice(-2)));
    expect(wordsOf(session)).toEqual(['trois', 'answer 4']);
    expect(placeOf(session, 'trois')).toEqual([1, 2]);
  });

  it('a new branch starts from the stored session when another writer changed it', async () => {
    const sessions = memorySessions();
    const first = await sent(['one'], { sessions, sessionId: 'a' });
    const [second, third] = [open({ sessions, sessionId: 'a' }), open({ sessions, sessionId: 'a' })];
    await Promise.all([second.ready, third.ready]);
    await first.sendMessage('two');
    expect((await second.edit(idOf(second, 'one'), 'uno')).outcome).toBe('completed');
    expect(wordsOf(second)[0]).toBe('uno');
    expect(wordsOf(second)).toHaveLength(2);
    expect(placeOf(second, 'uno')).toEqual([1, 2]);
    await second.switchBranch(second.branches(idOf(second, 'uno')).ids[0] as string);
    expect(wordsOf(second).slice(0, 3)).toEqual(['one', 'answer 1', 'two']);
    await second.flush();
    const again = await third.regenerate(idOf(third, 'one'));
    expect([again.kind, again.outcome, wordsOf(third).length]).toEqual(['regenerate', 'completed', 2]);
    expect(third.store.getState().tree.branches).toHaveLength(2);
  });

  it('branches are available to callers who ask before the stored session was read', async () => {
    const sessions = memorySessions();
    const before = await sent(['one'], { sessions, sessionId: 'a' });
    await before.flush();
    const session = open({ sessions, sessionId: 'a' });
    expect((await session.edit(idOf(before, 'one'), 'two')).outcome).toBe('completed');
    expect(placeOf(session, 'two')).toEqual([1, 2]);
  });
});

it('the choice of a branch is stored when it is answered, and a page that is reloaded then shows it', async () => {
  const sessions = memorySessions();
  const session = await sent(['one'], { sessions, sessionId: 'a' });
  await session.edit(idOf(session, 'one'), 'uno');
  const [first = ''] = session.branches(idOf(session, 'uno')).ids;
  expect(await session.switchBranch(first)).toMatchObject({ status: 'done', stored: true });
  const reloaded = open({ sessions, sessionId: 'a' });
  await reloaded.ready;
  expect(wordsOf(reloaded)).toEqual(['one', 'answer 1']);
});
