import type { Usage } from '@vitrine/core';
import { bridgeTexts } from '@vitrine/inspect/internal/foreign/bridge-texts';
import {
  finishReasonOf,
  type Foreign,
  foreign,
  listOf,
  parsedJson,
  textOf,
  usageFrom,
} from '@vitrine/inspect/internal/foreign/foreign-values';
import type { ObservedAgent } from '@vitrine/inspect/internal/foreign/observed-agent';
import type { ForeignAnswer, ObservedSession } from '@vitrine/inspect/internal/foreign/observed-session';
import {
  type Meanings,
  type ObservedStream,
  observedStream,
} from '@vitrine/inspect/internal/foreign/observed-stream';
import type { ProtocolEvent } from './in-order.ts';

/** The calls that wait for the interrupts of a thread, by the ids of the interrupts. */
export type ThreadInterrupts = Map<
  string,
  {
    readonly callIds: readonly string[];
    /** False for a call that only stands for the interrupt: the answer is its result. */
    readonly areCalls: boolean;
  }
>;

/** The facts of a thread that outlive one run. */
export type ThreadMemory = {
  readonly interrupts: ThreadInterrupts;
  /** Ids of the messages that were told since the last question. */
  readonly seen: Set<string>;
};

/** An event with the place that it comes from. */
type Event = {
  readonly type: string;
  readonly place: readonly string[];
  readonly node: string;
  readonly data: Foreign;
};

/** Channels that say nothing that the journal has a place for. */
const quiet = new Set([
  'lifecycle/running',
  'messages/error',
  'messages/provider',
  'messages/usage',
  'input.answered',
  'updates',
  'checkpoints',
  'tasks',
  'custom',
]);

/** True for the event with which the run of a thread ends. */
export function isRunEnd(event: ProtocolEvent): boolean {
  return /^(completed|failed|interrupted)$/.test(lifecycleOf(event) ?? '');
}

/** The name of an event of the whole run of a thread, e.g. `running`; null for other events. */
function lifecycleOf(event: ProtocolEvent): string | null {
  if (event.method !== 'lifecycle') return null;
  const { type, place } = eventOf(event);
  return place.length === 0 && type.startsWith('lifecycle/') ? type.slice('lifecycle/'.length) : null;
}

/** Maps the events of the Agent Streaming Protocol to a watched session. */
export function threadStream(session: ObservedSession, { interrupts, seen }: ThreadMemory): ObservedStream {
  /** The messages of the graph's state, as it was told last. */
  let stated: readonly Foreign[] = [];
  const stream = observedStream(session, (over) => {
    const end = (how: () => void): void =>
      over(() => {
        addStated(session.root, stated, seen);
        how();
      });
    const handlers: { readonly [type: string]: (event: Event) => void } = {
      ...messageHandlers(session, seen),
      ...toolHandlers(session),
      ...lifecycleHandlers(session, end),
      'input.requested': (event) => interruptBy(session, interrupts, event),
      values({ place, data }) {
        if (place.length > 0) return;
        const { messages, ...state } = data;
        stated = listOf(messages);
        if (Object.keys(state).length > 0) session.setMetadata('state', state);
      },
    };
    return {
      handlers: handlers as unknown as Meanings['handlers'],
      isQuiet: (type) => quiet.has(type) || type.startsWith('custom:'),
    };
  });
  return { ...stream, take: (event) => stream.take(eventOf(event as ProtocolEvent)) };
}

/** Tells the messages behind the last question that only the state has, as of a graph that does not stream. */
function addStated(agent: ObservedAgent, stated: readonly Foreign[], seen: ReadonlySet<string>): void {
  const asked = stated.findLastIndex(({ type, role }) =>
    /^(human|user)$/.test(textOf(type) ?? textOf(role) ?? ''),
  );
  for (const message of stated.slice(asked + 1)) {
    const id = textOf(message['id']);
    const { type, role, content, tool_calls: calls, tool_call_id: callId } = message;
    const kind = textOf(type) ?? textOf(role);
    if (kind === 'tool' && agent.hasCall(String(callId)) && !agent.isSettled(String(callId)))
      agent.settle(String(callId), { outcome: 'completed', output: content });
    if ((kind !== 'ai' && kind !== 'assistant') || (id !== null && seen.has(id))) continue;
    const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
    for (const [index, part] of parts.entries()) addContent(`${id} ${index}`, agent, part);
    for (const call of listOf(calls))
      agent.giveCall(String(call['id']), textOf(call['name']) ?? 'tool', call['args'] ?? {});
    agent.addFacts({});
  }
}

function eventOf({ method, params }: ProtocolEvent): Event {
  const channel = textOf(method) ?? bridgeTexts.untyped;
  const { namespace, node, data: given } = foreign(params);
  const data = foreign(given);
  const event = textOf(data['event']);
  const hasEvents = channel === 'messages' || channel === 'tools' || channel === 'lifecycle';
  return {
    type: hasEvents ? `${channel}/${event}` : channel,
    place: Array.isArray(namespace) ? namespace.map(String) : [],
    node: textOf(node) ?? '',
    data,
  };
}

function keyOf(place: readonly string[]): string {
  return place.join('/');
}

/** The agent of a place: the innermost subagent there, or the root. Nodes of a graph are no subagents. */
function agentAt(session: ObservedSession, place: readonly string[]): ObservedAgent {
  for (let depth = place.length; depth > 0; depth--) {
    const agent = session.agent(keyOf(place.slice(0, depth)));
    if (agent !== undefined) return agent;
  }
  return session.root;
}

function lifecycleHandlers(
  session: ObservedSession,
  over: (end: () => void) => void,
): { readonly [type: string]: (event: Event) => void } {
  const isSubagent = (place: readonly string[]): boolean => session.agent(keyOf(place)) !== undefined;
  const parentOf = (place: readonly string[]): string | null => {
    for (let depth = place.length - 1; depth > 0; depth--)
      if (isSubagent(place.slice(0, depth))) return keyOf(place.slice(0, depth));
    return null;
  };
  return {
    'lifecycle/started'({ place, data }) {
      const { type, tool_call_id: callId } = foreign(data['cause']);
      // Any other graph below the root is a part of its agent.
      if (place.length === 0 || type !== 'toolCall') return;
      const name = textOf(data['graph_name']) ?? 'subagent';
      session.startSubagent({
        runId: keyOf(place),
        name,
        parentRunId: parentOf(place),
        callId: textOf(callId),
      });
    },
    'lifecycle/completed'({ place }) {
      if (place.length === 0) over(() => session.finish());
      else if (isSubagent(place)) session.endSubagent(keyOf(place), { status: 'completed', result: null });
    },
    'lifecycle/failed'({ place, data }) {
      const message = errorIn(data);
      if (place.length === 0) over(() => session.fail(new Error(message ?? bridgeTexts.streamFailed)));
      else if (isSubagent(place))
        session.endSubagent(keyOf(place), {
          status: 'failed',
          message: message ?? bridgeTexts.subagentFailed,
        });
    },
    'lifecycle/interrupted'({ place }) {
      if (place.length > 0) {
        if (isSubagent(place)) session.suspendSubagent(keyOf(place));
      } else if (session.isWaiting) over(() => session.finish());
      else over(() => session.stop(bridgeTexts.cancelled));
    },
  };
}

/** The error of a run, which servers of LangGraph.js tell as JSON with its name. */
function errorIn({ error }: Foreign): string | null {
  const text = textOf(error);
  return textOf(foreign(parsedJson(text ?? ''))['message']) ?? text;
}

/** A part of a message that is being told. */
type Block = { callId: string | null; isReported: boolean };

/** Tells the text of a part, or of a piece of it. @returns false when it has none. */
function addContent(key: string, agent: ObservedAgent, { type, text, reasoning }: Foreign): boolean {
  const isReasoning = type === 'reasoning' || type === 'reasoning-delta';
  const said = isReasoning
    ? textOf(reasoning)
    : type === 'text' || type === 'text-delta'
      ? textOf(text)
      : null;
  if (said !== null) agent.text(key, said, isReasoning ? 'reasoning-delta' : 'text-delta');
  return said !== null;
}

/** Begins the call that a part of a message announces. */
function beginCall(block: Block, agent: ObservedAgent, { type, id, name, args }: Foreign): void {
  const callId = textOf(id);
  if (type !== 'tool_call_chunk' || callId === null || block.callId !== null) return;
  block.callId = callId;
  agent.startCall(callId, textOf(name) ?? 'tool');
  if (typeof args === 'string' && args !== '') agent.growCall(callId, args);
}

function messageHandlers(
  session: ObservedSession,
  seen: Set<string>,
): { readonly [type: string]: (event: Event) => void } {
  /** The blocks of the message in flight at each place; null for one that is no answer. */
  const messages = new Map<
    string,
    { readonly id: string; readonly model: string | null; readonly blocks: Map<unknown, Block> } | null
  >();
  const placeOf = ({ place, node }: Event): string => `${keyOf(place)} ${node}`;

  function at(event: Event, handle: (block: Block, key: string, agent: ObservedAgent) => void): void {
    const message = messages.get(placeOf(event));
    if (message === null) return;
    if (message === undefined) return session.skip(bridgeTexts.withoutMessage);
    const { index } = event.data;
    const block = message.blocks.get(index) ?? { callId: null, isReported: false };
    message.blocks.set(index, block);
    handle(block, `${message.id} ${String(index)}`, agentAt(session, event.place));
  }

  return {
    'messages/message-start'(event) {
      seen.add(String(event.data['id']));
      messages.set(
        placeOf(event),
        // Servers of LangGraph.js tell only answers, without a role.
        (event.data['role'] ?? 'ai') === 'ai'
          ? {
              id: String(event.data['id']),
              model: textOf(foreign(event.data['metadata'])['model']),
              blocks: new Map(),
            }
          : null,
      );
    },
    'messages/content-block-start': (event) =>
      at(event, (block, key, agent) => {
        const { content } = event.data;
        if (addContent(key, agent, foreign(content))) block.isReported = true;
        beginCall(block, agent, foreign(content));
      }),
    'messages/content-block-delta': (event) =>
      at(event, (block, key, agent) => {
        const { type, args, fields } = foreign(event.data['delta']);
        if (type === 'block-delta') return beginCall(block, agent, foreign(fields));
        if (type === 'tool-call-delta' && block.callId !== null)
          agent.growCall(block.callId, String(args ?? ''));
        else addContent(key, agent, foreign(event.data['delta']));
        block.isReported = true;
      }),
    'messages/content-block-finish': (event) =>
      at(event, (block, key, agent) => {
        const { type, id, name, args, error } = foreign(event.data['content']);
        const callId = block.callId ?? textOf(id);
        if (!block.isReported) addContent(key, agent, foreign(event.data['content']));
        if ((type !== 'tool_call' && type !== 'invalid_tool_call') || callId === null) return;
        agent.giveCall(callId, textOf(name) ?? 'tool', args ?? {});
        if (type === 'invalid_tool_call')
          agent.settle(callId, { outcome: 'failed', error: textOf(error) ?? bridgeTexts.toolFailed });
      }),
    'messages/message-finish'(event) {
      const message = messages.get(placeOf(event));
      messages.delete(placeOf(event));
      // A message without parts has no step.
      if (message == null || message.blocks.size === 0) return;
      const usage = usageOf(foreign(event.data['usage']));
      const finishReason = finishReasonOf(event.data['reason']);
      agentAt(session, event.place).addFacts({
        ...(usage === null ? {} : { usage, model: message.model }),
        ...(finishReason === null ? {} : { finishReason }),
      });
    },
  };
}

function usageOf({
  input_tokens: inputTokens,
  output_tokens: outputTokens,
  total_tokens: totalTokens,
  input_token_details: input,
  output_token_details: output,
}: Foreign): Usage | null {
  const { cache_read: cacheReadTokens, cache_creation: cacheWriteTokens } = foreign(input);
  const { reasoning: reasoningTokens } = foreign(output);
  return usageFrom({
    inputTokens,
    outputTokens,
    totalTokens,
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens,
  });
}

function toolHandlers(session: ObservedSession): { readonly [type: string]: (event: Event) => void } {
  const outputs = new Map<string, string>();
  const callOf = ({ data }: Event): string => String(data['tool_call_id']);
  return {
    'tools/tool-started': (event) =>
      agentAt(session, event.place).start(
        callOf(event),
        textOf(event.data['tool_name']) ?? 'tool',
        typeof event.data['input'] === 'string'
          ? parsedJson(event.data['input'])
          : (event.data['input'] ?? {}),
      ),
    'tools/tool-output-delta'(event) {
      const output = `${outputs.get(callOf(event)) ?? ''}${String(event.data['delta'] ?? '')}`;
      outputs.set(callOf(event), output);
      agentAt(session, event.place).progress(callOf(event), output);
    },
    'tools/tool-finished'(event) {
      const { output } = event.data;
      const { type, content } = foreign(output);
      const result = type === 'tool' ? content : output;
      agentAt(session, event.place).settle(callOf(event), { outcome: 'completed', output: result });
    },
    'tools/tool-error': (event) =>
      agentAt(session, event.place).settle(callOf(event), {
        outcome: 'failed',
        error: textOf(event.data['message']) ?? bridgeTexts.toolFailed,
      }),
  };
}

/** Calls that a graph asks about wait themselves; any other interrupt waits as a call of its own. */
function interruptBy(session: ObservedSession, interrupts: ThreadInterrupts, { place, data }: Event): void {
  const id = String(data['interrupt_id']);
  const payload = foreign(data['payload']);
  const agent = agentAt(session, place);
  const requests = listOf(payload['action_requests'] ?? payload['actionRequests']);
  const left = [...agent.unrunCalls()];
  const asked = requests.flatMap(({ name, action }) => {
    const found = left.findIndex(([unrun]) => unrun === (textOf(name) ?? textOf(action)));
    return found < 0 ? [] : left.splice(found, 1).map(([, key]) => key);
  });
  const areCalls = asked.length > 0 && asked.length === requests.length;
  const callIds = areCalls ? asked : [id];
  if (!areCalls) agent.giveCall(id, 'interrupt', data['payload'] ?? {});
  for (const [index, callId] of callIds.entries())
    agent.ask(callId, 'approval', textOf(requests[index]?.['description']) ?? textOf(data['payload']));
  interrupts.set(id, { callIds, areCalls });
}

/** The answers in the response to an interrupt. */
export function answersIn(
  { interrupt_id: id, response }: Foreign,
  interrupts: ThreadInterrupts,
): readonly ForeignAnswer[] {
  const waiting = interrupts.get(String(id));
  if (waiting === undefined) return [];
  interrupts.delete(String(id));
  const decisions = listOf(foreign(response)['decisions']);
  return waiting.callIds.flatMap((callId, index): readonly ForeignAnswer[] => {
    const { type, message } = foreign(decisions[index]);
    const answer = {
      callId,
      type: 'approval',
      isApproved: type !== 'reject',
      comment: textOf(message),
    } as const;
    return waiting.areCalls ? [answer] : [answer, { callId, type: 'output', output: response ?? null }];
  });
}
