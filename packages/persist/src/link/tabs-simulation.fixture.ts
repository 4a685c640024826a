import { pendingApprovals } from '@vitrine/core/internal/graph/agent-state/accessors';
import { section } from '@vitrine/core/internal/graph/message-store';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { type FaultySessions, faultySessions } from '@vitrine/testing/internal/faulty-sessions.fixture';
import { storedState } from '@vitrine/testing/internal/session.fixture';
import {
  type SimulatedTab,
  type SimulatedTabs,
  simulatedTabs,
} from '@vitrine/testing/internal/simulated-tabs.fixture';
import { type SimulatedTime, simulatedTime } from '@vitrine/testing/internal/simulated-time.fixture';
import type { AgentSession, SessionSnapshot } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { loadParts } from '../session/loaded-parts.fixture.ts';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';
import type { TabAct, TabSchedule } from './tab-schedule.fixture.ts';
import { tabsAgent } from './tabs-agent.fixture.ts';

type Tab = {
  readonly session: AgentSession;
  readonly store: FaultySessions;
  readonly simulated: SimulatedTab;
  isGone: boolean;
};
/** A request that was made in a tab. */
type Asked = { readonly tab: Tab; readonly what: string; status: string | null };

export type TabsSeen = {
  /** The number of times that the effect of each call happened. */
  readonly effects: Map<string, number>;
  readonly asked: Asked[];
};

type World = TabsSeen & {
  readonly schedule: TabSchedule;
  readonly time: SimulatedTime;
  readonly links: SimulatedTabs;
  readonly shared: SessionStore;
};

/** Plays a schedule until every living tab is at rest. */
export async function playTabs(
  schedule: TabSchedule,
): Promise<TabsSeen & { readonly shown: readonly SessionSnapshot[]; readonly stored: AgentState }> {
  await loadParts();
  const time = simulatedTime();
  const links = simulatedTabs(schedule.delays, time.sleep);
  const world: World = { schedule, time, links, shared: memorySessions(), effects: new Map(), asked: [] };
  // Modules load in real time, which the simulated clock does not advance.
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

/** The pause of a simulated user before the same action again, in milliseconds. */
const patienceMs = 200;

/** Answers open requests until no work is active. */
async function rest({ time, asked }: World, tabs: readonly Tab[]): Promise<void> {
  const [{ session }] = tabs as [Tab];
  const isAtRest = (): boolean => {
    const { status, state, queue } = session.store.getState();
    const isSettled = asked.every((entry) => entry.tab.isGone || entry.status !== null);
    return isSettled && status === 'ready' && queue.length === 0 && pendingApprovals(state).length === 0;
  };
  let isOver = false;
  void goOn(session, time, () => isOver);
  await time.until(isAtRest, () => describeTabs(asked, tabs));
  isOver = true;
  await time.pass(3000);
}

/** Simulates a user who continues the session. */
async function goOn(session: AgentSession, time: SimulatedTime, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { status, activity, queue } = session.store.getState();
    if (status === 'awaiting-input') answer(session, true);
    if (activity.type === 'paused') void session.releaseWith();
    if (status === 'error') session.clearError();
    if (status === 'interrupted' || (status === 'ready' && queue.length > 0)) void session.resume();
    await time.sleep(patienceMs);
  }
}

function describeTabs(asked: readonly Asked[], tabs: readonly Tab[]): string {
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

function perform(world: World, tab: Tab, { act, number }: { act: TabAct['act']; number: number }): void {
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
    case 'rate': {
      const said = section(state.context.store).findLast(({ role }) => role === 'assistant');
      const rating = number % 2 > 0 ? 'up' : 'down';
      return said && ask(world, tab, '', (asked) => asked.rate(said.id, { rating, text: words }));
    }
    case 'choose':
      return ask(world, tab, '', (asked) => asked.chooseModel({ model: words }));
    case 'update':
      return ask(world, tab, '', (asked) => asked.update((given) => given));
    case 'draft':
      return session.setDraft(words);
    case 'pause':
      return ask(world, tab, '', (asked) => asked.pause());
    case 'break':
      return ask(world, tab, '', (asked) =>
        asked.setBreakpoint({ type: 'tool', toolName: 'note' }, { id: 'note' }),
      );
    case 'unbreak':
      return ask(world, tab, '', (asked) => asked.removeBreakpoint('note'));
    case 'step':
      return ask(world, tab, '', (asked) => asked.stepOver());
    case 'release':
      return ask(world, tab, '', (asked) => asked.releaseWith());
    case 'change':
      return ask(world, tab, '', (asked) => asked.releaseWith({ systemPrompt: words }));
    default:
      return ask(world, tab, words, (asked) => asked.sendMessage(words));
  }
}

function answer(session: AgentSession, isApproved: boolean): void {
  for (const { id } of pendingApprovals(session.store.getState().state))
    void (isApproved ? session.approve(id) : session.reject(id));
}

function kill({ store, simulated }: Tab): void {
  store.cut();
  simulated.kill();
}

function openTab({ schedule, time, links, shared, effects }: World, number: number): Tab {
  const fates = schedule.storeMs.map((delayMs) => ({ fault: 'none' as const, delayMs }));
  const store = faultySessions(shared, fates, time.sleep);
  const simulated = links.open();
  const env = time.env(number);
  const isDead = (): boolean => store.isCut();
  const session = createAgentSession({
    agent: tabsAgent(time, effects, isDead),
    sessions: { ...store, tabs: simulated.link },
    sessionId: 'a',
    publish: 'immediate',
    resume: schedule.resume,
    env: { ...env, schedule: (ms, run) => env.schedule(ms, () => (isDead() ? undefined : run())) },
  });
  void session.ready;
  return { session, store, simulated, isGone: false };
}
