import { checkDecision, type CheckedDecision } from '../agent/approval-decision.ts';
import { isToolQuestion } from '../agent/tool-question.ts';
import { type Tool, toolNamed } from '../agent/tool.ts';
import { isAgentStopError } from '../graph/agent-stop-error.ts';
import { rememberedDecision } from '../graph/agent-state/remembered.ts';
import { isFinished } from '../graph/tool-execution.ts';
import type { ToolExecution } from '../graph/types.ts';
import { AgentError } from '../kit/agent-error.ts';
import { commit, isLeaseRevoked, userCode } from '../run/run.ts';
import { toErrorInfo } from '../run/record-failure.ts';
import { cutResult } from '../run/tools/batch.ts';
import { createCallChanges } from '../run/tools/call-changes.ts';
import { callTool } from '../run/tools/call-tool.ts';
import { endUnrun, settleCall } from '../run/tools/end-call.ts';
import type { Feature, ReadyCall, Run, Batch } from '../run/slots.ts';

/** Asks a person whether a call may run, and for the result of a tool that a page answers. */
export const approvals: Feature = (run) => ({
  resume: (batch, call) => (isFinished(call) ? settleAnswered(batch, call) : null),
  validate: (_batch, call) =>
    call.approval?.decision === 'rejected' ? reject(run, call, call.approval.comment) : true,
  approve: (ready) => isAllowed(run, ready),
});

/** Asks a person what a running tool asks. The tool is called again with the answer. */
export const questions: Feature = (run) => ({
  async aroundExecute(execution, next) {
    try {
      return await next(execution);
    } catch (thrown) {
      if (!isToolQuestion(thrown) || run.signal.aborted) throw thrown;
      const { reason, form } = thrown;
      const { id: toolCallId } = execution.call;
      return { goOn: () => commit(run, { type: 'approval-request', toolCallId, reason, form }) };
    }
  },
});

async function isAllowed(run: Run, ready: ReadyCall): Promise<boolean> {
  const { call, tool, input } = ready;
  const { approval } = call;
  const isApproved = approval?.decision === 'approved';
  if (isApproved && !approval.isEdited) return hasExecute(run, ready);
  const decision = await decide(run, call, tool, input);
  if (decision.kind === 'deny') return reject(run, call, decision.reason);
  // The rule for edited arguments that a person approved: only a rejection counts.
  const isAllowed = isApproved || decision.kind === 'allow' || isRemembered(run, call, decision);
  return isAllowed && hasExecute(run, ready);
}

/** Asks the tool's own rule. A rule that throws fails closed: the person is asked. */
async function decide(run: Run, call: ToolExecution, tool: Tool, input: unknown): Promise<CheckedDecision> {
  const author = `needsApproval of tool ${JSON.stringify(tool.name)}`;
  const changes = createCallChanges(run, call);
  try {
    const decision = await userCode(run, author, () =>
      tool.needsApproval(input, changes.context(tool, run.signal)),
    );
    return checkDecision(decision, tool.name);
  } catch (thrown) {
    if (isAgentStopError(thrown)) throw thrown;
    const { message } = toErrorInfo(run, thrown);
    return { kind: 'ask', reason: `Its approval rule failed: ${message}` };
  } finally {
    changes.close();
  }
}

/** True for a call that a person has allowed for the session; else the person is asked. */
function isRemembered(
  run: Run,
  call: ToolExecution,
  { reason, isJoint }: Extract<CheckedDecision, { kind: 'ask' }>,
): boolean {
  // Decisions for the session are stored at the root agent.
  const root = run.recording?.rootOf(run.path, call) ?? run.lease.state();
  const remembered = rememberedDecision(root, call.toolCall.name);
  if (remembered === 'rejected') return reject(run, call, 'the user rejects all calls of this tool');
  if (remembered !== null) return true;
  commit(run, { type: 'approval-request', toolCallId: call.id, reason, ...(isJoint ? { isJoint } : {}) });
  return false;
}

/** Starts waiting for the result of a tool without `execute`, which the user interface provides. */
function hasExecute(run: Run, { call, tool }: ReadyCall): boolean {
  if (tool.execute !== null) return true;
  commit(run, { type: 'output-request', toolCallId: call.id });
  return false;
}

function reject(run: Run, call: ToolExecution, reason: string | null): false {
  const { name } = call.toolCall;
  const message = `The call of ${JSON.stringify(name)} was rejected${reason ? `: ${reason}` : '.'}`;
  const error = new AgentError('tool-rejected', message, { data: { toolName: name } });
  return endUnrun(run, call, 'rejected', error);
}

/** Settles a call that already has its result, from a person or from before a reload. */
async function settleAnswered(batch: Batch, call: ToolExecution): Promise<void> {
  const { run, tools } = batch;
  const tool = toolNamed(tools, call.toolCall.name);
  const isGiven = call.status === 'completed' && call.startedAt === null;
  if (isGiven) {
    try {
      const given = call.result ?? null;
      const output = tool?.output ?? null;
      const result =
        tool === undefined || output === null
          ? cutResult(run, tool, given)
          : await callTool(run, tool, () => given);
      if (output !== null || result !== given)
        commit(run, { type: 'call-change', source: 'user', toolCallId: call.id, result });
    } catch (thrown) {
      if (isLeaseRevoked(thrown) || thrown === run.signal.reason) throw thrown;
      const error = toErrorInfo(run, thrown);
      commit(run, { type: 'call-change', source: 'user', toolCallId: call.id, status: 'failed', error });
    }
  }
  await settleCall(batch, call.id);
}
