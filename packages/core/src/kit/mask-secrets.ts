import { isSecretName } from './is-secret-name.ts';
import type { JsonValue } from './json.ts';

/** Stands where a secret was. */
export const mask = '•••';

// All repetitions that could start at many places are bounded, so that the time is linear in the length of the text.

const privateKey =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g;
const userInfo = /:\/\/[^\s/?#"<>]{0,500}@/g;
/** A password with a slash or a question mark in it; `//host:8080/@scope` is none. */
const oddPassword = /:\/\/[^\s/?#@:"<>]{0,200}:(?!\d{1,5}[/?#])[^\s@"<>]{0,500}@/g;
const queryValue = /([?&#][\w.~%[\]-]{1,200}=)[^\s&#"<>]+/g;
const bareQuery = /(:\/\/[^\s?#"<>]{1,500}\?)[^\s=&#"<>•]+(?=[\s#"<>]|$)/g;
const scheme = /\b(Bearer|Basic|Digest|Token|ApiKey)(\s{1,5})([\w.~+/=-]{6,})/gi;
const knownToken =
  /(^|[^A-Za-z0-9])(?:sk-[\w-]{6,}|[spr]k_(?:live|test)_\w{6,}|gh[pousr]_\w{10,}|github_pat_\w{10,}|glpat-[\w-]{10,}|xox[abeprs]-[\w-]{6,}|hf_\w{10,}|gsk_\w{10,}|xai-[\w-]{10,}|npm_\w{10,}|r8_\w{10,}|pplx-\w{10,}|whsec_[\w+/=]{6,}|shpat_\w{6,}|dop_v1_\w{6,}|A[KS]IA[A-Z0-9]{12,}|AIza[\w-]{20,}|ya29\.[\w.-]{6,}|SG\.[\w.-]{10,}|eyJ[\w-]{4,}\.[\w-]{4,}(?:\.[\w-]*)?)/g;

const quoted = /"(?:\\[\s\S]|[^"\\])*(?:"|$)|'[^']*(?:'|$)|\\"(?:[^\\]|\\(?!"))*(?:\\"|$)/.source;
const assigned = /(\\?["']?\s{0,5}[:=]\s{0,5})/.source;
/** `password: hunter2`, `"clientSecret":"…"`, `API key provided: …` */
const namedSecret = new RegExp(
  `((?:api|access|account|private|secret|signing)[-_ ]?key|passw(?:or)?d|passphrase|pwd|secret|credentials?|(?:access|auth|bearer|id|refresh|session)[-_]?token)(\\w{0,30}(?: \\w{1,20}){0,2})${assigned}(${quoted}|\\S+)`,
  'gi',
);
/** The whole line: schemes and cookies have parts. */
const header = new RegExp(`(authorization|cookie)${assigned}(${quoted}|[^\\r\\n]+)`, 'gi');
const namedToken =
  /(key|token|auth|signature|sig|sid)(\\?["']?\s{0,5}[:=]\s{0,5}\\?["']?)([\w.~+/=-]{16,})/gi;
const longToken = /[\w+-]{40,}/g;

/**
 * A text without what looks like a secret: user names, passwords and query values of URLs, values after names like
 * `password` or `Authorization`, and tokens of known form (`sk-…`, `Bearer …`, JWTs, private keys). Each becomes `•••`.
 * What has no such mark cannot be told from other text and stays.
 */
export function maskSecrets(text: string): string {
  return text
    .replace(privateKey, mask)
    .replace(oddPassword, `://${mask}@`)
    .replace(userInfo, `://${mask}@`)
    .replace(queryValue, `$1${mask}`)
    .replace(bareQuery, `$1${mask}`)
    .replace(
      header,
      (_found, name: string, sign: string, value: string) => `${name}${sign}${maskValue(value)}`,
    )
    .replace(
      namedSecret,
      (_found, name: string, rest: string, sign: string, value: string) =>
        `${name}${rest}${sign}${maskValue(value)}`,
    )
    .replace(scheme, (found, name: string, gap: string, value: string) =>
      looksRandom(value) ? `${name}${gap}${mask}` : found,
    )
    .replace(knownToken, `$1${mask}`)
    .replace(namedToken, (found, name: string, gap: string, value: string) =>
      looksRandom(value) ? `${name}${gap}${mask}` : found,
    )
    .replace(longToken, (found) =>
      /\d/.test(found) && /[a-z]/.test(found) && /[A-Z]/.test(found) ? mask : found,
    );
}

/** A copy of JSON in which every text is masked, and every value under the name of a secret. */
export function maskSecretsIn(value: JsonValue): JsonValue {
  if (typeof value === 'string') return maskSecrets(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(maskSecretsIn);
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [
      name,
      isSecretName(name) && child !== null ? mask : maskSecretsIn(child),
    ]),
  );
}

/** Quotes stay, so that what is around the value can still be read. */
function maskValue(value: string): string {
  const quote = /^\\?["']/.exec(value)?.[0] ?? '';
  return `${quote}${mask}${quote}`;
}

/** Words are not: "Basic information", "token: required-parameter". */
function looksRandom(value: string): boolean {
  return /\d/.test(value) || /[a-z][A-Z]/.test(value) || value.length >= 30;
}
