import type { JsonObject, JsonValue } from '../../kit/json.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { rememberedDecision } from '../../graph/agent-state/approvals.ts';
import { withToolExecution } from '../../graph/agent-state/tool-transitions.ts';
import type { ToolExecution } from '../../graph/types.ts';
import { describeIssues, parse } from '../../agent/schema.ts';
import { get } from '../../agent/tool-list.ts';
import type { ApprovalDecision, Tool, ToolContext } from '../../agent/tool.ts';
import { type Run } from '../run.ts';
import { runHooks } from '../run-hooks.ts';
import { ended } from './tool-outcome.ts';

/** A call that may run now, one that has its result already, or one that waits for the user. */
export type PreparedCall =
  | { readonly kind: 'run'; readonly tool: Tool; readonly input: unknown; readonly execution: ToolExecution }
  | { readonly kind: 'settled'; readonly execution: ToolExecution; readonly stopsBatch: boolean }
  | { readonly kind: 'waits'; readonly execution: ToolExecution };

/** Everything that comes before a call runs: hooks, look-up, validation and approval. */
export async function prepareToolCall(
  run: Run,
  requested: ToolExecution,
  tools: readonly Tool[],
  contextFor: (execution: ToolExecution, tool: Tool) => ToolContext,
): Promise<PreparedCall> {
  if (requested.approval?.decision === 'rejected')
    return rejected(run, requested, requested.approval.comment);
  const isApproved = requested.approval?.decision === 'approved';
  const hooked = isApproved
    ? { execution: requested, settled: false, stopsBatch: false }
    : await throughHooks(run, requested);
  if (hooked.settled) return { kind: 'settled', execution: hooked.execution, stopsBatch: hooked.stopsBatch };
  const { execution } = hooked;
  run.state = withToolExecution(run.state, execution, run.env);
  try {
    const tool = get(tools, execution.toolCall.name);
    const input = await validInput(tool, execution.toolCall.input);
    if (isApproved) return { kind: 'run', tool, input, execution };
    return await withDecision(run, execution, { tool, input, ctx: contextFor(execution, tool) });
  } catch (error) {
    return {
      kind: 'settled',
      execution: ended(execution, { status: 'failed', error }, run.env),
      stopsBatch: false,
    };
  }
}

async function throughHooks(
  run: Run,
  requested: ToolExecution,
): Promise<{ execution: ToolExecution; settled: boolean; stopsBatch: boolean }> {
  const given = { toolCall: requested.toolCall };
  const {
    toolCall = requested.toolCall,
    blocked,
    execution: replacement,
  } = await runHooks(run, 'before-tool-use', given);
  if (replacement !== undefined)
    return { execution: { ...replacement, id: requested.id, toolCall }, settled: true, stopsBatch: false };
  const execution =
    toolCall === requested.toolCall
      ? requested
      : { ...requested, toolCall: { ...toolCall, id: requested.toolCall.id } };
  if (blocked === undefined) return { execution, settled: false, stopsBatch: false };
  const error = new AgentError(
    'tool-blocked',
    `Tool ${JSON.stringify(toolCall.name)} was blocked: ${blocked.reason}`,
    {
      data: { toolName: toolCall.name, reason: blocked.reason },
    },
  );
  const stopsBatch = blocked.stopBatch === true;
  return { execution: ended(execution, { status: 'blocked', error }, run.env), settled: true, stopsBatch };
}

async function validInput(tool: Tool, input: JsonValue): Promise<unknown> {
  if (tool.input === null) return input;
  const parsed = await parse(tool.input, input);
  if (parsed.ok) return parsed.value;
  const missing = missingParameters(tool.inputSchema, input);
  const what = missing.length > 0 ? `Missing required parameters: ${missing.join(', ')}. ` : '';
  const issues = describeIssues(parsed.issues);
  throw new AgentError(
    'tool-input-invalid',
    `${what}Invalid input for tool ${JSON.stringify(tool.name)}: ${issues}`,
    {
      data: { toolName: tool.name, issues: parsed.issues },
    },
  );
}

function missingParameters(schema: JsonObject, input: JsonValue): string[] {
  const { required } = schema;
  if (!Array.isArray(required) || typeof input !== 'object' || input === null || Array.isArray(input))
    return [];
  return required.filter((name): name is string => typeof name === 'string' && !Object.hasOwn(input, name));
}

async function withDecision(
  run: Run,
  execution: ToolExecution,
  call: { tool: Tool; input: unknown; ctx: ToolContext },
): Promise<PreparedCall> {
  const decision = normalized(await askTool(call.tool, call.input, call.ctx));
  if (decision.kind === 'deny') return rejected(run, execution, decision.reason);
  const remembered =
    decision.kind === 'ask' ? rememberedDecision(run.state, execution.toolCall.name) : 'approved';
  if (remembered === 'rejected') return rejected(run, execution, 'the user rejects all calls of this tool');
  if (remembered === 'approved') return { kind: 'run', tool: call.tool, input: call.input, execution };
  const approval = {
    reason: decision.kind === 'ask' ? (decision.reason ?? null) : null,
    decision: null,
    comment: null,
  };
  return { kind: 'waits', execution: { ...execution, status: 'awaiting-approval', approval } };
}

async function askTool(tool: Tool, input: unknown, ctx: ToolContext): Promise<ApprovalDecision> {
  try {
    return await tool.needsApproval(input, ctx);
  } catch (error) {
    // A question that cannot be asked fails closed.
    return {
      kind: 'ask',
      reason: `Its approval rule failed: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

function normalized(decision: ApprovalDecision): Exclude<ApprovalDecision, boolean> {
  if (typeof decision !== 'boolean') return decision;
  return decision ? { kind: 'ask' } : { kind: 'allow' };
}

function rejected(run: Run, execution: ToolExecution, reason: string | null): PreparedCall {
  const { name } = execution.toolCall;
  const error = new AgentError(
    'tool-rejected',
    `The call of ${JSON.stringify(name)} was rejected${reason ? `: ${reason}` : '.'}`,
    {
      data: { toolName: name },
    },
  );
  return {
    kind: 'settled',
    execution: ended(execution, { status: 'rejected', error }, run.env),
    stopsBatch: false,
  };
}
