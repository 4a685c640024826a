const secretWords =
  /api-?key|(?:access|account|auth|encryption|private|secret|shared|signing)-?key|pass-?(?:word|wd|phrase)|(?:^|-)pwd(?:-|$)|secrets?(?:-|$)|authorization|(?:^|-)auth$|credentials?|cookie|(?:access|api|auth|bearer|id|refresh|session)token$/;

/** Words before `token` that make it a count, or a mark in a text. */
const tokenOfText = /^(?:max|min|stop|eos|bos|pad|unk|start|end|first|last|per|special|prompt|completion)$/;

/**
 * True for names whose values should not be kept: `apiKey`, `OPENAI_API_KEY`, `access_token`, `clientSecret`,
 * `password`, `Authorization`; false for `max_tokens`, `promptCacheKey` and the like.
 */
export function isSecretName(name: string): boolean {
  const words = inWords(name);
  if (secretWords.test(words.join('-'))) return true;
  return words.at(-1) === 'token' && !tokenOfText.test(words.at(-2) ?? '');
}

/** The words of a name, of `OPENAI_API_KEY` as of `openaiApiKey`. Only the last 200 letters count. */
function inWords(name: string): string[] {
  return name
    .slice(-200)
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}
