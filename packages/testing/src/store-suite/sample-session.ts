import { defineAgent } from '@vitrine/core/internal/agent/define-agent';
import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import { withUserMessage } from '@vitrine/core/internal/graph/agent-state/transitions';
import { create } from '@vitrine/core/internal/graph/agent-state/create';
import type { Env } from '@vitrine/core/internal/graph/env';
import type { AgentState, ExecutionState } from '@vitrine/core/internal/graph/types';
import { createAgentLoop } from '@vitrine/core/internal/agent-loop/create-agent-loop';
import type { AgentChange } from '@vitrine/core/internal/run/events';
import { createJournal } from '@vitrine/core/internal/run/journal';
import type { SessionRecord } from '@vitrine/core/internal/session/store/session-store';
import { fakeTool } from '../fake-tool.ts';
import { scriptedInference } from '../scripted-inference.ts';

/** A realistic session, and its earlier executions. */
export type SampleSession = { readonly record: SessionRecord; readonly runs: readonly ExecutionState[] };

/**
 * Creates a conversation with the given number of turns, with tools, a subagent, branches, checkpoints and events
 * after the snapshot.
 */
export async function sampleSession(id: string, turns: number, env: Env): Promise<SampleSession> {
  const loop = createAgentLoop(sampleAgent(), { env });
  let state = create({ systemPrompt: 'Be brief.', metadata: { of: id } }, env);
  const runs: ExecutionState[] = [];
  const checkpoints: SessionRecord['checkpoints'][number][] = [];
  const branches: SessionRecord['branches'][number][] = [];
  for (let turn = 0; turn < turns; turn++) {
    const before = state;
    state = withUserMessage(state, `Question ${turn} of ${id}: ümläut \ud83d\ude00 "quoted"`, env);
    const question = messages(state).at(-1);
    checkpoints.push({ messageId: question?.id ?? '', store: before.context.store, plugins: before.plugins });
    if (before.execution !== null) runs.push(before.execution);
    state = await loop.execute(state);
    if (turn === 0) branches.push({ id: `${id}-first`, leftAt: env.now(), state });
  }
  return { record: { ...sampleRecord(id, state, env), branches, checkpoints }, runs };
}

export function sampleRecord(id: string, state: AgentState, env: Env): SessionRecord {
  return {
    id,
    version: 0,
    title: `About ${id}`,
    agentName: 'sample',
    parentId: null,
    createdAt: state.createdAt,
    updatedAt: env.now(),
    status: 'active',
    executionStatus: state.execution?.status ?? null,
    queue: [{ id: env.id(), text: 'later', isSteered: false, metadata: { from: 'suite' } }],
    draft: 'not sent',
    state,
    journal: { id: `journal-of-${id}`, records: 0, tail: [] },
    branches: [],
    checkpoints: [],
  };
}

/** Events that append messages to a state. */
export function sampleEvents(state: AgentState, texts: readonly string[], env: Env): readonly AgentChange[] {
  const journal = createJournal(state, { env });
  return texts.flatMap((text) => {
    const message = messages(withUserMessage(journal.state(), text, env)).at(-1);
    if (message === undefined) return [];
    const event = journal.commit([], { type: 'message-add', message, section: 'messages', source: 'user' });
    return event === null ? [] : [event];
  });
}

/** The start of another run, which replaces the one in the state. */
export function nextRunEvents(state: AgentState, env: Env): readonly AgentChange[] {
  const journal = createJournal(state, { env });
  const begun = { executionId: env.id(), model: null, forgottenPlugins: [] };
  const event = journal.commit([], { type: 'execution-start', ...begun });
  return event === null ? [] : [event];
}

function sampleAgent(): ReturnType<typeof defineAgent> {
  const child = defineAgent({
    name: 'helper',
    description: 'Helps',
    systemPrompt: 'Help.',
    tools: [fakeTool('look', { found: [1, 2, 3] })],
    inference: scriptedInference([
      { toolCalls: [{ name: 'look', input: { at: 1 } }] },
      { text: 'It is there.' },
    ]),
  });
  return defineAgent({
    name: 'sample',
    systemPrompt: 'Be brief.',
    tools: [fakeTool('note', 'noted')],
    subagents: [child],
    inference: scriptedInference(
      Array.from({ length: 20 }, () => [
        {
          reasoning: 'hm',
          toolCalls: [{ name: 'note', input: { n: 1 } }],
          usage: { inputTokens: 3, outputTokens: 2 },
        },
        { toolCalls: [{ name: 'delegate', input: { agent: 'helper', task: 'Look.' } }] },
        { text: 'Done.' },
      ]).flat(),
    ),
  });
}
