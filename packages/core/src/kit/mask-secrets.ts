import { type JsonValue, documentJson } from './json.ts';
import { isSecretName } from './is-secret-name.ts';

export const mask = '•••';

// All repetitions that could start at many places are bounded, so that the time is linear in the length of the text.

/** After its beginning it always matches, at the latest up to the end of the text, so each character is read once. */
const privateKey =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g;
const userInfo = /:\/\/[^\s/?#"<>]{0,500}@/g;

/** A password with a slash or a question mark in it. `//host:8080/@scope` does not match. */
const oddPassword = /:\/\/[^\s/?#@:"<>]{0,200}:(?!\d{1,5}[/?#])[^\s@"<>]{0,500}@/g;
const queryValue = /([?&#][\w.~%[\]-]{1,200}=)[^\s&#"<>]+/g;
const withQuery = /(:\/\/[^\s?#"<>]{1,500}\?)([^\s#"<>]+)/g;
const scheme = /\b(Bearer|Basic|Digest|Token|ApiKey)(\s{1,5})([\w.~+/=-]{6,})/gi;
const knownToken =
  /(^|[^A-Za-z0-9])(?:sk-[\w-]{6,}|[spr]k_(?:live|test)_\w{6,}|gh[pousr]_\w{10,}|github_pat_\w{10,}|glpat-[\w-]{10,}|xox[abeprs]-[\w-]{6,}|hf_\w{10,}|gsk_\w{10,}|xai-[\w-]{10,}|npm_\w{10,}|r8_\w{10,}|pplx-\w{10,}|whsec_[\w+/=]{6,}|shpat_\w{6,}|dop_v1_\w{6,}|A[KS]IA[A-Z0-9]{12,}|AIza[\w-]{20,}|ya29\.[\w.-]{6,}|SG\.[\w.-]{10,})/g;

/** It cannot begin inside a word, so that the following text is examined once. */
const jsonWebToken = /(^|[^\w-])eyJ[\w-]{4,}\.[\w-]{4,}(?:\.[\w-]*)?/g;

/** Each alternative always matches, at the latest up to the end of the text, so none is tried twice. */
const quoted = /"(?:\\[\s\S]|[^"\\])*(?:"|\\?$)|'[^']*(?:'|$)|\\"(?:[^\\]|\\(?!"))*(?:\\"|$)/.source;
const assigned = /(\\?["']?\s{0,5}[:=]\s{0,5})/.source;

/** `password: hunter2`, `"clientSecret":"…"`, `API key provided: …` */
const namedSecret = new RegExp(
  `((?:api|access|account|private|secret|signing)[-_ ]?key|passw(?:or)?d|passphrase|pwd|secret|credentials?|(?:access|auth|bearer|id|refresh|session)[-_]?token)(\\w{0,30}(?: \\w{1,20}){0,2})${assigned}(${quoted}|\\S+)`,
  'gi',
);

/** The rest of the line, because schemes and cookies have several parts. */
const header = new RegExp(`(authorization|cookie)${assigned}(${quoted}|[^\\r\\n]+)`, 'gi');
const namedToken =
  /(key|token|auth|signature|sig|sid)(\\?["']?\s{0,5}[:=]\s{0,5}\\?["']?)([\w.~+/=-]{16,})/gi;
const longToken = /[\w+-]{40,}/g;

/**
 * Masks secrets in a text: user names, passwords and query values of URLs, values after names like `password` or
 * `Authorization`, and tokens of known form (`sk-…`, `Bearer …`, JWTs, private keys). Each becomes `•••`. A secret
 * without such a mark cannot be recognised and stays. Never throws, whatever the length of the text.
 */
export function maskSecrets(text: string): string {
  if (text.length <= longestRun) return maskText(text);
  try {
    return maskText(text);
  } catch {
    // A run of several million characters is too long for the patterns of an engine.
    return maskLong(text);
  }
}

/** The longest run without a blank that the patterns read in every engine. */
const longestRun = 1_000_000;

/** Masks a text and its longest runs as well; the whole text where the patterns still cannot read it. */
function maskLong(text: string): string {
  let result = '';
  let [kept, start] = [0, 0];
  for (let at = 0; at <= text.length; at++) {
    if (text.charCodeAt(at) > 32) continue;
    if (at - start > longestRun) {
      result += text.slice(kept, start) + mask;
      kept = at;
    }
    start = at + 1;
  }
  try {
    return maskText(result + text.slice(kept));
  } catch {
    return mask;
  }
}

function maskText(text: string): string {
  return text
    .replace(privateKey, mask)
    .replace(oddPassword, `://${mask}@`)
    .replace(userInfo, `://${mask}@`)
    .replace(queryValue, `$1${mask}`)
    .replace(withQuery, (_found, address: string, query: string) => `${address}${maskQuery(query)}`)
    .replace(
      header,
      (_found, name: string, sign: string, value: string) => `${name}${sign}${maskValue(value)}`,
    )
    .replace(
      namedSecret,
      (_found, name: string, rest: string, sign: string, value: string) =>
        `${name}${rest}${sign}${maskValue(value)}`,
    )
    .replace(scheme, maskRandom)
    .replace(jsonWebToken, `$1${mask}`)
    .replace(knownToken, `$1${mask}`)
    .replace(namedToken, maskRandom)
    .replace(longToken, (found) =>
      /\d/.test(found) && /[a-z]/.test(found) && /[A-Z]/.test(found) ? mask : found,
    );
}

/** A copy of JSON with every text masked, and whole values under the name of a secret or too deep. */
export function maskSecretsIn(value: JsonValue, depth = 0): JsonValue {
  if (typeof value === 'string') return maskSecrets(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= documentJson.depth) return mask;
  if (Array.isArray(value)) return value.map((child: JsonValue) => maskSecretsIn(child, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [
      name,
      isSecretName(name) && child !== null ? mask : maskSecretsIn(child, depth + 1),
    ]),
  );
}

/** Masks a query without names and values as a whole, also that of an address within the query of another one. */
function maskQuery(query: string): string {
  if (!/[=&•]/.test(query)) return mask;
  const inner = query.lastIndexOf('?') + 1;
  const isBare = inner > 0 && inner < query.length && !/[=&•]/.test(query.slice(inner));
  const isAddress = isBare && /:\/\/[^?]{1,500}$/.test(query.slice(Math.max(0, inner - 504), inner - 1));
  return isAddress ? query.slice(0, inner) + mask : query;
}

/** Masks a value and keeps its quotes, so that the surrounding text remains readable. */
function maskValue(value: string): string {
  const quote = /^\\?["']/.exec(value)?.[0] ?? '';
  return `${quote}${mask}${quote}`;
}

/** Masks a random-looking value. Words do not count: "Basic information", "token: required-parameter". */
function maskRandom(found: string, name: string, gap: string, value: string): string {
  const isRandom = /\d/.test(value) || /[a-z][A-Z]/.test(value) || value.length >= 30;
  return isRandom ? `${name}${gap}${mask}` : found;
}
