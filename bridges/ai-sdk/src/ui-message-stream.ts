import { currentStep, lastStep } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { wasForceStopped } from '@vitrine/core/internal/graph/stop-reason';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { AgentSession, Turn } from '@vitrine/core/internal/session/agent-session';
import { settledMessages } from '@vitrine/core/internal/session/conversation/conversation';
import { endOf, endWithState, type TurnEnd, turnEnd } from '@vitrine/core/internal/session/turn-end';
import { type AnswerPlace, AnswerWriter, type PartialInput } from './answer-writer.ts';
import type { UiChunk } from '@vitrine/messages/internal/ai-sdk/ui-message';

/**
 * Streams an answer of a session as chunks of the AI SDK: `turn`, as a command of the session returns it, or else the
 * turn that goes on, from its beginning. It ends when the turn does or waits for a person; cancelling it stops nothing.
 * A slow reader gets fewer and longer chunks.
 * @example
 * const stream = toUiMessageStream(session, session.sendMessage('Hello'));
 * return createUIMessageStreamResponse({ stream });
 */
export function toUiMessageStream(session: AgentSession, turn?: Promise<Turn>): ReadableStream<UiChunk> {
  const { state } = session.store.getState();
  if (turn === undefined) return answerStream(session, lastAsked(state), turnEnd(session));
  const known = new Set(settledMessages(state).map(({ id }) => id));
  const isQuestion: AnswerPlace['isQuestion'] = ({ id }) => !known.has(id);
  return answerStream(session, { isQuestion, without: known }, turn);
}

/** The answer to the last message of the user. */
export function lastAsked(state: AgentState): AnswerPlace {
  const asked = settledMessages(state).findLast(({ role }) => role === 'user');
  return { isQuestion: ({ id }) => id === asked?.id, without: new Set() };
}

/** Streams one answer of a session until its turn ends. `isContinued`: the reader has what is there already. */
export function answerStream(
  session: AgentSession,
  place: AnswerPlace,
  turn: Promise<TurnEnd>,
  { isContinued = false }: { readonly isContinued?: boolean } = {},
): ReadableStream<UiChunk> {
  let isOver = false;
  let leave = (): void => undefined;
  let pull = (): void => undefined;
  return new ReadableStream<UiChunk>({
    start(controller) {
      const inputs = new Map<string, PartialInput>();
      const state = (): AgentState => session.store.getState().state;
      let isSilent = isContinued;
      let ended: TurnEnd | null = null;
      // A chunk that is read at once asks for more within its write.
      let isWriting = false;
      const writer = new AnswerWriter(place, (chunk) => {
        if (!isSilent || chunk.type === 'start') controller.enqueue(chunk as UiChunk);
      });
      const write = (): void => {
        if (isWriting || isOver || (controller.desiredSize ?? 0) <= 0) return;
        isWriting = true;
        writer.write(state(), inputs);
        if (ended !== null) close(ended);
        isWriting = false;
      };
      const close = (turn: TurnEnd): void => {
        leave();
        const metadata = writer.end(state());
        if (metadata !== null)
          controller.enqueue({ type: 'message-metadata', messageMetadata: { vitrine: metadata } });
        controller.enqueue(lastChunk(turn, state()));
        controller.close();
      };
      const leaves = [
        session.store.subscribe(write),
        session.onEvent((event, after) => {
          if (keepInput(inputs, event, after)) write();
        }),
      ];
      leave = () => {
        isOver = true;
        leaves.forEach((end) => end());
      };
      pull = write;
      if (isContinued) writer.write(state(), inputs);
      isSilent = false;
      void endWithState(session, turn, (now) => isAnswered(now, place)).then((end) => {
        ended = end;
        write();
      });
    },
    pull: () => pull(),
    cancel: () => leave(),
  });
}

/** True when the run that answers has ended. */
function isAnswered(state: AgentState, { isQuestion }: AnswerPlace): boolean {
  return (state.execution?.completedAt ?? null) !== null && settledMessages(state).some(isQuestion);
}

/** Keeps the pieces of the input of a call, which no state has. True when there is something new. */
function keepInput(inputs: Map<string, PartialInput>, event: AgentEvent, state: AgentState): boolean {
  if (event.path.length > 0) return false;
  if (event.type === 'tool-call-start') {
    const messageId = currentStep(state)?.outputMessages[0]?.id;
    if (messageId === undefined) return false;
    inputs.set(event.toolCallId, { messageId, toolName: event.toolName, text: '' });
    return true;
  }
  if (event.type === 'inference-start' || event.type === 'step-end') inputs.clear();
  const known = event.type === 'tool-call-delta' ? inputs.get(event.toolCallId) : undefined;
  if (known === undefined || event.type !== 'tool-call-delta') return false;
  known.text += event.delta;
  return true;
}

function lastChunk(turn: TurnEnd, state: AgentState): UiChunk {
  const end = endOf(turn, state);
  if (end.type === 'waiting') return { type: 'finish', finishReason: 'tool-calls' };
  if (end.type === 'abort') return { type: 'abort', reason: end.message };
  if (end.type === 'error') return { type: 'error', errorText: end.message };
  const isWhole = end.reason !== null && !wasForceStopped(end.reason);
  const finishReason = isWhole ? lastStep(state)?.inferenceResponse?.finishReason : undefined;
  return { type: 'finish', finishReason: finishReason ?? 'other' };
}
