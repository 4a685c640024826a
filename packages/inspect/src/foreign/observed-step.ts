import { type JsonValue, type Message, Usage } from '@vitrine/core';
import type { AgentEventBody, FinishReason } from '@vitrine/core/types';
import { idOf } from './foreign-values.ts';

/** The facts about a model call that are told apart from its content. */
export type ModelCallFacts = {
  readonly model?: string | null;
  readonly usage?: Usage;
  readonly finishReason?: FinishReason;
  /** Absent when it is not told. */
  readonly prompt?: { readonly system: string; readonly tools: JsonValue };
};

/** A tool call of a watched step. */
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
    firstDeltaMs: null,
    answer: 'open',
    facts,
    isCut: false,
  };
}

/** The event with which the model call of a step begins. */
export function inferenceStart(
  { inferenceId, facts: { model = null, prompt } }: ObservedStep,
  place: { readonly step: number; readonly attempt: number; readonly messages: readonly Message[] },
): AgentEventBody {
  const { step, attempt, messages } = place;
  const [first, last] = [messages[0], messages.at(-1)];
  const hash = (name: string): string => (prompt === undefined ? '' : `${inferenceId}/${name}`);
  return {
    type: 'inference-start',
    key: `${step}/model/${attempt}`,
    attempt,
    messageId: idOf(),
    texts: prompt === undefined ? {} : { [hash('prompt')]: prompt.system, [hash('tools')]: prompt.tools },
    sent: {
      inferenceId,
      model,
      settings: {},
      toolChoice: 'auto',
      prompt: hash('prompt'),
      tools: hash('tools'),
      responseFormat: null,
      extra: [],
      omitted: [],
      messages:
        first === undefined || last === undefined
          ? []
          : [{ section: 'messages', first: first.id, last: last.id, count: messages.length }],
    },
  };
}

/** The event with which the answer of a step ends. */
export function inferenceEnd(
  { inferenceId, facts, calls, firstDeltaMs }: ObservedStep,
  durationMs: number,
): AgentEventBody {
  const { usage = Usage.none(), model = null, finishReason = 'stop' } = facts;
  const reason = calls.size > 0 ? 'tool-calls' : finishReason;
  const ending = { finishReason: reason, durationMs, firstDeltaMs } as const;
  const response = { id: null, model, usage, ...ending };
  return { type: 'inference-end', inferenceId, toolTrace: 'tagged', response };
}
