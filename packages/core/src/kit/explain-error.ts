import type { ErrorFaces } from './errors/error-faces.ts';
import { errorTable, type ErrorTableCode } from './errors/error-table.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { maskSecrets } from './mask-secrets.ts';

/** What can be said of an error without a code: a hook, a store or a callback of the application has thrown it. */
const unexplained: ErrorFaces = {
  person: 'Something went wrong. Try again.',
  fix: 'Look at the message and its cause: something that the application gave (a hook, a store, a callback) has thrown.',
  operator: 'Look at the message: it comes from the application itself.',
};

/** What of an error's data helps an operator, under the name that it is shown with. */
const details: readonly (readonly [key: string, name: string])[] = [
  ['provider', 'provider'],
  ['model', 'model'],
  ['status', 'status'],
  ['variable', 'environment variable'],
  ['requestId', 'request'],
];

/**
 * What an error says to the person who chats, to the developer and to the operator, whose line names provider, model,
 * environment variable and request id where the error's data has them. Codes of other servers and of applications get
 * the faces of the nearest code here; what has none was thrown by something else, and is no provider's fault. A provider
 * that explained why it held an answer back is quoted to the person. Secrets are masked.
 */
export function explainError(error: {
  readonly code: string | null;
  readonly data?: JsonObject;
}): ErrorFaces {
  const { person, fix, operator } = error.code === null ? unexplained : errorTable[nearestCode(error.code)];
  const known = details.flatMap(([key, name]) => detail(name, error.data?.[key]));
  const explanation = error.code === 'content-filtered' ? error.data?.['explanation'] : null;
  const said = typeof explanation === 'string' ? ` It says: ${maskSecrets(explanation)}` : '';
  return {
    person: person + said,
    fix,
    operator: known.length === 0 ? operator : `${operator} (${known.join(', ')})`,
  };
}

function detail(name: string, value: JsonValue | undefined): string[] {
  const isShown = (typeof value === 'string' && value !== '') || typeof value === 'number';
  return isShown ? [`${name} ${maskSecrets(String(value)).slice(0, 100)}`] : [];
}

function nearestCode(code: string): ErrorTableCode {
  if (Object.hasOwn(errorTable, code)) return code as ErrorTableCode;
  const status = Number(/^http-(\d{3})$/.exec(code)?.[1] ?? 0);
  return status === 0 ? 'upstream-error' : codeOfStatus(status);
}

/** What an answer means that some other server than the proxy gave. */
function codeOfStatus(status: number): ErrorTableCode {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404 || status === 405) return 'not-found';
  if (status === 413) return 'body-too-large';
  if (status === 429) return 'upstream-rate-limited';
  return status >= 500 ? 'internal-error' : 'invalid-request';
}
