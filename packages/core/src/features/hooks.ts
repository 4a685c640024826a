import { at as hooksAt } from '../agent/hook.ts';
import type { Tool } from '../agent/tool.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import { type Message, text, type ToolOutcome } from '../graph/message.ts';
import type { ToolExecution } from '../graph/types.ts';
import { AgentError } from '../kit/agent-error.ts';
import type { JsonValue } from '../kit/json.ts';
import { toJson } from '../kit/to-json.ts';
import type { InferenceRequest } from '../model/inference-client.ts';
import type { AgentEventOf } from '../run/events.ts';
import { commit } from '../run/run.ts';
import { runHooks } from './run-hooks.ts';
import { cutResult, toolNamed } from '../run/tools/batch.ts';
import { endUnrun, interruptedError, settleUnrun } from '../run/tools/end-call.ts';
import type { Answer, Feature, ModelCall, Run, Batch } from '../run/slots.ts';

/**
 * Runs the hooks of the agent at their points. Around a model call they may replace its request and the response of the
 * answer that came, before a call of a tool its arguments and its end, behind it its result.
 */
export const hooks: Feature = (run) => {
  const isHeard = hooksAt(run.agent.hooks, 'after-tool-use').length > 0;
  /** The prompts that hooks replaced and the journal has named: a hook may replace the same one in each step. */
  const reported = new Set<string>();
  /** The steps whose remaining calls a hook has stopped. */
  const stopped = new WeakSet<Batch>();
  return {
    at: async (point, errors) => void (await runHooks(run, point, errors === undefined ? {} : { errors })),
    aroundModel: async (call, next) =>
      replaceResponse(run, await next(await replaceRequest(run, call, reported))),
    validate(batch, call) {
      if (stopped.has(batch)) return endUnrun(run, call, 'interrupted', interruptedError(call, false));
      // A call approved unchanged has passed the hooks already. Edited arguments pass them again.
      return (
        (call.approval?.decision === 'approved' && !call.approval.isEdited) || passHooks(batch, call, stopped)
      );
    },
    ...(isHeard ? { settle: replaceResult } : {}),
  };
};

async function replaceRequest(run: Run, call: ModelCall, reported: Set<string>): Promise<ModelCall> {
  const { request: prepared } = call;
  const { request = prepared, author } = await runHooks(run, 'before-inference', { request: prepared });
  const conversation = request.messages === prepared.messages ? call.conversation : null;
  const replaced = author === null ? {} : replacedBy(reported, author, prepared, request);
  return { ...call, request, wire: request, conversation, authors: { ...call.authors, ...replaced } };
}

async function replaceResponse(run: Run, answer: Answer): Promise<Answer> {
  const { response: received } = answer;
  try {
    const { response = received, author } = await runHooks(run, 'after-inference', { response: received });
    return response === received || author === null ? answer : { ...answer, response, author };
  } catch (thrown) {
    // When a hook throws, the received response is kept.
    return { ...answer, failed: { thrown } };
  }
}

function replacedBy(
  reported: Set<string>,
  hook: string,
  prepared: InferenceRequest,
  request: InferenceRequest,
): Pick<AgentEventOf<'inference-start'>, 'replaced'> {
  const [before, after] = [promptOf(prepared), promptOf(request)];
  const names = ['model', 'settings', 'toolChoice', 'tools', 'responseFormat'] as const;
  const fields = [
    ...(before.prompt === after.prompt ? [] : ['prompt']),
    ...(isSameList(before.conversation, after.conversation) ? [] : ['messages']),
    ...names.filter((name) => prepared[name] !== request[name]),
  ];
  if (fields.length === 0) return {};
  const isNew = before.prompt !== after.prompt && !reported.has(before.prompt);
  reported.add(before.prompt);
  return { replaced: { hook, fields, ...(isNew ? { prompt: before.prompt } : {}) } };
}

function promptOf({ messages }: InferenceRequest): {
  readonly prompt: string;
  readonly conversation: readonly Message[];
} {
  const [first] = messages;
  if (first?.role !== 'system') return { prompt: '', conversation: messages };
  return { prompt: text(first), conversation: messages.slice(1) };
}

function isSameList(a: readonly Message[], b: readonly Message[]): boolean {
  return a.length === b.length && a.every((message, index) => message === b[index]);
}

/** Runs the hooks before the call. @returns false when a hook ended it. */
async function passHooks(batch: Batch, call: ToolExecution, stopped: WeakSet<Batch>): Promise<boolean> {
  const { run } = batch;
  const { id } = call;
  const given = { toolCall: call.toolCall };
  const { toolCall, blocked, execution, author, authors } = await runHooks(run, 'before-tool-use', given);
  if (toolCall !== undefined && toolCall !== call.toolCall) {
    const { name: toolName, input } = toolCall;
    commit(run, { type: 'call-change', source: author, toolCallId: id, toolName, input: toJson(input) });
  }
  const { name } = toolCall ?? call.toolCall;
  if (execution !== undefined) {
    const result = resultOf(run, toolNamed(batch.tools, name), execution);
    commit(run, { type: 'call-change', source: author, toolCallId: id, ...result });
    settleUnrun(run, id, result.status, execution.error);
    return false;
  }
  if (blocked === undefined) return true;
  if (blocked.stopBatch === true) stopped.add(batch);
  const message = `Tool ${JSON.stringify(name)} was blocked: ${blocked.reason}`;
  const data = { toolName: name, reason: blocked.reason };
  return endUnrun(run, call, 'blocked', new AgentError('tool-blocked', message, { data }), authors.blocked);
}

/** Runs the hooks behind a call. A replacement is an event of its own. */
async function replaceResult({ run, tools }: Batch, execution: ToolExecution): Promise<void> {
  const { execution: next = execution, author } = await runHooks(run, 'after-tool-use', { execution });
  if (next === execution) return;
  const result = resultOf(run, toolNamed(tools, next.toolCall.name), next);
  commit(run, { type: 'call-change', source: author, toolCallId: execution.id, ...result });
}

function resultOf(
  run: Run,
  tool: Tool | undefined,
  execution: ToolExecution,
): { readonly status: ToolOutcome; readonly error: ErrorInfo | null; readonly result?: JsonValue } {
  const result = 'result' in execution ? { result: cutResult(run, tool, toJson(execution.result)) } : {};
  return { status: execution.status as ToolOutcome, error: execution.error, ...result };
}
