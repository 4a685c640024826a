import { parseSync } from 'oxc-parser';
import type { Node } from './recursion.ts';

/** A text in the code of an interface, with its place. Texts for people belong into the `texts` of the package. */
export type ShownWords = { readonly path: string; readonly line: number; readonly text: string };

/** Words that stand in the code of interfaces and that nobody reads. */
export const allowedWords: Readonly<Record<string, readonly string[]>> = {
  'keys of a keyboard': [
    'Alt',
    'Alt+Shift+V',
    'Control',
    'Digit',
    'End',
    'Enter',
    'Escape',
    'Home',
    'Key',
    'Meta',
    'Shift',
    'Tab',
  ],
  'names of types in code': ['Continuation', 'Date', 'Map (', 'Message', 'Set (', 'Usage'],
  'names of products and formats': ['Markdown', 'Vitrine'],
  'the type of a drag with files': ['Files'],
};

const allowed = new Set(Object.values(allowedWords).flat());

/** Attributes of elements, and props of components, that show or announce a text. */
const shownAttributes =
  /^(aria-(label|description|placeholder|roledescription|valuetext)|alt|title|placeholder|label|waiting)$/;
/** Attributes with words for the browser. */
const hiddenAttributes =
  /^(className|class|rel|d|id|style|accept|points|viewBox|transform|aria-describedby|aria-labelledby)$/;
/** A text that looks like a sentence or a label: a capitalised word, or two words with a space between them. */
const sentence = /^\p{Lu}\p{Ll}+([\s.,:;…!?]|$)|\p{L}[,.:;]? \p{L}/u;
const letters = /\p{L}/u;

/**
 * The texts for people in a file of an interface: texts of elements, texts in attributes that are shown or announced,
 * and other strings that look like a sentence or a label. Messages of thrown errors are for developers.
 */
export function shownWords(path: string, text: string): ShownWords[] {
  const found: ShownWords[] = [];
  const add = (node: Node, words: string): void => {
    if (allowed.has(words.trim())) return;
    const line = text.slice(0, Number(node['start'])).split('\n').length;
    if (!found.some((one) => one.line === line && one.text === words.trim()))
      found.push({ path, line, text: words.trim() });
  };
  const visit = (node: Node): void => {
    if (isForDevelopers(node)) return;
    if (node.type === 'JSXText' && letters.test(String(node['value']))) add(node, String(node['value']));
    if (node.type === 'JSXAttribute') {
      const name = nameOf(node);
      if (hiddenAttributes.test(name)) return;
      if (shownAttributes.test(name)) addValues(node['value'] as Node | null, letters, add);
    }
    if (node.type === 'JSXElement' || node.type === 'JSXFragment')
      for (const child of node['children'] as readonly Node[])
        if (child.type === 'JSXExpressionContainer') addValues(child, letters, add);
    for (const words of stringsIn(node)) if (sentence.test(words)) add(node, words);
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parseSync(path, text).program as unknown as Node);
  return found.toSorted((a, b) => a.line - b.line);
}

/** Adds the strings that an expression may have as its value. */
function addValues(node: Node | null, wanted: RegExp, add: (node: Node, words: string) => void): void {
  if (node === null) return;
  for (const words of stringsIn(node)) if (wanted.test(words)) add(node, words);
  const inner = ['expression', 'consequent', 'alternate', 'left', 'right'];
  if (
    /^(JSXExpressionContainer|ConditionalExpression|LogicalExpression|ParenthesizedExpression)$/.test(
      node.type,
    )
  )
    for (const name of inner) if (node[name]) addValues(node[name] as Node, wanted, add);
  if (node.type === 'BinaryExpression' && node['operator'] === '+')
    for (const side of ['left', 'right']) addValues(node[side] as Node, wanted, add);
}

/** The strings of a literal or template. */
function stringsIn(node: Node): readonly string[] {
  if (node.type === 'Literal' && typeof node['value'] === 'string') return [node['value']];
  if (node.type !== 'TemplateLiteral') return [];
  return (node['quasis'] as readonly Node[]).map((part) =>
    String((part['value'] as { cooked?: string }).cooked),
  );
}

/** Tells whether a node holds words for developers or programs only. */
function isForDevelopers(node: Node): boolean {
  if (/^(Import|Export(All|Named)Declaration$|TS)/.test(node.type) && node['declaration'] == null)
    return !/^TS(As|Satisfies|NonNull)/.test(node.type);
  if (node.type === 'NewExpression') return String((node['callee'] as Node)['name']).endsWith('Error');
  if (node.type === 'TaggedTemplateExpression') return (node['tag'] as Node)['name'] === 'css';
  if (node.type === 'CallExpression')
    return /^(Symbol|later)$/.test(String((node['callee'] as Node)['name']));
  if (node.type === 'VariableDeclarator') return (node['id'] as Node)['name'] === 'className';
  if (node.type === 'AssignmentExpression')
    return ((node['left'] as Node)['property'] as Node | undefined)?.['name'] === 'displayName';
  return node.type === 'ExpressionStatement' && node['directive'] != null;
}

function nameOf(attribute: Node): string {
  const name = attribute['name'] as { readonly name?: unknown };
  return typeof name.name === 'string' ? name.name : '';
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter((value): value is Node => typeof (value as Node | null)?.type === 'string');
}
