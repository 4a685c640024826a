import fc from 'fast-check';
import * as z from 'zod';
import type { AgentDefinition } from '../../agent/agent-definition.ts';
import { defineTool } from '../../agent/tool.ts';
import { pendingApprovals } from '../../graph/agent-state/accessors.ts';
import { section } from '../../graph/message-store.ts';
import { text } from '../../graph/message.ts';
import type { AgentState } from '../../graph/types.ts';
import type { InferenceClient, InferenceRequest } from '../../model/inference-client.ts';
import { type FaultySessions, faultySessions } from '../../testing/faulty-sessions.fixture.ts';
import { scriptedAgent } from '../../testing/fixtures.ts';
import { scriptedInference, type ScriptedStep } from '../../testing/scripted-inference.ts';
import { storedState } from '../../testing/session.fixture.ts';
import {
  type SimulatedTab,
  type SimulatedTabs,
  simulatedTabs,
} from '../../testing/simulated-tabs.fixture.ts';
import { type SimulatedTime, simulatedTime } from '../../testing/simulated-time.fixture.ts';
import type { AgentSession, SessionSnapshot } from '../agent-session.ts';
import { createAgentSession } from '../create-agent-session.ts';
import { loadEngine } from '../engine.ts';
import { memorySessions } from '../stores/memory-sessions.ts';
import type { SessionStore } from '../stores/session-store.ts';

const says = ['talk', 'pay', 'look', 'kid'] as const;
const others = [
  'answer',
  'answer',
  'stop',
  'edit',
  'regenerate',
  'rename',
  'draft',
  'update',
  'kill',
  'kill',
  'leave',
] as const;
type Act = {
  readonly tab: number;
  readonly waitMs: number;
  readonly act: (typeof says)[number] | (typeof others)[number];
};

/** What is done in the tabs of one session, how long their messages take, and how long the store does. */
export type TabSchedule = {
  readonly tabs: number;
  readonly acts: readonly Act[];
  readonly delays: readonly number[];
  readonly storeMs: readonly number[];
  readonly resume: boolean;
};

export const tabSchedule: fc.Arbitrary<TabSchedule> = fc.record({
  tabs: fc.constantFrom(2, 2, 3),
  acts: fc.array(
    fc.record({
      tab: fc.nat(2),
      waitMs: fc.constantFrom(0, 0, 1, 5, 30, 60, 120),
      act: fc.constantFrom(...says, ...says, ...others),
    }),
    { minLength: 1, maxLength: 12 },
  ),
  delays: fc.array(fc.constantFrom(0, 1, 1, 20, 90), { minLength: 1, maxLength: 9 }),
  storeMs: fc.array(fc.constantFrom(0, 0, 5, 40), { minLength: 1, maxLength: 5 }),
  resume: fc.boolean(),
});

type Tab = {
  readonly session: AgentSession;
  readonly store: FaultySessions;
  readonly seat: SimulatedTab;
  isGone: boolean;
};
/** Something that was asked for in a tab. */
type Asked = { readonly tab: Tab; readonly what: string; status: string | null };

export type TabsSeen = {
  /** How often the effect of a call happened. */
  readonly effects: Map<string, number>;
  readonly asked: Asked[];
};

type World = TabsSeen & {
  readonly schedule: TabSchedule;
  readonly time: SimulatedTime;
  readonly links: SimulatedTabs;
  readonly shared: SessionStore;
};

/** Plays a schedule until every tab that lives is at rest. */
export async function playTabs(
  schedule: TabSchedule,
): Promise<TabsSeen & { readonly shown: readonly SessionSnapshot[]; readonly stored: AgentState }> {
  await loadEngine();
  const time = simulatedTime();
  const links = simulatedTabs(schedule.delays, time.sleep);
  const world: World = { schedule, time, links, shared: memorySessions(), effects: new Map(), asked: [] };
  // Modules come in real time, which does not pass here.
  await world.shared.load('a');
  let opened = 0;
  const open = (): Tab => openTab(world, opened++);
  const tabs = Array.from({ length: schedule.tabs }, open);
  for (const [number, { tab: at, waitMs, act }] of schedule.acts.entries()) {
    await time.pass(waitMs);
    const index = at % tabs.length;
    const tab = tabs[index] as Tab;
    if (act === 'kill' || act === 'leave') {
      if (act === 'kill') kill(tab);
      else void tab.session.dispose();
      tab.isGone = true;
      tabs[index] = open();
    } else perform(world, tab, { act, number });
  }
  await time.pass(2000);
  ask(world, tabs[0] as Tab, 'talk last', (session) => session.sendMessage('talk last'));
  await rest(world, tabs);
  const shown = tabs.map(({ session }) => session.store.getState());
  return { ...world, shown, stored: await storedState(world.shared) };
}

/** How long a person waits before doing the same again, in milliseconds. */
const patienceMs = 200;

/** Answers what is asked until nothing goes on any more. */
async function rest({ time, asked }: World, tabs: readonly Tab[]): Promise<void> {
  const [{ session }] = tabs as [Tab];
  const isAtRest = (): boolean => {
    const { status, state, queue } = session.store.getState();
    const isSettled = asked.every((entry) => entry.tab.isGone || entry.status !== null);
    return isSettled && status === 'ready' && queue.length === 0 && pendingApprovals(state).length === 0;
  };
  let isOver = false;
  void goOn(session, time, () => isOver);
  await time.until(isAtRest, () => standing(asked, tabs));
  isOver = true;
  await time.pass(3000);
}

/** What a person does who wants it to go on. */
async function goOn(session: AgentSession, time: SimulatedTime, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { status, queue } = session.store.getState();
    if (status === 'awaiting-input') answer(session, true);
    if (status === 'error') session.clearError();
    if (status === 'interrupted' || (status === 'ready' && queue.length > 0)) void session.resume();
    await time.sleep(patienceMs);
  }
}

function standing(asked: readonly Asked[], tabs: readonly Tab[]): string {
  const waits = asked.map(({ what, tab, status }) => [what, tab.isGone, status]);
  const shown = tabs.map(({ session }) => {
    const { status, persistence, error, queue } = session.store.getState();
    return { status, persistence, error, queue };
  });
  return JSON.stringify([waits, shown]);
}

function ask(world: World, tab: Tab, what: string, does: (session: AgentSession) => Promise<unknown>): void {
  const entry: Asked = { tab, what, status: null };
  world.asked.push(entry);
  does(tab.session).then(
    (turn) => (entry.status = (turn as { status?: string } | undefined)?.status ?? 'done'),
    () => (entry.status = 'rejected'),
  );
}

function perform(world: World, tab: Tab, { act, number }: { act: Act['act']; number: number }): void {
  const { session } = tab;
  const { state } = session.store.getState();
  const last = section(state.context.store).findLast(({ role }) => role === 'user');
  const words = `${act} ${number}`;
  switch (act) {
    case 'answer':
      return answer(session, number % 3 > 0);
    case 'stop':
      return ask(world, tab, '', (asked) => asked.stop());
    case 'edit':
      return last && ask(world, tab, words, (asked) => asked.edit(last.id, words));
    case 'regenerate':
      return ask(world, tab, '', (asked) => asked.regenerate());
    case 'rename':
      return ask(world, tab, '', (asked) => asked.rename(words));
    case 'update':
      return ask(world, tab, '', (asked) => asked.update((given) => given));
    case 'draft':
      return session.setDraft(words);
    default:
      return ask(world, tab, words, (asked) => asked.sendMessage(words));
  }
}

function answer(session: AgentSession, isApproved: boolean): void {
  for (const { id } of pendingApprovals(session.store.getState().state))
    void (isApproved ? session.approve(id) : session.reject(id));
}

function kill({ store, seat }: Tab): void {
  store.cut();
  seat.kill();
}

function openTab({ schedule, time, links, shared, effects }: World, number: number): Tab {
  const fates = schedule.storeMs.map((delayMs) => ({ fault: 'none' as const, delayMs }));
  const store = faultySessions(shared, fates, time.sleep);
  const seat = links.open();
  const env = time.env(number);
  const isDead = (): boolean => store.isCut();
  const session = createAgentSession({
    agent: agentOf(time, effects, isDead),
    sessions: { ...store, tabs: seat.link },
    sessionId: 'a',
    publish: 'immediate',
    resume: schedule.resume,
    env: { ...env, schedule: (ms, run) => env.schedule(ms, () => (isDead() ? undefined : run())) },
  });
  void session.ready;
  return { session, store, seat, isGone: false };
}

function agentOf(time: SimulatedTime, effects: Map<string, number>, isDead: () => boolean): AgentDefinition {
  const input = z.object({});
  async function effect(callId: string): Promise<string> {
    await time.sleep(15);
    if (isDead()) return new Promise(() => undefined);
    effects.set(callId, (effects.get(callId) ?? 0) + 1);
    await time.sleep(15);
    return 'done';
  }
  const make = (name: string, needsApproval: boolean): ReturnType<typeof defineTool> =>
    defineTool({ name, description: '', input, needsApproval, execute: (_i, ctx) => effect(ctx.toolCallId) });
  const tools = [make('pay', true), make('note', false)];
  const inference = slowly(time, scriptedInference([reply]), isDead);
  const kid = scriptedAgent([], { name: 'kid', tools, inference });
  return scriptedAgent([], { tools, subagents: [kid], inference });
}

const call = (name: string, input = {}): { name: string; input: object } => ({ name, input });
const replies: Readonly<Record<string, ScriptedStep>> = {
  talk: { text: 'Some words', chunks: 5 },
  edit: { text: 'Other words', chunks: 5 },
  pay: { toolCalls: [call('pay'), call('note')] as never },
  look: { text: 'Let me', toolCalls: [call('note'), call('note')] as never },
  kid: { toolCalls: [call('delegate', { agent: 'kid', task: 'pay' }), call('note')] as never },
};

function reply({ messages }: InferenceRequest): ScriptedStep {
  const last = messages.at(-1);
  if (last === undefined || last.role === 'tool') return { text: 'That is done', chunks: 3 };
  return replies[text(last).split(' ')[0] ?? ''] ?? { text: 'Well', chunks: 2 };
}

function slowly({ sleep }: SimulatedTime, client: InferenceClient, isDead: () => boolean): InferenceClient {
  return {
    async *stream(request, options) {
      for await (const event of client.stream(request, options)) {
        await sleep(8);
        if (isDead()) await new Promise(() => undefined);
        yield event;
      }
    },
  };
}
