import { fromJSON } from '@vitrine/core/internal/graph/document/agent-state';
import {
  executionShape,
  stateShape,
  stepExecutionShape,
} from '@vitrine/core/internal/graph/document/state-shape';
import type { Message } from '@vitrine/core/internal/graph/message';
import type { MessageSection } from '@vitrine/core/internal/graph/message-store';
import type { AgentState, ExecutionState, StepExecution } from '@vitrine/core/internal/graph/types';
import { isKnownEvent } from '@vitrine/core/internal/run/apply';
import { wrongFieldOf } from '@vitrine/core/internal/run/event-shapes';
import type { AgentChange } from '@vitrine/core/internal/run/events';
import { freeze } from '@vitrine/core/internal/kit/freeze';
import { memoize } from '@vitrine/core/internal/kit/memoize';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import * as errors from '@vitrine/core/internal/kit/errors';
import type { SessionBranch, SessionCheckpoint } from '@vitrine/core/internal/session/store/session-store';
import { openPages } from './pages.ts';
import type { RowBook, WrittenPages } from './encode-session.ts';
import type { Row } from './row.ts';
import { damagedRow, type OpenRow, type RowReader } from './row-reader.ts';
import { putPart } from '@vitrine/core/internal/graph/document/document';
import { checkJson, readJsonAs, type Stored } from '@vitrine/core/internal/graph/document/shape';
import { message, plugins } from '@vitrine/core/internal/graph/shapes';
import type { Check, ValueOf } from '@vitrine/core/internal/kit/check';
import * as is from '@vitrine/core/internal/kit/check';

/** Hashes of texts, or names and keys of what the groups of a row hold. */
const names = is.list(is.text);

/** The bodies of rows, by kind. Pages and references have none; a text is any JSON. */
const rowShapes = {
  msg: message,
  plg: plugins,
  run: is.tuple<[Stored, readonly string[]]>(executionShape.check, names),
  ste: is.tuple<[Stored, readonly string[]]>(stepExecutionShape.check, names),
  /** The state, the texts that its step in flight refers to, all its texts, and its sections. */
  sta: is.tuple<[Stored, readonly string[], readonly string[], readonly string[]]>(
    stateShape.check,
    names,
    names,
    names,
  ),
  ret: names,
  /** The message, and how many messages of each section are those of the main state. */
  cpt: is.tuple(is.text, is.list(is.tuple(is.text, is.count))),
  /** The id of each branch, and the time at which it was left. */
  ses: is.list(is.tuple(is.text, is.timestamp)),
};

type Bodies = { readonly [Kind in keyof typeof rowShapes]: ValueOf<(typeof rowShapes)[Kind]> };

/** The body of a row of a kind. @throws AgentError `state-invalid` with the name of the row and the path */
function bodyOf<Kind extends keyof Bodies>(kind: Kind, { row, body }: OpenRow): Bodies[Kind] {
  return readJsonAs(rowShapes[kind] as unknown as Check<Bodies[Kind]>, body, row.name);
}

export type DecodedSession = {
  readonly state: AgentState;
  readonly branches: readonly SessionBranch[];
  readonly checkpoints: readonly SessionCheckpoint[];
  /** The part of the journal that was written with the snapshot. */
  readonly tail: readonly AgentChange[];
  /** The rows of earlier executions. */
  readonly runs: readonly Row[];
  readonly written: WrittenPages;
};

/**
 * Reads the rows below a root and enters them in the book, so that they are not encoded again.
 * @throws AgentError `state-invalid` for a missing or damaged row, `state-version-unsupported` for unknown events.
 */
export function decodeSession(root: OpenRow, reader: RowReader, book: RowBook): DecodedSession {
  const decoder = createDecoder(reader, book);
  const [[stateRow] = [], branchRows = [], pointPages = [], runPages = [], [tailRow] = []] = root.groups;
  if (stateRow === undefined) throw damagedRow(root.row.name, 'names no state');
  const written: WrittenPages = { messages: new Map() };
  const state = decoder.state(stateRow, written);
  const named = bodyOf('ses', root);
  const branches = branchRows.map((row, index): SessionBranch => {
    const [id = '', leftAt = 0] = named[index] ?? [];
    return { id, leftAt, state: decoder.state(row) };
  });
  written.checkpoints = openPages(pointPages, reader);
  written.runs = openPages(runPages, reader);
  const sections = state.context.store.sections;
  const checkpoints = written.checkpoints.list.map((row) => decoder.checkpoint(row, sections));
  const tail = tailRow === undefined ? [] : checkEvents(reader.open(tailRow).body);
  return { ...freeze({ state, branches, checkpoints, tail }), runs: written.runs.list, written };
}

/** The events of a stored record, and the id of its write where the write had one and left the head as it was. */
export function readEntry(body: unknown): {
  readonly events: readonly AgentChange[];
  readonly writeId?: string;
} {
  if (Array.isArray(body)) return { events: checkEvents(body) };
  checkJson(is.loose({ writeId: is.text }), body, 'journal');
  const { writeId, events } = body as { readonly writeId: string; readonly events?: unknown };
  return { events: checkEvents(events), writeId };
}

/**
 * Checks stored events and returns them. @throws AgentError `state-version-unsupported` for an unknown event,
 * `state-invalid` for a wrong field
 */
export function checkEvents(body: unknown): readonly AgentChange[] {
  checkJson(is.list(is.loose({ type: is.text })), body, 'journal');
  const events = body as readonly AgentChange[];
  const unknown = events.find((event) => !isKnownEvent(event));
  if (unknown !== undefined)
    throw errors.stateVersionUnsupported({
      kind: `event ${JSON.stringify(unknown.type)}`,
      path: 'journal',
      version: 2,
      supported: 1,
      advice: 'Update the library to read it.',
    });
  for (const event of events) {
    const wrong = wrongFieldOf(event);
    if (wrong !== null) throw damagedRow(`journal event ${event.seq}`, `has a wrong field "${wrong}"`);
  }
  return events;
}

function createDecoder(reader: RowReader, book: RowBook) {
  // A row with several references is one object.
  const message = memoize((row: Row) => {
    const read = bodyOf('msg', reader.open(row));
    book.messages.set(read, row);
    return read;
  });

  const plugins = memoize((row: Row) => {
    const read = bodyOf('plg', reader.open(row));
    book.fields.set(read, [row]);
    return read;
  });

  const step = memoize((row: Row): StepExecution => {
    const opened = reader.open(row);
    const [messages = [], children = []] = opened.groups;
    const [body, hashes] = bodyOf('ste', opened);
    const part = { body, messages: messages.map(message), hashes, children: children.map(child) };
    const read = putPart(stepExecutionShape, part, `${row.name}.0`);
    book.steps.set(read, row);
    return read;
  });

  function state(row: Row, written?: WrittenPages): AgentState {
    const opened = reader.open(row);
    const { groups } = opened;
    const [[pluginRow] = [], textRows = [], [retainedRow] = [], table = [], children = [], steps = []] =
      groups;
    if (pluginRow === undefined) throw damagedRow(row.name, 'names no plugin states');
    const [body, hashes, textHashes, names] = bodyOf('sta', opened);
    const sections = names.map((name, index): MessageSection => {
      const paged = openPages(groups[6 + index] ?? [], reader);
      const messages = paged.list.map(message);
      written?.messages.set(name, { ...paged, list: messages });
      return { name, messages };
    });
    const pagedSteps = openPages(steps, reader);
    const stepExecutions = pagedSteps.list.map(step);
    if (written !== undefined) written.steps = { ...pagedSteps, list: stepExecutions };
    const texts = readTexts(textHashes, textRows, reader);
    const retained = retainedRow === undefined ? {} : readRetained(retainedRow);
    const part = { body, messages: table.map(message), hashes, children: children.map(child) };
    const fields = { plugins: plugins(pluginRow), texts, retained };
    const read = withRows(putPart(stateShape, part, `${row.name}.0`), fields, sections, stepExecutions);
    book.states.set(read, row);
    book.fields.set(texts, textRows);
    book.fields.set(retained, retainedRow === undefined ? [] : [retainedRow]);
    return read;
  }
  const child = memoize((row: Row) => state(row));

  function readRetained(row: Row): AgentState['retained'] {
    const opened = reader.open(row);
    const messages = (opened.groups[0] ?? []).map(message);
    const keys = bodyOf('ret', opened);
    if (keys.length !== messages.length) throw damagedRow(row.name, `has ${keys.length} keys of messages`);
    return Object.fromEntries(keys.map((key, at) => [key, messages[at] as Message]));
  }

  function checkpoint(row: Row, base: readonly MessageSection[]): SessionCheckpoint {
    const opened = reader.open(row);
    const { groups } = opened;
    const [messageId, parts] = bodyOf('cpt', opened);
    const sections = parts.map(([name, length], index): MessageSection => {
      const whole = base.find((section) => section.name === name)?.messages ?? [];
      if (length > whole.length) throw damagedRow(row.name, `names ${length} of ${whole.length} messages`);
      const rest = (groups[1 + index] ?? []).map(message);
      const isWhole = length === whole.length && rest.length === 0;
      return { name, messages: isWhole ? whole : [...whole.slice(0, length), ...rest] };
    });
    const [pluginRow] = groups[0] ?? [];
    if (pluginRow === undefined) throw damagedRow(row.name, 'names no plugin states');
    const read = { messageId, store: { sections }, plugins: plugins(pluginRow) };
    book.checkpoints.set(read, { row, base, lengths: parts.map(([, length]) => length) });
    return read;
  }

  return { state, checkpoint };
}

function withRows(
  state: AgentState,
  fields: Pick<AgentState, 'plugins' | 'texts' | 'retained'>,
  sections: readonly MessageSection[],
  stepExecutions: readonly StepExecution[],
): AgentState {
  const { context, execution } = state;
  return {
    ...state,
    ...fields,
    context: { ...context, store: { sections } },
    execution: execution === null ? null : { ...execution, stepExecutions },
  };
}

/** Reads an execution from its archived row and the rows of its messages. */
export function decodeRun({ name, refs: [run, ...messages] }: Row, reader: RowReader): ExecutionState {
  if (run === undefined) throw damagedRow(name, 'names no execution');
  const [body, hashes] = bodyOf('run', reader.open(run));
  const table = messages.map((row) => bodyOf('msg', reader.open(row)));
  return freeze(
    putPart(executionShape, { body, hashes, messages: table, children: [] }, `${run.name}.0`, (child) =>
      fromJSON(child),
    ),
  );
}

function readTexts(hashes: readonly string[], rows: readonly Row[], reader: RowReader): AgentState['texts'] {
  return Object.fromEntries(rows.map((row, at) => [hashes[at] ?? '', reader.open(row).body as JsonValue]));
}
