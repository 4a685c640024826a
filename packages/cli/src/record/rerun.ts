import type { IncomingMessage, ServerResponse } from 'node:http';
import { exitCodes } from '../usage-error.ts';
import { addressesAt, withoutProxyHere } from './addresses.ts';
import { bodyText } from './body-text.ts';
import { compareRequests } from './compare-requests.ts';
import { LocalServer } from './local-server.ts';
import { recordTexts } from './record-texts.ts';
import { runProgram } from './run-program.ts';
import { bodyHere } from './safe-body.ts';
import { itemsOf, readTape, type TapedRequest, tapedRequest, type TapeEntry } from './tape.ts';
import type { WireMessage } from './wire/api.ts';

/** Keys that clients demand, and nobody is shown. */
const keys = Object.fromEntries(
  ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY'].map((name) => [name, 'none']),
);

/**
 * Runs a program on a recording: no model is asked. Each exchange is played once, for the request that was recorded.
 * @returns 0 when all requests and the exit code are as recorded, 1 with the first difference on standard error, and 125
 * when nothing can be compared.
 * @throws UsageError for a recording that cannot be read.
 */
export async function rerun(
  file: string,
  program: readonly string[],
  { ignored, print }: { readonly ignored: readonly string[]; readonly print: (line: string) => void },
): Promise<number> {
  const { entries, exitCode, isCut } = readTape(file);
  if (isCut) print(`${file}: ${recordTexts.cutTape}.`);
  const player = new Player(entries, ignored);
  const server = new LocalServer({
    model: (request, response, provider, path) =>
      void (provider === 'otlp'
        ? request.resume().once('end', () => response.writeHead(200).end())
        : player.answer(request, response, path).catch(() => response.destroy())),
    page: (_request, response) => void response.writeHead(404).end(),
  });
  await server.listen(0);
  const { code, how } = await runProgram(program, {
    ...keys,
    ...withoutProxyHere(process.env),
    ...addressesAt(server.base, process.env),
  });
  server.close();
  const { played, differences } = player;
  if (played + differences.length === 0) {
    print(
      `Nothing can be compared: the program ended (${how}) without a request. ${entries.length} were recorded.`,
    );
    return exitCodes.untestable;
  }
  const told = [
    ...differences.slice(0, 1),
    ...(played < entries.length ? [`${entries.length - played} recorded requests were not made.`] : []),
    ...(exitCode !== null && exitCode !== code
      ? [`It ended with ${how}, and with ${exitCode} when it was recorded.`]
      : []),
  ];
  print(`${played} of ${entries.length} requests are as recorded.`);
  for (const line of told) print(line);
  return told.length === 0 ? exitCodes.fine : exitCodes.different;
}

/** Plays the exchanges of a recording. */
class Player {
  readonly differences: string[] = [];
  readonly #entries: readonly TapeEntry[];
  readonly #unused: Set<TapeEntry>;
  readonly #ignored: readonly string[];
  readonly #items = new Map<string, WireMessage | null>();

  constructor(entries: readonly TapeEntry[], ignored: readonly string[]) {
    this.#entries = entries;
    this.#unused = new Set(entries);
    this.#ignored = ignored;
  }

  get played(): number {
    return this.#entries.length - this.#unused.size;
  }

  async answer(incoming: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    const encoding = incoming.headers['content-encoding'] ?? null;
    const text = bodyText({ bytes: Buffer.concat(chunks), encoding });
    const entry = this.#take(tapedRequest({ method: incoming.method ?? '', path }, text, this.#items));
    if (entry === null) {
      // A status after which no client tries again.
      response.writeHead(400, { 'content-type': 'application/json' });
      const message = `vitrine rerun: ${this.differences.at(-1)}`;
      response.end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }));
      return;
    }
    // The program did not wait for an answer, and does so again.
    if (entry.status === 0) return;
    response.writeHead(entry.status, { 'content-type': entry.contentType });
    const body = bodyHere(entry.body);
    if (entry.cut === null) response.end(body);
    else if (entry.cut === 'program') response.write(body);
    else response.write(body, () => response.destroy());
  }

  /** The recorded exchange of a request; null when none is left, which is a difference. */
  #take(asked: TapedRequest): TapeEntry | null {
    let nearest: { readonly entry: TapeEntry; readonly count: number; readonly first: string } | null = null;
    for (const entry of this.#unused) {
      const difference = compareRequests(entry, asked, this.#ignored);
      if (difference === null) {
        this.#unused.delete(entry);
        for (const [id, item] of itemsOf(entry)) this.#items.set(id, item);
        return entry;
      }
      if (difference.count < (nearest?.count ?? Infinity)) nearest = { entry, ...difference };
    }
    this.differences.push(
      nearest === null
        ? 'The program made a request more than was recorded.'
        : `Request ${this.#entries.indexOf(nearest.entry) + 1} differs at ${nearest.first}`,
    );
    return null;
  }
}
