import type { Env } from '@vitrine/core/internal/graph/env';
import { foreign } from '@vitrine/inspect/internal/foreign/foreign-values';
import type { SessionHub } from '@vitrine/inspect';
import { bodyText, unpackBody } from './body-text.ts';
import { changedJson, type RequestChange } from './changed-request.ts';
import { type CopiedAnswer, type CopiedRequest, spansPath } from './copies.ts';
import { type Exchange, Lines, type LinesOptions } from './lines.ts';
import type { NextAnswer, NextRequest } from './next-answers.ts';
import { type ReadCounts, recordTexts } from './record-texts.ts';
import { spansIn } from './spans/span.ts';
import { SpanReader } from './spans/span-reader.ts';
import { noAnswer, type WireApi, type WireRequest } from './wire/api.ts';
import type { KeptTape } from './tape.ts';
import { apiNamed, apiOf, readAnswer } from './wire/apis.ts';

/** Most exchanges whose next answer can be asked for. */
const mostExchanges = 1000;

/** A request that was read and waits for its answer. */
type Asked = { readonly api: WireApi; readonly exchange: Exchange };

/** The next answer that a page asks for: to the request of a model call, with a change or as it was. */
export type AskedNext = {
  readonly id: string;
  readonly inferenceId: string;
  readonly change: RequestChange | null;
};

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
  /** The last exchanges by the ids of their model calls in the journals. */
  readonly #exchanges = new Map<string, number>();
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
    const exchange = this.#lines.ask(request, client, bytes);
    this.#asked.set(id, { api, exchange });
    this.#exchanges.set(exchange.line.agent.inferenceId ?? '', id);
    const [oldest = ''] = this.#exchanges.keys();
    if (this.#exchanges.size > mostExchanges) this.#exchanges.delete(oldest);
  }

  /** The request that a person wants the next answer to. @throws Error with the sentence when it cannot be sent */
  nextRequest({ id, inferenceId, change }: AskedNext, kept: KeptTape): NextRequest {
    const half = kept.request(this.#exchanges.get(inferenceId) ?? -1);
    const api = half === undefined ? null : apiOf(half.method, half.path);
    if (half === undefined || api === null) throw new Error(recordTexts.notKept);
    const read = (json: string): WireRequest =>
      api.request(foreign(JSON.parse(json)), half.path, new Map(this.#lines.items));
    const json = JSON.stringify(JSON.parse(bodyText(half)));
    const body = change === null ? json : changedJson(json, read, change);
    return { type: 'next', id, api: api.name, exchange: half.id, body };
  }

  /** Reads the next answer. @throws Error with the sentence on why there is none */
  nextAnswer({ api: name, came }: NextAnswer): object {
    const api = apiNamed(name);
    if (typeof came === 'string' || api === null) throw new Error(String(came));
    if (came.status === 401 || came.status === 403) throw new Error(recordTexts.keyRefused(came.status));
    const { answer, isJunk } = readAnswer(api, came);
    if (answer.error !== null) throw new Error(answer.error);
    if (isJunk || answer.finish === null) throw new Error(recordTexts.unreadable);
    const { parts, finish: finishReason, model, usage } = answer;
    return { parts, finishReason, model, usage };
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
