import { redact, redacted, redactText } from '@vitrine/core/inspect';
import { describeNode } from './describe-node.ts';
import { childrenOf } from './tree-children.ts';
import { isSecretAt } from './tree-rows.ts';

export type SearchHit = {
  /** As it may be shown. */
  readonly path: string;
  /** What leads there from the root; names may have dots in them. */
  readonly keys: readonly string[];
  readonly text: string;
};

/** So many are looked for. */
export const mostHits = 300;

/** Where a text occurs in a path or a value, up to a limit. */
export function searchTree(root: unknown, rootKey: string, query: string, limit = mostHits): SearchHit[] {
  const wanted = query.toLowerCase();
  const hits: SearchHit[] = [];
  // Steps share their messages: what was looked at once is not looked at again.
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
    if (hits.length >= limit || seen.has(value)) return;
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
        text: isSecret ? redacted : describeNode(keys.length === 0 ? [key] : keys, value),
      });
    }
    if (!isSecret)
      for (const [childKey, child] of childrenOf(value))
        visit(child, childKey, [...shown, safe(childKey)], [...keys, childKey]);
  }
}
