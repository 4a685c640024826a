import { describe, expect, it } from 'vitest';
import { defineHook } from '../agent/hook.ts';
import type { AgentInit } from '../agent/agent-definition.ts';
import { finishReasonGuard } from '../agent/guards/guard.ts';
import { withStopSignal } from '../graph/agent-state/transitions.ts';
import { type StopReason, stopReasons } from '../graph/stop-reason.ts';
import { of as signalOf, stopRequested } from '../graph/stop-signal.ts';
import { collect, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import type { ScriptedEntry } from '@vitrine/testing/internal/scripted-inference';
import type { AgentSession, Turn } from './agent-session.ts';
import { createAgentSession } from './create-agent-session.ts';
import { toAgUi } from '@vitrine/ag-ui';
import { toUiMessageStream, vitrineTransport } from '@vitrine/ai-sdk';
import { endOf, type TurnEnd } from './turn-end.ts';

const usage = { inputTokens: 10, outputTokens: 10, cost: 1 };
const look: ScriptedEntry = { text: 'I look.', toolCalls: [{ name: 'look', input: {} }], usage };
const away = { error: { code: 'upstream-unreachable', message: 'It is away.', retryable: true } };
const refused = { error: { code: 'upstream-unauthorized', message: 'The key is wrong.' } };
const retry = { maxAttempts: 2, baseDelayMs: 0 };
const stopBy = (reason: StopReason): Partial<AgentInit> => ({
  hooks: [
    defineHook({
      name: 'stop',
      on: 'after-step',
      run: (state) =>
        withStopSignal(
          state,
          reason === 'stop-requested' ? stopRequested({ message: 'Enough' }) : signalOf(reason),
        ),
    }),
  ],
});

type Case = {
  readonly script: ScriptedEntry;
  readonly init?: Partial<AgentInit>;
  readonly end: 'finish' | 'abort' | 'error';
};

/** A run that ends for each reason, and the end that it has to be. */
const cases: Readonly<Record<StopReason, Case>> = {
  'error-forbade': { script: refused, end: 'error' },
  'stop-requested': { script: look, init: stopBy('stop-requested'), end: 'abort' },
  'steps-limit-reached': { script: look, init: { budget: { maxSteps: 1 } }, end: 'finish' },
  'token-limit-reached': { script: look, init: { budget: { maxTokens: 15 } }, end: 'finish' },
  'time-limit-reached': { script: look, init: stopBy('time-limit-reached'), end: 'finish' },
  'cost-limit-reached': { script: look, init: { budget: { maxCost: 0.5 } }, end: 'finish' },
  'retry-limit-reached': { script: away, init: { retry }, end: 'error' },
  'finish-reason-received': {
    script: { text: 'Done', finishReason: 'length', usage },
    init: { hooks: [finishReasonGuard(['length'])] },
    end: 'finish',
  },
  'user-requested': { script: { text: 'Half an answer', chunks: 9, delayMs: 5 }, end: 'abort' },
  completed: { script: { text: 'Done', usage }, end: 'finish' },
  unknown: { script: look, init: stopBy('unknown'), end: 'finish' },
};

function sessionOf(reason: StopReason): AgentSession {
  const { script, init } = cases[reason];
  const agent = scriptedAgent([script], { tools: [fakeTool('look', 'nothing')], ...init });
  const session = createAgentSession({ agent, publish: 'immediate' });
  if (reason === 'user-requested')
    session.onEvent(({ type }) => void (type === 'text-delta' && session.stop('Stopped by a person.')));
  return session;
}

/** A session whose turns are answered at once, as by a server that is quicker than the stream of its events. */
function servedSession(): AgentSession {
  const agent = scriptedAgent([{ text: 'The whole answer', chunks: 9, delayMs: 5 }]);
  const session = createAgentSession({ agent, publish: 'immediate' });
  const store = {
    ...session.store,
    getState: () => ({ ...session.store.getState(), where: 'server' as const }),
  };
  const done = { status: 'done', outcome: 'completed', stopReason: 'completed', error: null } as const;
  const sendMessage: AgentSession['sendMessage'] = (...given) => {
    void session.sendMessage(...given);
    return Promise.resolve({ ...done } as unknown as Turn);
  };
  return { ...session, store, sendMessage };
}

type Told = {
  readonly end: string;
  readonly error: string | null;
  readonly reason: unknown;
  readonly text: string;
};

/** The end in the words of each writer. */
const writers: Readonly<Record<string, (session: AgentSession) => Promise<Told>>> = {
  toUiMessageStream: (session) => uiEnd(toUiMessageStream(session, session.sendMessage('Hi'))),
  async vitrineTransport(session) {
    const message = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] } as const;
    const request = {
      trigger: 'submit-message',
      messages: [message],
      messageId: undefined,
      abortSignal: undefined,
    };
    return uiEnd(await vitrineTransport(session).sendMessages(request as never));
  },
  async toAgUi(session) {
    const messages = [{ id: 'm', role: 'user', content: 'Hi' }];
    const asked = { threadId: 't', runId: 'r', protocolVersion: '1.0', messages };
    const body = JSON.stringify({ ...asked, tools: [], context: [], state: {}, forwardedProps: {} });
    const handle = toAgUi(session);
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
    const text = await (await handle(new Request('http://x/', { method: 'POST', headers, body }))).text();
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
    const last = events.at(-1);
    const said = textOf(events, 'TEXT_MESSAGE_CONTENT');
    if (last.type === 'RUN_ERROR')
      return { end: 'error', error: last.message, reason: last.code, text: said };
    return {
      text: said,
      end: last.outcome.type === 'cancelled' ? 'abort' : 'finish',
      error: null,
      reason: last.result?.stopReason ?? null,
    };
  },
};

async function uiEnd(stream: ReadableStream<unknown>): Promise<Told> {
  type Chunk = { type: string; errorText?: string; messageMetadata?: { vitrine: { stopReason?: string } } };
  const chunks = (await collect(stream as unknown as AsyncIterable<unknown>)) as Chunk[];
  const { type, errorText = null } = chunks.at(-1)!;
  const told = chunks.findLast((chunk) => chunk.type === 'message-metadata')?.messageMetadata?.vitrine;
  const text = textOf(chunks, 'text-delta');
  return { end: type, error: errorText, reason: told?.stopReason ?? null, text };
}

function textOf(events: readonly { readonly type: string; readonly delta?: string }[], kind: string): string {
  return events.map(({ type, delta = '' }) => (type === kind ? delta : '')).join('');
}

const isForced = (reason: StopReason): boolean =>
  reason !== 'completed' && reason !== 'finish-reason-received';

describe('the end of a turn', () => {
  it.each(stopReasons)('every writer tells a run that ends with %s as the same end', async (reason) => {
    const session = sessionOf(reason);
    const turn = await session.sendMessage('Hi');
    expect(turn.stopReason).toBe(reason);
    const own = endOf(turn, session.store.getState().state);
    expect(own.type).toBe(cases[reason].end);
    for (const [name, write] of Object.entries(writers)) {
      const told = await write(sessionOf(reason));
      expect([name, told.end]).toEqual([name, own.type]);
      expect([name, told.error]).toEqual([name, own.type === 'error' ? own.message : null]);
      const code = own.type === 'error' ? own.code : reason;
      if (own.type === 'finish')
        expect([name, told.reason]).toEqual([name, isForced(reason) ? reason : null]);
      if (own.type === 'error' && name === 'toAgUi') expect(told.reason).toBe(code);
    }
  });

  it.each(Object.keys(writers))(
    '%s tells the whole answer of a server whose answer to the command overtakes it',
    async (name) => {
      const told = await writers[name]!(servedSession());
      expect(told).toEqual({ end: 'finish', error: null, reason: null, text: 'The whole answer' });
    },
  );

  const nothing: TurnEnd = { status: 'done', outcome: null, stopReason: null, error: null };
  const error = { name: 'Error', message: 'It is refused.', code: 'session-busy', data: {}, cause: null };

  it.each<readonly [Partial<Turn>, object]>([
    [{ status: 'awaiting-input' }, { type: 'waiting' }],
    [
      { status: 'refused', error },
      { type: 'error', code: 'session-busy', message: 'It is refused.' },
    ],
    [
      { status: 'queued', error },
      { type: 'error', code: 'session-busy' },
    ],
    [{ status: 'cancelled' }, { type: 'abort' }],
    [{ status: 'overtaken' }, { type: 'abort' }],
    [{ outcome: 'failed' }, { type: 'error', message: 'The run failed without saying why.' }],
    [
      { outcome: 'stopped', stopReason: 'unknown' },
      { type: 'finish', reason: 'unknown' },
    ],
    [
      { outcome: 'stopped', stopReason: 'retry-limit-reached' },
      { type: 'error', code: 'retry-limit-reached' },
    ],
    [
      { outcome: 'stopped', stopReason: 'error-forbade' },
      { type: 'error', code: 'error-forbade' },
    ],
    [{}, { type: 'finish', reason: null }],
  ])('a turn of %o without a run of its own ends as %o', (turn, end) => {
    const { state } = sessionOf('completed').store.getState();
    expect(endOf({ ...nothing, ...turn }, state)).toMatchObject(end);
  });

  it('a turn without a run of its own is not told with the words of the run before', async () => {
    const session = sessionOf('stop-requested');
    const { stopReason } = await session.sendMessage('Hi');
    const { state } = session.store.getState();
    expect(endOf({ ...nothing, stopReason }, state)).toEqual({ type: 'abort', message: 'Enough' });
    const message = 'The run was stopped.';
    expect(endOf({ ...nothing, status: 'cancelled' }, state)).toEqual({ type: 'abort', message });
  });
});
