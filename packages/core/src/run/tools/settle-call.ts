import type { Tool } from '../../agent/tool.ts';
import type { ErrorInfo } from '../../graph/error-info.ts';
import type { ToolOutcome } from '../../graph/message.ts';
import type { ToolExecution } from '../../graph/types.ts';
import { toJson } from '../../kit/to-json.ts';
import { commit, type Run, stateOf } from '../run.ts';
import { runHooks } from '../run-hooks.ts';
import { callOf } from '../state-at.ts';
import type { Batch } from './batch.ts';
import { cutResult, toolNamed } from './cut-result.ts';

/** Runs the hooks after a call and settles it. A replacement by a hook is an event of its own. */
export async function settleCall({ run, tools }: Pick<Batch, 'run' | 'tools'>, id: string): Promise<void> {
  const execution = callOf(stateOf(run), id);
  if (execution === null) return;
  try {
    const { execution: next = execution, author } = await runHooks(run, 'after-tool-use', { execution });
    if (next !== execution)
      commit(run, { type: 'call-change', source: author, toolCallId: id, ...changed(run, tools, next) });
  } finally {
    const ended = callOf(stateOf(run), id) ?? execution;
    settleUnrun(run, id, ended.status as ToolOutcome, ended.error);
  }
}

function changed(
  run: Run,
  tools: readonly Tool[],
  next: ToolExecution,
): {
  status: ToolOutcome;
  error: ErrorInfo | null;
  result?: ReturnType<typeof toJson>;
} {
  const { status, error } = next;
  const tool = toolNamed(tools, next.toolCall.name);
  return {
    status: status as ToolOutcome,
    error,
    ...('result' in next ? { result: cutResult(run, tool, toJson(next.result)) } : {}),
  };
}

/** Settles a call without hooks: it did not run, or its step was cut short. */
export function settleUnrun(
  run: Run,
  toolCallId: string,
  outcome: ToolOutcome,
  error: ErrorInfo | null,
): void {
  commit(run, { type: 'call-settle', toolCallId, outcome, error });
}
