import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { bodyOf } from '../kit/direct-body.ts';
import { plainHeaders } from '../kit/plain-headers.ts';
import { upstreamFetch } from '../providers/upstream-fetch.ts';
import { incomingBody } from './incoming-body.ts';

/** Statuses without a body, for which `Response` refuses one. */
const bodiless: readonly (number | undefined)[] = [204, 205, 304];

/**
 * {@link upstreamFetch} over Node's HTTP client, which reads an answer in many small pieces without web streams:
 * `modelsFromEnv(process.env, { fetch: nodeUpstreamFetch })`. It uses `http.globalAgent` and `https.globalAgent`, asks
 * for uncompressed answers, and leaves bodies that are streams to `fetch`.
 */
export const nodeUpstreamFetch: typeof fetch = (input, init = {}) => {
  const { body = null, signal = null, method = 'GET' } = init;
  const isPlain = body === null || typeof body === 'string' || body instanceof Uint8Array;
  if (input instanceof Request || !isPlain) return upstreamFetch(input, init);
  const url = new URL(input);
  const given = plainHeaders(init.headers);
  const headers = { accept: '*/*', 'user-agent': 'node', ...given, 'accept-encoding': 'identity' };

  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void =>
      reject(signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause }));
    if (signal?.aborted) return fail(null);
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const call = send(url, { method, headers, ...(signal && { signal }) });
    call.on('error', fail);
    call.on('response', (answer) => {
      try {
        resolve(responseOf(answer, signal));
      } catch (error) {
        answer.destroy();
        fail(error);
      }
    });
    call.end(body);
  });
};

function responseOf(answer: IncomingMessage, signal: AbortSignal | null): Response {
  const { statusCode: status, statusMessage: statusText = '', rawHeaders } = answer;
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    headers.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  const isBodiless = bodiless.includes(status);
  if (isBodiless) answer.resume();
  const body = isBodiless ? null : decoded(answer, answer.headers['content-encoding'], signal);
  return new Response(body, { status: status ?? 0, statusText, headers });
}

/** Decompresses an answer. The request asked for an uncompressed one, but a server in between may ignore that. */
function decoded(
  answer: IncomingMessage,
  encoding: string | undefined,
  signal: AbortSignal | null,
): ReadableStream<Uint8Array> {
  const body = bodyOf(incomingBody(answer, signal));
  if (encoding === undefined || encoding === 'identity') return body;
  if (encoding === 'gzip' || encoding === 'deflate')
    return body.pipeThrough(new DecompressionStream(encoding) as ReadableWritablePair);
  throw new Error(`The provider answered with ${encoding}, though only "identity" was asked for.`);
}
