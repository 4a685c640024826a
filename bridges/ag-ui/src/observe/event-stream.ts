import type { Usage } from '@vitrine/core';
import type { MessageRole } from '@vitrine/core/types';
import { bridgeTexts } from '@vitrine/inspect/internal/foreign/bridge-texts';
import {
  finishReasonOf,
  type Foreign,
  foreign,
  listOf,
  parsedJson,
  textOf,
  usageFrom,
} from '@vitrine/inspect/internal/foreign/foreign-values';
import type { ObservedAgent } from '@vitrine/inspect/internal/foreign/observed-agent';
import type { ObservedSession } from '@vitrine/inspect/internal/foreign/observed-session';
import {
  type ForeignEvent,
  type Meanings,
  type ObservedStream,
  observedStream,
} from '@vitrine/inspect/internal/foreign/observed-stream';
import { type Interrupts, roleOf } from './run-input.ts';

/** Events that say nothing that the journal has a place for. */
const quiet = new Set([
  'RUN_STARTED',
  'STEP_STARTED',
  'STEP_FINISHED',
  // The state after it comes from the agent, where there is one.
  'STATE_DELTA',
  'MESSAGES_SNAPSHOT',
  'ACTIVITY_SNAPSHOT',
  'ACTIVITY_DELTA',
  'RAW',
  'CUSTOM',
  'REASONING_START',
  'REASONING_MESSAGE_START',
  'REASONING_MESSAGE_END',
  'REASONING_END',
  'REASONING_ENCRYPTED_VALUE',
  'THINKING_START',
  'THINKING_END',
  'THINKING_TEXT_MESSAGE_START',
  'THINKING_TEXT_MESSAGE_END',
]);

/** Maps AG-UI events, 0.0.59 to 1.0, to a watched session. */
export function eventStream(session: ObservedSession, interrupts: Interrupts): ObservedStream {
  return observedStream(session, (over) => {
    const { handlers, mayEnd } = ends(session, interrupts, over);
    return {
      handlers: {
        ...contentHandlers(session),
        ...subagentHandlers(session),
        ...handlers,
        STATE_SNAPSHOT: ({ snapshot }) => session.setMetadata('state', snapshot ?? null),
      },
      isQuiet: (type) => quiet.has(type),
      mayEnd,
    };
  });
}

/** Texts and calls, of the agent or of a subagent. */
function contentHandlers(session: ObservedSession): Meanings['handlers'] {
  /** Texts that are no answers, by the ids of their messages. */
  const others = new Map<string, { readonly role: MessageRole; text: string }>();

  const by =
    (handle: (agent: ObservedAgent, event: ForeignEvent) => void) =>
    (event: ForeignEvent): void => {
      const runId = textOf(event['subagentRunId']);
      const agent = runId === null ? session.root : session.agent(runId);
      if (agent === undefined) session.skip(bridgeTexts.unknownSubagent);
      else handle(agent, event);
    };
  const text = by((agent, { messageId, delta }) => {
    const other = others.get(String(messageId));
    if (other === undefined) agent.text(String(messageId), String(delta ?? ''));
    else other.text += String(delta ?? '');
  });
  const reasoning = by((agent, { messageId, delta }) =>
    agent.text(String(messageId), String(delta ?? ''), 'reasoning-delta'),
  );

  return {
    TEXT_MESSAGE_START({ messageId, role: given }) {
      const role = roleOf(given ?? 'assistant');
      if (role !== null && role !== 'assistant') others.set(String(messageId), { role, text: '' });
    },
    TEXT_MESSAGE_CONTENT: text,
    TEXT_MESSAGE_CHUNK: text,
    TEXT_MESSAGE_END({ messageId }) {
      const id = String(messageId);
      const other = others.get(id);
      others.delete(id);
      if (other !== undefined)
        session.add([{ id, role: other.role, parts: [{ type: 'text', text: other.text }] }]);
    },
    REASONING_MESSAGE_CONTENT: reasoning,
    REASONING_MESSAGE_CHUNK: reasoning,
    THINKING_TEXT_MESSAGE_CONTENT: reasoning,
    TOOL_CALL_START: by((agent, event) => agent.startCall(callOf(event), toolOf(event))),
    TOOL_CALL_ARGS: by((agent, event) => agent.growCall(callOf(event), String(event['delta'] ?? ''))),
    TOOL_CALL_CHUNK: by((agent, event) => {
      if (!agent.hasCall(callOf(event))) agent.startCall(callOf(event), toolOf(event));
      agent.growCall(callOf(event), String(event['delta'] ?? ''));
    }),
    TOOL_CALL_END: by((agent, event) => agent.giveCall(callOf(event), null)),
    TOOL_CALL_RESULT: by((agent, event) => {
      const { content, error, metadata } = event;
      // TanStack AI tells a failed tool in its own metadata.
      const { state } = foreign(foreign(metadata)['tanstack']);
      const message = textOf(error) ?? (state === 'output-error' ? failureIn(content) : null);
      const output = typeof content === 'string' ? parsedJson(content) : content;
      agent.settle(
        callOf(event),
        message === null ? { outcome: 'completed', output } : { outcome: 'failed', error: message },
      );
    }),
  };
}

/** The message of a failed call, which TanStack AI writes as the JSON of its content. */
export function failureIn(content: unknown): string {
  const { error, message } = foreign(typeof content === 'string' ? parsedJson(content) : content);
  return textOf(error) ?? textOf(message) ?? textOf(content) ?? bridgeTexts.toolFailed;
}

function subagentHandlers(session: ObservedSession): Meanings['handlers'] {
  return {
    SUBAGENT_STARTED: ({ subagentRunId, name, parentSubagentRunId, parentToolCallId }) =>
      session.startSubagent({
        runId: String(subagentRunId),
        name: textOf(name) ?? 'subagent',
        parentRunId: textOf(parentSubagentRunId),
        callId: textOf(parentToolCallId),
      }),
    SUBAGENT_FINISHED({ subagentRunId, outcome, result }) {
      const { type } = foreign(outcome);
      if (type === 'suspended') session.suspendSubagent(String(subagentRunId));
      else session.endSubagent(String(subagentRunId), { status: 'completed', result });
    },
    SUBAGENT_ERROR: ({ subagentRunId, message }) =>
      session.endSubagent(String(subagentRunId), {
        status: 'failed',
        message: textOf(message) ?? bridgeTexts.subagentFailed,
      }),
  };
}

function ends(
  session: ObservedSession,
  interrupts: Interrupts,
  over: (end: () => void) => void,
): Required<Pick<Meanings, 'handlers' | 'mayEnd'>> {
  let isFinished = false;
  let counted = session.root.stepCount;

  /** Usage is that of a step only when no other step is behind it: a run may tell it in one sum. */
  function addUsage({ usage, metadata }: ForeignEvent): void {
    const steps = session.root.stepCount - counted;
    counted = session.root.stepCount;
    const found = usageOf(usage);
    if (steps !== 1 || found === null) return;
    session.root.addFacts({ usage: found, model: textOf(foreign(foreign(metadata)['tanstack'])['model']) });
  }

  function interruptBy({ id, reason, message, toolCallId }: Foreign): void {
    const given = textOf(toolCallId);
    const asked = given === null ? undefined : session.agentWith(given);
    const key = asked === undefined || given === null ? String(id) : given;
    // An interrupt that belongs to no call waits like one.
    if (asked === undefined)
      session.root.giveCall(key, textOf(reason) ?? 'interrupt', { message: textOf(message) });
    (asked ?? session.root).ask(key, 'approval', textOf(message) ?? textOf(reason));
    interrupts.set(String(id), { callId: key, isCall: asked !== undefined });
  }

  return {
    mayEnd: () => isFinished,
    handlers: {
      RUN_FINISHED(event) {
        addUsage(event);
        const { outcome, finishReason, metadata } = event;
        const { type, interrupts: asked } = foreign(outcome);
        if (type === 'cancelled') return over(() => session.stop(bridgeTexts.cancelled));
        const waiting = listOf(asked);
        for (const interrupt of waiting) interruptBy(interrupt);
        // TanStack AI tells the end of each model call so; the results of its calls follow.
        if (waiting.length === 0 && session.root.hasUnrun) isFinished = true;
        else
          over(() => {
            // AG-UI has no finish reason; TanStack AI has it in the event or beside it.
            const reason = finishReason ?? foreign(foreign(metadata)['tanstack'])['finishReason'];
            if (waiting.length === 0) session.root.endStep(finishReasonOf(reason));
            session.finish();
          });
      },
      RUN_ERROR: ({ message, code }) =>
        over(() => {
          // The client itself tells of a run that this page aborted as an error.
          if (code === 'abort') session.stop(bridgeTexts.stopped);
          else session.fail(new Error(textOf(message) ?? bridgeTexts.streamFailed));
        }),
    },
  };
}

/** The only usage in a list of AG-UI 1.0, or that of TanStack AI; null for the sum of several models. */
function usageOf(given: unknown): Usage | null {
  const [first, second] = Array.isArray(given) ? listOf(given) : [foreign(given)];
  if (first === undefined || second !== undefined) return null;
  const { promptTokens, completionTokens, totalTokens, reasoningTokens } = first;
  const { inputTokens = promptTokens, outputTokens = completionTokens } = first;
  const { cachedInputTokens: cacheReadTokens, cacheWriteInputTokens: cacheWriteTokens } = first;
  return usageFrom({
    inputTokens,
    outputTokens,
    totalTokens,
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens,
  });
}

function callOf({ toolCallId }: ForeignEvent): string {
  return String(toolCallId);
}

function toolOf({ toolCallName }: ForeignEvent): string {
  return textOf(toolCallName) ?? 'tool';
}
