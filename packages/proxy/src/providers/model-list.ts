import { withoutEnd } from '@vitrine/core/internal/kit/text';
import { type EnvRecord, valueOf } from '../kit/env-record.ts';
import type { Provider } from './provider.ts';

const answerMs = 3000;
const maxBytes = 4 * 1024 * 1024;

/** The answer of a provider that was asked for its models. */
export type ModelList = {
  readonly status: number;
  readonly body: string;
  /** The listed names; none in an answer of another form. */
  readonly names: readonly string[];
};

/** Asks a provider for its models, in at most 3 s. @throws Error when it cannot be reached or sends too much. */
export async function askForModels(
  { variables, list }: Provider,
  env: EnvRecord,
  fetch: typeof globalThis.fetch,
): Promise<ModelList> {
  const base = withoutEnd(valueOf(env, variables.baseURL) ?? list.baseURL, '/');
  const response = await fetch(`${base}/models${list.query ?? ''}`, {
    headers: list.headers(valueOf(env, variables.apiKey) ?? ''),
    signal: AbortSignal.timeout(answerMs),
  });
  const body = await bodyOf(response);
  return { status: response.status, body, names: namesIn(body) };
}

async function bodyOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Error(`The list of models has more than ${maxBytes} bytes.`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The model names in an answer of OpenAI or Anthropic (`data`) or Google (`models`); none in any other. */
function namesIn(body: string): string[] {
  try {
    const { data, models } = JSON.parse(body) as { data?: unknown; models?: unknown };
    const list = Array.isArray(data) ? data : Array.isArray(models) ? models : [];
    return list.flatMap((entry: unknown) => nameIn(entry));
  } catch {
    return [];
  }
}

function nameIn(entry: unknown): string[] {
  if (typeof entry !== 'object' || entry === null) return [];
  const { id, name } = entry as { id?: unknown; name?: unknown };
  const text = typeof id === 'string' ? id : name;
  return typeof text === 'string' && text !== '' ? [text.replace(/^models\//, '')] : [];
}

/** Milliseconds after which a list is asked for again: after an answer, and after a failure. */
const freshMs = { listed: 30_000, failed: 5000 };

/** Keeps the list of `ask` (null when it fails). The first need waits; an old list is renewed while it is used. */
export function keptList<Item>(
  ask: () => Promise<readonly Item[] | null>,
  now: () => number = Date.now,
): () => Promise<readonly Item[] | null> {
  let known: readonly Item[] | null = null;
  let askedAt = -Infinity;
  let asking: Promise<readonly Item[] | null> | null = null;
  return async () => {
    if (asking === null && now() - askedAt > (known === null ? freshMs.failed : freshMs.listed)) {
      asking = ask().then((list) => {
        asking = null;
        askedAt = now();
        return (known = list ?? known);
      });
    }
    return known ?? asking;
  };
}
