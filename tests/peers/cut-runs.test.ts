import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAgentSession, type SessionStore } from '@vitrine/core';
import { deleteSession, memorySessions } from '@vitrine/persist';
import { toAgUi } from '@vitrine/ag-ui';
import type { AgentDefinition } from '../../packages/core/src/agent/agent-definition.ts';
import * as AgentState from '../../packages/core/src/run/agent-state.ts';
import { agentOf } from '../../packages/core/src/run/random-agent.fixture.ts';
import { plan } from '../../packages/core/src/run/random-plan.fixture.ts';
import { mortalStore } from '../../packages/persist/src/link/crash-points.fixture.ts';
import { scriptedAgent } from '../../packages/testing/src/fixtures.ts';
import { answersTo, byOwner, clients, cutFetch, framesIn, keptBy, shown } from './ag-ui-clients.ts';
import { clientMessages } from '../../bridges/ag-ui/src/client-messages.ts';
import { OpenSpans } from '../../bridges/ag-ui/src/open-spans.ts';
import type { AgUiEvent } from '../../packages/messages/src/ag-ui/protocol.ts';

/** A backend over a store. It may die: then nothing reaches the store any more. */
function backend(agent: AgentDefinition, store: SessionStore) {
  let isDead = false;
  const sessions = mortalStore(store, () => isDead);
  const session = createAgentSession({ agent, sessions, sessionId: 's1', publish: 'immediate' });
  return { session, handle: toAgUi(session), die: () => void (isDead = true) };
}

type Message = ReturnType<typeof clientMessages>[number];

const cut = fc.record({ after: fc.integer({ min: 1, max: 12 }), dies: fc.boolean() });
const course = fc.record({
  planned: plan,
  cuts: fc.array(cut, { maxLength: 8 }),
  version: fc.constantFrom(...clients),
});

let warned: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(() => {
  // The client tells what it does not know as a warning.
  expect(warned.mock.calls).toEqual([]);
  vi.restoreAllMocks();
});

it(
  'a client whose stream is cut anywhere, also by the end of the process, gets one stream by the rules of its version, and all messages',
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(course, async ({ planned, cuts, version: [, Client] }) => {
        const store = memorySessions();
        const agent = (): AgentDefinition => ({ ...agentOf(planned, new Map()), maxToolCalls: 3 });
        let process = backend(agent(), store);
        const request = async (input: string, init: RequestInit) => process.handle(input, init);
        const peer = cutFetch(request, cuts, () => {
          process.die();
          process = backend(agent(), store);
        });
        const client = new Client({ url: 'http://localhost/agent' });
        Object.assign(client, { fetch: peer.fetch });
        client.addMessage({ id: 'u1', role: 'user', content: 'Go' });
        let resume: object[] = [];
        for (let run = 0; run < 40; run++) {
          const before = [client.messages, peer.lost()] as const;
          const { approve, edit } = planned.answers[run % planned.answers.length]!;
          const error: unknown = await client
            .runAgent(resume.length === 0 ? {} : { resume: resume as never })
            .catch((thrown: unknown) => thrown);
          expect(String(error)).not.toMatch(/Cannot send|First event/);
          resume = [];
          if (peer.lost() > before[1]) client.setMessages(before[0]);
          else if (AgentState.pendingApprovals(process.session.store.getState().state).length === 0) break;
          else resume = answersTo(process.session, client, approve, edit);
        }
        const session = process.session;
        await vi.waitFor(() => expect(session.isSettled()).toBe(true));
        const told = clientMessages(session.store.getState().state, new Map());
        expect(byOwner(shown(keptBy(client, told)))).toEqual(byOwner(shown(told)));
      }),
      { numRuns: Number(process.env['PROVE_RUNS'] ?? 15), endOnFailure: true, timeout: 20_000 },
    );
  },
);

type Handle = ReturnType<typeof toAgUi>;
const agentUrl = 'http://localhost/agent';

/** The ids of the events of a run that answers a new message. */
async function idsOf(handle: Handle, id = 'u1'): Promise<readonly string[]> {
  const body = JSON.stringify({ threadId: 't', runId: 'r', messages: [{ id, role: 'user', content: 'Hi' }] });
  const answer = await handle(agentUrl, { method: 'POST', body });
  return framesIn(await answer.text()).map((frame) => frame.id);
}

const behind = (handle: Handle, id = ''): Promise<Response> =>
  handle(agentUrl, { headers: { 'last-event-id': id } });

const answering = (): AgentDefinition => scriptedAgent([{ text: 'Hello' }]);

describe('an id whose run is not known gets an answer that says what to do', () => {
  async function expectUnknown(handle: Handle, id: string | undefined): Promise<void> {
    const answer = await behind(handle, id);
    expect(answer.status).toBe(410);
    expect(await answer.json()).toMatchObject({ title: expect.stringContaining('Send the run again') });
  }

  it('an id of another session is not known', async () => {
    const [first] = await idsOf(backend(answering(), memorySessions()).handle);
    const { handle, session } = backend(answering(), memorySessions());
    await expectUnknown(handle, first);
    expect(AgentState.messages(session.store.getState().state)).toEqual([]);
  });

  it('an id of a deleted session is not known', async () => {
    const store = memorySessions();
    const { handle, session } = backend(answering(), store);
    const [first] = await idsOf(handle);
    await session.flush();
    await deleteSession(store, 's1');
    await vi.waitFor(() => expect(session.store.getState().status).toBe('deleted'));
    await expectUnknown(handle, first);
  });

  it('an id of the ninth run before is not known, and of the eighth it is', async () => {
    const { handle } = backend(answering(), memorySessions());
    const firsts: (string | undefined)[] = [];
    for (let run = 0; run < 9; run++) firsts.push((await idsOf(handle, `u${run}`))[0]);
    await expectUnknown(handle, firsts[0]);
    expect(await (await behind(handle, firsts[1])).text()).toContain('"RUN_FINISHED"');
  });

  it('an id whose message was not stored before the end of the process is not known', async () => {
    const store = memorySessions();
    const before = backend(answering(), store);
    const [first = ''] = await idsOf(before.handle);
    await before.session.flush();
    await before.session.setMessages([]);
    await before.session.flush();
    before.die();
    await expectUnknown(backend(answering(), store).handle, first);
  });

  it.each(['', 'gone.3', '.', 'a.Tx/y/z', 'a.T%', 'a.X1'])('the id %j is not known', async (id) => {
    await expectUnknown(backend(answering(), memorySessions()).handle, id);
  });
});

it('results have the ids that their client gave them behind the end of a process too', async () => {
  const store = memorySessions();
  const before = backend(answering(), store);
  const id = crypto.randomUUID();
  const call = { id, type: 'function', function: { name: 'look', arguments: '{}' } };
  const messages = [
    { id: 'u1', role: 'user', content: 'Look' },
    { id: 'a1', role: 'assistant', toolCalls: [call] },
    { id: 't1', role: 'tool', toolCallId: id, content: 'Snow' },
    { id: 'a2', role: 'assistant', content: 'It snows.' },
    { id: 'u2', role: 'user', content: 'Hi' },
  ];
  const body = JSON.stringify({ threadId: 't', runId: 'r', messages });
  const [first] = framesIn(await (await before.handle(agentUrl, { method: 'POST', body })).text());
  await before.session.flush();
  before.die();
  const again = framesIn(await (await behind(backend(answering(), store).handle, first?.id)).text());
  const told = again.find(({ event }) => event.type === 'MESSAGES_SNAPSHOT')?.event['messages'];
  expect((told as readonly Message[]).slice(0, 5).map((one) => one.id)).toEqual(
    messages.map((one) => one.id),
  );
});

it('a run is told again behind its last event as nothing', async () => {
  const { handle } = backend(answering(), memorySessions());
  const ids = await idsOf(handle);
  expect(await (await behind(handle, ids.at(-1))).text()).toBe('');
});

it('a reader that is 16 MB behind is told so, and goes on with its last id', async () => {
  const text = 'x'.repeat(2 ** 20);
  const agent = scriptedAgent([{ text: text.repeat(40), chunks: 40, delayMs: 1 }]);
  const { handle, session } = backend(agent, memorySessions());
  const messages = [{ id: 'u', role: 'user', content: 'Go' }];
  const body = JSON.stringify({ threadId: 't', runId: 'r', messages });
  const { body: stream } = await handle(agentUrl, { method: 'POST', body });
  await vi.waitFor(() => expect(session.store.getState().status).toBe('ready'), 20_000);
  let told = '';
  const read = async (): Promise<void> => {
    for await (const piece of stream!.pipeThrough(new TextDecoderStream())) told += piece;
  };
  await expect(read()).rejects.toThrow('bytes behind the run');
  const rest = await (await behind(handle, framesIn(told).at(-1)?.id)).text();
  expect(rest).toContain(text.repeat(40));
});

it('open spans are read as they were written, whatever their ids are', () => {
  const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 });
  const owned = fc.record({ id: word, owner: fc.option(word), at: fc.nat(5) });
  fc.assert(
    fc.property(fc.array(owned, { maxLength: 12 }), (spans) => {
      const open = new OpenSpans();
      for (const { id, owner, at } of spans) open.take(beginning(id, owner, at));
      expect(OpenSpans.read(String(open))?.all).toEqual(open.all);
    }),
  );
});

function beginning(id: string, owner: string | null, at: number): AgUiEvent {
  const tag = owner === null ? {} : { subagentRunId: owner };
  const parent = owner === null ? {} : { parentSubagentRunId: owner };
  const events: readonly AgUiEvent[] = [
    { type: 'TEXT_MESSAGE_START', messageId: id, role: 'assistant', ...tag },
    { type: 'REASONING_START', messageId: id, ...tag },
    { type: 'REASONING_MESSAGE_START', messageId: id, role: 'reasoning', ...tag },
    { type: 'TOOL_CALL_START', toolCallId: id, toolCallName: 'look', parentMessageId: 'm', ...tag },
    { type: 'STEP_STARTED', stepName: id, ...tag },
    { type: 'SUBAGENT_STARTED', subagentRunId: id, name: 'kid', parentToolCallId: id, ...parent },
  ];
  return events[at] as AgUiEvent;
}
