import { describe, expect, it, vi } from 'vitest';
import * as Message from '../../graph/message.ts';
import { scriptedAgent } from '../../testing/fixtures.ts';
import { fakeStorage, said } from '../../testing/session.fixture.ts';
import type { AgentSession } from '../agent-session.ts';
import { createAgentSession } from '../create-agent-session.ts';
import { localStorageSessions } from './local-storage-sessions.ts';
import { memorySessions } from './memory-sessions.ts';
import type { SessionStore } from './session-store.ts';

const open = (sessions: SessionStore, text = 'Hello'): AgentSession =>
  createAgentSession({ agent: scriptedAgent([{ text }]), sessions, sessionId: 'a' });

describe.each<[string, () => SessionStore]>([
  ['memorySessions', memorySessions],
  ['localStorageSessions', () => localStorageSessions({ storage: fakeStorage() })],
])('%s', (_name, createStore) => {
  it('gives a session back as it was', async () => {
    const sessions = createStore();
    const first = open(sessions);
    await first.sendMessage('Hi there');
    first.setDraft('unsent');
    await first.dispose();
    const second = open(sessions, 'Again');
    await second.ready;
    expect(second.store.getState().state).toEqual(first.store.getState().state);
    expect(second.store.getState().draft).toBe('unsent');
    await second.sendMessage('More');
    expect(said(second)).toEqual(['Hi there', 'Hello', 'More', 'Again']);
    const { sessions: list } = await sessions.list();
    expect(list).toMatchObject([
      { id: 'a', title: 'Hi there', agentName: 'agent', executionStatus: 'completed' },
    ]);
    expect(list[0]).not.toHaveProperty('queue');
    await second.dispose();
    await sessions.remove('a');
    await sessions.remove('a');
    expect([await sessions.load('a'), await sessions.list()]).toEqual([null, { sessions: [], cursor: null }]);
  });

  it('tells which session has changed', async () => {
    const sessions = createStore();
    const heard: (string | null)[] = [];
    const stop = sessions.subscribe?.((id) => heard.push(id));
    await open(sessions).sendMessage('Hi');
    expect(new Set(heard)).toEqual(new Set(['a']));
    stop?.();
    const { length } = heard;
    await sessions.remove('a');
    expect(heard).toHaveLength(length);
  });
});

describe('localStorageSessions', () => {
  it('lists what it cannot read as broken, and does not touch it', async () => {
    const storage = fakeStorage();
    await open(localStorageSessions({ storage })).sendMessage('Hi');
    storage.items.set('vitrine:session:a', '{"id":');
    const sessions = localStorageSessions({ storage });
    expect((await sessions.list()).sessions).toMatchObject([{ id: 'a', status: 'broken' }]);
    await expect(sessions.load('a')).rejects.toMatchObject({ code: 'state-invalid' });
    await expect(sessions.save({} as never, { expectedVersion: 0 })).rejects.toThrow();
    const session = open(sessions);
    expect((await session.sendMessage('Over it')).error?.code).toBe('state-invalid');
    await session.dispose();
    expect(storage.items.get('vitrine:session:a')).toBe('{"id":');
  });

  it('reads a damaged session again when retry is asked, once it is whole', async () => {
    const storage = fakeStorage();
    await open(localStorageSessions({ storage })).sendMessage('Hi');
    const whole = storage.items.get('vitrine:session:a')!;
    storage.items.set('vitrine:session:a', '{"id":');
    const session = open(localStorageSessions({ storage }));
    await session.ready;
    expect(session.store.getState().status).toBe('error');
    expect((await session.retry()).status).toBe('refused');
    storage.items.set('vitrine:session:a', whole);
    expect((await session.retry()).status).toBe('done');
    expect([said(session), session.store.getState().status]).toEqual([['Hi', 'Hello'], 'ready']);
  });

  it('reads what was written before there was a stored queue', async () => {
    const storage = fakeStorage();
    await open(localStorageSessions({ storage })).sendMessage('Hi');
    const { queue: _queue, draft: _draft, ...old } = JSON.parse(storage.items.get('vitrine:session:a')!);
    storage.items.set('vitrine:session:a', JSON.stringify(old));
    const record = await localStorageSessions({ storage }).load('a');
    expect(record).toMatchObject({ queue: [], draft: '' });
  });

  it('writes nothing per delta, and no old messages again', async () => {
    const storage = fakeStorage();
    const session = createAgentSession({
      agent: scriptedAgent([{ chunks: Array.from({ length: 300 }, () => 'y') }]),
      sessions: localStorageSessions({ storage }),
      sessionId: 'a',
    });
    await session.setMessages(Array.from({ length: 200 }, (_, index) => Message.user(`old ${index}`)));
    await session.flush();
    const write = vi.spyOn(storage, 'setItem');
    await session.sendMessage('Hi');
    expect(write.mock.calls.length).toBeLessThan(15);
    expect(write.mock.calls.filter(([key]) => key === 'vitrine:session:a:0')).toEqual([]);
    await session.dispose();
  });

  it.each(['../x', '', '-a'])('refuses the id %j', async (id) => {
    await expect(
      localStorageSessions({ storage: fakeStorage() }).save({ id } as never, { expectedVersion: 0 }),
    ).rejects.toMatchObject({ code: 'id-invalid' });
  });
});
