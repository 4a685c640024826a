import { describe, expect, it, vi } from 'vitest';
import { delegationToolName } from '../../agent/agent-definition.ts';
import { section } from '../../graph/message-store.ts';
import type { AgentState } from '../../graph/types.ts';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { ScriptedEntry } from '@vitrine/testing/internal/scripted-inference';
import { askingTool, heldTool } from '@vitrine/testing/internal/session.fixture';
import type { AgentSession } from '../agent-session.ts';
import * as Conversation from './conversation.ts';
import { createAgentSession } from '../create-agent-session.ts';
import { memorySessions } from '@vitrine/persist/internal/drivers/memory/memory-sessions';
import type { SessionStore } from '../store/session-store.ts';

const stateOf = (session: AgentSession): AgentState => session.store.getState().state;
const calls = (state: AgentState) =>
  Conversation.messages(state).flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-call'));

const failing = fakeTool('failing', () => {
  throw new Error('out of order');
});

/** A session whose model first calls the tools by name, and then answers. */
function calling(names: readonly string[], sessions?: SessionStore): AgentSession {
  const tools = [fakeTool('fine', { rows: 3 }), failing, askingTool('risky').tool];
  const script: ScriptedEntry[] = [
    { toolCalls: names.map((name) => ({ name, input: { name } })) },
    { text: 'told' },
    { text: 'more' },
  ];
  const agent = scriptedAgent(script, { tools });
  return createAgentSession({ agent, sessions, sessionId: 'a', publish: 'immediate' });
}

describe('the messages of a chat', () => {
  it('messages list no results, and every call carries its own with error, duration and approval', async () => {
    const session = calling(['fine', 'failing', 'risky']);
    await session.sendMessage('Hi');
    const [fine, failed, risky] = calls(stateOf(session));
    expect(fine).toMatchObject({
      status: 'completed',
      output: { rows: 3 },
      error: null,
      input: { name: 'fine' },
    });
    expect(fine?.durationMs).toBeGreaterThanOrEqual(0);
    expect(failed).toMatchObject({
      status: 'failed',
      output: null,
      error: { message: expect.stringContaining('out of order') },
    });
    expect(risky).toMatchObject({ status: 'awaiting-approval', approval: { decision: null } });
    await session.reject(risky!.toolCallId, { reason: 'too risky' });
    expect(calls(stateOf(session)).map(({ status }) => status)).toEqual(['completed', 'failed', 'rejected']);
    expect(Conversation.messages(stateOf(session)).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'assistant',
    ]);
  });

  it('messages never change the outcome of a call, neither with the next message nor after a reload', async () => {
    const sessions = memorySessions();
    const session = calling(['fine', 'failing', 'risky'], sessions);
    await session.sendMessage('Hi');
    await session.reject(calls(stateOf(session))[2]!.toolCallId);
    const told = (state: AgentState): unknown[] =>
      calls(state).map(({ status, output, durationMs, error }) => [
        status,
        output,
        durationMs,
        error?.message,
      ]);
    const first = told(stateOf(session));
    await session.sendMessage('More');
    expect(told(stateOf(session))).toEqual(first);
    const again = calling([], sessions);
    await again.ready;
    expect(told(stateOf(again))).toEqual(first);
    await again.sendMessage('After the reload');
    expect(told(stateOf(again)).slice(0, 3)).toEqual(first);
  });

  it('messages show the result that stands among them, also one set by the application', async () => {
    const session = calling(['risky']);
    await session.sendMessage('Hi');
    await session.approve(calls(stateOf(session))[0]!.toolCallId);
    expect(calls(stateOf(session))).toMatchObject([{ status: 'completed', output: 'risky ran' }]);
    await session.setMessages((messages) =>
      messages.map((message) =>
        message.role !== 'tool'
          ? message
          : {
              ...message,
              parts: message.parts.map((part) =>
                part.type === 'tool-result' ? { ...part, outcome: 'failed', output: 'undone' } : part,
              ),
            },
      ),
    );
    expect(calls(stateOf(session))).toMatchObject([
      { status: 'failed', output: null, error: { message: 'undone' } },
    ]);
  });

  it('messages have no answer before its first word', async () => {
    const session = calling(['fine']);
    const before: unknown[] = [];
    session.onEvent(({ type }, state) => {
      if (type === 'inference-start') before.push(Conversation.streamingMessage(state));
    });
    await session.sendMessage('Hi');
    expect(before).toEqual([null, null]);
  });

  it('messages show the progress of a running call and the reason of its interruption', async () => {
    const slow = heldTool('slow');
    const agent = scriptedAgent([{ toolCalls: [{ name: 'slow', input: 1 }] }], {
      tools: [
        { ...slow.tool, execute: (input, ctx) => (ctx.report({ done: 1 }), slow.tool.execute!(input, ctx)) },
      ],
    });
    const session = createAgentSession({ agent, publish: 'immediate' });
    const turn = session.sendMessage('Hi');
    await vi.waitFor(() =>
      expect(calls(stateOf(session))[0]).toMatchObject({ status: 'running', progress: { done: 1 } }),
    );
    expect(session.store.getState().activity).toMatchObject({
      type: 'tool',
      toolName: 'slow',
      progress: { done: 1 },
    });
    await session.stop();
    await turn;
    expect(calls(stateOf(session))[0]).toMatchObject({ status: 'interrupted', output: null });
  });

  it('messages show the activity of a subagent in the call that started it', async () => {
    const child = scriptedAgent([{ text: 'found it', chunks: 4, delayMs: 20 }], { name: 'finder' });
    const toolCalls = [{ name: delegationToolName, input: { agent: 'finder', task: 'find' } }];
    const parent = scriptedAgent([{ toolCalls }, { text: 'ok' }], { subagents: [child] });
    const session = createAgentSession({ agent: parent, publish: 'immediate' });
    const seen: unknown[] = [];
    session.store.subscribe(({ activity }) => seen.push(activity));
    await session.sendMessage('Hi');
    expect(seen).toContainEqual(
      expect.objectContaining({
        type: 'subagent',
        name: 'finder',
        others: 0,
        activity: { type: 'answering' },
      }),
    );
    expect(calls(stateOf(session))[0]?.childState?.execution?.status).toBe('completed');
  });
});

describe('the identity of messages', () => {
  it('earlier messages keep their reference while another streams, in any number of sessions', async () => {
    const sessions = [1, 2, 3].map(() => {
      const script: ScriptedEntry[] = [
        { toolCalls: [{ name: 'fine', input: 1 }] },
        { text: 'first' },
        { chunks: Array.from({ length: 30 }, () => 'x'), delayMs: 2 },
      ];
      const agent = scriptedAgent(script, { tools: [fakeTool('fine', 'ok')] });
      return createAgentSession({ agent, publish: 'immediate' });
    });
    await Promise.all(sessions.map((session) => session.sendMessage('Hi')));
    const history = sessions.map((session) => Conversation.messages(stateOf(session)));
    let [compared, changed] = [0, 0];
    const ids = sessions.map(() => new Set<readonly string[]>());
    sessions.forEach((session, at) =>
      session.store.subscribe(({ state }) => {
        const now = Conversation.messages(state);
        changed += history[at]!.filter((message, index) => now[index] !== message).length;
        ids[at]!.add(Conversation.messageIds(state));
        compared++;
      }),
    );
    await Promise.all(sessions.map((session) => session.sendMessage('More')));
    expect(compared).toBeGreaterThan(90);
    expect(changed).toBe(0);
    // Before the question, with it, and with the answer; the answer that is done has the same ids.
    expect(ids.map(({ size }) => size)).toEqual([2, 2, 2]);
    for (const session of sessions) {
      const all = Conversation.messages(stateOf(session));
      expect(all.map(({ id }) => Conversation.message(stateOf(session), id))).toEqual(all);
      expect(Conversation.messageIds(stateOf(session))).toEqual(all.map(({ id }) => id));
    }
  });

  it('messages of earlier steps keep their reference during a later step, and one without calls is the stored object', async () => {
    const slow = heldTool('slow');
    const script: ScriptedEntry[] = [
      { toolCalls: [{ name: 'fine', input: 1 }] },
      { toolCalls: [{ name: 'slow', input: 1 }] },
      { text: 'done' },
    ];
    const agent = scriptedAgent(script, { tools: [fakeTool('fine', 'ok'), slow.tool] });
    const session = createAgentSession({ agent, publish: 'immediate' });
    const turn = session.sendMessage('Hi');
    await vi.waitFor(() => expect(slow.runs).toHaveLength(1));
    const [question, step] = Conversation.messages(stateOf(session));
    expect(question).toBe(section(stateOf(session).context.store)[0]);
    slow.end();
    await turn;
    const after = Conversation.messages(stateOf(session));
    expect([after[0], after[1]].map((message, index) => message === [question, step][index])).toEqual([
      true,
      true,
    ]);
    expect(calls(stateOf(session)).map(({ status }) => status)).toEqual(['completed', 'completed']);
  });

  it('messages are equal whether the state was reached step by step or read at once', async () => {
    const sessions = memorySessions();
    const session = calling(['fine', 'failing', 'risky'], sessions);
    session.store.subscribe(({ state }) => void Conversation.messages(state));
    await session.sendMessage('Hi');
    await session.approve(calls(stateOf(session))[2]!.toolCallId);
    await session.sendMessage('More');
    const fresh = structuredClone(stateOf(session));
    expect(Conversation.messages(stateOf(session))).toEqual(Conversation.messages(fresh));
    expect(Conversation.messageIds(stateOf(session))).toEqual(Conversation.messageIds(fresh));
  });
});
