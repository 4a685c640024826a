/** The failure of a connection: never established, broken later, or silent for longer than the HTTP client waits. */
type NetworkFailure = 'unsent' | 'broken' | 'late';

/** The codes of Node, undici and Bun. A certificate is refused before anything is sent, and so is a broken header. */
const failures: readonly (readonly [NetworkFailure, RegExp])[] = [
  ['late', /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/],
  ['broken', /^(ECONNRESET|ECONNABORTED|EPIPE|ConnectionClosed|UND_ERR_SOCKET)$|^(UND_ERR_RES_|HPE_)/],
  [
    'unsent',
    /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPROTO|ConnectionRefused|FailedToOpenSocket|UND_ERR_CONNECT_TIMEOUT)$|CERT|^(UNABLE_TO_|ERR_(TLS|SSL|INVALID)_)/,
  ],
];

/** The most errors behind an error that are looked at. */
const maxCauses = 4;

/** The failure of a connection that an error, or one behind it, is about; null for any other error. Never throws. */
export function networkFailure(error: unknown, depth = 0): NetworkFailure | null {
  if (typeof error !== 'object' || error === null || depth > maxCauses) return null;
  try {
    const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
    const found = typeof code === 'string' ? failures.find(([, codes]) => codes.test(code)) : undefined;
    return found?.[0] ?? networkFailure(cause, depth + 1);
  } catch {
    return null;
  }
}
