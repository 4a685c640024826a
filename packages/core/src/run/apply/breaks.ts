import { execution, type HandlersOf, nothing } from './handler.ts';

export const breakHandlers: HandlersOf<'break-set' | 'break-hit' | 'break-release'> = {
  // A state that an older version wrote may lack the field.
  'break-set'({ breakpoints = [] }, { breakpointId: id, on, isOnce }) {
    const others = breakpoints.filter((entry) => entry.id !== id);
    if (on !== null) return { breakpoints: [...others, { id, on, isOnce }] };
    return others.length === breakpoints.length ? nothing : { breakpoints: others };
  },

  'break-hit': (state, { breakpointId, place: at }) =>
    execution(state, (current) => ({ ...current, breakHit: { breakpointId, at } })),

  'break-release': (state) =>
    execution(state, (current) =>
      current.breakHit === null ? current : { ...current, breakHit: null, breakPassed: current.breakHit.at },
    ),
};
