import type { Message, ToolOutcome } from '@vitrine/core/internal/graph/message';
import { allSections } from '@vitrine/core/internal/agent/compilers';
import { currentStep } from '@vitrine/core/internal/graph/agent-state/accessors';
import { toFinishReason } from '@vitrine/core/internal/graph/inference-response';
import { isFinished, isToolOutcome, toolErrorPrefix } from '@vitrine/core/internal/graph/tool-execution';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { type ReportedUsage, reportedUsage } from '@vitrine/core/internal/graph/usage-of-call';
import { isPlainObject, type JsonObject, type JsonValue } from '@vitrine/core/internal/kit/json';
import { textOf } from '@vitrine/core/internal/kit/text';
import { toJson } from '@vitrine/core/internal/kit/to-json';
import type { InferenceEvent } from '@vitrine/core/internal/model/inference-client';
import { customParts } from '../agent-writer.ts';
import { argumentsOf, resultValue } from '@vitrine/messages/internal/reading/part';
import { contentText } from '@vitrine/messages/internal/ag-ui/messages';
import { foreign } from '@vitrine/inspect/internal/foreign/foreign-values';
import { isCancelled, questionsIn, type RemoteEvent, type RemoteQuestion } from './remote-run.ts';

export type RemoteRunFacts = {
  /** Ids of its calls, so that a repeated one is noticed. */
  readonly calls: Set<string>;
  /** Calls of earlier steps and of an earlier run that wait for their results. */
  readonly awaited: Pick<Set<string>, 'add' | 'delete'>;
  readonly onState: (event: RemoteEvent) => void;
  /** Takes the result of a call of an earlier step. */
  readonly onResult?: (event: RemoteEvent) => void;
  /** Counts an event that is not used, by its type and the reason. */
  readonly onSkipped: (what: string) => void;
};

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Events that only frame others, and say nothing to the loop. */
const silent =
  words(`RUN_STARTED STEP_STARTED STEP_FINISHED TEXT_MESSAGE_START TEXT_MESSAGE_END REASONING_START
  REASONING_END REASONING_MESSAGE_START REASONING_MESSAGE_END THINKING_START THINKING_END
  THINKING_TEXT_MESSAGE_START THINKING_TEXT_MESSAGE_END MESSAGES_SNAPSHOT`);

/** True for an event that says nothing to the loop. */
export function isSilent(type: string): boolean {
  return silent.has(type);
}

/** Events with which an answer begins or goes on. */
const contents =
  words(`TEXT_MESSAGE_CONTENT TEXT_MESSAGE_CHUNK REASONING_MESSAGE_CONTENT REASONING_MESSAGE_CHUNK
  THINKING_TEXT_MESSAGE_CONTENT TOOL_CALL_START TOOL_CALL_CHUNK CUSTOM`);

/** Most characters of the texts and inputs of a step. What comes behind them is skipped and counted. */
const mostCharacters = 4_000_000;

/** The translation of one step, which ends with the run or before the first content behind the results of its calls. */
export class RemoteStep {
  readonly #facts: RemoteRunFacts;
  readonly #open = new Map<string, { readonly name: string; readonly messageId: string; text: string }>();
  /** Complete calls without a result. */
  readonly #made = new Set<string>();
  /** Messages of the backend whose id a part has. */
  readonly #named = new Set<string>();
  /** The usage of single messages, which AG-UI tells for whole runs only. */
  readonly #usage: unknown[] = [];
  /** The finish reason of the last message, which AG-UI itself does not tell. */
  #finishReason: unknown = 'stop';
  #hasResults = false;
  #lastCall = '';
  #interrupts: readonly RemoteQuestion[] = [];
  #hasSubagent = false;
  #characters = 0;

  constructor(facts: RemoteRunFacts) {
    this.#facts = facts;
  }

  /** The questions with which the run has ended. */
  get interrupts(): readonly RemoteQuestion[] {
    return this.#interrupts;
  }

  /** The usage of the messages so far. */
  get usage(): ReportedUsage {
    return usageOf(this.#usage);
  }

  /** True when the step ends now, because its subagents speak beside the run. */
  get isHandedOver(): boolean {
    return this.#hasSubagent && this.#open.size === 0;
  }

  /** The events of the loop for one event of the run; null when that belongs to the next step. */
  take(given: RemoteEvent): readonly InferenceEvent[] | null {
    const event = this.#cutDelta(given);
    const { type } = event;
    if (this.#hasSubagent && (type === 'RUN_FINISHED' || type === 'RUN_ERROR')) return null;
    if (!contents.has(type) && event['isOwnCall'] !== true) return this.#other(event);
    // Results end a step of ours, and what comes behind them is the next one.
    return this.#hasResults && this.#made.size === 0 && this.#open.size === 0 ? null : this.#content(event);
  }

  #cutDelta(event: RemoteEvent): RemoteEvent {
    const delta = textOf(event['delta']);
    const left = mostCharacters - this.#characters;
    this.#characters += delta.length;
    if (delta.length <= left) return event;
    this.#facts.onSkipped(`${event.type} behind ${mostCharacters} characters`);
    return { ...event, delta: delta.slice(0, Math.max(0, left)).replace(/[\ud800-\udbff]$/, '') };
  }

  /** Ends the calls whose end is not told. */
  endCalls(): readonly InferenceEvent[] {
    return [...this.#open.keys()].flatMap((id) => this.#endCall(id));
  }

  /** Ends the step before the run does. Its calls without a result wait for it. */
  handOver(): readonly InferenceEvent[] {
    const late = this.endCalls();
    for (const id of this.#made) this.#facts.awaited.add(id);
    return [...late, { type: 'finish', finishReason: 'tool-calls', usage: this.usage }];
  }

  #beginCall(event: RemoteEvent): InferenceEvent[] {
    const id = textOf(event['toolCallId']);
    const name = textOf(event['toolCallName']);
    if (id === '' || this.#facts.calls.has(id)) {
      this.#facts.onSkipped('TOOL_CALL_START of a repeated id');
      return [];
    }
    this.#facts.calls.add(id);
    this.#lastCall = id;
    this.#open.set(id, { name, messageId: textOf(event['parentMessageId']), text: '' });
    return [{ type: 'tool-call-start', toolCallId: id, toolName: name }];
  }

  #moreInput(type: string, id: string, delta: string): InferenceEvent[] {
    const call = this.#open.get(id);
    if (call === undefined) {
      this.#facts.onSkipped(`${type} of an unknown call`);
      return [];
    }
    call.text += delta;
    return [{ type: 'tool-call-delta', toolCallId: id, delta }];
  }

  #endCall(id: string, given?: unknown): InferenceEvent[] {
    const call = this.#open.get(id);
    if (call === undefined) return [];
    this.#open.delete(id);
    this.#made.add(id);
    const { name: toolName, text, messageId } = call;
    const input = given === undefined ? argumentsOf(text) : toJson(given);
    return [{ type: 'tool-call', toolCallId: id, toolName, input, ...ofMessage(messageId) }];
  }

  #chunk(event: RemoteEvent): InferenceEvent[] {
    const id = textOf(event['toolCallId']) || this.#lastCall;
    const delta = textOf(event['delta']);
    const begun = !this.#open.has(id) && event['toolCallName'] !== undefined ? this.#beginCall(event) : [];
    return delta === '' ? begun : [...begun, ...this.#moreInput('TOOL_CALL_CHUNK', id, delta)];
  }

  #result(event: RemoteEvent): InferenceEvent[] {
    const id = textOf(event['toolCallId']);
    const before = this.#endCall(id);
    if (!this.#made.delete(id)) {
      if (this.#facts.awaited.delete(id)) this.#facts.onResult?.(event);
      else this.#facts.onSkipped('TOOL_CALL_RESULT of an unknown call');
      return before;
    }
    this.#hasResults = true;
    return [...before, ...tellResult(event)];
  }

  #subagent(event: RemoteEvent): InferenceEvent[] {
    const id = textOf(event['parentToolCallId']);
    const begun = event['isOwnCall'] === true ? this.#beginCall(ownCall(event)) : [];
    const task = textOf(event['description']);
    const ended = this.#endCall(id, begun.length === 0 ? undefined : task === '' ? {} : { task });
    this.#hasSubagent ||= this.#made.has(id);
    return [...begun, ...ended];
  }

  #endRun(event: RemoteEvent): InferenceEvent[] {
    const { usage } = event;
    const late = this.endCalls();
    this.#interrupts = questionsIn(event, this.#made);
    const asks = this.#interrupts
      .filter((one) => one.of === 'none')
      .map(({ toolCallId, message }): InferenceEvent => {
        this.#made.add(toolCallId);
        const input = message === null ? {} : { message };
        return { type: 'tool-call', toolCallId, toolName: 'question', input };
      });
    const finishReason = toFinishReason(
      this.#made.size > 0 || this.#hasResults ? 'tool-calls' : (reasonIn(event) ?? this.#finishReason),
    );
    return [
      ...late,
      ...asks,
      { type: 'finish', finishReason, usage: usage === undefined ? this.usage : usageOf(usage) },
    ];
  }

  #content(event: RemoteEvent): InferenceEvent[] {
    const { type } = event;
    const messageId = textOf(event['messageId']);
    const part = {
      delta: textOf(event['delta']),
      ...(messageId === '' ? {} : { partId: messageId }),
      ...(this.#named.has(messageId) ? {} : ofMessage(messageId)),
    };
    this.#named.add(messageId);
    if (type.startsWith('TEXT')) return [{ type: 'text-delta', ...part }];
    if (type.startsWith('REASONING') || type.startsWith('THINKING'))
      return [{ type: 'reasoning-delta', ...part }];
    if (type === 'TOOL_CALL_CHUNK') return this.#chunk(event);
    if (type === 'TOOL_CALL_START') return this.#beginCall(event);
    if (type === 'SUBAGENT_STARTED') return this.#subagent(event);
    const custom = customPart(event);
    if (custom === null) this.#facts.onSkipped(`CUSTOM ${textOf(event['name'])}`);
    return custom === null ? [] : [custom];
  }

  #other(event: RemoteEvent): InferenceEvent[] {
    const { type } = event;
    const id = textOf(event['toolCallId']);
    switch (type) {
      case 'TOOL_CALL_ARGS':
        return this.#moreInput(type, id, textOf(event['delta']));
      case 'TOOL_CALL_END':
        if (!this.#open.has(id)) this.#facts.onSkipped('TOOL_CALL_END of an unknown call');
        return this.#endCall(id, event['input']);
      case 'MESSAGE_FINISHED':
        if (event['usage'] !== undefined) this.#usage.push(event['usage']);
        this.#finishReason = event['finishReason'] ?? 'stop';
        return [];
      case 'TOOL_CALL_RESULT':
        return this.#result(event);
      case 'SUBAGENT_STARTED':
        return this.#subagent(event);
      case 'STATE_SNAPSHOT':
      case 'STATE_DELTA':
        this.#facts.onState(event);
        return [];
      case 'RUN_FINISHED':
        return isCancelled(event)
          ? [errorEventOf({ type, message: 'The run was cancelled at the backend.' })]
          : this.#endRun(event);
      case 'RUN_ERROR':
        return [errorEventOf(event)];
      default:
        if (!silent.has(type)) this.#facts.onSkipped(type);
        return [];
    }
  }
}

/** The finish reason at the end of a run. AG-UI has none; TanStack AI has it in the event or beside it. */
export function reasonIn({ finishReason, metadata }: RemoteEvent): string | null {
  const reason = finishReason ?? foreign(foreign(metadata)['tanstack'])['finishReason'];
  return typeof reason === 'string' ? reason.replaceAll('_', '-') : null;
}

/** The result of a call. What its text cannot say stands in the metadata of a backend of ours. */
export function resultIn({ content, error, metadata }: RemoteEvent): {
  readonly outcome: ToolOutcome;
  readonly result: JsonValue;
} {
  const { vitrine, tanstack } = foreign(metadata);
  // TanStack AI tells a failed tool in its own metadata.
  const isFailed = foreign(tanstack)['state'] === 'output-error';
  const { outcome = isFailed || textOf(error) !== '' ? 'failed' : 'completed', result } = foreign(vitrine);
  const text = contentText(content);
  if (isToolOutcome(outcome) && outcome !== 'completed') {
    const told = textOf(error) || (isFailed ? failureIn(content) : text);
    const said = told.startsWith(toolErrorPrefix) ? told.slice(toolErrorPrefix.length) : told;
    return { outcome, result: said === '' && outcome === 'failed' ? toolFailed : said };
  }
  const isText = content === undefined || typeof content === 'string' || isParts(content);
  return {
    outcome: 'completed',
    result: result !== undefined ? toJson(result) : isText ? resultValue(text) : toJson(content),
  };
}

/** The result of a call as an event of the loop. */
export function tellResult(event: RemoteEvent): readonly [InferenceEvent] {
  return [{ type: 'tool-elsewhere', toolCallId: textOf(event['toolCallId']), ...resultIn(event) }];
}

/** The message of a failed call, which TanStack AI writes as the JSON of its content. */
export function failureIn(content: unknown): string {
  const { error, message } = foreign(typeof content === 'string' ? resultValue(content) : content);
  return textOf(error) || textOf(message) || contentText(content) || toolFailed;
}

const toolFailed = 'The tool failed.';

function isParts(content: unknown): boolean {
  return Array.isArray(content) && content.every((part) => textOf(foreign(part)['type']) !== '');
}

/** The key of the metadata of a part with the id of its message at the backend. */
const messageKey = 'backend';

function ofMessage(messageId: string): { readonly providerMetadata?: JsonObject } {
  return messageId === '' ? {} : { providerMetadata: { [messageKey]: { messageId } } };
}

/** The id of a message at the backend, if it came from there. */
export function backendIdOf({ id, parts }: Message): string {
  const said = parts.find(({ type }) => type === 'text' || type === 'tool-call');
  const known = said !== undefined && 'providerMetadata' in said ? said.providerMetadata?.[messageKey] : null;
  return (isPlainObject(known) && textOf(known['messageId'])) || id;
}

/** The messages of a state with the ids that the backend gave to its calls, without stand-ins for missing results. */
export function messagesToSend(state: AgentState): readonly Message[] {
  const open = new Set(
    currentStep(state)
      ?.toolExecutions.filter((call) => !isFinished(call))
      .map(({ id }) => id),
  );
  const ids = new Map<string, string>();
  return allSections(state).map((message) => ({
    ...message,
    parts: message.parts
      .filter((part) => part.type !== 'tool-result' || !open.has(part.toolCallId))
      .map((part) => {
        if (part.type === 'tool-call' && part.providerCallId !== null)
          ids.set(part.toolCallId, part.providerCallId);
        if (part.type !== 'tool-call' && part.type !== 'tool-result') return part;
        return { ...part, toolCallId: ids.get(part.toolCallId) ?? part.toolCallId };
      }),
  }));
}

/** A file or a source of a backend of ours. */
function customPart({ name, value }: RemoteEvent): InferenceEvent | null {
  const type = name === customParts.file ? 'file' : name === customParts.source ? 'source' : null;
  return type === null || !isPlainObject(value) ? null : ({ ...value, type } as unknown as InferenceEvent);
}

/** The begin of a call that stands for a subagent without one. */
function ownCall({ parentToolCallId: toolCallId, name }: RemoteEvent): RemoteEvent {
  return { type: 'TOOL_CALL_START', toolCallId, toolCallName: textOf(name) || 'subagent' };
}

function errorEventOf({ message, code }: RemoteEvent): InferenceEvent {
  return {
    type: 'error',
    code: textOf(code) || 'upstream-error',
    message: textOf(message) || 'The backend ended its run with an error without saying what it was.',
    // The backend may have acted already, so the run is not begun anew.
    retryable: false,
    retryAfterMs: null,
  };
}

/** The sum of the reported usages, one for each model of the run. TanStack AI tells a single one, in words of its own. */
export function usageOf(usage: unknown): ReportedUsage {
  const list = (Array.isArray(usage) ? usage : [usage]).filter(isPlainObject);
  const sum = (...names: readonly string[]): number | null => {
    const figures = list
      .map((one) => names.map((name) => one[name]).find((figure) => figure !== undefined))
      .filter((figure) => typeof figure === 'number');
    return figures.length === 0 ? null : figures.reduce((total, figure) => total + figure, 0);
  };
  return reportedUsage({
    inputTokens: sum('inputTokens', 'promptTokens'),
    outputTokens: sum('outputTokens', 'completionTokens'),
    reasoningTokens: sum('reasoningTokens'),
    cacheReadTokens: sum('cachedInputTokens'),
    cacheWriteTokens: sum('cacheWriteInputTokens'),
    totalTokens: sum('totalTokens'),
  });
}
