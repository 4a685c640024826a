import type { AgentState, AgentStep, ToolExecution } from '@vitrine/core/internal/graph/types';
import { agentInvalid } from '@vitrine/core/internal/kit/errors';
import type { AgentEventOf, AgentEventType } from '@vitrine/core/internal/run/events';
import type { SourceKnowledge } from '@vitrine/core/internal/session/hub';
import { facts } from '../journal-record.ts';
import type { FindingAddress, FindingEvidence, FindingSeverity } from './finding.ts';

/** The event fields that a detector reads, by event type. */
export type DetectorReads = {
  readonly [Type in AgentEventType]?: readonly (keyof AgentEventOf<Type>)[];
};

/** An event as a detector receives it: the fields that it names, and those of every event. */
type ReadEvent<Reads> = {
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

type Watched = FindingInit | readonly FindingInit[] | null | undefined;

/** A detector of one kind of finding. Make one with `defineDetector`. */
export type Detector = {
  /** Lower-case words joined by hyphens. It replaces a detector of the same code. */
  readonly code: string;
  readonly area: DetectorArea;
  /** The usual severity of its findings. */
  readonly severity: FindingSeverity;
  /** The fault that it finds, in one sentence. */
  readonly finds: string;
  readonly reads: DetectorReads;
  /** The facts that it needs. It is left out for a source that cannot tell them. Absent: it needs none. */
  readonly needs?: readonly (keyof SourceKnowledge)[];
  /** Begins to watch one run of one agent. The function that it returns gets each event that the detector reads. */
  readonly watch: () => (seen: Seen<never>) => Watched;
};

/** The parameters of `defineDetector`. */
export type DetectorInit<Reads extends DetectorReads> = {
  readonly code: string;
  /** Default: `application`. */
  readonly area?: DetectorArea;
  readonly severity: FindingSeverity;
  readonly finds: string;
  /** The fields that `watch` reads, by event type; other events and other fields are not given to it. */
  readonly reads: Reads;
  /** The facts that a source has to tell for it, e.g. `usage`. Default: none. */
  readonly needs?: readonly (keyof SourceKnowledge)[];
  readonly watch: () => (seen: Seen<ReadEvent<Reads>>) => Watched;
};

const codes = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const severities: readonly unknown[] = ['error', 'warning', 'note'] satisfies readonly FindingSeverity[];

/**
 * Defines a detector for `diagnose` and the panel. It watches each run of each agent on its own, and keeps what it has
 * to remember in variables of `watch`.
 * @throws AgentError `agent-invalid` naming the field
 * @example
 * const slowSearch = defineDetector({
 *   code: 'slow-search',
 *   severity: 'warning',
 *   finds: 'A search that took longer than two seconds.',
 *   reads: { 'tool-end': ['durationMs'] },
 *   watch: () => ({ event, call }) =>
 *     call?.toolCall.name === 'search' && (event.durationMs ?? 0) > 2000
 *       ? { sentence: `The search took ${event.durationMs} ms.`, remedy: 'Ask for fewer rows.' }
 *       : null,
 * });
 */
export function defineDetector<const Reads extends DetectorReads>(init: DetectorInit<Reads>): Detector {
  const { code, area = 'application', severity, finds, reads, needs = [], watch } = init;
  const wrong =
    typeof code !== 'string' || !codes.test(code)
      ? 'code'
      : !severities.includes(severity)
        ? 'severity'
        : typeof finds !== 'string' || finds === ''
          ? 'finds'
          : typeof reads !== 'object' || reads === null || Object.keys(reads).length === 0
            ? 'reads'
            : !Array.isArray(needs) || needs.some((fact) => !facts.includes(fact))
              ? 'needs'
              : typeof watch !== 'function'
                ? 'watch'
                : null;
  if (wrong !== null)
    throw agentInvalid(
      `Detector ${JSON.stringify(code)}: its ${wrong} is invalid. A detector needs a code of lower-case words joined by hyphens, a severity, a sentence in \`finds\`, events in \`reads\`, facts of a source in \`needs\` and a function \`watch\`.`,
      { field: wrong },
    );
  return { code, area, severity, finds, reads, needs, watch: watch as Detector['watch'] };
}
