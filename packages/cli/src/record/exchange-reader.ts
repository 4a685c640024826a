import type { Env } from '@vitrine/core/internal/graph/env';
import { foreign } from '@vitrine/inspect/internal/foreign/foreign-values';
import type { SessionHub } from '@vitrine/inspect';
import { bodyText, unpackBody } from './body-text.ts';
import { type CopiedAnswer, type CopiedRequest, spansPath } from './copies.ts';
import { type Exchange, Lines, type LinesOptions } from './lines.ts';
import { type ReadCounts, recordTexts } from './record-texts.ts';
import { spansIn } from './spans/span.ts';
import { SpanReader } from './spans/span-reader.ts';
import { noAnswer, type WireApi, type WireRequest } from './wire/api.ts';
import { apiOf, readAnswer } from './wire/apis.ts';

/** A request that was read and waits for its answer. */
type Asked = { readonly api: WireApi; readonly exchange: Exchange };

/** A request: its number, its time, the client library, and its length. */
type AskedBy = Pick<CopiedRequest, 'id' | 'at' | 'client'> & { readonly bytes: number };

/** `origin` is the Unix time in milliseconds at which the clock of the copies began. */
type ReaderOptions = LinesOptions & { readonly origin: number };

/** Reads the copies of exchanges, and spans of others, into sessions. */
export class ExchangeReader {
  readonly #lines: Lines;
  readonly #origin: number;
  readonly #spans: SpanReader;
  readonly #asked = new Map<number, Asked>();
  #clock = 0;
  #read = 0;
  #unread = 0;

  constructor(hub: SessionHub, env: Env, { origin, ...options }: ReaderOptions) {
    this.#origin = origin;
    // A body waits for its turn, so times are those at which it passed by.
    const clock = { monotonic: () => this.#clock, now: () => Math.round(origin + this.#clock) };
    this.#lines = new Lines(hub, { ...env, ...clock }, options);
    this.#spans = new SpanReader(this.#lines, (ms) => (this.#clock = ms));
  }

  get counts(): Omit<ReadCounts, 'unsaved'> {
    const { count: sessions, dropped } = this.#lines;
    return { read: this.#read, unread: this.#unread, sessions, dropped, spans: this.#spans.count };
  }

  take(half: CopiedRequest | CopiedAnswer): void {
    this.#clock = half.at;
    try {
      if (half.type === 'answer') return this.#answer(half);
      if (half.path === spansPath) return this.#spans.take(spansIn(unpackBody(half), this.#origin), half.at);
      const api = apiOf(half.method, half.path);
      if (api === null) return;
      const request = api.request(foreign(JSON.parse(bodyText(half))), half.path, this.#lines.items);
      this.ask(api, request, { ...half, bytes: half.bytes?.length ?? 0 });
    } catch {
      this.#unread++;
    }
  }

  /** Reads the spans of which nothing is missing by a time, or all. */
  readSpans(now: number, isAll = false): void {
    try {
      this.#spans.read(now, isAll);
    } catch {
      this.#unread++;
    }
  }

  /** Takes a request in the form that all APIs are read into. */
  ask(api: WireApi, request: WireRequest, { id, at, client, bytes }: AskedBy): void {
    this.#clock = at;
    this.#asked.set(id, { api, exchange: this.#lines.ask(request, client, bytes) });
  }

  /** The program has ended. */
  close(why: string): void {
    this.readSpans(0, true);
    this.#lines.close(why);
  }

  #answer(half: CopiedAnswer): void {
    const asked = this.#asked.get(half.id);
    if (asked === undefined) return;
    this.#asked.delete(half.id);
    this.#clock = half.firstAt;
    try {
      const { answer, isJunk } = readAnswer(asked.api, { ...half, body: bodyText(half) });
      const isUnreadable = isJunk && half.cut === null;
      if (isUnreadable) this.#unread++;
      else this.#read++;
      const error = answer.error ?? (isUnreadable ? recordTexts.unreadable : null);
      this.#lines.take(asked.exchange, { ...answer, error });
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : '';
      this.#lines.take(asked.exchange, { ...noAnswer, error: `${recordTexts.unreadable} ${why}` });
      throw thrown;
    } finally {
      this.#clock = half.at;
      this.#lines.end(asked.exchange, half.cut === 'program', half.bytes?.length ?? 0);
    }
  }
}
