import * as PluginState from '@vitrine/core/internal/agent/plugin/plugin-state';
import {
  finalResponse,
  pendingApprovals,
  status,
  steps,
} from '@vitrine/core/internal/graph/agent-state/accessors';
import { create } from '@vitrine/core/internal/graph/agent-state/create';
import { withUserMessage } from '@vitrine/core/internal/graph/agent-state/transitions';
import { fromJSON, toJSON } from '@vitrine/core/internal/graph/document/agent-state';
import type { Env } from '@vitrine/core/internal/graph/env';
import type { AgentState, ToolExecution } from '@vitrine/core/internal/graph/types';
import { answerCall } from '@vitrine/core/internal/run/answer-call';
import { fold } from '@vitrine/core/internal/run/apply';
import { runOnJournal } from '@vitrine/core/internal/agent-loop/run-on-journal';
import { type Effect, effectLog, type EffectLog } from '@vitrine/core/internal/run/effect-log';
import type { AgentChange } from '@vitrine/core/internal/run/events';
import { createJournal } from '@vitrine/core/internal/run/journal';
import { assertSame, assertTrue } from '../store-suite/assert-same.ts';
import { fixedEnv } from '../fixed-env.ts';
import type { EffectLaw, EffectsUnderTest } from './effects-under-test.ts';
import { killableAgent, sent } from './killable-agent.ts';
import { mortalProcess } from './mortal-process.ts';

/** Everything outside of the processes. */
type World = {
  readonly env: ReturnType<typeof fixedEnv>;
  readonly toolConcurrency: number;
  /** The log of a process; null for none. */
  readonly log: ((process: ReturnType<typeof mortalProcess>, world: World) => EffectLog) | null;
  /** Number of effects by call of a `once` tool. */
  readonly effects: Map<string, number>;
  readonly recorded: Set<string>;
  readonly made: Effect[];
  /** The recorded calls that were made again. */
  readonly repeated: string[];
  /** The calls through the log, also those that an ended run has left. */
  readonly performed: Promise<unknown>[];
};

function askedState(env: Env): AgentState {
  return withUserMessage(create({}, env), 'Hello', env);
}

function nameOf({ executionId, key }: Pick<Effect, 'executionId' | 'key'>): string {
  return `${executionId} ${key}`;
}

function createWorld(toolConcurrency: number, log: World['log'] = null): World {
  const env = fixedEnv();
  return {
    env,
    toolConcurrency,
    log,
    effects: new Map(),
    recorded: new Set(),
    made: [],
    repeated: [],
    performed: [],
  };
}

/** The log under test, which notes what is recorded and what is made again. */
function watchLog({ records }: EffectsUnderTest, reopen: () => EffectLog): NonNullable<World['log']> {
  return (process, { recorded, made, repeated, performed }) => {
    const note = (executionId: string, key: string): void => void recorded.add(nameOf({ executionId, key }));
    const log = records === undefined ? reopen() : effectLog(process.records(records, note));
    const watched = process.log(log, {
      onCall(effect) {
        if (recorded.has(nameOf(effect))) repeated.push(nameOf(effect));
        made.push(effect);
      },
      onOutcome: ({ executionId, key }) => note(executionId, key),
    });
    const perform: EffectLog['perform'] = (...call) => {
      const done = watched.perform(...call);
      performed.push(done);
      return done;
    };
    return { ...watched, perform };
  };
}

/** The end of a process, and the pace of its writes. */
type Life = {
  /** The event after which it is killed or aborted; null for none. */
  readonly end: { readonly at: number; readonly how: 'kill' | 'abort' } | null;
  /** The number of events between two writes. */
  readonly storesEvery: number;
};

type Lived = {
  readonly stored: AgentState;
  readonly isOver: boolean;
  readonly events: readonly AgentChange[];
};

/** Runs the agent in a process until it ends, or the process dies. */
async function liveOnce(world: World, base: AgentState, { end, storesEvery }: Life): Promise<Lived> {
  const { env, toolConcurrency, effects } = world;
  const process = mortalProcess();
  const controller = new AbortController();
  const journal = createJournal(base, { env });
  const { lease, revoke } = journal.lease();
  const events: AgentChange[] = [];
  const latest = { stored: base, live: base };
  let die = (): void => undefined;
  const dead = new Promise<'dead'>((resolve) => (die = () => resolve('dead')));
  journal.subscribe((event, state) => {
    if (event.seq === null || process.isDead()) return;
    events.push(event);
    latest.live = state;
    if (events.length % storesEvery === 0) latest.stored = state;
    if (events.length !== end?.at) return;
    if (end.how === 'abort') return controller.abort();
    process.kill();
    revoke();
    die();
  });
  const agent = killableAgent({
    process,
    toolConcurrency,
    onEffect: (id) => void effects.set(id, (effects.get(id) ?? 0) + 1),
  });
  const log = world.log?.(process, world) ?? null;
  const go = (): Promise<'ended' | 'paused'> =>
    runOnJournal({
      agent,
      lease,
      env,
      effects: log,
      signal: controller.signal,
      async whenStored() {
        await process.alive(Promise.resolve());
        latest.stored = journal.state();
      },
    });
  while ((await Promise.race([go(), dead])) === 'paused')
    for (const { id } of pendingApprovals(journal.state()))
      for (const { path, body } of answerCall(journal.state(), id, { type: 'approve' }))
        journal.commit(path, body);
  // Ends the timers of a killed process, which would keep the real one alive.
  if (process.isDead()) controller.abort();
  assertSame(toJSON(fold(base, events)), toJSON(latest.live), 'The fold of a journal');
  const stored = process.isDead() ? latest.stored : journal.state();
  return { stored: fromJSON(JSON.parse(JSON.stringify(toJSON(stored)))), isOver: !process.isDead(), events };
}

/** Lives until the run has ended, with a process for each death. */
async function liveOn(world: World, deaths: readonly number[], storesEvery: number): Promise<AgentState> {
  let lived: Lived = { stored: askedState(world.env), isOver: false, events: [] };
  for (const at of [...deaths, null]) {
    const end = at === null ? null : { at, how: 'kill' as const };
    lived = await liveOnce(world, lived.stored, { end, storesEvery });
    if (lived.isOver || status(lived.stored) === 'completed') break;
  }
  return lived.stored;
}

type KeyedCall = { readonly call: ToolExecution; readonly key: string };

function callsOf(state: AgentState, path: readonly string[] = []): readonly KeyedCall[] {
  return steps(state).flatMap(({ toolExecutions }, step) =>
    toolExecutions.map((call, index) => ({ call, key: [...path, step + 1, index, 1].join('/') })),
  );
}

/** The calls of an agent and of its subagents, which have none of their own. */
function allCalls(state: AgentState): readonly KeyedCall[] {
  const own = callsOf(state);
  return own.flatMap(({ call, key }) => [
    { call, key },
    ...(call.childState === null ? [] : callsOf(call.childState, [call.id])),
  ]);
}

/** Checks the end of a run whose processes died. */
function assertEnd(world: World, state: AgentState, what: string): void {
  assertSame(world.repeated, [], `${what}: the recorded calls that were made again`);
  for (const [id, count] of world.effects)
    assertTrue(count === 1, `${what}: call ${id} took effect ${count} times.`);
  assertSame([status(state), finalResponse(state)], ['completed', 'Answer 3'], `${what}: the end`);
  const own = steps(state).flatMap(({ toolExecutions }) => toolExecutions);
  const done = own.filter(({ toolCall, status: ended }) => toolCall.name === 'send' && ended === 'completed');
  assertSame(PluginState.get(state, sent) ?? 0, done.length, `${what}: the plugin state`);
  const executionId = state.execution?.executionId ?? '';
  for (const { call, key } of allCalls(state)) {
    const { toolCall, status: ended, error } = call;
    const isOnce = ['send', 'bad', 'pay'].includes(toolCall.name);
    const isLost = isOnce && ended === 'interrupted' && error?.code === 'tool-interrupted';
    const isRecorded = world.recorded.has(nameOf({ executionId, key }));
    assertTrue(!isLost || !isRecorded, `${what}: ${toolCall.name} was interrupted in spite of its record.`);
    assertTrue(
      isLost || ended === (toolCall.name === 'bad' ? 'failed' : 'completed'),
      `${what}: ${toolCall.name} ended as ${ended}.`,
    );
    if (ended === 'failed') assertSame(error?.message, 'bad: bad luck', `${what}: the error of a tool`);
  }
}

/** The laws of the loop over a log. */
export const loopLaws: readonly EffectLaw[] = [
  {
    name: 'a run that is killed at any event and resumed makes no recorded call and no `once` call twice',
    async run(under, reopen, { kills }) {
      for (const toolConcurrency of [1, 3]) {
        const { events } = await liveOnce(createWorld(toolConcurrency), askedState(fixedEnv()), whole);
        const step = Math.max(1, Math.floor(events.length / kills));
        for (let at = 1; at <= events.length; at += step)
          for (const storesEvery of [1, 7, Infinity]) {
            const world = createWorld(toolConcurrency, watchLog(under, reopen));
            const state = await liveOn(world, [at, 1 + ((at * 7) % 40)], storesEvery);
            const what = `Killed after event ${at} (${events[at - 1]?.type}), stored every ${storesEvery} events`;
            assertEnd(world, state, what);
            await under.effects.forget(state.execution?.executionId ?? '');
          }
      }
    },
  },
  {
    name: 'equal environments give equal journals with and without a log',
    async run(under, reopen) {
      const eventsWith = async (log: World['log']): Promise<readonly AgentChange[]> => {
        const world = createWorld(1, log);
        return (await liveOnce(world, askedState(world.env), whole)).events;
      };
      assertSame(await eventsWith(watchLog(under, reopen)), await eventsWith(null), 'The journal with a log');
    },
  },
  {
    name: 'a call that a stop aborted has no record',
    async run(under, reopen, { kills }) {
      const { events } = await liveOnce(createWorld(3), askedState(fixedEnv()), whole);
      const step = Math.max(1, Math.floor(events.length / kills));
      for (let at = 1; at <= events.length; at += step) {
        const world = createWorld(3, watchLog(under, reopen));
        const end = { at, how: 'abort' as const };
        const { stored } = await liveOnce(world, askedState(world.env), { end, storesEvery: 1 });
        // The outcome of a call that was made may be on its way to the record.
        await Promise.allSettled(world.performed);
        const unrecorded = world.made.filter((effect) => !world.recorded.has(nameOf(effect)));
        for (const effect of unrecorded) {
          let wasMade = false;
          const again = { ...effect, effects: 'idempotent' as const };
          const { signal } = new AbortController();
          const work = (): Promise<string> => Promise.resolve(String((wasMade = true)));
          async function* items(): AsyncGenerator<string> {
            yield await work();
          }
          const isStream = effect.key.includes('/model/');
          if (isStream) for await (const _item of reopen().stream(again, items, signal));
          else await reopen().perform(again, work, signal);
          assertTrue(wasMade, `The aborted call ${effect.key} has a record.`);
        }
        await under.effects.forget(stored.execution?.executionId ?? '');
      }
    },
  },
];

const whole: Life = { end: null, storesEvery: 1 };
