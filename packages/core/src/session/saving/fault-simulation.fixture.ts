import fc from 'fast-check';
import * as z from 'zod';
import { defineTool } from '../../agent/tool.ts';
import type { AgentDefinition } from '../../agent/agent-definition.ts';
import { messages, pendingApprovals } from '../../graph/agent-state/accessors.ts';
import { text } from '../../graph/message.ts';
import type { AgentState } from '../../graph/types.ts';
import type { InferenceClient, InferenceRequest } from '../../model/inference-client.ts';
import {
  faultySessions,
  noAnswer,
  type FaultySessions,
  type StoreFate,
} from '../../testing/faulty-sessions.fixture.ts';
import { scriptedAgent } from '../../testing/fixtures.ts';
import { scriptedInference, type ScriptedStep } from '../../testing/scripted-inference.ts';
import { simulatedTime, type SimulatedTime } from '../../testing/simulated-time.fixture.ts';
import type { AgentSession, Turn } from '../agent-session.ts';
import { createAgentSession } from '../create-agent-session.ts';
import { loadEngine } from '../engine.ts';
import { liveRecord } from '../stores/live-record.ts';
import { memorySessions } from '../stores/memory-sessions.ts';
import type { SessionRecord, SessionStore } from '../stores/session-store.ts';
import { readRecord } from './read-record.ts';

const kinds = ['talk', 'pay', 'look', 'ask', 'long'] as const;
type Act = {
  readonly page: 0 | 1;
  readonly waitMs: number;
  readonly act: (typeof kinds)[number] | 'answer' | 'refuse' | 'stop' | 'kill' | 'leave' | 'draft';
};

/** Two pages on one session, what is done in them, and how the store treats each. */
export type Schedule = {
  readonly acts: readonly Act[];
  readonly fates: readonly (readonly StoreFate[])[];
  readonly canAppend: boolean;
  readonly resume: boolean;
};

const fate: fc.Arbitrary<StoreFate> = fc.record({
  fault: fc.constantFrom('none', 'none', 'none', 'refused', 'answer-lost'),
  delayMs: fc.constantFrom(0, 0, 5, 40, 700),
});
const act = fc.constantFrom(
  ...kinds,
  'answer',
  'answer',
  'answer',
  'refuse',
  'stop',
  'kill',
  'leave',
  'draft',
);

export const schedule: fc.Arbitrary<Schedule> = fc.record({
  acts: fc.array(
    fc.record({
      page: fc.constantFrom(0 as const, 0 as const, 1 as const),
      waitMs: fc.constantFrom(0, 0, 1, 30, 120, 2500),
      act,
    }) as fc.Arbitrary<Act>,
    { minLength: 1, maxLength: 10 },
  ),
  fates: fc.tuple(
    fc.array(fate, { minLength: 1, maxLength: 12 }),
    fc.array(fate, { minLength: 1, maxLength: 12 }),
  ),
  canAppend: fc.boolean(),
  resume: fc.boolean(),
});

type Page = { readonly session: AgentSession; readonly store: FaultySessions; isGone: boolean };

/** What the simulation has seen. */
export type Seen = {
  /** How often the effect of a call happened, and how often a person let it happen unstored. */
  readonly effects: Map<string, number>;
  readonly insisted: Map<string, number>;
  /** Every version that was stored, oldest first. */
  readonly versions: SessionRecord[];
  /** What was said in pages that lived to the end, with what became of it. */
  readonly said: { readonly text: string; readonly page: Page; turn: Turn | null }[];
};

const id = 'a';

/** Plays a schedule to its end: everything works again, every page says one last thing, and one more looks at it. */
export async function play({
  acts,
  fates,
  canAppend,
  resume,
}: Schedule): Promise<Seen & { last: SessionRecord }> {
  // Modules come in real time, which does not pass here.
  await loadEngine();
  const time = simulatedTime();
  const seen: Seen = { effects: new Map(), insisted: new Map(), versions: [], said: [] };
  const store = watched(canAppend, seen);
  const pages: Page[] = [];
  const open = (at: number): Page =>
    (pages[at] = openPage(time, store, { seen, fates, at, resume, number: opened++ }));
  let opened = 0;
  open(0);
  open(1);
  for (const [number, { page: at, waitMs, act: kind }] of acts.entries()) {
    await time.pass(waitMs);
    const page = pages[at] as Page;
    if (kind === 'kill' || kind === 'leave') {
      if (kind === 'leave') void page.session.dispose();
      else page.store.cut();
      page.isGone = true;
      open(at);
    } else if (kind === 'stop') void page.session.stop();
    else if (kind === 'draft') page.session.setDraft(`draft ${number}`);
    else if (kind === 'answer' || kind === 'refuse') answer(page, kind === 'answer', seen);
    else say(page, `${kind} ${number}`, seen);
  }
  for (const { store: healed } of pages) healed.heal();
  await time.pass(60_000);
  for (const [at, page] of pages.entries()) await end(page, `talk last ${at}`, seen, time);
  const last = openPage(time, store, { seen, fates: [[]], at: 0, resume: true, number: opened });
  await end(last, 'talk at last', seen, time);
  const record = await store.load(id);
  if (record === null) throw new Error('Nothing is stored');
  return { ...seen, last: record };
}

/** The page says one last thing, and answers what is asked, until it is at rest. */
async function end(page: Page, words: string, seen: Seen, time: SimulatedTime): Promise<void> {
  const { session } = page;
  let isOver = false;
  const isUnread = (): boolean => session.store.getState().error?.message === noAnswer;
  const isRead = (): boolean => session.store.getState().status !== 'loading' && !isUnread();
  const standing = (): string => {
    const { status, persistence, activity, turn, error } = session.store.getState();
    return JSON.stringify({ isOver, status, persistence, activity, turn, error });
  };
  // One that is open is only told of it.
  session.clearError();
  if (isUnread()) void session.retry();
  await time.until(isRead, standing);
  void say(page, words, seen).then(() => (isOver = true));
  const isAtRest = (): boolean => {
    const { status, state, persistence } = session.store.getState();
    if (pendingApprovals(state).length > 0 && status === 'awaiting-input') answer(page, true, seen);
    if (status === 'error') session.clearError();
    return isOver && status !== 'awaiting-input' && persistence.status === 'saved';
  };
  await time.until(isAtRest, standing);
  await time.pass(1000);
}

function say(page: Page, words: string, seen: Seen): Promise<void> {
  const entry = { text: words, page, turn: null as Turn | null };
  seen.said.push(entry);
  return page.session.sendMessage(words).then((turn) => void (entry.turn = turn));
}

function answer({ session }: Page, isApproved: boolean, { insisted }: Seen): void {
  for (const { id: callId, approval } of waiting(session.store.getState().state)) {
    if (isApproved && approval?.cause === 'not-stored') insisted.set(callId, (insisted.get(callId) ?? 0) + 1);
    void (isApproved ? session.approve(callId) : session.reject(callId));
  }
}

function waiting(state: AgentState): ReturnType<typeof pendingApprovals> {
  return pendingApprovals(state);
}

/** The store below both pages: everything that it holds can be read, always. */
function watched(canAppend: boolean, { versions }: Seen): SessionStore {
  const store = memorySessions();
  const { append, ...rest } = store;
  async function see(version: number): Promise<number> {
    const record = await store.load(id);
    if (record === null) throw new Error('Nothing was written');
    readRecord(record);
    versions.push(record);
    return version;
  }
  return {
    ...rest,
    save: async (record, options) => see(await store.save(record, options)),
    ...(canAppend && append ? { append: async (key, written) => see(await append(key, written)) } : {}),
  };
}

function openPage(
  time: SimulatedTime,
  store: SessionStore,
  given: {
    seen: Seen;
    fates: readonly (readonly StoreFate[])[];
    at: number;
    resume: boolean;
    number: number;
  },
): Page {
  const { seen, fates, at, resume, number } = given;
  const faulty = faultySessions(store, fates[at] ?? [], time.sleep);
  if ((fates[at] ?? []).length === 0) faulty.heal();
  const env = time.env(number % 10);
  const isGone = (): boolean => page.isGone && page.store.isCut();
  const agent = agentOf(time, seen, isGone);
  const session = createAgentSession({
    agent,
    sessions: faulty,
    sessionId: id,
    publish: 'immediate',
    resume,
    env: { ...env, schedule: (ms, f) => env.schedule(ms, () => (isGone() ? undefined : f())) },
  });
  const page: Page = { session, store: faulty, isGone: false };
  void session.ready;
  return page;
}

function agentOf(time: SimulatedTime, { effects }: Seen, isGone: () => boolean): AgentDefinition {
  const effect = async (callId: string): Promise<string> => {
    await time.sleep(20);
    if (isGone()) return new Promise(() => undefined);
    effects.set(callId, (effects.get(callId) ?? 0) + 1);
    await time.sleep(20);
    return 'done';
  };
  const input = z.object({});
  const make = (name: string, needsApproval: boolean): ReturnType<typeof defineTool> =>
    defineTool({ name, description: '', input, needsApproval, execute: (_i, ctx) => effect(ctx.toolCallId) });
  const look = defineTool({
    name: 'look',
    description: '',
    input,
    effects: 'idempotent',
    execute: () => 'seen',
  });
  const tools = [make('pay', true), make('note', false), look];
  const inference = slowly(time, scriptedInference([reply]), isGone);
  const kid = scriptedAgent([], { name: 'kid', tools, inference });
  return scriptedAgent([], { tools, subagents: [kid], inference });
}

const call = (name: string, input = {}): { name: string; input: object } => ({ name, input });
const replies: Readonly<Record<string, ScriptedStep>> = {
  talk: { text: 'Some words', chunks: 4 },
  long: { text: 'x'.repeat(40_000), chunks: 4 },
  pay: { toolCalls: [call('pay'), call('note'), call('note')] as never },
  look: { text: 'Let me', toolCalls: [call('look'), call('note')] as never },
  ask: { toolCalls: [call('delegate', { agent: 'kid', task: 'pay' }), call('note')] as never },
};

function reply({ messages: list }: InferenceRequest): ScriptedStep {
  const last = list.at(-1);
  if (last === undefined || last.role === 'tool') return { text: 'That is done', chunks: 3 };
  return replies[text(last).split(' ')[0] ?? ''] ?? { text: 'Well', chunks: 2 };
}

function slowly({ sleep }: SimulatedTime, client: InferenceClient, isGone: () => boolean): InferenceClient {
  return {
    async *stream(request, options) {
      for await (const event of client.stream(request, options)) {
        await sleep(10);
        if (isGone()) await new Promise(() => undefined);
        yield event;
      }
    },
  };
}

/** What stands in a stored session for good: everything but what an answer in flight has come to. */
export function settledIds(record: SessionRecord): string[] {
  const { state } = liveRecord(record);
  const open = new Set((state.execution?.currentStep?.outputMessages ?? []).map((message) => message.id));
  return messages(state).flatMap((message) => (open.has(message.id) ? [] : [message.id]));
}
