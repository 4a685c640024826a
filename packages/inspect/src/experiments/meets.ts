import { jsonSchemaInput } from '@vitrine/core/internal/agent/json-schema-input';
import { responseText } from '@vitrine/core/internal/graph/agent-step';
import {
  finalResponse,
  status,
  steps,
  stopReason,
  usage,
} from '@vitrine/core/internal/graph/agent-state/accessors';
import type { AgentState, ToolExecution } from '@vitrine/core/internal/graph/types';
import { equalJson, holdsFields, type JsonValue } from '@vitrine/core/internal/kit/json';
import { agentsOf, everyCallOf } from '../agents-of.ts';
import { redact } from '../redact.ts';
import {
  describeExpectation,
  type Expectation,
  type Leaf,
  leavesOf,
  plainText,
  readExpectation,
} from './expectation.ts';

/** The answer to the question whether a run meets an expectation. */
export type Met = {
  /** Null when it is not decided: the run has not ended, or only a model can judge it. */
  readonly met: boolean | null;
  /** One sentence for each expectation that is not met or not decided. */
  readonly why: readonly string[];
};

/** The judgement of a model about a rubric. */
export type Judge = (rubric: string, text: string) => Promise<Met>;

/**
 * Tells whether the last run of a state meets an expectation, and why not. A call counts when it was made: one that was
 * blocked or rejected, or that waits for an approval of the application, does not.
 * @param judge Asks a model about a rubric. Without it a `judge` is not decided.
 * @throws AgentError `question-invalid` for an expectation that cannot be used
 */
export async function meets(run: AgentState, expectation: Expectation, judge?: Judge): Promise<Met> {
  const why: string[] = [];
  let met: boolean | null = true;
  for (const leaf of leavesOf(readExpectation(expectation))) {
    // A run that fails another part costs no judgement.
    if ('judge' in leaf && met === false) continue;
    const found = await meetsLeaf(run, leaf, judge);
    why.push(...found.why);
    if (found.met === false) met = false;
    else if (met === true) met = found.met;
  }
  return { met, why };
}

const isMet: Met = { met: true, why: [] };

function unmet(why: string): Met {
  return { met: false, why: [why] };
}

async function meetsLeaf(run: AgentState, leaf: Leaf, judge: Judge | undefined): Promise<Met> {
  if (run.execution === null) return { met: null, why: ['There is no run.'] };
  const broken = brokenBy(run, leaf);
  if (broken !== null) return unmet(broken);
  if ('calls' in leaf) {
    if (everyCallOf(run).some((call) => isCall(call, leaf.calls))) return isMet;
    return isOver(run)
      ? unmet(`It does not call ${leaf.calls.tool}${withInput(run, leaf.calls.tool)}.`)
      : open;
  }
  if (!isOver(run)) return open;
  if ('says' in leaf) {
    const texts = textsOf(run, leaf);
    const isSaid = texts.some((text) => plainText(text).includes(plainText(leaf.says)));
    return isSaid ? isMet : unmet(`It does not say ${JSON.stringify(leaf.says)}.`);
  }
  if ('matches' in leaf) return matches(finalResponse(run), leaf.matches);
  if ('endsWith' in leaf) {
    const reason = stopReason(run);
    return reason === leaf.endsWith
      ? isMet
      : unmet(`It ends with ${reason ?? 'no reason'}, not ${leaf.endsWith}.`);
  }
  if ('state' in leaf) return hasState(run, leaf.state);
  if (!('judge' in leaf)) return isMet;
  if (judge !== undefined) return judge(leaf.judge, textsOf(run, leaf).join('\n\n'));
  return { met: null, why: [`Only a model can judge ${JSON.stringify(leaf.judge)}, and none was asked.`] };
}

const open: Met = { met: null, why: ['The run has not ended.'] };

/** The sentence about an expectation that a run breaks, whatever comes after; null while it does not. */
function brokenBy(run: AgentState, leaf: Leaf): string | null {
  if ('neverCalls' in leaf) {
    const call = everyCallOf(run).find((one) => isCall(one, leaf.neverCalls));
    return call === undefined
      ? null
      : `It calls ${call.toolCall.name}(${JSON.stringify(redact(call.toolCall.input))}).`;
  }
  if ('asksAtMost' in leaf) {
    const asked = modelCalls(run);
    return asked > leaf.asksAtMost
      ? `It asks a model ${asked} times; ${leaf.asksAtMost} are expected at most.`
      : null;
  }
  if ('costsAtMost' in leaf) {
    const { cost } = usage(run);
    if (cost === null) return 'Its cost is not known: the model has no price.';
    return cost > leaf.costsAtMost ? `It costs ${cost}; ${leaf.costsAtMost} is expected at most.` : null;
  }
  if ('doesNotSay' in leaf && (leaf.over === 'run' || isOver(run))) {
    const banned = plainText(leaf.doesNotSay);
    const text = textsOf(run, leaf).find((one) => plainText(one).includes(banned));
    return text === undefined ? null : `It says ${JSON.stringify(leaf.doesNotSay)}.`;
  }
  return null;
}

function isOver(run: AgentState): boolean {
  return ['completed', 'stopped', 'failed'].includes(status(run) ?? '');
}

function textsOf(run: AgentState, { over }: { readonly over?: 'answer' | 'run' }): readonly string[] {
  return over === 'run' ? steps(run).map(responseText) : [finalResponse(run)];
}

/** Number of model calls of a run, repeated ones and those of subagents included. */
export function modelCalls(run: AgentState): number {
  return agentsOf(run)
    .flatMap(({ state }) => steps(state))
    .reduce((sum, { sent }) => sum + (sent === null ? 0 : (sent.attempt ?? 1)), 0);
}

function isCall(
  { status, approval, toolCall }: ToolExecution,
  { tool, input }: { readonly tool: string; readonly input?: JsonValue },
): boolean {
  if (toolCall.name !== tool || (input !== undefined && !holdsFields(toolCall.input, input))) return false;
  // A fork holds the calls that its record does not have: outside of it they would have run.
  if (status === 'awaiting-approval') return approval?.cause === 'fork';
  return status !== 'blocked' && status !== 'rejected' && status !== 'interrupted';
}

function withInput(run: AgentState, tool: string): string {
  const made = everyCallOf(run).find(({ toolCall }) => toolCall.name === tool);
  if (made === undefined) return '';
  return made.status === 'blocked' || made.status === 'rejected'
    ? `: the call was ${made.status}`
    : ` so: its arguments are ${JSON.stringify(redact(made.toolCall.input))}`;
}

async function matches(answer: string, schema: { readonly [keyword: string]: JsonValue }): Promise<Met> {
  let value: JsonValue;
  try {
    value = JSON.parse(answer) as JsonValue;
  } catch {
    return unmet('Its answer is no JSON.');
  }
  try {
    const { issues } = await jsonSchemaInput(schema)['~standard'].validate(value);
    if (issues === undefined) return isMet;
    const [first] = issues;
    const path = (first?.path ?? []).map(String).join('.');
    return unmet(
      `Its answer does not fit the JSON Schema${path === '' ? '' : ` at ${path}`}: ${first?.message ?? ''}`,
    );
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { met: null, why: [`The JSON Schema cannot be used: ${message}`] };
  }
}

function hasState(
  run: AgentState,
  { plugin, path, equals }: Extract<Expectation, { readonly state: unknown }>['state'],
): Met {
  if (!Object.hasOwn(run.plugins, plugin)) return unmet(`Plugin ${plugin} has no state.`);
  let value: JsonValue | undefined = run.plugins[plugin]?.data;
  for (const key of path) {
    const isHeld = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    value = isHeld ? (value as unknown as Record<string, JsonValue>)[key] : undefined;
  }
  const expected = describeExpectation({ state: { plugin, path, equals } });
  if (value === undefined)
    return unmet(`There is no ${path.join('.')} in plugin ${plugin}; expected: ${expected}.`);
  return equalJson(value, equals)
    ? isMet
    : unmet(`It is ${JSON.stringify(redact(value, { path }))}; expected: ${expected}.`);
}
