import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { defineTool } from '@vitrine/core/internal/agent/tool';
import {
  finalResponse,
  pendingApprovals,
  status,
  stopSignal,
} from '@vitrine/core/internal/graph/agent-state/accessors';
import { systemEnv } from '@vitrine/core/internal/graph/env';
import { text } from '@vitrine/core/internal/graph/message';
import type { InferenceRequest } from '@vitrine/core/internal/model/inference-client';
import { createJournal } from '@vitrine/core/internal/run/journal';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { runOnJournal } from '@vitrine/core/internal/agent-loop/run-on-journal';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { scriptedInference, type ScriptedEntry } from '@vitrine/testing/internal/scripted-inference';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { type ForkEdit, type Forks, forkRuns } from './fork-runs.ts';
import { type JournalDocument, journalDocument, readJournal } from './replay/journal-document.ts';

const usage = { inputTokens: 400, outputTokens: 90 };
const prices = { m: { input: 1, output: 2 } };
const requests: InferenceRequest[] = [];
const ran: unknown[] = [];
let forks: Forks | null = null;
afterEach(async () => {
  await forks?.end();
  forks = null;
  requests.length = 0;
  ran.length = 0;
});

const tools = ['look', 'pay'].map((name) =>
  defineTool({
    name,
    description: '',
    input: z.object({ at: z.number() }),
    execute({ at }) {
      ran.push([name, at]);
      return `${name} ${at}`;
    },
  }),
);
/** Answers by what the request holds, so that a fork needs no script of its own. */
const answer: ScriptedEntry = (request) => {
  const said = request.messages;
  const results = said.filter(({ role }) => role === 'tool').length;
  if (results === 0)
    return {
      text: 'First',
      usage,
      toolCalls: [
        { name: 'look', input: { at: 1 } },
        { name: 'pay', input: { at: 2 } },
      ],
    };
  if (results === 2) return { text: 'Second', usage, toolCalls: [{ name: 'look', input: { at: 3 } }] };
  return { text: `The end, ${request.model}: ${JSON.stringify(said).includes('pay 9')}`, usage };
};
function agentWith(maxOutputTokens?: number): AgentDefinition {
  const model = scriptedInference([answer]);
  return scriptedAgent([], {
    tools,
    llmConfig: {
      model: 'm',
      prices,
      ...(maxOutputTokens === undefined ? {} : { settings: { maxOutputTokens } }),
    },
    inference: {
      stream(request, options) {
        requests.push(request);
        return model.stream(request, options);
      },
    },
  });
}
async function recordRun(
  agent: AgentDefinition,
): Promise<{ journal: JournalDocument; steps: readonly string[] }> {
  const journal = createJournal(ask());
  const events: AgentEvent[] = [];
  journal.subscribe((event) => events.push(event));
  const { lease } = journal.lease();
  await runOnJournal({ agent, lease, env: systemEnv });
  requests.length = 0;
  ran.length = 0;
  const steps = events.flatMap((event) => (event.type === 'step-start' ? [event.stepId] : []));
  return { journal: journalDocument('r', journal.base, events), steps };
}
const ended = async (sessions: readonly AgentSession[]): Promise<void> => {
  const isOver = (session: AgentSession): boolean =>
    session.isSettled() &&
    ['completed', 'stopped', 'failed'].includes(status(session.store.getState().state) ?? '');
  while (!sessions.every(isOver)) await new Promise((resolve) => setTimeout(resolve, 2));
};
const enough = { tokens: 1_000_000, cost: null };
const callIn = (journal: JournalDocument, name: string): string =>
  journal.events.flatMap((event) =>
    event.type === 'tool-call' && event.toolName === name ? [event.toolCallId] : [],
  )[0]!;

describe('forks of a recorded run', () => {
  it('five forks from the second step make no request for the first, and each has its own edit', async () => {
    const agent = agentWith();
    const { journal, steps } = await recordRun(agent);
    const said = journal.events.length;
    const edits: ForkEdit[] = [
      {},
      { systemPrompt: 'Be long.' },
      { model: 'other' },
      { message: { id: firstMessage(journal), text: 'Another question' } },
      {},
    ];
    forks = forkRuns({ agent, journal, stepId: steps[1]!, edits, cap: enough });
    await ended(forks.sessions);
    expect(requests, 'two steps of five forks').toHaveLength(10);
    expect(requests.every((request) => request.messages.some(({ role }) => role === 'tool'))).toBe(true);
    expect(ran, 'no tool ran').toEqual([]);
    expect(new Set(requests.map(({ model }) => model))).toEqual(new Set(['m', 'other']));
    expect(requests.filter(({ messages: [first] }) => text(first!) === 'Be long.')).toHaveLength(2);
    expect(requests.filter((request) => JSON.stringify(request).includes('Another question'))).toHaveLength(
      2,
    );
    expect(journal.events, 'the record is as it was').toHaveLength(said);
    expect(forks.spending()).toMatchObject({ tokens: 5 * 2 * 490 });
  });

  it('a fork with edited arguments makes the one call when a person lets it, and keeps the others of its step', async () => {
    const agent = agentWith();
    const { journal, steps } = await recordRun(agent);
    const edit = { toolCallId: callIn(journal, 'pay'), input: { at: 9 } };
    forks = forkRuns({ agent, journal, stepId: steps[0]!, edits: [edit], cap: enough });
    const [session] = forks.sessions;
    await vi.waitFor(() => expect(pendingApprovals(session!.store.getState().state)).toHaveLength(1));
    expect(ran).toEqual([]);
    await session!.approve(edit.toolCallId);
    await ended(forks.sessions);
    expect(ran).toEqual([['pay', 9]]);
    expect(requests, 'the answer of the first step came from the record').toHaveLength(2);
    expect(finalResponse(forks.sessions[0]!.store.getState().state)).toContain('true');
  });

  it('a fork of a run with breakpoints has none, so it runs to its end', async () => {
    const agent = agentWith();
    const { journal, steps } = await recordRun(agent);
    const breakpoint = { id: 'b', on: { type: 'model' as const }, isOnce: false };
    const watched = readJournal(journal);
    const base = { ...watched.base, breakpoints: [breakpoint] };
    const given = journalDocument('r', base, watched.events as readonly AgentEvent[]);
    forks = forkRuns({ agent, journal: given, stepId: steps[1]!, edits: [{}], cap: enough });
    await ended(forks.sessions);
    const { state } = forks.sessions[0]!.store.getState();
    expect([status(state), state.breakpoints]).toEqual(['completed', []]);
  });

  it('a fork with a result in place of a tool runs no tool of that step', async () => {
    const agent = agentWith();
    const { journal, steps } = await recordRun(agent);
    const edit = { toolCallId: callIn(journal, 'look'), result: 'nothing there' };
    forks = forkRuns({ agent, journal, stepId: steps[0]!, edits: [edit], cap: enough });
    await ended(forks.sessions);
    expect(ran).toEqual([]);
    expect(JSON.stringify(requests[0]?.messages)).toContain('nothing there');
    expect(JSON.stringify(requests[0]?.messages)).toContain('pay 2');
  });

  it('forks never spend more than their common cap', async () => {
    const agent = agentWith(100);
    const { journal, steps } = await recordRun(agent);
    for (const cap of [
      { tokens: 4000, cost: null },
      { tokens: null, cost: 0.004 },
      { tokens: 1, cost: null },
    ]) {
      requests.length = 0;
      forks = forkRuns({ agent, journal, stepId: steps[0]!, edits: [{}, {}, {}, {}, {}], cap });
      await ended(forks.sessions);
      const { tokens, cost } = forks.spending();
      expect(tokens).toBeLessThanOrEqual(cap.tokens ?? Infinity);
      expect(cost).toBeLessThanOrEqual(cap.cost ?? Infinity);
      expect(requests.length).toBeLessThan(15);
      const reasons = forks.sessions.map((session) => stopSignal(session.store.getState().state)?.reason);
      expect(reasons).toContain(cap.tokens === null ? 'cost-limit-reached' : 'token-limit-reached');
      await forks.end();
    }
    expect(requests, 'nothing fits into one token').toHaveLength(0);
  });

  it('an unknown step, a sixth fork and an edit of no call are refused before anything runs', async () => {
    const agent = agentWith();
    const { journal, steps } = await recordRun(agent);
    const start = (stepId: string, edits: readonly ForkEdit[]): unknown =>
      forkRuns({ agent, journal, stepId, edits, cap: enough });
    const unfit = expect.objectContaining({ code: 'edit-invalid' });
    expect(() => start('none', [{}])).toThrow(unfit);
    expect(() =>
      start(
        steps[0]!,
        Array.from({ length: 6 }, () => ({})),
      ),
    ).toThrow(unfit);
    expect(() => start(steps[0]!, [{ toolCallId: 'x', input: {} }])).toThrow(unfit);
    expect(requests).toEqual([]);
  });
});

function firstMessage({ base }: JournalDocument): string {
  return (base as unknown as { readonly messages: readonly { readonly id: string }[] }).messages[0]!.id;
}
