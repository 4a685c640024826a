import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { openRemote, sealRemote } from '@vitrine/inspect/internal/remote/remote-message';
import { takeMessage } from '../watch-page.ts';
import { isSameText } from './local-server.ts';

/** The texts of the page beside the sessions. */
export type PageNotes = {
  /** A line above the panel. */
  readonly note: string;
  /** The text in place of sessions, until there is one. */
  readonly empty: string;
  /** The line that runs the program on its recording. */
  readonly rerun: string;
};

/** Most bytes that wait for a page. One that takes no more is left; it connects again and asks for everything. */
const mostWaiting = 64 * 2 ** 20;

/** The page of a recording and the connections to it. A page is told nothing without its token. */
export class RecorderPage {
  readonly token = randomBytes(16).toString('hex');
  /** True when a page has asked for the sessions. */
  isWatched = false;
  readonly #html: string;
  readonly #notes: () => PageNotes;
  readonly #onMessage: (message: unknown) => void;
  readonly #streams = new Set<ServerResponse>();
  readonly #timer = setInterval(() => this.tellNotes(), 1_000).unref();
  #told = '';

  constructor(html: string, notes: () => PageNotes, onMessage: (message: unknown) => void) {
    this.#html = html;
    this.#notes = notes;
    this.#onMessage = onMessage;
  }

  /** Answers a request of a browser: with the page, or with what happens. */
  answer(request: IncomingMessage, response: ServerResponse): void {
    const { authorization } = request.headers;
    if (request.url !== '/') return void response.writeHead(404).end();
    if (authorization === undefined && request.method === 'GET')
      return void response.writeHead(200, ofPage).end(this.#html);
    if (!isSameText(authorization ?? '', `Bearer ${this.token}`)) return void response.writeHead(401).end();
    if (request.method === 'POST')
      return void takeMessage(request, response, (message) => this.#take(message));
    this.#streams.add(response);
    response.on('close', () => this.#streams.delete(response));
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(eventOf(JSON.stringify({ recorder: this.#notes() })));
    // A page that watches asks for everything when it hears this.
    response.write(eventOf(JSON.stringify(sealRemote({ type: 'here' }))));
  }

  #take(message: unknown): void {
    const known = openRemote(message);
    this.isWatched ||= known !== null && 'type' in known && known.type === 'hello';
    this.#onMessage(message);
  }

  /** Sends the JSON of a message to all pages. */
  tell(text: string): void {
    for (const stream of this.#streams)
      if (stream.writableLength > mostWaiting) stream.destroy();
      else stream.write(eventOf(text));
  }

  /** Sends the notes when they have changed. */
  tellNotes(): void {
    const text = JSON.stringify({ recorder: this.#notes() });
    if (text !== this.#told) this.tell(text);
    this.#told = text;
  }

  /** Ends the connections when the pages have everything. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    // A page that heard this does not look for the program again.
    this.tell(JSON.stringify({ recorder: { ...this.#notes(), isLast: true } }));
    const ends = [...this.#streams].map((stream) => new Promise<void>((resolve) => stream.end(resolve)));
    await Promise.race([Promise.all(ends), new Promise((resolve) => setTimeout(resolve, 2_000).unref())]);
  }
}

function eventOf(text: string): string {
  return `data: ${text}\n\n`;
}

const ofPage = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "connect-src 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;
