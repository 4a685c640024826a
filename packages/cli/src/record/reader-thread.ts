import { parentPort, workerData } from 'node:worker_threads';
import { systemEnv } from '@vitrine/core';
import { createSessionHub } from '@vitrine/core/internal/session/hub';
import { foreign } from '@vitrine/inspect/internal/foreign/foreign-values';
import { redact, type RemoteChannel, shareSessions } from '@vitrine/inspect';
import { redactText } from '@vitrine/inspect/internal/redact';
import { type CopiedAnswer, type CopiedRequest, spansPath } from './copies.ts';
import { type AskedNext, ExchangeReader } from './exchange-reader.ts';
import type { NextAnswer, NextRequest } from './next-answers.ts';
import type { ReadCounts } from './record-texts.ts';
import { KeptTape, linesInto, TapeWriter } from './tape.ts';

/** A message to the thread. */
export type ToReader =
  | CopiedRequest
  | CopiedAnswer
  | NextAnswer
  | { readonly type: 'page'; readonly message: unknown }
  /** The program has ended. */
  | { readonly type: 'close'; readonly why: string; readonly exitCode: number };

/** A message of the thread. */
export type FromReader =
  /** JSON of a message for the page. */
  | { readonly type: 'page'; readonly text: string }
  | NextRequest
  | { readonly type: 'read'; readonly bytes: number; readonly counts: ReadCounts }
  | { readonly type: 'closed'; readonly counts: ReadCounts };

/** The data that the thread begins with. */
export type ReaderData = {
  /** The file that it saves into; null for none. */
  readonly file: string | null;
  /** The Unix time in milliseconds at which the clock of the copies began. */
  readonly origin: number;
  /** The program as it was typed; empty for a recording that waits for one. */
  readonly program: string;
};

// A thread of its own: reading takes time that the bytes of the program do not have.

const port = parentPort;
if (port !== null) {
  const tell = (message: FromReader): void => port.postMessage(message);
  const { file, origin, program } = workerData as ReaderData;
  const hub = createSessionHub();
  const reader = new ExchangeReader(hub, systemEnv, { origin, program });
  const tape = file === null ? null : new TapeWriter(linesInto(file));
  const kept = new KeptTape();
  let isWatched = false;
  const tellTape = (exitCode: number | null): void => {
    const recorder = { tape: kept.text(origin, exitCode), isWhole: exitCode !== null };
    tell({ type: 'page', text: JSON.stringify({ recorder }) });
  };
  const readCounts = (): ReadCounts => ({ ...reader.counts, unsaved: tape?.unsaved ?? 0 });
  const nextToPage = (id: string, answer: object): FromReader => ({
    type: 'page',
    text: JSON.stringify({ recorder: { id, ...answer } }),
  });
  /** Does what a person wants of a recorded request, or tells the page why it cannot be done. */
  const attempt = (id: string, act: () => FromReader): void => {
    try {
      tell(act());
    } catch (thrown) {
      tell(nextToPage(id, { failure: redactText((thrown as Error).message, 'message') }));
    }
  };
  let receive = (_message: unknown): void => undefined;
  const channel: RemoteChannel = {
    open(onMessage) {
      receive = onMessage;
      return {
        post: (message) => tell({ type: 'page', text: JSON.stringify(message) }),
        close: () => (receive = () => undefined),
      };
    },
  };
  shareSessions(channel, { hub });
  setInterval(() => {
    reader.readSpans(performance.timeOrigin + performance.now() - origin);
    tell({ type: 'read', bytes: 0, counts: readCounts() });
  }, 250).unref();
  port.on('message', (message: ToReader) => {
    if (message.type === 'page') {
      isWatched = true;
      const { recorder } = foreign(message.message);
      const next = foreign(recorder)['next'] as AskedNext | undefined;
      if (next !== undefined) return attempt(next.id, () => reader.nextRequest(next, kept));
      return recorder === 'tape' ? tellTape(null) : receive(message.message);
    }
    if (message.type === 'next')
      return attempt(message.id, () => nextToPage(message.id, redact(reader.nextAnswer(message)) as object));
    if (message.type === 'close') {
      reader.close(message.why);
      tape?.end(message.exitCode);
      // The page outlives the program that it could ask.
      if (isWatched) tellTape(message.exitCode);
      return tell({ type: 'closed', counts: readCounts() });
    }
    reader.take(message);
    if (message.type === 'answer' || message.path !== spansPath) {
      tape?.take(message);
      kept.take(message);
    }
    tell({ type: 'read', bytes: message.bytes?.length ?? 0, counts: readCounts() });
  });
}
