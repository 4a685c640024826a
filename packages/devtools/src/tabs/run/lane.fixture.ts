import type { Lane, SegmentKind } from './lanes-of.ts';

let made = 0;

/** A lane with the given fields; each kind becomes a segment of the full length. */
export function laneOf({
  kinds = [],
  ...given
}: Partial<Lane> & { readonly kinds?: readonly SegmentKind[] }): Lane {
  const { from = 0, to = 0 } = given;
  const id = `lane-${made++}`;
  return {
    id,
    kind: 'step',
    path: [],
    index: 0,
    stepId: id,
    depth: 0,
    label: '1',
    agent: null,
    state: 'final-response',
    tools: [],
    from,
    to,
    isOpen: false,
    durationMs: to - from,
    segments: kinds.map((kind) => ({ kind, from, to })),
    tokens: 0,
    cost: null,
    hasError: false,
    ...given,
  };
}
