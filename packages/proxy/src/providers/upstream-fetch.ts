/**
 * `fetch` for calls of providers: it follows no redirect, which would carry the conversation, and with some providers the
 * key, to wherever an answer points. Models of {@link modelsFromEnv} have it; give it to providers that you make
 * yourself, e.g. `createOpenAI({ fetch: upstreamFetch })`.
 */
export const upstreamFetch: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'manual' });
