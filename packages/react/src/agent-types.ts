import type {
  AgentDefinition,
  AgentOutput,
  ChatToolCall,
  JsonValue,
  Tool,
  ToolCall,
  ToolExecution,
  ToolInput,
  ToolOutput,
} from '@vitrine/core';
import type { ToolNames } from '@vitrine/core/types';

// Derives the types that hooks return from the type of an agent or a tool.

type AgentWith<T extends Tool> = AgentDefinition<{
  readonly tools: { readonly [Name in T['name']]: NonNullable<T['~types']> };
  readonly plugins: { readonly [id: string]: unknown };
  readonly output: undefined;
  readonly data: { readonly [name: string]: unknown };
}>;

/** A call of one tool with its result; `status` discriminates its input and output. */
export type ToolCallOf<T extends Tool> = ChatToolCall<AgentWith<T>>;

export type ToolOutputOf<T extends Tool> = NonNullable<T['~types']>['output'];

/** A value that is still streaming in: any field or item may be missing. */
export type PartialOutput<Output> = Output extends readonly (infer Item)[]
  ? readonly PartialOutput<Item>[]
  : Output extends object
    ? { readonly [Key in keyof Output]?: PartialOutput<Output[Key]> }
    : Output;

/** The structured output of an agent whose `responseFormat` is a schema. */
export type OutputView<Output> = {
  /** The part that has arrived so far, not validated; null before the first part. */
  readonly partial: PartialOutput<Output> | null;
  /** The final, validated output; null until a valid one exists. */
  readonly final: Output | null;
};

/** The structured output by the type of the agent; null for an agent without a schema. */
export type OutputViewOf<Agent extends AgentDefinition> =
  AgentOutput<Agent> extends undefined ? null : OutputView<AgentOutput<Agent>>;

/** A type by the tools of an agent, or `Any` for an agent whose tools are not known. */
type ByTools<Agent extends AgentDefinition, Known, Any> =
  string extends ToolNames<Agent> ? Any : [ToolNames<Agent>] extends [never] ? Any : Known;

export type ToolInputs<Agent extends AgentDefinition> = ByTools<
  Agent,
  ToolInput<Agent, ToolNames<Agent>>,
  JsonValue
>;

export type ToolOutputs<Agent extends AgentDefinition> = ByTools<
  Agent,
  ToolOutput<Agent, ToolNames<Agent>>,
  JsonValue
>;

/** A call that waits for a person, one member of the union for every tool: `toolCall.name` narrows its input. */
export type PendingCall<Agent extends AgentDefinition> = ByTools<
  Agent,
  {
    [Name in ToolNames<Agent>]: Omit<ToolExecution, 'toolCall'> & {
      readonly toolCall: Omit<ToolCall, 'name' | 'input'> & {
        readonly name: Name;
        readonly input: ToolInput<Agent, Name>;
      };
    };
  }[ToolNames<Agent>],
  ToolExecution
>;
