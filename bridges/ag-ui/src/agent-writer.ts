import { currentStep } from '@vitrine/core/internal/graph/agent-state/accessors';
import { isToldContext } from '@vitrine/core/internal/graph/foreign-traces';
import { toolErrorPrefix, toolResultText } from '@vitrine/core/internal/graph/tool-execution';
import type { AgentState, ToolExecution } from '@vitrine/core/internal/graph/types';
import { equalJson, type JsonObject, type JsonValue, readJson } from '@vitrine/core/internal/kit/json';
import type { AgentEvent, AgentEventOf } from '@vitrine/core/internal/run/events';
import { callOf } from '@vitrine/core/internal/run/state-at';
import { resultValue } from '@vitrine/messages/internal/reading/part';
import type { AgUiAgentEvent } from '@vitrine/messages/internal/ag-ui/protocol';

/** Names of the custom events for parts of an answer that AG-UI has no event for. */
export const customParts = { file: 'vitrine.file', source: 'vitrine.source' } as const;

type Kind = 'TEXT_MESSAGE' | 'REASONING_MESSAGE';

/** Writes the work of one agent: the root agent, or one subagent. */
export class AgentWriter {
  readonly #emit: (event: AgUiAgentEvent) => void;
  #open: { readonly kind: Kind; readonly id: string } | null = null;
  #stepName: string | null = null;
  #isChanged = false;
  /** True when the client has a part of an answer that was not told by events. */
  #hasPart = false;
  /** Ids of the messages that were begun; AG-UI appends to a message that begins twice. */
  readonly #begun = new Set<string>();
  /** The calls whose input is not complete, with its text so far. */
  readonly #inputs = new Map<string, string>();

  constructor(emit: (event: AgUiAgentEvent) => void) {
    this.#emit = emit;
  }

  /** Notes that the messages of a state were told as a whole, with a part of an answer in flight if there is one. */
  noteWhole(state: AgentState): void {
    this.#hasPart = currentStep(state)?.outputMessages.some(({ parts }) => parts.length > 0) === true;
  }

  /** True once when the client's messages differ from ours, because something that was told has changed. */
  takeIsChanged(): boolean {
    const was = this.#isChanged;
    this.#isChanged = false;
    return was;
  }

  #closeText(): void {
    if (this.#open === null) return;
    const { kind, id: messageId } = this.#open;
    this.#open = null;
    this.#emit({ type: `${kind}_END`, messageId });
    if (kind === 'REASONING_MESSAGE') this.#emit({ type: 'REASONING_END', messageId });
  }

  /** Ends the open message, calls and step. */
  close(): void {
    this.#closeText();
    for (const toolCallId of this.#inputs.keys()) {
      this.#emit({ type: 'TOOL_CALL_END', toolCallId });
      this.#isChanged = true;
    }
    this.#inputs.clear();
    if (this.#stepName !== null) this.#emit({ type: 'STEP_FINISHED', stepName: this.#stepName });
    this.#stepName = null;
  }

  /** The message of the step in flight. A step that was this.#begun in an earlier run is told again. */
  #messageOf(state: AgentState): string {
    const step = currentStep(state);
    if (step !== null && this.#stepName !== step.id) {
      this.close();
      this.#stepName = step.id;
      this.#emit({ type: 'STEP_STARTED', stepName: step.id });
    }
    return step?.outputMessages[0]?.id ?? '';
  }

  #openText(kind: Kind, partId: string, messageId: string): string {
    this.#closeText();
    const plain = kind === 'TEXT_MESSAGE' ? messageId : `${messageId}-reasoning`;
    const id = this.#begun.has(plain) ? `${plain}-${partId}` : plain;
    this.#begun.add(id);
    this.#open = { kind, id };
    if (kind === 'TEXT_MESSAGE') this.#emit({ type: 'TEXT_MESSAGE_START', messageId: id, role: 'assistant' });
    else {
      this.#emit({ type: 'REASONING_START', messageId: id });
      this.#emit({ type: 'REASONING_MESSAGE_START', messageId: id, role: 'reasoning' });
    }
    return id;
  }

  #delta(event: AgentEventOf<'text-delta' | 'reasoning-delta'>, messageId: string): void {
    if (event.delta === '') return;
    const kind = event.type === 'text-delta' ? 'TEXT_MESSAGE' : 'REASONING_MESSAGE';
    const id = this.#open?.kind === kind ? this.#open.id : this.#openText(kind, event.partId, messageId);
    this.#emit({ type: `${kind}_CONTENT`, messageId: id, delta: event.delta });
  }

  #beginCall(toolCallId: string, toolCallName: string, parentMessageId: string): void {
    this.#closeText();
    if (this.#inputs.has(toolCallId)) return;
    this.#inputs.set(toolCallId, '');
    this.#begun.add(parentMessageId);
    this.#emit({ type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId });
  }

  #moreInput(toolCallId: string, piece: string): void {
    const before = this.#inputs.get(toolCallId);
    if (before === undefined || piece === '') return;
    this.#inputs.set(toolCallId, before + piece);
    this.#emit({ type: 'TOOL_CALL_ARGS', toolCallId, delta: piece });
  }

  #endCall({ toolCallId, toolName, input }: AgentEventOf<'tool-call'>, messageId: string): void {
    this.#beginCall(toolCallId, toolName, messageId);
    const written = this.#inputs.get(toolCallId) ?? '';
    if (written === '') this.#moreInput(toolCallId, JSON.stringify(input));
    else this.#isChanged ||= !isTextOf(written, input);
    this.#inputs.delete(toolCallId);
    this.#emit({ type: 'TOOL_CALL_END', toolCallId });
  }

  #result(call: ToolExecution | null): void {
    if (call === null) return;
    this.#closeText();
    const { id: messageId, ...message } = resultMessage(call);
    this.#emit({ type: 'TOOL_CALL_RESULT', messageId, ...message });
  }

  /** Calls over the limit of an answer end with it, and have no event of their own. */
  #endAnswer({ callLimit, hook }: AgentEventOf<'inference-end'>, state: AgentState): void {
    this.#isChanged ||= hook !== undefined;
    this.#closeText();
    if (callLimit !== undefined)
      currentStep(state)
        ?.toolExecutions.filter(({ settledAt, isElsewhere }) => settledAt !== null && isElsewhere !== true)
        .forEach((call) => this.#result(call));
  }

  /** Tells an event, with the state of the agent after it. */
  write(event: AgentEvent, state: AgentState): void {
    switch (event.type) {
      case 'inference-start':
        // An answer that begins again takes back what was told of it.
        this.#isChanged ||=
          this.#hasPart ||
          this.#open !== null ||
          this.#inputs.size > 0 ||
          this.#begun.has(this.#messageOf(state));
        this.#hasPart = false;
        this.#closeText();
        return;
      case 'text-delta':
      case 'reasoning-delta':
        return this.#delta(event, this.#messageOf(state));
      case 'tool-call-start':
        return this.#beginCall(event.toolCallId, event.toolName, this.#messageOf(state));
      case 'tool-call-delta':
        return this.#moreInput(event.toolCallId, event.delta);
      case 'tool-call':
        return this.#endCall(event, this.#messageOf(state));
      case 'file':
      case 'source':
        this.#closeText();
        return this.#emit({ type: 'CUSTOM', name: customParts[event.type], value: event.part as JsonObject });
      case 'inference-end':
        return this.#endAnswer(event, state);
      case 'call-change':
        this.#isChanged = true;
        return;
      case 'tool-elsewhere':
      case 'call-settle':
        this.#messageOf(state);
        return this.#result(callOf(state, event.toolCallId));
      case 'message-add':
        this.#isChanged ||= event.source !== 'user' && !isToldContext(event.message);
        return;
      case 'section-change':
        this.#isChanged ||= event.source !== 'user';
        return;
      case 'step-end':
      case 'execution-pause':
      case 'execution-end':
        return this.close();
      default:
    }
  }
}

function isTextOf(written: string, input: JsonValue): boolean {
  const json = readJson(written);
  return json.ok && equalJson(json.value, input);
}

type ResultMessage = {
  readonly id: string;
  readonly role: 'tool';
  readonly toolCallId: string;
  readonly content: string;
  readonly metadata?: JsonObject;
};

export function resultIdOf(toolCallId: string): string {
  return `${toolCallId}-result`;
}

/** The message with the result of a call. What its text does not say stands in the metadata, which clients keep. */
export function resultMessage({ id, status, result = null, error }: ToolExecution): ResultMessage {
  const message = { id: resultIdOf(id), role: 'tool' as const, toolCallId: id };
  if (status !== 'completed') {
    const content = `${toolErrorPrefix}${error?.message ?? status}`;
    return { ...message, content, metadata: { vitrine: { outcome: status } } };
  }
  const content = toolResultText(result);
  const isSaid = equalJson(resultValue(content), result);
  return { ...message, content, ...(isSaid ? {} : { metadata: { vitrine: { result } } }) };
}
