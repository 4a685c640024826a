import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { systemEnv } from '@vitrine/core/internal/graph/env';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { AgentChange } from '@vitrine/core/internal/run/events';
import { loadConverterFor } from '@vitrine/core/internal/agent/json-schema-of';
import { runOnJournal } from '@vitrine/core/internal/agent-loop/run-on-journal';
import { everyAgentOf } from '../agents-of.ts';
import { type Answered, recordedAnswers } from './answers.ts';
import { type Divergence, replayDiverged } from './divergence.ts';
import { type JournalDocument, type ReadJournal, readJournal } from './journal-document.ts';
import { featuresOfReplay, steeredMessages } from './recorded-decisions.ts';
import { ReplayJournal, type ReplayJournalOptions } from './replay-journal.ts';

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
  /** True when secrets were removed from the recording. They are removed from the replay as well. */
  readonly isMasked?: boolean;
};

/** Checks without progress before the next answer is given early. A busy machine may be late for one of them. */
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
  // Loaded up front, because a run that stands still while code loads would be nudged.
  await loadConverterFor(agent);
  const hooks = new Set(everyAgentOf(agent).flatMap((one) => one.hooks.map(({ name }) => name)));
  const first = await goThrough(read, agent, { isMasked, abortsBefore: 0, isAbortLate: false });
  let last = first;
  for (let tried = 1; last.divergence !== null; tried++) {
    const how = { isMasked, abortsBefore: tried >> 1, isAbortLate: tried % 2 === 1 };
    if (!last.hasAborts || how.abortsBefore > longestDelay || last.divergence.what === 'the prompt')
      throw replayDiverged(first.divergence ?? last.divergence, hooks);
    last = await goThrough(read, agent, how);
  }
  const { state, modelCalls, toolCalls } = last;
  return { state, modelCalls, toolCalls };
}

async function goThrough(
  read: ReadJournal,
  agent: AgentDefinition,
  how: Omit<ReplayJournalOptions, 'onAbort' | 'onMove'>,
): Promise<Replayed & { readonly divergence: Divergence | null; readonly hasAborts: boolean }> {
  const counted: Answered = { modelCalls: 0, toolCalls: 0 };
  let controller = new AbortController();
  let onMove = (): void => undefined;
  const onAbort = (reason: unknown): void => controller.abort(reason);
  const journal = new ReplayJournal(read, { ...how, onAbort, onMove: () => onMove() });
  const { effects, recording } = recordedAnswers(journal, counted);
  for (;;) {
    controller = new AbortController();
    journal.rest();
    const before = journal.place;
    if (journal.divergence !== null || before >= read.events.length) break;
    const stopped = new Promise<void>((resolve) => {
      onMove = () => {
        if (journal.divergence !== null) resolve();
        // Work beside it may still finish.
        else if (journal.isOver) systemEnv.schedule(0, resolve);
      };
    });
    const run = runOnJournal({
      agent,
      lease: journal.lease,
      env: journal.env,
      signal: controller.signal,
      effects,
      recording,
      features: featuresOfReplay(journal),
      hookContract: 'off',
      model: modelAt(read.events, before),
      takeSteered: () => steeredMessages(journal),
    });
    await untilStill(Promise.race([run, stopped]), journal);
    if (journal.place === before) break;
  }
  controller.abort();
  journal.close();
  const { state, divergence, hasAborts } = journal;
  return { state, ...counted, divergence, hasAborts };
}

/** Waits for a run, and nudges one that makes no progress. */
async function untilStill(run: Promise<unknown>, journal: ReplayJournal): Promise<void> {
  let place = journal.place;
  let still = 0;
  let cancel = (): void => undefined;
  const watch = (): void => {
    cancel = systemEnv.schedule(lookMs, () => {
      still = journal.place === place ? still + 1 : 0;
      if (still * lookMs > longestStillMs) return journal.giveUp();
      if (still >= stalledLooks) journal.nudge();
      place = journal.place;
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
