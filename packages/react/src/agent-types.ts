import type { AgentDefinition, AgentOutput, ChatToolCall, Tool } from '@vitrine/core';

// Where the type of an agent or a tool becomes the types of what hooks give.

/** An agent that has one tool, as far as types go. */
type AgentWith<T extends Tool> = AgentDefinition<{
  readonly tools: { readonly [Name in T['name']]: NonNullable<T['~types']> };
  readonly plugins: { readonly [id: string]: unknown };
  readonly output: undefined;
  readonly data: { readonly [name: string]: unknown };
}>;

/** A call of one tool with what came of it; `status` tells its input and output apart. */
export type ToolCallOf<T extends Tool> = ChatToolCall<AgentWith<T>>;

/** What a tool answers. */
export type ToolOutputOf<T extends Tool> = NonNullable<T['~types']>['output'];

/** A value that is still coming in: whatever is in an object or an array may be missing. */
export type PartialOutput<Output> = Output extends readonly (infer Item)[]
  ? readonly PartialOutput<Item>[]
  : Output extends object
    ? { readonly [Key in keyof Output]?: PartialOutput<Output[Key]> }
    : Output;

/** The answer of an agent whose `responseFormat` is a schema. */
export type OutputView<Output> = {
  /** As much as has come, not validated; null before there is anything. */
  readonly partial: PartialOutput<Output> | null;
  /** The final answer as data of the schema; null until there is one that fits. */
  readonly final: Output | null;
};

/** The same by the type of the agent; an agent without a schema has no output. */
export type OutputViewOf<Agent extends AgentDefinition> =
  AgentOutput<Agent> extends undefined ? null : OutputView<AgentOutput<Agent>>;
