import type { MessagePart } from '../../graph/message.ts';
import { answeredQuestion } from '../../agent/tool-question.ts';
import type { AgentState, AgentStep, PluginWrite, ToolApproval, ToolExecution } from '../../graph/types.ts';
import { present } from '../../kit/json.ts';
import { orNothing } from '../../kit/memoize.ts';
import { withRemembered } from '../../graph/agent-state/remembered.ts';
import type { AgentEventOf, PluginValue } from '../events.ts';
import { call, type Handlers, step, withCall, withMessageReplaced } from './handler.ts';

export const toolHandlers = {
  'approval-request': (state, { toolCallId, reason, cause = null, form, isJoint }) =>
    call(state, toolCallId, (entry) => ({
      ...entry,
      status: 'awaiting-approval',
      startedAt: null,
      approval: {
        reason,
        cause,
        decision: null,
        comment: null,
        isEdited: false,
        ...present({ isJoint, form }),
        ...keptOf(entry.approval, cause),
      },
    })),

  'output-request': (state, { toolCallId }) =>
    call(state, toolCallId, (entry) => ({ ...entry, status: 'awaiting-output' })),

  'approval-answer': (state, { toolCallId, decision, comment, isEdited, by, answer }) =>
    call(state, toolCallId, (entry) => ({
      ...entry,
      status: 'requested',
      approval: {
        reason: entry.approval?.reason ?? null,
        cause: entry.approval?.cause ?? null,
        decision,
        comment,
        isEdited,
        ...present({ isJoint: entry.approval?.isJoint, by, form: entry.approval?.form, answer }),
        ...present({ answered: entry.approval?.answered }),
        ...(isInsisted(entry.approval, decision) ? { isInsisted: true as const } : {}),
      },
    })),

  'approval-remember': (state, { toolName, decision, scope }) => ({
    plugins: withRemembered(state, toolName, decision, scope),
  }),

  'tool-start': (state, { toolCallId, at }) =>
    call(state, toolCallId, (entry) => ({ ...entry, status: 'running', startedAt: at })),

  'tool-progress': (state, { toolCallId, progress }) =>
    call(state, toolCallId, (entry) => ({ ...entry, progress })),

  'tool-end'(state, event) {
    const plugins = withWrites(state, event.pluginWrites);
    const pluginWrites = orNothing(
      event.pluginWrites.map(({ pluginId }): PluginWrite => {
        const toRevision = plugins[pluginId]?.revision ?? 0;
        return { pluginId, fromRevision: toRevision - 1, toRevision };
      }),
    );
    const ended = call(state, event.toolCallId, (entry) => ({
      ...withoutResult(entry),
      ...('result' in event ? { result: event.result } : {}),
      status: event.status,
      error: event.error,
      completedAt: event.at,
      durationMs: event.durationMs,
      pluginWrites,
    }));
    return pluginWrites.length === 0 ? ended : { ...ended, plugins };
  },

  'call-change'(state, event) {
    const changed = call(state, event.toolCallId, (entry) => withChange(entry, event));
    if (event.input === undefined && event.toolName === undefined) return changed;
    // The message shows the model the call that really ran.
    const current = changed.execution?.currentStep;
    if (!changed.execution || !current) return changed;
    const shown = withShownCall(current, event);
    const [message] = shown.outputMessages;
    if (message === undefined || message === current.outputMessages[0]) return changed;
    const store = withMessageReplaced(state.context.store, message);
    return { context: { ...state.context, store }, execution: { ...changed.execution, currentStep: shown } };
  },

  'call-settle': (state, { toolCallId, outcome, error, at }) =>
    step(state, (current) => {
      const errors = error === null ? current.errors : [...current.errors, error];
      return withCall({ ...current, errors }, toolCallId, (entry) => ({
        ...entry,
        status: outcome,
        error,
        completedAt: entry.completedAt ?? at,
        settledAt: at,
      }));
    }),

  'subagent-start': (state, { toolCallId, child }) =>
    call(state, toolCallId, (entry) => ({ ...entry, childState: child })),

  'subagent-end': () => ({}),
} satisfies Partial<Handlers>;

/** The parts of an answered question that the next one of the same call keeps: two questions share one place. */
function keptOf(
  approval: ToolApproval | null,
  cause: ToolApproval['cause'],
): Pick<ToolApproval, 'answered' | 'isInsisted'> {
  const answered = cause === null ? null : answeredQuestion(approval);
  return {
    ...(answered === null ? {} : { answered }),
    ...(approval?.isInsisted === true ? { isInsisted: true } : {}),
  };
}

function isInsisted(approval: ToolApproval | null, decision: 'approved' | 'rejected'): boolean {
  return approval?.isInsisted === true || (approval?.cause === 'not-stored' && decision === 'approved');
}

function withoutResult({ result: _before, ...entry }: ToolExecution): ToolExecution {
  return entry;
}

function withChange(entry: ToolExecution, event: AgentEventOf<'call-change'>): ToolExecution {
  const { toolName = entry.toolCall.name, input = entry.toolCall.input } = event;
  const base = 'result' in event || event.status !== undefined ? withoutResult(entry) : entry;
  return {
    ...base,
    toolCall: { ...entry.toolCall, name: toolName, input },
    ...('result' in event ? { result: event.result } : {}),
    ...present({ status: event.status, error: event.error }),
  };
}

function withShownCall(
  current: AgentStep,
  { toolCallId, toolName, input }: AgentEventOf<'call-change'>,
): AgentStep {
  const outputMessages = current.outputMessages.map((message) => {
    if (!message.parts.some((part) => part.type === 'tool-call' && part.toolCallId === toolCallId))
      return message;
    const parts = message.parts.map((part): MessagePart => {
      if (part.type !== 'tool-call' || part.toolCallId !== toolCallId) return part;
      return { ...part, toolName: toolName ?? part.toolName, input: input ?? part.input };
    });
    return { ...message, parts };
  });
  return { ...current, outputMessages };
}

/** The plugin states after some writes; each write raises the revision by one. */
export function withWrites(state: AgentState, writes: readonly PluginValue[]): AgentState['plugins'] {
  if (writes.length === 0) return state.plugins;
  const plugins = { ...state.plugins };
  for (const { pluginId, version, data } of writes)
    plugins[pluginId] = { version, revision: (plugins[pluginId]?.revision ?? 0) + 1, data };
  return plugins;
}
