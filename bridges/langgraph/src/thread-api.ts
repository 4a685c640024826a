import { sleep } from '@vitrine/core/internal/kit/async';
import { isPlainObject, type JsonObject, modelJson, readJson } from '@vitrine/core/internal/kit/json';
import { textOf, withoutEnd } from '@vitrine/core/internal/kit/text';
import { streamEvents, type RemoteOptions, requestBackend } from '@vitrine/ag-ui/internal/remote/remote-run';
import { type Foreign, foreign, listOf } from '@vitrine/inspect/internal/foreign/foreign-values';

/** The state of a thread, as far as it is read. */
export type ThreadState = {
  readonly checkpoint: string | null;
  readonly messageIds: readonly unknown[];
  /** Ids of the questions that wait. */
  readonly interruptIds: readonly unknown[];
  /** The error of its last run; empty for none. */
  readonly error: string;
  /** True when its last run has certainly ended: a run that was cancelled may still tell events. */
  readonly isOver: boolean;
};

/** A command of the Agent Streaming Protocol. */
export type ThreadCommand = { readonly method: string; readonly params: JsonObject };

const channels = ['values', 'messages', 'tools', 'lifecycle', 'input'];
/** Most connections in a row that end without an event, and the time before another one in milliseconds. */
const drops = { most: 3, waitMs: 200 };

/** The requests to the threads of a server. They end with `signal`. */
export class ThreadApi {
  readonly #options: RemoteOptions;
  readonly #signal: AbortSignal;

  constructor(options: RemoteOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  #url(path: string): string {
    return `${withoutEnd(this.#options.url, '/')}/threads/${path}`;
  }

  async #json(path: string, body?: JsonObject): Promise<unknown> {
    const response = await requestBackend(this.#options, {
      url: this.#url(path),
      ...(body === undefined ? {} : { body }),
      accept: 'application/json',
      signal: this.#signal,
    });
    const json = readJson(await response.text(), modelJson);
    return json.ok ? json.value : null;
  }

  /**
   * Sends a command. @returns its answer, with the number of the last event before it, null when the server does not tell
   * it. @throws Error when it is refused
   */
  async send(
    threadId: string,
    command: ThreadCommand,
  ): Promise<{ readonly runId: string; readonly seq: number | null }> {
    const answer = foreign(await this.#json(`${threadId}/commands`, { id: 1, ...command }));
    const { type, message, result, meta } = answer;
    if (type !== 'success')
      throw new Error(`it refused ${command.method}: ${textOf(message) || 'no reason given'}`);
    const { applied_through_seq: seq } = foreign(meta);
    return { runId: textOf(foreign(result)['run_id']), seq: typeof seq === 'number' ? seq : null };
  }

  /** The number of the last event of a thread; 0 for one without events. */
  async lastSeq(threadId: string): Promise<number> {
    const command = { id: 1, method: 'agent.getTree', params: {} };
    const { meta } = foreign(await this.#json(`${threadId}/commands`, command));
    const { applied_through_seq: seq } = foreign(meta);
    return typeof seq === 'number' ? seq : 0;
  }

  /** The state of a thread; null for one that is not there, or that the server does not tell. */
  async state(threadId: string): Promise<ThreadState | null> {
    const state = await this.#json(`${threadId}/state`).catch(() => null);
    this.#signal.throwIfAborted();
    if (!isPlainObject(state)) return null;
    const { checkpoint, values, tasks: given, next } = state;
    const tasks = listOf(given);
    const error = tasks.map((task) => textOf(task['error'])).find((text) => text !== '') ?? '';
    return {
      checkpoint: textOf(foreign(checkpoint)['checkpoint_id']) || null,
      messageIds: listOf(foreign(values)['messages']).map(({ id }) => id),
      interruptIds: tasks.flatMap(({ interrupts }) => listOf(interrupts).map(({ id }) => id)),
      error,
      isOver: error !== '' || (Array.isArray(next) && next.length === 0),
    };
  }

  /**
   * Reads the events of a thread until `onEvent` returns true. A connection that is cut is made again.
   * @returns false when the events end before.
   */
  async events(
    threadId: string,
    given: {
      /** The number of the event behind which the reading begins. */
      readonly since: () => number;
      readonly onEvent: (event: Foreign) => boolean;
      readonly onSkipped: (what: string) => void;
    },
  ): Promise<boolean> {
    const { since, onEvent, onSkipped } = given;
    const url = this.#url(`${threadId}/stream/events`);
    for (let dropped = 0; ; dropped++) {
      const before = since();
      let thrown: unknown = null;
      const body = { channels, since: before };
      const reading = { url, body, signal: this.#signal, onEvent, onSkipped };
      try {
        if (await streamEvents(this.#options, reading)) return true;
      } catch (error) {
        // A network that fails throws a TypeError, and everything else stays as it is.
        if (!(error instanceof TypeError)) throw error;
        thrown = error;
      }
      this.#signal.throwIfAborted();
      if (since() > before) dropped = 0;
      if (dropped >= drops.most && thrown !== null) throw thrown;
      if (dropped >= drops.most) return false;
      await sleep(drops.waitMs * dropped, this.#signal);
    }
  }

  /** Cancels a run, or the last one of the thread when its id is not known. */
  async cancel(threadId: string, runId: string): Promise<void> {
    const [last] = runId === '' ? listOf(await this.#json(`${threadId}/runs?limit=1`)) : [];
    const id = runId || textOf(last?.['run_id']);
    if (id !== '') await this.#json(`${threadId}/runs/${id}/cancel`, {});
  }
}
