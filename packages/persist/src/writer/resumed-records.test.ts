import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '@vitrine/core/internal/agent/tool';
import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { messages, pendingApprovals, steps } from '@vitrine/core/internal/graph/agent-state/accessors';
import { text } from '@vitrine/core/internal/graph/message';
import type { AgentState, ToolExecution } from '@vitrine/core/internal/graph/types';
import { fold } from '@vitrine/core/internal/run/apply';
import type { AgentChange } from '@vitrine/core/internal/run/events';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import type { SessionRecord, SessionStore } from '@vitrine/core/internal/session/store/session-store';

const names = ['pay', 'note', 'look', 'form', 'delegate'] as const;
const call = fc
  .constantFrom(...names)
  .map((name) => ({ name, input: name === 'delegate' ? { agent: 'kid', task: 'do' } : {} }));
const step = fc.record({
  text: fc.constantFrom('', 'words'),
  toolCalls: fc.array(call, { minLength: 1, maxLength: 3 }),
});
const plan = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 2 }),
  kidSteps: fc.array(step.map(withoutKids), { minLength: 1, maxLength: 1 }),
  /** The moment of the kill, as a share of the events. */
  cut: fc.double({ min: 0, max: 0.999, noNaN: true }),
  approves: fc.boolean(),
});
/** A regression: a kill between the end of a subagent and that of its call made it work again. */
const betweenEnds: Plan = {
  steps: [
    {
      text: '',
      toolCalls: [
        { name: 'pay', input: {} },
        { name: 'delegate', input: { agent: 'kid', task: 'do' } },
      ],
    },
    { text: '', toolCalls: [{ name: 'pay', input: {} }] },
  ],
  kidSteps: [
    {
      text: '',
      toolCalls: [
        { name: 'pay', input: {} },
        { name: 'pay', input: {} },
      ],
    },
  ],
  cut: 0.6338028169014085,
  approves: false,
};
type Plan = typeof plan extends fc.Arbitrary<infer Value> ? Value : never;
type Effects = Map<string, number>;

function withoutKids(entry: ScriptedStep): ScriptedStep {
  return { ...entry, toolCalls: (entry.toolCalls ?? []).filter(({ name }) => name !== 'delegate') };
}

/** A model that replies with the steps that are not done, and then with an end. */
function agentOf(planned: Plan, effects: Effects): AgentDefinition {
  const input = z.object({});
  const effect = (_input: unknown, { toolCallId }: { toolCallId: string }): string => {
    effects.set(toolCallId, (effects.get(toolCallId) ?? 0) + 1);
    return 'done';
  };
  const tools = [
    defineTool({ name: 'pay', description: '', input, needsApproval: true, execute: effect }),
    defineTool({ name: 'note', description: '', input, execute: effect }),
    defineTool({ name: 'look', description: '', input, effects: 'idempotent', execute: () => 'seen' }),
    defineTool({ name: 'form', description: '', input, output: z.string() }),
  ];
  const says =
    (script: readonly ScriptedStep[]) =>
    ({
      messages: list,
    }: {
      messages: readonly { role: string; parts: readonly { type: string }[] }[];
    }): ScriptedStep => {
      const done = list.filter(({ parts }) => parts.some(({ type }) => type === 'tool-call')).length;
      return script[done] ?? { text: 'The end' };
    };
  const kid = scriptedAgent([says(planned.kidSteps)], { name: 'kid', tools });
  return scriptedAgent([says(planned.steps as readonly ScriptedStep[])], { tools, subagents: [kid] });
}

function open(sessions: SessionStore, agent: AgentDefinition, resume: boolean): AgentSession {
  return createAgentSession({ agent, sessions, sessionId: 'a', publish: 'immediate', resume });
}

/** Answers open requests until the session is at rest. */
async function answerAll(session: AgentSession, approves: boolean): Promise<void> {
  for (;;) {
    const { state, status } = session.store.getState();
    const [asked] = pendingApprovals(state);
    if (asked !== undefined && status === 'awaiting-input') {
      if (asked.status === 'awaiting-output') await session.respond(asked.id, 'given');
      else await (approves ? session.approve(asked.id) : session.reject(asked.id));
    } else if (status === 'ready' && session.store.getState().queue.length === 0) return;
    else await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

/** Records a session that ran to its end: its first snapshot and all events behind it. */
async function recordRun(planned: Plan): Promise<SessionRecord> {
  const sessions = memorySessions();
  const session = open(sessions, agentOf(planned, new Map()), false);
  await session.sendMessage('Go');
  await answerAll(session, planned.approves);
  await session.dispose();
  return loadedSession(await sessions.load('a'))!;
}

/** The calls that have ended, including those of subagents. */
function ended(state: AgentState): ToolExecution[] {
  const all = [...steps(state), ...(state.execution?.currentStep ? [state.execution.currentStep] : [])];
  return [...new Set(all)].flatMap(({ toolExecutions }) =>
    toolExecutions.flatMap((entry) => [
      ...(entry.settledAt === null ? [] : [entry]),
      ...(entry.childState === null ? [] : ended(entry.childState)),
    ]),
  );
}

describe('a session whose stored events are cut anywhere', () => {
  it(
    'a cut session continues in the same execution, keeps ended calls and repeats no effect that may happen once',
    { timeout: 3_000_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(plan, async (planned) => {
          const whole = await recordRun(planned);
          const { tail } = whole.journal;
          const kept: readonly AgentChange[] = tail.slice(0, 1 + Math.floor(planned.cut * (tail.length - 1)));
          const cut = fold(whole.state, kept);
          const sessions = memorySessions();
          const queue = [{ id: 'later', text: 'And then', isSteered: false }];
          const journal = { ...whole.journal, tail: kept };
          await sessions.save({ ...whole, queue, draft: 'typed', journal }, { expectedVersion: 0 });
          const effects: Effects = new Map();
          const session = open(sessions, agentOf(planned, effects), true);
          await session.ready;
          expect(session.store.getState().draft).toBe('typed');
          const isInterrupted = cut.execution?.status === 'in-progress';
          const ends: AgentState[] = isInterrupted ? [] : [cut];
          session.onEvent(({ type, path }, state) => {
            if (type === 'execution-end' && path.length === 0) ends.push(state);
          });
          await answerAll(session, planned.approves);
          const [first] = ends as [AgentState];
          expect(first.execution?.executionId).toBe(cut.execution?.executionId);
          const { state } = session.store.getState();
          expect(messages(state).map(text)).toContain('And then');
          const ids = messages(state).map(({ id }) => id);
          const inFlight = new Set(cut.execution?.currentStep?.outputMessages.map(({ id }) => id));
          for (const { id } of messages(cut)) if (!inFlight.has(id)) expect(ids).toContain(id);
          const started = kept.flatMap((event) => (event.type === 'tool-start' ? [event.toolCallId] : []));
          for (const [id, count] of effects)
            expect([id, count + started.filter((begun) => begun === id).length]).toEqual([id, 1]);
          const after = new Map(ended(first).map((entry) => [entry.id, entry.status]));
          for (const { id, status } of ended(cut)) expect([id, after.get(id)]).toEqual([id, status]);
          await session.dispose();
        }),
        { examples: [[betweenEnds]], numRuns: Number(process.env['PROVE_RUNS'] ?? 60) },
      );
    },
  );
});
