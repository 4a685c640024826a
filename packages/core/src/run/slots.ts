import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { HookPoint } from '../agent/hook.ts';
import type { PluginInit } from '../agent/plugin/plugin.ts';
import type { StagedWrite } from '../agent/plugin/staged-plugin-state.ts';
import type { Schema } from '../agent/schema.ts';
import type { Tool, ToolContext } from '../agent/tool.ts';
import type { Env, Timestamp } from '../graph/env.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import type { InferenceResponse } from '../graph/inference-response.ts';
import type { ExecutionBudget } from '../graph/limits.ts';
import type { ModelPrice } from '../graph/llm-config.ts';
import type { Message } from '../graph/message.ts';
import type { StopSignal } from '../graph/stop-signal.ts';
import type { AgentState, AgentStep, BreakAddress, ToolExecution } from '../graph/types.ts';
import type { Usage } from '../graph/usage.ts';
import type { JsonValue } from '../kit/json.ts';
import type { InferenceEvent, InferenceRequest } from '../model/inference-client.ts';
import type { EffectLog } from './effect-log.ts';
import type { AgentEventBody, AgentEventOf, PluginValue } from './events.ts';
import type { JournalLease } from './journal.ts';
import type { Hold, Ledger } from './ledger.ts';

/** The reaction to a hook that replaces a field which its point does not allow. */
export type HookContract = 'strict' | 'diagnostics' | 'warn' | 'off';

/** A recording that a replay repeats. */
export type Recording = {
  /** The next model call of an agent after an interruption: its attempt, and whether the interrupted call is charged. */
  readonly nextCall: (path: readonly string[]) => { readonly attempt: number; readonly isCharged: boolean };
  /** The price that the client told by the key of the question; undefined when the recording has none. */
  readonly price: (key: string) => Promise<ModelPrice | null | undefined>;
  /** The root in which a call looked for a remembered decision; null when the recording ends before that. */
  readonly rootOf: (path: readonly string[], call: ToolExecution) => AgentState | null;
};

export type RunSetup = {
  readonly agent: AgentDefinition;
  /** The features of the run and of its subagents, outermost first. */
  readonly features: readonly Feature[];
  readonly lease: JournalLease;
  /** The ids of the tool executions between the root and this agent. */
  readonly path: readonly string[];
  readonly env: Env;
  readonly signal: AbortSignal | null;
  /** The log of calls of models and tools; null makes every call directly. */
  readonly effects: EffectLog | null;
  /** Reads the recording that a replay repeats; null in every other run. */
  readonly recording: Recording | null;
  readonly hookContract: HookContract;
  /** The model of this turn; null uses that of the state or the definition. */
  readonly model: string | null;
  /** The turn of a session that a new execution belongs to; null without a session, and for subagents. */
  readonly turnId: string | null;
  /** The id of the principal for whom the run works; null without one. */
  readonly by: string | null;
  /** Depth in the tree of agents; 0 for the root. */
  readonly depth: number;
  readonly maxDepth: number;
  readonly lentTools: readonly Tool[];
  readonly parentLedger: Ledger | null;
  /** Returns the messages that a person has added since the last call. */
  readonly takeSteered: () => readonly Message[];
  /** Waits until the iterating caller wants the next step. */
  readonly checkpoint: (state: AgentState) => Promise<void>;
  /** Resolves when all is stored, so that a `once` tool may begin; rejects when that fails. Null: no store. */
  readonly whenStored: (() => Promise<void>) | null;
  /** Writes what is due and resolves when that has ended, well or not; null while nothing is due. */
  readonly untilWritten: () => Promise<unknown> | null;
  /** Returns the bytes of a stored file, or null when the file is absent. Null: nothing is stored. */
  readonly readBlob: ((hash: string) => Promise<Blob | null>) | null;
  /** The session, or the run where there is none. */
  readonly life: Life;
};

/** The life of a session in this page or process, as plugins see it. */
export type Life = Parameters<NonNullable<PluginInit<Schema>['open']>>[0];

/** One run in progress. Besides clocks and signals, everything it holds is in the journal. */
export type Run = Omit<RunSetup, 'signal'> & {
  readonly signal: AbortSignal;
  /** The budget of the agent with what was granted to the run. */
  readonly budget: ExecutionBudget;
  /** Aborts the calls in flight. */
  readonly abort: (reason: unknown) => void;
  readonly ledger: Ledger;
  readonly slots: RunSlots;
  /** Runs a subagent; passed down because runs contain runs. */
  readonly drive: (setup: RunSetup) => Promise<RunEnd>;
  /** Provider ids of the calls that this run has received. */
  readonly providerCallIds: Set<string>;
  /** The prices that the client has told, by model; null is unknown. */
  readonly prices: Map<string | null, ModelPrice | null>;
  /** The number of model calls that hooks have made in this run, by the place of the hook. */
  readonly hookCalls: Map<string, number>;
  /** The working time of the step in flight. */
  stretch: Stretch;
};

/** One stretch of work at a step. It ends with the step, or when the run waits for a person. */
export type Stretch = {
  /** Its start, by the wall clock and by the monotonic clock. */
  readonly at: Timestamp;
  readonly monotonic: number;
  /** Milliseconds of work at the same step before this stretch. */
  readonly workedMs: number;
};

export type RunEnd = 'ended' | 'paused';

/** The calls of one step that are in flight. Their data is in the state. */
export class Batch {
  readonly run: Run;
  readonly tools: readonly Tool[];
  readonly inFlight = new Map<string, Promise<void>>();
  /** The calls in flight that have not begun, asked or ended yet, in the order in which they came. */
  readonly opening = new Set<string>();
  /** The calls in flight that wait for a person, and take no place. */
  readonly idle = new Set<string>();
  /** The calls in flight that have ended and wait for the hooks of earlier calls. They take no place. */
  readonly ended = new Set<string>();
  /** Lets the step start what is ready now. */
  wake = (): void => undefined;
  /** Settles with the next `wake`. */
  changed = Promise.resolve();
  /** Index of the first call that was not considered yet. */
  next = 0;
  /** Indexes of calls to consider again: each was answered, or its run has just ended. */
  readonly again = new Set<number>();
  /** Settles when no hooks of a call run. Hooks run one after the other; schemas, rules and tools run side by side. */
  turn: Promise<unknown> = Promise.resolve();
  /** Resolves when no call is opening any more, or nothing else is due; null while nobody waits for that. */
  opened: Promise<void> | null = null;
  /** Set when an error ends the whole step; calls that have not started are not run. */
  fatal: { readonly thrown: unknown } | null = null;

  constructor(run: Run, tools: readonly Tool[]) {
    this.run = run;
    this.tools = tools;
  }
}

/** The state changes of a call, held back until it succeeds and accepted only while it runs. */
export type CallChanges = {
  readonly context: (tool: Tool, signal: AbortSignal) => ToolContext;
  /** The plugin states after the call, merged with the current ones, and the writes that were lost to other calls. */
  readonly settle: () => { writes: readonly PluginValue[]; errors: readonly unknown[] };
  /** Commits the state changes of the call. @returns the errors; a successful call does not fail because of them. */
  readonly applyUpdates: () => readonly unknown[];
  /** The changes so far as data, which an effect log records with the result. */
  readonly asData: () => RecordedChanges;
  /** Ignores the tool from now on. */
  readonly close: () => void;
};

export type RecordedChanges = {
  readonly writes: readonly StagedWrite[];
  readonly events: readonly AgentEventBody[];
};

/** A feature of the loop. It is made once a run: what it remembers during the run is in its closure. */
export type Feature = (run: Run) => Slots;

/** The parts that a feature adds to a run, by their place in the loop. */
export type Slots = {
  /** Sees a point of the run at which nothing can be replaced, and the errors of `on-error`. */
  readonly at?: (point: HookPoint, errors?: readonly ErrorInfo[]) => Promise<void>;
  /** True when the run has to wait at this place. */
  readonly waitsAt?: (point: BreakAddress['point'], call: ToolExecution | null) => boolean;
  /** Prepares what the run needs outside of it, before its first step here. */
  readonly open?: () => Promise<void>;
  /** The signals that end the run before its next step. */
  readonly limits?: (now: number) => readonly StopSignal[];
  /** Counts a step that begins, or takes back one whose call was refused before it began. */
  readonly countStep?: (steps: 1 | -1) => void;
  /** True for an answer without content that is no failure. */
  readonly acceptsEmpty?: (step: AgentStep) => boolean;
  /** Looks at a step that has ended, before the run decides whether it goes on. */
  readonly afterStep?: () => void | Promise<void>;
  /** Asks for what is added to the next request, before it is built. */
  readonly contribute?: () => Promise<readonly Contribution[]>;
  /** A layer around the choice of the messages of a request, behind `contribute`. */
  readonly aroundMessages?: Around<Run, readonly Message[]>;
  readonly aroundModel?: Around<ModelCall, Answer>;
  /** Goes on with a call that is no new one: an answered, a delegated or a lost one. Null leaves it to others. */
  readonly resume?: (batch: Batch, call: ToolExecution) => Promise<void> | null;
  /** Sees a new call before its arguments are checked, in the order of calls; false ends or holds it. */
  readonly validate?: (batch: Batch, call: ToolExecution) => boolean | Promise<boolean>;
  /** Decides whether a call may run with its arguments. */
  readonly approve?: Gate;
  /** Gives a call to somebody else than its tool. */
  readonly delegate?: Gate;
  /** Lets the effect of a call begin, whose start is committed. */
  readonly persist?: Gate;
  /** A layer around the tool at work. */
  readonly aroundExecute?: Around<Execution, Executed>;
  /** Sees a call that has ended, before it is settled. */
  readonly settle?: (batch: Batch, call: ToolExecution) => Promise<void>;
};

/** The instructions and tools of a plugin. A request begins as the one before while they are the same. */
export type Contribution = {
  /** The id of the plugin. */
  readonly by: string;
  readonly instructions: string;
  readonly tools: readonly Tool[];
  /** A hash of both. */
  readonly hash: string;
};

/** A layer around a piece of work. It may change what goes in and what comes out, call `next` again, or not at all. */
export type Around<Call, Result> = (call: Call, next: (call: Call) => Promise<Result>) => Promise<Result>;

/** A gate for a call: false when the call has ended or waits. */
export type Gate = (ready: ReadyCall) => boolean | Promise<boolean>;

/** A call with its tool and its checked arguments. */
export type ReadyCall = {
  readonly batch: Batch;
  readonly call: ToolExecution;
  readonly tool: Tool;
  readonly input: unknown;
};

export type Execution = ReadyCall & {
  readonly changes: CallChanges;
  readonly signal: AbortSignal;
  /** True for a call that a reload interrupted and that is not made again: only a record knows its outcome. */
  readonly isLost: boolean;
  /** Milliseconds for which the tool kept the page busy before it first waited. */
  readonly blocked: { ms: number };
};

export type Executed =
  | {
      readonly result: JsonValue;
      /** The plugin states after the call, and the errors of writes that were lost to other calls. */
      readonly writes: CallChanges['settle'];
      /** Commits the other changes of the call. @returns the errors */
      readonly commitChanges: () => readonly unknown[];
    }
  /** A failure that is recorded with its description. */
  | { readonly thrown: unknown; readonly known: ErrorInfo }
  /** The call goes on elsewhere, and is not ended here. */
  | { readonly goOn: () => void | Promise<void> };

/** One call of the model, as the layers pass it on. */
export type ModelCall = {
  /** The request as hooks left it: the state remembers this one. */
  readonly request: InferenceRequest;
  /** The messages after the system prompt, when they are known as a list. */
  readonly conversation: readonly Message[] | null;
  /** The authors of the request besides the agent, as the journal tells them. */
  readonly authors: Pick<AgentEventOf<'inference-start'>, 'replaced' | 'contributions'>;
  /** The request as clients receive it. */
  readonly wire: InferenceRequest;
  /** The price of the model; null is unknown. */
  readonly price: ModelPrice | null;
  readonly attempt: number;
  /** The call that a reload interrupted, which this one makes again. */
  readonly interrupted: InterruptedCall | null;
  /** Called before the model is asked, unless its answer is recorded. True when it has spent something. */
  readonly prepareAgain: () => Promise<boolean>;
  /** Layers around the stream of the model, the first one outermost. */
  readonly layers: readonly ((open: OpenStream) => OpenStream)[];
  readonly source: Source;
  /** Set when the model is asked, or its record: an answer without either costs nothing. */
  readonly asked: { model: boolean };
  /** The rooms of the call in budgets. The kernel settles those that no layer has settled, however the call ends. */
  readonly rooms: Set<Hold>;
};

/** A call that a reload or a crash interrupted, and its usage that is not charged yet. */
export type InterruptedCall = { readonly id: string; readonly attempt: number; readonly owed: Usage | null };

/** The answer of a model call. */
export type Answer = {
  readonly response: InferenceResponse;
  /** The hook that replaced the response. */
  readonly author?: string;
  /** An error that is thrown when the answer has been kept. */
  readonly failed?: { readonly thrown: unknown };
};

export type OpenStream = (start: {
  readonly wire: InferenceRequest;
  readonly inferenceId: string;
  readonly signal: AbortSignal;
}) => AsyncIterable<InferenceEvent>;

export type Source = (
  call: ModelCall,
  start: {
    readonly key: string;
    readonly inferenceId: string;
    /** Commits the start, once. */
    readonly begin: () => void;
  },
) => AnswerSource;

/** An answer that can be read. */
export type AnswerSource = {
  readonly events: () => AsyncIterable<unknown>;
  /** True when the model was asked; false while all events come from a record. */
  readonly isNew: () => boolean;
  /** The error of an event that stands for one; null for every other event. */
  readonly thrownBy: (event: unknown) => { readonly thrown: unknown } | null;
  /** True for a source that has to be read to its end, also after the answer is whole. */
  readonly isReadOn: boolean;
};

type FailedCall = {
  readonly error: unknown;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  /** True when deltas have arrived, so that the call cannot be repeated unnoticed. */
  readonly hasStarted: boolean;
  /** True when the answer was ended because its reader was away. */
  readonly wasUnread: boolean;
  /** The charged usage; null for a call that was refused before it began. */
  readonly usage: Usage | null;
  /** True when the failure comes from a record. */
  readonly isRecorded: boolean;
};

/** An attempt that failed without ending the run by itself. */
export class CallFailed extends Error {
  readonly call: FailedCall;
  constructor(call: FailedCall) {
    super('The attempt failed.');
    this.call = call;
  }
}

/** The failed attempt that was thrown. @throws any other value as it is */
export function failedCallOf(thrown: unknown): FailedCall {
  if (thrown instanceof CallFailed) return thrown.call;
  throw thrown;
}

/** The slots of all features of a run, each as one function. */
export type RunSlots = Required<
  Omit<Slots, `around${string}` | 'open' | 'waitsAt' | 'afterStep' | 'contribute'>
> & {
  /** Null when no feature opens anything. */
  readonly open: (() => Promise<void>) | null;
  readonly waitsAt: (point: BreakAddress['point'], call?: ToolExecution) => boolean;
  readonly afterStep: () => Promise<void>;
  /** Null when no feature contributes. */
  readonly contribute: NonNullable<Slots['contribute']> | null;
  readonly chooseMessages: (run: Run) => Promise<readonly Message[]>;
  readonly askModel: (call: ModelCall) => Promise<Answer>;
  readonly execute: (execution: Execution) => Promise<Executed>;
  /** True when a feature looks at calls that have ended, which then settle in their order. */
  readonly seesEnds: boolean;
};
