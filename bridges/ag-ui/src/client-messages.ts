import { currentStep, messages, steps } from '@vitrine/core/internal/graph/agent-state/accessors';
import { systemEnv } from '@vitrine/core/internal/graph/env';
import type { Message } from '@vitrine/core/internal/graph/message';
import type { AgentState, ToolExecution } from '@vitrine/core/internal/graph/types';
import { textOf } from '@vitrine/core/internal/kit/text';
import type { QueuedMessage } from '@vitrine/core/internal/session/agent-session';
import { toUserMessage } from '@vitrine/core/internal/session/running/user-message';
import { resultIdOf, resultMessage } from './agent-writer.ts';
import { agUiMessagesOf, nativeOf } from '@vitrine/messages/internal/ag-ui/messages';
import type { AgUiMessage } from '@vitrine/messages/internal/ag-ui/protocol';

/** The key of a message's metadata with the id by which the client knows it. */
export const clientIdKey = 'agUiId';

/** The id of the message of each result that a client has, by its call. */
export type ResultIds = ReadonlyMap<string, string>;

/** The messages of a session with a client's ids, the step in flight, and subagents behind the call that began them. */
export function clientMessages(state: AgentState, results: ResultIds): readonly AgUiMessage[] {
  const step = currentStep(state);
  // The messages of a step that waits are among those of the session already.
  const ended = messages(state);
  const known = new Set(ended.map(({ id }) => id));
  const isNew = ({ id, parts }: Message): boolean => !known.has(id) && parts.length > 0;
  const all = [...ended, ...(step?.outputMessages ?? []).filter(isNew)];
  const ids = new Map(all.map(({ id, metadata: { [clientIdKey]: given } }) => [id, textOf(given) || id]));
  const children = new Map(
    steps(state)
      .flatMap(({ toolExecutions }) => toolExecutions)
      .map((call) => [call.id, subagentMessages(call, results)]),
  );
  const settled = (step?.toolExecutions ?? [])
    .filter(({ settledAt }) => settledAt !== null)
    .map(resultMessage);
  return [...agUiMessagesOf(all), ...settled].flatMap((message): readonly AgUiMessage[] => {
    if (message.role === 'tool') {
      const { toolCallId } = message;
      return [{ ...message, id: results.get(toolCallId) ?? resultIdOf(toolCallId) }];
    }
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    const own = { ...message, id: ids.get(message.id) ?? message.id };
    return [own, ...calls.flatMap(({ id }) => children.get(id) ?? [])];
  });
}

/** The messages of the subagent of a call, without its task, which the call has. */
function subagentMessages({ id, childState }: ToolExecution, results: ResultIds): readonly AgUiMessage[] {
  if (childState === null) return [];
  return clientMessages(childState, results)
    .filter(({ role }) => role !== 'user')
    .map((message) => ({ ...message, subagentRunId: message.subagentRunId ?? id }));
}

/** The messages of clients that wait for the end of another turn. */
export function queuedMessages(queue: readonly QueuedMessage[]): readonly AgUiMessage[] {
  return queue.flatMap((message) => {
    const id = message.metadata?.[clientIdKey];
    if (id === undefined) return [];
    return nativeOf(toUserMessage(message, systemEnv)).map((native) => ({ ...native, id: textOf(id) }));
  });
}
