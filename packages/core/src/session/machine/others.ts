import type { AgentState } from '../../graph/types.ts';
import { headChanged, otherGone, overtaken, readAgain } from './actions/overtaken.ts';
import { attach, followed, takenOver } from './actions/tabs.ts';
import type { OutcomeOfOthers } from './session-input.ts';
import type { SessionModel } from './session-model.ts';
import type { Transition } from './transition.ts';

/** Handles what others who share the stored session do; pure, as `reduce` is. It is loaded with the store. */
export function reduceOthers(model: SessionModel, input: OutcomeOfOthers, state: AgentState): Transition {
  switch (input.type) {
    case 'opened':
      return takenOver(model, input, state);
    case 'followed':
      return followed(model, input);
    case 'attach':
      return attach(model, input, state);
    case 'head-changed':
      return headChanged(model, input, state);
    case 'overtaken':
      return overtaken(model, input);
    case 'read-again':
      return readAgain(model, input, state);
    case 'other-gone':
      return otherGone(model, input, state);
  }
}
