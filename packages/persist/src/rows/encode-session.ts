import { toJSON } from '@vitrine/core/internal/graph/document/agent-state';
import { ownJson, takeMessage, takePart } from '@vitrine/core/internal/graph/document/document';
import {
  executionShape,
  stateShape,
  stepExecutionShape,
} from '@vitrine/core/internal/graph/document/state-shape';
import { empty, type MessageSection } from '@vitrine/core/internal/graph/message-store';
import type { Message } from '@vitrine/core/internal/graph/message';
import type { AgentState, ExecutionState, StepExecution } from '@vitrine/core/internal/graph/types';
import { sharedLength } from '@vitrine/core/internal/kit/memoize';
import type { SessionCheckpoint, SessionRecord } from '@vitrine/core/internal/session/store/session-store';
import { type Pages, pages, topOf } from './pages.ts';
import { leaf, node, type Row } from './row.ts';

/** The pages of the lists in the last write of a session. The next write continues where they end. */
export type WrittenPages = {
  readonly messages: Map<string, Pages<Message>>;
  steps?: Pages<StepExecution>;
  checkpoints?: Pages<Row>;
  runs?: Pages<Row>;
};

/** The row of a checkpoint, and the sections whose first messages it references. */
type CheckpointRow = {
  readonly row: Row;
  base: readonly MessageSection[];
  readonly lengths: readonly number[];
};

/** The rows of immutable objects. Each row is made once while its object lives. */
export type RowBook = ReturnType<typeof createRowBook>;

export function createRowBook() {
  return {
    messages: new WeakMap<Message, Row>(),
    steps: new WeakMap<StepExecution, Row>(),
    states: new WeakMap<AgentState, Row>(),
    /** The rows of plugin states, texts and retained messages, which are fields of a state. */
    fields: new WeakMap<object, readonly Row[]>(),
    checkpoints: new WeakMap<SessionCheckpoint, CheckpointRow>(),
  };
}

/** Encodes a session as a root row. `runs` are the rows of its earlier executions. */
export function encodeSession(
  record: SessionRecord,
  runs: readonly Row[],
  written: WrittenPages,
  book: RowBook,
): Row {
  const { state, branches, checkpoints, journal } = record;
  const base = state.context.store.sections;
  const stateRow = encodeState(state, book, written);
  const branchRows = branches.map((branch) => encodeState(branch.state, book));
  const points = checkpoints.map((checkpoint) => encodeCheckpoint(checkpoint, base, book));
  written.checkpoints = pages(points, (row) => row, written.checkpoints);
  written.runs = pages(runs, (row) => row, written.runs);
  const tail = journal.tail.length === 0 ? [] : [leaf('evt', ownJson(journal.tail))];
  return node(
    'ses',
    [[stateRow], branchRows, topOf(written.checkpoints), topOf(written.runs), tail],
    branches.map(({ id, leftAt }) => [id, leftAt]),
  );
}

/** Encodes a finished execution as an archived row, and a row that references it and its messages. */
export function encodeRun(execution: ExecutionState, book: RowBook): Row {
  const { body, messages, hashes } = takePart(executionShape, execution, {}, toJSON);
  return node('ref', [
    [leaf('run', [body, hashes])],
    messages.map((message) => encodeMessage(message, book)),
  ]);
}

/** Encodes a state. Only the main state has `written` pages; pages of other states are not kept. */
function encodeState(state: AgentState, book: RowBook, written?: WrittenPages): Row {
  return remember(book.states, state, () => {
    const { body, messages, hashes, children } = takePart(stateShape, withoutRows(state), state.texts);
    const { sections } = state.context.store;
    const sectionPages = sections.map(({ name, messages: list }) => {
      const made = pages(list, (message) => encodeMessage(message, book), written?.messages.get(name));
      written?.messages.set(name, made);
      return topOf(made);
    });
    const steps = pages(
      state.execution?.stepExecutions ?? [],
      (entry) => encodeStep(entry, book),
      written?.steps,
    );
    if (written !== undefined) written.steps = steps;
    const groups = [
      encodePlugins(state.plugins, book),
      encodeTexts(state.texts, book),
      encodeRetained(state.retained, book),
      messages.map((message) => encodeMessage(message, book)),
      children.map((child) => encodeState(child, book)),
      topOf(steps),
      ...sectionPages,
    ];
    return node('sta', groups, [body, hashes, Object.keys(state.texts), sections.map(({ name }) => name)]);
  });
}

/** The state without what has rows of its own; what is left refers only to what the step in flight does. */
function withoutRows(state: AgentState): AgentState {
  const { context, execution } = state;
  return {
    ...state,
    plugins: {},
    retained: {},
    context: { ...context, store: empty() },
    execution: execution === null ? null : { ...execution, stepExecutions: [] },
  };
}

function encodeStep(entry: StepExecution, book: RowBook): Row {
  return remember(book.steps, entry, () => {
    const { body, messages, hashes, children } = takePart(stepExecutionShape, entry);
    return node(
      'ste',
      [
        messages.map((message) => encodeMessage(message, book)),
        children.map((child) => encodeState(child, book)),
      ],
      [body, hashes],
    );
  });
}

function encodeMessage(message: Message, book: RowBook): Row {
  return remember(book.messages, message, () => leaf('msg', takeMessage(message)));
}

function encodePlugins(plugins: AgentState['plugins'], book: RowBook): readonly Row[] {
  return remember(book.fields, plugins, () => [leaf('plg', ownJson(plugins))]);
}

function encodeTexts(texts: AgentState['texts'], book: RowBook): readonly Row[] {
  return remember(book.fields, texts, () => Object.values(texts).map((text) => leaf('txt', ownJson(text))));
}

function encodeRetained(retained: AgentState['retained'], book: RowBook): readonly Row[] {
  return remember(book.fields, retained, () => {
    const keys = Object.keys(retained);
    const messages = Object.values(retained).map((message) => encodeMessage(message, book));
    return keys.length === 0 ? [] : [node('ret', [messages], keys)];
  });
}

/**
 * Encodes a checkpoint. Most of it is the start of the current sections, so it stores their lengths and the
 * other messages.
 */
function encodeCheckpoint(
  checkpoint: SessionCheckpoint,
  base: readonly MessageSection[],
  book: RowBook,
): Row {
  const known = book.checkpoints.get(checkpoint);
  if (known !== undefined && stillBegins(known, checkpoint, base)) {
    known.base = base;
    return known.row;
  }
  const { messageId, store, plugins } = checkpoint;
  const lengths = store.sections.map(({ name, messages }) => sharedLength(messages, inBase(base, name)));
  const rest = store.sections.map(({ messages }, index) => messages.slice(lengths[index]));
  const row = node(
    'cpt',
    [
      encodePlugins(plugins, book),
      ...rest.map((list) => list.map((message) => encodeMessage(message, book))),
    ],
    [messageId, store.sections.map(({ name }, index) => [name, lengths[index]])],
  );
  book.checkpoints.set(checkpoint, { row, base, lengths });
  return row;
}

/**
 * True when the start of the checkpoint is unchanged. The base mostly grew, so messages are compared only
 * where the lists may differ.
 */
function stillBegins(
  { base: old, lengths }: CheckpointRow,
  { store }: SessionCheckpoint,
  base: readonly MessageSection[],
): boolean {
  if (old === base) return true;
  return store.sections.every(({ name }, index) => {
    const [before, now] = [inBase(old, name), inBase(base, name)];
    return before === now || (lengths[index] ?? 0) <= commonOf(before, now);
  });
}

let lastCommon: { readonly a: object; readonly b: object; readonly length: number } | null = null;

/** Memoizes the last comparison, because hundreds of checkpoints compare the same two lists. */
function commonOf(a: readonly Message[], b: readonly Message[]): number {
  if (lastCommon?.a !== a || lastCommon.b !== b) lastCommon = { a, b, length: sharedLength(a, b) };
  return lastCommon.length;
}

function inBase(base: readonly MessageSection[], name: string): readonly Message[] {
  return base.find((section) => section.name === name)?.messages ?? [];
}

function remember<Key extends object, Value>(known: WeakMap<Key, Value>, key: Key, make: () => Value): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}
