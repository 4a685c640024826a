const remedies: Readonly<Record<number, string>> = {
  401: 'The sign-in is over: sign in again.',
  403: 'It refused the request, or wants a check of the browser: reload the page.',
  413: 'The request is too large for it: raise its limit for bodies, or send smaller files.',
  429: 'It limits requests: wait before you try again.',
  511: 'The network wants a sign-in: open any web page and sign in.',
};

/**
 * The failure of an answer that is not of the asked server, as a sign-in, a limit or a gateway in front of it gives.
 * Null for a page and for the statuses 404 and 405, which any server gives at an address that it does not know. `server`
 * and `request` are words of the message, e.g. `the proxy` and `POST https://…/v1/inference`.
 */
export function serverInFront(
  answer: Response,
  { server, request }: { readonly server: string; readonly request: string },
): { readonly code: string; readonly message: string; readonly retryable: boolean } | null {
  const { status } = answer;
  const front = `A server in front of ${server}`;
  if (answer.redirected) {
    // The query of a sign-in may hold secrets.
    const [page] = answer.url.split(/[?#]/);
    const message = `${front} redirected ${request} to ${page} (status ${status}), as it does when the sign-in is over. Sign in again. For requests of the page let it answer 401 instead.`;
    return { code: 'unauthorized', message, retryable: false };
  }
  if (answer.ok || status === 404 || status === 405) return null;
  const remedy = remedies[status] ?? (status >= 502 ? `It does not reach ${server}: see that it runs.` : '');
  const what = isPage(answer) ? `status ${status} and a web page` : `status ${status}`;
  const message = `${front} answered ${request} with ${what}. ${remedy}`.trimEnd();
  return { code: `http-${status}`, message, retryable: isTransient(status) };
}

/** True for an HTML page, which web servers return for any address. */
export function isPage({ headers }: Response): boolean {
  return /^text\/html\s*(;|$)/i.test(headers.get('content-type') ?? '');
}

/** True for an answer whose type says that it is no stream of events: a page, JSON or XML. */
export function isForeign({ headers }: Response): boolean {
  return /^(text\/html|application\/(.*\+)?(json|xml))\s*(;|$)/i.test(headers.get('content-type') ?? '');
}

/** True for the status of a failure that may be over at the next attempt. */
export function isTransient(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}
