import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { steps } from '@vitrine/core/internal/graph/agent-state/accessors';
import { create } from '@vitrine/core/internal/graph/agent-state/create';
import { secrets, secretShapes } from '../../../../tests/secrets/secret-shapes.ts';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { sessionHub } from '@vitrine/core/internal/session/hub';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { createJournalLog } from '../journal-log.ts';
import { eventsOf, type JournalRecord, stateAt } from '../journal-record.ts';
import { createRecorder } from '../recorder.ts';
import { redact, sanitizeWith } from '../redact.ts';
import { replay } from '../replay/replay.ts';
import { type JournalDocument, journalOfRun } from '../replay/journal-document.ts';
import { runsOf } from '../runs-of.ts';
import { exportTrace, importTrace, redactJournal } from './trace.ts';
import { testOfJournal } from './test-of-journal.ts';

/** Records a session with two journals; `said` is in the question, a tool's input, its result and the answer. */
async function recordRun(said = 'the sky'): Promise<JournalRecord> {
  const recorder = createRecorder();
  const look = { toolCalls: [{ name: 'look', input: { at: said, apiKey: said, headers: { via: said } } }] };
  const tools = [fakeTool('look', { found: said })];
  const agent = scriptedAgent([look, { text: `It is ${said}` }], { tools, systemPrompt: `Key: ${said}` });
  const session = createAgentSession({ agent });
  await session.sendMessage(`Where is ${said}?`);
  await session.regenerate();
  const source = sessionHub().sources().at(-1)!;
  const record = recorder.read(source);
  await session.dispose();
  recorder.dispose();
  return record;
}

/** A run whose answer came in two pieces, with another event between them. */
async function inPieces(...texts: readonly [string, string]): Promise<JournalDocument> {
  const record = await recordRun();
  const whole = journalOfRun(record, runsOf(record)[0]!)!;
  const at = whole.events.findIndex(({ type }) => type === 'text-delta');
  const [delta, note] = [whole.events[at] as { delta: string }, { type: 'execution-pause' }];
  const pieces = texts.map((piece) => ({ ...delta, delta: piece }));
  const events = [...whole.events.slice(0, at), pieces[0], note, pieces[1], ...whole.events.slice(at + 1)];
  return { ...whole, events: events.map((event) => ({ path: [], seq: 1, at: 1, ...event })) } as typeof whole;
}

const text = (record: JournalRecord): string =>
  JSON.stringify(exportTrace(record, { name: 'helper', exportedAt: 5 }).document);

describe('a trace file of a session', () => {
  it('a trace file gives the record again: its runs, events and every state', async () => {
    const record = await recordRun();
    const { record: read, name, exportedAt } = importTrace(text(record));
    expect([name, exportedAt]).toEqual(['helper', 5]);
    expect(read.state).toEqual(record.state);
    expect(runsOf(read).map(({ number, known, request }) => [number, known, request])).toEqual(
      runsOf(record).map(({ number, known, request }) => [number, known, request]),
    );
    const changes = eventsOf(read);
    expect(changes.length).toBeGreaterThan(20);
    changes.forEach((_, index) => expect(stateAt(read, index).seq).toBeGreaterThanOrEqual(0));
    expect(text(read)).toBe(text(record));
  });

  it('a trace file says what is not in it', async () => {
    const record = { ...(await recordRun()), missed: 3, dropped: { events: 7, steps: 2, bytes: 9 } };
    expect(importTrace(text(record)).record).toMatchObject({ missed: 3, dropped: { events: 7, steps: 2 } });
  });

  it('a trace file is rejected with a sentence when it is damaged, hostile, too large or newer', async () => {
    const whole = text(await recordRun());
    const changed = (change: (trace: Record<string, unknown>) => void): string => {
      const trace = JSON.parse(whole) as Record<string, unknown>;
      change(trace);
      return JSON.stringify(trace);
    };
    const said = (file: string): string => {
      try {
        importTrace(file);
        return 'opened';
      } catch (thrown) {
        return (thrown as Error).message;
      }
    };
    expect(said(whole)).toBe('opened');
    expect(said('{')).toMatch(/It is no JSON/);
    expect(said('null')).toMatch(/It is no object/);
    expect(said('{"format":"other"}')).toMatch(/format is not/);
    expect(said(changed((trace) => (trace['version'] = 2)))).toMatch(/version 2; version 1 is read/);
    expect(said(changed((trace) => delete trace['version']))).toMatch(/no version/);
    expect(said(changed((trace) => (trace['journals'] = [])))).toMatch(/no journal/);
    expect(said(changed((trace) => (trace['journals'] = [{ id: 'x' }])))).toMatch(/journals\.0/);
    expect(said(whole.replace('"format"', '"__proto__":{"polluted":1},"format"'))).toMatch(/__proto__/);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(said(' '.repeat(50 * 2 ** 20))).toMatch(/at most \d+ are read/);
    expect(said(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)).toMatch(/^The trace cannot be opened/);
  });

  it('a trace file with a changed byte is opened or rejected, and causes no other error', async () => {
    const whole = text(await recordRun());
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.constantFrom(...'{}[]",:0a'), (at, letter) => {
        try {
          importTrace(whole.slice(0, at) + letter + whole.slice(at + 1));
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'trace-invalid' });
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe('a planted secret in a record', () => {
  it('a planted secret is in no export, preview or test, in any form', { timeout: 60_000 }, async () => {
    const shapes = Object.entries(secretShapes);
    expect(shapes.length).toBeGreaterThanOrEqual(30);
    for (const [name, shape] of shapes) {
      const secret = fc.sample(secrets, { numRuns: 1, seed: name.length })[0]!;
      const record = await recordRun(shape(secret));
      const { document, redactions } = exportTrace(record, { name: 'helper' });
      const run = runsOf(record)[0]!;
      const journal = journalOfRun(record, run)!;
      const test = testOfJournal({ journal, name: 'helper', request: run.request });
      for (const out of [
        JSON.stringify(document),
        JSON.stringify(redactions),
        test,
        JSON.stringify(redact(record.state)),
      ])
        expect([name, out.includes(secret)]).toEqual([name, false]);
      expect(redactions.length).toBeGreaterThan(0);
      expect(redactions.map(({ path }) => path.at(-1))).toContain('apiKey');
      // Secrets are included only on request.
      expect(JSON.stringify(exportTrace(record, { name: 'helper', isRedacted: false }).document)).toContain(
        JSON.stringify(secret).slice(1, -1),
      );
    }
  });

  it('a redacted run can be replayed by the agent that has the secret', async () => {
    const secret = 'sk-proj-abcdef0123456789';
    const record = await recordRun(secret);
    const run = runsOf(record)[0]!;
    const journal = redact(journalOfRun(record, run)) as NonNullable<ReturnType<typeof journalOfRun>>;
    const agent = scriptedAgent([], { tools: [fakeTool('look', {})], systemPrompt: `Key: ${secret}` });
    const { state } = await replay(journal, agent, { isMasked: true });
    expect(steps(state)).toHaveLength(2);
    await expect(replay(journal, agent)).rejects.toThrow(/systemPrompt/);
  });

  it('a planted secret is removed when it came in separated pieces', async () => {
    const parted = await inPieces('sk-proj-abc', 'def0123456789');
    expect(JSON.stringify(redactJournal(parted))).not.toMatch(/sk-proj|def0123456789/);
  });

  it('a schema that describes a field is not taken for a secret', () => {
    const schema = { type: 'object', properties: { password: { type: 'string' } } };
    expect(redact(schema)).toBe(schema);
    expect(redact({ env: { HOME: '/root', n: 1 }, headers: [['a', 'b']] })).toEqual({
      env: { HOME: '•••', n: '•••' },
      headers: [['•••', '•••']],
    });
  });
});

describe('an empty record of a session', () => {
  it('an empty record has a trace too', () => {
    const record = createJournalLog('j', create()).read();
    expect(importTrace(text(record)).record.state).toEqual(record.state);
  });
});

describe('values that the application does not let pass', () => {
  it('a sanitized value is removed when it came in pieces', async () => {
    const letPass = sanitizeWith((_path, value) => (value === 'It is a Canary' ? 'It is a bird' : value));
    const text = JSON.stringify(redactJournal(await inPieces('It is a Can', 'ary')));
    letPass();
    expect(text).toContain('It is a bird');
    expect(text).not.toContain('It is a Can');
  });

  it('a sanitized value is in no export and no test, and does not affect the replay', async () => {
    const letPass = sanitizeWith((_path, value) =>
      typeof value === 'string' ? value.replaceAll('Canary', '(taken out)') : value,
    );
    const record = await recordRun('Canary');
    const { document, redactions } = exportTrace(record, { name: 'Canary' });
    expect(JSON.stringify(document)).not.toContain('Canary');
    expect(redactions.some(({ by }) => by === 'sanitize')).toBe(true);
    const [run] = runsOf(record);
    const journal = journalOfRun(record, run!)!;
    const test = testOfJournal({ journal, name: 'Canary', request: 'Where is Canary?' });
    expect(test).not.toContain('Canary');
    expect(test).toContain('sanitizeWith');
    const tools = [fakeTool('look', {})];
    const agent = scriptedAgent([], { tools, systemPrompt: 'Key: Canary' });
    const { state } = await replay(journal, agent);
    expect(JSON.stringify(state)).toContain('Canary');
    const { record: read } = importTrace(JSON.stringify(document));
    const masked = journalOfRun(read, runsOf(read)[0]!)!;
    await replay(masked, agent, { isMasked: true });
    letPass();
    await expect(replay(masked, agent, { isMasked: true })).rejects.toThrow();
  });
});
