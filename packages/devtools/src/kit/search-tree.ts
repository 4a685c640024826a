import { redact, redacted } from '@vitrine/inspect';
import { redactText } from '@vitrine/inspect/internal/redact';
import { describeNode } from './describe-node.ts';
import { childrenOf } from './tree-children.ts';
import { isSecretAt } from './tree-rows.ts';
import type { Texts } from '../texts.ts';

/** Maximum depth of a search; no document is deeper. */
const deepest = 1_000;

export type SearchHit = {
  /** The path with secrets redacted. */
  readonly path: string;
  /** The keys from the root; a key may contain dots. */
  readonly keys: readonly string[];
  readonly text: string;
};

export const mostHits = 300;

/** Searches the paths and values of a tree for a text, up to a limit of results. */
export function searchTree(
  root: unknown,
  rootKey: string,
  query: string,
  { texts, limit = mostHits }: { readonly texts: Texts; readonly limit?: number },
): SearchHit[] {
  const wanted = query.toLowerCase();
  const hits: SearchHit[] = [];
  // Steps share their messages, so each object is visited once.
  const seen = new Set<unknown>();
  const safeNames = new Map<string, string>();
  const safe = (name: string): string => {
    const known = safeNames.get(name) ?? redactText(name, 'key');
    safeNames.set(name, known);
    return known;
  };
  visit(root, rootKey, [rootKey], []);
  return hits;

  function visit(value: unknown, key: string, shown: readonly string[], keys: readonly string[]): void {
    if (hits.length >= limit || seen.has(value) || keys.length > deepest) return;
    if (typeof value === 'object' && value !== null) seen.add(value);
    const isSecret = isSecretAt(keys);
    const isLeaf = typeof value !== 'object' || value === null;
    const path = shown.join('.');
    const haystack =
      `${path} ${isLeaf && !isSecret ? String(redact(value, { path: keys })) : ''}`.toLowerCase();
    if (haystack.includes(wanted) && (isLeaf || shown.at(-1)?.toLowerCase().includes(wanted))) {
      hits.push({
        path,
        keys,
        text: isSecret ? redacted : describeNode(keys.length === 0 ? [key] : keys, value, texts),
      });
    }
    if (!isSecret)
      for (const [childKey, child] of childrenOf(value))
        visit(child, childKey, [...shown, safe(childKey)], [...keys, childKey]);
  }
}
