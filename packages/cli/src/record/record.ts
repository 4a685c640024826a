import { foreign } from '@vitrine/inspect/internal/foreign/foreign-values';
import { openInBrowser, pageWith } from '../view.ts';
import { addressesAt, otherTelemetry, upstreamsOf, withoutProxyHere } from './addresses.ts';
import { Copies } from './copies.ts';
import { forward, nextMark } from './forward.ts';
import { LocalServer } from './local-server.ts';
import { NextAnswers } from './next-answers.ts';
import { Reader } from './reader.ts';
import { type Recording, recordTexts } from './record-texts.ts';
import { RecorderPage } from './recorder-page.ts';
import { type ProgramEnd, runProgram } from './run-program.ts';
import { beginTape } from './tape.ts';

/** Options of a recording. */
export type RecordOptions = {
  /** 0 for a free one. */
  readonly port: number;
  /** Addresses of providers in place of those of the environment, as `openai=http://127.0.0.1:11434/v1`. */
  readonly to: readonly string[];
  /** The file to save into; null for none. */
  readonly tape: string | null;
  /** True to open the page in the browser. */
  readonly isOpened: boolean;
  /** True for nothing but what the program prints. */
  readonly isQuiet: boolean;
};

/**
 * Runs a program, and shows what it asks models on a page. Without a program it prints the addresses and stays until it
 * is stopped.
 * @returns the exit code of the program.
 */
export async function record(program: readonly string[], options: RecordOptions): Promise<number> {
  const upstreams = upstreamsOf(process.env, options.to);
  const print = (text: string): void => void (options.isQuiet || process.stderr.write(`${text}\n`));
  if (options.tape !== null) beginTape(options.tape);
  const kept = otherTelemetry(process.env);
  const startedAt = performance.now();
  let end: ProgramEnd | null = null;
  const readState = (): Recording => ({
    ...reader.counts,
    kept,
    asked: copies.count,
    isGone: reader.isGone,
    program: program.join(' '),
    addresses: Object.entries(addressesAt(server.base, process.env))
      .map((pair) => pair.join('='))
      .join(' '),
    end: end?.how ?? null,
    seconds: Math.round((performance.now() - startedAt) / 1000),
  });
  const page = new RecorderPage(
    await recorderHtml(),
    () => ({
      note: recordTexts.note(readState()),
      empty: recordTexts.empty(readState()),
      rerun: recordTexts.rerun(program),
    }),
    (message) => {
      const allowed = foreign(foreign(message)['recorder'])['allow'];
      if (typeof allowed === 'number') answers.left = allowed;
      else reader.post({ type: 'page', message });
    },
  );
  const reader = new Reader(
    { file: options.tape, origin: performance.timeOrigin, program: program.join(' ') },
    {
      onRead: (bytes) => (copies.held -= bytes),
      onPage: (text) => page.tell(text),
      onNext: (request) => void answers.ask(request, server.base).then((answer) => reader.post(answer)),
    },
  );
  const answers = new NextAnswers();
  const unread = new Copies(() => undefined);
  const copies = new Copies((half) => reader.post(half));
  const server = new LocalServer({
    model(request, response, provider, path) {
      if (provider === 'otlp') return copies.takeBatch(request, response, path);
      const upstream = upstreams.get(provider);
      if (upstream === undefined) return void response.writeHead(404).end();
      // Clients do not agree on whether the version belongs to the address.
      const isBare = provider === 'anthropic' && /^\/(?:messages|models|complete)\b/.test(path);
      const isOfProgram = request.headers[nextMark] === undefined;
      const copy = (isOfProgram ? copies : unread).begin(request, path);
      if (isOfProgram) answers.note(copies.count, provider, path, request);
      forward(request, response, { address: upstream, path: isBare ? `/v1${path}` : path, copy });
    },
    page: (request, response) => page.answer(request, response),
  });
  try {
    await server.listen(options.port);
    const address = `http://127.0.0.1:${server.port}/#${page.token}`;
    print(`vitrine: ${address}`);
    if (kept !== null) print(`vitrine: ${recordTexts.kept(kept)}`);
    if (program.length === 0) print(recordTexts.empty(readState()));
    if (options.isOpened) openInBrowser(address);
    end = await (program.length === 0
      ? untilStopped()
      : runProgram(program, { ...withoutProxyHere(process.env), ...addressesAt(server.base, process.env) }));
    await until(() => copies.running === 0, mostMs.answers);
    if (options.isOpened) await until(() => page.isWatched, mostMs.page);
    await reader.close(recordTexts.programEnded(end.how), end.code);
    await page.end();
    print(`vitrine: ${end.hasStarted ? recordTexts.counts(readState()) : end.how}`);
    return end.code;
  } finally {
    server.close();
    await reader.end();
  }
}

/** Most milliseconds that are waited, behind the end of a program, for its connections and for a page that opens. */
const mostMs = { answers: 500, page: 8_000 } as const;

async function until(isTrue: () => boolean, ms: number): Promise<void> {
  for (let waited = 0; waited < ms && !isTrue(); waited += 10)
    await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Waits for a person, or a program, that ends this one. */
function untilStopped(): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    for (const how of ['SIGINT', 'SIGTERM'] as const)
      process.once(how, () => resolve({ code: 0, how, hasStarted: true }));
  });
}

/** The page of the viewer, which may here talk with its own server. A program runs also without it. */
async function recorderHtml(): Promise<string> {
  const html = await pageWith('recorder', '{}').catch(({ message }: Error) => message);
  return html.replace("default-src 'none'", "default-src 'none'; connect-src 'self'");
}
