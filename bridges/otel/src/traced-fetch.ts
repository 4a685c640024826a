import { context as active, type Context, propagation } from '@opentelemetry/api';

/** The contexts of the model calls that are open, by the id of the call. */
export const callContexts = new Map<string, Context>();

/**
 * A `fetch` for `proxyInference({ fetch: tracedFetch })`. It sends the trace of a model call along, by the global
 * propagator (`traceparent`), so that the proxy's span of the call stands below that of the session.
 */
export const tracedFetch: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  const context = callContexts.get(headers.get('idempotency-key') ?? '');
  if (context === undefined) return globalThis.fetch(input, init);
  propagation.inject(context, headers, { set: (carrier, name, value) => carrier.set(name, value) });
  // An instrumentation of `fetch` makes a span below the active one, and sends that along.
  return active.with(context, () => globalThis.fetch(input, { ...init, headers }));
};
