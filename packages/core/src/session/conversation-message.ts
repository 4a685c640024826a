import type { ErrorInfo } from '../graph/error-info.ts';
import type { MessagePart, ToolCallPart, ToolResultPart } from '../graph/message-part.ts';
import type { Message } from '../graph/message.ts';
import type { AgentState, ToolApproval, ToolExecutionStatus } from '../graph/types.ts';
import type { JsonValue } from '../kit/json.ts';

/** A call with what became of it, so that a view needs nothing else to show it. */
export type ConversationToolCall = ToolCallPart & {
  readonly status: ToolExecutionStatus;
  /** What the model was, or will be, shown; null until there is a result. */
  readonly output: JsonValue | null;
  readonly error: ErrorInfo | null;
  /** What the tool reported last. */
  readonly progress: JsonValue | null;
  readonly approval: ToolApproval | null;
  /** How long the tool ran, in milliseconds; null when it did not, or has not ended. */
  readonly durationMs: number | null;
  /** The state of the subagent that does the work, or did it in this run. */
  readonly childState: AgentState | null;
};

export type ConversationPart = Exclude<MessagePart, ToolCallPart | ToolResultPart> | ConversationToolCall;

/** A message as a chat shows it: calls carry their outcome, and messages that only hold results are not listed. */
export type ConversationMessage = Omit<Message, 'parts'> & { readonly parts: readonly ConversationPart[] };
