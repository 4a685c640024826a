import { defineAgent } from '@vitrine/core/internal/agent/define-agent';
import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import { type Env, systemEnv } from '@vitrine/core/internal/graph/env';
import { text } from '@vitrine/core/internal/graph/message';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { storeLimitMs } from '@vitrine/core/internal/session/replies';
import { liveRecord } from '@vitrine/core/internal/session/store/live-record';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';
import { scriptedInference } from '../scripted-inference.ts';
import { assertSame, storedIn } from './assert-same.ts';
import type { Law } from './suite-context.ts';

/** The laws of sessions over a store with slow reads. */
export const lateReadLaws: readonly Law[] = [
  {
    name: 'a session reports a read that does not answer, and continues when the answer comes late',
    async run({ reopen }) {
      const first = open(reopen(), 'First', systemEnv);
      await first.sendMessage('First');
      await first.dispose();
      let answer = (): void => undefined;
      const answering = new Promise<void>((resolve) => (answer = resolve));
      const clock = heldClock();
      const store = reopen();
      const late = readingBy(store, async (id) => {
        await answering;
        return store.load(id);
      });
      const session = open(late, 'Second', clock.env);
      const sent = session.sendMessage('Second');
      await clock.pass();
      assertSame(persistenceOf(session), ['unknown', 'session-storage'], 'The status after the time limit');
      answer();
      assertSame((await sent).outcome, 'completed', 'The turn that waited for the read');
      assertSame(await session.flush(), { stored: true }, 'The flush behind it');
      assertSame(persistenceOf(session), ['saved', null], 'The status then');
      await session.dispose();
      const record = await storedIn(reopen(), 'a');
      const said = record === null ? [] : messages(liveRecord(record).state).map(text);
      assertSame(said, ['First', 'Answer to First', 'Second', 'Answer to Second'], 'What is stored');
    },
  },
  {
    name: 'a session can be stopped and disposed of when a read never answers',
    async run({ reopen }) {
      const clock = heldClock();
      const session = open(
        readingBy(reopen(), () => new Promise(() => undefined)),
        'First',
        clock.env,
      );
      void session.sendMessage('First');
      await clock.pass();
      assertSame(persistenceOf(session), ['unknown', 'session-storage'], 'The status after the time limit');
      const stopped = session.stop();
      await clock.pass();
      await stopped;
      const disposed = session.dispose();
      await clock.pass();
      assertSame(await disposed, { stored: false }, 'What dispose tells');
      assertSame(await reopen().load('a'), { kind: 'absent', removedAt: null, epoch: 0 }, 'What is stored');
    },
  },
];

function open(sessions: SessionStore, said: string, env: Env): AgentSession {
  const inference = scriptedInference([{ text: `Answer to ${said}` }]);
  const agent = defineAgent({ name: 'agent', inference });
  return createAgentSession({ agent, sessions, sessionId: 'a', env, publish: 'immediate' });
}

function persistenceOf(session: AgentSession): unknown {
  const { status, error } = session.store.getState().persistence;
  return [status, error?.code ?? null];
}

/** The store with another load function, as a tab of its own, so that the session waits for no lock. */
function readingBy(store: SessionStore, load: SessionStore['load']): SessionStore {
  const { runs } = store;
  return {
    durability: store.durability,
    attach: store.attach,
    outbox: store.outbox,
    load,
    takeEpoch: (id) => store.takeEpoch(id),
    save: (...given) => store.save(...given),
    remove: (...given) => store.remove(...given),
    list: (...given) => store.list(...given),
    append: (...given) => store.append(...given),
    ...(runs && { runs: (...given) => runs.apply(store, given) }),
  };
}

/** A clock whose long timers run only when `pass` is called. */
function heldClock(): { readonly env: Env; readonly pass: () => Promise<void> } {
  const held = new Set<() => void>();
  return {
    env: {
      ...systemEnv,
      schedule(ms, run) {
        if (ms < storeLimitMs) return systemEnv.schedule(ms, run);
        held.add(run);
        return () => void held.delete(run);
      },
    },
    async pass() {
      while (held.size === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      for (const run of held) run();
      held.clear();
    },
  };
}
