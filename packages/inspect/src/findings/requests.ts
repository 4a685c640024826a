import type { Message, MessagePart } from '@vitrine/core/internal/graph/message';
import { request } from '@vitrine/core/internal/graph/sent';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { memoize, memoizeGrowing } from '@vitrine/core/internal/kit/memoize';
import { work } from '@vitrine/core/internal/kit/work';
import { type FindingInit, defineFor, each } from './detector.ts';
import {
  type AnsweredCall,
  type CallPair,
  type PrefixChange,
  callReads,
  costText,
  extraCost,
  followCalls,
  prefixChanges,
} from './prompt-prefix.ts';
import { countNoun, durationText, listNames, quoteName } from './wording.ts';

const define = defineFor('context');

/** Characters that one token hardly exceeds, and those of the shortest request that is looked at. */
const leastCut = { perToken: 10, characters: 8000 } as const;

const lengthOfAll = memoizeGrowing((before: number | null, list: readonly Message[], from: number) =>
  list.slice(from).reduce((sum, one) => sum + length(one), before ?? 0),
);

const length = memoize(({ parts }: Message) => parts.reduce((sum, part) => sum + lengthOf(part), 0));

/** The fields by their words. Changed prompts and messages have findings of their own. */
const fieldWords: { readonly [field: string]: string } = {
  tools: 'the tools',
  model: 'the model',
  settings: 'the settings',
  toolChoice: 'the tool choice',
  responseFormat: 'the response format',
};

/** Milliseconds after which no cache holds a request any more. */
const longestLife = 3_600_000;

type Total = ReturnType<typeof extraCost> & {
  readonly times: number;
  readonly tokens: number;
  readonly first: PrefixChange;
};

const prefixRemedies: { readonly [where in PrefixChange['where']]: string } = {
  model: 'Keep one model for a run, and give a cheap step to a subagent: each model has a cache of its own.',
  tools:
    'Offer the same tools in the same order in each call, and let a tool that is not allowed yet answer with a sentence.',
  prompt:
    'Give what moves as `context` of `prepare`, which is told behind the conversation, and keep `instructions` stable.',
  settings: 'Keep the settings of reasoning, tool choice and response format for the whole run.',
  messages:
    'Leave sent messages as they are, and shorten the conversation seldom and by much, as `summarizeHistory` does.',
};

const usualLife = 300_000;
/** Tokens below which no provider caches. */
const leastTokens = 512;

/** Models whose providers promise a cache: a request that begins as the one before is read from it. */
const promises: readonly { readonly names: RegExp; readonly minimum: number; readonly isMarked: boolean }[] =
  [
    { names: /claude/i, minimum: 4096, isMarked: true },
    { names: /gpt-|(?:^|[:/])o\d/i, minimum: 1024, isMarked: false },
    { names: /deepseek/i, minimum: leastTokens, isMarked: false },
  ];

/** Detectors of requests as a whole: their length, their parts, and what a prompt cache reads of them. */
export const requestDetectors = [
  /**
   * A request with many times the characters that the reported input tokens can hold, because the server cut it to its
   * window.
   */
  define('prompt-cut', {
    reads: { 'inference-end': ['response'] },
    needs: ['usage', 'prompt'],
    watch: each(({ event, agent, step }) => {
      const { usage, model } = event.response;
      const { inputTokens } = usage;
      if (step === null || usage.isEstimated === true || inputTokens === 0) return null;
      // To put a request together costs the whole conversation, and most conversations have too few characters.
      if (mostCharacters(agent) < Math.max(leastCut.characters, inputTokens * leastCut.perToken)) return null;
      const sent = request(agent, step);
      if (sent === null) return null;
      work.units += sent.messages.length;
      const characters = sent.messages.reduce((sum, one) => sum + length(one), sent.systemPrompt.length);
      if (characters < leastCut.characters || characters < inputTokens * leastCut.perToken) return null;
      return {
        key: 'prompt',
        sentence: `The model was sent ${countNoun(characters, 'character')} and read ${countNoun(inputTokens, 'token')}: the server cut the request to its window, mostly at the beginning.`,
        remedy:
          'Raise the window of the server (Ollama: OLLAMA_CONTEXT_LENGTH), or send less: fewer tools, a shorter system prompt, a summary of old messages.',
        evidence: { characters, inputTokens, model },
      };
    }),
  }),
  /** A hook that replaced a field at a point where nothing reads it, so that it had no effect. */
  define('hook-ignored', {
    severity: 'fault',
    reads: { 'hook-violation': ['hook', 'point', 'field'] },
    watch: each(({ event }) => ({
      key: `${event.hook}|${event.point}|${event.field}`,
      sentence: `Hook ${quoteName(event.hook)} replaced "${event.field}" at ${event.point}, where nothing reads it.`,
      remedy: 'Move the hook to a point that allows the field.',
      evidence: { who: event.hook, point: event.point, field: event.field },
    })),
  }),
  /** A model call whose tools, model, settings or format a hook replaced. */
  define('request-replaced', {
    reads: { 'inference-start': ['replaced', 'sent'] },
    needs: ['prompt'],
    watch: each(({ event }) => {
      const { replaced, sent } = event;
      const fields = replaced?.fields.filter((field) => field in fieldWords) ?? [];
      if (replaced === undefined || fields.length === 0) return null;
      return {
        key: `${replaced.hook}|${fields.join()}`,
        sentence: `Hook ${quoteName(replaced.hook)} replaced ${listNames(fields.map((field) => fieldWords[field] ?? field))} before this model call.`,
        remedy: `Compare what was sent with the agent, and correct the before-inference hook ${quoteName(replaced.hook)} if the change was not meant.`,
        evidence: { who: replaced.hook, fields, model: sent.model },
      };
    }),
  }),
  /** A system prompt that a hook, tool or plugin replaced. */
  define('prompt-replaced', {
    reads: { 'context-change': ['source', 'systemPrompt'], 'inference-start': ['replaced', 'sent'] },
    needs: ['prompt'],
    watch: each(({ event, agent, before }) => {
      if (event.type === 'context-change') {
        const { systemPrompt, source } = event;
        const former = before.context.systemPrompt;
        if (systemPrompt === undefined || systemPrompt === former) return null;
        const isOfApp = source === null || source === 'app' || source === 'user';
        return {
          sentence: `${isOfApp ? 'The application' : quoteName(source)} replaced the system prompt of the agent for this and all later steps.`,
          remedy: isOfApp
            ? 'Nothing, if the change was meant.'
            : 'Compare both prompts, and correct the hook or tool if the change was not meant.',
          statePath: ['context', 'systemPrompt'],
          evidence: { before: former, after: systemPrompt, who: source ?? 'app' },
        };
      }
      const { replaced, sent } = event;
      if (replaced === undefined || !replaced.fields.includes('prompt')) return null;
      return {
        key: `${replaced.hook}|${sent.prompt}`,
        sentence: `Hook ${quoteName(replaced.hook)} replaced the system prompt before this model call.`,
        remedy: `Compare both prompts, and correct the before-inference hook ${quoteName(replaced.hook)} if the change was not meant.`,
        evidence: {
          ...(replaced.prompt === undefined ? {} : { before: replaced.prompt }),
          after: agent.texts[sent.prompt] ?? '',
          who: replaced.hook,
        },
      };
    }),
  }),
  /**
   * A model, tool, prompt, setting or earlier message that changed between two calls, so that a prompt cache cannot
   * read the request before.
   */
  define('prefix-broken', {
    reads: callReads,
    needs: ['prompt'],
    across: 'runs',
    watch: () => {
      const next = followCalls();
      const totals = new Map<string, Total>();
      return (seen) => {
        const pair = next(seen);
        if (pair === null || pair.call.at - pair.former.endedAt > longestLife) return null;
        const { former, call } = pair;
        const whole = Math.min(former.usage.inputTokens, call.usage.inputTokens);
        const read = call.usage.cacheReadTokens;
        // Settings that one provider takes for a part of the request, another one leaves out.
        if (read > 0 && read >= 0.9 * whole) return null;
        return prefixChanges(pair).map((change): FindingInit => {
          const tokens = Math.max(1, whole - Math.max(read, change.kept));
          const key = `${call.executionId}|${change.where}|${change.who}`;
          const extra = extraCost(call, tokens);
          const total = sumOf(totals.get(key), { times: 1, tokens, ...extra, first: change });
          totals.set(key, total);
          return { key, seq: call.seq ?? 0, ...describeTotal(total) };
        });
      };
    },
  }),
  /**
   * A request that began as the one before, and less than half of that was read from the prompt cache of a provider
   * that promises one.
   */
  define('cache-missed', {
    reads: { ...callReads, 'approval-request': [] },
    needs: ['prompt', 'usage'],
    across: 'runs',
    watch: () => {
      const next = followCalls();
      let hasAsked = false;
      return (seen) => {
        if (seen.event.type === 'approval-request') return void (hasAsked = true);
        const pair = next(seen as never);
        if (pair === null) return null;
        const wasAsked = hasAsked;
        hasAsked = false;
        return findMiss(pair, wasAsked);
      };
    },
  }),
];

/** Characters that a request may have, besides its system prompt, when all messages are sent. */
function mostCharacters({ context, retained, texts }: AgentState): number {
  if (Object.keys(retained).length > 0) return Infinity;
  const prompts = Object.values(texts).reduce<number>(
    (sum, one) => sum + (typeof one === 'string' ? one.length : 0),
    0,
  );
  return context.store.sections.reduce((sum, { messages }) => sum + lengthOfAll(messages), prompts);
}

/** Characters that every provider sends to its model; files have many and few tokens, and thoughts may stay behind. */
function lengthOf(part: MessagePart): number {
  if (part.type === 'text') return part.text.length;
  if (part.type === 'tool-call') return JSON.stringify(part.input).length;
  return part.type === 'tool-result' ? JSON.stringify(part.output).length : 0;
}

function sumOf(before: Total | undefined, now: Total): Total {
  if (before === undefined) return now;
  const cost =
    before.cost === null || now.cost === null
      ? null
      : Math.round((before.cost + now.cost) * 1_000_000) / 1_000_000;
  return {
    first: before.first,
    times: before.times + 1,
    tokens: before.tokens + now.tokens,
    cost,
    isAtMost: before.isAtMost || now.isAtMost,
  };
}

function describeTotal({ first, times, tokens, ...extra }: Total): FindingInit {
  const { where, who, writer, place, before, after } = first;
  return {
    sentence: `${writer} changed ${place}${times === 1 ? '' : ` (${times} times)`}: a prompt cache could not read ${countNoun(tokens, 'token')} that the request before had sent${costText(extra)}.`,
    remedy: prefixRemedies[where],
    evidence: { where, who, tokens, cost: extra.cost, times, place, before, after },
  };
}

function findMiss(pair: CallPair, wasAsked: boolean): FindingInit | null {
  const { former, call, earlier } = pair;
  const promise = promises.find(({ names }) => names.test(call.model ?? call.sent.model ?? ''));
  const isNextRun = former.executionId !== call.executionId;
  const pause = call.at - former.endedAt;
  if (promise === undefined || (isNextRun && pause > usualLife)) return null;
  if ([former, call].some(({ usage }) => usage.isEstimated === true)) return null;
  // The next run begins with the former one up to its question, which is what its first call had sent.
  const reach = isNextRun ? (earlier[0]?.inputTokens ?? 0) : former.usage.inputTokens;
  const expected = Math.min(reach, call.usage.inputTokens);
  const tokens = expected - call.usage.cacheReadTokens;
  if (expected < leastTokens || tokens <= expected / 2 || prefixChanges(pair).length > 0) return null;
  const { reason, because, remedy } = reasonOf(former, call, { ...promise, wasAsked });
  const extra = extraCost(call, tokens);
  return {
    key: `${call.executionId}|${reason}`,
    sentence: `The prompt cache read ${countNoun(call.usage.cacheReadTokens, 'token')} of ${countNoun(expected, 'token')} that the request before had sent${costText(extra)}: ${because}.`,
    remedy,
    evidence: { reason, tokens, cost: extra.cost, pauseMs: pause, model: call.model },
  };
}

function reasonOf(
  former: AnsweredCall,
  call: AnsweredCall,
  { minimum, isMarked, wasAsked }: { minimum: number; isMarked: boolean; wasAsked: boolean },
): { readonly reason: string; readonly because: string; readonly remedy: string } {
  const pause = call.at - former.endedAt;
  const { inputTokens, cacheReadTokens, cacheWriteTokens } = former.usage;
  const isUnwritten = isMarked && cacheReadTokens === 0 && cacheWriteTokens === 0;
  if (former.model !== call.model)
    return {
      reason: 'model',
      because: `${quoteName(call.model ?? 'another model')} answered, and ${quoteName(former.model ?? 'another model')} had answered before`,
      remedy: 'See why the model was switched: the cache of one model is not that of another.',
    };
  if (pause > usualLife)
    return {
      reason: 'pause',
      because: `${wasAsked ? 'an approval waited' : 'the run paused'} for ${durationText(pause)}, and a cache keeps a request for 5 minutes`,
      remedy:
        'Set `VITRINE_CACHE=1h` at the proxy, or `cache` of `fromLanguageModel`, when people often answer later than after 5 minutes.',
    };
  if (inputTokens < minimum && (isUnwritten || !isMarked))
    return {
      reason: 'minimum',
      because: `the request before had ${countNoun(inputTokens, 'token')}, and some models cache from ${countNoun(minimum, 'token')} on`,
      remedy: 'Nothing: a request of this length costs little.',
    };
  if (isUnwritten)
    return {
      reason: 'unmarked',
      because: 'nothing was written into the cache before',
      remedy:
        'Leave out `VITRINE_CACHE=off` at the proxy, and `cache` of `fromLanguageModel`; update a proxy that does not know them.',
    };
  return {
    reason: 'unknown',
    because: 'the provider did not say why',
    remedy: 'Nothing, if it is rare: providers drop what they cached when they are busy.',
  };
}
