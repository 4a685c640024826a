import { expect, it } from 'vitest';
import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import {
  createSessionHub,
  type HubSource,
  sessionHub,
  type SourceKnowledge,
} from '@vitrine/core/internal/session/hub';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { diagnose } from './findings/diagnose.ts';
import type { JournalRecord } from './journal-record.ts';
import { questionsAbout } from './questions/questions.ts';
import { createRecorder } from './recorder.ts';
import { broadcastChannel } from './remote/remote-channel.ts';
import { shareSessions } from './remote/share-sessions.ts';
import { watchSessions } from './remote/watch-sessions.ts';
import { exportTrace, importTrace } from './trace/trace.ts';

const nothing: SourceKnowledge = { prompt: false, usage: false, times: false, results: true };

/** Records a run with a failed call whose model is sent the last message only. */
async function recordRun(): Promise<JournalRecord> {
  const recorder = createRecorder();
  const fail = fakeTool('fail', () => {
    throw new Error('It is broken.');
  });
  const agent = scriptedAgent([{ toolCalls: [{ name: 'fail', input: {} }] }, { text: 'Done' }], {
    tools: [fail],
    compileMessages: (state) => messages(state).slice(-1),
  });
  const session = createAgentSession({ agent });
  await session.sendMessage('Go');
  const record = recorder.read(sessionHub().sources().at(-1)!);
  await session.dispose();
  recorder.dispose();
  return record;
}

/** The journal of a record as that of a source which knows nothing beside its events. */
function foreign(record: JournalRecord): HubSource {
  const base = record.pages[0]!.base;
  const journal = { id: 'j', base, state: () => record.state, subscribe: () => () => undefined };
  return { id: 'theirs', name: 'their chat', journal, knows: nothing };
}

it('a record says what its source can tell, and stays the same record', async () => {
  const hub = createSessionHub();
  const recorder = createRecorder({ hub });
  const source = foreign(await recordRun());
  hub.register(source);
  expect(recorder.read(source).knows).toEqual(nothing);
  expect(recorder.read(source)).toBe(recorder.read(source));
});

it('a trace file keeps what its source could tell, and a shown trace says it again', async () => {
  const record = { ...(await recordRun()), knows: { ...nothing, usage: true } };
  const { document } = exportTrace(record, { name: 'theirs' });
  const read = importTrace(JSON.stringify(document));
  expect(read.record.knows).toEqual({ prompt: false, usage: true, times: false, results: true });
  const recorder = createRecorder({ hub: createSessionHub() });
  const { source } = recorder.show({ id: 'trace', name: 'theirs' }, read.record);
  expect(recorder.read(source).knows).toEqual(source.knows);
  expect(source.knows?.usage).toBe(true);
});

it('a trace file that says something odd of its source is read as knowing nothing', async () => {
  const { document } = exportTrace(await recordRun(), { name: 'theirs' });
  expect('knows' in document).toBe(false);
  for (const knows of [null, 'all', 7, { prompt: 'yes' }])
    expect(importTrace(JSON.stringify({ ...document, knows })).record.knows).toEqual(nothing);
});

it('another page that watches a session says what its source can tell', async () => {
  const [here, there] = [createSessionHub(), createSessionHub()];
  const record = await recordRun();
  here.register(foreign(record));
  const stop = shareSessions(broadcastChannel('knows'), { hub: here });
  const leave = watchSessions(broadcastChannel('knows'), { hub: there });
  await expect.poll(() => there.sources().map(({ knows }) => knows)).toEqual([nothing]);
  leave();
  stop();
});

it('detectors stay silent about facts that the source cannot tell, and others speak', async () => {
  const record = await recordRun();
  const codes = (given: JournalRecord): readonly string[] => diagnose(given).map(({ code }) => code);
  expect(codes(record)).toEqual(expect.arrayContaining(['messages-left-out', 'call-failed']));
  expect(codes({ ...record, knows: nothing })).not.toContain('messages-left-out');
  expect(codes({ ...record, knows: nothing })).toContain('call-failed');
  expect(codes({ ...record, knows: { ...nothing, prompt: true } })).toContain('messages-left-out');
});

it('answers to questions name what the source cannot tell instead of giving zeros', async () => {
  const record = { ...(await recordRun()), knows: nothing };
  const questions = questionsAbout(() => [{ id: 's', name: 'theirs', record }]);
  const ask = (name: string, input: object = {}): readonly unknown[] =>
    questions.find((one) => one.name === name)!.ask(input).items;
  const unknown = expect.stringContaining('not known') as string;
  expect(ask('runs')).toMatchObject([{ tokens: unknown, steps: 2 }]);
  expect(JSON.stringify(ask('costOf'))).not.toContain('inputTokens');
  expect(ask('promptAt', { step: 1 })[0]).toMatchObject({ request: unknown });
  expect(ask('leftOut', { step: 2 })).toEqual([{ step: 2, leftOut: unknown }]);
});
