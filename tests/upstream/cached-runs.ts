import {
  AgentState,
  type AgentInit,
  type AgentSession,
  createAgentSession,
  defineAgent,
  definePlugin,
  defineTool,
  type ModelPrice,
  type Plugin,
  proxyInference,
  summarizeHistory,
} from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { createInferenceProxy, type InferenceProxyOptions, modelsFromEnv } from '@vitrine/proxy';
import * as z from 'zod';
import { type Answer, answerBody, outputTokens, type Wire } from './cached-wires.ts';
import {
  anthropicCache,
  breakpointCache,
  type Cache,
  type Counted,
  prefixCache,
  unitCache,
} from './prompt-caches.ts';

/** The rule of a provider's cache, with the wire on which it is asked. */
export type Rule = {
  readonly name: string;
  readonly wire: Wire;
  readonly env: Readonly<Record<string, string>>;
  /** The models that are served: the usual one, and another one. */
  readonly models: readonly [string, string];
  readonly cache: () => Cache;
  readonly price: ModelPrice;
};

const written = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25, cacheWriteHour: 2 };
const free = { input: 1, output: 5, cacheRead: 0.1 };
const openai = { wire: 'responses', env: { OPENAI_API_KEY: 'k' } } as const;

export const rules = {
  marks: {
    name: 'Anthropic: marks',
    wire: 'messages',
    env: { ANTHROPIC_API_KEY: 'k' },
    models: ['anthropic:claude-sonnet-4-5', 'anthropic:claude-haiku-4-5'],
    cache: anthropicCache,
    price: written,
  },
  prefix: {
    ...openai,
    name: 'OpenAI before 5.6: longest prefix',
    models: ['openai:gpt-5-mini', 'openai:gpt-5'],
    cache: prefixCache,
    price: free,
  },
  breakpoints: {
    ...openai,
    name: 'GPT-5.6 and later: breakpoints',
    models: ['openai:gpt-5.6-terra', 'openai:gpt-5.6-sol'],
    cache: breakpointCache,
    price: written,
  },
  units: {
    name: 'DeepSeek: units',
    wire: 'chat',
    env: { OPENAI_COMPATIBLE_BASE_URL: 'https://api.deepseek.test/v1', OPENAI_COMPATIBLE_API_KEY: 'k' },
    models: ['openai-compatible:deepseek-chat', 'openai-compatible:deepseek-reasoner'],
    cache: unitCache,
    price: free,
  },
} as const satisfies Readonly<Record<string, Rule>>;

/** A proxy with an upstream that counts what its cache would read of each body. */
export type World = {
  /** Adds the next answers of the model. */
  readonly play: (...answers: readonly Answer[]) => void;
  /** Opens the session, with a new agent. */
  readonly open: (init?: Partial<AgentInit>, sessionId?: string) => AgentSession;
  readonly agentInit: (init?: Partial<AgentInit>) => AgentInit;
  /** Sends a body as a page does. */
  readonly post: (body: object) => Promise<Response>;
  /** Lets time pass at the provider. */
  readonly wait: (ms: number) => void;
  readonly otherModel: string;
  readonly counted: readonly Counted[];
  readonly bodies: readonly string[];
  readonly headers: readonly Headers[];
  /** The costs that the proxy has counted. */
  readonly costs: readonly number[];
};

const words = 'The survey lists each parcel with its owner, its area and the year of the last sale. '.repeat(
  3,
);

/**
 * @param use The value of `VITRINE_CACHE`.
 * @param intercept Answers a request in the place of the model; null leaves it to the model.
 */
export function worldOf(
  rule: Rule,
  use = 'auto',
  intercept: (body: string) => Response | null = () => null,
  log: NonNullable<InferenceProxyOptions['log']> = () => undefined,
): World {
  const kept = rule.cache();
  const queue: Answer[] = [];
  const counted: Counted[] = [];
  const bodies: string[] = [];
  const headers: Headers[] = [];
  const costs: number[] = [];
  let now = 0;
  const upstream = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const body = String(init?.body);
    bodies.push(body);
    headers.push(new Headers(init?.headers));
    const other = intercept(body);
    if (other !== null) return other;
    now += 5000;
    const one = kept.take(JSON.parse(body), now);
    counted.push(one);
    const answer = answerBody(rule.wire, queue.shift() ?? {}, bodies.length, one);
    return new Response(answer, { headers: { 'content-type': 'text/event-stream' } });
  };
  const env = { ...rule.env, VITRINE_MODELS: rule.models.join(), VITRINE_CACHE: use };
  const proxy = createInferenceProxy({
    models: modelsFromEnv(env, { fetch: upstream as typeof fetch }).map((model) => ({
      ...model,
      price: rule.price,
    })),
    log,
    allowedHosts: ['local.test'],
    onStreamEnd: ({ usage }) => void costs.push(usage.cost ?? NaN),
  });
  const inference = proxyInference({
    url: 'http://local.test',
    fetch: async (url, init) => proxy.fetch(new Request(url as string, init)),
  });
  const look = defineTool({
    name: 'look',
    description: 'Reads a page of the survey',
    input: z.object({ page: z.number() }),
    execute: ({ page }) => `Page ${page} ${words.repeat(16)}`.slice(0, 4000),
  });
  const note = defineTool({
    name: 'note',
    description: 'Keeps a short note',
    input: z.object({ text: z.string() }),
    execute: () => 'noted',
  });
  const agentInit = (init: Partial<AgentInit> = {}): AgentInit => ({
    name: 'surveyor',
    systemPrompt: 'You read land surveys and answer with parcel numbers. '.repeat(110),
    tools: [look, note],
    inference,
    budget: { maxSteps: 40 },
    ...init,
  });
  const sessions = memorySessions();
  return {
    counted,
    bodies,
    headers,
    costs,
    agentInit,
    post: async (body) =>
      proxy.fetch(
        new Request('http://local.test/v1/inference', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      ),
    otherModel: rule.models[1],
    play: (...answers) => void queue.push(...answers),
    wait: (ms) => void (now += ms),
    open: (init, sessionId = 's') =>
      createAgentSession({
        agent: defineAgent(agentInit(init)),
        sessions,
        sessionId,
        publish: 'immediate',
      }),
  };
}

/** A turn of so many tool steps and an answer. */
export function steps(count: number, text = `Parcel 12 is the largest. ${words}`): readonly Answer[] {
  return [...Array.from({ length: count }, (_none, page) => ({ tool: 'look', input: { page } })), { text }];
}

/** Asks, and throws unless the turn completes. */
export async function ask(session: AgentSession, text: string, model?: string): Promise<void> {
  const turn = await session.sendMessage(text, model === undefined ? {} : { model });
  if (turn.status !== 'done' || turn.outcome !== 'completed')
    throw new Error(`${JSON.stringify(text)} ended as ${JSON.stringify(turn)}.`);
}

/** A plugin whose context is another one in each step. */
export function moving(id: string, size: number): Plugin {
  let told = 0;
  return definePlugin({
    id,
    state: z.unknown(),
    prepare: () => ({ context: [{ name: id, content: `${id} ${++told} ${'x'.repeat(size)}` }] }),
  });
}

const steady = (): Plugin =>
  definePlugin({
    id: 'facts',
    state: z.unknown(),
    prepare: () => ({ context: [{ name: 'Facts', content: 'The user owns parcel 7. '.repeat(40) }] }),
  });

function userMessage(session: AgentSession, at: number): string {
  const users = AgentState.messages(session.store.getState().state).filter(({ role }) => role === 'user');
  return users[at]?.id ?? '';
}

async function converse(world: World, session: AgentSession, questions: readonly string[]): Promise<void> {
  for (const question of questions) {
    world.play(...steps(2));
    await ask(session, `${question} ${words}`);
  }
}

const six = ['One?', 'Two?', 'Three?', 'Four?', 'Five?', 'Six?'];

/** Runs of agents as people cause them. */
export const runs: Readonly<Record<string, (world: World) => Promise<void>>> = {
  async 'ten steps'(world) {
    world.play(...steps(10));
    await ask(world.open(), 'Which parcel is the largest?');
  },
  async 'moving context'(world) {
    world.play(...steps(10));
    const plugins = [steady(), moving('clock', 20), moving('cart', 300), moving('page', 600)];
    await ask(world.open({ plugins }), 'Which parcel is the largest?');
  },
  async 'large moving context'(world) {
    world.play(...steps(10));
    await ask(world.open({ plugins: [moving('page', 8000)] }), 'Which parcel is the largest?');
  },
  async 'edited history'(world) {
    world.play(...steps(3), ...steps(2), ...steps(2), ...steps(2), ...steps(2));
    const session = world.open();
    for (const question of six.slice(0, 3)) await ask(session, `${question} ${words}`);
    await session.edit(userMessage(session, 1), `Two, but only the east. ${words}`);
    await ask(session, 'And four?');
  },
  async regenerate(world) {
    world.play(...steps(3), ...steps(2), ...steps(2), ...steps(2));
    const session = world.open();
    for (const question of six.slice(0, 2)) await ask(session, `${question} ${words}`);
    await session.regenerate();
    await session.regenerate();
  },
  async 'branch switch'(world) {
    const say = (text: string): Answer => ({ text: `${text} ${words}` });
    world.play(...steps(2), ...steps(2), ...steps(2), say('East.'), say('West.'), say('Again.'));
    const session = world.open();
    for (const question of six.slice(0, 2)) await ask(session, `${question} ${words}`);
    const former = userMessage(session, 1);
    await session.edit(former, `Two, the east. ${words}`);
    await ask(session, 'More of the east?');
    await session.switchBranch(former);
    await ask(session, 'More of the first?');
    await ask(session, 'And more?');
  },
  async subagents(world) {
    const reader = defineAgent(
      world.agentInit({
        name: 'reader',
        description: 'Reads',
        systemPrompt: 'You read one page and sum it up. '.repeat(150),
      }),
    );
    for (let page = 0; page < 3; page++)
      world.play(
        { tool: 'delegate', input: { agent: 'reader', task: `Read page ${page}. ${words}` } },
        ...steps(3, 'Summed up.'),
      );
    world.play({ text: 'All read.' });
    await ask(world.open({ subagents: [reader] }), 'Read three pages.');
  },
  async compaction(world) {
    let sums = 0;
    const summarize = (): string => `Summary ${++sums}: ${words.repeat(4)}`;
    const session = world.open({
      hooks: [summarizeHistory({ maxTokens: 6000, maxBufferTokens: 2000, summarize })],
    });
    for (let turn = 0; turn < 12; turn++) {
      world.play(...steps(1, `Answer ${turn}. ${words.repeat(8)}`));
      await ask(session, `Question ${turn}? ${words}`);
    }
  },
  async resumed(world) {
    world.play(...steps(3), ...steps(3), ...steps(3), ...steps(3));
    for (const questions of [six.slice(0, 2), six.slice(2, 4)]) {
      const session = world.open();
      for (const question of questions) await ask(session, `${question} ${words}`);
      await session.dispose();
      world.wait(120_000);
    }
  },
  async 'changed model'(world) {
    world.play(...steps(3), ...steps(3), ...steps(3));
    const session = world.open();
    await ask(session, `One? ${words}`);
    await ask(session, `Two? ${words}`, world.otherModel);
    await ask(session, `Three? ${words}`);
  },
  async 'turns with context'(world) {
    await converse(world, world.open({ plugins: [steady(), moving('clock', 20)] }), six);
  },
  async 'slow person'(world) {
    const session = world.open();
    for (const question of six) {
      await converse(world, session, [question]);
      world.wait(600_000);
    }
  },
  async 'one question with tools'(world) {
    world.play({ text: `Parcel 12. ${words}` });
    await ask(world.open(), `One? ${words}`);
  },
  async 'one question without tools'(world) {
    world.play({ text: `Parcel 12. ${words}` });
    await ask(world.open({ tools: [] }), `One? ${words}`);
  },
  async 'parallel calls'(world) {
    world.play(
      { tool: 'note', input: { text: 'a' }, calls: 15 },
      { tool: 'look', calls: 15 },
      { tool: 'look', calls: 15 },
      ...steps(2),
    );
    await ask(world.open(), `Read. ${words}`);
  },
};

/** The bill of requests. */
export type Bill = {
  /** Input tokens of all requests. */
  readonly input: number;
  /** The price of the input, in tokens of plain input. */
  readonly paid: number;
  readonly read: number;
  /** The whole bill of the provider, in the currency of its price. */
  readonly cost: number;
};

/** The bill of a provider for requests as its cache has counted them. */
export function billOf(counted: readonly Counted[], { price }: Rule): Bill {
  const sum = (of: (one: Counted) => number): number => counted.reduce((all, one) => all + of(one), 0);
  const { input, output, cacheRead = input, cacheWrite = input, cacheWriteHour = cacheWrite } = price;
  const paid = sum(
    ({ plain, read, write, long = 0 }) =>
      plain * input + read * cacheRead + (write - long) * cacheWrite + long * cacheWriteHour,
  );
  return {
    input: sum(({ total }) => total),
    paid: paid / input,
    read: sum(({ read }) => read),
    cost: (paid + counted.length * outputTokens * output) / 1e6,
  };
}
