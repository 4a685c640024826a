import type { Lane, SegmentKind } from './lane.ts';

let made = 0;

/** A lane of which only what is given matters; each kind is a segment of its whole length. */
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
