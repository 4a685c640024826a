'use client';

import {
  type AgentSession,
  type ChatToolCall,
  type JsonObject,
  type Tool,
  useAgentSession,
} from '@vitrine/react';
import { toolView, type ToolView, type ToolViewProps, VisibleText } from '@vitrine/react/components';
import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { createSurfaces, type Processor, type Surface } from './a2ui-surfaces.tsx';

/** The words that a person reads, and `acted` the model too. `values` is JSON. */
const texts = {
  failed: (reason: string): string => `This interface cannot be shown: ${reason}`,
  acted: (action: string, surface: string, values: string): string =>
    `I chose “${action}” on “${surface}”: ${values}`,
};

type Action = { readonly name: string; readonly surfaceId: string; readonly context: object };
type Opened<S extends Surface> = {
  readonly surfaces: ReturnType<typeof createSurfaces<S>>;
  /** The actions on their way, as JSON. */
  readonly sent: Set<string>;
  act: (action: Action) => void;
};

/** The most calls of a session whose typed texts are kept when they leave the page. */
const mostKept = 100;

/**
 * Shows the messages of A2UI in the arguments of a tool, or in its result, as the surfaces that they describe. They grow
 * while the arguments stream. An action of a person answers a call that waits for it, and is a message otherwise.
 * Call it once, outside of components.
 * @example
 * const surfaceView = a2uiView(showInterface, { createProcessor, Surface: A2uiSurface });
 */
export function a2uiView<S extends Surface>(
  tool: Tool | string,
  parts: {
    /** Creates a `MessageProcessor` of `@a2ui/web_core` with your catalogs, which calls `onAction`. */
    readonly createProcessor: (onAction: (action: Action) => void) => Processor<S>;
    /** `A2uiSurface` of `@a2ui/react`. */
    readonly Surface: ComponentType<{ readonly surface: S }>;
    /** True for a person who may only follow the conversation. Default: false. */
    readonly isReadOnly?: boolean;
  },
): ToolView {
  const { createProcessor, Surface: Drawn, isReadOnly = false } = parts;
  const known = new WeakMap<AgentSession, Map<string, Opened<S>>>();
  const openCall = (session: AgentSession, id: string): Opened<S> => {
    const calls = known.get(session) ?? new Map<string, Opened<S>>();
    known.set(session, calls);
    const opened: Opened<S> = calls.get(id) ?? {
      surfaces: createSurfaces(() => createProcessor((action) => opened.act(action))),
      sent: new Set(),
      act: () => undefined,
    };
    calls.delete(id);
    calls.set(id, opened);
    for (const oldest of calls.keys()) if (calls.size > mostKept) calls.delete(oldest);
    return opened;
  };

  return toolView(
    tool as string,
    function A2uiCall(call: ToolViewProps<ChatToolCall, JsonObject>): ReactNode {
      const { input, output, status, error, toolCallId, respond } = call;
      const session = useAgentSession();
      const [opened] = useState(() => openCall(session, toolCallId));
      const [{ surfaces, problem }, setShown] = useState(opened.surfaces.shown);
      const isDone = status === 'completed' || status === 'awaiting-output';
      const messages = messagesIn(output) ?? messagesIn(input);
      useEffect(() => {
        if (messages !== undefined || isDone)
          setShown(opened.surfaces.take(messages, status !== 'requested'));
      }, [opened, messages, status, isDone]);
      useEffect(() => {
        opened.act = ({ name, surfaceId, context }) => {
          const data = opened.surfaces.dataOf(surfaceId);
          const values = { ...context, ...(data !== undefined && { data }) } as JsonObject;
          const action = { name, surfaceId, context: values };
          const key = JSON.stringify(action);
          // A second click on a button that has not been answered.
          if (opened.sent.has(key)) return;
          opened.sent.add(key);
          const text = texts.acted(name, surfaceId, JSON.stringify(values));
          const turn = status === 'awaiting-output' ? respond(action) : session.sendMessage(text);
          void turn.finally(() => opened.sent.delete(key));
        };
      });
      const reason = error?.message ?? problem;
      if (reason !== null) {
        return (
          <p className="vitrine-note" dir="auto">
            <VisibleText text={texts.failed(reason)} />
          </p>
        );
      }
      return (
        <fieldset disabled={isReadOnly || !isDone} style={{ display: 'contents' }}>
          {surfaces.map((surface) => (
            <Drawn key={surface.id} surface={surface} />
          ))}
        </fieldset>
      );
    },
  );
}

/** The messages of A2UI in the arguments or the result of a call; undefined for none. */
function messagesIn(value: unknown): unknown {
  return Array.isArray(value)
    ? value
    : (value as { readonly messages?: unknown } | null | undefined)?.messages;
}
