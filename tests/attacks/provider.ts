import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The requests that a provider received. */
export type Sent = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

/** A provider with a mouth that is too big: it tells in every answer what it should keep for itself. */
export type Provider = {
  readonly url: string;
  readonly sent: Sent[];
  /** The status of its answers, and where a redirect leads. */
  answer: { readonly status: number; readonly location?: string; readonly body?: string };
  readonly close: () => Promise<void>;
};

const answered = ['Hello ', 'you']
  .map((content) => ({ index: 0, delta: { content } }))
  .concat({ index: 0, delta: { content: '' }, finish_reason: 'stop' } as never)
  .map((choice) => `data: ${JSON.stringify({ id: 'x', model: 'm', choices: [choice] })}\n\n`);

/** Starts one that speaks OpenAI's protocol. `secrets` are in its headers and in the bodies of its errors. */
export async function startProvider(secrets: readonly string[]): Promise<Provider> {
  const sent: Sent[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (data: Buffer) => (body += data.toString()));
    request.on('end', () => {
      sent.push({ path: request.url ?? '', headers: request.headers, body });
      const { status, location, body: text } = provider.answer;
      response.writeHead(status, {
        'content-type': status === 200 ? 'text/event-stream' : 'application/json',
        'set-cookie': `provider=${secrets.join('-')}`,
        'openai-organization': secrets.join('-'),
        'x-ratelimit-remaining-requests': secrets.join('-'),
        ...(location === undefined ? {} : { location }),
      });
      response.end(
        text ??
          (status === 200
            ? `${answered.join('')}data: [DONE]\n\n`
            : JSON.stringify({ error: { message: `Wrong key: ${secrets.join(' ')}`, code: secrets[0] } })),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const provider: Provider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    answer: { status: 200 },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return provider;
}
