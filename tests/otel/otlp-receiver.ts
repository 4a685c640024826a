import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as OTLP sends it in JSON. */
export type OtlpSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
};
type OtlpRequest = {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
};

/** A receiver of OTLP over HTTP at `url`, as a collector has one, and the spans that it has. */
export type OtlpReceiver = {
  readonly url: string;
  readonly spans: () => readonly OtlpSpan[];
  readonly close: () => Promise<void>;
};

/** Starts a receiver. It takes JSON at `/v1/traces`, and answers 404 to all else. */
export async function startReceiver(): Promise<OtlpReceiver> {
  const received: OtlpSpan[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const data of request.setEncoding('utf8')) body += String(data);
    const isTraces = request.method === 'POST' && request.url === '/v1/traces';
    if (!isTraces || request.headers['content-type'] !== 'application/json')
      return response.writeHead(404).end();
    for (const { scopeSpans } of (JSON.parse(body) as OtlpRequest).resourceSpans)
      for (const { spans } of scopeSpans) received.push(...spans);
    return response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  return { url: await listen(server), spans: () => received, close: () => close(server) };
}

/** The name of each span behind the names of those above it, sorted. A parent that is not there is `missing`. */
export function pathsOf(spans: readonly OtlpSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const pathOf = ({ parentSpanId = '', name }: OtlpSpan): string => {
    if (parentSpanId === '') return name;
    const parent = byId.get(parentSpanId);
    return `${parent === undefined ? 'missing' : pathOf(parent)} > ${name}`;
  };
  return spans.map(pathOf).toSorted();
}

/** Starts a server at a free port. @returns its address */
export async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Ends a server with its connections. */
export async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
