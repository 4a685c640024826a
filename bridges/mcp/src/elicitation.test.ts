import type { Client, ElicitResult } from '@modelcontextprotocol/client';
import { acceptedContent, fromJsonSchema, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { type AgentSession, AgentState, createAgentSession, type SessionStore } from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { memoryEffects } from '@vitrine/testing/internal/memory-effects';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { connectedClient, type Era, eras } from './clients.fixture.ts';
import { mcpTools, type McpToolsOptions } from './mcp-tools.ts';
import { serveMcp } from '../../../tests/serve-mcp.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const inputSchema = fromJsonSchema({ type: 'object' });
const annotations = { destructiveHint: false };
const requestedSchema = {
  type: 'object' as const,
  properties: { name: { type: 'string' as const, description: 'The name of the table' } },
  required: ['name'],
};

/** A server whose tool `book` asks the person for a name, in the way of each era. */
async function bookings() {
  const answers: (ElicitResult | string)[] = [];
  let calls = 0;
  const server = await serveMcp(() => {
    const mcp = new McpServer({ name: 'bookings', version: '1.0.0' });
    mcp.registerTool('book', { inputSchema, annotations }, async (_input, ctx) => {
      if (ctx.mcpReq.envelope === undefined) {
        calls++;
        const answer = await mcp.server.elicitInput({ message: 'In whose name?', requestedSchema });
        answers.push(answer);
        if (answer.action !== 'accept') return { content: [{ type: 'text', text: 'Nothing was booked.' }] };
        return { content: [{ type: 'text', text: `Booked for ${String(answer.content?.['name'])}.` }] };
      }
      const given = acceptedContent(ctx.mcpReq.inputResponses, 'who');
      if (given === undefined) {
        calls++;
        const elicit = inputRequired.elicit({ message: 'In whose name?', requestedSchema });
        return inputRequired({ inputRequests: { who: elicit } });
      }
      return { content: [{ type: 'text', text: `Booked for ${String(given['name'])}.` }] };
    });
    return mcp;
  });
  closing.push(server.close);
  return { url: server.url, answers, calls: () => calls };
}

async function connect(url: URL, era: Era = { version: 'newest', mode: 'auto' }): Promise<Client> {
  const client = await connectedClient(url, era, { elicitation: { form: {} } });
  closing.push(() => client.close());
  return client;
}

type SessionInit = McpToolsOptions & {
  readonly store?: SessionStore;
  readonly effects?: ReturnType<typeof memoryEffects>;
};

const sessionId = 'table';

/** A session that has asked for a table, and whose server has asked for the name. */
async function asking(client: Client, init: SessionInit = {}) {
  const { store, effects, ...options } = init;
  const agent = scriptedAgent([{ toolCalls: [{ name: 'book', input: {} }] }, { text: 'Done.' }], {
    plugins: [mcpTools(client, options)],
  });
  const session = createAgentSession({
    agent,
    ...(store ? { sessions: store, sessionId } : {}),
    ...(effects ? { effects } : {}),
  });
  closing.push(() => session.dispose());
  await session.sendMessage('A table, please.');
  return { session, agent, id: waiting(session).id };
}

function waiting(session: AgentSession) {
  const call = AgentState.currentStep(session.store.getState().state)?.toolExecutions[0];
  if (call === undefined) throw new Error('There is no call.');
  return call;
}

const calls = (session: AgentSession) => AgentState.steps(session.store.getState().state)[0]?.toolExecutions;

describe.each(eras)('a server that asks the person ($mode, client $version)', (era) => {
  it('a question of the server is an approval with its form, and the answer lets the same call go on', async () => {
    const server = await bookings();
    const { session, id } = await asking(await connect(server.url, era), { timeoutMs: 1_000 });
    expect(waiting(session)).toMatchObject({
      status: 'awaiting-approval',
      approval: { reason: 'The MCP server asks: In whose name?', form: requestedSchema, decision: null },
    });
    // A person may take longer than a server may be silent.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await session.approve(id, { input: { name: 'Ann' } });
    expect(calls(session)?.[0]).toMatchObject({
      status: 'completed',
      result: 'Booked for Ann.',
      toolCall: { input: {} },
      approval: { answer: { name: 'Ann' }, isEdited: false },
    });
    expect(server.calls()).toBe(1);
  });

  it('a rejected question declines at the server, and the model sees the rejection', async () => {
    const server = await bookings();
    const { session, id } = await asking(await connect(server.url, era));
    await session.reject(id, { reason: 'No table.' });
    expect(calls(session)?.[0]).toMatchObject({ status: 'rejected' });
    if (era.mode === 'legacy') await expect.poll(() => server.answers).toEqual([{ action: 'decline' }]);
  });

  it('a stop while a question waits ends the request at the server', async () => {
    const server = await bookings();
    const { session } = await asking(await connect(server.url, era));
    await session.stop();
    expect(calls(session)?.[0]?.status).toBe('interrupted');
    if (era.mode === 'legacy') await expect.poll(() => server.answers).toEqual([{ action: 'decline' }]);
  });

  it('a question that is answered after a reload fails with a sentence, and the tool is not called again', async () => {
    const server = await bookings();
    const store = memorySessions();
    const first = await asking(await connect(server.url, era), { store });
    await first.session.dispose();
    const agent = scriptedAgent([{ text: 'Sorry.' }], {
      plugins: [mcpTools(await connect(server.url, era))],
    });
    const session = createAgentSession({ agent, sessions: store, sessionId });
    closing.push(() => session.dispose());
    await session.approve(first.id, { input: { name: 'Ann' } });
    expect(calls(session)?.[0]?.error).toMatchObject({
      code: 'tool-interrupted',
      message: expect.stringContaining('the page was closed before the answer'),
    });
    expect(server.calls()).toBe(1);
  });

  it('a question is answered in a session that records its effects', async () => {
    const server = await bookings();
    const effects = memoryEffects();
    const { session, id } = await asking(await connect(server.url, era), { effects });
    await session.approve(id, { input: { name: 'Bob' } });
    expect(calls(session)?.[0]?.result).toBe('Booked for Bob.');
    expect(server.calls()).toBe(1);
  });
});

it('two sessions of one client answer their own questions', async () => {
  const server = await bookings();
  const client = await connect(server.url);
  const agentOf = () =>
    scriptedAgent([{ toolCalls: [{ name: 'book', input: {} }] }, { text: 'Done.' }], { plugins: [plugin] });
  const plugin = mcpTools(client);
  const sessions = [createAgentSession({ agent: agentOf() }), createAgentSession({ agent: agentOf() })];
  for (const session of sessions) await session.sendMessage('A table.');
  const [ann, bob] = sessions as [AgentSession, AgentSession];
  await bob.approve(waiting(bob).id, { input: { name: 'Bob' } });
  await ann.approve(waiting(ann).id, { input: { name: 'Ann' } });
  expect([calls(ann)?.[0]?.result, calls(bob)?.[0]?.result]).toEqual(['Booked for Ann.', 'Booked for Bob.']);
  for (const session of sessions) await session.dispose();
});
