import {
  AgentState,
  AgentStep,
  createJournal,
  defineAgent,
  type JsonValue,
  Message,
  systemEnv,
} from '@vitrine/core';
import { fold } from '@vitrine/core/internal/run/apply';
import { type ForkEdit, type JournalRecord, journalOfRun, runsOf } from '@vitrine/inspect';
import type { Elsewhere } from '@vitrine/inspect/internal/experiments/plan-experiment';
import { parsedJson } from '@vitrine/inspect/internal/foreign/foreign-values';
import { ObservedAgent } from '@vitrine/inspect/internal/foreign/observed-agent';
import type { ModelCallFacts } from '@vitrine/inspect/internal/foreign/observed-step';
import { readJournal } from '@vitrine/inspect/internal/replay/journal-document';
import type { RunElsewhere } from '../cause/elsewhere.ts';

/** A change of a recorded request: a place by its content, and what takes its place. */
type Change = {
  readonly of: 'system' | 'message' | 'result';
  readonly before: JsonValue;
  readonly after: JsonValue;
};

/** A next answer, as `vitrine record` read it. */
export type NextAnswer = Pick<ModelCallFacts, 'usage' | 'model' | 'finishReason'> & {
  readonly parts: readonly (
    | { readonly type: 'text' | 'reasoning'; readonly text: string }
    | { readonly type: 'call'; readonly id: string | null; readonly name: string; readonly args: string }
  )[];
};

/** The ways to ask the recorder: how many calls a person allows, and for the next answer to a request. */
export type AskNext = {
  readonly allow: (calls: number) => void;
  /** @throws Error with the sentence on why there is none */
  readonly next: (inferenceId: string, change: Change | null) => Promise<NextAnswer>;
};

/** The agent of a run that was recorded from requests, as its last request tells it, and its samples; null for none. */
export function recordedRun(record: JournalRecord, { allow, next }: AskNext): RunElsewhere | null {
  const { state } = record;
  const run = runsOf(record).at(-1);
  const journal = run === undefined ? null : journalOfRun(record, run);
  const step = AgentState.lastStep(state);
  const request = step && AgentStep.request(state, step);
  if (journal === null || !request || !step?.sent) return null;
  const { inferenceId } = step.sent;
  const { systemPrompt, tools } = request;
  const inference = { stream: () => Promise.reject(new Error('It runs elsewhere.')) } as never;
  const agent = defineAgent({ name: 'recorded', systemPrompt, inference });
  const elsewhere: Elsewhere = {
    begin: allow,
    takes: (edit) => changeOf(edit, state, systemPrompt) !== undefined,
    async sample(edit) {
      const answer = await next(inferenceId, changeOf(edit, state, systemPrompt) ?? null);
      return withAnswer(readJournal(journal), answer);
    },
  };
  return { agent: { ...agent, tools: (Array.isArray(tools) ? tools : []) as never }, elsewhere };
}

/** The change that an edit makes in the last request; null for none, undefined for an edit of anything else. */
function changeOf(edit: ForkEdit, state: AgentState, systemPrompt: string): Change | null | undefined {
  const { systemPrompt: prompt, message, results = {}, ...others } = edit;
  const [result, ...more] = Object.entries(results);
  if (Object.keys(others).length + more.length > 0) return undefined;
  if (prompt !== undefined) return { of: 'system', before: systemPrompt, after: prompt };
  if (message !== undefined) {
    const own = AgentState.messages(state).find(({ id }) => id === message.id);
    return own && { of: 'message', before: Message.text(own), after: message.text };
  }
  if (result === undefined) return null;
  const calls = AgentState.steps(state).flatMap(({ toolExecutions }) => toolExecutions);
  const call = calls.find(({ id }) => id === result[0]);
  return call && { of: 'result', before: call.result ?? null, after: result[1] };
}

/** The end of a run with another last answer. */
function withAnswer(
  { base, events }: ReturnType<typeof readJournal>,
  { parts, ...facts }: NextAnswer,
): AgentState {
  const last = events.findLastIndex(({ type, path }) => type === 'step-start' && path.length === 0);
  const journal = createJournal(fold(base, events.slice(0, last)), { env: systemEnv });
  const link = { skip: () => undefined, env: systemEnv, onAnswer: () => undefined };
  const agent = new ObservedAgent(
    { ...link, commit: (body) => void journal.commit([], body), state: journal.state },
    'recorded',
  );
  agent.beginStep();
  agent.addFacts(facts);
  for (const [index, part] of parts.entries())
    if (part.type === 'call') agent.giveCall(part.id ?? String(index), part.name, parsedJson(part.args));
    else agent.text(String(index), part.text, `${part.type}-delta`);
  agent.end('completed', '');
  return journal.state();
}
