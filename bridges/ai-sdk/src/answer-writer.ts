import type { ChatMessage, ChatPart } from '@vitrine/core/internal/agent/chat-message';
import { currentStep } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { ReasoningPart, TextPart } from '@vitrine/core/internal/graph/message';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { equalJson, type JsonValue } from '@vitrine/core/internal/kit/json';
import { settledMessages, streamingMessage } from '@vitrine/core/internal/session/conversation/conversation';
import { nestedOf, uiIdOf, vitrineOfAnswer } from '@vitrine/messages/internal/ai-sdk/to-ui-messages';
import {
  type UICall,
  errorTextOf,
  reasonOf,
  toUiPart,
  toUiToolPart,
} from '@vitrine/messages/internal/ai-sdk/to-ui-parts';
import type { LaterChunk, UiChunk, UiVitrine } from '@vitrine/messages/internal/ai-sdk/ui-message';

/** The answer that a stream tells: the messages of the agent behind a message of the user. */
export type AnswerPlace = {
  /** True for the user message that is answered. */
  readonly isQuestion: (message: ChatMessage) => boolean;
  /** Ids of messages behind it that were there before, of an answer that is given again. */
  readonly without: ReadonlySet<string>;
};

/** The pieces of a call's input that a model has sent before the input is complete. */
export type PartialInput = { readonly messageId: string; readonly toolName: string; text: string };

type Emit = (chunk: UiChunk | LaterChunk) => void;

type SentText = { readonly type: 'text' | 'reasoning'; readonly id: string; text: string; isEnded: boolean };
type SentCall = { input: unknown; text: string; stage: number; output: unknown };
type SentStep = {
  /** The message of the step; null while the model is asked again. */
  messageId: string | null;
  view: ChatMessage | null;
  isLive: boolean;
  texts: Map<number, SentText>;
  /** The places of files, sources and data. */
  others: Set<number>;
  hasCalls: boolean;
};

/** The stages of a call: its input comes, is complete, waits for an approval, was answered, has an output. */
const stages = { streaming: 0, complete: 1, asked: 2, answered: 3, ended: 4 } as const;

/** Writes an answer as chunks. Each write tells the difference to the one before it. */
export class AnswerWriter {
  readonly #place: AnswerPlace;
  readonly #emit: Emit;
  readonly #done = new Map<string, ChatMessage>();
  readonly #calls: Calls = new Map();
  #step: SentStep | null = null;
  #firstId: string | null = null;
  #hasNested = false;

  constructor(place: AnswerPlace, emit: Emit) {
    this.#place = place;
    this.#emit = emit;
  }

  /** Tells what is new in the state, and in the inputs of calls that are not complete yet. */
  write(state: AgentState, inputs: ReadonlyMap<string, PartialInput>): void {
    const live = streamingMessage(state);
    const views = readAnswer(state, this.#place, live);
    const current = currentStep(state)?.outputMessages[0]?.id ?? null;
    const startId = views[0] === undefined ? current : uiIdOf(views[0]);
    const open = this.#step;
    if (open?.messageId && open.messageId !== current && !views.some(({ id }) => id === open.messageId)) {
      this.#reset(open);
      open.messageId = null;
    }
    for (const view of views) this.#writeView(view, startId ?? view.id, view === live);
    for (const [toolCallId, { messageId, toolName, text }] of inputs) {
      if (
        messageId !== current ||
        (this.#calls.get(toolCallId)?.stage ?? stages.streaming) > stages.streaming
      )
        continue;
      if (views.length === 0 && !hasQuestion(state, this.#place)) continue;
      const step =
        this.#step?.messageId === messageId ? this.#step : this.#begin(messageId, startId ?? messageId);
      for (const sent of step.texts.values()) this.#endText(sent);
      step.hasCalls = true;
      writeInput({ toolCallId, toolName, text }, this.#emit, this.#calls);
    }
  }

  /** Ends the open step, and returns the metadata of the answer; null when there is no answer. */
  end(state: AgentState): UiVitrine | null {
    if (this.#step !== null) this.#close(this.#step);
    return this.#firstId === null ? null : vitrineOfAnswer(state, this.#firstId);
  }

  #begin(messageId: string, startId: string): SentStep {
    if (this.#firstId === null) {
      this.#firstId = messageId;
      this.#emit({ type: 'start', messageId: startId });
    }
    const open = this.#step;
    // The model was asked again, so the step goes on with another message.
    if (open !== null && open.messageId === null) {
      open.messageId = messageId;
      return open;
    }
    if (open !== null) this.#close(open);
    this.#emit({ type: 'start-step' });
    this.#hasNested = false;
    return (this.#step = { messageId, isLive: true, ...nothingSent() });
  }

  #close(open: SentStep): void {
    for (const sent of open.texts.values()) this.#endText(sent);
    if (open.view !== null && open.messageId !== null) this.#done.set(open.messageId, open.view);
    this.#emit({ type: 'finish-step' });
    this.#step = null;
  }

  /** Takes back what the open step has told, because the model was asked again or a hook replaced its answer. */
  #reset(open: SentStep): void {
    if (open.texts.size + open.others.size > 0 || open.hasCalls) this.#emit({ type: 'reset-step' });
    for (const part of open.view?.parts ?? [])
      if (part.type === 'tool-call') this.#calls.delete(part.toolCallId);
    Object.assign(open, nothingSent());
  }

  #endText(sent: SentText): void {
    if (sent.isEnded) return;
    sent.isEnded = true;
    this.#emit({ type: `${sent.type}-end`, id: sent.id });
  }

  #writeText(open: SentStep, part: TextPart | ReasoningPart, at: number): void {
    const { type, text } = part;
    let sent = open.texts.get(at);
    if (sent === undefined) {
      sent = { type, id: `${open.messageId}:${at}`, text: '', isEnded: false };
      open.texts.set(at, sent);
      this.#emit({ type: `${type}-start`, id: sent.id });
    }
    if (text.length === sent.text.length) return;
    this.#emit({ type: `${type}-delta`, id: sent.id, delta: text.slice(sent.text.length) });
    sent.text = text;
  }

  #writePart(open: SentStep, part: ChatPart, at: number): void {
    if (part.type === 'text' || part.type === 'reasoning') return this.#writeText(open, part, at);
    if (part.type === 'tool-call') {
      open.hasCalls = true;
      return writeCall(part as UICall, this.#emit, this.#calls, this.#hasNested);
    }
    if (open.others.has(at)) return;
    open.others.add(at);
    const ui = toUiPart(part);
    if (ui.type === 'text' || ui.type === 'reasoning' || ui.type === 'step-start') return;
    if (ui.type !== 'file') return this.#emit(ui);
    const { filename: _name, ...file } = ui;
    this.#emit(file);
  }

  #writeView(view: ChatMessage, startId: string, isLive: boolean): void {
    if (this.#done.get(view.id) === view) return;
    const current = this.#step?.messageId === view.id ? this.#step : null;
    if (current === null && this.#done.has(view.id)) return this.#writeEnded(view);
    const open = current ?? this.#begin(view.id, startId);
    if (open.view === view && open.isLive === isLive) return;
    if (isChanged(open, view)) this.#reset(open);
    view.parts.forEach((part, at) => {
      this.#writePart(open, part, at);
      const sent = open.texts.get(at);
      if (sent !== undefined && (!isLive || at < view.parts.length - 1)) this.#endText(sent);
    });
    Object.assign(open, { view, isLive });
    this.#writeNested(view);
  }

  /** Tells the changes of calls in a step that was closed, as by a late answer. */
  #writeEnded(view: ChatMessage): void {
    for (const part of view.parts)
      if (part.type === 'tool-call') writeCall(part as UICall, this.#emit, this.#calls, true);
    this.#done.set(view.id, view);
  }

  #writeNested(view: ChatMessage): void {
    const nested = nestedOf(view);
    if (nested.length > 0 && !this.#hasNested) {
      this.#hasNested = true;
      this.#emit({ type: 'start-step' });
    }
    for (const { call } of nested) writeCall(call, this.#emit, this.#calls, false);
  }
}

function nothingSent(): Pick<SentStep, 'view' | 'texts' | 'others' | 'hasCalls'> {
  return { view: null, texts: new Map(), others: new Set(), hasCalls: false };
}

/** True when a step no longer goes on from what was told of it. */
function isChanged(open: SentStep, view: ChatMessage): boolean {
  if (open.view !== null && view.parts.length < open.view.parts.length) return true;
  return [...open.texts].some(([at, sent]) => {
    const part = view.parts[at];
    if (part?.type !== sent.type) return true;
    if (part.text.length < sent.text.length) return true;
    // A streaming text only grows, and comparing it would cost more with every delta.
    return (sent.isEnded || !open.isLive) && part.text !== sent.text;
  });
}

/** True when the conversation has the user message that is answered. */
function hasQuestion(state: AgentState, { isQuestion }: AnswerPlace): boolean {
  return settledMessages(state).some((message) => message.role === 'user' && isQuestion(message));
}

/** The messages of the agent behind the question; none while that is not there yet. */
function readAnswer(state: AgentState, place: AnswerPlace, live: ChatMessage | null): readonly ChatMessage[] {
  const settled = settledMessages(state);
  const found: ChatMessage[] = live === null ? [] : [live];
  for (let at = settled.length - 1; at >= 0; at--) {
    const message = settled[at] as ChatMessage;
    if (message.role === 'user' && place.isQuestion(message)) return found.reverse();
    if (message.role === 'assistant' && !place.without.has(message.id)) found.push(message);
  }
  return [];
}

type Calls = Map<string, SentCall>;
type Input = { readonly toolCallId: string; readonly toolName: string; readonly text: string };

/** The told part of a call; a new one is remembered. */
function sentCall(calls: Calls, toolCallId: string): SentCall {
  const sent = calls.get(toolCallId) ?? {
    input: undefined,
    text: '',
    stage: stages.streaming,
    output: undefined,
  };
  calls.set(toolCallId, sent);
  return sent;
}

function writeInput({ toolCallId, toolName, text }: Input, emit: Emit, calls: Calls): void {
  if (!calls.has(toolCallId)) emit({ type: 'tool-input-start', toolCallId, toolName });
  const sent = sentCall(calls, toolCallId);
  const inputTextDelta = text.slice(sent.text.length);
  if (inputTextDelta === '') return;
  sent.text = text;
  emit({ type: 'tool-input-delta', toolCallId, inputTextDelta });
}

/** Tells what is new of a call. `isPast`: its step has a later one behind it, where other input has no place. */
function writeCall(call: UICall, emit: Emit, calls: Calls, isPast: boolean): void {
  const { toolCallId, toolName, input, approval, output, status } = call;
  const sent = sentCall(calls, toolCallId);
  const part = toUiToolPart(call);
  const isOther = sent.stage > stages.streaming && !isPast && !equalJson(sent.input, input);
  if (sent.stage === stages.streaming || isOther) {
    const { callProviderMetadata: providerMetadata } = part;
    const metadata = providerMetadata === undefined ? {} : { providerMetadata };
    emit({ type: 'tool-input-available', toolCallId, toolName, input, ...metadata });
    Object.assign(sent, { input, stage: stages.complete });
  }
  if (
    approval !== null &&
    (sent.stage < stages.asked || (approval.decision === null && sent.stage > stages.asked))
  ) {
    const { reason } = approval;
    const why = reason === null ? {} : { reason };
    emit({ type: 'tool-approval-request', approvalId: toolCallId, toolCallId, ...why });
    sent.stage = stages.asked;
  }
  if (approval !== null && approval.decision !== null && sent.stage < stages.answered) {
    const approved = approval.decision === 'approved';
    emit({ type: 'tool-approval-response', approvalId: toolCallId, approved, ...reasonOf(approval) });
    sent.stage = stages.answered;
  }
  if (status === 'requested' || status === 'running' || status.startsWith('awaiting')) return;
  if (sent.stage === stages.ended && equalJson(sent.output, outputOf(call))) return;
  Object.assign(sent, { stage: stages.ended, output: outputOf(call) });
  if (part.state === 'output-available') emit({ type: 'tool-output-available', toolCallId, output });
  else if (part.state === 'output-denied') emit({ type: 'tool-output-denied', toolCallId });
  else emit({ type: 'tool-output-error', toolCallId, errorText: errorTextOf(call) });
}

function outputOf(call: UICall): JsonValue {
  return [call.status, call.status === 'completed' ? (call.output as JsonValue) : errorTextOf(call)];
}
