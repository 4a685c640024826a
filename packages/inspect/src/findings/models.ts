import { hasToolCalls, responseText } from '@vitrine/core/internal/graph/agent-step';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { JsonObject } from '@vitrine/core/internal/kit/json';
import { type FindingInit, defineFor, each } from './detector.ts';
import { countNoun, durationText, inside, listNames } from './wording.ts';

const define = defineFor('model');

/** Words of names that let a server choose the model. */
const chosen = ['auto', 'default', 'latest', 'router'];

/** Retries of one step from which on they are remarkable: their number, or the time that they took. */
const leastRetried = { retries: 3, ms: 10_000 } as const;

/** Reasoning below this is no finding. */
const leastReasoning = { tokens: 10_000, share: 0.8 } as const;

/** A temperature above this varies every answer; from the lower one on calls and JSON vary. */
const mostTemperature = { temperature: 1.2, exact: 0.9 } as const;

const usageLimits = ['maxTokens', 'maxCost', 'sessionTokens', 'sessionCost'];

/** Detectors of models: of the one that answered, its attempts, settings and usage. */
export const modelDetectors = [
  /** An answer of a fallback, because the asked model failed before it said anything. */
  define('model-switched', {
    reads: { 'inference-end': ['response'] },
    watch: each(({ event }) => {
      const { switches = [], usage } = event.response;
      const [first, last] = [switches[0], switches.at(-1)];
      if (first === undefined || last === undefined) return null;
      const wait = last.afterMs === 0 ? '' : ` after ${Math.round(last.afterMs / 100) / 10} s`;
      return {
        sentence: `${last.to ?? 'Another model'} answered in place of ${first.from ?? 'the asked model'} (${last.code})${wait}. Its prices count, and its cache held ${usage.cacheReadTokens} of the ${usage.inputTokens} tokens of the request.`,
        remedy:
          'See why the asked model fails at the proxy: its key, its account, or its provider. Five minutes after its last failure it is asked again.',
        evidence: { switches, cost: usage.cost, inputTokens: usage.inputTokens },
      };
    }),
  }),
  /** An answer whose server names another model than the asked one. */
  define('model-other', {
    reads: { 'inference-end': ['response'] },
    needs: ['prompt'],
    watch: each(({ event, step }) => {
      const { model: answered, switches } = event.response;
      const asked = step?.sent?.model ?? null;
      if (asked === null || answered === null || switches !== undefined) return null;
      const [a, b] = [plainName(asked), plainName(answered)];
      // A server may answer with the dated name of a model, or with the file of one.
      if (a.includes(b) || b.includes(a) || chosen.some((word) => a.includes(word))) return null;
      return {
        key: `${asked}|${answered}`,
        sentence: `${answered} answered, and ${asked} was asked: the server has put another model in its place.`,
        remedy: 'Ask for a model that the server has (`/v1/models`), or correct the alias there.',
        evidence: { before: asked, after: answered },
      };
    }),
  }),
  /** Model calls that were made again three times or more, or for 10 s or longer, until one succeeded. */
  define('model-retried', {
    reads: {
      'step-start': [],
      'inference-start': ['attempt'],
      'inference-retry': ['error'],
      'inference-end': [],
    },
    watch: () => {
      let firstAt: number | null = null;
      let startedAt = 0;
      let attempt = 1;
      let error: { readonly code: string | null; readonly message: string } | null = null;
      return ({ event }) => {
        if (event.type === 'step-start') {
          [firstAt, attempt, error] = [null, 1, null];
          return null;
        }
        if (event.type === 'inference-retry') {
          error = { code: event.error.code, message: event.error.message };
          return null;
        }
        if (event.type === 'inference-start') {
          firstAt ??= event.at;
          startedAt = event.at;
          attempt = event.attempt;
          return null;
        }
        if (attempt < 2 || firstAt === null) return null;
        const retries = attempt - 1;
        const lostMs = startedAt - firstAt;
        if (retries < leastRetried.retries && lostMs < leastRetried.ms) return null;
        const why = error === null ? '' : `: ${inside(error.message)}`;
        return {
          sentence: `The model answered at attempt ${attempt}; ${countNoun(retries, 'failed call')} before it cost ${durationText(lostMs)}${why}.`,
          remedy:
            error?.code === 'rate-limited' || error?.code === 'http-429'
              ? 'The provider limits your rate: ask for a higher limit, or make fewer calls at once.'
              : 'Look at the error of the provider. When it comes often, use another model or region, or tell people that it takes longer.',
          evidence: { attempts: attempt, lostMs, error },
        };
      };
    },
  }),
  /**
   * Reasoning of 10,000 tokens or more that took four fifths of the output tokens of a run, and so most of what they
   * cost.
   */
  define('reasoning-heavy', {
    reads: { 'inference-end': ['response'] },
    needs: ['usage'],
    watch: () => {
      let reasoning = 0;
      let output = 0;
      return ({ event }) => {
        const { reasoningTokens, outputTokens } = event.response.usage;
        reasoning += reasoningTokens;
        output += outputTokens;
        const share = output === 0 ? 0 : reasoning / output;
        if (reasoning < leastReasoning.tokens || share < leastReasoning.share) return null;
        return {
          key: 'reasoning',
          sentence: `Reasoning took ${Math.round(share * 100)} % of the output: ${countNoun(reasoning, 'token')} of ${countNoun(output, 'token')}.`,
          remedy:
            'Lower the reasoning effort in the settings of the model, or use a model without it for this task.',
          evidence: { reasoningTokens: reasoning, outputTokens: output },
        };
      };
    },
  }),
  /**
   * A stop sequence in the settings before an answer without an end, a temperature that lets answers vary, or settings
   * that the model does not support.
   */
  define('settings-left', {
    reads: { 'inference-end': ['response'] },
    needs: ['prompt'],
    watch: each(({ event, step }): readonly FindingInit[] | null => {
      const { sent } = step ?? {};
      if (step === null || !sent) return null;
      const found: FindingInit[] = [];
      const stops = stopsIn(sent.settings);
      const written = responseText(step).trimEnd();
      const { unsupportedSettings: unsupported = [], model } = event.response;
      if (
        stops.length > 0 &&
        event.response.finishReason === 'stop' &&
        !hasToolCalls(step) &&
        endsOpen(written)
      )
        found.push({
          key: 'stop',
          sentence: `The settings have ${listNames(stops.map((one) => `the stop sequence ${JSON.stringify(one.slice(0, 40))}`))}, and the answer ends without an end: it may be cut there.`,
          remedy:
            'Remove the stop sequence from `llmConfig.settings`, unless the application puts the rest together.',
          evidence: { stops, end: written.slice(-120) },
        });
      const { temperature } = sent.settings;
      const isExact = sent.responseFormat !== null || hasToolCalls(step);
      if (
        typeof temperature === 'number' &&
        temperature > (isExact ? mostTemperature.exact : mostTemperature.temperature)
      )
        found.push({
          key: 'temperature',
          sentence: `The model answers at temperature ${temperature}: equal questions get ${isExact ? 'other calls and values' : 'other answers'}.`,
          remedy: 'Lower `temperature` in `llmConfig.settings`; 0 to 0.3 is usual for tools and JSON.',
          evidence: { temperature },
        });
      if (unsupported.length > 0)
        found.push({
          key: 'unsupported',
          sentence: `${model ?? 'The model'} does not support ${listNames(unsupported.map((name) => `\`${name}\``))}: ${unsupported.length === 1 ? 'the setting was' : 'the settings were'} left out or changed, so ${unsupported.length === 1 ? 'it has' : 'they have'} not the effect that was asked for.`,
          remedy: 'Remove them from `llmConfig.settings`, or choose a model that supports them.',
          evidence: { unsupported, model },
        });
      return found;
    }),
  }),
  /**
   * A provider that reports no usage, in a run with a limit of tokens or cost, which is only as exact as the estimate.
   */
  define('usage-estimated', {
    reads: { 'inference-end': ['response'] },
    needs: ['usage'],
    watch: () => {
      let calls = 0;
      return ({ event, agent, root }) => {
        const { usage, model } = event.response;
        if (usage.isEstimated !== true || !(isLimited(agent) || isLimited(root))) return null;
        calls++;
        return {
          key: 'usage',
          sentence: `The provider${model === null ? '' : ` of ${model}`} reported no usage, so the tokens and the cost of this run are estimates.`,
          remedy:
            'Ask the provider for usage (often an option of the stream, such as `include_usage`). Limits of tokens and cost are only as exact as the estimate.',
          evidence: { calls, model, inputTokens: usage.inputTokens, outputTokens: usage.outputTokens },
        };
      };
    },
  }),
];

/** A name without its provider and without marks. */
function plainName(model: string): string {
  return (model.split('/').at(-1) ?? model).toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

function stopsIn(settings: JsonObject): readonly string[] {
  const given = settings['stopSequences'] ?? settings['stop_sequences'] ?? settings['stop'] ?? [];
  return [given].flat().filter((one): one is string => typeof one === 'string' && one !== '');
}

/** True for a text without an end: no mark of a sentence, or code that is not closed. A few words may be a label. */
function endsOpen(written: string): boolean {
  if (written === '' || written.split('```').length % 2 === 0) return true;
  const isLabel = written.length < 20 && /^[\p{L}\d _-]+$/u.test(written);
  return !isLabel && !'.!?…。！？)]}>"\'`*_|”»'.includes(written.at(-1) ?? '');
}

/** True when a limit of the run depends on its usage. */
function isLimited({ execution }: AgentState): boolean {
  return usageLimits.some((name) => execution?.limits?.[name] !== undefined);
}
