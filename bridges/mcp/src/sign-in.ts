/** True when a request failed because nobody is signed in at the server, in the words of each version of the client. */
export function wantsSignIn(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const { status, code } = thrown as { readonly status?: unknown; readonly code?: unknown };
  const { name, mcpBrand } = thrown.constructor as { readonly name: string; readonly mcpBrand?: unknown };
  // Bundlers shorten the names of classes, and the client of the version 2 has a brand for that.
  const isUnauthorized = name === 'UnauthorizedError' || mcpBrand === 'mcp.UnauthorizedError';
  return isUnauthorized || status === 401 || code === 401;
}

/** The sentence about a server at which nobody is signed in. */
export function signInSentence(owner: string): string {
  return `Nobody is signed in at ${owner}, or the sign-in has expired: sign in there, and connect the client again with its \`authProvider\`.`;
}
