import { setAside } from '@vitrine/core/internal/agent/plugin/plugin-entry';
import { isFinished, usage as usageOf } from '@vitrine/core/internal/graph/execution-state';
import type { ErrorInfo } from '@vitrine/core/internal/graph/error-info';
import { spentOf } from '@vitrine/core/internal/graph/limits';
import type { Message } from '@vitrine/core/internal/graph/message';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { type JsonObject, type JsonValue, isPlainObject } from '@vitrine/core/internal/kit/json';
import { defineFor, each } from './detector.ts';
import { countNoun, durationText, inside, layerOf, layersText, listNames, quoteName } from './wording.ts';

const define = defineFor('session');

/** Errors that have findings of their own. */
const reported = new Set(['content-filtered', 'output-invalid', 'output-truncated']);

const mostErrors = 100;

/** Detectors of the course of a run: its limits, breaks, branches and errors. */
export const runDetectors = [
  /** A subagent that was stopped by a limit of an agent above it, and not by its own. */
  define('limit-of-parent', {
    area: 'budget',
    reads: { 'stop-signal': ['signal'] },
    watch: each(({ event, agent }) => {
      const { signal } = event;
      const { source, context, message, reason } = signal;
      if (event.path.length === 0) return null;
      const own = spentOf(agent, event.at);
      const isShared = source === 'ledger' || source === 'session-budget';
      // A limit of tokens or money names the spending that it compared: with more than its own, it is that of a parent.
      const spent = source === 'budget' ? (context['totalTokens'] ?? context['cost']) : null;
      const isAbove =
        typeof spent === 'number' && spent > (context['totalTokens'] === undefined ? own.cost : own.tokens);
      if (!isShared && !isAbove) return null;
      return {
        sentence: `The subagent was stopped by a limit of an agent above it: ${inside(message)}; itself it had spent ${own.tokens} tokens in ${own.steps} steps.`,
        remedy:
          'Raise the limit of the parent, or give the subagent a limit of its own that ends it before with an answer.',
        evidence: {
          who: source ?? 'budget',
          reason,
          limit: context as JsonValue,
          own: { tokens: own.tokens, steps: own.steps, cost: own.cost },
        },
      };
    }),
  }),
  /** A model call of unknown price in a run that limits or knows its cost, so that its total is too low. */
  define('price-unknown', {
    area: 'budget',
    reads: {
      'price-record': ['price'],
      'inference-end': ['response'],
      'stop-signal': ['signal'],
      'execution-end': [],
    },
    needs: ['usage'],
    watch: () => {
      let isLimited = false;
      let model: string | null = null;
      let priced = 0;
      let unpriced = 0;
      return ({ event, root }) => {
        if (event.type === 'price-record') isLimited ||= event.price === null;
        else if (event.type === 'stop-signal') isLimited ||= event.signal.reason === 'cost-limit-reached';
        else if (event.type === 'inference-end' && event.response.usage.totalTokens > 0) {
          model = event.response.model;
          if (event.response.usage.cost === null) unpriced++;
          else priced++;
        }
        // The cost of a run is that of all its agents, so one that is known elsewhere is too low here.
        if (
          unpriced === 0 ||
          (!isLimited && (root.execution === null || usageOf(root.execution).cost === null))
        )
          return null;
        return {
          key: 'price',
          sentence: `The price of ${countNoun(unpriced, 'model call')}${model === null ? '' : ` (now ${model})`} is not known, so the cost of this run is too low.`,
          remedy: 'Give the price in `llmConfig.prices`, or at the proxy in `VITRINE_PRICES`.',
          evidence: { model, unpriced, priced },
        };
      };
    },
  }),
  /** Model calls that waited, because other calls held what was left of a budget. */
  define('budget-waited', {
    area: 'budget',
    reads: { 'budget-wait': ['held'] },
    watch: () => {
      let waits = 0;
      return ({ event }) => ({
        key: 'waits',
        sentence: `${countNoun(++waits, 'model call')} waited for room in the budget, while others held ${countNoun(event.held.tokens, 'token')}.`,
        remedy:
          'Raise the limit, set `maxOutputTokens` so that calls reserve less, or run fewer subagents at once.',
        evidence: { waits, held: event.held },
      });
    },
  }),
  /** A stop signal that a continuation request overrode, or that lost to one of higher priority. */
  define('signal-overridden', {
    area: 'budget',
    reads: { 'continuation-request': ['source'], 'continuation-evaluate': ['evaluation'] },
    watch: () => {
      let requester: string | null = null;
      return ({ event }) => {
        if (event.type === 'continuation-request') {
          requester = event.source;
          return null;
        }
        const { overridden, winner, stopSignals } = event.evaluation;
        if (overridden.length > 0) {
          // A person who lets a run go on knows it.
          if (requester === 'user' || requester === 'app') return null;
          return {
            key: `overridden|${overridden.map(({ reason, source }) => `${reason}/${source}`).join()}`,
            sentence: `${requester === null ? 'A continuation request' : `A continuation request of ${quoteName(requester)}`} overrode ${listNames(overridden.map(({ reason, source }) => `the stop signal ${quoteName(reason)}${source === null ? '' : ` of ${quoteName(source)}`}`))}, so the run went on.`,
            remedy:
              'Let only one of the two decide: the guard or limit that stops, or the hook that continues.',
            evidence: {
              who: requester ?? 'unknown',
              overridden: overridden.map(({ reason, source, message }) => ({ reason, source, message })),
            },
          };
        }
        const losers =
          winner === null
            ? []
            : stopSignals.filter(({ reason }) => reason !== winner.reason && reason !== 'completed');
        if (winner === null || losers.length === 0) return null;
        return {
          key: 'priority',
          sentence: `The run stopped for ${quoteName(winner.reason)}, which has priority over ${listNames(losers.map(({ reason }) => quoteName(reason)))}: ${inside(losers[0]?.message ?? '')}.`,
          remedy: 'Nothing, unless the other reason should be shown to people.',
          evidence: {
            winner: winner.reason,
            losers: losers.map(({ reason, source, message }) => ({ reason, source, message })),
          },
        };
      };
    },
  }),
  /** A run that a reload, a crash or a closed page interrupted, with the time in which nobody worked on it. */
  define('run-resumed', {
    reads: { 'execution-resume': [], 'usage-charge': ['reason', 'usage'] },
    watch: () => {
      let gaps = 0;
      /** The resumption that a person wanted; the loop that takes the run up resumes it once more. */
      let wantedAt: number | null = null;
      let totalMs = 0;
      return ({ event, before }) => {
        if (event.type === 'usage-charge') {
          if (event.reason !== 'interrupted') return null;
          return {
            sentence: `A model call was interrupted and made again: its ${event.usage.totalTokens.toLocaleString('en')} tokens were paid without an answer.`,
            remedy: 'Use the proxy of this library with a stream log: it continues such an answer.',
            evidence: { tokens: event.usage.totalTokens, cost: event.usage.cost },
          };
        }
        const { execution } = before;
        // After a wait for a person, or when a person lets an ended run go on, it is no interruption.
        const isTakenUp = wantedAt !== null && before.seq === wantedAt;
        wantedAt = execution !== null && isFinished(execution) ? event.seq : null;
        if (execution === null || isTakenUp || wantedAt !== null || execution.waitingSince !== null)
          return null;
        const gapMs = Math.max(0, event.at - before.updatedAt);
        gaps++;
        totalMs += gapMs;
        return {
          key: 'resumed',
          sentence: `The run was interrupted and resumed${gaps === 1 ? '' : ` ${gaps} times`}; nobody worked on it for ${durationText(totalMs)}.`,
          remedy: 'Nothing: the run continued where it was. Times in between count as no work.',
          evidence: { gaps, totalMs, lastGapMs: gapMs },
        };
      };
    },
  }),
  /** A run that goes on from an older branch of the conversation, while another branch has newer answers. */
  define('branch-newer', {
    reads: { 'execution-start': [] },
    watch: each(({ left }) => {
      if (left === null) return null;
      const { from, to } = left;
      const [newest, end] = [lastOf(from), lastOf(to)];
      if (newest === null || end === null || newest.createdAt <= end.createdAt) return null;
      // An edit goes on from within the branch that it leaves.
      if (from.context.store.sections.some(({ messages }) => messages.some(({ id }) => id === end.id)))
        return null;
      return {
        key: 'branch',
        sentence:
          'The run goes on from an older branch: another one has newer answers, which the model does not read.',
        remedy:
          'Show the branches of a message in the chat, and switch to the newest one before the next message.',
        evidence: { before: newest.id, after: end.id },
      };
    }),
  }),
  /** A session that could not be stored when a `once` tool was about to run. */
  define('start-not-stored', {
    severity: 'fault',
    reads: { 'approval-request': ['cause', 'reason'] },
    watch: each(({ event, call }) => {
      if (event.cause !== 'not-stored') return null;
      const name = quoteName(call?.toolCall.name ?? '');
      return {
        sentence: `The session could not be stored before tool ${name} ran, so a person was asked: ${inside(event.reason ?? 'no reason given')}.`,
        remedy:
          'Make room in the storage, or look at the errors of the store. Until then a reload loses what is not stored.',
        evidence: { reason: event.reason },
      };
    }),
  }),
  /**
   * An error of the model, a hook, a plugin or the session, with the agents that it went through, also when it belongs
   * to no step.
   */
  define('error-recorded', {
    severity: 'fault',
    reads: { 'error-record': ['error'], 'call-settle': ['outcome'] },
    across: 'agents',
    watch: () => {
      const layersOf = new Map<string, Set<string>>();
      /** The last error of each agent. */
      const lastIn = new Map<string, ErrorInfo>();
      return ({ event, agent, root, call }) => {
        const isOfCall = event.type === 'call-settle';
        if (isOfCall && (event.outcome !== 'failed' || call?.childState?.execution?.status !== 'failed'))
          return null;
        const { path } = event;
        const error = isOfCall ? lastIn.get([...path, call?.id].join('/')) : event.error;
        if (error === undefined) return null;
        const { name, code, message, data } = error;
        if (code !== null && (reported.has(code) || isOfPluginState(code, data, agent))) return null;
        if (!isOfCall) lastIn.set(path.join('/'), error);
        const key = `${code}|${message}`;
        if (!layersOf.has(key) && layersOf.size >= mostErrors) return null;
        const layers = (layersOf.get(key) ?? new Set<string>()).add(layerOf(root, path));
        layersOf.set(key, layers);
        return {
          key,
          sentence: `An error was recorded${layersText(layers)}: ${inside(message)}.`,
          remedy:
            code === 'session-conflict'
              ? 'Another tab or device changed the session meanwhile. Open the session again to see both.'
              : 'Open the step of the error. The code of the error is explained in the reference.',
          evidence: { name, code, message, ...(layers.size > 1 && { layers: [...layers] }) },
        };
      };
    },
  }),
  /** Events of a watched run of another library that have no place in the panel, or came in the wrong order. */
  define('events-skipped', {
    reads: { 'metadata-change': ['set'] },
    watch: each(({ event }) => {
      const skipped = event.set['skippedEvents'];
      if (!isPlainObject(skipped)) return null;
      const kinds = Object.keys(skipped);
      const count = Object.values(skipped).reduce<number>(
        (sum, one) => sum + (typeof one === 'number' ? one : 0),
        0,
      );
      if (count === 0) return null;
      return {
        key: 'skipped',
        sentence: `${countNoun(count, 'event')} of the stream ${count === 1 ? 'is' : 'are'} not shown: ${listNames(kinds.slice(0, 4).map(quoteName))}.`,
        remedy:
          'Nothing, when the rest looks right. Otherwise look at what the server streams: an event came in the wrong order, its end is missing, or the bridge does not know it.',
        evidence: { skipped },
      };
    }),
  }),
];

function lastOf({ context }: AgentState): Message | null {
  return context.store.sections.find(({ name }) => name === 'messages')?.messages.at(-1) ?? null;
}

/** True for a write that was lost, and for state that was set aside when the plugin was loaded. */
function isOfPluginState(code: string, { pluginId, revision }: JsonObject, { plugins }: AgentState): boolean {
  if (code === 'plugin-state-conflict' && revision !== undefined) return true;
  return (
    code.startsWith('plugin-state-') && typeof pluginId === 'string' && setAside(plugins, pluginId).length > 0
  );
}
