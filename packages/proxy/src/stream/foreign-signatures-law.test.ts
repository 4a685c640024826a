import type { JsonObject, MessagePart } from '@vitrine/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import { modelsFromEnv } from '../providers/models-from-env.ts';

/** The providers of a chain, with their hosts and the fields in which they sign. */
const providers = {
  anthropic: {
    host: 'api.anthropic.com',
    model: 'claude-sonnet-5-5',
    sign: (mark: string) => ({ anthropic: { signature: mark } }),
  },
  openai: {
    host: 'api.openai.com',
    model: 'gpt-6.1-sol',
    sign: (mark: string) => ({ openai: { itemId: `rs_${mark}`, reasoningEncryptedContent: mark } }),
  },
  google: {
    host: 'generativelanguage.googleapis.com',
    model: 'gemini-3-pro',
    sign: (mark: string) => ({ google: { thoughtSignature: mark } }),
  },
  'openai-compatible': {
    host: 'gateway.test',
    model: 'm',
    sign: (mark: string) => ({ gateway: { thoughtSignature: mark } }),
  },
} as const;
type Name = keyof typeof providers;
const names = Object.keys(providers) as Name[];

const turn = fc.record({
  by: fc.constantFrom(...names),
  signs: fc.record({ thought: fc.boolean(), text: fc.boolean(), call: fc.boolean() }),
  saysMaker: fc.boolean(),
  calls: fc.boolean(),
});
const plans = fc.record({
  chain: fc.shuffledSubarray(names, { minLength: 2, maxLength: 4 }),
  turns: fc.array(turn, { minLength: 1, maxLength: 5 }),
});
type Turn = typeof turn extends fc.Arbitrary<infer Value> ? Value : never;

function messagesOf(turns: readonly Turn[]): readonly object[] {
  const user = { role: 'user', parts: [{ type: 'text', text: 'Go on.' }] };
  return turns
    .flatMap(({ by, signs, saysMaker, calls }, at): readonly object[] => {
      const { sign, model } = providers[by];
      const metadata = (isSigned: boolean, place: string): { providerMetadata?: JsonObject } =>
        isSigned
          ? {
              providerMetadata: {
                ...sign(`signed-by-${by}-${place}${at}`),
                ...(saysMaker ? { vitrine: { model } } : {}),
              },
            }
          : {};
      const toolCallId = `call_${at}`;
      const call: MessagePart = {
        type: 'tool-call',
        toolCallId,
        toolName: 'look',
        input: {},
        providerCallId: null,
      };
      const parts = [
        { type: 'reasoning', text: 'Hm.', ...metadata(signs.thought, 'thought') },
        { type: 'text', text: 'Yes.', ...metadata(signs.text, 'text') },
        ...(calls ? [{ ...call, ...metadata(signs.call, 'call') }] : []),
      ];
      const result = {
        type: 'tool-result',
        toolCallId,
        toolName: 'look',
        output: 'Seen.',
        outcome: 'completed',
      };
      return [user, { role: 'assistant', parts }, ...(calls ? [{ role: 'tool', parts: [result] }] : [])];
    })
    .concat(user);
}

const numRuns = Number(process.env['PROVE_RUNS'] ?? 60);

it('a model of a chain gets nothing that another provider has signed, whatever the conversation holds', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async ({ chain, turns }) => {
      const sent: { readonly name: Name | undefined; readonly body: string }[] = [];
      const upstream = async (url: unknown, init?: RequestInit): Promise<Response> => {
        const { hostname } = new URL(String(url));
        const body = String(init?.body);
        sent.push({ name: names.find((name) => providers[name].host === hostname), body });
        return Response.json({ error: { message: 'Overloaded', type: 'overloaded_error' } }, { status: 503 });
      };
      const ids = chain.map((name) => `${name}:${providers[name].model}`);
      const models = modelsFromEnv(
        {
          ANTHROPIC_API_KEY: 'k',
          OPENAI_API_KEY: 'k',
          GOOGLE_GENERATIVE_AI_API_KEY: 'k',
          OPENAI_COMPATIBLE_BASE_URL: 'https://gateway.test/v1',
          VITRINE_MODELS: ids.join(),
          VITRINE_FALLBACK: ids.join('>'),
        },
        { fetch: upstream as typeof fetch },
      );
      const proxy = createInferenceProxy({ models, log: () => undefined, allowedHosts: ['local.test'] });
      const request = new Request('http://local.test/v1/inference', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: null, messages: messagesOf(turns), toolChoice: 'auto' }),
      });
      await (await proxy.fetch(request)).text();
      expect(sent.map(({ name }) => name)).toEqual(chain.slice(0, 3));
      for (const { name, body } of sent)
        for (const [, by] of body.matchAll(/signed-by-([a-z-]+)-(?:thought|text|call)\d/g))
          expect(by).toBe(name);
    }),
    { numRuns },
  );
}, 120_000);
