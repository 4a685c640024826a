import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import type { InferenceClient, InferenceEvent } from '@vitrine/core/internal/model/inference-client';
import { createAgentSession } from '@vitrine/core';
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
const views = [toolView(draw, ({ status, input }) => <p>{`${status}: ${JSON.stringify(input)}`}</p>)];
const call = { toolCallId: 'c', toolName: 'draw' };
const start: InferenceEvent = { type: 'tool-call-start', ...call };
const delta = (text: string): InferenceEvent => ({ type: 'tool-call-delta', toolCallId: 'c', delta: text });
const whole: InferenceEvent = { type: 'tool-call', ...call, input: { title: 'Rain', points: [1, 2] } };

/** Opens a chat whose model sends the first answer event by event, as the returned function says. */
async function open(): Promise<(event: InferenceEvent | null) => Promise<void>> {
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
      yield { type: 'finish', finishReason: asked > 1 ? 'stop' : 'tool-calls', usage: null as never };
    },
  };
  const session = createAgentSession({
    agent: defineAgent({ name: 'a', inference, tools: [draw], retry: { maxAttempts: 1 } }),
  });
  onTestFinished(async () => void (await session.dispose()));
  render(
    <AgentSessionProvider session={session}>
      <ConversationView tools={views} />
    </AgentSessionProvider>,
  );
  await import('./streaming-calls.tsx');
  await act(async () => void session.sendMessage('Draw'));
  return async (event) => {
    await act(async () => {
      give(event);
      await new Promise((resolve) => setTimeout(resolve, 40));
    });
  };
}

it('the interface of a tool draws the arguments while they come, once, and the call when it is whole', async () => {
  const send = await open();
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
  const send = await open();
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
