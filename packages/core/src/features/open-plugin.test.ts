import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { memorySessions } from '@vitrine/persist/internal/drivers/memory/memory-sessions';
import { deleteSession } from '@vitrine/persist/internal/manage/change-sessions';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';
import * as AgentState from '../run/agent-state.ts';
import { createAgentSession } from '../session/create-agent-session.ts';
import type { AgentSession } from '../session/agent-session.ts';
import { AgentStopError } from '../graph/agent-stop-error.ts';
import { stopRequested } from '../graph/stop-signal.ts';
import { createDeferred } from '../kit/deferred.ts';
import { definePlugin } from './define-plugin.ts';

const numRuns = Number(process.env['PROVE_RUNS'] ?? 40);

type Opened = { readonly sessionId: string | null; readonly signal: AbortSignal; closes: number };
type Kind = 'opens' | 'opens late' | 'throws' | 'throws when it closes' | 'opens nothing';

/** A plugin whose attempts to open behave as listed, in turn. */
function recordingPlugin(kinds: readonly Kind[]) {
  const opened: Opened[] = [];
  let attempts = 0;
  const plugin = definePlugin({
    id: 'line',
    state: z.unknown(),
    open: async ({ sessionId, signal }) => {
      const kind = kinds[attempts++ % kinds.length];
      if (kind === 'throws') throw new Error('no line');
      if (kind === 'opens late') await new Promise((resolve) => setTimeout(resolve, 0));
      if (kind === 'opens nothing') return;
      const one: Opened = { sessionId, signal, closes: 0 };
      opened.push(one);
      return () => {
        one.closes++;
        if (kind === 'throws when it closes') throw new Error('broken line');
      };
    },
  });
  return { plugin, opened, attempts: () => attempts };
}

const agentWith = (plugins: readonly ReturnType<typeof definePlugin>[], turns = 20) =>
  scriptedAgent(
    Array.from({ length: turns }, () => ({ text: 'yes' })),
    { plugins, hookTimeoutMs: 10_000 },
  );

describe('a plugin that opens something', () => {
  it(
    'a plugin is open once in each session that runs, and closed once, in random orders of work and ends',
    { timeout: 600_000 },
    async () => {
      const kind = fc.constantFrom<Kind>(
        'opens',
        'opens',
        'opens late',
        'throws',
        'throws when it closes',
        'opens nothing',
      );
      const move = fc.record({
        at: fc.nat(1),
        what: fc.constantFrom('send', 'send', 'send and leave', 'stop', 'delete', 'dispose', 'again'),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(kind, { minLength: 1, maxLength: 4 }),
          fc.array(move, { minLength: 1, maxLength: 10 }),
          async (kinds, moves) => {
            const sessions = memorySessions();
            const { plugin, opened } = recordingPlugin(kinds);
            const open = (sessionId: string): AgentSession =>
              createAgentSession({ agent: agentWith([plugin]), sessions, sessionId, publish: 'immediate' });
            const shown = [open('a'), open('b')] as [AgentSession, AgentSession];
            const left: Promise<unknown>[] = [];
            const say = async (session: AgentSession): Promise<void> => {
              // A failed run holds the messages behind it until a person goes on.
              const leave = session.store.subscribe(({ error, queue }) => {
                if (error !== null && queue.length > 0) void session.clearError();
              });
              await session.sendMessage('Hi').catch(() => undefined);
              leave();
            };
            for (const { at, what } of moves) {
              const session = shown[at]!;
              if (what === 'send') await say(session);
              else if (what === 'send and leave') {
                left.push(
                  session.sendMessage('Hi').catch(() => undefined),
                  session.dispose(),
                );
              } else if (what === 'stop') await session.stop();
              else if (what === 'delete')
                await deleteSession(sessions, ['a', 'b'][at]!).catch(() => undefined);
              else if (what === 'dispose') await session.dispose();
              else {
                await session.dispose();
                shown[at] = open(['a', 'b'][at]!);
              }
              const standing = opened.filter(({ closes }) => closes === 0).map(({ sessionId }) => sessionId);
              if (what !== 'send and leave') expect(new Set(standing).size).toBe(standing.length);
            }
            await Promise.all([...left, ...shown.map((session) => session.dispose())]);
            await vi.waitFor(() => expect(opened.map(({ closes }) => closes)).toEqual(opened.map(() => 1)));
            expect(opened.every(({ signal }) => signal.aborted)).toBe(true);
          },
        ),
        { numRuns },
      );
    },
  );

  it('a run without a session opens its plugins and closes them at its end, and names no session', async () => {
    const { plugin, opened } = recordingPlugin(['opens']);
    const state = await createAgentLoop(agentWith([plugin])).execute(ask());
    expect(AgentState.status(state)).toBe('completed');
    expect(opened).toMatchObject([{ sessionId: null, closes: 1 }]);
  });

  it('a session that only shows what is stored opens nothing', async () => {
    const { plugin, attempts } = recordingPlugin(['opens']);
    const session = createAgentSession({
      agent: agentWith([plugin]),
      sessions: memorySessions(),
      sessionId: 'a',
    });
    await session.ready;
    await session.dispose();
    expect(attempts()).toBe(0);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('no line')), 'its open threw: no line'],
    ['returns no function', () => ['x'] as never, 'its open returned a list in place of a function'],
    ['hangs', () => new Promise<void>(() => undefined), 'its open did not end in time'],
  ])(
    'an open that %s fails the run with the name of its plugin, and others are closed',
    async (_, open, what) => {
      const { plugin, opened } = recordingPlugin(['opens']);
      const broken = definePlugin({ id: 'broken', state: z.unknown(), open });
      const agent = { ...agentWith([plugin, broken]), hookTimeoutMs: 20 };
      const session = createAgentSession({ agent, publish: 'immediate' });
      const turn = await session.sendMessage('Hi');
      const message = expect.stringContaining(`Plugin "broken": ${what}`);
      expect(turn).toMatchObject({ outcome: 'failed', error: { code: 'plugin-failed', message } });
      expect(opened).toMatchObject([{ closes: 0 }]);
      await session.dispose();
      expect(opened).toMatchObject([{ closes: 1 }]);
    },
  );

  it('a stop ends a run whose plugin hangs, and what opens late is closed with the session', async () => {
    let finish = (): void => undefined;
    const close = vi.fn();
    const begun = createDeferred<void>();
    const slow = definePlugin({
      id: 'slow',
      state: z.unknown(),
      open: () => {
        begun.resolve();
        return new Promise<() => void>((resolve) => (finish = () => resolve(close)));
      },
    });
    const session = createAgentSession({ agent: agentWith([slow]), publish: 'immediate' });
    const sent = session.sendMessage('Hi');
    await begun.promise;
    await session.stop();
    expect((await sent).outcome).toBe('stopped');
    await session.dispose();
    finish();
    await vi.waitFor(() => expect(close).toHaveBeenCalledTimes(1));
  });

  it('an AgentStopError of an open ends the run with its signal', async () => {
    const full = definePlugin({
      id: 'full',
      state: z.unknown(),
      open: () => {
        throw new AgentStopError(stopRequested({ message: 'No free line', source: 'full' }));
      },
    });
    const state = await createAgentLoop(agentWith([full])).execute(ask());
    expect([AgentState.status(state), AgentState.stopSource(state)]).toEqual(['stopped', 'full']);
  });
});
