import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pendingApprovals } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import * as AgentStates from '@vitrine/core/internal/run/agent-state';
import { faultySessions } from '@vitrine/testing/internal/faulty-sessions.fixture';
import { storedState } from '@vitrine/testing/internal/session.fixture';
import { simulatedTabs } from '@vitrine/testing/internal/simulated-tabs.fixture';
import { simulatedTime } from '@vitrine/testing/internal/simulated-time.fixture';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { loadParts } from '../session/loaded-parts.fixture.ts';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import type { SessionLoad, SessionStore } from '@vitrine/core/internal/session/store/session-store';
import type { TabLink } from '@vitrine/core/internal/session/store/tab-link';
import { unseal } from './protocol.ts';
import { tabsAgent } from './tabs-agent.fixture.ts';

/** An act of the runner, or of the follower that has heard everything so far. */
type Act = {
  readonly waitMs: number;
  readonly act: 'talk' | 'look' | 'kid' | 'edit' | 'erase' | 'replace' | 'deaf';
};
type Course = { readonly acts: readonly Act[]; readonly delays: readonly number[] };

const course: fc.Arbitrary<Course> = fc.record({
  acts: fc.array(
    fc.record({
      waitMs: fc.constantFrom(0, 5, 30, 60, 120, 700, 2500),
      act: fc.constantFrom(
        'talk',
        'talk',
        'look',
        'kid',
        'edit',
        'erase',
        'replace',
        'replace',
        'deaf',
        'deaf',
      ),
    }) as fc.Arbitrary<Act>,
    { minLength: 2, maxLength: 8 },
  ),
  delays: fc.array(fc.constantFrom(0, 1, 20), { minLength: 1, maxLength: 4 }),
});

const bytes = (state: AgentState): string => JSON.stringify(AgentStates.toJSON(state));

/** A link to a runner elsewhere: this side never leads. */
const following = (link: TabLink): TabLink => ({
  ...link,
  lock(_name, onTurn) {
    queueMicrotask(() => onTurn(false));
    return () => undefined;
  },
});

/** Runners that replace each other, as processes of a server, and the loads of the store after every write. */
async function play({ acts, delays }: Course) {
  await loadParts();
  const time = simulatedTime();
  let isDeaf = false;
  const links = simulatedTabs(delays, time.sleep, () => isDeaf);
  const shared = memorySessions();
  await shared.load('a');
  const loads: SessionLoad[] = [];
  const noting: SessionStore = {
    ...shared,
    save: async (record, options) => noteWrite(shared.save(record, options)),
    append: async (id, append) => noteWrite(shared.append(id, append)),
  };
  async function noteWrite(written: Promise<number>): Promise<number> {
    const version = await written;
    loads.push(await shared.load('a'));
    return version;
  }
  let count = 0;
  const open = (sessions: SessionStore, link: TabLink, isDead: () => boolean): AgentSession => {
    const env = time.env(count++);
    const session = createAgentSession({
      agent: tabsAgent(time, new Map(), isDead),
      sessions: { ...sessions, tabs: link },
      sessionId: 'a',
      publish: 'immediate',
      resume: true,
      env: { ...env, schedule: (ms, run) => env.schedule(ms, () => (isDead() ? undefined : run())) },
    });
    void session.ready;
    return session;
  };
  const start = (): { readonly session: AgentSession; readonly kill: () => void } => {
    const store = faultySessions(noting, [{ fault: 'none', delayMs: 5 }], time.sleep);
    const tab = links.open();
    const session = open(store, tab.link, () => store.isCut());
    return { session, kill: () => (store.cut(), tab.kill()) };
  };
  const kinds: string[] = [];
  const follow = (sessions: SessionStore): AgentSession => {
    const { link } = links.open();
    const heard: TabLink = {
      ...link,
      open: (name, onMessage) =>
        link.open(name, (message) => {
          kinds.push(unseal(message)?.type ?? '');
          onMessage(message);
        }),
    };
    return open(sessions, following(heard), () => false);
  };
  let runner = start();
  await time.pass(50);
  const follower = follow(shared);
  const statuses = new Set<string>();
  follower.store.subscribe(({ status }) => statuses.add(status));
  for (const [at, { waitMs, act }] of acts.entries()) {
    await time.pass(waitMs);
    if (act === 'replace') {
      runner.kill();
      runner = start();
    } else if (act === 'deaf') isDeaf = !isDeaf;
    // The whole session is written again, under the same journal.
    else if (act === 'erase') void runner.session.setMessages((messages) => messages.slice(1));
    else if (act !== 'edit') void runner.session.sendMessage(`${act} ${at}`);
    else {
      const first = runner.session.store.getState().state.context.store.sections[0]?.messages[0];
      if (first !== undefined) void runner.session.edit(first.id, `edit ${at}`);
    }
  }
  isDeaf = false;
  const isAtRest = (): boolean => {
    const { state, status } = runner.session.store.getState();
    pendingApprovals(state).forEach(({ id }) => void runner.session.approve(id));
    return status === 'ready' || status === 'error' || status === 'interrupted';
  };
  await time.pass(500);
  await time.until(isAtRest, () => runner.session.store.getState().status);
  await time.pass(60_000);
  return { time, follow, follower, statuses, runner: runner.session, shared, loads, kinds };
}

describe('a follower of runners that replace each other', () => {
  it(
    'a follower that rejoins at any cursor, and one that heard a preview of a dead runner, end on the stored bytes',
    { timeout: 3_000_000 },
    async () => {
      let records = 0;
      await fc.assert(
        fc.asyncProperty(course, async (planned) => {
          const { time, follow, follower, statuses, runner, shared, loads, kinds } = await play(planned);
          // The next runner resumes an open run, so no follower sees it end in between.
          expect([...statuses]).not.toContain('interrupted');
          if (loads.length === 0) return;
          const stored = bytes(await storedState(shared));
          expect(bytes(runner.store.getState().state), 'the runner').toBe(stored);
          expect(bytes(follower.store.getState().state), 'the first follower').toBe(stored);
          kinds.length = 0;
          for (const load of loads) {
            const rejoining = follow({ ...shared, load: async () => load });
            await time.pass(3000);
            expect(bytes(rejoining.store.getState().state), 'a follower that rejoins').toBe(stored);
            expect(rejoining.store.getState().tree).toEqual(runner.store.getState().tree);
            await rejoining.dispose();
          }
          records += kinds.filter((kind) => kind === 'records').length;
        }),
        { numRuns: Number(process.env['PROVE_RUNS'] ?? 20), endOnFailure: true },
      );
      // The law would hold with whole documents too.
      expect(records).toBeGreaterThan(0);
    },
  );
});
