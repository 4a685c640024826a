type Node = {
  type: string;
  children?: Node[];
  value?: string;
  url?: string;
  alt?: string | null;
  title?: string | null;
  label?: string | null;
  identifier?: string;
  align?: (string | null)[] | null;
  position?: { start: { offset?: number }; end: { offset?: number } };
  data?: object;
};

/**
 * A remark plugin that keeps text which Markdown would drop: HTML, unused definitions, and cells beyond the
 * table head. Marks code blocks that may still grow.
 */
export function keepText(): (tree: Node, file: { toString: () => string }) => void {
  return (tree, file) => {
    const keep = createKeeper(String(file), unusedIn(tree));
    keep(tree, false);
  };
}

/** Definitions that nothing refers to, or that an earlier one of the same name hides. */
function unusedIn(tree: Node): (definition: Node) => boolean {
  const used = new Map<string, Node | null>();
  const collect = (node: Node): void => {
    if (/^(?:link|image|footnote)Reference$/.test(node.type)) used.set(nameOf(node), null);
    for (const child of node.children ?? []) collect(child);
  };
  collect(tree);
  return (definition) => {
    const name = nameOf(definition);
    const first = used.get(name);
    if (first === null) used.set(name, definition);
    return first !== null && first !== definition;
  };
}

function nameOf({ type, identifier = '' }: Node): string {
  return `${type.startsWith('footnote') ? '^' : ''}${identifier}`;
}

function createKeeper(source: string, isUnused: (definition: Node) => boolean) {
  return function keep(parent: Node, isInLink: boolean): void {
    if (!parent.children) return;
    const within = isInLink || parent.type === 'link' || parent.type === 'linkReference';
    const children = parent.children.flatMap((child) => replaceNode(child, parent, within));
    parent.children = children;
    for (const child of children) keep(child, within);
  };

  function replaceNode(child: Node, parent: Node, isInLink: boolean): Node[] {
    switch (child.type) {
      case 'html':
        return [isFlow(parent) ? plain(child.value ?? '') : text(child.value ?? '')];
      case 'definition':
      case 'footnoteDefinition':
        return isUnused(child) ? [plain(sourceOf(child))] : [child];
      case 'code':
        return [isClosed(sourceOf(child)) ? child : { ...child, data: { hProperties: { dataOpen: '' } } }];
      case 'math':
        // An unfinished formula stays text.
        return [isClosedFormula(sourceOf(child)) ? child : plain(sourceOf(child))];
      case 'table':
        return [withAllColumns(child)];
      case 'image':
      case 'imageReference':
      case 'link':
        // Links cannot be nested, but images and addresses in link texts would become nested links.
        return isInLink ? [text(sourceOf(child))] : [child];
      default:
        return [child];
    }
  }

  function sourceOf({ position }: Node): string {
    return source.slice(position?.start.offset, position?.end.offset);
  }
}

function isFlow({ type }: Node): boolean {
  return ['root', 'blockquote', 'listItem', 'footnoteDefinition'].includes(type);
}

function text(value: string): Node {
  return { type: 'text', value };
}

function isClosed(source: string): boolean {
  return /^\n[\s>]*(?:`{3,}|~{3,})\s*$/.test(source.slice(source.lastIndexOf('\n')));
}

function isClosedFormula(source: string): boolean {
  const end = source.trimEnd();
  const line = end.lastIndexOf('\n');
  return line >= 0 && end.endsWith('$$') && /^[\s>]*$/.test(end.slice(line, -2));
}

function plain(value: string): Node {
  return {
    type: 'paragraph',
    children: [text(value)],
    data: { hProperties: { className: ['vitrine-plain'] } },
  };
}

/** Adds columns up to the longest row, because cells without a head would be dropped. */
function withAllColumns(table: Node): Node {
  const align = [...(table.align ?? [])];
  const columns = Math.max(0, ...(table.children ?? []).map((row) => row.children?.length ?? 0));
  while (align.length < columns) align.push(null);
  return { ...table, align };
}
