import { AgentState } from '@vitrine/core';
import { shownDocument } from './shown-document.ts';
import { withOriginals } from './with-originals.ts';

/** The states that the extension was told of, without secrets, and what they are with them. */
export type ToldStates = {
  /** The next action of the extension led to this state. */
  readonly add: (state: AgentState) => void;
  /** The extension begins anew, with this state. */
  readonly begin: (state: AgentState) => void;
  /** The extension has taken in actions that somebody else told it of; their numbers go up to this one. */
  readonly skipTo: (actionId: number) => void;
  /**
   * The state behind a document that comes from the extension; what was taken out of it is put back. Null for what is no
   * state, and for one in which something is left that was taken out.
   */
  readonly read: (document: unknown) => AgentState | null;
  /** The state of an action; of one that is not known any more what its document says. */
  readonly ofAction: (actionId: unknown, document: unknown) => AgentState | null;
};

/** The extension keeps as many. */
const kept = 50;

/** @param current The state as it stands: what is edited by hand is mostly that one. */
export function createToldStates(current: () => AgentState): ToldStates {
  /** Oldest first, those of before the extension began anew as well: they may come back by an import. */
  let states: readonly AgentState[] = [];
  let byAction = new Map<number, AgentState>();
  let begun: AgentState | null = null;
  let next = 0;

  function add(state: AgentState): void {
    states = [...states, state].slice(-kept);
    byAction.set(next, state);
    byAction.delete(next - kept);
    next++;
  }

  function read(given: unknown): AgentState | null {
    const document = parsed(given);
    const known = [current(), ...(begun === null ? [] : [begun]), ...states.toReversed()];
    const text = JSON.stringify(document);
    const same = known.find((state) => JSON.stringify(shownDocument(state)) === text);
    if (same) return same;
    for (const state of known) {
      const whole = withOriginals(document, {
        shown: shownDocument(state),
        original: AgentState.toJSON(state),
      });
      if (whole !== null) return stateOf(whole.value);
    }
    return null;
  }

  return {
    add,
    begin(state) {
      byAction = new Map();
      next = 0;
      begun = state;
      add(state);
    },
    skipTo(actionId) {
      byAction = new Map();
      next = actionId;
    },
    read,
    ofAction: (actionId, document) => byAction.get(Number(actionId)) ?? read(document),
  };
}

function parsed(given: unknown): unknown {
  try {
    return typeof given === 'string' ? JSON.parse(given) : given;
  } catch {
    return null;
  }
}

function stateOf(document: unknown): AgentState | null {
  try {
    return AgentState.fromJSON(document);
  } catch {
    return null;
  }
}
