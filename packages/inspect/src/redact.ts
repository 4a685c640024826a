import { mask, maskSecrets } from '@vitrine/core/internal/kit/mask-secrets';
import { isSecretName } from '@vitrine/core/internal/kit/is-secret-name';
import { documentJson } from '@vitrine/core/internal/kit/json';

export { isSecretName } from '@vitrine/core/internal/kit/is-secret-name';

/** The replacement of a secret value. */
export const redacted: string = mask;

/** One value that was removed. */
export type Redaction = {
  /** Keys from the root, as they are shown. */
  readonly path: readonly string[];
  /**
   * The reason. `name`: the value is under the name of a secret. `pattern`: part of the text looks like a secret.
   * `sanitize`: the application removed it.
   */
  readonly by: 'name' | 'pattern' | 'sanitize';
};

/** Keys below which every value is removed. */
const closed: ReadonlySet<string> = new Set(['headers', 'env']);

/** Options of `redact`. */
export type RedactOptions = {
  /** Called with every value that was removed. */
  readonly onRedact?: ((redaction: Redaction) => void) | undefined;
  /** Keys that lead to the value, which remove it as they would in what contains it. Default: none. */
  readonly path?: readonly string[];
};

/**
 * A copy without secrets: by names (`apiKey`, `password`, everything below `headers` and `env`), by patterns in texts
 * and names (tokens, JWTs, keys in URLs), and by the functions of `sanitizeWith`. Returns the same value when there is
 * nothing to remove. The description of a field in a JSON Schema is kept, also under a secret name. All data that
 * leaves the panel or is shown in it passes this function.
 */
export function redact(value: unknown, { onRedact, path = [] }: RedactOptions = {}): unknown {
  const isClosed = path.some((name) => closed.has(name));
  const at = { depth: 0, path, isClosed, isSchema: false, onRedact };
  return value != null && path.some(isSecretName) ? hideValue(at, 'name') : visit(value, at);
}

export function redactText(text: string, name: string): string {
  const safe = redact(text, { path: [name] });
  return typeof safe === 'string' ? safe : redacted;
}

/** Depth limit: deeper values are removed. No document is deeper. */
const deepest = documentJson.depth;

type Visit = {
  readonly depth: number;
  readonly path: readonly string[];
  readonly isClosed: boolean;
  /** True when the names are those of fields that a schema describes. */
  readonly isSchema: boolean;
  readonly onRedact: ((redaction: Redaction) => void) | undefined;
};

function visit(value: unknown, at: Visit): unknown {
  if (at.isClosed && value !== null && typeof value !== 'object') return hideValue(at, 'name');
  if (typeof value !== 'object' || value === null) return leaf(value, at);
  if (at.depth >= deepest) return hideValue(at, 'pattern');
  if (Array.isArray(value)) {
    const items = value.map((item, index) => visit(item, below(at, String(index))));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const hasSchema = 'type' in value && value.type === 'object';
  const entries = Object.entries(value);
  const taken = new Set<string>();
  const next = entries.map(([name, child]): [string, unknown] => {
    const shown = shownName(name, taken);
    const inside = below(at, shown);
    if (shown !== name) at.onRedact?.({ path: inside.path, by: 'pattern' });
    const isSecret = !at.isSchema && isSecretName(name) && child !== null;
    if (isSecret) return [shown, hideValue(inside, 'name')];
    const isSchema = hasSchema && name === 'properties';
    return [shown, visit(child, { ...inside, isSchema, isClosed: at.isClosed || closed.has(name) })];
  });
  const isSame = next.every(([name, child], index) => {
    const [nameBefore, childBefore] = entries[index] ?? [];
    return name === nameBefore && child === childBefore;
  });
  return isSame ? value : Object.fromEntries(next);
}

/** The name as it is shown; numbered where needed, so that no two values share a name. */
function shownName(name: string, taken: Set<string>): string {
  const safe = maskedName(name);
  if (safe === name) return name;
  let shown = safe;
  for (let count = 2; taken.has(shown); count++) shown = `${safe} (${count})`;
  taken.add(shown);
  return shown;
}

/** The masked form of each name, because the same names repeat. */
const maskedNames = new Map<string, string>();
const mostNames = 5000;

function maskedName(name: string): string {
  const known = maskedNames.get(name);
  if (known !== undefined) return known;
  const masked = maskSecrets(name);
  if (maskedNames.size >= mostNames) maskedNames.clear();
  maskedNames.set(name, masked);
  return masked;
}

function leaf(value: unknown, at: Visit): unknown {
  if (value === undefined) return value;
  const shown = sanitizeValue(at.path, value);
  if (shown === undefined) return hideValue(at, 'sanitize');
  if (!Object.is(shown, value)) at.onRedact?.({ path: at.path, by: 'sanitize' });
  if (typeof shown !== 'string') return shown;
  const safe = maskSecrets(shown);
  if (safe !== shown && shown === value) at.onRedact?.({ path: at.path, by: 'pattern' });
  return safe;
}

function below(at: Visit, name: string): Visit {
  return { ...at, depth: at.depth + 1, path: [...at.path, name], isSchema: false };
}

function hideValue({ path, onRedact }: Visit, by: Redaction['by']): string {
  onRedact?.({ path, by });
  return redacted;
}

/**
 * Decides what may be shown of a value: returns the value or a replacement. `undefined` and an error mean `•••`.
 * @param path Keys that lead to the value, as far as they are known where it is shown; the last one is its own.
 * @param value A text, a number or a boolean.
 */
export type Sanitize = (path: readonly string[], value: string | number | bigint | boolean) => unknown;

const all: { readonly sanitize: Sanitize }[] = [];

/**
 * Registers a function that every value has to pass in `redact`, and with it in traces, exported tests, copies, other
 * pages and the panel. Running and stored data is unaffected.
 * @returns a function that removes it.
 */
export function sanitizeWith(sanitize: Sanitize): () => void {
  const one = { sanitize };
  all.push(one);
  return () => {
    const at = all.indexOf(one);
    if (at >= 0) all.splice(at, 1);
  };
}

/** The visible form of a value; undefined for none. */
function sanitizeValue(path: readonly string[], value: unknown): unknown {
  let shown = value;
  for (const { sanitize } of all) {
    if (!isAsked(shown)) break;
    try {
      shown = sanitize(path, shown);
    } catch {
      return undefined;
    }
  }
  return shown;
}

function isAsked(value: unknown): value is Parameters<Sanitize>[1] {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
}
