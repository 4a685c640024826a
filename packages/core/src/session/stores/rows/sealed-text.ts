import * as errors from '../../../kit/errors.ts';
import { readJson } from '../../../kit/json.ts';
import { contentHash, contentHashLength, hasContentHash } from '../../../kit/hash.ts';

/** A value as JSON behind its hash, so that damage is detected. */
export function sealedText(value: unknown): string {
  const text = JSON.stringify(value);
  return contentHash(text) + text;
}

/**
 * Parses a sealed text; `what` names it in errors. @throws AgentError `state-invalid` for a damaged or
 * foreign text
 */
export function openSealed(sealed: string, what: string): unknown {
  const text = sealed.slice(contentHashLength);
  const json = hasContentHash(text, sealed, 0) ? readJson(text) : null;
  if (json?.ok) return json.value;
  throw errors.stateInvalid({ path: what, what: 'it is damaged, or something else has written it' });
}
