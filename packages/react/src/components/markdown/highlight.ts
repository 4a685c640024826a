import { common, createLowlight } from 'lowlight';

/** A piece of code with its highlighting class; null for plain text. */
export type Token = { readonly text: string; readonly className: string | null };

const lowlight = createLowlight(common);

/** Maximum length in characters; the highlighter takes quadratic time for some code. */
const longest = 6000;

/** Highlights a code as a flat list of tokens; null for an unknown language. */
export function highlight(code: string, language: string): readonly Token[] | null {
  if (code.length > longest || !lowlight.registered(language)) return null;
  const tokens: Token[] = [];
  const open = lowlight
    .highlight(language, code)
    .children.map((node) => ({ node, className: null as string | null }))
    .reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, className } = next;
    if (node.type === 'text') tokens.push({ text: node.value, className });
    if (node.type !== 'element') continue;
    const names = node.properties['className'];
    const own = Array.isArray(names) ? names.join(' ') : className;
    open.push(...node.children.map((child) => ({ node: child, className: own })).reverse());
  }
  return tokens;
}
