import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { AgentBreak } from '../../graph/agent-state/accessors.ts';
import { create } from '../../graph/agent-state/create.ts';
import { type Message, user } from '../../graph/message.ts';
import type { AgentState as State, BreakEdit } from '../../graph/types.ts';
import { AgentError } from '../../kit/agent-error.ts';
import * as AgentState from '../agent-state.ts';
import { answerCall, needsRun } from '../answer-call.ts';
import { runOnJournal } from '../../agent-loop/run-on-journal.ts';
import { effectLog, type EffectRecords } from '../effect-log.ts';
import type { AgentEvent } from '../events.ts';
import { createJournal, type Journal } from '../journal.ts';
import { breakAt, placeOfBreak, releaseBreak } from '../release-break.ts';
import { goldenAgent } from './golden-agent.fixture.ts';
import type { Note } from './golden-model.fixture.ts';
import { type GoldenPlan, goldenPlan } from './golden-plan.fixture.ts';
import type { Feature } from '../slots.ts';
import { type VirtualEnv, virtualEnv } from './virtual-env.fixture.ts';

/** The outcomes of calls that an effect log keeps; null for a call that has begun. */
type Records = Map<string, string | null>;

/** One line of a record: an event, or what the outside saw. Lines of one lane have an order of their own. */
type Line = { readonly lane: string; readonly what: string; readonly value: unknown };

/** The state and the effect records that a process leaves behind when it dies. */
type Crash = { readonly state: State; readonly records: Records };

type GoldenRun = {
  readonly lines: readonly Line[];
  readonly events: number;
  readonly crash: Crash | null;
};

type Start = {
  readonly plan: GoldenPlan;
  readonly seed: number;
  /** The process before, whose run goes on; null to begin one. */
  readonly after: Crash | null;
  /** The number of the event behind which the process dies; the run goes on all the same. */
  readonly cutAt: number | null;
  /** The features of the loop. Default: all, in their order. */
  readonly features?: readonly Feature[];
};

/** Runs a plan to its end in virtual time, with a person and an application that act on what they see. */
async function goldenRun({ plan, seed, after, cutAt, features }: Start): Promise<GoldenRun> {
  const env = virtualEnv(
    `${after === null ? 8 : 9}${String(seed).padStart(3, '0')}`,
    seed,
    after === null ? 1e12 : 2e12,
  );
  const records: Records = new Map(after?.records);
  const lines: Line[] = [];
  const note: Note = (what, value) => {
    const lane = `outside ${what} ${typeof value === 'string' ? value : ''}`;
    lines.push({ lane, what, value: JSON.parse(JSON.stringify(value ?? null)) });
  };
  const journal = createJournal(after?.state ?? initialState(plan, env), { env });
  const stage = createStage({ plan, env, note, journal, isResumed: after !== null });
  let [events, crash] = [0, null as Crash | null];
  journal.subscribe((event, state) => {
    events += 1;
    const call = 'toolCallId' in event ? String(event.toolCallId) : '';
    lines.push({ lane: [...event.path, call].join('/'), what: event.type, value: event });
    if (events === cutAt) crash = { state, records: new Map(records) };
    stage.hear(event, events);
  });
  const { lease } = journal.lease();
  const agent = goldenAgent(plan, env, note);
  const run = (): Promise<unknown> =>
    runOnJournal({
      ...(features === undefined ? {} : { features }),
      agent,
      lease,
      env,
      effects: plan.hasEffectLog ? effectLog(recordsIn(records, note)) : null,
      signal: stage.signal,
      hookContract: 'diagnostics',
      turnId: 'turn',
      by: 'somebody',
      whenStored: whenStoredOf(plan, env, note),
      readBlob: blobReader(plan, note),
      takeSteered: () => stage.takeSteered(events),
    });
  await env.play(stage.toEnd(run));
  return { lines, events, crash };
}

function initialState({ file }: GoldenPlan, env: VirtualEnv): State {
  const question = user('Hello', {}, env);
  const blob = { hash: 'a'.repeat(64), size: 3 };
  const filename = file === 'absent' ? null : 'a.png';
  const files = file === null ? [] : [{ type: 'file' as const, mediaType: 'image/png', filename, blob }];
  return create({ messages: [{ ...question, parts: [...question.parts, ...files] } as Message] }, env);
}

function recordsIn(known: Records, note: Note): EffectRecords {
  return {
    read: async (_execution, key) => (note('read', key), known.get(key) ?? null),
    async begin(_execution, key) {
      note('begin', key);
      if (known.has(key)) return false;
      known.set(key, null);
      return true;
    },
    async end(_execution, key, outcome) {
      note('end', { key, outcome });
      if (typeof known.get(key) !== 'string') known.set(key, outcome);
    },
    forget: async () => undefined,
  };
}

function whenStoredOf({ stored }: GoldenPlan, env: VirtualEnv, note: Note): (() => Promise<void>) | null {
  if (stored === 'none') return null;
  return async () => {
    note('stored', null);
    if (stored === 'fails') throw new AgentError('session-storage', 'full');
    if (stored === 'conflict') throw new AgentError('session-conflict', 'another writer');
    await env.wait(2);
  };
}

function blobReader({ file }: GoldenPlan, note: Note): (hash: string) => Promise<Blob | null> {
  const blob = {
    arrayBuffer: async () => new Uint8Array([1, 2, 3]).buffer,
    size: 3,
    type: 'image/png',
  } as Blob;
  return async (hash) => {
    note('blob', hash);
    if (file === 'broken') throw new Error('unreadable');
    return file === 'absent' ? null : blob;
  };
}

type StageOptions = {
  readonly plan: GoldenPlan;
  readonly env: VirtualEnv;
  readonly note: Note;
  readonly journal: Journal;
  readonly isResumed: boolean;
};

/** The person and the application beside a run. */
type Stage = {
  readonly signal: AbortSignal;
  readonly hear: (event: AgentEvent, number: number) => void;
  readonly takeSteered: (events: number) => readonly Message[];
  /** Runs, and answers what waits, until the run ends. */
  readonly toEnd: (run: () => Promise<unknown>) => Promise<void>;
};

const most = { hits: 20, meddlings: 10, rounds: 60, waits: 200 } as const;

function createStage({ plan, env, note, journal, isResumed }: StageOptions): Stage {
  const controller = new AbortController();
  const acting = new Set<Promise<void>>();
  let [asks, hits, meddled, isSteered] = [0, 0, 0, plan.steerAt === null || isResumed];
  const { abort, breakpoint } = plan;

  function act(work: Promise<void>): void {
    const done = work.finally(() => acting.delete(done));
    acting.add(done);
  }

  async function answer(toolCallId: string, isOutput: boolean): Promise<void> {
    const { says, delayMs } = plan.people[asks++ % plan.people.length] as GoldenPlan['people'][number];
    await env.wait(delayMs + 0.25);
    const said = isOutput
      ? ({ type: 'respond', output: says === 'edit' ? 7 : 'given' } as const)
      : decisions[says];
    try {
      for (const { path, body } of answerCall(journal.state(), toolCallId, said)) journal.commit(path, body);
    } catch (thrown) {
      note('answer refused', (thrown as { code?: string }).code);
    }
  }

  async function release(hit: AgentBreak): Promise<void> {
    await env.wait(1.25);
    const standing = breakAt(journal.state(), placeOfBreak(hit));
    if (standing === undefined) return;
    const edit = breakpoint?.edit ?? 'nothing';
    if (edit === 'step') setBreak(`step-${hits}`, { type: 'next' }, true);
    for (const { path, body } of releaseEvents(journal.state(), standing, edits[edit]))
      journal.commit(path, body);
  }

  function setBreak(breakpointId: string, on: NonNullable<typeof breakpoint>['on'], isOnce: boolean): void {
    if (AgentState.status(journal.state()) !== 'in-progress') return;
    journal.commit([], { type: 'break-set', breakpointId, on, isOnce });
  }

  function meddle(): void {
    const set = { [`app:${meddled++}`]: true };
    journal.commit([], { type: 'metadata-change', source: 'app', set, removed: [] });
  }

  /** Answers somebody who waits when nobody is about to. */
  async function help(): Promise<void> {
    if (acting.size > 0) return Promise.race(acting);
    const [hit] = AgentState.breakHits(journal.state());
    if (hit !== undefined) return release(hit);
    const waiting = AgentState.pendingApprovals(journal.state());
    if (waiting.length === 0) throw new Error('The run has paused for nobody.');
    for (const { id, status } of waiting) await answer(id, status === 'awaiting-output');
  }

  // The number of an event depends on the order between calls, so several at a time are aborted by time.
  const isByTime = abort !== null && (!('at' in abort) || plan.concurrency > 1);
  if (isByTime && !isResumed)
    env.schedule(('ms' in abort ? abort.ms : abort.at) + 0.1, () => controller.abort('enough of time'));

  return {
    signal: controller.signal,
    hear(event, number) {
      if (breakpoint?.at === number && !isResumed)
        act(env.wait(0.5).then(() => setBreak('break', breakpoint.on, breakpoint.isOnce)));
      if (event.type === 'break-hit' && hits++ < most.hits) {
        const { path, breakpointId, place: at } = event;
        act(release({ path, breakpointId, at }));
      }
      if (event.type === 'approval-request' || event.type === 'output-request')
        act(answer(event.toolCallId, event.type === 'output-request'));
      if (plan.meddles && number % 7 === 0 && meddled < most.meddlings && event.type !== 'metadata-change')
        act(env.wait(0.75).then(meddle));
      if (!isByTime && !isResumed && abort !== null && 'at' in abort && abort.at === number)
        controller.abort('enough');
    },
    takeSteered(events) {
      if (isSteered || events < (plan.steerAt ?? 0)) return [];
      isSteered = true;
      return [user('steered', {}, env)];
    },
    async toEnd(run) {
      for (let round = 0; (await run()) === 'paused'; round++) {
        note('paused', null);
        for (let wait = 0; !needsRun(journal.state()); wait++) {
          if (round > most.rounds || wait > most.waits) throw new Error('The run pauses for ever.');
          await help();
        }
      }
      while (acting.size > 0) await Promise.race(acting);
    },
  };
}

const decisions = {
  approve: { type: 'approve' },
  edit: { type: 'approve', input: { edited: true } },
  remember: { type: 'approve', remember: 'execution' },
  reject: { type: 'reject', reason: 'no' },
  'reject-always': { type: 'reject', reason: 'no', remember: 'execution' },
} as const;

const edits: Readonly<Record<NonNullable<GoldenPlan['breakpoint']>['edit'], BreakEdit>> = {
  input: { input: { edited: true } },
  result: { result: 'given' },
  systemPrompt: { systemPrompt: 'Be long.' },
  step: {},
  nothing: {},
};

/** The events of a release; without the edit where that does not fit the place. */
function releaseEvents(state: State, hit: AgentBreak, edit: BreakEdit): ReturnType<typeof releaseBreak> {
  try {
    return releaseBreak(state, hit, edit);
  } catch {
    return releaseBreak(state, hit);
  }
}

/**
 * The hashes of a run to its end, and of one which another process continues behind a random event; the message of what
 * a run threw.
 */
export async function hashesOf(
  plan: GoldenPlan,
  seed: number,
  features?: readonly Feature[],
): Promise<string> {
  const given = { plan, seed, ...(features === undefined ? {} : { features }) };
  const isSequential = plan.concurrency === 1;
  try {
    const whole = await goldenRun({ ...given, after: null, cutAt: null });
    const cutAt = 1 + (plan.cut % whole.events);
    const first = await goldenRun({ ...given, after: null, cutAt });
    const isStrict = isSequential || features === undefined;
    if (hashOf(first, isStrict) !== hashOf(whole, isStrict)) return 'an equal run has another record';
    const crash = first.crash!;
    if (AgentState.status(crash.state) !== 'in-progress') return `${hashOf(first, isSequential)} -`;
    const state = AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(crash.state))));
    const second = await goldenRun({ ...given, after: { ...crash, state }, cutAt: null });
    return `${hashOf(first, isSequential)} ${hashOf(second, isSequential)}`;
  } catch (thrown) {
    return `threw ${(thrown as Error).message}`;
  }
}

/** The starts and questions of the calls of a run, in their order. */
export async function startsOf(
  plan: GoldenPlan,
  seed: number,
  features?: readonly Feature[],
): Promise<readonly string[]> {
  const given = { plan, seed, after: null, cutAt: null, ...(features === undefined ? {} : { features }) };
  const { lines } = await goldenRun(given);
  return lines.filter(({ what }) => starts.has(what)).map(({ lane, what }) => `${lane} ${what}`);
}

const starts: ReadonlySet<string> = new Set(['tool-start', 'approval-request', 'output-request']);

/** The random plans; the plan of a seed stands at the seed less 1. */
export const goldenPlans: readonly GoldenPlan[] = fc.sample(goldenPlan, { seed: 20261126, numRuns: 800 });

/**
 * The hash of a record. Of calls side by side each lane is hashed alone with its ids numbered, so that the order
 * between lanes does not matter.
 */
function hashOf({ lines }: GoldenRun, isSequential: boolean): string {
  if (isSequential) return sha(lines);
  const lanes = new Map<string, Line[]>();
  for (const line of lines) lanes.set(line.lane, [...(lanes.get(line.lane) ?? []), line]);
  return sha([...lanes.values()].map(numberIds).sort());
}

function numberIds(lines: readonly Line[]): string {
  const ids = new Map<string, string>();
  return JSON.stringify(lines.map(({ what, value }) => [what, value]))
    .replace(/00000000-0000-7000-[0-9]{4}-[0-9]{12}/g, (id) => {
      const known = ids.get(id) ?? `#${ids.size}`;
      ids.set(id, known);
      return known;
    })
    .replace(/"seq":\d+/g, '"seq":0')
    .replace(/"key":"[^"]*"/g, '"key":""');
}

function sha(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);
}
