import { common, createLowlight } from 'lowlight';

/** A piece of code, with the class of what it is; null for what needs no colour. */
export type Token = { readonly text: string; readonly className: string | null };

const lowlight = createLowlight(common);

/** Characters; longer code has one colour. What finds them takes time by the square of some code. */
const longest = 6000;

/** The pieces of a code; null for a language that is not known. However deep they are in each other, they come in a row. */
export function highlight(code: string, language: string): readonly Token[] | null {
  if (code.length > longest || !lowlight.registered(language)) return null;
  const tokens: Token[] = [];
  const open = lowlight
    .highlight(language, code)
    .children.map((node) => ({ node, className: null as string | null }))
    .toReversed();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, className } = next;
    if (node.type === 'text') tokens.push({ text: node.value, className });
    if (node.type !== 'element') continue;
    const names = node.properties['className'];
    const own = Array.isArray(names) ? names.join(' ') : className;
    open.push(...node.children.map((child) => ({ node: child, className: own })).toReversed());
  }
  return tokens;
}
