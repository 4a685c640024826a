import type { AgentState } from '@vitrine/core/internal/graph/types';
import { headChanged, handleOvertaken, handleReread } from './overtaken.ts';
import { attach, handleFollowed, otherGone, takenOver } from './tabs.ts';
import type { OutcomeOfOthers } from '@vitrine/core/internal/session/machine/session-input';
import type { SessionModel } from '@vitrine/core/internal/session/machine/session-model';
import type { Transition } from '@vitrine/core/internal/session/machine/transition';

/** Handles what others who share the stored session do; pure, as `reduce` is. It is loaded with the store. */
export function reduceOthers(model: SessionModel, input: OutcomeOfOthers, state: AgentState): Transition {
  switch (input.type) {
    case 'opened':
      return takenOver(model, input, state);
    case 'followed':
      return handleFollowed(model, input);
    case 'attach':
      return attach(model, input, state);
    case 'head-changed':
      return headChanged(model, input, state);
    case 'overtaken':
      return handleOvertaken(model, input);
    case 'read-again':
      return handleReread(model, input, state);
    case 'other-gone':
      return otherGone(model, input, state);
  }
}
