import type { JournalRecord, RecordedPage } from '@vitrine/core/inspect';

/** Times of a run that only its events contain. */
export type Marks = {
  /** Times by agent and step (see `stepKey`): model calls, first output, and delays before retries. */
  readonly steps: ReadonlyMap<string, StepMarks>;
  /** The times of each request to a person and of the answer, by call id. */
  readonly asked: ReadonlyMap<string, { readonly from: number; readonly to: number | null }>;
};

export type StepMarks = {
  readonly called: readonly number[];
  readonly first: number | null;
  readonly ended: number | null;
  readonly retries: readonly { readonly from: number; readonly ms: number }[];
};

type PageMarks = { readonly steps: Map<string, StepMarks>; readonly asked: Map<string, Asked> };
type Asked = { readonly from: number; readonly to: number | null };

const none: StepMarks = { called: [], first: null, ended: null, retries: [] };
const known = new WeakMap<RecordedPage, PageMarks>();

/** The key of a step of the agent at a path; steps count from 1. */
export function stepKey(path: readonly string[], number: number): string {
  return `${path.join('/')}#${number}`;
}

/** The marks of the last run of a record. Full pages are read once. */
export function marksOf(record: JournalRecord): Marks {
  const steps = new Map<string, StepMarks>();
  const asked = new Map<string, Asked>();
  for (const page of pagesOfRun(record)) {
    const found = known.get(page) ?? read(page);
    known.set(page, found);
    for (const [key, marks] of found.steps) steps.set(key, joined(steps.get(key), marks));
    for (const [id, { from, to }] of found.asked) asked.set(id, { from: asked.get(id)?.from ?? from, to });
  }
  return { steps, asked };
}

/** Each step of the root starts a page, so a run starts at a page boundary, or at the oldest kept event. */
function pagesOfRun({ pages }: JournalRecord): readonly RecordedPage[] {
  const first = pages.findLastIndex(({ events }) => {
    const entry = events[0];
    return entry?.event.type === 'step-start' && entry.event.path.length === 0 && entry.stepNumber === 1;
  });
  return pages.slice(Math.max(0, first));
}

function read({ events }: RecordedPage): PageMarks {
  const marks: PageMarks = { steps: new Map(), asked: new Map() };
  for (const { event, stepNumber } of events) {
    const { at } = event;
    if (event.type === 'approval-request' || event.type === 'output-request')
      marks.asked.set(event.toolCallId, { from: at, to: null });
    else if (event.type === 'approval-answer')
      marks.asked.set(event.toolCallId, { from: marks.asked.get(event.toolCallId)?.from ?? at, to: at });
    if (stepNumber === null) continue;
    const key = stepKey(event.path, stepNumber);
    const step = marks.steps.get(key) ?? none;
    if (event.type === 'inference-start')
      marks.steps.set(key, { ...step, called: [...step.called, at], first: null });
    else if (
      event.type === 'text-delta' ||
      event.type === 'reasoning-delta' ||
      event.type === 'tool-call-start'
    )
      marks.steps.set(key, { ...step, first: step.first ?? at });
    else if (event.type === 'inference-end') marks.steps.set(key, { ...step, ended: at });
    else if (event.type === 'inference-retry')
      marks.steps.set(key, { ...step, retries: [...step.retries, { from: at, ms: event.delayMs }] });
  }
  return marks;
}

function joined(before: StepMarks | undefined, after: StepMarks): StepMarks {
  if (before === undefined) return after;
  return {
    called: [...before.called, ...after.called],
    // A new call resets the time of its first output.
    first: after.called.length > 0 ? after.first : (before.first ?? after.first),
    ended: after.ended ?? before.ended,
    retries: [...before.retries, ...after.retries],
  };
}
