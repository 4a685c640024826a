import { AgentState, createJournal, Usage } from '@vitrine/core';
import type { Journal } from '@vitrine/core/types';
import { streamAsFirstVersion } from './first-version.ts';

// node measure.ts root|depth-2|siblings|first-version prints the processor time of a text delta in microseconds

type Commit = Parameters<Journal['commit']>[1];

const usage = Usage.of({ inputTokens: 1, outputTokens: 1 });
const sent = {
  inferenceId: 'inference',
  model: null,
  settings: {},
  toolChoice: 'auto',
  prompt: '',
  tools: '',
  responseFormat: null,
  messages: [],
  extra: [],
  omitted: [],
} as const;

/** The events of an agent that waits for the text of its model. */
function begun(): Commit[] {
  return [
    { type: 'execution-start', executionId: 'execution', model: null, forgottenPlugins: [] },
    { type: 'step-start', stepId: 'step' },
    { type: 'inference-start', key: '1/model/1', attempt: 1, messageId: 'answer', sent, texts: {} },
  ];
}

/** A model that has asked for so many running subagents; the text streams into the last one. */
function delegating(count: number): { readonly body: readonly Commit[]; readonly last: string } {
  const ids = Array.from({ length: count }, (_, index) => `call-${index}`);
  const response = {
    id: null,
    model: null,
    finishReason: 'tool-calls',
    usage,
    durationMs: 1,
    firstDeltaMs: null,
  } as const;
  const body = [
    ...begun(),
    ...ids.map((toolCallId): Commit => ({
      type: 'tool-call',
      toolCallId,
      toolName: 'delegate',
      input: {},
      providerCallId: null,
    })),
    { type: 'inference-end', inferenceId: 'inference', response, toolTrace: 'tagged' } as const,
    ...ids.flatMap((toolCallId): Commit[] => [
      { type: 'tool-start', toolCallId, key: toolCallId },
      { type: 'subagent-start', toolCallId, name: 'child', child: AgentState.create() },
    ]),
  ];
  return { body, last: ids.at(-1) ?? '' };
}

/** A journal, and the path of the agent whose text comes next. */
function prepare(where: string): { readonly journal: Journal; readonly path: readonly string[] } {
  const journal = createJournal(AgentState.create());
  const callsOf: Readonly<Record<string, readonly number[]>> = {
    root: [],
    'depth-2': [1, 1],
    siblings: [200],
  };
  const calls = callsOf[where];
  if (!calls) throw new Error(`Say where: ${Object.keys(callsOf).join(', ')}.`);
  const path: string[] = [];
  for (const count of calls) {
    const { body, last } = delegating(count);
    for (const event of body) journal.commit(path, event);
    path.push(last);
  }
  for (const event of begun()) journal.commit(path, event);
  return { journal, path };
}

const deltas = 20_000;
const batches = 15;

function batch(where: string): number {
  const stream = where === 'first-version' ? streamAsBefore : streamInto(where);
  const before = process.cpuUsage();
  stream();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / deltas;
}

function streamInto(where: string): () => void {
  const { journal, path } = prepare(where);
  return () => {
    for (let index = 0; index < deltas; index++)
      journal.commit(path, { type: 'text-delta', partId: '0', delta: 'word ' });
    if (AgentState.debug(journal.state()).status !== 'in-progress')
      throw new Error('The agent does not run.');
  };
}

function streamAsBefore(): void {
  let told = 0;
  streamAsFirstVersion(deltas, () => told++);
  if (told !== deltas) throw new Error('Not every delta was told.');
}

const where = process.argv[2] ?? '';
const measured = Array.from({ length: batches }, () => batch(where));
// The first ones are slower, because the code is still being compiled.
const [middle = Number.NaN] = measured
  .slice(5)
  .toSorted((a, b) => a - b)
  .slice(5);
process.stdout.write(String(middle));
