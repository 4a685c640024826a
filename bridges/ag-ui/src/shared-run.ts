import { section } from '@vitrine/core/internal/graph/message-store';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { stateAtPath } from '@vitrine/core/internal/run/state-at';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import type { TurnEnd } from '@vitrine/core/internal/session/turn-end';
import { clientIdKey, queuedMessages, type ResultIds } from './client-messages.ts';
import { OpenSpans } from './open-spans.ts';
import type { AgUiEvent, AgUiUsage } from '@vitrine/messages/internal/ag-ui/protocol';
import { addUsage, type RunIds, RunWriter } from './run-writer.ts';

/** Most bytes that wait for a reader, beside its largest event. */
const mostBytes = 16 * 2 ** 20;

/** The facts of a run that its events do not tell. */
export type SharedRunFacts = {
  readonly ids: RunIds;
  /** The results that its client has. */
  readonly results: ResultIds;
  /** Ids by the client of the messages that it answers. */
  readonly sent: readonly string[];
  /** False while its messages wait for the end of another turn. */
  readonly hasBegun: boolean;
  /** True when it does something here, and is stopped once all clients have left. */
  readonly isOwn: boolean;
  /** True when it is told from its beginning, so that its tokens are known. */
  readonly isWhole: boolean;
};

const unknown: SharedRunFacts = {
  ids: { threadId: '', runId: '' },
  results: new Map(),
  sent: [],
  hasBegun: false,
  isOwn: false,
  isWhole: false,
};

type Reader = {
  writer: RunWriter;
  /** Begins again for a reader that has missed something. */
  readonly renew: () => RunWriter;
  readonly open: OpenSpans;
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
};

/** A run that goes on, with its readers. Each event that a reader gets has the id `<thread>.<key>.<what it has open>`. */
export class SharedRun {
  readonly key: string;
  readonly #session: AgentSession;
  #state: AgentState;
  readonly #onLeft: () => void;
  readonly #unsubscribe: () => void;
  readonly #readers = new Set<Reader>();
  readonly #usages = new Map<string, AgUiUsage>();
  #facts = unknown;
  #hasBegun = false;
  #isLeft = false;

  /** Hears the session from now on, so that nothing is missed. `onLeft` is called when the last reader leaves early. */
  constructor(session: AgentSession, key: string, onLeft: () => void) {
    this.key = key;
    this.#session = session;
    this.#state = session.store.getState().state;
    this.#onLeft = onLeft;
    this.#unsubscribe = session.onEvent((event, after) => this.#receive(event, after));
  }

  /** The state of the session after the last event. */
  get state(): AgentState {
    return this.#state;
  }

  get facts(): SharedRunFacts {
    return this.#facts;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** True when it was heard to its end. */
  get isOver(): boolean {
    return this.#hasBegun && (this.#state.execution?.completedAt ?? null) !== null;
  }

  /** True when it was read, and all readers have left. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  /** Notes a state that the session gets, and returns it. */
  setState(state: AgentState): AgentState {
    return (this.#state = state);
  }

  start(facts: SharedRunFacts): void {
    this.#facts = facts;
    this.#hasBegun = facts.hasBegun;
  }

  /** Adds a reader, with what it has open. `begin` tells it what comes before the later events. */
  read(begin: (writer: RunWriter) => void, open = new OpenSpans()): ReadableStream<Uint8Array> {
    const { ids, results } = this.#facts;
    const encoder = new TextEncoder();
    const name = `${encodeURIComponent(ids.threadId).replaceAll('.', '%2E')}.${this.key}`;
    let controller!: Reader['controller'];
    // All messages of a long conversation are one event, which is not the fault of the reader.
    let largest = 0;
    const body = new ReadableStream<Uint8Array>(
      { start: (given) => void (controller = given), cancel: () => this.#leave(reader) },
      new ByteLengthQueuingStrategy({ highWaterMark: mostBytes }),
    );
    const emit = (event: AgUiEvent): void => {
      if (!this.#readers.has(reader)) return;
      if ((controller.desiredSize ?? 0) + largest <= 0) return this.#fail(reader);
      open.take(event);
      const frame = encoder.encode(`id: ${name}.${open}\ndata: ${JSON.stringify(event)}\n\n`);
      largest = Math.max(largest, frame.byteLength);
      controller.enqueue(frame);
    };
    const renew = (): RunWriter => new RunWriter(emit, ids, results);
    const reader: Reader = { writer: renew(), renew, open, controller };
    this.#readers.add(reader);
    this.#isLeft = false;
    begin(reader.writer);
    return body;
  }

  /** Ends the run for all readers, as its turn did. */
  end(turn: TurnEnd): void {
    this.close();
    const { state } = this.#session.store.getState();
    if (!this.isOver && state.seq !== this.#state.seq) this.#leap(state);
    const usages = this.#facts.isWhole ? [...this.#usages.values()] : [];
    for (const reader of this.#readers) {
      reader.writer.end(turn, this.#state, usages);
      if (this.#readers.delete(reader)) reader.controller.close();
    }
  }

  /** Hears the session no more. */
  close(): void {
    this.#unsubscribe();
  }

  #receive(event: AgentEvent, after: AgentState): void {
    if (!isNext(this.#state, event, after)) return this.#leap(after);
    this.#state = after;
    const [first] = this.#facts.sent;
    this.#hasBegun ||=
      first !== undefined && event.type === 'message-add' && event.message.metadata[clientIdKey] === first;
    if (!this.#hasBegun) return;
    if (event.type === 'inference-end') addUsage(this.#usages, event.response);
    for (const { writer } of this.#readers) writer.write(event, after);
  }

  /** Goes on from a state that came as a whole: a session that follows another device missed the events before it. */
  #leap(state: AgentState): void {
    this.#state = state;
    this.#facts = { ...this.#facts, isWhole: false };
    const [first] = this.#facts.sent;
    this.#hasBegun ||=
      first !== undefined &&
      section(state.context.store).some(({ metadata }) => metadata[clientIdKey] === first);
    if (!this.#hasBegun) return;
    const queued = queuedMessages(this.#session.store.getState().queue);
    for (const reader of this.#readers) {
      reader.writer = reader.renew();
      reader.writer.rejoin(state, reader.open, queued);
    }
  }

  #leave(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    this.#isLeft = true;
    this.#onLeft();
  }

  #fail(reader: Reader): void {
    const message = `A reader is over ${mostBytes} bytes behind the run; read faster, and go on with the last id.`;
    reader.controller.error(new Error(message));
    this.#leave(reader);
  }
}

/** True for the event behind a state; false when the session took over another state between them. */
function isNext(state: AgentState, event: AgentEvent, after: AgentState): boolean {
  if (event.seq === null) return after.seq === state.seq;
  const count = 'n' in event ? (event.n ?? 1) : 1;
  return stateAtPath(state, event.path)?.seq === event.seq - count;
}

/** The place that the id of an event names; null for an id of something else. */
export function placeIn(
  id: string,
): { readonly threadId: string; readonly key: string; readonly open: OpenSpans } | null {
  const [, thread = '', key = '', text = ''] = /^([^.]*)\.([\w-]+)\.(.*)$/.exec(id) ?? [];
  const open = OpenSpans.read(text);
  if (key === '' || open === null) return null;
  try {
    return { threadId: decodeURIComponent(thread), key, open };
  } catch {
    return null;
  }
}
