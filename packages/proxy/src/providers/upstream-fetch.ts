/**
 * `fetch` for calls of providers, which follows no redirect: a redirect would carry the conversation, and with some
 * providers the key, to any address that an answer names. Models of {@link modelsFromEnv} use it; give it to providers
 * that you create yourself, e.g. `createOpenAI({ fetch: upstreamFetch })`.
 */
export const upstreamFetch: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'manual' });
