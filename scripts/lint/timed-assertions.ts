import { parseSync } from 'oxc-parser';
import type { Node } from './recursion.ts';

/** An assertion on a measured time, with its place. */
export type TimedAssertion = { readonly path: string; readonly line: number; readonly text: string };

/** `time` is a reading of a clock, `duration` the difference of two, and null neither. */
type Measured = 'time' | 'duration' | null;

const orders = /^toBe(?:Less|Greater)Than(?:OrEqual)?$|^toBeCloseTo$/;
/** Names of fields in which the library and the tests keep durations. */
const durationName = /^(?:ms|took|elapsed|duration|seconds)$|(?:took|elapsed|duration)(?:Ms)?$/i;

/**
 * The assertions of a test file that compare a measured time: a difference of clock readings or the time of the
 * processor, also through variables and helper functions of the file; a clock reading itself; and a field like
 * `durationMs` against another bound than 0. A test that calls `vi.useFakeTimers`, or
 * `clock.install` of a page, reads a simulated clock.
 */
export function timedAssertions(path: string, text: string): TimedAssertion[] {
  const program = parseSync(path, text).program as unknown as Node;
  const known = new Map<string, Measured>();
  const simulated = simulatedParts(program);
  // Names are followed until no more of them are measured.
  for (let before = -1; before !== known.size;) {
    before = known.size;
    visit(program, (node) => learn(node));
  }
  const found: TimedAssertion[] = [];
  visit(program, (node) => {
    if (!isTimed(node)) return;
    const [start, end] = [Number(node['start']), Number(node['end'])];
    const line = text.slice(0, start).split('\n').length;
    found.push({ path, line, text: text.slice(start, end).replace(/\s+/g, ' ') });
  });
  return found;

  function learn(node: Node): void {
    if (node.type === 'VariableDeclarator') {
      const measured = ofValue(node['init'] as Node | null);
      for (const name of namesIn(node['id'] as Node)) remember(name, measured);
    }
    if (node.type === 'AssignmentExpression')
      for (const name of namesIn(node['left'] as Node)) remember(name, ofValue(node['right'] as Node));
    if (node.type === 'FunctionDeclaration')
      for (const name of namesIn(node['id'] as Node)) remember(name, ofFunction(node));
    const list = node.type === 'CallExpression' ? memberOf(node['callee']) : null;
    if (list?.name === 'push') {
      const pushed = strongest((node['arguments'] as readonly Node[]).map(ofValue));
      for (const name of namesIn(list.object)) remember(name, pushed);
    }
  }

  function remember(name: string, measured: Measured): void {
    if (measured !== null && !known.has(name)) known.set(name, measured);
  }

  /** The kind of an expression: the strongest of its parts, without those of functions that it only defines. */
  function ofValue(node: Node | null): Measured {
    if (node === null || simulated.has(node)) return null;
    if (isFunction(node)) return ofFunction(node);
    const clock = ofClock(node);
    if (clock !== null) return clock;
    if (node.type === 'Identifier') return known.get(String(node['name'])) ?? null;
    if (node.type === 'BinaryExpression') {
      const parts = [ofValue(node['left'] as Node), ofValue(node['right'] as Node)];
      if (node['operator'] === '-' && parts.every((part) => part === 'time')) return 'duration';
      return strongest(parts);
    }
    if (node.type === 'MemberExpression')
      return lastName(node) === 'length' ? null : ofValue(node['object'] as Node);
    if (node.type === 'CallExpression') {
      const callee = node['callee'] as Node;
      // The callback of `page.evaluate` and of `map` gives the value of the call.
      const given = node['arguments'] as readonly Node[];
      const functions = given.filter((argument) => isFunction(argument)).map(ofFunction);
      const list = /^Math$/.test(String(memberOf(callee)?.object['name'])) ? given.map(ofValue) : [];
      return strongest([ofValue(callee), ...functions, ...list]);
    }
    const parts = /^(?:AwaitExpression|UnaryExpression|ArrayExpression|SpreadElement|ConditionalExpression)$/;
    if (parts.test(node.type) || /^TS(?:As|NonNull)/.test(node.type) || node.type === 'LogicalExpression')
      return strongest(childrenOf(node).map(ofValue));
    if (node.type === 'ChainExpression' || node.type === 'ParenthesizedExpression')
      return ofValue(node['expression'] as Node);
    if (node.type !== 'ObjectExpression') return null;
    const fields = node['properties'] as readonly Node[];
    const values = fields.map((field) => (field['value'] ?? field['argument']) as Node);
    return strongest(values.filter((value) => !isFunction(value)).map(ofValue)) === 'duration'
      ? 'duration'
      : null;
  }

  /** The kind of what a function returns. */
  function ofFunction(node: Node): Measured {
    const body = node['body'] as Node | null;
    if (body === null || simulated.has(node)) return null;
    if (body.type !== 'BlockStatement') return ofValue(body) === 'duration' ? 'duration' : null;
    const returned: Measured[] = [];
    visit(
      body,
      (inner) => {
        if (inner.type === 'ReturnStatement') returned.push(ofValue(inner['argument'] as Node | null));
      },
      isFunction,
    );
    return returned.includes('duration') ? 'duration' : null;
  }

  function isTimed(node: Node): boolean {
    if (node.type !== 'CallExpression' || simulated.has(node)) return false;
    const matcher = memberOf(node['callee']);
    if (matcher === null || !orders.test(matcher.name)) return false;
    const actual = actualOf(matcher.object);
    const bound = (node['arguments'] as readonly Node[])[0] ?? null;
    if (actual === null || bound === null) return false;
    if (ofValue(actual) !== null || ofValue(bound) !== null) return true;
    const isZero = bound.type === 'Literal' && bound['value'] === 0;
    return !isZero && durationName.test(lastName(actual));
  }
}

function ofClock(node: Node): Measured {
  const { type } = node;
  if (type === 'NewExpression')
    return (node['callee'] as Node)['name'] === 'Date' && (node['arguments'] as readonly Node[]).length === 0
      ? 'time'
      : null;
  if (type !== 'CallExpression') return null;
  const member = memberOf(node['callee']);
  const name = member === null ? '' : `${lastName(member.object)}.${member.name}`;
  if (/^(?:performance|Date)\.now$|^hrtime\.bigint$/.test(name)) return 'time';
  if (!/^process\.(?:hrtime|cpuUsage)$/.test(name)) return null;
  return (node['arguments'] as readonly Node[]).length === 0 ? 'time' : 'duration';
}

/** All nodes of functions that set up a simulated clock, or whose hooks do; the same for the whole file. */
function simulatedParts(program: Node): ReadonlySet<Node> {
  const parts = new Set<Node>();
  visit(program, (node) => {
    if (node.type !== 'Program' && !isFunction(node)) return;
    let isSimulated = false;
    const look = (inner: Node): void => {
      const call = inner.type === 'CallExpression' ? memberOf(inner['callee']) : null;
      isSimulated ||= call?.name === 'useFakeTimers';
      isSimulated ||= call?.name === 'install' && lastName(call.object) === 'clock';
    };
    visit(node, look, (inner) => isFunction(inner) && !isBodyOf(node, inner));
    if (isSimulated) visit(node, (inner) => void parts.add(inner));
  });
  return parts;

  /** True for a callback of `beforeEach` or `beforeAll` directly in the body of a function or file. */
  function isBodyOf(holder: Node, callback: Node): boolean {
    const body = holder['body'] as Node | readonly Node[];
    const statements = (Array.isArray(body) ? body : (body as Node)['body']) as unknown;
    if (!Array.isArray(statements)) return false;
    return (statements as readonly Node[]).some((statement) => {
      const call = statement['expression'] as Node | undefined;
      if (call?.type !== 'CallExpression') return false;
      const isHook = /^before(?:Each|All)$/.test(lastName(call['callee'] as Node));
      return isHook && (call['arguments'] as readonly Node[]).includes(callback);
    });
  }
}

function isFunction(node: Node): boolean {
  return /^(?:ArrowFunctionExpression|FunctionExpression|FunctionDeclaration)$/.test(node.type);
}

/** The value of `expect(value).not.soft…`; null for other calls. */
function actualOf(chain: Node): Node | null {
  let node: Node = chain;
  while (node.type === 'MemberExpression') node = node['object'] as Node;
  if (node.type !== 'CallExpression') return null;
  const callee = node['callee'] as Node;
  const name = callee.type === 'MemberExpression' ? lastName(callee['object'] as Node) : lastName(callee);
  return name === 'expect' ? ((node['arguments'] as readonly Node[])[0] ?? null) : null;
}

function memberOf(value: unknown): { readonly object: Node; readonly name: string } | null {
  const node = value as Node;
  if (node.type !== 'MemberExpression') return null;
  return { object: node['object'] as Node, name: String((node['property'] as Node)['name'] ?? '') };
}

/** The last name of `a.b?.c!`: `c`. */
function lastName(node: Node): string {
  if (node.type === 'Identifier') return String(node['name']);
  if (node.type === 'MemberExpression') return lastName(node['property'] as Node);
  const inner = (node['expression'] ?? null) as Node | null;
  return inner === null ? '' : lastName(inner);
}

function namesIn(pattern: Node | null): string[] {
  if (pattern === null) return [];
  if (pattern.type === 'Identifier') return [String(pattern['name'])];
  if (pattern.type === 'ObjectPattern')
    return (pattern['properties'] as readonly Node[]).flatMap((field) =>
      namesIn((field['value'] ?? field['argument'] ?? null) as Node | null),
    );
  if (pattern.type === 'ArrayPattern')
    return (pattern['elements'] as readonly (Node | null)[]).flatMap((element) => namesIn(element));
  return [];
}

function strongest(parts: readonly Measured[]): Measured {
  return parts.includes('duration') ? 'duration' : parts.includes('time') ? 'time' : null;
}

function childrenOf(node: Node): Node[] {
  return Object.entries(node).flatMap(([key, value]) =>
    key === 'parent'
      ? []
      : (Array.isArray(value) ? value : [value]).filter(
          (child): child is Node => typeof (child as Node | null)?.type === 'string',
        ),
  );
}

/** Visits a node and all below it, in the order of the text; `isClosed` stops above a node. */
function visit(
  root: Node,
  look: (node: Node) => void,
  isClosed: (node: Node) => boolean = () => false,
): void {
  const open: Node[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    look(node);
    open.push(
      ...childrenOf(node)
        .filter((child) => !isClosed(child))
        .toReversed(),
    );
  }
}
