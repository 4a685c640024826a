import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { SentBody } from './body-text.ts';

/** The side that ended an exchange before its end; null for a whole answer. */
export type Cut = 'program' | 'upstream' | null;

/** The copy of a request or an answer. Times are in monotonic milliseconds. */
type Half = SentBody & { readonly id: number; readonly at: number };

export type CopiedRequest = Half & {
  readonly type: 'request';
  readonly method: string;
  readonly path: string;
  /** The name of the client library. */
  readonly client: string;
};

export type CopiedAnswer = Half & {
  readonly type: 'answer';
  readonly status: number;
  readonly contentType: string;
  readonly cut: Cut;
  readonly firstAt: number;
};

/** The path of batches of spans; those of models begin with a slash. */
export const spansPath = 'spans';

/** Most bytes of a body, and of all bodies that were not read yet. */
const most = { body: 64 * 2 ** 20, all: 80 * 2 ** 20 } as const;

/** The copies of exchanges on their way to the reader. */
export class Copies {
  /** Exchanges that have begun. */
  count = 0;
  /** Exchanges that have not ended. */
  running = 0;
  /** Bytes that were not read yet. */
  held = 0;
  readonly post: (half: CopiedRequest | CopiedAnswer) => void;

  constructor(post: Copies['post']) {
    this.post = post;
  }

  begin(request: IncomingMessage, path: string): Copy {
    this.running++;
    this.count++;
    return new Copy(this, request, path);
  }

  /** Takes a batch of telemetry. Only traces are read; the program hears of each that it has come. */
  takeBatch(request: IncomingMessage, response: ServerResponse, path: string): void {
    const copy = new Copy(this, request, spansPath);
    const isTraces = path === '/v1/traces';
    request.on('data', (chunk: Buffer) => isTraces && copy.addRequest(chunk)).on('error', () => undefined);
    request.once('end', () => response.writeHead(200).end());
    request.once('close', () => isTraces && copy.endRequest());
  }
}

/** The copy of one exchange. */
export class Copy {
  readonly #copies: Copies;
  readonly #id: number;
  readonly #request: IncomingMessage;
  readonly #path: string;
  #chunks: Buffer[] | null = [];
  #size = 0;
  #firstAt: number | null = null;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #state: 'asking' | 'answering' | 'ended' = 'asking';

  constructor(copies: Copies, request: IncomingMessage, path: string) {
    this.#copies = copies;
    this.#id = copies.count;
    this.#request = request;
    this.#path = path;
  }

  /** A piece of the request. */
  addRequest(chunk: Buffer): void {
    if (this.#state === 'asking') this.#keep(chunk);
  }

  /** The request is complete, or its answer came before. */
  endRequest(): void {
    if (this.#state !== 'asking') return;
    this.#state = 'answering';
    const { method = '', headers } = this.#request;
    const client = clientOf(headers['user-agent']);
    this.#copies.post({ type: 'request', ...this.#half(headers), method, path: this.#path, client });
  }

  beginAnswer(status: number, headers: IncomingHttpHeaders): void {
    this.endRequest();
    this.#status = status;
    this.#headers = headers;
    this.#firstAt = performance.now();
  }

  /** A piece of the answer. */
  addAnswer(chunk: Buffer): void {
    this.#keep(chunk);
  }

  end(cut: Cut): void {
    if (this.#state === 'ended') return;
    this.endRequest();
    this.#state = 'ended';
    this.#copies.running--;
    const contentType = this.#headers['content-type'] ?? '';
    const half = this.#half(this.#headers);
    const rest = { status: this.#status, contentType, cut, firstAt: this.#firstAt ?? half.at };
    this.#copies.post({ type: 'answer', ...half, ...rest });
  }

  #keep(chunk: Buffer): void {
    if (this.#chunks === null) return;
    this.#size += chunk.length;
    this.#copies.held += chunk.length;
    if (this.#size <= most.body && this.#copies.held <= most.all) return void this.#chunks.push(chunk);
    this.#copies.held -= this.#size;
    this.#chunks = null;
  }

  /** The body so far; another one begins. */
  #half(headers: IncomingHttpHeaders): Half {
    // One copy, which is handed over to the reader.
    const bytes = this.#chunks === null ? null : new Uint8Array(this.#size);
    let at = 0;
    for (const chunk of this.#chunks ?? []) {
      bytes?.set(chunk, at);
      at += chunk.length;
    }
    this.#chunks = [];
    this.#size = 0;
    return { id: this.#id, at: performance.now(), bytes, encoding: headers['content-encoding'] ?? null };
  }
}

const clients = [
  [/claude-cli/, 'Claude Code'],
  [/ai-sdk|\bai\/\d/, 'AI SDK'],
  [/agents/i, 'OpenAI Agents'],
  [/langchain/i, 'LangChain'],
  [/anthropic/i, 'Anthropic SDK'],
  [/openai/i, 'OpenAI SDK'],
] as const;

/** The name of a client library. */
function clientOf(agent = ''): string {
  return clients.find(([mark]) => mark.test(agent))?.[1] ?? (agent.split(/[ /]/)[0] || 'Agent');
}
