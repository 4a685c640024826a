import type { AgentState as State } from '@vitrine/core/internal/graph/types';
import * as AgentState from '@vitrine/core/internal/run/agent-state';

type Call = { readonly call: readonly unknown[]; readonly child: Read | null };
type Read = { readonly said: string; readonly thought: string; readonly calls: readonly Call[] };

const unanswered = /no tool here has its name|waits for a person|ended before its subagent/;

/** The end of a run. One that breaks off or is cancelled has another name on each side. */
export function endOf(state: State): string {
  const { status = null } = state.execution ?? {};
  const [message = ''] = AgentState.errors(state)
    .map((error) => error.message)
    .filter((one) => one === 'It is gone.');
  if (message !== '') return message;
  if (AgentState.pendingApprovals(state).some(({ approval }) => approval !== null)) return 'asks';
  return status === 'failed' || status === 'stopped' ? 'broken off' : 'over';
}

/**
 * Texts, reasoning and calls, without what only one side can know: ids, the fate of a call without a result, and, unless
 * `hasChildren` is false, calls of subagents in a run that broke off.
 */
export function readOf(state: State, isWhole: boolean, isOrdered = true, hasChildren = true): Read {
  const steps = AgentState.steps(state);
  const current = state.execution?.currentStep ?? null;
  const all = current === null || steps.includes(current) ? steps : [...steps, current];
  const parts = all.flatMap(({ outputMessages }) => outputMessages.flatMap((message) => message.parts));
  const joined = (type: 'text' | 'reasoning'): string => {
    const texts = parts.map((part) => (part.type === type && 'text' in part ? part.text : ''));
    return isOrdered ? texts.join('') : [...texts.join('')].toSorted().join('');
  };
  return {
    said: joined('text').trim(),
    thought: joined('reasoning'),
    calls: all.flatMap(({ toolExecutions }) =>
      toolExecutions.flatMap(({ toolCall, status, result = null, error, childState }): readonly Call[] => {
        const isOpen = /^(completed|rejected|blocked)$/.test(status)
          ? false
          : status !== 'failed' || unanswered.test(error?.message ?? '');
        // A result behind the step of its call cannot say that the call was rejected.
        const fate = isOpen
          ? ['open']
          : [
              status === 'rejected' || status === 'blocked' ? 'failed' : status,
              status === 'completed'
                ? result
                : error?.message.replace(/^Subagent "[^"]*" failed: /, '') || null,
            ];
        if (!isWhole && (isOpen || (hasChildren && childState !== null))) return [];
        const child =
          childState === null ? null : readOf(childState, isWhole && status === 'completed', isOrdered);
        return [{ call: [toolCall.name, toolCall.input, ...fate], child }];
      }),
    ),
  };
}
