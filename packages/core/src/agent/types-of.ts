import type { AgentDefinition } from './agent-definition.ts';

export type TypesOf<A extends AgentDefinition> = NonNullable<A['~types']>;

/** The names of all tools that an agent may call: its own, those of its plugins (`prepare` included), and `delegate`. */
export type ToolNames<A extends AgentDefinition> = keyof TypesOf<A>['tools'] & string;

/** The input that the model sends to a tool, as messages hold it: the input type of the tool's `input` schema. */
export type ToolInput<
  A extends AgentDefinition,
  Name extends ToolNames<A>,
> = TypesOf<A>['tools'][Name]['input'];

/** The output of a tool, as messages hold it: that of its `output` schema, or else the result of `execute` as JSON. */
export type ToolOutput<
  A extends AgentDefinition,
  Name extends ToolNames<A>,
> = TypesOf<A>['tools'][Name]['output'];

/** The final answer as data: the output of the `responseFormat` schema; undefined for an agent without one. */
export type AgentOutput<A extends AgentDefinition> = TypesOf<A>['output'];

/** The names of the data parts that an agent declares; any name when it declares none. */
export type DataNames<A extends AgentDefinition> = keyof TypesOf<A>['data'] & string;

/** The content of the data parts of one name. */
export type DataOf<A extends AgentDefinition, Name extends DataNames<A>> = TypesOf<A>['data'][Name];
