import {
  type Attributes,
  context as contexts,
  type Context,
  type Link,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { runError } from '@vitrine/core/internal/graph/agent-state/ending-error';
import * as states from '@vitrine/core/internal/graph/agent-state/accessors';
import { subagentName } from '@vitrine/core/internal/graph/tool-execution';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { AgentEvent, AgentEventOf, AgentEventType } from '@vitrine/core/internal/run/events';
import { callOf, stateAtPath } from '@vitrine/core/internal/run/state-at';
import { inputContent, toolContent } from './content.ts';
import { modelSpanName, usageAttributes } from './conventions.ts';
import { type LastRun, traceFeedback } from './feedback-span.ts';
import * as openInference from './open-inference.ts';
import {
  agentAttributes,
  callAttributes,
  callOfStep,
  codeOf,
  costAttributes,
  messageAttributes,
  responseAttributes,
  type SpanWords,
  toolAttributes,
  nameAttributes,
  timeOf,
} from './span-attributes.ts';
import { callContexts } from './traced-fetch.ts';

type Open = { readonly span: Span; readonly context: Context };

type AgentSpans = Open & {
  /** The start of a step that has done nothing yet; its span begins there with the first work. */
  stepAt: number | null;
  step: Open | null;
  chat: (Open & { readonly inferenceId: string }) | null;
  readonly tools: Map<string, Open & { child: AgentSpans | null }>;
};

/** An event with its agent, and the state of the agent after it. */
type Entry<Type extends AgentEventType> = { readonly event: AgentEventOf<Type>; readonly state: AgentState };

/** An event about a call that a person has to answer. */
type Asked = {
  readonly event: Pick<AgentEventOf<'approval-request'>, 'path' | 'toolCallId'>;
  readonly state: AgentState;
};

/**
 * The spans of one session, made from its events. Every span is open only while the agent works: a run that waits for
 * a person ends its spans, and goes on in new ones with a link to those before.
 */
export class SessionSpans {
  readonly #tracer: Tracer;
  readonly #words: SpanWords;
  readonly #session: { readonly id: string; readonly name: string };
  #root: AgentSpans | null = null;
  /** The last root span, for the link of a run that goes on. */
  #before: LastRun = null;
  /** The latest time of any event: a clock that was set back must not put a child outside of its parent. */
  #now = 0;

  constructor(tracer: Tracer, words: SpanWords, session: { readonly id: string; readonly name: string }) {
    this.#tracer = tracer;
    this.#words = words;
    this.#session = session;
  }

  /** Takes one event of the session, with the state of its root after it. */
  onEvent(event: AgentEvent, root: AgentState): void {
    const handle = this.#handlers[event.type] as
      ((entry: Entry<AgentEventType>, root: AgentState) => void) | undefined;
    const state = stateAtPath(root, event.path);
    if (state === null || handle === undefined) return;
    this.#now = Math.max(this.#now, event.at);
    handle({ event, state } as Entry<AgentEventType>, root);
  }

  end(): void {
    if (this.#root !== null) this.#endAgent(this.#root);
    this.#root = null;
  }

  readonly #handlers: { readonly [Type in AgentEventType]?: (entry: Entry<Type>, root: AgentState) => void } =
    {
      'execution-start': ({ event }, root) => {
        if (event.path.length === 0) this.end();
        this.#agentAt(event.path, root, false);
      },
      'execution-resume': ({ event }, root) => void this.#agentAt(event.path, root),
      'execution-pause': ({ event }) => this.#leave(event.path, { 'vitrine.outcome': 'paused' }),
      'execution-end': ({ event, state }) => this.#endRun(event, state),
      'step-start': ({ event }, root) => {
        const agent = this.#agentAt(event.path, root);
        this.#endStep(agent);
        agent.stepAt = this.#now;
      },
      'step-end': ({ event }) => {
        const agent = this.#openAt(event.path);
        if (agent !== null) this.#endStep(agent);
      },
      'inference-start': (entry, root) => this.#beginChat(entry, root),
      'inference-retry': ({ event }) => {
        const agent = this.#openAt(event.path);
        if (agent === null) return;
        this.#endChat(agent, { 'error.type': codeOf(event.error) });
        this.#note(agent, 'vitrine.retry', {
          'vitrine.attempt': event.attempt,
          'vitrine.delay_ms': event.delayMs,
          'error.type': codeOf(event.error),
        });
      },
      'inference-end': ({ event, state }, root) => {
        const agent = this.#agentAt(event.path, root);
        const chat = agent.chat ?? this.#openChat(agent, state, event.inferenceId);
        chat.span.setAttributes(responseAttributes(this.#words, event, state));
        this.#endChat(agent);
      },
      'usage-charge': ({ event, state }, root) => this.#charge(event, state, root),
      'error-record': ({ event }) => {
        const agent = this.#openAt(event.path);
        if (agent === null) return;
        this.#endChat(agent, { 'error.type': codeOf(event.error) });
        this.#note(agent, 'vitrine.error', {
          'error.type': codeOf(event.error),
          ...messageAttributes(this.#words, event.error),
        });
      },
      'tool-start': ({ event, state }, root) => void this.#toolOf(event.path, event.toolCallId, state, root),
      'tool-end': ({ event }) => {
        const agent = this.#openAt(event.path);
        if (agent === null) return;
        const result =
          this.#words.content && event.result !== undefined
            ? toolContent('result', event.result, this.#words.openInference)
            : {};
        this.#endTool(agent, event.toolCallId, {
          'vitrine.outcome': event.status,
          ...(event.status === 'failed' ? { 'error.type': codeOf(event.error) } : {}),
          ...result,
        });
      },
      'call-settle': ({ event, state }, root) => {
        const agent = this.#openAt(event.path);
        if (agent === null) return;
        const { toolCallId, outcome } = event;
        this.#endTool(agent, toolCallId, { 'vitrine.outcome': outcome });
        const call = callOf(state, toolCallId);
        if (call === null || call.startedAt !== null) return;
        this.#stepOf(this.#agentAt(event.path, root), state);
        this.#note(agent, 'vitrine.call_not_run', { ...nameAttributes(call), 'vitrine.outcome': outcome });
      },
      'subagent-start': ({ event, state }, root) => {
        const { span } = this.#toolOf(event.path, event.toolCallId, state, root);
        span.setAttribute('vitrine.subagent', event.name);
      },
      'approval-request': (entry) => this.#ask('vitrine.approval_request', entry),
      'output-request': (entry) => this.#ask('vitrine.output_request', entry),
      'approval-answer': (entry) =>
        this.#ask('vitrine.approval_answer', entry, { 'vitrine.decision': entry.event.decision }),
      'break-hit': ({ event }) =>
        this.#noteAt(event.path, 'vitrine.break_hit', { 'vitrine.point': event.place.point }),
      'budget-wait': ({ event }) => this.#noteAt(event.path, 'vitrine.budget_wait', {}),
      'section-change': ({ event }) => {
        const place = { sessionId: this.#session.id, run: this.#before, at: timeOf(this.#now) };
        for (const message of event.put) traceFeedback(this.#tracer, this.#words, message, place);
      },
      'stop-signal': ({ event }) =>
        this.#noteAt(event.path, 'vitrine.stop_signal', { 'vitrine.stop_reason': event.signal.reason }),
    };

  /** The spans of the agent at a path; null when they are not open. */
  #openAt(path: readonly string[]): AgentSpans | null {
    let agent = this.#root;
    for (const id of path) agent = agent?.tools.get(id)?.child ?? null;
    return agent;
  }

  /** The spans of the agent at a path. They are opened, with those above, when they are not open. */
  #agentAt(path: readonly string[], root: AgentState, isContinued = true): AgentSpans {
    const open = this.#openAt(path);
    if (open !== null) return open;
    const id = path.at(-1);
    const state = stateAtPath(root, path) ?? root;
    if (id === undefined) {
      const { executionId } = state.execution ?? {};
      const links =
        isContinued && this.#before?.executionId === executionId && this.#before ? [this.#before.link] : [];
      const agent = this.#openAgent(contexts.active(), this.#session.name, state, isContinued, links);
      this.#before = { executionId, link: { context: agent.span.spanContext() } };
      return (this.#root = agent);
    }
    const above = path.slice(0, -1);
    const parent = stateAtPath(root, above) ?? root;
    const tool = this.#toolOf(above, id, parent, root);
    const call = callOf(parent, id);
    const name = call === null ? 'subagent' : subagentName(call);
    return (tool.child ??= this.#openAgent(tool.context, name, state, isContinued));
  }

  #openAgent(
    parent: Context,
    name: string,
    state: AgentState,
    isContinued: boolean,
    links: Link[] = [],
  ): AgentSpans {
    const attributes = agentAttributes(this.#words, this.#session.id, name, state);
    if (isContinued) attributes['vitrine.is_continued'] = true;
    const open = this.#start(`invoke_agent ${name}`, parent, 'AGENT', attributes, { links });
    return { ...open, stepAt: null, step: null, chat: null, tools: new Map() };
  }

  #stepOf(agent: AgentSpans, state: AgentState): Open {
    if (agent.step !== null) return agent.step;
    const number = states.stepCount(state);
    const attributes = {
      'vitrine.step': number,
      'vitrine.step_id': states.currentStep(state)?.id,
      ...(agent.stepAt === null ? { 'vitrine.is_continued': true } : {}),
    };
    const startTime = timeOf(agent.stepAt ?? this.#now);
    agent.stepAt = null;
    return (agent.step = this.#start(`step ${number}`, agent.context, 'CHAIN', attributes, { startTime }));
  }

  #beginChat({ event, state }: Entry<'inference-start'>, root: AgentState): void {
    const agent = this.#agentAt(event.path, root);
    this.#endChat(agent);
    const { span } = this.#openChat(agent, state, event.sent.inferenceId);
    span.setAttributes({
      'vitrine.attempt': event.attempt,
      ...(event.replaced === undefined ? {} : { 'vitrine.replaced_by': event.replaced.hook }),
      ...(this.#words.content ? inputContent(state, this.#words.openInference) : {}),
    });
  }

  #openChat(agent: AgentSpans, state: AgentState, inferenceId: string): NonNullable<AgentSpans['chat']> {
    const call = callOfStep(state);
    const attributes = callAttributes(this.#words, this.#session.id, call);
    const step = this.#stepOf(agent, state);
    const kind = { kind: SpanKind.CLIENT };
    const open = this.#start(modelSpanName(call), step.context, 'LLM', attributes, kind);
    callContexts.set(inferenceId, open.context);
    return (agent.chat = { ...open, inferenceId });
  }

  /** Adds the tokens of a call without an answer: to its span, or to one of no length for a call that is not open. */
  #charge(
    { path, usage, reason, hook }: AgentEventOf<'usage-charge'>,
    state: AgentState,
    root: AgentState,
  ): void {
    const agent = this.#agentAt(path, root);
    const costs = costAttributes(this.#words, usage);
    const isOpen = agent.chat !== null && (reason === 'failed' || reason === 'aborted');
    if (isOpen) {
      agent.chat?.span.setAttributes(costs);
      return reason === 'aborted' ? this.#endChat(agent, { 'vitrine.outcome': 'aborted' }) : undefined;
    }
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.conversation.id': this.#session.id,
      'vitrine.outcome': reason,
      ...(hook === null ? {} : { 'vitrine.hook': hook }),
      ...costs,
    };
    const parent = states.currentStep(state) === null ? agent : this.#stepOf(agent, state);
    const { span } = this.#start('chat', parent.context, 'LLM', attributes, { kind: SpanKind.CLIENT });
    span.end(timeOf(this.#now));
  }

  /** The span of a tool call, which is opened when it is not open. */
  #toolOf(
    path: readonly string[],
    id: string,
    state: AgentState,
    root: AgentState,
  ): Open & { child: AgentSpans | null } {
    const agent = this.#agentAt(path, root);
    const open = agent.tools.get(id);
    if (open !== undefined) return open;
    const call = callOf(state, id);
    const name = call?.toolCall.name ?? 'unknown';
    const attributes = toolAttributes(this.#words, id, call);
    const step = this.#stepOf(agent, state);
    const tool = { ...this.#start(`execute_tool ${name}`, step.context, 'TOOL', attributes), child: null };
    agent.tools.set(id, tool);
    return tool;
  }

  #start(
    name: string,
    parent: Context,
    kind: openInference.SpanKindName,
    attributes: Attributes,
    options: SpanOptions = {},
  ): Open {
    const words = this.#words.openInference ? openInference.kindAttributes(kind, this.#session.id) : {};
    const span = this.#tracer.startSpan(
      name,
      {
        kind: SpanKind.INTERNAL,
        startTime: timeOf(this.#now),
        ...options,
        attributes: { ...attributes, ...words },
      },
      parent,
    );
    return { span, context: trace.setSpan(parent, span) };
  }

  #end({ span }: Open, attributes: Attributes): void {
    span.setAttributes(attributes);
    if (attributes['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(timeOf(this.#now));
  }

  #endChat(agent: AgentSpans, attributes: Attributes = {}): void {
    const { chat } = agent;
    if (chat === null) return;
    agent.chat = null;
    callContexts.delete(chat.inferenceId);
    this.#end(chat, attributes);
  }

  #endTool(agent: AgentSpans, id: string, attributes: Attributes = {}): void {
    const tool = agent.tools.get(id);
    if (tool === undefined) return;
    agent.tools.delete(id);
    if (tool.child !== null) this.#endAgent(tool.child);
    this.#end(tool, attributes);
  }

  #endStep(agent: AgentSpans): void {
    this.#endChat(agent);
    for (const id of agent.tools.keys()) this.#endTool(agent, id);
    if (agent.step !== null) this.#end(agent.step, {});
    agent.step = null;
    agent.stepAt = null;
  }

  #endAgent(agent: AgentSpans, attributes: Attributes = {}): void {
    this.#endStep(agent);
    this.#end(agent, attributes);
  }

  #leave(path: readonly string[], attributes: Attributes): void {
    const agent = this.#openAt(path);
    if (agent === null) return;
    this.#endAgent(agent, attributes);
    const id = path.at(-1);
    if (id === undefined) return void (this.#root = null);
    const tool = this.#openAt(path.slice(0, -1))?.tools.get(id);
    if (tool !== undefined) tool.child = null;
  }

  #endRun({ path, status }: AgentEventOf<'execution-end'>, state: AgentState): void {
    const reason = states.stopReason(state);
    const error = runError(state);
    this.#leave(path, {
      'vitrine.outcome': status,
      'vitrine.stop_reason': reason ?? undefined,
      ...usageAttributes(states.usage(state), this.#words.conventions),
      ...(error === null ? {} : { 'error.type': codeOf(error) }),
    });
  }

  #ask(name: string, { event, state }: Asked, attributes: Attributes = {}): void {
    const call = callOf(state, event.toolCallId);
    this.#noteAt(event.path, name, { ...(call === null ? {} : nameAttributes(call)), ...attributes });
  }

  #noteAt(path: readonly string[], name: string, attributes: Attributes): void {
    const agent = this.#openAt(path);
    if (agent !== null) this.#note(agent, name, attributes);
  }

  /** Adds an event to the step in flight, or to the agent between steps. */
  #note({ step, span }: AgentSpans, name: string, attributes: Attributes): void {
    (step?.span ?? span).addEvent(name, attributes, timeOf(this.#now));
  }
}
