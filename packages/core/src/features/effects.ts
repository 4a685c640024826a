import { isDelegationTool } from '../agent/delegation-tool.ts';
import { isToolQuestion } from '../agent/tool-question.ts';
import { toolNamed } from '../agent/tool.ts';
import { isAgentStopError } from '../graph/agent-stop-error.ts';
import type { ToolExecution } from '../graph/types.ts';
import { isAgentError } from '../kit/agent-error.ts';
import { untilAborted } from '../kit/async.ts';
import type { JsonValue } from '../kit/json.ts';
import { nothing } from '../kit/memoize.ts';
import type { InferenceEvent } from '../model/inference-client.ts';
import { normalizeInferenceEvent } from '../model/normalize-inference-event.ts';
import type { EffectLog } from '../run/effect-log.ts';
import { performCall, type Performed, recordAnswer } from '../run/perform-call.ts';
import { commit, hasLog, isLeaseRevoked, stateOf } from '../run/run.ts';
import { toErrorInfo } from '../run/record-failure.ts';
import { callOf } from '../run/state-at.ts';
import { streamOf } from '../run/step/ask-model.ts';
import { keyOf } from '../run/tools/batch.ts';
import { createCallChanges, recordedWrites } from '../run/tools/call-changes.ts';
import { CallLost, endLost, errorForModel, interruptedError } from '../run/tools/end-call.ts';
import { endWith } from '../run/tools/run-call.ts';
import type { Executed, Execution, Feature, Source, Run, Batch, RecordedChanges } from '../run/slots.ts';

/** Makes calls through the effect log of a run. A `once` call that a reload interrupted is not made again. */
export const effects: Feature = (run) => {
  const { effects: log } = run;
  const resume = (batch: Batch, call: ToolExecution): Promise<void> | null =>
    call.status === 'running' && !isRepeatable(batch, call) ? recall(batch, call) : null;
  if (log === null) return { resume };
  return {
    resume,
    aroundModel: (call, next) => next({ ...call, source: recordedSource(run, log) }),
    aroundExecute: (execution, next) => performExecution(run, log, execution, next),
  };
};

/** The model, or its recorded answer. */
function recordedSource(run: Run, log: EffectLog): Source {
  return (call, { key, inferenceId, begin }) => {
    const { wire, asked, interrupted, prepareAgain } = call;
    if (!hasLog(run)) begin();
    // A replay repeats an answer with its charge.
    asked.model ||= !hasLog(run);
    const input = wire as unknown as JsonValue;
    const hasBegun = interrupted !== null;
    const recorded = recordAnswer(run, log, {
      effect: { key, kind: 'model', name: wire.model ?? '', effects: 'idempotent', input, hasBegun },
      answer: (signal) => wholeAnswer(streamOf(run, call, { wire, inferenceId, signal }), signal),
      async before() {
        await prepareAgain();
        begin();
      },
      describe: (thrown) => toErrorInfo(run, thrown),
    });
    // A log has recorded the answer when its stream has ended.
    return { ...recorded, isReadOn: true, ...(hasLog(run) ? {} : { isNew: () => true }) };
  };
}

/** The events of an answer in the accepted shape, up to the one that ends it. */
async function* wholeAnswer(
  stream: AsyncIterable<unknown>,
  signal: AbortSignal,
): AsyncGenerator<InferenceEvent> {
  for await (const raw of untilAborted(stream, signal)) {
    const event = normalizeInferenceEvent(raw);
    if (event === null) continue;
    yield event;
    if (event.type === 'finish' || event.type === 'error') return;
  }
}

type Recorded = RecordedChanges & { readonly result: JsonValue };

/** Makes a call through the log. A recorded outcome brings its plugin writes and its changes of the state. */
async function performExecution(
  run: Run,
  log: EffectLog,
  execution: Execution,
  next: (execution: Execution) => Promise<Executed>,
): Promise<Executed> {
  const { changes } = execution;
  const { outcome, isNew, thrown } = await callThrough(run, log, execution, async (signal) => {
    const executed = await next({ ...execution, signal });
    return 'result' in executed ? executed.result : null;
  });
  if ('failed' in outcome) return { thrown, known: outcome.failed };
  const { result, writes, events } = outcome.value;
  if (isNew) return { result, writes: changes.settle, commitChanges: changes.applyUpdates };
  const commitChanges = (): readonly never[] => {
    events.forEach((event) => commit(run, event));
    return nothing;
  };
  return { result, writes: () => recordedWrites(stateOf(run), writes), commitChanges };
}

/** Calls the tool through the effect log. @throws the reason of an abort, and the errors of the log */
async function callThrough(
  run: Run,
  log: EffectLog,
  { call, tool, changes }: Execution,
  work: (signal: AbortSignal) => Promise<JsonValue>,
): Promise<Performed<Recorded>> {
  const { name, effects } = tool;
  const hasBegun = call.status === 'running';
  const input = callOf(stateOf(run), call.id)?.toolCall.input ?? null;
  let wasCalled = false;
  const described = {
    effect: { key: keyOf(run, call.id), kind: 'tool', name, effects, input, hasBegun },
    describe: (thrown: unknown) =>
      toErrorInfo(run, isAgentStopError(thrown) ? thrown : errorForModel(tool, thrown)),
    work: (signal: AbortSignal) => ((wasCalled = true), work(signal)),
    outcome: (result: JsonValue): Recorded => ({ result, ...changes.asData() }),
  } as const;
  try {
    return await performCall(run, log, described);
  } catch (thrown) {
    const isOver =
      isLeaseRevoked(thrown) || isAgentStopError(thrown) || isToolQuestion(thrown) || run.signal.aborted;
    if (isOver || (!wasCalled && !isAgentError(thrown, 'tool-interrupted'))) throw thrown;
    throw new CallLost(interruptedError(call, true, wasCalled ? thrown : undefined));
  }
}

/** True for a call that may run again although a reload interrupted it. */
function isRepeatable({ tools }: Batch, { toolCall }: ToolExecution): boolean {
  const tool = toolNamed(tools, toolCall.name);
  // A subagent that is not in the state has done nothing.
  return tool !== undefined && (tool.effects === 'idempotent' || isDelegationTool(tool));
}

/** Ends a call that a reload interrupted with its recorded outcome. Without a record its outcome stays unknown. */
async function recall(batch: Batch, call: ToolExecution): Promise<void> {
  const { run, tools } = batch;
  const tool = toolNamed(tools, call.toolCall.name);
  if (tool === undefined || run.effects === null) return endLost(batch, call);
  const refused = { ...tool, execute: () => Promise.reject(interruptedError(call, true)) };
  const { input } = call.toolCall;
  const changes = createCallChanges(run, call);
  const { signal } = run;
  const lost = { batch, call, tool: refused, input, changes, signal, isLost: true, blocked: { ms: 0 } };
  await endWith(lost, () => null);
}
