import { isDelegating, isDelegationTool } from '@vitrine/core/internal/agent/delegation-tool';
import { toolNamed } from '@vitrine/core/internal/agent/tool';
import { approvals } from '@vitrine/core/internal/features/approvals';
import { hooks } from '@vitrine/core/internal/features/hooks';
import { isPassed } from '@vitrine/core/internal/features/breakpoints';
import { features } from '@vitrine/core/internal/features/features';
import { AgentStopError } from '@vitrine/core/internal/graph/agent-stop-error';
import type { AgentState, ToolExecution } from '@vitrine/core/internal/graph/types';
import { equalJson, type JsonValue } from '@vitrine/core/internal/kit/json';
import { toJson } from '@vitrine/core/internal/kit/to-json';
import { commit, stateOf, stepNumber } from '@vitrine/core/internal/run/run';
import type { Batch, Feature, ReadyCall, Run } from '@vitrine/core/internal/run/slots';
import { keyOf } from '@vitrine/core/internal/run/tools/batch';
import { endFailed, settleCall, settleUnrun } from '@vitrine/core/internal/run/tools/end-call';
import { changedInput } from '@vitrine/core/internal/run/tools/run-call';
import { chooseMessages, type ForkSwitches } from './fork-switches.ts';
import { endedCalls, type RecordedCall, type RecordedCalls } from './recorded-calls.ts';

type CallSource = 'record' | 'tool';

/**
 * Keeps the tools of a fork from acting. A call that equals a recorded one gets its recorded outcome, in the order of the
 * record, and the last one again when there are no more. Any other call of a tool that is not idempotent waits: a person
 * lets it run, gives it a result, or rejects it. A model behind which tools run is asked only when a person lets it.
 */
export function createForkCalls(record: RecordedCalls, forked: AgentState, switches: ForkSwitches = {}) {
  const memory = new ForkMemory(record, endedCalls(forked), switches);
  return {
    features: features.flatMap((feature): readonly Feature[] => {
      // In the place of approvals, because a recorded outcome needs none.
      if (feature === approvals) return [holdCalls(memory)];
      // Behind hooks, which may leave messages out.
      return feature === hooks ? [hooks, chooseMessages(switches)] : [feature];
    }),
    /** The source of a call's outcome; undefined for one that waits, was given a result, or lies before the fork. */
    sourceOf: (toolCallId: string): CallSource | undefined => memory.sources.get(toolCallId),
  };
}

class ForkMemory {
  readonly sources = new Map<string, CallSource>();
  readonly answers = new Map<string, RecordedCall>();
  readonly #record: RecordedCalls;
  /** The recorded calls that the fork has used, those before its first step included. */
  readonly #used: Set<string>;
  readonly #byTool = new Map<string, RecordedCall[]>();
  readonly #asked = new Set<string>();
  /** Tools to call again; null for all. A plugin that is off may have answered in place of tools. */
  readonly #whole: readonly string[] | null;

  constructor(record: RecordedCalls, used: Set<string>, switches: ForkSwitches) {
    const { results = {}, whole = [], without = [] } = switches;
    const given = record.calls.map((call): RecordedCall => {
      const result = Object.hasOwn(results, call.toolCallId) ? results[call.toolCallId] : undefined;
      return result === undefined ? call : { ...call, status: 'completed', error: null, result };
    });
    this.#record = { ...record, calls: given };
    this.#used = used;
    this.#whole = without.some(({ kind }) => kind === 'plugin') ? null : whole;
    for (const call of given) {
      const key = `${call.agent} ${call.toolName}`;
      const known = this.#byTool.get(key);
      if (known === undefined) this.#byTool.set(key, [call]);
      else known.push(call);
    }
  }

  /** The recorded outcome of a call; null for none. */
  take({ batch, call, tool, input }: ReadyCall): RecordedCall | null {
    const { name, input: given } = call.toolCall;
    if ((this.#whole?.includes(name) ?? true) && tool.effects === 'idempotent') return null;
    const parsed = toJson(input);
    const equal = (this.#byTool.get(`${agentName(batch.run)} ${name}`) ?? []).filter((entry) =>
      entry.input === undefined ? equalJson(entry.given, given) : equalJson(entry.input, parsed),
    );
    const next =
      equal.find(({ toolCallId }) => toolCallId === call.id) ??
      equal.find(({ toolCallId }) => !this.#used.has(toolCallId)) ??
      equal.at(-1);
    return next === undefined ? null : this.#use(call.id, next);
  }

  /** The outcome of a call that was at work when the fork began; null for none. */
  takeOwn({ id }: ToolExecution): RecordedCall | null {
    const own = this.#record.calls.find(({ toolCallId }) => toolCallId === id);
    return own === undefined ? null : this.#use(id, own);
  }

  #use(id: string, entry: RecordedCall): RecordedCall {
    this.#used.add(entry.toolCallId);
    this.sources.set(id, 'record');
    return entry;
  }

  /** True for a call that a person has let run in this fork. An approval of the record lets nothing run. */
  isLet({ id, approval }: ToolExecution): boolean {
    if (this.#asked.has(id) && approval?.decision === 'approved') this.sources.set(id, 'tool');
    return this.sources.get(id) === 'tool';
  }

  /** Lets a call wait for a person. @returns false, the answer of a gate */
  ask(run: Run, toolCallId: string): false {
    this.#asked.add(toolCallId);
    const reason = 'The record has no such call, so this fork does not make it unasked.';
    commit(run, { type: 'approval-request', toolCallId, cause: 'fork', reason });
    return false;
  }

  /** Lets an agent wait before it asks a model behind which tools run. @returns true when it has to wait. */
  holdsModel(run: Run): boolean {
    const acts = run.agent.inference.effects === 'once' || this.#record.elsewhere.has(agentName(run));
    if (!acts || run.signal.aborted) return false;
    const place = { point: 'model', step: stepNumber(run), toolCallId: null } as const;
    const id = `${run.path.join('/')} ${place.step}`;
    if (this.#asked.has(id) && isPassed(stateOf(run).execution?.breakPassed ?? null, place)) return false;
    this.#asked.add(id);
    commit(run, { type: 'break-hit', breakpointId: 'fork', place });
    return true;
  }
}

/** The name of a subagent; empty for the root. */
function agentName({ agent, path }: Run): string {
  return path.length === 0 ? '' : agent.name;
}

/** Approvals, behind the record. */
function holdCalls(memory: ForkMemory): Feature {
  return (run) => {
    const asking = approvals(run);
    return {
      ...asking,
      waitsAt: (point) => point === 'model' && memory.holdsModel(run),
      resume: (batch, call) => resumeHeld(memory, batch, call) ?? asking.resume?.(batch, call) ?? null,
      approve(ready) {
        const { call, tool } = ready;
        if (memory.isLet(call)) return asking.approve?.(underItsRule(ready)) ?? true;
        const known = memory.take(ready);
        if (known?.status === 'rejected') {
          settleUnrun(run, call.id, 'rejected', known.error);
          return false;
        }
        if (known !== null) {
          memory.answers.set(call.id, known);
          return true;
        }
        // The calls of a subagent are held in it, and a tool without `execute` is answered by a person.
        const isHarmless = isDelegationTool(tool) || tool.execute === null;
        if (!isHarmless && (tool.effects !== 'idempotent' || isDelegating(tool)))
          return memory.ask(run, call.id);
        if (!isHarmless) memory.sources.set(call.id, 'tool');
        return asking.approve?.(ready) ?? true;
      },
      async delegate(ready) {
        const { batch, call, input } = ready;
        const known = memory.answers.get(call.id);
        if (known === undefined) return true;
        const key = keyOf(run, call.id);
        commit(run, { type: 'tool-start', toolCallId: call.id, key, ...changedInput(call, input) });
        await endAsRecorded(batch, ready, known);
        return false;
      },
    };
  };
}

/** Goes on with a call that was at work when the fork began. Null leaves it to others. */
function resumeHeld(memory: ForkMemory, batch: Batch, call: ToolExecution): Promise<void> | null {
  const { run, tools } = batch;
  const tool = toolNamed(tools, call.toolCall.name);
  const isOpen = call.status === 'running' || call.childState !== null;
  if (!isOpen || tool === undefined || memory.isLet(call)) return null;
  if (call.childState !== null) {
    // The agent of another server would go on there.
    return isDelegating(tool) ? Promise.resolve(void memory.ask(run, call.id)) : null;
  }
  const known = isDelegationTool(tool) ? null : memory.takeOwn(call);
  return known === null ? null : endAsRecorded(batch, { call, tool }, known);
}

/** The call with its rule asked again, which may reject it: a person let it run in the fork and not in the application. */
function underItsRule(ready: ReadyCall): ReadyCall {
  const { approval } = ready.call;
  if (approval?.cause !== 'fork') return ready;
  return { ...ready, call: { ...ready.call, approval: { ...approval, isEdited: true } } };
}

/** Ends a call as the recorded one ended, with what its tool changed. */
async function endAsRecorded(
  batch: Batch,
  { call: { id }, tool }: Pick<ReadyCall, 'call' | 'tool'>,
  { status, result, error, pluginWrites, changes, stop }: RecordedCall,
): Promise<void> {
  const { run } = batch;
  if (status !== 'completed') {
    const thrown = stop === null ? new Error(error?.message) : new AgentStopError(stop);
    return endFailed(batch, tool, { id, durationMs: () => 0, hadStarted: true }, thrown, error);
  }
  const ended = { result: result satisfies JsonValue, error: null, durationMs: 0, pluginWrites };
  commit(run, { type: 'tool-end', toolCallId: id, status, ...ended });
  for (const change of changes) commit(run, change);
  await settleCall(batch, id);
}
