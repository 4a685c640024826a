import type { ErrorInfo } from '../graph/error-info.ts';
import type {
  FilePart,
  Message,
  ReasoningPart,
  SourcePart,
  TextPart,
  ToolOutcome,
} from '../graph/message.ts';
import type { AgentState, ToolApproval } from '../graph/types.ts';
import type { JsonValue } from '../kit/json.ts';
import type { AgentDefinition } from './agent-definition.ts';
import type { DataNames, DataOf, ToolInput, ToolNames, ToolOutput } from './types-of.ts';

/**
 * A message for views: tool messages are omitted, and every tool call carries its result. With the type of the agent,
 * the parts are a closed union: `part.type === 'tool-call'` and `part.toolName` narrow input and output.
 */
export type ChatMessage<A extends AgentDefinition = AgentDefinition> = Omit<Message, 'role' | 'parts'> & {
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly ChatPart<A>[];
};

/** A part of a message for views. */
export type ChatPart<A extends AgentDefinition = AgentDefinition> =
  TextPart | ReasoningPart | FilePart | SourcePart | ChatDataPart<A> | ChatToolCall<A>;

/** A data part, one member of the union for every name that the agent declares. */
export type ChatDataPart<A extends AgentDefinition = AgentDefinition> = {
  [Name in DataNames<A>]: { readonly type: 'data'; readonly name: Name; readonly data: DataOf<A, Name> };
}[DataNames<A>];

/**
 * A tool call with its result, for one tool or (without a name) for each of the agent's.
 * The input is `unknown` until it was validated: while the status is `requested`, and when the call ended other than
 * `completed`. `output` is null until then.
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
  /** Id of the call, unique in the session: the argument of `approve`, `reject` and `respond`. */
  readonly toolCallId: string;
  readonly toolName: Name;
  /** The last progress value of the tool; null when it has reported none. */
  readonly progress: JsonValue | null;
  /** The question to the user and the answer; null when no question was asked. */
  readonly approval: ToolApproval | null;
  /** Running time of the tool in milliseconds; null before it has run to its end. */
  readonly durationMs: number | null;
  /** The live state of the subagent that works on the call; null for other tools. */
  readonly childState: AgentState | null;
};

/** A call with unvalidated input: just requested, or ended before it could complete. */
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
