import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import type { InferenceClient, InferenceEvent } from '@vitrine/core/internal/model/inference-client';
import { type AgentSession, createAgentSession } from '@vitrine/core';
import type { FinishReason } from '@vitrine/core/types';
import { type ReactNode, useState } from 'react';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { AgentSessionProvider, defineAgent, defineTool } from '../../index.ts';
import { ConversationView } from '../conversation-view.tsx';
import { stubLayout } from '../no-layout.fixture.ts';
import { toolView } from './tool-view.ts';

beforeEach(stubLayout);
afterEach(cleanup);

const draw = defineTool({
  name: 'draw',
  description: 'Draws',
  input: z.object({ title: z.string(), points: z.array(z.number()) }),
  execute: () => 'drawn',
});
const sign = defineTool({
  name: 'sign',
  description: 'Signs',
  needsApproval: true,
  input: z.object({ title: z.string() }),
  execute: () => 'signed',
});
const views = [
  toolView(draw, ({ status, input }) => <p>{`${status}: ${JSON.stringify(input)}`}</p>),
  toolView(sign, ({ status, toolCallId }) => {
    const [first] = useState(toolCallId);
    return <p>{`${status}: ${first === toolCallId ? 'mine' : 'of another call'}`}</p>;
  }),
];
const chatOf = (session: AgentSession): ReactNode => (
  <AgentSessionProvider session={session}>
    <ConversationView tools={views} />
  </AgentSessionProvider>
);
const call = { toolCallId: 'c', toolName: 'draw' };
const start: InferenceEvent = { type: 'tool-call-start', ...call };
const delta = (text: string): InferenceEvent => ({ type: 'tool-call-delta', toolCallId: 'c', delta: text });
const begun = (toolCallId: string): InferenceEvent => ({
  type: 'tool-call-start',
  toolCallId,
  toolName: 'sign',
});
const signed = (toolCallId: string): InferenceEvent => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'sign',
  input: { title: toolCallId },
});
const whole: InferenceEvent = { type: 'tool-call', ...call, input: { title: 'Rain', points: [1, 2] } };

/** Opens a chat whose model sends the first answer event by event, as `send` says; null ends it. */
async function open(finishReason: FinishReason = 'tool-calls') {
  let give = (_event: InferenceEvent | null): void => undefined;
  let wait = new Promise<InferenceEvent | null>((resolve) => (give = resolve));
  let asked = 0;
  const inference: InferenceClient = {
    async *stream() {
      yield { type: 'start', id: null, model: null };
      for (let event = asked++ > 0 ? null : await wait; event !== null; event = await wait) {
        wait = new Promise((resolve) => (give = resolve));
        yield event;
        if (event.type === 'error') return;
      }
      yield { type: 'finish', finishReason: asked > 1 ? 'stop' : finishReason, usage: null as never };
    },
  };
  const agent = defineAgent({ name: 'a', inference, tools: [draw, sign], retry: { maxAttempts: 1 } });
  const [session, other] = [createAgentSession({ agent }), createAgentSession({ agent })];
  onTestFinished(async () => void (await Promise.all([session.dispose(), other.dispose()])));
  const { rerender } = render(chatOf(session));
  await import('./streaming-calls.tsx');
  await act(async () => void session.sendMessage('Draw'));
  await waitFor(() => expect(asked).toBe(1));
  return {
    async send(...events: readonly (InferenceEvent | null)[]): Promise<void> {
      for (const event of events)
        await act(async () => {
          give(event);
          await new Promise((resolve) => setTimeout(resolve, 40));
        });
    },
    openOther: () => rerender(chatOf(other)),
  };
}

it('the interface of a tool draws the arguments while they come, once, and the call when it is whole', async () => {
  const { send } = await open();
  await send(start);
  await waitFor(() => screen.getByText('requested: null'));
  // The answer has no content, and is the first.
  expect(screen.queryByText('Show the earlier answer')).toBeNull();
  await send(delta('{"title":"Ra'));
  screen.getByText('requested: {"title":"Ra"}');
  await send(delta('in","points":[1,'));
  screen.getByText('requested: {"title":"Rain","points":[1]}');
  await send(whole);
  await waitFor(() => screen.getByText('requested: {"title":"Rain","points":[1,2]}'));
  expect(screen.getAllByText(/Rain/)).toHaveLength(1);
  await send(null);
  await waitFor(() => screen.getByText('completed: {"title":"Rain","points":[1,2]}'));
  expect(screen.getAllByText(/Rain/)).toHaveLength(1);
});

it('an answer that fails in the middle of its arguments leaves no interface behind', async () => {
  const { send } = await open();
  await send(start);
  await send(delta('{"title":"Ra'));
  await waitFor(() => screen.getByText('requested: {"title":"Ra"}'));
  await send({
    type: 'error',
    code: 'upstream-error',
    message: 'gone',
    retryable: false,
    retryAfterMs: null,
  });
  await waitFor(() => expect(screen.queryByText(/requested/)).toBeNull());
});

it('the interface of a call keeps its own state when a call before it is whole', async () => {
  const { send } = await open();
  await send(begun('c'), begun('d'));
  await waitFor(() => expect(screen.getAllByText('requested: mine')).toHaveLength(2));
  await send(signed('c'));
  await waitFor(() => expect(screen.getAllByText('requested: mine')).toHaveLength(2));
  await send(signed('d'), null);
  await waitFor(() => expect(screen.getAllByText('awaiting-approval: mine')).toHaveLength(2));
});

it('a call in which the answer was cut leaves no interface while another call waits', async () => {
  const { send } = await open('length');
  await send(begun('c'), signed('c'), begun('d'), signed('d'), begun('e'));
  await waitFor(() => expect(screen.getAllByText('requested: mine')).toHaveLength(3));
  await send(null);
  await waitFor(() => screen.getByText('awaiting-approval: mine'));
  await waitFor(() => expect(screen.queryByText('requested: mine')).toBeNull());
});

it('the streaming call of a session is not shown in the next one', async () => {
  const { send, openOther } = await open();
  await send(start, delta('{"title":"Ra'));
  await waitFor(() => screen.getByText('requested: {"title":"Ra"}'));
  openOther();
  expect(screen.queryByText(/requested/)).toBeNull();
});
