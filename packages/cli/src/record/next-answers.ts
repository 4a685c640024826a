import type { IncomingMessage } from 'node:http';
import { nextMark } from './forward.ts';
import { recordTexts } from './record-texts.ts';

/** A recorded request with a change, by the number of its exchange and the name of its API. */
export type NextRequest = {
  readonly type: 'next';
  readonly id: string;
  readonly api: string;
  readonly exchange: number;
  readonly body: string;
};

/** The answer to one as it came, or the sentence on why there is none. */
export type NextAnswer = Pick<NextRequest, 'type' | 'id' | 'api'> & {
  readonly came: string | { readonly status: number; readonly contentType: string; readonly body: string };
};

/** Most milliseconds that an answer takes, and most requests that may be sent once more. */
const most = { ms: 120_000, requests: 1000 } as const;

/**
 * Asks for the next answers that a person wants, with the key of the last request of the program to the same provider.
 * Keys are in the memory of this thread only.
 */
export class NextAnswers {
  /** The calls that the person still allows. */
  left = 0;
  readonly #places = new Map<number, readonly [provider: string, path: string]>();
  readonly #headers = new Map<string, IncomingMessage['headers']>();

  /** Notes a request of the program. */
  note(exchange: number, provider: string, path: string, { headers }: IncomingMessage): void {
    this.#places.set(exchange, [provider, path]);
    this.#places.delete(exchange - most.requests);
    this.#headers.set(provider, headers);
  }

  /** Sends a request by way of the server at `base`, unless the person allows no more. */
  async ask({ body, exchange, ...about }: NextRequest, base: string): Promise<NextAnswer> {
    const [provider = '', path = ''] = this.#places.get(exchange) ?? [];
    if (provider === '') return { ...about, came: recordTexts.notKept };
    if (this.left < 1) return { ...about, came: recordTexts.capReached };
    this.left--;
    const sent = Object.entries(this.#headers.get(provider) ?? {}).filter(([name]) => !framing.test(name));
    const headers = [...sent, [nextMark, '1']] as [string, string][];
    const signal = AbortSignal.timeout(most.ms);
    try {
      const answer = await fetch(`${base}/${provider}${path}`, { method: 'POST', headers, body, signal });
      const contentType = answer.headers.get('content-type') ?? '';
      return { ...about, came: { status: answer.status, contentType, body: await answer.text() } };
    } catch (error) {
      return { ...about, came: recordTexts.noNext((error as Error).message) };
    }
  }
}

/** Headers of one transmission of a body. */
const framing =
  /^(?:connection|content-(?:length|encoding)|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/;
