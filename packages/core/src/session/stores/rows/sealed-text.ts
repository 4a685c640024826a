import * as errors from '../../../kit/errors.ts';
import { contentHash, contentHashLength, hasContentHash } from '../../../kit/content-hash.ts';

/** A value as JSON behind the hash of it, so that one sees when it was damaged. */
export function sealedText(value: unknown): string {
  const text = JSON.stringify(value);
  return contentHash(text) + text;
}

/** The value of a sealed text. @throws AgentError `state-invalid` for a damaged or foreign one; `what` names it. */
export function openSealed(sealed: string, what: string): unknown {
  const text = sealed.slice(contentHashLength);
  if (hasContentHash(text, sealed, 0)) return JSON.parse(text);
  throw errors.stateInvalid({ path: what, what: 'it is damaged, or something else has written it' });
}
