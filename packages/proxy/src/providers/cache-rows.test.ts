import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import { ask, billOf, type Rule, rules, steps, worldOf } from '../../../../tests/upstream/cached-runs.ts';
import { modelsFromEnv } from './models-from-env.ts';

/** A server with chat completions at an address. */
function serverAt(host: string, model: string): Rule {
  return {
    ...rules.units,
    name: host,
    env: { OPENAI_COMPATIBLE_BASE_URL: `https://${host}/v1`, OPENAI_COMPATIBLE_API_KEY: 'k' },
    models: [`openai-compatible:${model}`, 'openai-compatible:other'],
  };
}

const mistral = serverAt('api.mistral.ai', 'mistral-large');
const xai = serverAt('api.x.ai', 'grok-5');
const openrouter = serverAt('openrouter.ai', 'anthropic/claude-sonnet-5');
const mark = { type: 'ephemeral' };

type Body = Readonly<Record<string, unknown>> & {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
};

async function sentTo(
  rule: Rule,
  use?: string,
): Promise<{ readonly bodies: readonly Body[]; readonly headers: readonly Headers[] }> {
  const world = worldOf(rule, use);
  world.play(...steps(2));
  await ask(world.open(), 'Which parcel?');
  return { bodies: world.bodies.map((body) => JSON.parse(body) as Body), headers: world.headers };
}

describe('a server with chat completions', () => {
  it('Mistral gets one key in the body for all requests of an agent', async () => {
    const { bodies } = await sentTo(mistral);
    const keys = new Set(bodies.map((body) => body['prompt_cache_key']));
    expect(bodies).toHaveLength(3);
    expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(JSON.stringify(bodies)).not.toContain('cache_control');
  });

  it('xAI gets the key in its header, and nothing in the body', async () => {
    const { bodies, headers } = await sentTo(xai);
    const keys = new Set(headers.map((one) => one.get('x-grok-conv-id')));
    expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(JSON.stringify(bodies)).not.toMatch(/prompt_cache|cache_control/);
  });

  it('OpenRouter gets marks in the content of messages, at most four and where later requests begin', async () => {
    const { bodies } = await sentTo(openrouter);
    const marked = ({ messages }: Body): readonly number[] =>
      messages.flatMap((message, at) => (JSON.stringify(message).includes('cache_control') ? [at] : []));
    expect(bodies.map(marked)).toEqual([
      [0, 1],
      [0, 1, 3],
      [0, 1, 3, 5],
    ]);
    for (const { messages } of bodies)
      for (const { content } of messages.filter((message) =>
        JSON.stringify(message).includes('cache_control'),
      ))
        expect(content).toEqual([{ type: 'text', text: expect.any(String), cache_control: mark }]);
  });

  it('an unknown server gets no field that it may refuse', async () => {
    const { bodies, headers } = await sentTo(serverAt('models.example.test', 'm'));
    expect(JSON.stringify(bodies)).not.toMatch(/prompt_cache|cache_control/);
    expect(headers.every((one) => !one.has('x-grok-conv-id'))).toBe(true);
  });

  it.each([mistral, xai, openrouter])('$name gets no mark when the cache is off', async (rule) => {
    const { bodies, headers } = await sentTo(rule, 'off');
    expect(JSON.stringify(bodies)).not.toMatch(/prompt_cache|cache_control/);
    expect(headers.every((one) => !one.has('x-grok-conv-id'))).toBe(true);
  });
});

it.each([
  [
    'marks',
    rules.marks,
    400,
    { type: 'error', error: { type: 'invalid_request_error', message: 'cache_control: unknown' } },
  ],
  ['a key', mistral, 422, { detail: [{ type: 'extra_forbidden', loc: ['body', 'prompt_cache_key'] }] }],
  [
    'breakpoints',
    rules.breakpoints,
    400,
    { error: { message: "Unknown parameter: 'prompt_cache_key'.", type: 'invalid_request_error' } },
  ],
] as const)(
  'a provider that refuses %s is asked once more without any, then never with them, and the operator is told',
  async (_what, rule, status, refusal) => {
    const marks = /cache_control|prompt_cache/;
    const log: unknown[] = [];
    const world = worldOf(
      rule,
      'auto',
      (body) => (marks.test(body) ? Response.json(refusal, { status }) : null),
      (...entry) => void log.push(entry),
    );
    const session = world.open();
    await ask(session, 'One?');
    await ask(session, 'Two?');
    expect(world.bodies.map((body) => marks.test(body))).toEqual([true, false, false]);
    expect(JSON.stringify(log)).toMatch(marks);
  },
);

it.each([
  [{ key: 'a', borders: [{ message: 0 }, { message: 2 }] }, 2],
  [undefined, 3],
])(
  'the requests of a page with the borders %j are marked, also those of an older page that names none',
  async (cache, marks) => {
    const world = worldOf(rules.marks);
    const say = (role: string, text: string): object => ({ role, parts: [{ type: 'text', text }] });
    const messages = [say('system', 'S'), say('user', 'One?'), say('assistant', '1'), say('user', 'Two?')];
    const answer = await world.post({ model: null, messages, toolChoice: 'auto', cache });
    expect(answer.status).toBe(200);
    await answer.text();
    expect(world.bodies[0]?.split('cache_control')).toHaveLength(marks + 1);
  },
);

describe('a single question without tools', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  it.each(['marks', 'breakpoints'] as const)(
    'its prompt is kept by %s only when another question has it within five minutes',
    async (name) => {
      const rule = rules[name];
      const world = worldOf(rule);
      const paid: number[] = [];
      const askAlone = async (): Promise<void> => {
        await ask(world.open({ tools: [] }, `s${paid.length}`), 'Which parcel?');
        const bill = billOf(world.counted.slice(-1), rule);
        paid.push(bill.paid / bill.input);
      };
      for (let question = 0; question < 3; question++) await askAlone();
      vi.setSystemTime(Date.now() + 300_000);
      await askAlone();
      expect(paid[0]).toBe(1);
      expect(paid[1]).toBeGreaterThan(1.2);
      expect(paid[2]).toBeLessThan(0.2);
      expect(world.bodies.map((body) => /cache_control|prompt_cache_breakpoint/.test(body))).toEqual([
        false,
        true,
        true,
        false,
      ]);
    },
  );
});

it.each([
  [{ key: null, borders: [{ message: 1 }] }, 'cache.borders[0]'],
  [{ key: null, borders: [{ message: 0, part: 1 }] }, 'cache.borders[0]'],
  [{ key: null, borders: [{ message: 0 }, { message: 0, part: 0 }] }, 'cache.borders[1]'],
  [{ key: null, borders: Array.from({ length: 5 }, (_none, message) => ({ message })) }, 'at most 4 borders'],
])('a request with borders outside of its messages is refused: %j', async (cache, place) => {
  const models = modelsFromEnv({ ANTHROPIC_API_KEY: 'k' });
  const proxy = createInferenceProxy({ models, log: () => undefined, allowedHosts: ['local.test'] });
  const body = JSON.stringify({
    model: null,
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
    toolChoice: 'auto',
    cache,
  });
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const answer = await proxy.fetch(new Request('http://local.test/v1/inference', init));
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain(place);
});
