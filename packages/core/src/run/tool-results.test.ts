import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import * as PluginState from '../agent/plugin/plugin-state.ts';
import { defineTool, type Tool, type ToolContext } from '../agent/tool.ts';
import * as AgentState from './agent-state.ts';
import type { AgentState as State } from '../graph/types.ts';
import type { InferenceEvent } from '../model/inference-client.ts';
import { expectRun } from '@vitrine/testing/internal/expect-run';
import { fixedEnv } from '@vitrine/testing/internal/fixed-env';
import { ask } from '@vitrine/testing/internal/fixtures';
import type { ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import { definePlugin } from '../features/define-plugin.ts';

const roundTrip = (state: State): State =>
  AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))));
const tool = (execute: NonNullable<Tool['execute']>, name = 'tool'): Tool =>
  defineTool({ name, description: '', input: z.any(), execute });
const calls = (...names: string[]): ScriptedStep => ({
  toolCalls: names.map((name) => ({ name, input: {} })),
});
const first = (state: State) => AgentState.steps(state)[0]!.toolExecutions[0]!;

describe('a successful tool call', () => {
  class Money {
    readonly amount: number;
    constructor(amount: number) {
      this.amount = amount;
    }
    toJSON(): string {
      return `${this.amount} EUR`;
    }
  }
  it.each<[string, unknown, unknown]>([
    ['properties that are undefined', { a: undefined, b: 1 }, { b: 1 }],
    ['a Date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['a Map', { map: new Map([['a', 1]]) }, { map: expect.stringContaining('Map') }],
    ['a Set', [new Set([1])], [expect.stringContaining('Set')]],
    ['a BigInt', { big: 10n }, { big: expect.any(String) }],
    ['a value of its own class', { price: new Money(5) }, { price: '5 EUR' }],
    ['nothing', undefined, null],
    ['a number that is none', { n: NaN }, { n: null }],
  ])(
    "a successful call keeps %s as its result, in the model's view and after a reload",
    async (_what, value, kept) => {
      const { state, requests } = await expectRun([calls('tool'), { text: 'x' }], {
        tools: [tool(() => value)],
      }).toEnd('completed', 'completed', { steps: 2 });
      expect(first(state)).toMatchObject({ status: 'completed', error: null, result: kept });
      expect(requests[1]?.messages.at(-1)?.parts).toMatchObject([{ outcome: 'completed', output: kept }]);
      expect(roundTrip(state)).toEqual(state);
    },
  );

  it('a tool whose result holds a Map is named once in development, and others are not', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const plain = { at: new Date(0), price: new Money(5), error: new Error('x'), list: [1, null] };
    const tools = [tool(() => ({ rows: [new Map()] })), tool(() => plain, 'fine')];
    await expectRun([calls('tool', 'fine', 'tool'), { text: 'x' }], { tools }).toEnd(
      'completed',
      'completed',
      {},
    );
    const said = warn.mock.calls.map(String);
    warn.mockRestore();
    expect(said).toEqual([
      'Vitrine: the result of the tool "tool" holds a value that JSON cannot hold, so the model reads [Map] in its place. Return plain data: Object.fromEntries(map) for a Map, [...set] for a Set.',
    ]);
  });

  it('a successful call keeps a result that is 3,000 levels deep, and it can be read', async () => {
    const deep = (): unknown => {
      let value: unknown = 'end';
      for (let level = 0; level < 3000; level++) value = [value];
      return value;
    };
    const { state } = await expectRun([calls('tool'), { text: 'x' }], { tools: [tool(deep)] }).toEnd(
      'completed',
      'completed',
    );
    expect(first(state)).toMatchObject({ status: 'completed', error: null });
    expect(roundTrip(state)).toEqual(state);
  });

  it('a successful call copies its result, and the tool keeps its own object', async () => {
    const own = { rows: [1] };
    const { state } = await expectRun([calls('tool'), calls('tool'), { text: 'x' }], {
      tools: [
        tool(() => {
          own.rows.push(own.rows.length + 1);
          return own;
        }),
      ],
    }).toEnd('completed', 'completed', { steps: 3 });
    expect(AgentState.steps(state).map(({ toolExecutions }) => toolExecutions[0]?.result)).toEqual([
      { rows: [1, 2] },
      { rows: [1, 2, 3] },
      undefined,
    ]);
    expect(Object.isFrozen(own.rows)).toBe(false);
  });
});

describe('a call that has ended', () => {
  it('a call that has ended records its duration, also after a failure', async () => {
    const env = fixedEnv();
    const fails = tool(() => {
      env.advance(300);
      throw new Error('no');
    });
    const { state } = await expectRun(
      [calls('tool'), { text: 'x' }],
      { tools: [fails] },
      { env, state: ask('Hello', env) },
    ).toEnd('completed', 'completed');
    expect(first(state)).toMatchObject({ status: 'failed', durationMs: 300 });
  });

  it('a call that has ended leaves no timer behind', async () => {
    const env = fixedEnv();
    const open = new Set<number>();
    let timers = 0;
    const schedule = (ms: number, f: () => void): (() => void) => {
      const timer = ++timers;
      const cancel = env.schedule(ms, f);
      open.add(timer);
      return () => {
        open.delete(timer);
        cancel();
      };
    };
    await expectRun(
      [calls('tool'), { text: 'x' }],
      { tools: [{ ...tool(() => 1), timeoutMs: 60_000 }], hookTimeoutMs: Infinity },
      { env: { ...env, schedule }, state: ask('Hello', env) },
    ).toEnd('completed', 'completed');
    expect([timers, open.size]).toEqual([1, 0]);
  });

  it('a tool that continues after its timeout is ignored', async () => {
    let report: ToolContext['report'] | null = null;
    const slow = tool((_input, ctx: ToolContext) => {
      ({ report } = ctx);
      return new Promise(() => undefined);
    });
    const late = (): ScriptedStep => {
      report?.({ done: 1 });
      return { text: 'x' };
    };
    const { state, events } = await expectRun([calls('tool'), late], {
      tools: [{ ...slow, timeoutMs: 5 }],
    }).toEnd('completed', 'completed');
    expect(report).not.toBeNull();
    expect(first(state)).toMatchObject({ status: 'failed', progress: null });
    expect(events.map(({ type }) => type)).not.toContain('tool-progress');
  });
});

describe('the state of a plugin', () => {
  const notes = definePlugin({ id: 'notes', state: z.array(z.string()), initial: ['first'] });
  const meddles = (fails: boolean) =>
    tool((_input, ctx: ToolContext) => {
      const list = ctx.plugin(notes).get() as string[];
      try {
        list.push('smuggled');
      } catch {
        // The object is frozen in development.
      }
      if (fails) throw new Error('no');
      return list.length;
    });

  it('plugin state that a tool changes in place stays unchanged, whether the call fails or succeeds', async () => {
    for (const fails of [true, false]) {
      const state = PluginState.set(ask(), notes, ['mine']);
      const run = await expectRun(
        [calls('tool'), { text: 'x' }],
        { tools: [meddles(fails)], plugins: [notes] },
        { state },
      ).toEnd('completed', 'completed');
      expect(PluginState.get(run.state, notes)).toEqual(['mine']);
    }
  });

  it('plugin state gets a new revision with every call that writes it, recorded in the call', async () => {
    const writes = tool((_input, ctx: ToolContext) =>
      ctx.plugin(notes).update((list = []) => [...list, 'more']),
    );
    const init = { tools: [writes], plugins: [notes], toolConcurrency: 1 };
    const { state } = await expectRun([calls('tool', 'tool'), { text: 'x' }], init).toEnd(
      'completed',
      'completed',
    );
    expect(AgentState.steps(state)[0]?.toolExecutions.map(({ pluginWrites }) => pluginWrites)).toEqual([
      [{ pluginId: 'notes', fromRevision: 0, toRevision: 1 }],
      [{ pluginId: 'notes', fromRevision: 1, toRevision: 2 }],
    ]);
    expect(PluginState.revision(state, notes)).toBe(2);
  });

  it('plugin state starts the same in every session, whatever a tool did to it', async () => {
    for (let session = 0; session < 2; session++) {
      const seen: unknown[] = [];
      const looks = tool(
        (_input, ctx: ToolContext) => void seen.push([...(ctx.plugin(notes).get() ?? [])]),
        'look',
      );
      const init = { tools: [meddles(false), looks], plugins: [notes], toolConcurrency: 1 };
      await expectRun([calls('tool', 'look'), { text: 'x' }], init).toEnd('completed', 'completed');
      expect(seen).toEqual([['first']]);
    }
  });

  it('plugin state of a newer build is kept unchanged by an older one and restored later', async () => {
    const build = (version: number, state: z.ZodType) => definePlugin({ id: 'p', version, state });
    const [older, newer] = [build(1, z.string()), build(2, z.object({ text: z.string() }))];
    const visit = async (state: State, plugin: typeof older): Promise<State> =>
      roundTrip(
        (await expectRun([{ text: 'x' }], { plugins: [plugin] }, { state }).toEnd('completed', 'completed'))
          .state,
      );
    let state = await visit(PluginState.set(ask(), newer, { text: 'new' }), newer);
    state = await visit(await visit(state, older), older);
    expect(PluginState.get(state, older)).toBeUndefined();
    state = await visit(PluginState.set(state, older, 'old'), older);
    state = await visit(state, newer);
    expect(PluginState.get(state, newer)).toEqual({ text: 'new' });
    expect(PluginState.get(await visit(state, older), older)).toBe('old');
  });
});

describe('provider values that no document can hold', () => {
  it.each<[string, object]>([
    ['an unknown finish reason', { type: 'finish', finishReason: 'tool_use', usage: {} }],
    [
      'negative and missing usage',
      { type: 'finish', finishReason: 'stop', usage: { inputTokens: -1, outputTokens: 2.5 } },
    ],
    ['a file without a name', { type: 'file', mediaType: 'text/plain', url: 'https://example.com/a' }],
    ['a source without an address', { type: 'source', id: 's', title: 'T' }],
    [
      'a call with a foreign id',
      { type: 'tool-call', toolCallId: 'toolu_01', toolName: 'tool', input: { a: undefined } },
    ],
    ['an answer id that is no text', { type: 'start', id: 7, model: {} }],
  ])('a provider value (%s) is repaired at once, and the saved state can be read', async (_what, event) => {
    const finish = { type: 'finish', finishReason: 'stop', usage: { inputTokens: 1 } };
    let asks = 0;
    const inference = {
      async *stream(): AsyncGenerator<InferenceEvent> {
        yield { type: 'text-delta', delta: 'Hi' };
        if (asks++ === 0) yield event as InferenceEvent;
        yield finish as InferenceEvent;
      },
    };
    const { state } = await expectRun([], { inference, tools: [tool(() => 1)] }).toEnd(
      'completed',
      'completed',
    );
    expect(roundTrip(state)).toEqual(state);
    expect(AgentState.usage(state).totalTokens).toBeGreaterThanOrEqual(0);
  });

  it('ids and times of an invalid Env are rejected or repaired', async () => {
    const env = {
      now: () => 1_767_225_600_000.75,
      monotonic: () => 0.5,
      id: () => crypto.randomUUID(),
      random: () => 0,
      schedule: () => () => undefined,
    };
    const { state } = await expectRun([{ text: 'x' }], {}, { env, state: ask() }).toEnd(
      'completed',
      'completed',
    );
    expect(Number.isInteger(state.execution?.startedAt)).toBe(true);
    expect(roundTrip(state)).toEqual(state);
    await expect(
      expectRun([{ text: 'x' }], {}, { env: { ...env, id: () => 'nope' }, state: ask() }).toEnd(
        'failed',
        null,
      ),
    ).rejects.toThrow(expect.objectContaining({ code: 'env-invalid' }));
  });
});

describe('a tool that fails', () => {
  const failing = (errorMessage: unknown, thrown: unknown = new Error('broken')): Tool =>
    defineTool({
      name: 'tool',
      description: '',
      input: z.any(),
      errorMessage: errorMessage as never,
      execute: () => {
        throw thrown;
      },
    });

  it.each<[string, unknown]>([
    [
      'throws',
      () => {
        throw new Error('no words');
      },
    ],
    ['gives no text', () => 5],
    ['gives a promise', async () => 'later'],
  ])(
    'a tool fails its call with the error that it threw when its errorMessage %s',
    async (_what, errorMessage) => {
      const { state } = await expectRun([calls('tool'), { text: 'x' }], {
        tools: [failing(errorMessage)],
      }).toEnd('completed', 'completed', { steps: 2 });
      expect(first(state)).toMatchObject({ status: 'failed', error: { message: 'broken' } });
    },
  );

  const trapped = (target: object): object => {
    const trap = (): never => {
      throw new Error('trap');
    };
    return new Proxy(target, { has: trap, getPrototypeOf: trap, get: trap, ownKeys: trap });
  };

  it('an error whose traps throw fails its call, and the run goes on', async () => {
    const tools = [failing(undefined, trapped(new Error('x')))];
    const { state } = await expectRun([calls('tool'), { text: 'x' }], { tools }).toEnd(
      'completed',
      'completed',
      {
        steps: 2,
      },
    );
    expect(first(state)).toMatchObject({ status: 'failed', error: { name: 'Error' } });
  });

  it('an error whose traps throw counts as an answer of an approval rule like any other error', async () => {
    const rule = (): never => {
      throw trapped(new Error('x'));
    };
    const asking = { ...tool(() => 1), needsApproval: rule };
    await expectRun([calls('tool')], { tools: [asking] }).toEnd('in-progress', null);
  });
});

describe('the calls of one answer', () => {
  it('the schemas and approval rules of two calls run side by side', async () => {
    const [asked, checked] = [new Set<unknown>(), new Set<unknown>()];
    const other = async (seen: Set<unknown>, n: unknown): Promise<boolean> => {
      seen.add(n);
      while (seen.size < 2) await new Promise((resolve) => setTimeout(resolve, 1));
      return true;
    };
    const slow = defineTool({
      name: 'tool',
      description: '',
      input: z.object({ n: z.number().refine((n) => other(checked, n)) }),
      needsApproval: async ({ n }) => !(await other(asked, n)),
      execute: () => 1,
    });
    const both = { toolCalls: [1, 2].map((n) => ({ name: 'tool', input: { n } })) };
    const { state } = await expectRun([both, { text: 'x' }], { tools: [slow], hookTimeoutMs: 2000 }).toEnd(
      'completed',
      'completed',
    );
    expect(AgentState.steps(state)[0]?.toolExecutions.map(({ status }) => status)).toEqual([
      'completed',
      'completed',
    ]);
  });
});
