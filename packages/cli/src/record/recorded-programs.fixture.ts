import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { folderOfTest } from '../../../../tests/folder-of-test.ts';

const program = fileURLToPath(new URL('../vitrine.ts', import.meta.url));

/** A request as it came to the upstream. */
type Seen = { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: string };

/** A provider on this machine. */
type Upstream = { readonly url: string; readonly seen: readonly Seen[] };

/** Starts a provider that answers by a function. */
export async function startUpstream(
  answer: (seen: Seen, response: ServerResponse, request: IncomingMessage) => void,
): Promise<Upstream> {
  const all: Seen[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { url = '', headers } = request;
    const seen = { url, headers, body: Buffer.concat(chunks).toString() };
    all.push(seen);
    answer(seen, response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen: all };
}

type Ended = { readonly code: number | null; readonly out: string; readonly err: string };

/** A started process with what it has printed so far. */
export type Started = {
  readonly child: ChildProcess;
  readonly err: () => string;
  readonly ended: Promise<Ended>;
};

type StartOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Modules that are loaded first, also in threads. */
  readonly load?: readonly string[];
};

/** Starts `vitrine` from its source. */
export function startVitrine(args: readonly string[], options: StartOptions = {}): Started {
  const loads = (options.load ?? []).flatMap((module) => ['--import', module]);
  return start(process.execPath, ['--conditions=@vitrine/source', ...loads, program, ...args], options);
}

/** Starts a program. */
export function start(
  command: string,
  args: readonly string[],
  { env = {}, cwd = tmpdir() }: StartOptions = {},
): Started {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env } });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text));
  const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, ...said })));
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, err: () => said.err, ended };
}

/** Starts a recording that waits for programs, and reads its addresses. */
export async function startRecording(
  args: readonly string[],
  options: StartOptions = {},
): Promise<Started & { readonly page: string; readonly base: (provider: string) => string }> {
  const started = startVitrine(['record', '--no-open', ...args], options);
  while (!started.err().includes('GOOGLE_GEMINI_BASE_URL=')) {
    if (started.child.exitCode !== null) throw new Error(started.err());
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const [, page = ''] = /vitrine: (\S+)/.exec(started.err()) ?? [];
  const [, root = ''] = /GOOGLE_GEMINI_BASE_URL=(\S+)\/gemini/.exec(started.err()) ?? [];
  return { ...started, page, base: (provider) => `${root}/${provider}` };
}

/** Writes a program into a folder of its own; returns its path. */
export async function programFile(name: string, text: string): Promise<string> {
  const file = join(folderOfTest('record'), name);
  await writeFile(file, text);
  return file;
}

/** An answer as its bytes came; `isWhole` is false when the connection broke. */
type Received = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly isWhole: boolean;
};

/** Sends a request, without any change of what comes back. */
export function send(
  url: string,
  { headers = {}, body, method = 'POST' }: { headers?: object; body?: string; method?: string } = {},
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers: { ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => undefined);
      response.on('close', () => {
        const { statusCode: status = 0, headers: own, complete: isWhole } = response;
        resolve({ status, headers: own, body: Buffer.concat(chunks), isWhole });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The stream of an answer of chat completions. */
export function chatStream(delta: object, finish = 'stop'): string {
  const chunk = (choice: object): string =>
    `data: ${JSON.stringify({ id: 'a', model: 'm', choices: [{ index: 0, ...choice }] })}\n\n`;
  return `${chunk({ delta })}${chunk({ delta: {}, finish_reason: finish })}data: [DONE]\n\n`;
}

/** A whole answer of chat completions. */
export function chatAnswer(message: object, finish = 'stop'): string {
  const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason: finish };
  const usage = { prompt_tokens: 10, completion_tokens: 5 };
  return JSON.stringify({ id: 'a', model: 'm', choices: [choice], usage });
}
