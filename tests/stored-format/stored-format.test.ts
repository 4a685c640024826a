import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { type AgentEvent, loadedSession } from '@vitrine/core';
import { exportSession, localStorageSessions, renameSession } from '@vitrine/persist';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { root } from '../../scripts/root.ts';
import { besideOf, factsOf, factsOfDocument, type SessionFacts } from './session-facts.ts';
import { textsOf, textStorage } from './text-storage.ts';

const folder = `${root}/tests/fixtures/sessions`;
const hashes = JSON.parse(readFileSync(`${folder}/hashes.json`, 'utf8')) as Record<string, string>;
const files = readdirSync(folder).filter((file) => file.endsWith('.json') && file !== 'hashes.json');

type Fixture = {
  readonly name: string;
  readonly storage: Readonly<Record<string, string>>;
  readonly document: unknown;
  readonly facts: SessionFacts;
  /** The time of writing, and the other records of the store; older fixtures have neither. */
  readonly at?: number;
  readonly beside?: SessionFacts;
};

it('the sessions that were written are there, and nobody has changed them', () => {
  expect(files.toSorted()).toEqual(Object.keys(hashes).toSorted());
  expect(files.length).toBeGreaterThanOrEqual(5);
  for (const file of files)
    expect(
      createHash('sha256')
        .update(readFileSync(`${folder}/${file}`))
        .digest('hex'),
    ).toBe(hashes[file]);
});

/** The events that explain a run, and the fields that only some of them have. */
const explaining = {
  'execution-start': ['limits'],
  'execution-resume': ['limits'],
  'first-delta': ['afterMs'],
  'inference-start': ['replaced', 'contributors'],
  'inference-end': ['hook'],
  'tool-start': ['input'],
  'tool-end': ['blockedMs'],
  'call-settle': ['hook'],
  'budget-grant': ['grant'],
  'break-set': ['on', 'isOnce'],
  'break-hit': ['place'],
  'break-release': ['edit'],
} as const satisfies { readonly [Type in AgentEvent['type']]?: readonly string[] };

it('every event and field that explains a run stands in a stored session', async () => {
  const stored = await Promise.all(
    files.map(async (file) => {
      const { name, storage } = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as Fixture;
      const sessions = localStorageSessions({ storage: textStorage(storage) });
      return loadedSession(await sessions.load(name))?.journal.tail ?? [];
    }),
  );
  const events = stored.flat();
  for (const [type, fields] of Object.entries(explaining))
    for (const field of fields)
      expect(
        events.some((event) => event.type === type && field in event),
        `${type} with ${field}`,
      ).toBe(true);
});

describe.each(files)('the stored session %s', (file) => {
  const fixture = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as Fixture;
  const { name, storage, document, facts, at, beside = {} } = fixture;

  // What is left of removed sessions is erased 30 days later.
  beforeEach(() => {
    if (at !== undefined) vi.useFakeTimers({ toFake: ['Date'], now: at });
  });
  afterEach(() => vi.useRealTimers());

  it('a stored session loads unchanged, and reading it changes nothing', async () => {
    const items = textStorage(storage);
    const sessions = localStorageSessions({ storage: items });
    const { sessions: list } = await sessions.list();
    expect(list).toMatchObject([{ id: name, status: 'active', title: facts['title'] }]);
    // Views may say more of it one day, and never less.
    expect(await factsOf(sessions, name)).toMatchObject(facts);
    expect(await besideOf(sessions, name)).toMatchObject(beside);
    expect(textsOf(items)).toEqual(storage);
  });

  it('a stored session is written in the present format with nothing lost', async () => {
    const items = textStorage(storage);
    await renameSession(localStorageSessions({ storage: items }), name, 'Another title');
    expect(textsOf(items)).not.toEqual(storage);
    const sessions = localStorageSessions({ storage: items });
    expect(await factsOf(sessions, name)).toMatchObject({ ...facts, title: 'Another title' });
    expect(await besideOf(sessions, name)).toMatchObject(beside);
  });

  it('a stored session is imported unchanged, and exported again as from the store', async () => {
    expect(await factsOfDocument(document)).toMatchObject(facts);
    const again = await exportSession(localStorageSessions({ storage: textStorage(storage) }), name);
    expect(await factsOfDocument(JSON.stringify(again))).toMatchObject(facts);
  });
});
