import { type AgentState, type JsonObject, type JsonValue, type Message, Usage } from '@vitrine/core';
import { contentHash } from '@vitrine/core/internal/kit/hash';
import { rangesOf } from '@vitrine/core/internal/graph/sent';
import type { SentRange, ToolChoice } from '@vitrine/core/internal/graph/types';
import type { AgentEventBody, FinishReason } from '@vitrine/core/types';
import { bridgeTexts } from './bridge-texts.ts';
import { idOf } from './foreign-values.ts';

/** The facts about a model call that are told apart from its content. */
export type ModelCallFacts = {
  readonly model?: string | null;
  readonly usage?: Usage;
  readonly finishReason?: FinishReason;
  /** Absent when it is not told. */
  readonly prompt?: {
    readonly system: string;
    readonly tools: JsonValue;
    /** Default: none that is told. */
    readonly settings?: JsonObject;
    /** Default: `auto`. */
    readonly toolChoice?: ToolChoice;
    /** The messages that were sent: those of the conversation, and others. Default: the whole conversation. */
    readonly messages?: readonly Message[];
  };
};

export type ObservedCall = {
  /** Our id of it. */
  readonly id: string;
  readonly stepId: string;
  readonly name: string;
  args: string;
  /** `open` until its arguments are complete. */
  state: 'open' | 'given' | 'waiting' | 'running' | 'settled';
};

/** A step of a watched agent that has not ended. */
export type ObservedStep = {
  readonly id: string;
  /** Monotonic milliseconds. */
  readonly began: number;
  readonly inferenceId: string;
  /** The id of each part of text in the answer, by its kind and the id of the stream. */
  readonly texts: Readonly<Record<'text-delta' | 'reasoning-delta', Map<string, string>>>;
  readonly calls: Map<string, ObservedCall>;
  parts: number;
  /** The number of the attempt at its model call. */
  attempt: number;
  firstDeltaMs: number | null;
  /** `grown` when content came after the answer was told. */
  answer: 'open' | 'ended' | 'grown';
  facts: ModelCallFacts;
  /** True when it broke off, so that it has no response. */
  isCut: boolean;
};

export function newStep(began: number, facts: ModelCallFacts): ObservedStep {
  return {
    id: idOf(),
    began,
    inferenceId: idOf(),
    texts: { 'text-delta': new Map(), 'reasoning-delta': new Map() },
    calls: new Map(),
    parts: 0,
    attempt: 1,
    firstDeltaMs: null,
    answer: 'open',
    facts,
    isCut: false,
  };
}

/** The event with which the model call of a step begins. */
export function inferenceStart(
  { inferenceId, attempt, facts: { model = null, prompt } }: ObservedStep,
  step: number,
  state: AgentState | null,
): AgentEventBody {
  const texts = prompt === undefined ? [] : [prompt.system, prompt.tools];
  // Equal texts have one name, which says that they did not change.
  const [promptHash = '', toolsHash = ''] = texts.map((text) => contentHash(JSON.stringify(text)));
  const named = [promptHash, toolsHash].map((hash, index) => [hash, texts[index]] as const);
  return {
    type: 'inference-start',
    key: `${step}/model/${attempt}`,
    attempt,
    messageId: idOf(),
    texts: Object.fromEntries(
      named.filter(([hash]) => hash !== '' && state?.texts[hash] === undefined),
    ) as JsonObject,
    sent: {
      inferenceId,
      model,
      settings: prompt?.settings ?? {},
      toolChoice: prompt?.toolChoice ?? 'auto',
      prompt: promptHash,
      tools: toolsHash,
      responseFormat: null,
      ...sentMessages(state, prompt?.messages),
    },
  };
}

/** The messages of a request, and those of the conversation that it leaves out. */
function sentMessages(state: AgentState | null, messages: readonly Message[] | undefined) {
  const section = state?.context.store.sections.find(({ name }) => name === 'messages')?.messages ?? [];
  if (state === null || messages === undefined)
    return { extra: [], omitted: [], messages: asRanges(section) };
  const { ranges, extra, ...traces } = rangesOf(state, messages);
  const sent = new Set(messages.map(({ id }) => id));
  const omitted: { range: SentRange; reason: string }[] = [];
  let missing: Message[] = [];
  for (const message of [...section, null]) {
    if (message !== null && !sent.has(message.id)) missing.push(message);
    else {
      for (const range of asRanges(missing)) omitted.push({ range, reason: bridgeTexts.notSent });
      missing = [];
    }
  }
  return { ...traces, extra, omitted, messages: ranges };
}

/** Messages that follow each other in the conversation, as a range; none for an empty list. */
function asRanges(messages: readonly Message[]): readonly SentRange[] {
  const [first, last] = [messages[0], messages.at(-1)];
  if (first === undefined || last === undefined) return [];
  return [{ section: 'messages', first: first.id, last: last.id, count: messages.length }];
}

/** The event with which the answer of a step ends. */
export function inferenceEnd(
  { inferenceId, facts, calls, firstDeltaMs }: ObservedStep,
  durationMs: number,
): AgentEventBody {
  const { usage = Usage.none(), model = null, finishReason = 'stop' } = facts;
  const isCut = finishReason === 'length' || finishReason === 'content-filter';
  const reason = calls.size > 0 && !isCut ? 'tool-calls' : finishReason;
  const ending = { finishReason: reason, durationMs, firstDeltaMs } as const;
  const response = { id: null, model, usage, ...ending };
  return { type: 'inference-end', inferenceId, toolTrace: 'tagged', response };
}
