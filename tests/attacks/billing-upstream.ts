import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The end of an answer of a model. */
export type Ending = 'usage' | 'no-usage' | 'cut' | 'cut-after-end' | 'hang' | 'status-500' | 'status-429';

/** The behaviour that a question asks of a model; it stands in the question. */
export type Plan = {
  /** Tokens that are thought without a word. */
  readonly thinks: number;
  /** Tokens that are said. */
  readonly says: number;
  readonly ends: Ending;
};

/** A provider that writes a bill. */
export type BillingUpstream = {
  readonly url: string;
  /** Tokens that the calls of a user have cost, each call by itself. */
  readonly bills: (user: string) => readonly number[];
  readonly close: () => Promise<void>;
};

const chunk = (more: object): string =>
  `data: ${JSON.stringify({ id: 'x', model: 'm', choices: [], ...more })}\n\n`;

/** The question that makes a model do this, for the bill of a user. */
export const questionFor = (user: string, plan: Plan): string =>
  `plan:${Buffer.from(JSON.stringify({ user, ...plan })).toString('base64url')}`;

/**
 * Starts a provider that speaks OpenAI's protocol and bills as the dearest do: input by its bytes / 3, and all output that
 * was asked for, up to its limit, though it is thought in silence or its reader has left.
 */
export async function startBillingUpstream(): Promise<BillingUpstream> {
  const bills = new Map<string, number[]>();
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (data: Buffer) => pieces.push(data));
    request.on('end', () => {
      const bytes = Buffer.concat(pieces);
      const { user, ...plan } = planOf(bytes.toString());
      if (plan.ends === 'status-429') return void response.writeHead(429).end();
      const input = Math.ceil(bytes.length / 3);
      const most = (JSON.parse(bytes.toString()) as { max_tokens?: number }).max_tokens ?? Infinity;
      const output = Math.min(most, outputOf(plan));
      bills.set(user, [...(bills.get(user) ?? []), input + Math.min(output, 1_000_000)]);
      void answer(response, plan, { prompt_tokens: input, completion_tokens: output });
    });
    request.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bills: (user) => bills.get(user) ?? [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The output that is billed. Of an answer that the provider itself fails to give, it bills what it has given. */
function outputOf({ thinks, says, ends }: Plan): number {
  if (ends === 'hang') return Infinity;
  if (ends === 'status-500') return 0;
  return ends === 'cut' ? says : thinks + says;
}

function planOf(body: string): Plan & { readonly user: string } {
  const [, plan = ''] = /plan:([\w-]+)/.exec(body) ?? [];
  return JSON.parse(Buffer.from(plan, 'base64url').toString()) as Plan & { readonly user: string };
}

async function answer(
  response: ServerResponse,
  { thinks, says, ends }: Plan,
  usage: { readonly prompt_tokens: number; readonly completion_tokens: number },
): Promise<void> {
  const pause = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 2));
  if (thinks > 0) await pause();
  if (ends === 'hang') return;
  if (ends === 'status-500') return void response.writeHead(500).end('{}');
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const said = Math.min(says, usage.completion_tokens);
  for (let at = 0; at < said; at += 100) {
    const content = 'word '.repeat(Math.min(100, said - at));
    response.write(chunk({ choices: [{ index: 0, delta: { content } }] }));
    await pause();
  }
  if (ends === 'cut') return void response.destroy();
  response.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
  if (ends === 'usage' || ends === 'cut-after-end') {
    const total_tokens = usage.prompt_tokens + usage.completion_tokens;
    response.write(chunk({ usage: { ...usage, total_tokens } }));
  }
  response.write('data: [DONE]\n\n');
  await pause();
  if (ends === 'cut-after-end') response.destroy();
  else response.end();
}
