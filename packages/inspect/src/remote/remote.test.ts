import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secrets, secretShapes } from '../../../../tests/secrets/secret-shapes.ts';
import { create } from '@vitrine/core/internal/graph/agent-state/create';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { createAgentLoop } from '@vitrine/core/internal/agent-loop/create-agent-loop';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { createJournal } from '@vitrine/core/internal/run/journal';
import { agentOf } from '@vitrine/core/internal/run/random-agent.fixture';
import { plan } from '@vitrine/core/internal/run/random-plan.fixture';
import { runAll } from '@vitrine/core/internal/run/random-runs.fixture';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { createSessionHub, type HubSource, sessionHub } from '@vitrine/core/internal/session/hub';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { ask, fixedEnv, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { createRecorder } from '../recorder.ts';
import { redact, sanitizeWith } from '../redact.ts';
import { exportTrace } from '../trace/trace.ts';
import { broadcastChannel, windowChannel } from './remote-channel.ts';
import { createLine } from './remote.fixture.ts';
import { shareSessions } from './share-sessions.ts';
import { watchSessions } from './watch-sessions.ts';

const stateOf = ({ journal }: HubSource): AgentState => journal.state();

describe('sessions of another page', () => {
  it('watched sessions equal those of their page after random events, late joins, lost messages and new journals', async () => {
    const course = fc.record({
      plans: fc.array(plan, { minLength: 1, maxLength: 3 }),
      joinAt: fc.nat(120),
      lost: fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(course, async ({ plans, joinAt, lost }) => {
        const [hub, watching, line] = [createSessionHub(), createSessionHub(), createLine()];
        const stop = shareSessions(line.page, { hub });
        let told = 0;
        let leave = (): void => undefined;
        const join = (): void => {
          leave = watchSessions(line.panel, {
            hub: watching,
            onError: (error) => expect(error).toBeNull(),
          });
        };
        let messages = 0;
        line.lose = () => lost[messages++ % lost.length]!;
        let source: HubSource | undefined;
        let journal = createJournal(create());
        for (const [index, planned] of plans.entries()) {
          const env = fixedEnv();
          const ran = await runAll(planned, agentOf(planned, new Map()), env, ask('Hello', env));
          journal = createJournal(ran.base, { id: `journal ${index}` });
          const next: HubSource = { id: 'one', name: 'agent', journal };
          hub.register(next, source);
          source = next;
          for (const { event } of ran.entries) {
            if (told++ === joinAt) join();
            journal.take(event);
          }
        }
        if (told <= joinAt) join();
        line.lose = () => false;
        // The gap in `n` shows that messages were lost.
        for (let at = 0; at < 20; at++)
          journal.commit([], { type: 'metadata-change', source: 'app', set: { at }, removed: [] });
        if (watching.sources().length === 0) expect(lost).toContain(true);
        else expect(watching.sources().map(stateOf)).toEqual([redact(journal.state())]);
        leave();
        expect(watching.sources()).toEqual([]);
        stop();
      }),
      { numRuns: Number(process.env['PROVE_RUNS'] ?? 60) },
    );
  });

  it('watched sessions are recorded as on their own page, with every journal', async () => {
    const { page, panel } = createLine();
    const [recorder, watching] = [createRecorder(), createSessionHub()];
    const [stop, leave] = [shareSessions(page), watchSessions(panel, { hub: watching })];
    const remote = createRecorder({ hub: watching });
    const session = await talk('the sky');
    // A second panel requests everything; nothing of it is new to the first.
    watchSessions(panel, { hub: createSessionHub() })();
    const own = recorder.read(sessionHub().sources().at(-1)!);
    const [seen] = watching.sources();
    const trace = (record: typeof own): unknown => exportTrace(record, { name: 'helper', exportedAt: 5 });
    expect(trace(remote.read(seen!))).toEqual(trace(own));
    await session.dispose();
    expect(watching.sources()).toEqual([]);
    for (const end of [leave, stop, remote.dispose, recorder.dispose]) end();
  });

  it('watched sessions contain no secret in any form or in pieces, also of an answer that still streams', async () => {
    for (const [name, shape] of Object.entries(secretShapes)) {
      const secret = fc.sample(secrets, { numRuns: 1, seed: name.length })[0]!;
      const { page, panel, said } = createLine();
      const watching = createSessionHub();
      const [stop, leave] = [shareSessions(page), watchSessions(panel, { hub: watching })];
      const session = await talk(shape(secret));
      expect(watching.sources().map(stateOf)).toEqual([redact(session.store.getState().state)]);
      const told = said.join('');
      // No piece is long enough to guess the rest.
      for (let at = 0; at + 12 <= secret.length; at++)
        expect([name, told.includes(secret.slice(at, at + 12))]).toEqual([name, false]);
      await session.dispose();
      leave();
      stop();
    }
  });

  it('watched sessions contain nothing that the application does not let pass', async () => {
    const letPass = sanitizeWith((_path, value) =>
      typeof value === 'string' ? value.replaceAll('Canary', '(taken out)') : value,
    );
    const { page, panel, said } = createLine();
    const watching = createSessionHub();
    const [stop, leave] = [shareSessions(page), watchSessions(panel, { hub: watching })];
    const session = await talk('Canary');
    expect(said.join('')).toContain('(taken out)');
    expect(said.join('')).not.toMatch(/Canary|anary|Canar/);
    expect(JSON.stringify(session.store.getState().state)).toContain('Canary');
    await session.dispose();
    for (const end of [leave, stop, letPass]) end();
  });

  it('watched sessions receive the end of a journal that was replaced during an answer', async () => {
    const { page, panel } = createLine();
    const [hub, watching] = [createSessionHub(), createSessionHub()];
    const [stop, leave] = [shareSessions(page, { hub }), watchSessions(panel, { hub: watching })];
    const [own, remote] = [createRecorder({ hub }), createRecorder({ hub: watching })];
    const agent = scriptedAgent([{ text: 'It is blue', chunks: 3 }]);
    const events: AgentEvent[] = [];
    const base = ask();
    await createAgentLoop(agent, { onEvent: (event) => events.push(event) }).execute(base);
    const at = events.findIndex(({ type }) => type === 'text-delta');
    const journal = createJournal(base, { id: 'cut' });
    const source: HubSource = { id: 'one', name: 'agent', journal };
    hub.register(source);
    for (const event of events.slice(0, at + 1)) journal.take(event);
    expect(stateOf(watching.sources()[0]!)).not.toEqual(journal.state());
    const next: HubSource = { ...source, journal: createJournal(base, { id: 'next' }) };
    hub.register(next, source);
    const trace = (record: ReturnType<typeof own.read>): unknown =>
      exportTrace(record, { name: 'helper', exportedAt: 5 }).document.journals;
    expect(trace(remote.read(watching.sources()[0]!))).toEqual(trace(own.read(next)));
    for (const end of [leave, stop, remote.dispose, own.dispose]) end();
  });

  it('watched sessions disappear with their page and return with it', () => {
    const { page, panel } = createLine();
    const [hub, watching] = [createSessionHub(), createSessionHub()];
    hub.register({ id: 'one', name: 'agent', journal: createJournal(create()) });
    // The panel is open before the page.
    const leave = watchSessions(panel, { hub: watching });
    for (let time = 0; time < 2; time++) {
      const stop = shareSessions(page, { hub });
      expect(watching.sources().map(({ id, name }) => [id, name])).toEqual([['one', 'agent']]);
      stop();
      expect(watching.sources()).toEqual([]);
    }
    leave();
  });

  it('watched sessions over a BroadcastChannel are told to be gone before its page closes it', async () => {
    const [hub, watching] = [createSessionHub(), createSessionHub()];
    hub.register({ id: 'one', name: 'agent', journal: createJournal(create()) });
    const name = `remote ${crypto.randomUUID()}`;
    const leave = watchSessions(broadcastChannel(name), { hub: watching });
    const stop = shareSessions(broadcastChannel(name), { hub });
    await expect.poll(() => watching.sources().length).toBe(1);
    stop();
    await expect.poll(() => watching.sources().length).toBe(0);
    leave();
  });

  it('sessions with one id on two pages stay separate', () => {
    const { page, panel } = createLine();
    const watching = createSessionHub();
    const leave = watchSessions(panel, { hub: watching });
    const stops = [1, 2].map(() => {
      const hub = createSessionHub();
      hub.register({ id: 'one', name: 'agent', journal: createJournal(create()) });
      return shareSessions(page, { hub });
    });
    expect(new Set(watching.sources().map(({ id }) => id)).size).toBe(2);
    for (const stop of stops) stop();
    leave();
  });

  it('watched sessions are checked: a damaged message or another version is reported once, and has no effect', async () => {
    const { page, panel, said } = createLine();
    const watching = createSessionHub();
    const errors: string[] = [];
    const leave = watchSessions(panel, { hub: watching, onError: ({ message }) => errors.push(message) });
    const stop = shareSessions(page);
    const session = await talk('the sky');
    const [before] = watching.sources().map(stateOf);
    const other = page.open(() => undefined);
    const whole = said.filter((text) => text.includes('"events"'));
    expect(whole.length).toBeGreaterThan(5);
    other.post(JSON.parse(whole.at(-1)!.replace('"version":1', '"version":2')));
    other.post(JSON.parse(whole.at(-1)!.replace('"version":1', '"version":2')));
    expect(errors).toEqual([
      expect.stringMatching(/It uses version 2 of the protocol and this page version 1/),
    ]);
    const text = fc.constantFrom(...whole);
    fc.assert(
      fc.property(
        text,
        fc.double({ min: 0, max: 1 }),
        fc.constantFrom(...'{}[]",:0a'),
        (given, share, letter) => {
          const at = Math.floor(share * (given.length - 1));
          const changed = given.slice(0, at) + letter + given.slice(at + 1);
          try {
            other.post(JSON.parse(changed));
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(SyntaxError);
          }
        },
      ),
      { numRuns: 300 },
    );
    for (const junk of [
      null,
      7,
      'x',
      {},
      { format: 'vitrine-remote', version: 1, message: { type: '__proto__' } },
    ])
      other.post(junk);
    other.post({ format: 'vitrine-remote', version: 1, message: { type: 'again', page: 'x', source: 'y' } });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(before?.agentId).toBe(session.store.getState().state.agentId);
    await session.dispose();
    stop();
    leave();
  });
});

/**
 * Creates a session with two journals; `said` is in the question, a tool's input, its result and, letter by letter,
 * the answer.
 */
async function talk(said: string): Promise<AgentSession> {
  const look = { toolCalls: [{ name: 'look', input: { at: said, apiKey: said } }] };
  const agent = scriptedAgent([look, { text: `It is ${said}`, chunks: 40, reasoning: `So: ${said}` }], {
    tools: [fakeTool('look', { found: said })],
    systemPrompt: `Key: ${said}`,
  });
  const session = createAgentSession({ agent });
  await session.sendMessage(`Where is ${said}?`);
  await session.regenerate();
  return session;
}

describe('a channel to another window', () => {
  it('a window channel requires the exact origin', () => {
    for (const origin of ['*', '', '/', 'null', 'tools.example', 'https://tools.example/', 'file://'])
      expect(() => windowChannel({} as Window, origin)).toThrow(/is no origin/);
    expect(() => windowChannel({} as Window, 'https://tools.example:8443')).not.toThrow();
  });
});
