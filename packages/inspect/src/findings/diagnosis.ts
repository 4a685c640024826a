import type { AgentState } from '@vitrine/core/internal/graph/types';
import { memoize, nothing } from '@vitrine/core/internal/kit/memoize';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { callOf, stateAtPath } from '@vitrine/core/internal/run/state-at';
import type { Detector, FindingInit, FindingWithdrawal, Seen } from './detector.ts';
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

type Watchers = Map<string, Map<Detector, Watcher>>;
type Watcher = { readonly detector: Detector; see: ReturnType<Detector['watch']>; count: number };

const byType = memoize((detectors: readonly Detector[]) => {
  const found = new Map<string, readonly Detector[]>();
  for (const detector of detectors)
    for (const type of Object.keys(detector.reads)) found.set(type, [...(found.get(type) ?? []), detector]);
  return found;
});

/** Begins a diagnosis on a state. It costs only the events that its detectors read. */
export function createDiagnosis(base: AgentState, detectors: readonly Detector[]): Diagnosis {
  const known = new Map<string, Finding>();
  /** The watchers of each agent that runs, by its path. */
  const agents: Watchers = new Map();
  let state: AgentState = base;
  let list: readonly Finding[] | null = nothing;
  let unnamed = 0;
  let left: Seen<AgentEvent>['left'] = null;

  function keep(watcher: Watcher, init: FindingInit | FindingWithdrawal, seen: SeenEvent): Finding | null {
    const { code, across } = watcher.detector;
    const { event, root } = seen;
    const executionId = root.execution?.executionId ?? null;
    const isOfAll = across === 'agents';
    const agent = isOfAll ? '' : event.path.join('/');
    const key = [code, executionId, agent, init.key ?? `#${unnamed++}`].join('|');
    if ('isWithdrawn' in init) {
      if (known.delete(key)) list = null;
      return null;
    }
    const before = known.get(key);
    const made = findingOf(watcher.detector, init, seen);
    const finding = isOfAll && before !== undefined ? { ...made, address: before.address } : made;
    if (before === undefined && (++watcher.count > most.ofDetector || known.size >= most.inAll)) return null;
    known.set(key, finding);
    list = null;
    return finding;
  }

  function seeAll(seen: SeenEvent, wanted: readonly Detector[], agent: string): readonly Finding[] {
    const added: Finding[] = [];
    for (const detector of wanted) {
      const watcher = watcherOf(agents, detector.across === 'agents' ? '' : agent, detector);
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
      left = { from: state, to: next };
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
          : seeAll(seenEvent({ event, root, agent: now, left }, rootBefore), wanted, agent);
      if (event.type === 'execution-end') endWatches(agents, agent);
      return added;
    },
    findings: () => (list ??= [...known.values()]),
  };
}

function watcherOf(agents: Watchers, agent: string, detector: Detector): Watcher {
  let own = agents.get(agent);
  if (own === undefined) agents.set(agent, (own = new Map<Detector, Watcher>()));
  let watcher = own.get(detector);
  if (watcher === undefined) own.set(detector, (watcher = { detector, see: beginWatch(detector), count: 0 }));
  return watcher;
}

/** Ends the watches of a run. Those of all runs of the main agent go on. */
function endWatches(agents: Watchers, agent: string): void {
  const going = [...(agents.get(agent) ?? [])].filter(([{ across }]) => across === 'runs');
  if (agent === '' && going.length > 0) agents.set(agent, new Map(going));
  else agents.delete(agent);
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
function initsOf(watcher: Watcher, seen: SeenEvent): readonly (FindingInit | FindingWithdrawal)[] {
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
        severity: 'hint',
        sentence: `The detector "${watcher.detector.code}" failed: ${what}`,
        remedy: 'Correct its `watch`.',
      },
    ];
  }
}

function findingOf(
  { code, severity: usual }: Detector,
  init: FindingInit,
  { event, agent, root, step, call }: SeenEvent,
): Finding {
  const { sentence, remedy, severity = usual, evidence = {} } = init;
  const { seq = event.seq ?? agent.seq, stepId = step?.id, toolCallId = call?.id, statePath } = init;
  return {
    code,
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

type SeenEvent = Seen<AgentEvent>;

/** An event with the state around it. Getters look up only what a detector asks for. */
function seenEvent(
  seen: Pick<SeenEvent, 'event' | 'root' | 'agent' | 'left'>,
  rootBefore: AgentState,
): SeenEvent {
  const { event, agent } = seen;
  return {
    ...seen,
    get before() {
      return stateAtPath(rootBefore, event.path) ?? agent;
    },
    get step() {
      const { execution } = agent;
      return execution?.currentStep ?? execution?.stepExecutions.at(-1)?.step ?? null;
    },
    get call() {
      return 'toolCallId' in event ? callOf(agent, event.toolCallId) : null;
    },
  };
}
