import type { Durability } from '@vitrine/core/internal/session/store/session-store';
import type { StoredHead } from '../../rows/row-storage.ts';

type HeaderRecord = Readonly<Record<string, string>>;

/** The address of the session server and the headers to send. */
export type HttpSessionsOptions = {
  /** The mount point of `createSessionRoutes` of @vitrine/proxy, for example `/api`. */
  url: string;
  /** Headers of every request; a function is called for each. Default: none. */
  headers?: HeaderRecord | (() => HeaderRecord | Promise<HeaderRecord>);
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
  /**
   * The longest time for an answer, in milliseconds; a file may take ten times as long. Infinity means no
   * limit. Default: 30 s.
   */
  timeoutMs?: number;
};

/** Parses an answer; null for any other content. */
export type ReadAnswer<Answer> = (body: unknown) => Answer | null;

/**
 * Parsers of the server's answers, by request. They are written by hand: with zod, which the codec uses too, esbuild
 * would split the codec for every page with a store.
 */
export const answers = {
  /** `GET /v1/sessions` */
  heads(body: unknown) {
    if (!isObject(body) || !isList(body['sessions'], isHeadEntry)) return null;
    // One page of several; older servers send all sessions at once.
    return { sessions: body['sessions'], next: isText(body['next']) ? body['next'] : null };
  },
  /** The answer to `?absent` for a session that does not exist. */
  isAbsent: (body: unknown) => isObject(body) && body['absent'] === true,
  /** `GET /v1/sessions/:id/head` */
  head: (body: unknown) => (isHead(body) ? { text: body.text, records: body.records } : null),
  /** `GET /v1/sessions/:id` */
  session(body: unknown) {
    if (!isHead(body) || !isTexts(body['rows']) || !isList(body['tail'], isText)) return null;
    const { text, records, rows, tail } = body;
    return { text, records, rows, tail };
  },
  /** `POST /v1/sessions/:id/rows` */
  rows: (body: unknown) => (isObject(body) && isTexts(body['rows']) ? { rows: body['rows'] } : null),
  /** The refusal of a server, as `application/problem+json`. */
  problem: (body: unknown) =>
    isObject(body) && isText(body['code']) && isText(body['detail'])
      ? { code: body['code'], detail: body['detail'] }
      : null,
};

/** The header with the durability of the server's store. */
export const durabilityHeader = 'x-session-durability';

/**
 * The header with the percent-encoded media type of a file. The file itself is sent as bytes that no browser renders.
 */
export const fileTypeHeader = 'x-file-type';

export type FileAnswer = { readonly bytes: ArrayBuffer; readonly mediaType: string };

export const durabilities: readonly Durability[] = ['none', 'eventual', 'process-crash', 'replicated'];

export type StorageFailure = (
  message: string,
  options?: { readonly data?: { readonly status: number; readonly code: string }; readonly cause?: unknown },
) => Error;

/**
 * Functions of the page for the code that is loaded later, which so shares no file with the page. Esbuild would put a
 * shared file into a chunk of its own, with which every page starts.
 */
export type PageFunctions = {
  readonly fail: StorageFailure;
  readonly serverInFront: (
    answer: Response,
    asked: { readonly server: string; readonly request: string },
  ) => { readonly code: string; readonly message: string } | null;
};

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isList<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is readonly Item[] {
  return Array.isArray(value) && value.every(isItem);
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && !Array.isArray(value) && Object.values(value).every(isText);
}

function isHead(value: unknown): value is StoredHead & Readonly<Record<string, unknown>> {
  return isObject(value) && isText(value['text']) && isCount(value['records']);
}

function isHeadEntry(value: unknown): value is readonly [id: string, text: string, records: number] {
  return Array.isArray(value) && isText(value[0]) && isText(value[1]) && isCount(value[2]);
}
