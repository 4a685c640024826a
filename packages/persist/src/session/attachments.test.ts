import { IDBFactory } from 'fake-indexeddb';
import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { messages, pendingApprovals } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { FilePart } from '@vitrine/core/internal/graph/message';
import type { InferenceRequest } from '@vitrine/core/internal/model/inference-client';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { createDeferred } from '@vitrine/core/internal/kit/deferred';
import type { ScriptedEntry } from '@vitrine/testing/internal/scripted-inference';
import {
  askingTool,
  fakeStorage,
  type HeldTool,
  heldTool,
  shownTexts,
} from '@vitrine/testing/internal/session.fixture';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { exportSession } from '../manage/export-session.ts';
import { importSession } from '../manage/import-session.ts';
import { blobsIn } from '@vitrine/core/internal/session/store/attachments';
import { indexedDBRows, indexedDBSessions } from '../drivers/indexed-db/indexed-db-rows.ts';
import { rowSessions } from '../rows/row-sessions.ts';
import { localStorageSessions } from '../drivers/local-storage/local-storage-rows.ts';
import { readAttachment } from '@vitrine/core/internal/session/read-attachment';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import type { BlobStore, SessionStore } from '@vitrine/core/internal/session/store/session-store';

beforeEach(() => vi.stubGlobal('indexedDB', new IDBFactory()));
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const requests: InferenceRequest[] = [];
const events: AgentEvent[] = [];
beforeEach(() => {
  requests.length = 0;
  events.length = 0;
});

// An open session would continue as another tab does.
const opened: AgentSession[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((session) => session.dispose()));
});

function open(sessions?: SessionStore, more: object = {}): AgentSession {
  const answer = (request: InferenceRequest): { text: string } => {
    requests.push(request);
    return { text: 'Seen' };
  };
  const agent = scriptedAgent([answer]);
  const onEvent = (event: AgentEvent): void => void events.push(event);
  const session = createAgentSession({
    agent,
    sessions,
    sessionId: 'a',
    publish: 'immediate',
    onEvent,
    ...more,
  });
  opened.push(session);
  return session;
}

const pixels = new Uint8Array([1, 2, 3, 250]);
const data = btoa(String.fromCharCode(...pixels));
const picture = (): File => new File([pixels], 'a.png', { type: 'image/png' });

function fileOf(session: AgentSession, at = 0): FilePart {
  const parts = messages(session.store.getState().state)[at]?.parts ?? [];
  return parts.find((part): part is FilePart => part.type === 'file') as FilePart;
}

it('a sent file is stored, the message references it, and the model receives its bytes', async () => {
  const sessions = indexedDBSessions();
  const session = open(sessions);
  expect((await session.sendMessage({ text: 'Look', files: [picture()] })).status).toBe('done');
  const blob = { hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string, size: 4 };
  expect(fileOf(session)).toEqual({ type: 'file', mediaType: 'image/png', filename: 'a.png', blob });
  expect(requests[0]?.messages.at(-1)?.parts).toEqual([
    { type: 'text', text: 'Look' },
    { type: 'file', mediaType: 'image/png', filename: 'a.png', data },
  ]);
  await session.dispose();

  const record = loadedSession(await indexedDBSessions().load('a'));
  expect([...blobsIn(record!)]).toEqual([fileOf(session).blob?.hash]);
  const again = open(indexedDBSessions());
  await again.sendMessage('And now?');
  expect(requests[1]?.messages[1]?.parts[1]).toMatchObject({ data });
  const shown = await readAttachment(fileOf(again), sessions);
  expect([shown?.type, new Uint8Array(await shown!.arrayBuffer())]).toEqual(['image/png', pixels]);
  await again.reset();
  await again.flush();
  expect(await sessions.blobs?.get(fileOf(session).blob?.hash ?? '')).toBe(null);
  await again.dispose();
});

it('a stored file with a changed byte is told as missing, and its bytes reach neither a view nor the model', async () => {
  const rows = indexedDBRows();
  let isDamaged = false;
  const sessions = rowSessions({
    ...rows,
    blobs: {
      ...rows.blobs!,
      async get(hash) {
        const found = await rows.blobs!.get(hash);
        if (isDamaged && found !== null) new Uint8Array(found.bytes)[2]! ^= 1;
        return found;
      },
    },
  });
  const session = open(sessions);
  await session.sendMessage({ text: 'Look', files: [picture()] });
  expect(await readAttachment(fileOf(session), sessions)).toMatchObject({ size: 4 });
  isDamaged = true;
  expect(await readAttachment(fileOf(session), sessions)).toBe(null);
  await session.sendMessage('Again');
  expect(JSON.stringify(requests[1])).not.toContain('"data"');
  await session.dispose();
});

it('base64 of the application is stored in a store that keeps files, and addresses stay', async () => {
  const session = open(indexedDBSessions());
  const inline: FilePart = { type: 'file', mediaType: 'image/png', filename: null, data };
  const linked: FilePart = {
    type: 'file',
    mediaType: 'image/png',
    filename: null,
    url: 'https://a.example/b',
  };
  await session.sendMessage({ text: '', files: [inline, linked] });
  const [first, second] = messages(session.store.getState().state)[0]?.parts ?? [];
  expect(first).not.toHaveProperty('data');
  expect(first).toHaveProperty('blob.size', 4);
  expect(second).toEqual(linked);
  await session.dispose();
});

it.each<[string, () => SessionStore | undefined]>([
  ['without a store', () => undefined],
  ['in localStorage', () => localStorageSessions({ storage: fakeStorage() })],
])('a file is inline in its message %s', async (_where, make) => {
  const session = open(make());
  await session.sendMessage({ text: '', files: [picture()] });
  expect(fileOf(session)).toEqual({ type: 'file', mediaType: 'image/png', filename: 'a.png', data });
  expect(requests[0]?.messages.at(-1)?.parts).toMatchObject([{ data }]);
  await session.dispose();
});

it('localStorage takes files up to 64 kB and reports the limit for larger ones', async () => {
  const session = open(localStorageSessions({ storage: fakeStorage() }));
  const send = async (size: number): Promise<unknown[]> => {
    const { status, error } = await session.sendMessage({
      text: 'Look',
      files: [new File([new Uint8Array(size)], 'big.bin')],
    });
    return [status, error?.code, error?.data, error?.message];
  };
  expect(await send(65_537)).toEqual([
    'refused',
    'attachment-too-large',
    { filename: 'big.bin', size: 65_537, limit: 65_536 },
    expect.stringMatching(/"big.bin" has 65537 bytes.*at most 65536 bytes.*indexedDBSessions\(\)/),
  ]);
  const huge: FilePart = {
    type: 'file',
    mediaType: 'a/b',
    filename: null,
    data: btoa(' '.repeat(65_537)),
  };
  expect((await session.sendMessage({ text: '', files: [huge] })).error?.code).toBe('attachment-too-large');
  expect(shownTexts(session)).toEqual([]);
  expect((await send(65_536))[0]).toBe('done');
  await session.dispose();
});

it('a store that cannot keep a file refuses the message and leaves nothing of it', async () => {
  const blobs = { put: () => Promise.reject(new Error('full')), get: async () => null };
  const session = open({ ...indexedDBSessions(), blobs });
  const turn = await session.sendMessage({ text: 'Look', files: [picture()] });
  expect([turn.status, turn.error?.message]).toEqual(['refused', 'full']);
  expect((await session.sendMessage('Without it')).status).toBe('done');
  expect(shownTexts(session)).toEqual(['Without it', 'Seen']);
  await session.dispose();
});

it('later commands and dispose wait for a message whose files are being stored', async () => {
  const session = open(indexedDBSessions());
  await session.ready;
  const sent = [
    session.sendMessage({ text: 'With a file', files: [picture()] }),
    session.sendMessage('Behind it'),
  ];
  await session.dispose();
  await Promise.all(sent);
  const sessions = indexedDBSessions();
  const stored = loadedSession(await sessions.load('a'));
  expect(stored?.queue.map(({ text }) => text)).toEqual(['With a file', 'Behind it']);
  const [held] = blobsIn(stored!);
  expect(await sessions.blobs?.get(held ?? '')).not.toBe(null);
});

describe('while a file of the next message is being stored', () => {
  /** A session with an active run whose store takes files when it is allowed to. */
  async function busy(tool: HeldTool, more: readonly ScriptedEntry[] = []) {
    const stored = indexedDBSessions();
    const keeping = createDeferred<void>();
    const put: BlobStore['put'] = async (...file) => {
      await keeping.promise;
      return stored.blobs!.put(...file);
    };
    const call: ScriptedEntry = { toolCalls: [{ name: tool.tool.name, input: 0 }] };
    const agent = scriptedAgent([call, ...more, { text: 'Done' }], { tools: [tool.tool] });
    const session = open({ ...stored, blobs: { ...stored.blobs!, put } }, { agent });
    return { session, keep: keeping.resolve, first: session.sendMessage('Work') };
  }

  it('a run stops at once while a file is stored, and its turn settles', async () => {
    const tool = heldTool('work');
    const { session, keep, first } = await busy(tool);
    await vi.waitFor(() => expect(tool.runs).toHaveLength(1));
    const sent = session.sendMessage({ text: 'Look', files: [picture()] });
    const behind = session.sendMessage('Behind it');
    await session.stop();
    expect(await first).toMatchObject({ status: 'done', outcome: 'stopped' });
    keep();
    expect([(await sent).outcome, (await behind).outcome]).toEqual(['completed', 'completed']);
    expect(shownTexts(session)).toEqual(['Work', '', 'Look', 'Done', 'Behind it', 'Done']);
  });

  it('a call is approved and runs while a file is stored', async () => {
    const tool = askingTool('pay');
    const { session, keep, first } = await busy(tool);
    expect(await first).toMatchObject({ status: 'awaiting-input' });
    const sent = session.sendMessage({ text: 'Look', files: [picture()] });
    const [call] = pendingApprovals(session.store.getState().state);
    expect(await session.approve(call!.id)).toMatchObject({ status: 'done', outcome: 'completed' });
    expect(tool.runs).toEqual([0]);
    keep();
    expect(await sent).toMatchObject({ outcome: 'completed' });
  });

  it('a stop of a message that has not begun waits for its file', async () => {
    const { session, keep } = await busy(heldTool('work'));
    await session.stop();
    const sent = session.sendMessage({ text: 'Look', files: [picture()] });
    const stopping = session.stop();
    keep();
    await stopping;
    expect(await sent).toMatchObject({ status: 'done', outcome: 'stopped' });
  });
});

it('an edit stores files too, and the branch that was left keeps its own', async () => {
  const sessions = indexedDBSessions();
  const session = open(sessions);
  await session.sendMessage({ text: 'One', files: [picture()] });
  const [asked] = messages(session.store.getState().state);
  const before = fileOf(session).blob?.hash ?? '';
  await session.edit(asked?.id ?? '', { text: 'Two', files: [new Blob(['other'])] });
  const after = fileOf(session).blob?.hash ?? '';
  await session.flush();
  expect(after).not.toBe(before);
  for (const hash of [before, after]) expect(await sessions.blobs?.get(hash)).not.toBe(null);
  await session.dispose();
});

it.each<[string, () => Promise<Blob | null>]>([
  ['is not there', async () => null],
  ['cannot be read', () => Promise.reject(new Error('broken'))],
])('a file that %s becomes a sentence for the model and an error for the page', async (_what, get) => {
  const stored = indexedDBSessions();
  const session = open({ ...stored, blobs: { ...stored.blobs!, get } });
  const turn = await session.sendMessage({ text: 'Look', files: [picture()] });
  expect([turn.status, turn.outcome]).toEqual(['done', 'completed']);
  expect(requests[0]?.messages.at(-1)?.parts[1]).toEqual({
    type: 'text',
    text: '[The file "a.png" is not available any more.]',
  });
  const [told] = events.filter(({ type }) => type === 'attachment-missing');
  expect(told).toMatchObject({ hash: fileOf(session).blob?.hash, filename: 'a.png', seq: null });
  expect(fileOf(session)).toHaveProperty('blob');
  await session.dispose();
});

it('a fork into another store copies its files', async () => {
  const forks = indexedDBSessions({ name: 'forks' });
  const session = open(indexedDBSessions(), { forks });
  await session.sendMessage({ text: 'Look', files: [picture()] });
  await session.fork();
  const copy = await forks.blobs?.get(fileOf(session).blob?.hash ?? '');
  expect(new Uint8Array(await copy!.arrayBuffer())).toEqual(pixels);
  await session.dispose();
});

it('a file of a page that died before its message is erased at the first opening after a day', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
  const put = (): Promise<{ hash: string }> =>
    indexedDBSessions().blobs!.put(pixels, { mediaType: 'image/png', sessionId: 'a' });
  const { hash } = await put();
  const there = async (): Promise<boolean> => {
    const sessions = indexedDBSessions();
    await sessions.list();
    // The sweep begins with the opening, and later requests wait for it.
    return (await sessions.blobs?.get(hash)) !== null;
  };
  const day = 24 * 60 * 60 * 1000;
  vi.setSystemTime(1_000_000 + day - 1);
  expect(await there()).toBe(true);
  vi.setSystemTime(1_000_000 + day);
  expect(await there()).toBe(false);
});

describe('the file of a message in an export', () => {
  async function exported(): Promise<object> {
    const session = open(indexedDBSessions());
    await session.sendMessage({ text: 'Look', files: [picture()] });
    await session.dispose();
    return (await exportSession(indexedDBSessions(), 'a')) as object;
  }

  it.each(['none', 'full'] as const)(
    'an exported file returns into a store of files with trust "%s"',
    async (trust) => {
      const document = JSON.stringify(await exported());
      vi.stubGlobal('indexedDB', new IDBFactory());
      const id = await importSession(indexedDBSessions(), document, { trust });
      const back = open(indexedDBSessions(), { sessionId: id });
      await back.ready;
      const file = fileOf(back);
      expect(file.data).toBeUndefined();
      const bytes = await readAttachment(file, indexedDBSessions());
      expect(new Uint8Array(await bytes!.arrayBuffer())).toEqual(pixels);
    },
  );

  it('an imported file is inline where the other store keeps no files and has room', async () => {
    const document = await exported();
    const small = localStorageSessions({ storage: fakeStorage() });
    const id = await importSession(small, document);
    const back = open(small, { sessionId: id });
    await back.ready;
    expect(fileOf(back)).toMatchObject({ data, filename: 'a.png' });
    expect(fileOf(back).blob).toBeUndefined();
    await expect(importSession({ ...small, inlineBytes: 3 }, document)).rejects.toMatchObject({
      code: 'attachment-too-large',
    });
  });

  it('an import with a file that does not match its hash imports nothing', async () => {
    const document = JSON.stringify(await exported()).replace(data, btoa('9999'));
    vi.stubGlobal('indexedDB', new IDBFactory());
    await expect(importSession(indexedDBSessions(), document)).rejects.toMatchObject({
      code: 'state-invalid',
    });
    expect((await indexedDBSessions().list()).sessions).toEqual([]);
  });
});
