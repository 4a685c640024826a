import {
  AgentState,
  AgentStep,
  type ExecutionState,
  type Message,
  StopSignal,
  ToolExecution,
} from '@vitrine/core';
import type { StepViewId } from '../../define-panel-tab.ts';
import { preview } from '../../kit/format.ts';
import { stepState } from '../steps/step-state.ts';
import type { Texts } from '../../texts.ts';

/** The place of the step inspector with the details of a node. */
type GraphTarget = {
  /** The ids of the tool executions between the root and the agent of the step. */
  readonly path: readonly string[];
  readonly index: number;
  readonly view: StepViewId;
  readonly item: string | null;
};

/** The change of a node since the previous step. */
export type GraphChange = 'added' | 'changed';

export type GraphNode = {
  /** Derived from the entity, so that a node keeps its id over time. */
  readonly id: string;
  /** The name of its type. */
  readonly kind: string;
  readonly title: string;
  /** At most three short facts for one line. */
  readonly facts: readonly string[];
  /** The value in the state; keeps its identity while its content does not change. */
  readonly value: unknown;
  /** True for a placeholder of an absent object, drawn dashed. */
  readonly isAbsent: boolean;
  readonly target: GraphTarget | null;
  readonly children: readonly GraphNode[];
  /** Number of objects that are shown only on demand. */
  readonly hidden: number;
};

/** Number of items shown of a collapsed list, from its end. */
const shownOfList = 6;

/** The expanded nodes by their ids, and the texts of the nodes. */
type GraphView = { readonly opened: ReadonlySet<string>; readonly texts: Texts };

/** Builds the object graph of a state. Long lists and subagents are collapsed unless expanded. */
export function graphOf(
  state: AgentState,
  view: GraphView,
  path: readonly string[] = [],
  name: string | null = null,
): GraphNode {
  const { graph } = view.texts;
  const last = AgentState.stepCount(state) - 1;
  const to = (view: GraphTarget['view'], item: string | null = null, index = last): GraphTarget | null =>
    index < 0 ? null : { path, index, view, item };
  const usage = AgentState.usage(state);
  return node({
    id: state.agentId,
    kind: 'AgentState',
    title: name ?? graph.agent,
    facts: [statusOf(state, view), ...(usage.totalTokens === 0 ? [] : [graph.tokens(usage.totalTokens)])],
    value: state,
    target: to('state'),
    children: [
      storeNode(state, view, to),
      ...Object.entries(state.plugins).map(([id, { revision, data }]) =>
        node({
          id: `${state.agentId}/plugin/${id}`,
          kind: 'PluginState',
          title: id,
          facts: [graph.revision(revision)],
          value: data,
          target: to('sent', `plugin:${id}`),
        }),
      ),
      executionNode(state, view, path, to),
    ],
  });
}

function statusOf(state: AgentState, { texts }: GraphView): string {
  return texts.statuses[AgentState.status(state) ?? 'idle'];
}

type To = (view: GraphTarget['view'], item?: string | null, index?: number) => GraphTarget | null;

function storeNode(state: AgentState, view: GraphView, to: To): GraphNode {
  const { graph } = view.texts;
  const { store } = state.context;
  const indexes = new Map(AgentState.steps(state).map(({ id }, index) => [String(id), index]));
  const messageNode = (message: Message): GraphNode => {
    const index = indexes.get(String(message.metadata['step_id']));
    const isAnswer = index !== undefined && message.role === 'assistant';
    return node({
      id: message.id,
      kind: 'Message',
      title: message.role,
      facts: [preview(gistOf(message) ?? graph.empty, ['text'], 34)],
      value: message,
      target: isAnswer ? to('received', `out:${message.id}`, index) : to('sent', message.id),
    });
  };
  const sections = store.sections.filter(({ messages }) => messages.length > 0);
  return node({
    id: `${state.agentId}/store`,
    kind: 'MessageStore',
    title: graph.messages,
    facts: [graph.inSections(AgentState.messages(state).length, sections.length)],
    value: store,
    target: to('sent'),
    children: sections.map(({ name, messages }) =>
      listNode(
        { id: `${state.agentId}/section/${name}`, kind: 'MessageSection', title: name, value: messages },
        messages.map((message) => () => messageNode(message)),
        view,
      ),
    ),
  });
}

function gistOf({ parts }: Message): string | undefined {
  for (const part of parts) {
    if (part.type === 'text' && part.text !== '') return part.text;
    if (part.type === 'tool-call' || part.type === 'tool-result') return `${part.type} ${part.toolName}`;
  }
  return parts[0]?.type;
}

function executionNode(state: AgentState, view: GraphView, path: readonly string[], to: To): GraphNode {
  const { graph, statuses } = view.texts;
  const { execution, agentId } = state;
  const id = `${agentId}/execution`;
  if (execution === null)
    return node({ id, kind: 'ExecutionState', title: graph.none, facts: [], value: null, isAbsent: true });
  const steps = AgentState.steps(state);
  return node({
    id,
    kind: 'ExecutionState',
    title: graph.run(state.executionCount),
    facts: [statuses[execution.status]],
    value: execution,
    target: to('why'),
    children: [
      listNode(
        { id: `${id}/steps`, kind: 'StepExecution', title: graph.steps, value: steps },
        steps.map((step, index) => () => stepNode(state, step, index, view, path)),
        view,
      ),
      continuationNode(execution, id, { target: to('why'), graph }),
    ],
  });
}

function stepNode(
  state: AgentState,
  step: AgentStep,
  index: number,
  view: GraphView,
  path: readonly string[],
): GraphNode {
  const { formats, graph, stepStates } = view.texts;
  const over = AgentState.stepExecutions(state)[index];
  return node({
    id: step.id,
    kind: 'AgentStep',
    title: graph.step(index + 1),
    facts: [
      over ? stepStates[stepState(step, { isOver: true, isRunning: null })] : graph.running,
      ...(over ? [formats.duration(over.durationMs)] : []),
      ...(step.errors.length > 0 ? [graph.errors(step.errors.length)] : []),
    ],
    value: step,
    target: { path, index, view: 'sent', item: null },
    children: step.toolExecutions.map((call) => callNode(call, index, view, path)),
  });
}

function callNode(call: ToolExecution, index: number, view: GraphView, path: readonly string[]): GraphNode {
  const { callStates, formats, graph } = view.texts;
  const child = call.childState;
  const childId = child && `${call.id}/child`;
  return node({
    id: call.id,
    kind: 'ToolExecution',
    title: call.toolCall.name,
    facts: [
      callStates[call.status],
      ...(call.durationMs === null ? [] : [formats.duration(call.durationMs)]),
    ],
    value: call,
    target: { path, index, view: 'tools', item: `call:${call.id}` },
    children:
      child && childId
        ? [
            view.opened.has(childId)
              ? graphOf(child, view, [...path, call.id], ToolExecution.subagentName(call))
              : node({
                  id: childId,
                  kind: 'AgentState',
                  title: ToolExecution.subagentName(call),
                  facts: [statusOf(child, view), graph.stepCount(AgentState.stepCount(child))],
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
  { target, graph }: { readonly target: GraphTarget | null; readonly graph: Texts['graph'] },
): GraphNode {
  const { stopSignals, overridden, isContinuationRequested } = continuation;
  const signals = [
    ...StopSignal.byPriority(stopSignals).map((signal, at) => ({
      signal,
      mark: at === 0 ? graph.won : graph.lost,
    })),
    ...overridden.map((signal) => ({ signal, mark: graph.overridden })),
  ];
  return node({
    id: `${id}/continuation`,
    kind: 'Continuation',
    title: isContinuationRequested ? graph.askedToGoOn : graph.continuation,
    facts: [graph.signals(stopSignals.length)],
    value: continuation,
    target,
    children: signals.map(({ signal, mark }) =>
      node({
        id: `${id}/signal/${signal.reason}/${signal.at}/${signal.source ?? ''}`,
        kind: 'StopSignal',
        title: signal.reason,
        facts: [mark, ...(signal.source === null ? [] : [graph.by(signal.source)])],
        value: signal,
        target,
      }),
    ),
  });
}

/** The end of a list, with a node for the rest. */
function listNode(
  head: Pick<GraphNode, 'id' | 'kind' | 'title' | 'value'>,
  items: readonly (() => GraphNode)[],
  { opened, texts }: GraphView,
): GraphNode {
  const restId = `${head.id}/rest`;
  const isWhole = opened.has(restId) || items.length <= shownOfList + 1;
  const rest = items.length - shownOfList;
  const children = (isWhole ? items : items.slice(-shownOfList)).map((make) => make());
  if (!isWhole)
    children.unshift(
      node({
        id: restId,
        kind: head.kind,
        title: texts.graph.earlier(rest),
        facts: [texts.graph.show],
        value: null,
        hidden: rest,
      }),
    );
  return node({ ...head, facts: [String(items.length)], children });
}

function node(given: Partial<GraphNode> & Pick<GraphNode, 'id' | 'kind' | 'title' | 'value'>): GraphNode {
  return { facts: [], isAbsent: false, target: null, children: [], hidden: 0, ...given };
}

/** Compares two graphs: new nodes and nodes with other texts. A node whose child changed is not changed itself. */
export function graphChanges(now: GraphNode, before: GraphNode | null): ReadonlyMap<string, GraphChange> {
  const changes = new Map<string, GraphChange>();
  if (before === null) return changes;
  const old = new Map(nodesOf(before).map((node) => [node.id, node]));
  for (const node of nodesOf(now)) {
    const other = old.get(node.id);
    if (other === undefined || (other.isAbsent && !node.isAbsent)) changes.set(node.id, 'added');
    else if (saysElse(node, other)) changes.set(node.id, 'changed');
  }
  return changes;
}

function saysElse(node: GraphNode, other: GraphNode): boolean {
  if (node.title !== other.title || node.facts.join() !== other.facts.join()) return true;
  return node.children.length === 0 && node.hidden === 0 && node.value !== other.value;
}

export function nodesOf(root: GraphNode): readonly GraphNode[] {
  return [root, ...root.children.flatMap(nodesOf)];
}

/**
 * Tells whether two graphs look the same. Only the beginning of a streaming text is shown, which soon stays constant.
 */
export function sameGraph(a: GraphNode, b: GraphNode): boolean {
  return (
    a.id === b.id &&
    a.title === b.title &&
    a.facts.join() === b.facts.join() &&
    a.children.length === b.children.length &&
    a.children.every((child, index) => sameGraph(child, b.children[index] as GraphNode))
  );
}
