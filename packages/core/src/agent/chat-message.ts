import type { Timestamp } from '../graph/env.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import type { FilePart, ReasoningPart, SourcePart, TextPart, ToolOutcome } from '../graph/message-part.ts';
import type { AgentState, ToolApproval } from '../graph/types.ts';
import type { JsonObject, JsonValue } from '../kit/json.ts';
import type { AgentDefinition } from './agent-definition.ts';
import type { DataNames, DataOf, ToolInput, ToolNames, ToolOutput } from './types-of.ts';

/**
 * A message as a view needs it: tool messages are not listed, every tool call carries its outcome. The type of the agent
 * makes its parts a closed union: `part.type === 'tool-call'` and `part.toolName` tell input and output apart.
 */
export type ChatMessage<A extends AgentDefinition = AgentDefinition> = {
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly ChatPart<A>[];
  readonly metadata: JsonObject;
  /** Unix epoch milliseconds. */
  readonly createdAt: Timestamp;
  /** The message that this one answers; null for the one before it in the list. */
  readonly parentId: string | null;
};

/** A part of a message as a view needs it. */
export type ChatPart<A extends AgentDefinition = AgentDefinition> =
  TextPart | ReasoningPart | FilePart | SourcePart | ChatDataPart<A> | ChatToolCall<A>;

/** A data part, one member of the union for every name that the agent declares. */
export type ChatDataPart<A extends AgentDefinition = AgentDefinition> = {
  [Name in DataNames<A>]: { readonly type: 'data'; readonly name: Name; readonly data: DataOf<A, Name> };
}[DataNames<A>];

/**
 * A tool call with what came of it, for one tool or (without a name) for each of the agent's.
 * Input that was not validated yet, or did not pass, is `unknown`: that is so while the status is `requested` and when
 * the call ended in any other way than `completed`. `output` is null until then.
 */
export type ChatToolCall<
  A extends AgentDefinition = AgentDefinition,
  Name extends ToolNames<A> = ToolNames<A>,
> = {
  [Each in Name]:
    | UncheckedToolCall<Each>
    | OpenToolCall<Each, ToolInput<A, Each>>
    | CompletedToolCall<Each, ToolInput<A, Each>, ToolOutput<A, Each>>;
}[Name];

type ToolCallBase<Name> = {
  readonly type: 'tool-call';
  /** Unique in the session: what `approve`, `reject` and `respond` take. */
  readonly toolCallId: string;
  readonly toolName: Name;
  /** What the tool reported last; null when it has reported nothing. */
  readonly progress: JsonValue | null;
  /** The question to the user and the answer; null when nobody was asked. */
  readonly approval: ToolApproval | null;
  /** How long the tool ran, in milliseconds; null when it did not, or has not ended. */
  readonly durationMs: number | null;
  /** The state of the subagent that works on it, live; null for all other tools. */
  readonly childState: AgentState | null;
};

/** A call whose input nobody has checked: just requested, or ended before it could complete. */
export type UncheckedToolCall<Name> = ToolCallBase<Name> & {
  readonly status: 'requested' | Exclude<ToolOutcome, 'completed'>;
  readonly input: unknown;
  readonly output: null;
  readonly error: ErrorInfo | null;
};

/** A call that runs or waits for a person; its input fits the tool's schema. */
export type OpenToolCall<Name, Input> = ToolCallBase<Name> & {
  readonly status: 'awaiting-approval' | 'awaiting-output' | 'running';
  readonly input: Input;
  readonly output: null;
  readonly error: null;
};

/** A call that has its result. */
export type CompletedToolCall<Name, Input, Output> = ToolCallBase<Name> & {
  readonly status: 'completed';
  readonly input: Input;
  readonly output: Output;
  readonly error: null;
};
