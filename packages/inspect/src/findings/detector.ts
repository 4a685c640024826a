import type { AgentState, AgentStep, ToolExecution } from '@vitrine/core/internal/graph/types';
import { agentInvalid } from '@vitrine/core/internal/kit/errors';
import type { AgentEventOf, AgentEventType } from '@vitrine/core/internal/run/events';
import type { SourceKnowledge } from '@vitrine/core/internal/session/hub';
import { facts } from '../journal-record.ts';
import type { FindingAddress, FindingEvidence, FindingSeverity } from './finding.ts';

/** The event fields that a detector reads, by event type. */
export type DetectorReads = { readonly [Type in AgentEventType]?: readonly (keyof AgentEventOf<Type>)[] };

/** An event as a detector receives it: the fields that it names, and those of every event. */
export type ReadEvent<Reads> = {
  [Type in keyof Reads & AgentEventType]: Pick<
    AgentEventOf<Type>,
    | 'type'
    | 'at'
    | 'seq'
    | 'path'
    | (Reads[Type] extends readonly (infer Field)[] ? Extract<Field, keyof AgentEventOf<Type>> : never)
  >;
}[keyof Reads & AgentEventType];

/** One event with the state around it. */
export type Seen<Event> = {
  readonly event: Event;
  /** The agent of the event, after it. */
  readonly agent: AgentState;
  /** The same agent before the event. */
  readonly before: AgentState;
  /** The root of the graph, after the event. */
  readonly root: AgentState;
  /** The step in flight, or else the last one; null before the first. */
  readonly step: AgentStep | null;
  /** The tool call that the event names; null for other events. */
  readonly call: ToolExecution | null;
  /** The last change of branch before the event: the root at the end of the branch that was left, and that of the other one. */
  readonly left: { readonly from: AgentState; readonly to: AgentState } | null;
};

/** The result of a detector for one event. */
export type FindingInit = Partial<Pick<FindingAddress, 'seq' | 'stepId' | 'toolCallId' | 'statePath'>> & {
  readonly sentence: string;
  readonly remedy: string;
  /** Default: that of the detector. */
  readonly severity?: FindingSeverity;
  /** Default: none. */
  readonly evidence?: FindingEvidence;
  /** A later finding of the same key in the same run replaces this one. Default: it is never replaced. */
  readonly key?: string;
};

/** The area of a detector, which groups detectors in lists. */
export type DetectorArea = 'model' | 'tools' | 'context' | 'state' | 'budget' | 'session' | 'application';

/** Takes back the finding of a key, because a later event has shown that nothing is wrong. */
export type FindingWithdrawal = { readonly key: string; readonly isWithdrawn: true };

type Watched = FindingInit | FindingWithdrawal | readonly FindingInit[] | null | undefined;

/** A detector of one kind of finding. Make one with `defineDetector`. */
export type Detector = {
  /** Lower-case words joined by hyphens. It replaces a detector of the same code. */
  readonly code: string;
  readonly area: DetectorArea;
  /** The usual severity of its findings. */
  readonly severity: FindingSeverity;
  readonly reads: DetectorReads;
  /** The facts that it needs. It is left out for a source that cannot tell them. Absent: it needs none. */
  readonly needs?: readonly (keyof SourceKnowledge)[];
  /**
   * `runs` for one watch over all runs of the main agent, which compares a run with the one before; `agents` for one over
   * a run with all its subagents, whose findings keep their first place. Absent: one for each run of each agent.
   */
  readonly across?: 'runs' | 'agents';
  /** Begins to watch one run of one agent. The function that it returns gets each event that the detector reads. */
  readonly watch: () => (seen: Seen<never>) => Watched;
};

/** The parameters of `defineDetector`; its area is `application` when none is named. */
export type DetectorInit<Reads extends DetectorReads> = Omit<Detector, 'area' | 'reads' | 'watch'> & {
  readonly area?: DetectorArea;
  /** The fields that `watch` reads, by event type; other events and other fields are not given to it. */
  readonly reads: Reads;
  readonly watch: () => (seen: Seen<ReadEvent<Reads>>) => Watched;
};

const codes = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const severities: readonly unknown[] = ['fault', 'hint'] satisfies readonly FindingSeverity[];

/**
 * Defines a detector for `diagnose` and the panel. It watches each run of each agent on its own, and keeps what it has
 * to remember in variables of `watch`.
 * @throws AgentError `agent-invalid` naming the field
 * @example
 * const slowSearch = defineDetector({
 *   code: 'slow-search',
 *   severity: 'hint',
 *   reads: { 'tool-end': ['durationMs'] },
 *   watch: () => ({ event, call }) =>
 *     call?.toolCall.name === 'search' && (event.durationMs ?? 0) > 2000
 *       ? { sentence: `The search took ${event.durationMs} ms.`, remedy: 'Ask for fewer rows.' }
 *       : null,
 * });
 */
export function defineDetector<const Reads extends DetectorReads>(init: DetectorInit<Reads>): Detector {
  const { code, area = 'application', severity, reads, needs = [], across, watch } = init;
  const checks = {
    code: typeof code === 'string' && codes.test(code),
    severity: severities.includes(severity),
    reads: typeof reads === 'object' && reads !== null && Object.keys(reads).length > 0,
    needs: Array.isArray(needs) && needs.every((fact) => facts.includes(fact)),
    watch: typeof watch === 'function',
  };
  const [wrong] = Object.entries(checks).flatMap(([field, isRight]) => (isRight ? [] : [field]));
  if (wrong !== undefined)
    throw agentInvalid(
      `Detector ${JSON.stringify(code)}: its ${wrong} is invalid. A detector needs a code of lower-case words joined by hyphens, a severity, events in \`reads\`, facts of a source in \`needs\` and a function \`watch\`.`,
      { field: wrong },
    );
  const own = { code, area, severity, reads, needs, watch: watch as Detector['watch'] };
  return across === undefined ? own : { ...own, across };
}

/** `defineDetector` for one area of the library; a detector of hints unless it says otherwise. */
export function defineFor(area: DetectorArea) {
  return <const Reads extends DetectorReads>(
    code: string,
    init: Omit<DetectorInit<Reads>, 'code' | 'severity'> & Partial<Pick<DetectorInit<Reads>, 'severity'>>,
  ): Detector => defineDetector({ code, area, severity: 'hint', ...init });
}

/** The watch of a detector that remembers nothing from one event to the next. */
export function each<Event, Found>(see: (seen: Seen<Event>) => Found): () => (seen: Seen<Event>) => Found {
  return () => see;
}
