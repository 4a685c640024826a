import { errorTable, type ErrorTableCode } from './errors/error-table.ts';
import type { ErrorTexts } from './errors/wire-errors.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { maskSecrets } from './mask-secrets.ts';
import { cutText } from './text.ts';

/** The texts for an error without a code: a hook, a store or a callback of the application has thrown it. */
const unexplained: ErrorTexts = {
  person: 'Something went wrong. Try again.',
  fix: 'Look at the message and its cause: application code (a hook, a store, a callback) has thrown.',
  operator: 'Look at the message: it comes from the application itself.',
};

/** The details of an error's data that help an operator, with the labels they are shown under. */
const details: readonly (readonly [key: string, name: string])[] = [
  ['provider', 'provider'],
  ['model', 'model'],
  ['status', 'status'],
  ['variable', 'environment variable'],
  ['requestId', 'request'],
];

/**
 * Explains an error to the person who chats, to the developer and to the operator. The operator's line names provider,
 * model, environment variable and request id where the error's data has them. Codes of other servers and of
 * applications get the texts of the nearest code here; an error without a code is no provider's failure. A provider's
 * explanation of a withheld answer is quoted to the person. Secrets are masked.
 *
 * `code` and `explanation` are for an application with sentences of its own: the code whose texts these are (null for
 * an error without a code), and the quoted explanation (null for none).
 */
export function explainError(error: {
  readonly code: string | null;
  readonly data?: JsonObject;
}): ErrorTexts & { readonly code: ErrorTableCode | null; readonly explanation: string | null } {
  const code = error.code === null ? null : nearestCode(error.code);
  const { person, fix, operator } = code === null ? unexplained : errorTable[code];
  const known = details.flatMap(([key, name]) => detail(name, error.data?.[key]));
  const given = error.code === 'content-filtered' ? error.data?.['explanation'] : null;
  const explanation = typeof given === 'string' ? maskSecrets(given) : null;
  return {
    person: explanation === null ? person : `${person} It says: ${explanation}`,
    fix,
    operator: known.length === 0 ? operator : `${operator} (${known.join(', ')})`,
    code,
    explanation,
  };
}

function detail(name: string, value: JsonValue | undefined): string[] {
  const isShown = (typeof value === 'string' && value !== '') || typeof value === 'number';
  return isShown ? [`${name} ${cutText(maskSecrets(String(value)), 100)}`] : [];
}

function nearestCode(code: string): ErrorTableCode {
  if (Object.hasOwn(errorTable, code)) return code as ErrorTableCode;
  const status = Number(/^http-(\d{3})$/.exec(code)?.[1] ?? 0);
  return status === 0 ? 'upstream-error' : codeOfStatus(status);
}

/** The code for the HTTP status of a server other than the proxy. */
function codeOfStatus(status: number): ErrorTableCode {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404 || status === 405) return 'not-found';
  if (status === 413) return 'body-too-large';
  if (status === 429) return 'upstream-rate-limited';
  return status >= 500 ? 'internal-error' : 'invalid-request';
}
