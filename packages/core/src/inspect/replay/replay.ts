import type { AgentDefinition } from '../../agent/agent-definition.ts';
import { systemEnv } from '../../graph/env.ts';
import type { AgentState } from '../../graph/types.ts';
import type { AgentChange } from '../../run/events.ts';
import { runOnJournal } from '../../run/run-on-journal.ts';
import { type Answered, recordedAnswers } from './answers.ts';
import { type Course, type CourseOptions, createCourse } from './course.ts';
import { type Divergence, replayDiverged } from './divergence.ts';
import { type JournalDocument, type ReadJournal, readJournal } from './journal-document.ts';
import { rolesIn } from './roles.ts';

/** What came of a replay. */
export type Replayed = {
  /** The state with which the recording ended, reached again event by event. */
  readonly state: AgentState;
  /** Calls that were answered from the recording: neither a model nor a tool was called. */
  readonly modelCalls: number;
  readonly toolCalls: number;
};

/** What `replay` may be given. */
export type ReplayOptions = {
  /** Secrets were taken out of the recording: they are taken out of the replay as well before the two are compared. */
  readonly isMasked?: boolean;
};

/**
 * So many times in a row may nothing have moved, looked at so often, before the next answer is given out of its turn. A
 * machine that is busy is late with one look; what was about to move has moved by the next.
 */
const stalledLooks = 4;
const lookMs = 15;

/** Hooks have 30 seconds by default: when nothing moves for longer, nothing will. */
const longestStillMs = 40_000;

/** Exact moments of aborts and answers are not recorded: an abort is looked for so many events before its first trace. */
const longestDelay = 16;

/**
 * Runs an agent through a recorded journal again: its loop, hooks, guards, plugins, approval rules and compilers work
 * anew, the answers of model and tools come from the journal, and so does what people said. No model is called and no
 * tool runs; what hooks and plugins do outside of the state they do again.
 * @throws AgentError `replay-diverged` at the first difference, with step and path in message and data; what
 * `readJournal` throws for a journal that cannot be read.
 */
export async function replay(
  journal: JournalDocument,
  agent: AgentDefinition,
  { isMasked = false }: ReplayOptions = {},
): Promise<Replayed> {
  const read = readJournal(journal);
  const most = rolesIn(read.events).aborts.size === 0 ? 0 : longestDelay;
  let first: Divergence | null = null;
  for (let tried = 0; tried <= most * 2 + 1; tried++) {
    const how = { isMasked, abortsBefore: tried >> 1, isEager: tried % 2 === 1 };
    const { divergence, ...replayed } = await goThrough(read, agent, how);
    if (divergence === null) return replayed;
    first ??= divergence;
    if (divergence.what === 'the prompt') break;
  }
  throw replayDiverged(first as Divergence);
}

type Outcome = Replayed & { readonly divergence: Divergence | null };

async function goThrough(
  read: ReadJournal,
  agent: AgentDefinition,
  how: Pick<CourseOptions, 'isMasked' | 'abortsBefore' | 'isEager'>,
): Promise<Outcome> {
  const { events } = read;
  const counted: Answered = { modelCalls: 0, toolCalls: 0 };
  let controller = new AbortController();
  let onMove = (): void => undefined;
  const onAbort = (reason: unknown): void => controller.abort(reason);
  const course = createCourse(read, { ...how, onAbort, onMove: () => onMove() });
  const perform = recordedAnswers(events, course, counted);
  for (;;) {
    controller = new AbortController();
    course.advance();
    if (course.divergence() !== null || course.isAtEnd()) break;
    const before = course.place();
    const stopped = new Promise<void>((resolve) => {
      onMove = () => {
        if (course.divergence() !== null) resolve();
        // What goes on beside it may still be done.
        else if (course.isOver()) systemEnv.schedule(0, resolve);
      };
    });
    const run = runOnJournal({
      agent,
      lease: course.lease,
      env: course.env,
      signal: controller.signal,
      perform,
      hookContract: 'off',
      model: modelAt(events, before),
      takeSteered: course.takeSteered,
    });
    await untilStill(Promise.race([run, stopped]), course);
    if (course.place() === before) break;
  }
  controller.abort();
  course.close();
  return { state: course.state(), ...counted, divergence: course.divergence() };
}

/** Waits for a run; one in which nothing moves any more is helped on. */
async function untilStill(run: Promise<unknown>, course: Course): Promise<void> {
  let place = course.place();
  let still = 0;
  let cancel = (): void => undefined;
  const watch = (): void => {
    cancel = systemEnv.schedule(lookMs, () => {
      still = course.place() === place ? still + 1 : 0;
      if (still * lookMs > longestStillMs) return course.giveUp();
      if (still >= stalledLooks) course.nudge();
      place = course.place();
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
