import { type StopReason, stopReasons } from '@vitrine/core/internal/graph/stop-reason';
import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import * as is from '@vitrine/core/internal/kit/check';
import { isPlainObject, type JsonObject, type JsonValue } from '@vitrine/core/internal/kit/json';

/** A call of a tool. A given `input` is a part of its arguments: fields that it does not name may have any value. */
type ExpectedCall = { readonly tool: string; readonly input?: JsonValue };

/** The part of a run that a text is looked for in: the final answer, or each text of the agent. Default: `answer`. */
type Over = { readonly over?: 'answer' | 'run' };

/** One expectation about a run, as JSON. The title is its sentence for people, such as `it knows my name`. */
export type Expectation = { readonly title?: string } & (
  | (Over & {
      /** A text of the answer. Capitals and the width of white space do not matter. */
      readonly says: string;
    })
  /** The answer does not have this text. */
  | (Over & { readonly doesNotSay: string })
  /** The agent, or a subagent of it, makes such a call. */
  | { readonly calls: ExpectedCall }
  | { readonly neverCalls: ExpectedCall }
  /** Number of model calls, those of subagents included. */
  | { readonly asksAtMost: number }
  /** Money of the run, in the currency of its prices. */
  | { readonly costsAtMost: number }
  | { readonly endsWith: StopReason }
  /** The final answer, read as JSON, fits this JSON Schema. */
  | { readonly matches: JsonObject }
  /** The state of a plugin at the end has this value at this path. */
  | {
      readonly state: {
        readonly plugin: string;
        readonly path: readonly string[];
        readonly equals: JsonValue;
      };
    }
  /** A model finds that the answer meets this rubric. It is asked on request only. */
  | (Over & { readonly judge: string })
  /** Each of these is met. */
  | { readonly all: readonly Expectation[] }
);

const words = is.checkBy<string>(
  (value) => typeof value === 'string' && value.trim() !== '',
  'expected text',
);
const call = is.object<ExpectedCall>({ tool: words, input: is.optional(is.json) });

const kinds: Readonly<Record<string, is.AnyCheck>> = {
  says: words,
  doesNotSay: words,
  calls: call,
  neverCalls: call,
  asksAtMost: is.count,
  costsAtMost: is.amount,
  endsWith: is.literal(...stopReasons),
  matches: is.jsonObject,
  state: is.objectOf({ plugin: words, path: is.list(is.text), equals: is.json }),
  judge: words,
  all: is.list(is.self<Expectation>(() => expectation)),
};
const over = is.literal('answer', 'run');
const withOver: readonly string[] = ['says', 'doesNotSay', 'judge'];

const expectation: is.Check<Expectation> = (value, level) => {
  const fault = (what: string, ...keys: string[]): is.Fault => ({ keys, what });
  if (!isPlainObject(value)) return fault('expected an object');
  const [kind = '', ...others] = Object.keys(value).filter((key) => key !== 'over' && key !== 'title');
  const check = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (check === undefined || others.length > 0)
    return fault(`expected exactly one of ${Object.keys(kinds).join(', ')}`);
  if ('over' in value && !withOver.includes(kind)) return fault(`${kind} has no "over"`, 'over');
  if (value['title'] !== undefined && words(value['title'], level) !== null)
    return fault('expected text', 'title');
  const wrong = value['over'] === undefined ? null : over(value['over'], level);
  if (wrong !== null) return fault(wrong.what, 'over');
  const found = check(value[kind], level);
  found?.keys.push(kind);
  return found;
};

/** Reads an expectation. @throws AgentError `question-invalid` for a value that is none, or that no run can meet */
export function readExpectation(value: unknown): Expectation {
  const fault = expectation(value, 0);
  if (fault !== null) {
    const path = is.pathOf(fault);
    throw invalid(`${path === '' ? '' : `At ${path}: `}${fault.what}.`);
  }
  const impossible = contradictionIn(leavesOf(value as Expectation));
  if (impossible !== null) throw invalid(`No run can meet it: ${impossible}.`);
  return value as Expectation;
}

function invalid(why: string): AgentError {
  return new AgentError('question-invalid', `The expectation cannot be used. ${why}`);
}

/** An expectation that is no combination. */
export type Leaf = Exclude<Expectation, { readonly all: unknown }>;

/** The expectations of a combination, at any depth; the only one for any other. */
export function leavesOf(given: Expectation): readonly Leaf[] {
  const open: Expectation[] = [given];
  const leaves: Leaf[] = [];
  for (const next of open)
    if ('all' in next) open.push(...next.all);
    else leaves.push(next);
  return leaves;
}

/** A text without what does not matter in a comparison. */
export function plainText(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}

/** The reason why no run meets all of these, in words; null when one might. */
function contradictionIn(leaves: readonly Leaf[]): string | null {
  const said = leaves.flatMap((leaf) => ('says' in leaf ? [leaf.says] : []));
  const called = leaves.flatMap((leaf) => ('calls' in leaf ? [leaf.calls.tool] : []));
  const ends = new Set(leaves.flatMap((leaf) => ('endsWith' in leaf ? [leaf.endsWith] : [])));
  if (ends.size > 1) return `it would end with ${[...ends].join(' and with ')}`;
  for (const leaf of leaves) {
    if ('asksAtMost' in leaf && leaf.asksAtMost === 0) return 'every run asks a model once';
    if ('doesNotSay' in leaf) {
      const banned = plainText(leaf.doesNotSay);
      const text = said.find((one) => plainText(one).includes(banned));
      if (text !== undefined)
        return `it would say ${JSON.stringify(text)} and not ${JSON.stringify(leaf.doesNotSay)}`;
    }
    if ('neverCalls' in leaf && leaf.neverCalls.input === undefined && called.includes(leaf.neverCalls.tool))
      return `it would call ${leaf.neverCalls.tool} and never call it`;
  }
  return null;
}

/** An expectation as a sentence about the agent, without its point: `it says "Ada"`. */
export function describeExpectation(given: Expectation): string {
  return given.title ?? leavesOf(given).map(describeLeaf).join(', and ');
}

function describeLeaf(leaf: Leaf): string {
  if (leaf.title !== undefined) return leaf.title;
  const quote = (value: JsonValue): string => JSON.stringify(value);
  const whole = 'over' in leaf && leaf.over === 'run' ? ' in any of its texts' : '';
  const callOf = ({ tool, input }: ExpectedCall): string =>
    input === undefined ? tool : `${tool} with ${quote(input)}`;
  if ('says' in leaf) return `it says ${quote(leaf.says)}${whole}`;
  if ('doesNotSay' in leaf) return `it does not say ${quote(leaf.doesNotSay)}${whole}`;
  if ('calls' in leaf) return `it calls ${callOf(leaf.calls)}`;
  if ('neverCalls' in leaf) return `it never calls ${callOf(leaf.neverCalls)}`;
  if ('asksAtMost' in leaf) return `it asks a model at most ${leaf.asksAtMost} times`;
  if ('costsAtMost' in leaf) return `it costs at most ${leaf.costsAtMost}`;
  if ('endsWith' in leaf) return `it ends with ${leaf.endsWith}`;
  if ('matches' in leaf) return 'its answer fits the JSON Schema';
  if ('state' in leaf)
    return `plugin ${leaf.state.plugin} has ${quote(leaf.state.equals)} at ${leaf.state.path.join('.') || 'its root'}`;
  return `a model finds that it meets ${quote(leaf.judge)}`;
}
