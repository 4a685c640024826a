import { currentStep, steps } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { ErrorInfo } from '@vitrine/core/internal/graph/error-info';
import type { ToolOutcome } from '@vitrine/core/internal/graph/message';
import type { StopSignal } from '@vitrine/core/internal/graph/stop-signal';
import { isFinished, subagentName } from '@vitrine/core/internal/graph/tool-execution';
import type { AgentState, ToolExecution } from '@vitrine/core/internal/graph/types';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import type { AgentChange, AgentEventBody, PluginValue } from '@vitrine/core/internal/run/events';
import type { ReadJournal } from './replay/journal-document.ts';

export type RecordedCall = {
  readonly toolCallId: string;
  /** The name of the subagent that made it; empty for the root. */
  readonly agent: string;
  readonly toolName: string;
  /** The arguments as the model, a hook or a person gave them. */
  readonly given: JsonValue;
  /** The arguments after the schema; undefined for a call whose tool did not begin. */
  readonly input: JsonValue | undefined;
  readonly status: ToolOutcome;
  readonly result: JsonValue;
  readonly error: ErrorInfo | null;
  readonly pluginWrites: readonly PluginValue[];
  /** The other changes of the state by the tool, behind its end. */
  readonly changes: readonly AgentEventBody[];
  /** The signal of a tool that stopped the run; null for every other. */
  readonly stop: StopSignal | null;
};

/** The outcomes that a record holds. */
export type RecordedCalls = {
  /** The calls with an outcome, in the order in which they ended. */
  readonly calls: readonly RecordedCall[];
  /** The names of the agents, as in calls, behind whose model tools ran. */
  readonly elsewhere: ReadonlySet<string>;
};

type Open = Pick<RecordedCall, 'toolCallId' | 'agent' | 'toolName' | 'given' | 'input'>;
type Ended = { -readonly [Key in keyof RecordedCall]: RecordedCall[Key] } & { changes: AgentEventBody[] };

/** Reads the outcomes of all calls of a record. One that was interrupted, or blocked by a hook, has none. */
export function recordedCalls({ base, events }: ReadJournal): RecordedCalls {
  const reader = new Reader(base);
  for (const event of events) reader.read(event);
  return reader;
}

class Reader implements RecordedCalls {
  readonly calls: Ended[] = [];
  readonly elsewhere = new Set<string>();
  /** The names of the agents by path. */
  readonly #agents = new Map([['', '']]);
  readonly #open = new Map<string, Open>();
  readonly #ended = new Map<string, Ended>();
  /** The call of each agent whose changes follow its end. */
  readonly #changing = new Map<string, Ended>();

  constructor(base: AgentState) {
    for (const { path, call } of callsOf(base)) {
      const agent = path.join('/');
      this.#begin(agent, call.id, call.toolCall.name, call.toolCall.input);
      if (call.childState !== null) this.#agents.set([...path, call.id].join('/'), subagentName(call));
    }
  }

  read(event: AgentChange): void {
    const agent = event.path.join('/');
    this.#readChange(agent, event);
    if ('toolCallId' in event && event.toolCallId !== undefined)
      this.#readCall(agent, event, event.toolCallId);
  }

  #begin(agent: string, toolCallId: string, toolName: string, given: JsonValue): void {
    const name = this.#agents.get(agent) ?? '';
    this.#open.set(`${agent} ${toolCallId}`, { toolCallId, agent: name, toolName, given, input: undefined });
  }

  /** Reads what a tool changed besides its result: those events follow its end at once, with its name. */
  #readChange(agent: string, event: AgentChange): void {
    const { seq: _seq, at: _at, path: _path, ...body } = event;
    const call = this.#changing.get(agent);
    if (call === undefined) return;
    if (event.type === 'stop-signal') call.stop ??= event.signal;
    if ('source' in event && event.source === call.toolName && event.type !== 'call-change')
      call.changes.push(body as AgentEventBody);
    else if (event.type !== 'error-record') this.#changing.delete(agent);
  }

  #readCall(agent: string, event: AgentChange, toolCallId: string): void {
    const key = `${agent} ${toolCallId}`;
    const open = this.#open.get(key);
    switch (event.type) {
      case 'tool-call':
        return this.#begin(agent, toolCallId, event.toolName, event.input);
      case 'tool-elsewhere':
        return void this.elsewhere.add(this.#agents.get(agent) ?? '');
      case 'subagent-start':
        return void this.#agents.set(agent === '' ? toolCallId : `${agent}/${toolCallId}`, event.name);
      case 'call-change': {
        const ended = this.#ended.get(key);
        // A person's result takes the place of that of the tool, and hooks change results anew.
        if (ended !== undefined && event.source === 'user' && event.result !== undefined)
          Object.assign(ended, { result: event.result, status: event.status ?? ended.status });
        const { toolName = open?.toolName ?? '', input = open?.given ?? null } = event;
        if (open !== undefined) this.#begin(agent, toolCallId, toolName, input);
        return;
      }
      case 'tool-start':
        if (open !== undefined) this.#open.set(key, { ...open, input: event.input ?? open.given });
        return;
      case 'tool-end': {
        const { status, result = null, error, pluginWrites } = event;
        const hasOutcome = status === 'completed' || status === 'failed' || status === 'stopped';
        return hasOutcome ? this.#end(agent, key, { status, result, error, pluginWrites }) : undefined;
      }
      case 'call-settle': {
        const { outcome: status, error } = event;
        if (status === 'rejected') this.#end(agent, key, { status, result: null, error, pluginWrites: [] });
        return;
      }
    }
  }

  #end(agent: string, key: string, how: Pick<Ended, 'status' | 'result' | 'error' | 'pluginWrites'>): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    const ended = { ...open, ...how, changes: [], stop: null };
    this.calls.push(ended);
    this.#open.delete(key);
    this.#ended.set(key, ended);
    this.#changing.set(agent, ended);
  }
}

/** The calls of the step in flight of an agent and of its subagents, each behind that of its agent. */
export function callsOf(
  root: AgentState,
): readonly { readonly path: readonly string[]; readonly call: ToolExecution }[] {
  const agents: { readonly path: readonly string[]; readonly state: AgentState }[] = [
    { path: [], state: root },
  ];
  const found: { readonly path: readonly string[]; readonly call: ToolExecution }[] = [];
  for (const { path, state } of agents)
    for (const call of currentStep(state)?.toolExecutions ?? []) {
      found.push({ path, call });
      if (call.childState !== null) agents.push({ path: [...path, call.id], state: call.childState });
    }
  return found;
}

/** The ids of the calls of a run that have ended, at any depth. */
export function endedCalls(root: AgentState): Set<string> {
  const states = [root];
  const found = new Set<string>();
  for (const state of states)
    for (const step of [...steps(state), currentStep(state)])
      for (const call of step?.toolExecutions ?? []) {
        if (isFinished(call)) found.add(call.id);
        if (call.childState !== null) states.push(call.childState);
      }
  return found;
}
