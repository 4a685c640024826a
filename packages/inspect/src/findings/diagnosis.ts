import type { AgentState, AgentStep, ToolExecution } from '@vitrine/core/internal/graph/types';
import { memoize, nothing } from '@vitrine/core/internal/kit/memoize';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { callOf, stateAtPath } from '@vitrine/core/internal/run/state-at';
import type { Detector, FindingInit, Seen } from './detector.ts';
import type { Finding } from './finding.ts';

/** The findings of a journal that is read event by event. */
export type Diagnosis = {
  /** Reads the next event with the root's state after it, and returns the findings that it adds or replaces. */
  readonly add: (event: AgentEvent, state: AgentState) => readonly Finding[];
  /** Continues with another journal, or after a gap, from the given state. */
  readonly goOn: (base: AgentState) => void;
  /** All findings so far, oldest first: the same list until there is another one. */
  readonly findings: () => readonly Finding[];
};

/** Most findings of one detector in one run of one agent, and most findings of a journal. */
const most = { ofDetector: 20, inAll: 500 } as const;

type Watcher = { readonly detector: Detector; see: ReturnType<Detector['watch']>; count: number };

/** The detectors of each event type. */
const byType = memoize((detectors: readonly Detector[]) => {
  const found = new Map<string, Detector[]>();
  for (const detector of detectors)
    for (const type of Object.keys(detector.reads)) {
      const list = found.get(type);
      if (list === undefined) found.set(type, [detector]);
      else list.push(detector);
    }
  return found as ReadonlyMap<string, readonly Detector[]>;
});

/** Begins a diagnosis on a state. It costs only the events that its detectors read. */
export function createDiagnosis(base: AgentState, detectors: readonly Detector[]): Diagnosis {
  const known = new Map<string, Finding>();
  /** The watchers of each agent that runs, by its path. */
  const agents = new Map<string, Map<Detector, Watcher>>();
  let state: AgentState = base;
  let list: readonly Finding[] | null = nothing;
  let unnamed = 0;

  function watcherOf(agent: string, detector: Detector): Watcher {
    let own = agents.get(agent);
    if (own === undefined) agents.set(agent, (own = new Map<Detector, Watcher>()));
    let watcher = own.get(detector);
    if (watcher === undefined)
      own.set(detector, (watcher = { detector, see: beginWatch(detector), count: 0 }));
    return watcher;
  }

  function keep(watcher: Watcher, init: FindingInit, seen: SeenEvent): Finding | null {
    const finding = findingOf(watcher.detector, init, seen);
    const { executionId, path } = finding.address;
    const key = [finding.code, executionId, path.join('/'), init.key ?? `#${unnamed++}`].join('|');
    if (!known.has(key) && (++watcher.count > most.ofDetector || known.size >= most.inAll)) return null;
    known.set(key, finding);
    list = null;
    return finding;
  }

  function seeAll(seen: SeenEvent, wanted: readonly Detector[], agent: string): readonly Finding[] {
    const added: Finding[] = [];
    for (const detector of wanted) {
      const watcher = watcherOf(agent, detector);
      for (const init of initsOf(watcher, seen)) {
        const finding = keep(watcher, init, seen);
        if (finding !== null) added.push(finding);
      }
    }
    return added;
  }

  return {
    goOn(next) {
      agents.clear();
      state = next;
    },
    add(event, root) {
      const rootBefore = state;
      state = root;
      const agent = event.path.join('/');
      const wanted = byType(detectors).get(event.type);
      const now = wanted === undefined ? null : stateAtPath(root, event.path);
      const added =
        wanted === undefined || now === null
          ? nothing
          : seeAll(new SeenEvent(event, { root, agent: now, rootBefore }), wanted, agent);
      if (event.type === 'execution-end') agents.delete(agent);
      return added;
    },
    findings: () => (list ??= [...known.values()]),
  };
}

/** A watcher that does nothing, in place of one that threw. */
const blind = (): null => null;

function beginWatch(detector: Detector): Watcher['see'] {
  try {
    return detector.watch();
  } catch {
    return blind;
  }
}

/** The results of a detector. One that throws is told once, and sees no more of this run. */
function initsOf(watcher: Watcher, seen: SeenEvent): readonly FindingInit[] {
  try {
    const result = watcher.see(seen as unknown as Seen<never>);
    return result === null || result === undefined
      ? nothing
      : Array.isArray(result)
        ? result
        : [result as FindingInit];
  } catch (thrown) {
    watcher.see = blind;
    const what = thrown instanceof Error ? thrown.message : String(thrown);
    return [
      {
        severity: 'note',
        sentence: `The detector "${watcher.detector.code}" failed and saw no more of this run: ${what}`,
        remedy: 'Correct the function that its `watch` returns.',
      },
    ];
  }
}

function findingOf(
  detector: Detector,
  init: FindingInit,
  { event, agent, root, step, call }: SeenEvent,
): Finding {
  const { sentence, remedy, severity = detector.severity, evidence = {} } = init;
  const { seq = event.seq ?? agent.seq, stepId = step?.id, toolCallId = call?.id, statePath } = init;
  return {
    code: detector.code,
    severity,
    sentence,
    remedy,
    address: {
      path: event.path,
      seq,
      executionId: root.execution?.executionId ?? null,
      ...(stepId === undefined ? {} : { stepId }),
      ...(toolCallId === undefined ? {} : { toolCallId }),
      ...(statePath === undefined ? {} : { statePath }),
    },
    evidence,
  };
}

/** An event with the state around it. Getters look up only what a detector asks for. */
class SeenEvent implements Seen<AgentEvent> {
  readonly event: AgentEvent;
  readonly root: AgentState;
  readonly agent: AgentState;
  readonly #rootBefore: AgentState;

  constructor(
    event: AgentEvent,
    { root, agent, rootBefore }: { root: AgentState; agent: AgentState; rootBefore: AgentState },
  ) {
    this.event = event;
    this.root = root;
    this.agent = agent;
    this.#rootBefore = rootBefore;
  }

  get before(): AgentState {
    return stateAtPath(this.#rootBefore, this.event.path) ?? this.agent;
  }

  get step(): AgentStep | null {
    const { execution } = this.agent;
    return execution?.currentStep ?? execution?.stepExecutions.at(-1)?.step ?? null;
  }

  get call(): ToolExecution | null {
    const { event } = this;
    return 'toolCallId' in event ? callOf(this.agent, event.toolCallId) : null;
  }
}
