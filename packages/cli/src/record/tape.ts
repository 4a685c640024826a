import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs';
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
};

const head = { format: 'vitrine-tape', version: 1 } as const;

/**
 * Begins a file that only its owner can read.
 * @throws UsageError when it cannot be written.
 */
export function beginTape(file: string): void {
  try {
    writeFileSync(file, `${JSON.stringify(head)}\n`, { mode: 0o600 });
    chmodSync(file, 0o600);
  } catch (error) {
    throw new UsageError(
      `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Writes exchanges into a file as they end. */
export class TapeWriter {
  /** The exchanges that could not be saved: too long to be kept, or there was no room on the disk. */
  unsaved = 0;
  readonly #file: string;
  readonly #asked = new Map<number, TapedRequest>();
  readonly #items = new Map<string, WireMessage | null>();

  constructor(file: string) {
    this.#file = file;
  }

  take(half: CopiedRequest | CopiedAnswer): void {
    try {
      if (half.type === 'request')
        return void this.#asked.set(half.id, tapedRequest(half, bodyText(half), this.#items));
      const asked = this.#asked.get(half.id);
      this.#asked.delete(half.id);
      if (asked === undefined) return;
      const { status, contentType, cut } = half;
      const body = bodyText(half);
      for (const [id, item] of itemsOf({ ...asked, status, contentType, body })) this.#items.set(id, item);
      this.#add({ ...asked, status, contentType, cut, body: safeBody(body, contentType) });
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

  #add(line: TapeEntry | { readonly exitCode: number }): void {
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
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
export function itemsOf(entry: Omit<TapeEntry, 'cut' | 'request'>): WireItems {
  const api = apiOf(entry.method, entry.path);
  return api === null ? new Map() : readAnswer(api, entry).answer.items;
}

/**
 * Reads a recording.
 * @throws UsageError when there is none, or one of another version.
 */
export function readTape(file: string): {
  readonly entries: readonly TapeEntry[];
  /** The exit code of the program; null when it is not known. */
  readonly exitCode: number | null;
} {
  try {
    const [first, ...lines] = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    if (JSON.stringify(first) !== JSON.stringify(head)) throw new Error('it is no tape of this version');
    const last = lines.at(-1) as { readonly exitCode?: number } | undefined;
    const entries = (last?.exitCode === undefined ? lines : lines.slice(0, -1)) as TapeEntry[];
    return { entries, exitCode: last?.exitCode ?? null };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${file} cannot be read: ${why}. vitrine record --save writes such a file.`);
  }
}
