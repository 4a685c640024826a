import { addressesAt, upstreamsOf, withoutProxyHere } from './addresses.ts';
import { Copies } from './copies.ts';
import { forward } from './forward.ts';
import { LocalServer } from './local-server.ts';
import { Reader } from './reader.ts';
import { recordTexts } from './record-texts.ts';
import { type ProgramEnd, runProgram } from './run-program.ts';

/** Options of a recording. */
export type RecordOptions = {
  /** 0 for a free one. */
  readonly port: number;
  /** Addresses of providers in place of those of the environment, as `openai=http://127.0.0.1:11434/v1`. */
  readonly to: readonly string[];
  /** True for nothing but what the program prints. */
  readonly isQuiet: boolean;
};

/**
 * Runs a program, and reads what it asks models. Without a program it prints the addresses and stays until it
 * is stopped.
 * @returns the exit code of the program.
 */
export async function record(program: readonly string[], options: RecordOptions): Promise<number> {
  const upstreams = upstreamsOf(process.env, options.to);
  const print = (text: string): void => void (options.isQuiet || process.stderr.write(`${text}\n`));
  const reader = new Reader((bytes) => (copies.held -= bytes));
  const copies = new Copies((half) => reader.post(half));
  const server = new LocalServer({
    model(request, response, provider, path) {
      const upstream = upstreams.get(provider);
      if (upstream === undefined) return void response.writeHead(404).end();
      // Clients do not agree on whether the version belongs to the address.
      const isBare = provider === 'anthropic' && /^\/(?:messages|models|complete)\b/.test(path);
      const copy = copies.begin(request, path);
      forward(request, response, { address: upstream, path: isBare ? `/v1${path}` : path, copy });
    },
    page: (_request, response) => void response.writeHead(404).end(),
  });
  try {
    await server.listen(options.port);
    const addresses = Object.entries(addressesAt(server.base)).map((pair) => pair.join('='));
    if (program.length === 0) print(recordTexts.start(addresses.join(' ')));
    const end = await (program.length === 0
      ? untilStopped()
      : runProgram(program, { ...withoutProxyHere(process.env), ...addressesAt(server.base) }));
    await until(() => copies.running === 0, mostMs);
    await reader.close(recordTexts.programEnded(end.how));
    print(
      `vitrine: ${end.hasStarted ? recordTexts.counts({ ...reader.counts, asked: copies.count, isGone: reader.isGone }) : end.how}`,
    );
    return end.code;
  } finally {
    server.close();
    await reader.end();
  }
}

/** Most milliseconds that are waited for the connections of a program that has ended. */
const mostMs = 500;

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
