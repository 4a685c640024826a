import type { AgentDefinition } from '../../agent/agent-definition.ts';
import { systemEnv } from '../../graph/env.ts';
import type { AgentState } from '../../graph/types.ts';
import type { AgentChange } from '../../run/events.ts';
import { runOnJournal } from '../../run/run-on-journal.ts';
import { type Answered, recordedAnswers } from './answers.ts';
import { type ReplayScheduler, type SchedulerOptions, createReplayScheduler } from './replay-scheduler.ts';
import { type Divergence, replayDiverged } from './divergence.ts';
import { type JournalDocument, type ReadJournal, readJournal } from './journal-document.ts';
import { externalInputsIn } from './external-inputs.ts';

/** The result of a replay. */
export type Replayed = {
  /** The state with which the recording ended, reached again event by event. */
  readonly state: AgentState;
  /** Calls answered from the recording: neither a model nor a tool was called. */
  readonly modelCalls: number;
  readonly toolCalls: number;
};

/** Options of `replay`. */
export type ReplayOptions = {
  /**
   * True when secrets were removed from the recording. They are removed from the replay as well before the two are
   * compared.
   */
  readonly isMasked?: boolean;
};

/**
 * Number of checks without progress before the next answer is given early. A busy machine may be late for one check;
 * pending work has finished by the next.
 */
const stalledLooks = 4;
const lookMs = 15;

/** Longest time without progress. Hooks have 30 seconds by default, so after more nothing will move. */
const longestStillMs = 40_000;

/** Greatest number of events before its first trace at which an abort is tried: its exact moment is not recorded. */
const longestDelay = 16;

/**
 * Runs an agent again through a recorded journal. Its loop, hooks, guards, plugins, approval rules and compilers run
 * anew; the answers of models, tools and people come from the journal. No model is called and no tool runs, also for
 * hooks that use `ctx.callModel`. Other effects of hooks and plugins outside the state happen again.
 * @throws AgentError `replay-diverged` at the first difference, with step and path in message and data; the errors of
 * `readJournal` for a journal that cannot be read.
 */
export async function replay(
  journal: JournalDocument,
  agent: AgentDefinition,
  { isMasked = false }: ReplayOptions = {},
): Promise<Replayed> {
  const read = readJournal(journal);
  const most = externalInputsIn(read.events).aborts.size === 0 ? 0 : longestDelay;
  let first: Divergence | null = null;
  for (let tried = 0; tried <= most * 2 + 1; tried++) {
    const how = { isMasked, abortsBefore: tried >> 1, isEager: tried % 2 === 1 };
    const { divergence, ...replayed } = await goThrough(read, agent, how);
    if (divergence === null) return replayed;
    first ??= divergence;
    if (divergence.what === 'the prompt') break;
  }
  throw replayDiverged(first as Divergence, hookNames(agent));
}

/** The names of the hooks of an agent and of its subagents. */
function hookNames(agent: AgentDefinition): ReadonlySet<string> {
  const agents = new Set([agent]);
  for (const { subagents } of agents) for (const below of subagents) agents.add(below.agent);
  return new Set([...agents].flatMap(({ hooks }) => hooks.map(({ name }) => name)));
}

type Outcome = Replayed & { readonly divergence: Divergence | null };

async function goThrough(
  read: ReadJournal,
  agent: AgentDefinition,
  how: Pick<SchedulerOptions, 'isMasked' | 'abortsBefore' | 'isEager'>,
): Promise<Outcome> {
  const { events } = read;
  const counted: Answered = { modelCalls: 0, toolCalls: 0 };
  let controller = new AbortController();
  let onMove = (): void => undefined;
  const onAbort = (reason: unknown): void => controller.abort(reason);
  const scheduler = createReplayScheduler(read, { ...how, onAbort, onMove: () => onMove() });
  const perform = recordedAnswers(events, scheduler, counted);
  for (;;) {
    controller = new AbortController();
    scheduler.advance();
    if (scheduler.divergence() !== null || scheduler.isAtEnd()) break;
    const before = scheduler.place();
    const stopped = new Promise<void>((resolve) => {
      onMove = () => {
        if (scheduler.divergence() !== null) resolve();
        // Work beside it may still finish.
        else if (scheduler.isOver()) systemEnv.schedule(0, resolve);
      };
    });
    const run = runOnJournal({
      agent,
      lease: scheduler.lease,
      env: scheduler.env,
      signal: controller.signal,
      perform,
      hookContract: 'off',
      model: modelAt(events, before),
      takeSteered: scheduler.takeSteered,
    });
    await untilStill(Promise.race([run, stopped]), scheduler);
    if (scheduler.place() === before) break;
  }
  controller.abort();
  scheduler.close();
  return { state: scheduler.state(), ...counted, divergence: scheduler.divergence() };
}

/** Waits for a run, and nudges one that makes no progress. */
async function untilStill(run: Promise<unknown>, scheduler: ReplayScheduler): Promise<void> {
  let place = scheduler.place();
  let still = 0;
  let cancel = (): void => undefined;
  const watch = (): void => {
    cancel = systemEnv.schedule(lookMs, () => {
      still = scheduler.place() === place ? still + 1 : 0;
      if (still * lookMs > longestStillMs) return scheduler.giveUp();
      if (still >= stalledLooks) scheduler.nudge();
      place = scheduler.place();
      watch();
    });
  };
  watch();
  try {
    await run;
  } finally {
    cancel();
  }
}

function modelAt(events: readonly AgentChange[], place: number): string | null {
  const started = events
    .slice(place)
    .find((event) => event.type === 'execution-start' && event.path.length === 0);
  return started?.type === 'execution-start' ? started.model : null;
}
