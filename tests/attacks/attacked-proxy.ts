import { createInferenceProxy, type InferenceProxyOptions, modelsFromEnv } from '@vitrine/proxy';
import { afterAll, afterEach, beforeAll, beforeEach, expect, type MockInstance, vi } from 'vitest';
import { type Provider, startProvider } from './provider.ts';

/** Secrets that no answer may contain, wherever they came in. */
export const canaries = {
  key: 'sk-canary-7f3a9c51',
  upstream: 'canary-of-the-provider-1d02',
  cookie: 'canary-cookie-88e1',
  token: 'canary.bearer.token-5b6c',
  prompt: 'canary prompt: my account is 4417',
  thrown: 'canary-of-an-exception-e0f4',
} as const;

/** Secrets that the log must not contain either; it may contain a provider's message or an exception. */
const unlogged = ['key', 'cookie', 'token', 'prompt'] as const;

/** The parts of an answer that an attacker reads. */
export type Answer = { readonly status: number; readonly headers: Headers; readonly text: string };

/** A proxy under attack, with a real provider behind it. */
export type Attacked = {
  readonly provider: Provider;
  readonly proxy: ReturnType<typeof createInferenceProxy>;
  /** Sends a request to a path of the proxy, and keeps what comes back for the search for canaries. */
  readonly send: (path: string, init?: RequestInit & { readonly host?: string }) => Promise<Answer>;
  /** Posts a conversation; `with` are further fields of its body, or the body itself when it is a text. */
  readonly ask: (body?: object | string, headers?: Record<string, string>) => Promise<Answer>;
  readonly lines: () => readonly string[];
};

/** The conversation that is asked about, with the prompt that is nobody else's business. */
export const conversation = {
  messages: [{ role: 'user', parts: [{ type: 'text', text: canaries.prompt }] }],
};

/** A conversation whose last message has these parts. */
export const saying = (...parts: readonly object[]): object => ({ messages: [{ role: 'user', parts }] });

/** A proxy for each test of a file; after each of them every answer and every line of the log is searched. */
export function attacked(options: () => Partial<InferenceProxyOptions> = () => ({})): Attacked {
  let provider: Provider;
  let proxy: ReturnType<typeof createInferenceProxy>;
  let printed: MockInstance<typeof console.error>;
  const answers: string[] = [];
  const lines = (): string[] => printed.mock.calls.map((call) => call.map(String).join(' '));

  beforeAll(async () => {
    provider = await startProvider([canaries.key, canaries.upstream]);
  });
  afterAll(() => provider.close());
  beforeEach(() => {
    answers.length = 0;
    provider.sent.length = 0;
    provider.answer = { status: 200 };
    printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const models = modelsFromEnv({
      OPENAI_COMPATIBLE_BASE_URL: provider.url,
      VITRINE_MODELS: 'openai-compatible:llama3.3',
      OPENAI_COMPATIBLE_API_KEY: canaries.key,
    });
    proxy = createInferenceProxy({ models, ...options() });
  });
  afterEach(() => {
    const told = answers.join('\n');
    for (const canary of [...Object.values(canaries), new URL(provider.url).host])
      expect(told, 'a secret was told').not.toContain(canary);
    for (const name of unlogged)
      expect(lines().join('\n'), 'a secret was logged').not.toContain(canaries[name]);
    printed.mockRestore();
  });

  async function send(path: string, init: RequestInit & { readonly host?: string } = {}): Promise<Answer> {
    const { host = 'localhost', ...rest } = init;
    const response = await proxy.fetch(new Request(`http://${host}${path}`, rest));
    const answer = { status: response.status, headers: response.headers, text: await response.text() };
    answers.push(JSON.stringify([...answer.headers]), answer.text);
    return answer;
  }

  return {
    get provider() {
      return provider;
    },
    get proxy() {
      return proxy;
    },
    send,
    ask: (body = {}, headers = {}) =>
      send('/v1/inference', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify({ ...conversation, ...body }),
      }),
    lines,
  };
}

/** The error that ends an answer which is a stream; null when it ends well. */
export function failureOf({ text }: Answer): { readonly code: string; readonly retryable: boolean } | null {
  const last = [...text.matchAll(/^data: (.*)$/gm)].at(-1)?.[1] ?? '{}';
  const event = JSON.parse(last) as { type: string; code: string; retryable: boolean };
  return event.type === 'error' ? event : null;
}

/** The code of a problem. */
export const codeOf = ({ text }: Answer): string => (JSON.parse(text) as { code: string }).code;
