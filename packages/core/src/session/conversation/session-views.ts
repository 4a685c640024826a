import type { AgentState } from '../../graph/types.ts';
import { blankViews } from './blank-views.ts';
import { isBlank, laterViews, type SessionViews } from './later-views.ts';

/**
 * Returns the views of a state for user interfaces, as in `Conversation`. A page that begins blank needs no
 * view code: it comes with the engine, or with anything else that makes states.
 */
export function sessionViews(state: AgentState): SessionViews {
  return (isBlank(state) ? null : laterViews()) ?? blankViews;
}
