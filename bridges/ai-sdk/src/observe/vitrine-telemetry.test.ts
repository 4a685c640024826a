// @vitest-environment node
import { Chat } from '@ai-sdk/react';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import { AgentState, AgentStep } from '@vitrine/core';
import { diagnose } from '@vitrine/inspect';
import {
  convertToModelMessages,
  DefaultChatTransport,
  isStepCount,
  simulateReadableStream,
  streamText,
  tool,
  type UIMessage,
} from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import {
  expectSound,
  recordEachTest,
  watchedRecord,
} from '@vitrine/inspect/internal/foreign/observed-journals.fixture';
import { observeChat, vitrineTelemetry } from './index.ts';

const usage = {
  inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

/** A model that calls `search` first and then answers. */
function scripted(): MockLanguageModelV4 {
  let next = 0;
  const answer = [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Green' },
    { type: 'text-end', id: 't' },
  ];
  const doStream = (): Promise<object> => {
    const isFirst = next++ % 2 === 0;
    const call = { type: 'tool-call', toolCallId: `c${next}`, toolName: 'search', input: '{"q":"tea"}' };
    const unified = isFirst ? 'tool-calls' : 'stop';
    const end = { type: 'finish', finishReason: { unified, raw: unified }, usage };
    const chunks = [{ type: 'stream-start', warnings: [] }, ...(isFirst ? [call] : answer), end];
    return Promise.resolve({ stream: simulateReadableStream({ chunks, chunkDelayInMs: 0 }) });
  };
  return new MockLanguageModelV4({ doStream } as object);
}

const search = tool({
  description: 'Searches',
  inputSchema: z.object({ q: z.string() }),
  execute: () => Promise.resolve(['green']),
});

type Sent = { readonly id: string; readonly messages: UIMessage[] };

/** The address of a backend as the quick start of the AI SDK shows it, with the two lines. */
async function backend(
  isNamed = true,
  sent = (messages: UIMessage[]): UIMessage[] => messages,
): Promise<string> {
  const telemetry = vitrineTelemetry();
  const model = scripted();

  async function chat(request: IncomingMessage): Promise<Response> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { id, messages } = JSON.parse(body) as Sent;
    const result = streamText({
      model,
      instructions: 'Be kind.',
      messages: await convertToModelMessages(sent(messages)),
      tools: { search },
      stopWhen: isStepCount(5),
      telemetry: { integrations: telemetry, ...(isNamed ? { functionId: id } : {}) },
    });
    return result.toUIMessageStreamResponse();
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isFacts = request.method === 'GET';
    const url = `http://localhost${request.url}`;
    const answered = await (isFacts ? telemetry.answer(new Request(url)) : chat(request));
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    Readable.fromWeb(answered.body as NodeStream).pipe(response);
  }

  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function chatOf(url: string, telemetry: string): Chat<UIMessage> {
  const transport = observeChat(new DefaultChatTransport({ api: `${url}/api/chat` }), { telemetry });
  return new Chat({ id: crypto.randomUUID(), transport, onError: () => undefined });
}

const ended = (): Promise<void> =>
  vi.waitFor(() => expect(AgentState.status(watchedRecord().state)).toBe('completed'), { timeout: 10_000 });

recordEachTest();
beforeEach(() => void delete (globalThis as { vitrineTelemetryRuns?: unknown }).vitrineTelemetryRuns);

describe('the telemetry of a server with the AI SDK', () => {
  it.each([true, false])(
    'a watched chat knows prompt and usage of each call (its id named: %s)',
    async (isNamed) => {
      const url = await backend(isNamed);
      const chat = chatOf(url, `${url}/api/vitrine`);
      await chat.sendMessage({ text: 'Which tea?' });
      await ended();
      const { state } = watchedRecord();
      expect(watchedRecord().knows).toEqual({ prompt: true, usage: true, times: false, results: true });
      expect(AgentState.usage(state)).toMatchObject({
        inputTokens: 20,
        outputTokens: 10,
        cacheReadTokens: 8,
      });
      const [first, second] = AgentState.steps(state).map((step) => AgentStep.request(state, step));
      expect(first).toMatchObject({
        systemPrompt: 'Be kind.',
        model: 'mock-model-id',
        tools: [{ name: 'search', description: 'Searches' }],
      });
      expect(second?.systemPrompt).toBe('Be kind.');
      expectSound(watchedRecord());
      await chat.sendMessage({ text: 'And now?' });
      await ended();
      expect(AgentState.stepCount(watchedRecord().state)).toBe(2);
      expect(watchedRecord().knows).toEqual({ prompt: true, usage: true, times: false, results: true });
      expectSound(watchedRecord());
      expect(diagnose(watchedRecord())).toEqual([]);
    },
  );

  it('a prompt without a part of the conversation is not known', async () => {
    const url = await backend(true, (messages) => messages.slice(-1));
    const chat = chatOf(url, `${url}/api/vitrine`);
    await chat.sendMessage({ text: 'One' });
    await ended();
    expect(watchedRecord().knows?.prompt).toBe(true);
    await chat.sendMessage({ text: 'Two' });
    await ended();
    expect(watchedRecord().knows).toEqual({ prompt: false, usage: true, times: false, results: true });
  });

  it('a chat whose telemetry is not there goes on, and knows neither', async () => {
    const url = await backend();
    const chat = chatOf(url, 'http://127.0.0.1:1/nothing');
    await chat.sendMessage({ text: 'Which tea?' });
    expect(chat.status).toBe('ready');
    await ended();
    expect(watchedRecord().knows).toEqual({ prompt: false, usage: false, times: false, results: true });
    expectSound(watchedRecord());
  });

  it('facts of other chats and of past runs are not answered', async () => {
    const telemetry = vitrineTelemetry();
    const ask = async (query: string): Promise<unknown> =>
      (await telemetry.answer(new Request(`http://localhost/?${query}`))).json();
    telemetry.onStart({ functionId: 'a', callId: 'one' });
    telemetry.onLanguageModelCallEnd({
      functionId: 'a',
      callId: 'one',
      modelId: 'm',
      usage: { inputTokens: 1 },
    });
    telemetry.onLanguageModelCallEnd({ functionId: 'a', callId: 'other', usage: { inputTokens: 9 } });
    telemetry.onLanguageModelCallEnd(null);
    expect(await ask('chat=a')).toMatchObject({ run: 'one', facts: [{ usage: { inputTokens: 1 } }] });
    expect(await ask('chat=a&run=one&after=1')).toEqual({ run: 'one', facts: [] });
    expect(await ask('chat=a&past=one')).toEqual({ run: null, facts: [] });
    expect(await ask('chat=b')).toEqual({ run: null, facts: [] });
  });
});
