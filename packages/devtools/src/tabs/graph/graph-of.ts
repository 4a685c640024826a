import {
  AgentState,
  AgentStep,
  type ExecutionState,
  type Message,
  StopSignal,
  type ToolExecution,
} from '@vitrine/core';
import { formatCount, formatDuration, formatNumber, preview } from '../../kit/format.ts';
import type { GraphNode, GraphTarget } from './graph-node.ts';

/** Number of items shown of a collapsed list, from its end. */
const shownOfList = 6;

/** Ids of the expanded nodes. */
export type Opened = ReadonlySet<string>;

/** Builds the object graph of a state. Long lists and subagents are collapsed unless expanded. */
export function graphOf(state: AgentState, opened: Opened, path: readonly string[] = []): GraphNode {
  const last = AgentState.stepCount(state) - 1;
  const to = (view: GraphTarget['view'], item: string | null = null, index = last): GraphTarget | null =>
    index < 0 ? null : { path, index, view, item };
  const usage = AgentState.usage(state);
  return node({
    id: state.agentId,
    kind: 'AgentState',
    title: path.length === 0 ? 'the agent' : 'subagent',
    facts: [AgentState.status(state) ?? 'idle', `${formatNumber(usage.totalTokens)} tok`],
    value: state,
    target: to('state'),
    children: [
      storeNode(state, opened, to),
      ...Object.entries(state.plugins).map(([id, { revision, data }]) =>
        node({
          id: `${state.agentId}/plugin/${id}`,
          kind: 'PluginState',
          title: id,
          facts: [`revision ${revision}`],
          value: data,
          target: to('sent', `plugin:${id}`),
        }),
      ),
      executionNode(state, opened, path),
    ],
  });
}

type To = (view: GraphTarget['view'], item?: string | null, index?: number) => GraphTarget | null;

function storeNode(state: AgentState, opened: Opened, to: To): GraphNode {
  const { store } = state.context;
  const indexes = new Map(AgentState.steps(state).map(({ id }, index) => [String(id), index]));
  const messageNode = (message: Message): GraphNode => {
    const index = indexes.get(String(message.metadata['step_id']));
    const isAnswer = index !== undefined && message.role === 'assistant';
    return node({
      id: message.id,
      kind: 'Message',
      title: message.role,
      facts: [preview(gistOf(message), ['text'], 34)],
      value: message,
      target: isAnswer ? to('received', `out:${message.id}`, index) : to('sent', message.id),
    });
  };
  const sections = store.sections.filter(({ messages }) => messages.length > 0);
  return node({
    id: `${state.agentId}/store`,
    kind: 'MessageStore',
    title: 'messages',
    facts: [`${AgentState.messages(state).length} in ${formatCount(sections.length, 'section')}`],
    value: store,
    target: to('sent'),
    children: sections.map(({ name, messages }) =>
      listNode(
        { id: `${state.agentId}/section/${name}`, kind: 'MessageSection', title: name, value: messages },
        messages.map((message) => () => messageNode(message)),
        opened,
      ),
    ),
  });
}

function gistOf({ parts }: Message): string {
  for (const part of parts) {
    if (part.type === 'text' && part.text !== '') return part.text;
    if (part.type === 'tool-call' || part.type === 'tool-result') return `${part.type} ${part.toolName}`;
  }
  return parts[0]?.type ?? 'empty';
}

function executionNode(state: AgentState, opened: Opened, path: readonly string[]): GraphNode {
  const { execution, agentId } = state;
  const id = `${agentId}/execution`;
  if (execution === null)
    return node({ id, kind: 'ExecutionState', title: 'none', facts: [], value: null, isAbsent: true });
  const steps = AgentState.steps(state);
  const last = steps.length - 1;
  return node({
    id,
    kind: 'ExecutionState',
    title: `run ${state.executionCount}`,
    facts: [execution.status],
    value: execution,
    target: last < 0 ? null : { path, index: last, view: 'why', item: null },
    children: [
      listNode(
        { id: `${id}/steps`, kind: 'StepExecution', title: 'steps', value: steps },
        steps.map((step, index) => () => stepNode(state, step, index, opened, path)),
        opened,
      ),
      continuationNode(execution, id, last < 0 ? null : { path, index: last, view: 'why', item: null }),
    ],
  });
}

function stepNode(
  state: AgentState,
  step: AgentStep,
  index: number,
  opened: Opened,
  path: readonly string[],
): GraphNode {
  const over = AgentState.stepExecutions(state)[index];
  return node({
    id: step.id,
    kind: 'AgentStep',
    title: `step ${index + 1}`,
    facts: [
      over ? AgentStep.type(step) : 'running',
      ...(over ? [formatDuration(over.durationMs)] : []),
      ...(step.errors.length > 0 ? [formatCount(step.errors.length, 'error')] : []),
    ],
    value: step,
    target: { path, index, view: 'sent', item: null },
    children: step.toolExecutions.map((call) => callNode(call, index, opened, path)),
  });
}

function callNode(call: ToolExecution, index: number, opened: Opened, path: readonly string[]): GraphNode {
  const child = call.childState;
  const childId = child && `${call.id}/child`;
  return node({
    id: call.id,
    kind: 'ToolExecution',
    title: call.toolCall.name,
    facts: [call.status, ...(call.durationMs === null ? [] : [formatDuration(call.durationMs)])],
    value: call,
    target: { path, index, view: 'tools', item: `call:${call.id}` },
    children:
      child && childId
        ? [
            opened.has(childId)
              ? graphOf(child, opened, [...path, call.id])
              : node({
                  id: childId,
                  kind: 'AgentState',
                  title: 'subagent',
                  facts: [
                    AgentState.status(child) ?? 'idle',
                    formatCount(AgentState.stepCount(child), 'step'),
                  ],
                  value: child,
                  hidden: 1,
                }),
          ]
        : [],
  });
}

function continuationNode(
  { continuation }: ExecutionState,
  id: string,
  target: GraphTarget | null,
): GraphNode {
  const { stopSignals, overridden, isContinuationRequested } = continuation;
  const signals = [
    ...StopSignal.byPriority(stopSignals).map((signal, at) => ({ signal, mark: at === 0 ? 'won' : 'lost' })),
    ...overridden.map((signal) => ({ signal, mark: 'overridden' })),
  ];
  return node({
    id: `${id}/continuation`,
    kind: 'Continuation',
    title: isContinuationRequested ? 'asked to go on' : 'continuation',
    facts: [formatCount(stopSignals.length, 'signal')],
    value: continuation,
    target,
    children: signals.map(({ signal, mark }) =>
      node({
        id: `${id}/signal/${signal.reason}/${signal.at}/${signal.source ?? ''}`,
        kind: 'StopSignal',
        title: signal.reason,
        facts: [mark, ...(signal.source === null ? [] : [`by ${signal.source}`])],
        value: signal,
        target,
      }),
    ),
  });
}

type ListHead = Pick<GraphNode, 'id' | 'kind' | 'title' | 'value'>;

/** The end of a list, with a node for the rest. */
function listNode(head: ListHead, items: readonly (() => GraphNode)[], opened: Opened): GraphNode {
  const restId = `${head.id}/rest`;
  const isWhole = opened.has(restId) || items.length <= shownOfList + 1;
  const rest = items.length - shownOfList;
  return node({
    ...head,
    facts: [String(items.length)],
    target: null,
    children: [
      ...(isWhole
        ? []
        : [
            node({
              id: restId,
              kind: head.kind,
              title: `${rest} earlier`,
              facts: ['show'],
              value: null,
              hidden: rest,
            }),
          ]),
      ...(isWhole ? items : items.slice(-shownOfList)).map((make) => make()),
    ],
  });
}

function node(given: Partial<GraphNode> & Pick<GraphNode, 'id' | 'kind' | 'title' | 'value'>): GraphNode {
  return { facts: [], isAbsent: false, target: null, children: [], hidden: 0, ...given };
}
