import type { Env } from '@vitrine/core/internal/graph/env';
import { foreign } from '@vitrine/inspect/internal/foreign/foreign-values';
import type { SessionHub } from '@vitrine/inspect';
import { bodyText } from './body-text.ts';
import type { CopiedAnswer, CopiedRequest } from './copies.ts';
import { type Exchange, Lines } from './lines.ts';
import { type ReadCounts, recordTexts } from './record-texts.ts';
import { noAnswer, type WireApi } from './wire/api.ts';
import { apiOf, readAnswer } from './wire/apis.ts';

/** A request that was read and waits for its answer. */
type Asked = { readonly api: WireApi; readonly exchange: Exchange };

/** Reads the copies of exchanges into sessions. */
export class ExchangeReader {
  readonly #lines: Lines;
  readonly #asked = new Map<number, Asked>();
  #clock = 0;
  #read = 0;
  #unread = 0;

  constructor(hub: SessionHub, env: Env) {
    // A body waits for its turn, so times are those at which it passed by.
    this.#lines = new Lines(hub, { ...env, monotonic: () => this.#clock });
  }

  get counts(): Omit<ReadCounts, 'unsaved'> {
    const { count: sessions, dropped } = this.#lines;
    return { read: this.#read, unread: this.#unread, sessions, dropped };
  }

  take(half: CopiedRequest | CopiedAnswer): void {
    this.#clock = half.at;
    try {
      if (half.type === 'request') this.#ask(half);
      else this.#answer(half);
    } catch {
      this.#unread++;
    }
  }

  /** The program has ended. */
  close(why: string): void {
    this.#lines.close(why);
  }

  #ask(half: CopiedRequest): void {
    const api = apiOf(half.method, half.path);
    if (api === null) return;
    const request = api.request(foreign(JSON.parse(bodyText(half))), half.path, this.#lines.items);
    const exchange = this.#lines.ask(request, half.client, half.bytes?.length ?? 0);
    this.#asked.set(half.id, { api, exchange });
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
