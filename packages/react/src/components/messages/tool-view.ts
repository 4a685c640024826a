import type { AgentDefinition, ChatToolCall, Tool, ToolOutput } from '@vitrine/core';
import type { SessionCommands, ToolNames } from '@vitrine/core/types';
import type { ComponentType } from 'react';
import type { ToolCallOf, ToolOutputOf } from '../../agent-types.ts';

/**
 * What the interface of a tool gets: the call, whose `status` tells the types of `input` and `output` apart, with its
 * `progress` and `error`; and `respond`, which answers a call that has the status `awaiting-output`.
 */
export type ToolViewProps<Call, Output> = Call & {
  readonly respond: (output: Output) => ReturnType<SessionCommands['respond']>;
};

/** The interface of a tool, for `<Conversation tools={[…]}>`. */
export type ToolView = { readonly toolName: string; readonly Component: ComponentType<never> };

/**
 * Says how the calls of a tool are shown, typed by the tool itself, or by an agent and the tool's name. Made once, outside
 * of components.
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
