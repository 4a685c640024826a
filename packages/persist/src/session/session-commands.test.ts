import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pendingApprovals } from '@vitrine/core/internal/graph/agent-state/accessors';
import { section } from '@vitrine/core/internal/graph/message-store';
import { text } from '@vitrine/core/internal/graph/message';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { AgentSession, BusyPolicy, Turn } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

/** An action, and its delay after the one before; 0 is the same tick. */
type Act = { readonly afterMs: number } & (
  | { readonly type: 'send'; readonly onBusy: BusyPolicy }
  | { readonly type: 'approve' | 'reject'; readonly which: number }
  | { readonly type: 'stop' | 'resume' | 'retry' | 'clear-error' | 'reopen' | 'cancel' | 'update' }
);

const afterMs = fc.constantFrom(0, 0, 0, 1, 3, 12);
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('send' as const),
      onBusy: fc.constantFrom<BusyPolicy>('queue', 'interrupt', 'reject', 'steer'),
      afterMs,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constantFrom('approve' as const, 'reject' as const),
      which: fc.nat(3),
      afterMs,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constantFrom(
        ...(['stop', 'resume', 'retry', 'clear-error', 'reopen', 'reopen', 'cancel', 'update'] as const),
      ),
      afterMs,
    }),
  },
);

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A store that answers after `ms` milliseconds. */
function slow(store: SessionStore, ms: number): SessionStore {
  return {
    ...store,
    async load(id) {
      await wait(ms);
      return store.load(id);
    },
    async save(record, options) {
      await wait(ms);
      return store.save(record, options);
    },
  };
}

/** The environment of one stored session: its runs, effects and commands. */
class World {
  readonly sessions: SessionStore;
  readonly turns: { readonly words: string | null; readonly kind: string; turn: Turn | null }[] = [];
  readonly runs = new Map<string, number>();
  readonly decided = new Map<string, 'approved' | 'rejected'>();
  readonly finished: string[] = [];
  readonly ended = new Set<string>();
  readonly closing: Promise<void>[] = [];
  atOnce = 0;
  most = 0;
  spoken = 0;
  session: AgentSession;
  callId = 0;

  constructor(storeMs: number) {
    this.sessions = slow(memorySessions(), storeMs);
    this.session = this.open();
  }

  /**
   * An agent whose calls pay for the first message of a turn; then it answers, and every fifth answer fails.
   */
  open(): AgentSession {
    const pay = {
      ...fakeTool('pay', async (input: JsonValue) => {
        this.runs.set(String(input), (this.runs.get(String(input)) ?? 0) + 1);
        await wait(2);
        return 'paid';
      }),
      effects: 'once' as const,
      needsApproval: () => true,
    };
    const look = fakeTool('look', () => wait(3).then(() => 'seen'));
    const agent = scriptedAgent(
      [
        ({ messages }) => {
          const answered = messages.at(-1)?.role === 'tool';
          if (!answered && this.callId % 3 !== 2) {
            const toolCalls = ['pay', 'look', 'pay'].map((name) => ({
              name,
              input: `${name} ${++this.callId}`,
            }));
            return { toolCalls, delayMs: 1 };
          }
          this.callId++;
          const isFailing = this.callId % 5 === 4;
          return {
            text: 'answer',
            chunks: 3,
            delayMs: 1,
            ...(isFailing ? { error: new Error('gone') } : {}),
          };
        },
      ],
      { tools: [pay, look] },
    );
    const session = createAgentSession({
      agent,
      sessions: this.sessions,
      sessionId: 'a',
      publish: 'immediate',
      onFinish: ({ state }) => this.finished.push(state.execution?.executionId ?? 'none'),
    });
    session.onEvent((event) => {
      if (event.path.length > 0) return;
      if (event.type === 'execution-start' || event.type === 'execution-resume')
        this.most = Math.max(this.most, ++this.atOnce);
      if (event.type === 'execution-pause' || event.type === 'execution-end') this.atOnce--;
      if (event.type === 'execution-end')
        this.ended.add(session.store.getState().state.execution?.executionId ?? '');
    });
    // Two views of the session.
    session.store.subscribe(() => undefined);
    session.store.subscribe(() => undefined);
    return session;
  }

  track(kind: string, words: string | null, promise: Promise<Turn>): void {
    const entry = { kind, words, turn: null as Turn | null };
    this.turns.push(entry);
    void promise.then((turn) => (entry.turn = turn));
  }

  async do(given: Act): Promise<void> {
    if (given.afterMs > 0) await wait(given.afterMs);
    const { session } = this;
    switch (given.type) {
      case 'send': {
        const words = `message ${++this.spoken}`;
        return this.track('send', words, session.sendMessage(words, { onBusy: given.onBusy }));
      }
      case 'approve':
      case 'reject': {
        const waiting = pendingApprovals(session.store.getState().state);
        const call = waiting[given.which % Math.max(1, waiting.length)];
        if (call === undefined) return;
        const word = given.type === 'approve' ? ('approved' as const) : ('rejected' as const);
        const input = String(call.toolCall.input);
        const answer = session[given.type](call.id);
        this.track('answer', null, answer);
        void answer.then(({ status }) => {
          if (status !== 'refused' && !this.decided.has(input)) this.decided.set(input, word);
        });
        return;
      }
      case 'reopen':
        // The view is closed and another is opened, once the active run is over.
        this.closing.push(session.dispose().then(() => undefined));
        await this.closing.at(-1);
        while (session.store.getState().turn?.status === 'running') await wait(1);
        await session.flush();
        this.session = this.open();
        return;
      case 'resume':
        return this.track('resume', null, session.resume());
      case 'retry':
        return this.track('retry', null, session.retry());
      case 'stop':
        return void session.stop();
      case 'clear-error':
        return session.clearError();
      case 'cancel': {
        const [first] = session.store.getState().queue;
        return first === undefined ? undefined : session.cancelQueued(first.id);
      }
      case 'update':
        return void session.update((state) => ({
          ...state,
          context: { ...state.context, metadata: { ...state.context.metadata, touched: true } },
        }));
    }
  }

  /** Answers open requests and continues until no work is left. */
  async finish(): Promise<void> {
    await this.session.ready;
    for (let at = 0; at < 60; at++) {
      await wait(4);
      const { status, state, queue } = this.session.store.getState();
      const [call] = pendingApprovals(state);
      if (status === 'error') this.session.clearError();
      else if (call !== undefined && status === 'awaiting-input')
        await this.do({ type: 'reject', which: 0, afterMs: 0 });
      else if (status === 'interrupted' || (status === 'ready' && queue.length > 0))
        void this.session.resume();
      else if (status === 'ready') break;
    }
    await this.session.flush();
    await wait(2);
  }
}

describe('a session under any commands at any moment', () => {
  it('a session runs approved calls at most once, rejected ones never, loses no message and settles every promise', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 14 }), fc.constantFrom(0, 1, 4), async (acts, storeMs) => {
        const world = new World(storeMs);
        for (const next of acts) await world.do(next);
        await world.finish();
        const { state, queue, status } = world.session.store.getState();

        expect(status).toBe('ready');
        expect(world.most).toBeLessThanOrEqual(1);
        for (const [input, times] of world.runs) {
          expect([input, times]).toEqual([input, 1]);
          expect([input, world.decided.get(input)]).toEqual([input, 'approved']);
        }
        const isUndisturbed =
          acts.every(({ type }) => type !== 'stop' && type !== 'retry') &&
          !acts.some((given) => given.type === 'send' && given.onBusy === 'interrupt');
        for (const [input, decision] of world.decided) {
          const times = world.runs.get(input) ?? 0;
          if (decision === 'rejected') expect([input, times]).toEqual([input, 0]);
          else if (isUndisturbed) expect([input, times]).toEqual([input, 1]);
        }
        const cancelled = world.turns.filter(({ turn }) => turn?.status === 'cancelled');
        const refused = world.turns.filter(({ turn }) => turn?.status === 'refused');
        const gone = new Set([...cancelled, ...refused].map(({ words }) => words));
        const said = section(state.context.store)
          .filter(({ role }) => role === 'user')
          .map(text);
        const sent = world.turns.flatMap(({ words }) => (words === null || gone.has(words) ? [] : [words]));
        // A message that returned to the queue when its view was closed may have been cancelled later.
        const returned = new Set(
          world.turns.filter(({ turn }) => turn?.status === 'queued').map(({ words }) => words),
        );
        for (const words of sent)
          if (!returned.has(words)) expect([words, said.includes(words)]).toEqual([words, true]);
        expect(new Set(said).size).toBe(said.length);
        for (const words of said) expect(sent).toContain(words);
        expect(queue).toEqual([]);
        for (const { kind, turn } of world.turns) {
          expect([kind, turn === null]).toEqual([kind, false]);
          if (turn?.status === 'refused') expect(turn.error).not.toBeNull();
          if (turn?.status === 'done') expect(turn.outcome).not.toBeNull();
        }
        const ids = world.turns.flatMap(({ kind, turn }) => (kind === 'send' ? [turn?.id] : []));
        expect(new Set(ids).size).toBe(ids.length);
        expect(new Set(world.finished).size).toBe(world.finished.length);
        expect(new Set(world.finished)).toEqual(world.ended);
        await world.session.dispose();
      }),
      { numRuns: Number(process.env['PROVE_RUNS'] ?? 60), endOnFailure: false },
    );
  }, 1_800_000);
});
