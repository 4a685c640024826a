import { readFileSync } from 'node:fs';
import { type Comment, parseSync } from 'oxc-parser';
import { root } from '../root.ts';

/** A member of an object type. */
export type Member = {
  readonly name: string;
  /** The type as it is written, on one line. */
  readonly type: string;
  /** The parameters of a function by name, such as `message, options?`; null for data. */
  readonly parameters: string | null;
  /** The result of a function; null for data. */
  readonly result: string | null;
  /** The doc comment as one paragraph, without tags; empty for none. */
  readonly comment: string;
};

/**
 * One alternative of a union or one entry of a list: its literal, or the literal of its field `type`. Of a table of fields it
 * is one key.
 */
export type Choice = {
  readonly value: string;
  /** The other fields of an alternative that is an object. */
  readonly members: readonly Member[];
  readonly comment: string;
};

/** The types and lists of one source file. Every function but `has` throws for a name that the file does not declare. */
export type SourceTypes = {
  /** The members of an object type, with those of the types in this file that it is made of. */
  readonly members: (type: string) => readonly Member[];
  /** The alternatives of a union type, or the entries of a constant list or table of fields. */
  readonly choices: (name: string) => readonly Choice[];
  /** The doc comment of a declaration. */
  readonly comment: (name: string) => string;
  readonly has: (name: string) => boolean;
};

type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<
  Record<string, unknown>
>;

/** Reads the types of a source file, by its path from the root of the repository. */
export function sourceTypes(path: string): SourceTypes {
  const text = readFileSync(`${root}/${path}`, 'utf8');
  const { program, comments } = parseSync(path, text);
  const declared = declarationsOf(program.body as unknown as readonly Node[]);
  const before = (start: number): string => commentBefore(text, comments, start);
  const written = (node: Node): string => text.slice(node.start, node.end).replaceAll(/\s+/g, ' ');
  const find = (name: string): { readonly node: Node; readonly start: number } => {
    const found = declared.get(name);
    if (found === undefined) throw new Error(`${path} does not declare ${name}.`);
    return found;
  };

  function membersIn(node: Node): readonly Member[] {
    if (node.type === 'TSTypeLiteral' || node.type === 'TSInterfaceBody')
      return listOf(node, node.type === 'TSTypeLiteral' ? 'members' : 'body').flatMap(toMember);
    if (node.type === 'TSParenthesizedType') return membersIn(node['typeAnnotation'] as Node);
    if (node.type === 'TSIntersectionType' || node.type === 'TSUnionType')
      return listOf(node, 'types').flatMap(membersIn);
    const name = referredName(node);
    const referred = name === null ? undefined : declared.get(name);
    return referred === undefined ? [] : membersIn(bodyOf(referred.node));
  }

  function toMember(node: Node): readonly Member[] {
    const name = keyOf(node);
    const annotation = (node['typeAnnotation'] as Node | null | undefined)?.['typeAnnotation'] as
      Node | undefined;
    if (name === undefined || annotation === undefined) return [];
    const isFunction = annotation.type === 'TSFunctionType';
    const isOptional = node['optional'] === true;
    return [
      {
        name: isOptional ? `${name}?` : name,
        type: written(annotation),
        parameters: isFunction ? listOf(annotation, 'params').map(parameterName).join(', ') : null,
        result: isFunction ? written((annotation['returnType'] as Node)['typeAnnotation'] as Node) : null,
        comment: before(node.start),
      },
    ];
  }

  function choicesIn(node: Node, comment: string): readonly Choice[] {
    if (node.type === 'TSParenthesizedType') return choicesIn(node['typeAnnotation'] as Node, comment);
    if (node.type === 'TSUnionType')
      return listOf(node, 'types').flatMap((one) => choicesIn(one, before(one.start)));
    const literal = (node['literal'] ?? node) as { readonly value?: unknown };
    if (typeof literal.value === 'string') return [{ value: literal.value, members: [], comment }];
    const name = referredName(node);
    const referred = name === null ? undefined : declared.get(name);
    if (referred !== undefined) return choicesIn(bodyOf(referred.node), before(referred.start));
    const members = membersIn(node);
    const kinds = members.find((member) => member.name === 'type')?.type.match(/'[^']+'/g) ?? [];
    const others = members.filter((member) => member.name !== 'type');
    return kinds.map((kind) => ({ value: kind.slice(1, -1), members: others, comment }));
  }

  /** The constant of a name, or the node itself; of a check its table. */
  function tableOf(node: Node): { readonly node: Node; readonly comment: string } {
    const named = (node['object'] as Node | undefined) ?? node;
    const found = named.type === 'Identifier' ? declared.get(String(named['name'])) : undefined;
    const body = found === undefined ? node : bodyOf(found.node);
    const [table = body] = body.type === 'CallExpression' ? listOf(body, 'arguments') : [];
    return {
      node: table.type === 'ObjectExpression' ? table : body,
      comment: before(found?.start ?? node.start),
    };
  }

  /** The fields of a table of checks. */
  function fieldsIn(node: Node): readonly Member[] {
    return listOf(node, 'properties').flatMap((property) => {
      if (property.type === 'SpreadElement') return fieldsIn(tableOf(property['argument'] as Node).node);
      const check = tableOf(property['value'] as Node).node;
      const isOptional = written(check).startsWith('is.optional(');
      const name = `${keyOf(property)}${isOptional ? '?' : ''}`;
      return [
        { name, type: written(check), parameters: null, result: null, comment: before(property.start) },
      ];
    });
  }

  return {
    members: (type) => membersIn(bodyOf(find(type).node)),
    choices(name) {
      const body = bodyOf(find(name).node);
      if (body.type === 'ObjectExpression')
        return listOf(body, 'properties').map((property) => {
          const table = tableOf(property['value'] as Node);
          const comment = before(property.start) || table.comment;
          return { value: keyOf(property) ?? '', members: fieldsIn(table.node), comment };
        });
      const elements = body.type === 'ArrayExpression' ? listOf(body, 'elements') : [body];
      return elements.flatMap((one) => choicesIn(one, before(one.start)));
    },
    comment: (name) => before(find(name).start),
    has: (name) => declared.has(name),
  };
}

function keyOf(node: Node): string | undefined {
  const key = node['key'] as { readonly name?: string; readonly value?: string } | undefined;
  return key?.name ?? key?.value;
}

function listOf(node: Node, field: string): readonly Node[] {
  return node[field] as readonly Node[];
}

/** The declarations of a file by name, each with the start of its statement. */
function declarationsOf(body: readonly Node[]): Map<string, { readonly node: Node; readonly start: number }> {
  const found = new Map<string, { readonly node: Node; readonly start: number }>();
  for (const statement of body) {
    const declaration = (statement['declaration'] as Node | null | undefined) ?? statement;
    for (const node of (declaration['declarations'] as readonly Node[] | undefined) ?? [declaration]) {
      const name = (node['id'] as { readonly name?: string } | null | undefined)?.name;
      if (name !== undefined && !found.has(name)) found.set(name, { node, start: statement.start });
    }
  }
  return found;
}

/** The type of an alias, the body of an interface, or the value of a constant. */
function bodyOf(node: Node): Node {
  const body = (node['typeAnnotation'] ?? node['body'] ?? node['init']) as Node;
  return body.type === 'TSAsExpression' ? (body['expression'] as Node) : body;
}

function referredName(node: Node): string | null {
  if (node.type !== 'TSTypeReference') return null;
  return (node['typeName'] as { readonly name?: string }).name ?? null;
}

function parameterName(node: Node): string {
  if (node.type === 'RestElement') return `...${parameterName(node['argument'] as Node)}`;
  return `${String(node['name'])}${node['optional'] === true ? '?' : ''}`;
}

/** The doc comment directly before a place, as one paragraph without tags; empty for none. */
function commentBefore(text: string, comments: readonly Comment[], start: number): string {
  const found = comments.findLast(
    ({ type, value, end }) =>
      type === 'Block' &&
      value.startsWith('*') &&
      end <= start &&
      /^(?:[\s|(]|\/\/[^\n]*\n)*$/.test(text.slice(end, start)),
  );
  const lines = (found?.value ?? '').split('\n').map((line) => line.replace(/^\s*\*+ ?/, ''));
  const [prose = ''] = lines.join('\n').split(/(?:^|\s)@(?:example|throws|internal|default)\b/);
  return prose
    .replaceAll(/\{@link ([^}]+)\}/g, '`$1`')
    .replaceAll(/\n- /g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
