import { diffJson } from '../diff.ts';
import type { ToolCall, ToolExecution } from '@vitrine/core/internal/graph/types';
import { type JsonValue, equalJson } from '@vitrine/core/internal/kit/json';
import { nothing } from '@vitrine/core/internal/kit/memoize';
import { type FindingInit, type FindingWithdrawal, type Seen, defineFor, each } from './detector.ts';
import { countNoun, inside, layerOf, layersText, listNames, quoteName } from './wording.ts';

const define = defineFor('tools');

type Change = { readonly kind: 'dropped' | 'added' | 'changed' | 'same'; readonly path: string };

const mostNamed = 4;

/** The failures of one tool by one error, in all agents of a run. An agent that only ended by them has none itself. */
type Failures = {
  readonly byAgent: Map<
    string,
    { readonly count: number; readonly lastStep: number; readonly layer: string }
  >;
  readonly call: ToolCall;
  readonly inputs: JsonValue[];
  /** The ends of the subagents whose last calls failed so. */
  readonly ended: string[];
  message: string;
};

type SeenCall = Seen<{ readonly type: string; readonly path: readonly string[]; readonly outcome?: string }>;

/** Errors behind which a tool may have acted, and names of tools that act. */
const leftOpen = /time-?out|timed out|\b50[24]\b|econnreset|socket hang up/i;
const acting = /^(pay|charge|refund|transfer|send|post|publish|create|add|insert|submit|book|order|buy)/i;

/** Failures of one kind up to which a success in the next step corrects them. */
const mostCorrected = 2;

/** Outcomes and codes that have findings of their own. */
const explained = new Set(['tool-calls-exceeded', 'tool-interrupted']);

const remedies: { readonly [code: string]: string } = {
  'tool-input-invalid':
    'Describe the parameter in the schema of the tool, or accept what the model sends. The model reads the issues and may correct itself.',
  'tool-output-invalid': 'Correct what the tool returns, or the schema in `output`.',
  'tool-unknown': 'Name only tools that exist in the prompt. Look at the tools that this step was sent.',
  'tool-timeout': 'Make the tool faster, or raise its `timeoutMs`.',
  'subagent-failed': 'Open the subagent to see how its own run ended.',
};

const leastEqual = 3;
/** Longest arguments that are compared, in characters, and most different calls that are kept. */
const mostCompared = { characters: 4000, calls: 500 } as const;

/** Detectors of calls: of their way to the tool, their end and their time. */
export const callDetectors = [
  /**
   * Arguments that the schema of a tool dropped or changed. Defaults are none, and values of equal meaning such as "3"
   * and 3.
   */
  define('arguments-changed', {
    reads: { 'tool-start': ['input'] },
    watch: each(({ event, call }) => {
      const { input: got } = event;
      if (got === undefined || call === null) return null;
      const { name, input: given } = call.toolCall;
      const changes = changesOf(given, got);
      // Defaults, and values of equal meaning.
      if (!changes.some(({ kind }) => kind === 'dropped' || kind === 'changed')) return null;
      const what = (['dropped', 'changed', 'added'] as const)
        .map((kind) => [kind, pathsOf(changes, kind)] as const)
        .flatMap(([kind, paths]) => (paths === '' ? [] : [`${kind} ${paths}`]));
      return {
        sentence: `The schema of tool ${quoteName(name)} ${listNames(what)}: the tool did not get what the model gave.`,
        remedy:
          'Make the schema strict, so that the model is told of its mistake, or describe the parameter better.',
        evidence: { before: given, after: got, who: `schema of ${name}` },
      };
    }),
  }),
  /** A call whose tool or arguments a hook replaced before it ran. */
  define('call-changed', {
    reads: {
      'tool-call': ['toolCallId', 'toolName', 'input'],
      'call-change': ['toolCallId', 'source', 'toolName', 'input'],
      'call-settle': ['toolCallId'],
    },
    watch: () => {
      const made = new Map<string, { readonly name: string; readonly input: JsonValue }>();
      return ({ event }) => {
        if (event.type === 'tool-call') {
          made.set(event.toolCallId, { name: event.toolName, input: event.input });
          return null;
        }
        const call = made.get(event.toolCallId);
        if (event.type === 'call-settle') made.delete(event.toolCallId);
        // A person who edits a call knows it.
        if (event.type !== 'call-change' || call === undefined || event.source === 'user') return null;
        const { toolName = call.name, input = call.input, source } = event;
        if (toolName === call.name && equalJson(input, call.input)) return null;
        const by = quoteName(source ?? 'without a name');
        const what =
          toolName === call.name ? 'the arguments' : `the tool by ${quoteName(toolName)} and the arguments`;
        return {
          key: event.toolCallId,
          sentence: `Hook ${by} replaced ${what} of the call of ${quoteName(call.name)} before it ran.`,
          remedy: `Compare both, and correct the before-tool-use hook ${by} if the change was not meant.`,
          evidence: {
            before: toolName === call.name ? call.input : { toolName: call.name, input: call.input },
            after: toolName === call.name ? input : { toolName, input },
            who: source ?? 'hook',
          },
        };
      };
    },
  }),
  /** A result of a tool that a hook replaced, or an error of a tool that a hook turned into a success. */
  define('tool-result-changed', {
    reads: {
      'tool-end': ['toolCallId', 'status', 'result', 'error'],
      'call-change': ['toolCallId', 'source', 'status', 'result', 'error'],
      'call-settle': ['toolCallId'],
    },
    watch: () => {
      /** The outcomes of the calls in flight, as their tools gave them. */
      const own = new Map<
        string,
        { readonly status: string; readonly result: JsonValue; readonly error: string | null }
      >();
      return ({ event, call }) => {
        if (event.type === 'tool-end') {
          const { toolCallId, status, result = null, error } = event;
          own.set(toolCallId, { status, result, error: error?.message ?? null });
          return null;
        }
        const given = own.get(event.toolCallId);
        if (event.type === 'call-settle') own.delete(event.toolCallId);
        if (event.type !== 'call-change' || given === undefined || event.source === 'user') return null;
        const { status = given.status, result = given.result, source } = event;
        const who = source ?? 'a hook';
        const name = quoteName(call?.toolCall.name ?? '');
        const isHidden = given.status !== 'completed' && status === 'completed';
        if (!isHidden && status === given.status && equalJson(result, given.result)) return null;
        const before = given.error ?? given.result;
        const after = event.error?.message ?? result;
        const sentence = isHidden
          ? `Hook ${quoteName(who)} turned the error of tool ${name} into a success, so the model never saw that it failed.`
          : given.status === 'completed' && status !== 'completed'
            ? `Hook ${quoteName(who)} turned the result of tool ${name} into an error.`
            : `Hook ${quoteName(who)} replaced the result of tool ${name}: the model read something else than the tool returned.`;
        return {
          key: event.toolCallId,
          sentence,
          remedy: `Compare both values, and correct the after-tool-use hook ${quoteName(who)} if the change was not meant.`,
          evidence: { before, after, who, status: { before: given.status, after: status } },
        };
      };
    },
  }),
  /** A call that a hook blocked or an approval rule denied. */
  define('call-blocked', {
    reads: { 'call-settle': ['outcome', 'error', 'hook'] },
    watch: each(({ event, call }) => {
      const { outcome, error, hook } = event;
      // A person who rejects a call knows it.
      const isByPerson = call?.approval?.decision === 'rejected';
      if (outcome !== 'blocked' && (outcome !== 'rejected' || isByPerson)) return null;
      const name = quoteName(call?.toolCall.name ?? '');
      const reason = error?.data['reason'];
      const why = typeof reason === 'string' ? reason : (error?.message ?? '');
      const by =
        outcome === 'rejected'
          ? 'An approval rule'
          : hook === undefined
            ? 'A hook'
            : `Hook ${quoteName(hook)}`;
      return {
        sentence: `${by} ${outcome} the call of tool ${name}${why === '' ? '' : `: ${inside(why)}`}.`,
        remedy:
          'Change the rule if it is too strict, or tell the model in the system prompt what it may not do.',
        evidence: {
          ...(hook === undefined ? {} : { who: hook }),
          before: call?.toolCall.input ?? null,
          reason: error?.message ?? null,
        },
      };
    }),
  }),
  /**
   * Tool calls that failed, with their error and the agents that it went through, also when the run went on and ended
   * as usual. A call that the model corrects in its next step does not count, unless it may have acted twice.
   */
  define('call-failed', {
    reads: {
      'step-start': [],
      'error-record': [],
      'call-settle': ['outcome'],
      'tool-elsewhere': ['outcome'],
    },
    across: 'agents',
    watch: followFailures,
  }),
  /** A call that a stop, a reload or a crash interrupted while its tool ran, so that its effect is unknown. */
  define('call-interrupted', {
    severity: 'fault',
    reads: { 'call-settle': ['outcome', 'error'] },
    needs: ['results'],
    watch: each(({ event, call }) => {
      if (event.outcome !== 'interrupted' || call === null || call.startedAt === null) return null;
      const { name, input } = call.toolCall;
      return {
        sentence: `Tool ${quoteName(name)} was interrupted while it ran: nobody knows whether it had its effect.`,
        remedy:
          "Check at its target what happened. Declare the tool as `effects: 'idempotent'` if it may run again, or keep its outcome in an effect log.",
        evidence: { who: name, before: input, message: event.error?.message ?? null },
      };
    }),
  }),
  /** A tool that the model called three times or more with equal arguments and equal results in one run. */
  define('call-repeated', {
    reads: { 'call-settle': ['toolCallId'], 'tool-elsewhere': ['toolCallId'] },
    watch: () => {
      const calls = new Map<string, { ids: string[]; end: string }>();
      return ({ call }) => {
        if (call === null) return null;
        const { name, input } = call.toolCall;
        const key = `${name} ${JSON.stringify(input)}`;
        const known = calls.get(key);
        if (key.length > mostCompared.characters || (known === undefined && calls.size >= mostCompared.calls))
          return null;
        const end = JSON.stringify(call.error?.message ?? call.result ?? null).slice(
          0,
          mostCompared.characters,
        );
        // Whoever polls until the result is another one has a reason to call again.
        const isNew = known === undefined || known.end !== end;
        const ids = isNew ? [call.id] : [...known.ids, call.id];
        calls.set(key, { ids, end });
        if (isNew) return { key, isWithdrawn: true };
        if (ids.length < leastEqual) return null;
        return {
          key,
          sentence: `The model called tool ${quoteName(name)} ${ids.length} times with equal arguments, and the result was the same.`,
          remedy:
            'Look at the result: it may not tell the model what it asks. Say in the result what happened and what to do next, or end such runs with `repeatedCallGuard`.',
          evidence: { who: name, input, count: ids.length, calls: ids.slice(0, 20) },
        };
      };
    },
  }),
  /** An answer with more tool calls than `maxToolCalls` allows, so that some did not run. */
  define('calls-over-limit', {
    reads: { 'inference-end': ['callLimit'] },
    watch: each(({ event, step }) => {
      // A call that the output limit cut is told by `answer-cut`.
      if (event.callLimit === undefined || event.callLimit.error.code === 'output-truncated') return null;
      const { most } = event.callLimit;
      const made = step?.toolExecutions.length ?? 0;
      return {
        sentence: `The model made ${made} tool calls at once; ${made - most} of them did not run, because ${most} are allowed.`,
        remedy:
          'Tell the model to make fewer calls at once, offer a tool that takes a list, or raise `maxToolCalls`.',
        evidence: { made, most },
      };
    }),
  }),
];

/** Follows failed calls through all agents of a run: one that a subagent ends by is told once, where it happened. */
function followFailures(): (seen: SeenCall) => FindingInit | FindingWithdrawal | null {
  const failures = new Map<string, Failures>();
  const steps = new Map<string, number>();
  /** The agents with an error, which has findings of its own. */
  const withErrors = new Set<string>();

  /** The failures of a tool in the step before, which a success now shows to be overcome. */
  function overcome({ name, input }: ToolCall, agent: string): FindingInit | FindingWithdrawal | null {
    for (const [key, failure] of failures) {
      const { byAgent, message, inputs, call } = failure;
      const { lastStep, count } = byAgent.get(agent) ?? { lastStep: 0, count: 0 };
      const isBefore = count > 0 && lastStep === (steps.get(agent) ?? 0) - 1;
      if (call.name !== name || !isBefore || count > mostCorrected) continue;
      byAgent.delete(agent);
      if (byAgent.size === 0) failures.delete(key);
      if (acting.test(name) && leftOpen.test(message) && inputs.some((failed) => equalJson(failed, input)))
        return {
          key,
          sentence: `Tool ${quoteName(name)} was called again with equal arguments after "${inside(message)}", behind which it may have acted: nobody knows whether it did so twice.`,
          remedy: 'Send the service an idempotency key, or let the tool look what is there before it acts.',
          evidence: { who: name, before: message, after: input },
        };
      return byAgent.size === 0 ? { key, isWithdrawn: true } : describeFailures(key, failure);
    }
    return null;
  }

  return ({ event: { type, path, outcome }, call, root }) => {
    const agent = path.join('/');
    if (type === 'step-start') steps.set(agent, (steps.get(agent) ?? 0) + 1);
    else if (type === 'error-record') withErrors.add(agent);
    if (call === null) return null;
    if (outcome === 'completed') return overcome(call.toolCall, agent);
    const isTold =
      withErrors.has([...path, call.id].join('/')) && call.childState?.execution?.status === 'failed';
    if (outcome !== 'failed' || isTold || explained.has(call.error?.code ?? '')) return null;
    const [cause, own] = [keyOfFailure(causeOf(call)), keyOfFailure(call)];
    const key = failures.has(cause) ? cause : own;
    if (!failures.has(key) && failures.size >= mostCompared.calls) return null;
    const message = call.error?.message ?? 'no message';
    const failure: Failures = failures.get(key) ?? {
      byAgent: new Map(),
      call: call.toolCall,
      inputs: [],
      ended: [],
      message,
    };
    failures.set(key, failure);
    const { byAgent, inputs, ended } = failure;
    const { count, layer } = byAgent.get(agent) ?? { count: 0, layer: layerOf(root, path) };
    const isOwn = key === own;
    byAgent.set(agent, { count: count + (isOwn ? 1 : 0), lastStep: steps.get(agent) ?? 0, layer });
    if (isOwn) failure.message = message;
    if (isOwn && inputs.length < 3) inputs.push(call.toolCall.input);
    if (!isOwn && ended.length < 3) ended.push(message);
    return describeFailures(key, failure);
  };
}

function keyOfFailure({ toolCall: { name }, error }: ToolExecution): string {
  return `${name}|${error?.code ?? ''}`;
}

/** The call that a failed one failed by: the last one of a subagent all of whose last calls failed, or itself. */
function causeOf(call: ToolExecution): ToolExecution {
  let cause = call;
  for (let next: ToolExecution | undefined = call; next !== undefined;) {
    cause = next;
    const { execution } = cause.childState ?? { execution: null };
    const calls =
      (execution?.currentStep ?? execution?.stepExecutions.at(-1)?.step)?.toolExecutions ?? nothing;
    next = calls.every(({ status }) => status === 'failed') ? calls.at(-1) : undefined;
  }
  return cause;
}

function describeFailures(key: string, { byAgent, call, inputs, ended, message }: Failures): FindingInit {
  const { name } = call;
  const agents = [...byAgent.values()];
  const code = key.slice(name.length + 1);
  const layers = new Set(agents.map(({ layer }) => layer));
  const count = agents.reduce((sum, one) => sum + one.count, 0);
  return {
    key,
    sentence: `${count === 1 ? 'A call' : countNoun(count, 'call')} of tool ${quoteName(name)} failed${layersText(layers)}: ${inside(message)}.`,
    // The findings of the subagent say why it failed.
    remedy: remedies[code] ?? 'Correct the error in the tool, or the arguments that the model gives.',
    evidence: {
      who: name,
      code,
      message,
      count,
      inputs: [...inputs],
      ...(layers.size > 1 && { layers: [...layers] }),
      ...(ended.length > 0 && { ended: [...ended] }),
    },
  };
}

function pathsOf(changes: readonly Change[], kind: Change['kind']): string {
  const paths = changes.filter((change) => change.kind === kind).map(({ path }) => quoteName(path));
  return listNames(
    paths.length > mostNamed ? [...paths.slice(0, mostNamed), `${paths.length - mostNamed} more`] : paths,
  );
}

function changesOf(given: JsonValue, got: JsonValue): readonly Change[] {
  return diffJson(given, got).map(({ path: keys, kind, before, after }): Change => {
    const path = keys.length === 0 ? 'all' : keys.join('.');
    if (kind === 'removed') return { kind: 'dropped', path };
    if (kind === 'added') return { kind, path };
    const [from, to] = [before as JsonValue, after as JsonValue];
    return { kind: kind === 'changed' && meansSame(from, to) ? 'same' : 'changed', path };
  });
}

/** True for a number and its text, for texts that differ in spaces around them, and for two texts of one date. */
function meansSame(given: JsonValue, got: JsonValue): boolean {
  if (typeof given === 'object' || typeof got === 'object') return false;
  if (String(given).trim() === String(got).trim()) return true;
  if (typeof given === 'string' && typeof got === 'number')
    return given.trim() !== '' && Number(given) === got;
  if (typeof given === 'number' && typeof got === 'string')
    return new Date(given).getTime() === Date.parse(got);
  return typeof given === 'string' && typeof got === 'string' && Date.parse(given) === Date.parse(got);
}
