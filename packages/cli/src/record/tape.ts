import { appendFileSync, chmodSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { isPlainObject } from '@vitrine/core/internal/kit/json';
import { foreign } from '@vitrine/inspect/internal/foreign/foreign-values';
import { UsageError } from '../usage-error.ts';
import { bodyText } from './body-text.ts';
import type { CopiedAnswer, CopiedRequest, Cut } from './copies.ts';
import { jsonIn, safeBody, safeJson, safeText } from './safe-body.ts';
import type { WireItems, WireMessage, WireRequest } from './wire/api.ts';
import { apiOf, readAnswer } from './wire/apis.ts';

/** A request of a program, without secrets. */
export type TapedRequest = {
  readonly method: string;
  readonly path: string;
  /** The form that all APIs are read into, or the body where the API is not known. */
  readonly request: WireRequest | { readonly body: unknown };
};

/** An exchange of a recorded program, without secrets. */
export type TapeEntry = TapedRequest & {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly cut: Cut;
  /** The name of the client library. */
  readonly client: string;
  /** Milliseconds of the request, the first byte of the answer and its end, on the clock of the recording. */
  readonly times: readonly [asked: number, first: number, ended: number];
};

/** A recording that was read. */
export type Tape = {
  /** The Unix time in milliseconds at which its clock began. */
  readonly origin: number;
  readonly entries: readonly TapeEntry[];
  /** The exit code of the program; null when it is not known. */
  readonly exitCode: number | null;
  /** True when its last line is not whole, because the disk was full or the machine stopped. */
  readonly isCut: boolean;
};

const format = 'vitrine-tape';
const version = 1;

/** The first line of a recording. `origin` is the Unix time in milliseconds at which its clock began. */
export function headOfTape(origin: number): string {
  return `${JSON.stringify({ format, version, origin: Math.round(origin) })}\n`;
}

/**
 * Begins a file that only its owner can read.
 * @throws UsageError when it cannot be written.
 */
export function beginTape(file: string): void {
  try {
    writeFileSync(file, headOfTape(performance.timeOrigin), { mode: 0o600 });
    chmodSync(file, 0o600);
  } catch (error) {
    throw new UsageError(
      `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Returns the function that adds lines to a file. What there was no room for is taken back: lines are whole. */
export function linesInto(file: string): (line: string) => void {
  return (line) => {
    const { size } = statSync(file);
    try {
      appendFileSync(file, line);
    } catch (error) {
      truncateSync(file, size);
      throw error;
    }
  };
}

/** Writes exchanges as they end. */
export class TapeWriter {
  /** The exchanges that could not be saved: too long to be kept, or there was no room on the disk. */
  unsaved = 0;
  readonly #write: (line: string) => void;
  readonly #asked = new Map<number, TapedRequest & Pick<CopiedRequest, 'client' | 'at'>>();
  readonly #items = new Map<string, WireMessage | null>();

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  take(half: CopiedRequest | CopiedAnswer): void {
    try {
      const { id } = half;
      if (half.type === 'request') {
        const { client, at } = half;
        return void this.#asked.set(id, { ...tapedRequest(half, bodyText(half), this.#items), client, at });
      }
      const found = this.#asked.get(id);
      this.#asked.delete(id);
      if (found === undefined) return;
      const { at, client, ...asked } = found;
      const { status, contentType, cut } = half;
      const body = bodyText(half);
      for (const [item, message] of itemsOf({ ...asked, status, contentType, body }))
        this.#items.set(item, message);
      const times = [at, half.firstAt, half.at].map((ms) => Number(ms.toFixed(2)));
      this.#add({ ...asked, status, contentType, cut, body: safeBody(body, contentType), client, times });
    } catch {
      this.unsaved++;
    }
  }

  end(exitCode: number): void {
    try {
      this.#add({ exitCode });
    } catch {
      this.unsaved++;
    }
  }

  #add(line: object): void {
    this.#write(`${JSON.stringify(line)}\n`);
  }
}

/** Most bytes that are kept for a recording that nobody saves yet. */
const mostKept = 32 * 2 ** 20;

/** The copies of all exchanges, for a recording that a person may ask for later. */
export class KeptTape {
  #halves: (CopiedRequest | CopiedAnswer)[] | null = [];
  #bytes = 0;

  take(half: CopiedRequest | CopiedAnswer): void {
    this.#bytes += half.bytes?.length ?? mostKept;
    if (this.#bytes > mostKept) this.#halves = null;
    this.#halves?.push(half);
  }

  /** The copy of a request; undefined when it is not kept. */
  request(id: number): CopiedRequest | undefined {
    return this.#halves?.find((half) => half.type === 'request' && half.id === id) as
      CopiedRequest | undefined;
  }

  /** The text of the recording, without secrets; null when it is too long to be kept. */
  text(origin: number, exitCode: number | null): string | null {
    if (this.#halves === null) return null;
    const lines = [headOfTape(origin)];
    const writer = new TapeWriter((line) => lines.push(line));
    for (const half of this.#halves) writer.take(half);
    if (exitCode !== null) writer.end(exitCode);
    return writer.unsaved > 0 ? null : lines.join('');
  }
}

/** A request as it is compared with others and saved. */
export function tapedRequest(
  { method, path }: Pick<TapedRequest, 'method' | 'path'>,
  text: string,
  items: WireItems,
): TapedRequest {
  const body = jsonIn(text) ?? text;
  const request = apiOf(method, path)?.request(foreign(body), path, items) ?? { body };
  return { method, path: safeText(path), request: safeJson(request) as TapedRequest['request'] };
}

/** The items of an answer that later requests may name by their ids. */
export function itemsOf(
  entry: Pick<TapeEntry, 'method' | 'path' | 'status' | 'contentType' | 'body'>,
): WireItems {
  const api = apiOf(entry.method, entry.path);
  return api === null ? new Map() : readAnswer(api, entry).answer.items;
}

/** True for the text of a recording, of any version. */
export function isTape(text: string): boolean {
  return foreign(jsonIn(text.slice(0, text.indexOf('\n') + 1)))['format'] === format;
}

/**
 * Reads a recording, one that was cut in its last line as far as it goes.
 * @throws UsageError when there is none, for one of another version, and with the number of a line that is none.
 */
export function readTape(file: string): Tape {
  try {
    const text = readFileSync(file, 'utf8');
    if (!isTape(text)) throw new Error('it is no recording. vitrine record --save writes one');
    const [first = '', ...lines] = text.split('\n');
    const head = foreign(jsonIn(first));
    if (head['version'] !== version)
      throw new Error(`it is of version ${String(head['version'])}; this vitrine reads version ${version}`);
    const origin = Number(head['origin']);
    if (Number.isNaN(new Date(origin).getTime())) throw new Error('its first line has no time');
    const isCut = jsonIn(lines.at(-1) ?? '') === undefined && lines.pop() !== '';
    const { exitCode = null } = foreign(jsonIn(lines.at(-1) ?? ''));
    if (typeof exitCode === 'number') lines.pop();
    return {
      origin,
      entries: lines.map((line, index) => entryIn(line, index + 2)),
      exitCode: exitCode as number | null,
      isCut,
    };
  } catch (error) {
    throw new UsageError(
      `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
}

const shape = { method: '', path: '', contentType: '', body: '', client: '', status: 0 };

/** An exchange in a line. @throws Error for another line. */
function entryIn(line: string, number: number): TapeEntry {
  const entry = foreign(jsonIn(line));
  const { request, times } = entry;
  const { messages, tools, settings } = foreign(request);
  const isMessage = (message: unknown): boolean => {
    const { text, calls, files } = foreign(message);
    return typeof text === 'string' && Array.isArray(calls) && Array.isArray(files);
  };
  const isRead = Array.isArray(messages) && messages.every(isMessage) && Array.isArray(tools);
  const isRequest = 'body' in foreign(request) || (isRead && isPlainObject(settings));
  const areTimes = Array.isArray(times) && times.length === 3 && times.every(Number.isFinite);
  const isShaped = Object.entries(shape).every(([name, value]) => typeof entry[name] === typeof value);
  if (!isRequest || !areTimes || !isShaped) throw new Error(`line ${number} is no exchange`);
  return entry as TapeEntry;
}
