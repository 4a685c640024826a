import { isSecretName } from '../kit/is-secret-name.ts';
import { mask, maskSecrets } from '../kit/mask-secrets.ts';
import { sanitized } from './sanitize.ts';

export { isSecretName } from '../kit/is-secret-name.ts';

/** Stands where the value of a secret was. */
export const redacted: string = mask;

/** One value that was taken out. */
export type Redaction = {
  /** Keys from the root, as they are shown. */
  readonly path: readonly string[];
  /**
   * `name`: it stands under the name of a secret. `pattern`: a part of the text looks like one. `sanitize`: the
   * application says so.
   */
  readonly by: 'name' | 'pattern' | 'sanitize';
};

/** What stands below these is told to nobody, whatever its name is. */
const closed: ReadonlySet<string> = new Set(['headers', 'env']);

/** Where a value stands, and who is told. */
export type RedactOptions = {
  /** Hears of every value that was taken out. */
  readonly onRedact?: ((redaction: Redaction) => void) | undefined;
  /** Names that lead to the value. Default: none. */
  readonly path?: readonly string[];
};

/**
 * A copy without secrets, by names (`apiKey`, `password`, all below `headers` and `env`), by what looks like one in texts
 * and names (tokens, JWTs, keys in URLs), and by what `sanitizeWith` was given; the same value when there are none. What
 * a JSON Schema says of a field named like a secret stays. The one function for all that leaves the panel, and for what
 * it shows.
 */
export function redact(value: unknown, { onRedact, path = [] }: RedactOptions = {}): unknown {
  return visit(value, { path, isClosed: false, isSchema: false, onRedact });
}

/** A text without secrets that stands under the name. */
export function redactText(text: string, name: string): string {
  const safe = redact(text, { path: [name] });
  return typeof safe === 'string' ? safe : redacted;
}

/** What `redact` takes out. */
export function redactionsIn(value: unknown): readonly Redaction[] {
  const found: Redaction[] = [];
  redact(value, { onRedact: (redaction) => found.push(redaction) });
  return found;
}

type Visit = {
  readonly path: readonly string[];
  readonly isClosed: boolean;
  /** The names are those of fields that a schema describes. */
  readonly isSchema: boolean;
  readonly onRedact: ((redaction: Redaction) => void) | undefined;
};

function visit(value: unknown, at: Visit): unknown {
  if (at.isClosed && value !== null && typeof value !== 'object') return hidden(at, 'name');
  if (typeof value !== 'object' || value === null) return leaf(value, at);
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
    if (isSecret) return [shown, hidden(inside, 'name')];
    const isSchema = hasSchema && name === 'properties';
    return [shown, visit(child, { ...inside, isSchema, isClosed: at.isClosed || closed.has(name) })];
  });
  const isSame = next.every(([name, child], index) => {
    const [nameBefore, childBefore] = entries[index] ?? [];
    return name === nameBefore && child === childBefore;
  });
  return isSame ? value : Object.fromEntries(next);
}

/** A name as it may be shown: another one for each, as nothing of what stands under them may be lost. */
function shownName(name: string, taken: Set<string>): string {
  const safe = maskedName(name);
  if (safe === name) return name;
  let shown = safe;
  for (let count = 2; taken.has(shown); count++) shown = `${safe} (${count})`;
  taken.add(shown);
  return shown;
}

/** The same few names stand everywhere. */
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
  const shown = sanitized(at.path, value);
  if (shown === undefined) return hidden(at, 'sanitize');
  if (!Object.is(shown, value)) at.onRedact?.({ path: at.path, by: 'sanitize' });
  if (typeof shown !== 'string') return shown;
  const safe = maskSecrets(shown);
  if (safe !== shown && shown === value) at.onRedact?.({ path: at.path, by: 'pattern' });
  return safe;
}

function below(at: Visit, name: string): Visit {
  return { ...at, path: [...at.path, name], isSchema: false };
}

function hidden({ path, onRedact }: Visit, by: Redaction['by']): string {
  onRedact?.({ path, by });
  return redacted;
}
