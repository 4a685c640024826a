import type { Tracer } from '@opentelemetry/api';
import { bufferEvents } from '@vitrine/inspect/internal/events';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import type { HubSource } from '@vitrine/core/internal/session/hub';
import type { GenAiConventions } from './conventions.ts';
import { SessionSpans } from './session-spans.ts';

/** Options of `traceSession` and `traceSessions`. */
export type TraceSessionOptions = {
  /** The version of the GenAI conventions. Default: the newest that is known, `genai-0.1`. */
  readonly conventions?: GenAiConventions;
  /** True adds the attributes of OpenInference. Default: false. */
  readonly openInference?: boolean;
  /**
   * True adds instructions, messages, arguments and results, without secrets, each cut at 32,000 characters. Default:
   * false, no text at all.
   */
  readonly content?: boolean;
};

/**
 * Makes OpenTelemetry spans of a session's runs: agents, steps, model calls and tools, subagents nested. A session that
 * runs in another tab or on a server is traced there. Returns the function that ends it, with the spans that are open.
 */
export function traceSession(
  session: AgentSession,
  tracer: Tracer,
  options: TraceSessionOptions = {},
): () => void {
  return follow(tracer, options, ({ commands }) => commands === session);
}

/** Does as `traceSession` for every session of this page or process, also those that begin later. */
export function traceSessions(tracer: Tracer, options: TraceSessionOptions = {}): () => void {
  return follow(tracer, options, ({ commands }) => commands !== undefined);
}

function follow(
  tracer: Tracer,
  { conventions = 'genai-0.1', openInference = false, content = false }: TraceSessionOptions,
  isTraced: (source: HubSource) => boolean,
): () => void {
  const words = { conventions, openInference, content };
  const traces = new Map<string, SessionSpans>();
  const end = (id: string): void => {
    traces.get(id)?.end();
    traces.delete(id);
  };
  const buffer = bufferEvents();
  buffer.forwardTo((notice) => {
    if ('sources' in notice) {
      const ids = new Set([...notice.sources.keys()].map(({ id }) => id));
      for (const id of traces.keys()) if (!ids.has(id)) end(id);
      return;
    }
    const { source, event, stateAfter } = notice;
    if (!isTraced(source)) return;
    const { id, name } = source;
    if (source.isFollowing?.() === true) return end(id);
    const spans = traces.get(id) ?? new SessionSpans(tracer, words, { id, name });
    traces.set(id, spans);
    spans.onEvent(event, stateAfter);
  });
  return () => {
    buffer.end();
    for (const id of traces.keys()) end(id);
  };
}
