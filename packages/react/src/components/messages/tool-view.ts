import type { AgentDefinition, ChatToolCall, Tool, ToolOutput } from '@vitrine/core';
import type { SessionCommands, ToolNames } from '@vitrine/core/types';
import type { ComponentType } from 'react';
import type { ToolCallOf, ToolOutputOf } from '../../agent-types.ts';

/**
 * Props of a custom tool interface: the call and `respond`.
 *
 * The `status` of the call discriminates the types of `input` and `output`. `respond` answers a call with
 * the status `awaiting-output`.
 */
export type ToolViewProps<Call, Output> = Call & {
  readonly respond: (output: Output) => ReturnType<SessionCommands['respond']>;
};

/** A custom interface of a tool, for `<ConversationView tools={[…]}>`. */
export type ToolView = { readonly toolName: string; readonly Component: ComponentType<never> };

/**
 * Defines a custom interface for the calls of a tool. The types come from the tool itself, or from an agent
 * and the tool's name. Call it once, outside of components.
 * @example
 * const weatherView = toolView(weather, ({ status, input, output }) =>
 *   status === 'completed' ? <Forecast city={input.city} degrees={output.degrees} /> : <Waiting />);
 */
export function toolView<T extends Tool>(
  tool: T,
  Component: ComponentType<ToolViewProps<ToolCallOf<T>, ToolOutputOf<T>>>,
): ToolView;
export function toolView<
  Agent extends AgentDefinition = AgentDefinition,
  Name extends ToolNames<Agent> = ToolNames<Agent>,
>(
  name: Name,
  Component: ComponentType<ToolViewProps<ChatToolCall<Agent, Name>, ToolOutput<Agent, Name>>>,
): ToolView;
export function toolView(tool: Tool | string, Component: unknown): ToolView {
  const toolName = typeof tool === 'string' ? tool : tool.name;
  return { toolName, Component: Component as ComponentType<never> };
}
