import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { definePlugin } from '../agent/plugin/plugin.ts';
import * as PluginState from '../agent/plugin/plugin-state.ts';
import { defineTool, type Tool, type ToolContext } from '../agent/tool.ts';
import * as AgentState from '../faces/agent-state.ts';
import type { AgentState as State } from '../graph/types.ts';
import type { InferenceEvent } from '../model/inference-client.ts';
import { expectRun } from '../testing/expect-run.ts';
import { fixedEnv } from '../testing/fixed-env.ts';
import { asked } from '../testing/fixtures.ts';
import type { ScriptedStep } from '../testing/scripted-inference.ts';

const roundTrip = (state: State): State =>
  AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))));
const tool = (execute: NonNullable<Tool['execute']>, name = 'tool'): Tool =>
  defineTool({ name, description: '', input: z.any(), execute });
const calls = (...names: string[]): ScriptedStep => ({
  toolCalls: names.map((name) => ({ name, input: {} })),
});
const first = (state: State) => AgentState.steps(state)[0]!.toolExecutions[0]!;

describe('a call that worked', () => {
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
  ])('is completed with %s in its result, which the model and a reload see', async (_what, value, kept) => {
    const { state, requests } = await expectRun([calls('tool'), { text: 'x' }], {
      tools: [tool(() => value)],
    }).toEnd('completed', 'completed', { steps: 2 });
    expect(first(state)).toMatchObject({ status: 'completed', error: null, result: kept });
    expect(requests[1]?.messages.at(-1)?.parts).toMatchObject([{ outcome: 'completed', output: kept }]);
    expect(roundTrip(state)).toEqual(state);
  });

  it('is completed and readable with a result that is 3,000 levels deep', async () => {
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

  it('keeps its result as it was, and leaves the tool its own object', async () => {
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
  it('says how long it took, also when it failed', async () => {
    const env = fixedEnv();
    const fails = tool(() => {
      env.advance(300);
      throw new Error('no');
    });
    const { state } = await expectRun(
      [calls('tool'), { text: 'x' }],
      { tools: [fails] },
      { env, state: asked('Hello', env) },
    ).toEnd('completed', 'completed');
    expect(first(state)).toMatchObject({ status: 'failed', durationMs: 300 });
  });

  it('leaves no timer behind', async () => {
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
      { env: { ...env, schedule }, state: asked('Hello', env) },
    ).toEnd('completed', 'completed');
    expect([timers, open.size]).toEqual([1, 0]);
  });

  it('is not heard any more when it goes on behind its time', async () => {
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
        // Frozen in development.
      }
      if (fails) throw new Error('no');
      return list.length;
    });

  it('that a tool changes in place stays as it was, whether the call fails or works', async () => {
    for (const fails of [true, false]) {
      const state = PluginState.set(asked(), notes, ['mine']);
      const run = await expectRun(
        [calls('tool'), { text: 'x' }],
        { tools: [meddles(fails)], plugins: [notes] },
        { state },
      ).toEnd('completed', 'completed');
      expect(PluginState.get(run.state, notes)).toEqual(['mine']);
    }
  });

  it('has a revision more with every call that writes it, told by the call', async () => {
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

  it('begins the same in every session, whatever a tool did to it', async () => {
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

  it('of a newer build is kept aside by an older one, and comes back', async () => {
    const build = (version: number, state: z.ZodType) => definePlugin({ id: 'p', version, state });
    const [older, newer] = [build(1, z.string()), build(2, z.object({ text: z.string() }))];
    const visit = async (state: State, plugin: typeof older): Promise<State> =>
      roundTrip(
        (await expectRun([{ text: 'x' }], { plugins: [plugin] }, { state }).toEnd('completed', 'completed'))
          .state,
      );
    let state = await visit(PluginState.set(asked(), newer, { text: 'new' }), newer);
    state = await visit(await visit(state, older), older);
    expect(PluginState.get(state, older)).toBeUndefined();
    state = await visit(PluginState.set(state, older, 'old'), older);
    state = await visit(state, newer);
    expect(PluginState.get(state, newer)).toEqual({ text: 'new' });
    expect(PluginState.get(await visit(state, older), older)).toBe('old');
  });
});

describe('what a provider sends that no document takes', () => {
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
  ])('(%s) is mended at once: what was saved can be read', async (_what, event) => {
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

  it('(ids and times of an odd Env) is refused or mended', async () => {
    const env = {
      now: () => 1_767_225_600_000.75,
      monotonic: () => 0.5,
      id: () => crypto.randomUUID(),
      random: () => 0,
      schedule: () => () => undefined,
    };
    const { state } = await expectRun([{ text: 'x' }], {}, { env, state: asked() }).toEnd(
      'completed',
      'completed',
    );
    expect(Number.isInteger(state.execution?.startedAt)).toBe(true);
    expect(roundTrip(state)).toEqual(state);
    await expect(
      expectRun([{ text: 'x' }], {}, { env: { ...env, id: () => 'nope' }, state: asked() }).toEnd(
        'failed',
        null,
      ),
    ).rejects.toThrow(expect.objectContaining({ code: 'env-invalid' }));
  });
});
