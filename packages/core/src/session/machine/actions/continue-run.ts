import { stopReason } from '../../../graph/agent-state/accessors.ts';
import { type ErrorInfo, of as errorInfo } from '../../../graph/error-info.ts';
import { checkedGrant, grantedOnceMore } from '../../../graph/grants.ts';
import type { StopReason } from '../../../graph/stop-reason.ts';
import type { AgentState, Grant } from '../../../graph/types.ts';
import { present } from '../../../kit/json.ts';
import type { AgentEventBody } from '../../../run/events.ts';
import { namedRefusal, unsettledRun } from '../refusals.ts';
import type { CommandOf } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { isOpen, openTurnId } from '../state-facts.ts';
import { givenTurn, refuse, to, type Transition, addWatcher } from '../transition.ts';
import { resume } from './turns.ts';

/** The reasons of an end after which a run can go on; true for a limit, which then needs a grant. */
const continued: Partial<Record<StopReason, boolean>> = {
  'steps-limit-reached': true,
  'token-limit-reached': true,
  'time-limit-reached': true,
  'cost-limit-reached': true,
  'retry-limit-reached': false,
  'user-requested': false,
};

/** Lets a run that a limit, a person or failed retries stopped go on, under its id and with what it was granted. */
export function continueRun(
  model: SessionModel,
  command: CommandOf<'continue'>,
  state: AgentState,
): Transition {
  const { id, executionId, by } = command;
  const isOther = executionId !== undefined && executionId !== (state.execution?.executionId ?? null);
  const isOver = !isOpen(state);
  const error =
    unsettledRun(model) ??
    (isOther ? namedRefusal('idle') : null) ??
    (isOver && model.run !== null ? namedRefusal('busy') : null);
  if (error !== null) return refuse(model, { id, kind: 'continue', error });
  // It goes on already: the command was given twice, and is granted once.
  if (!isOver) return resume(model, { type: 'resume', id, isAutomatic: false }, state);
  const granted = grantOf(command, state);
  if ('error' in granted) return refuse(model, { id, kind: 'continue', error: granted.error });
  const { grant } = granted;
  const bodies: AgentEventBody[] = [
    { type: 'continuation-request', source: 'user' },
    ...(Object.keys(grant).length === 0
      ? []
      : [{ type: 'budget-grant' as const, source: 'user', grant, ...present({ by }) }]),
    { type: 'execution-resume' },
  ];
  const turn = givenTurn({ id: openTurnId(state), ...present({ by }) }, 'continue');
  const paused = { turn, options: {}, steered: [] };
  return to(
    addWatcher({ ...model, paused, goesOn: true }, id, paused.turn.id),
    // The step that was cut off is made again.
    { type: 'drop-incomplete-answer' },
    { type: 'commit', events: bodies.map((body) => ({ path: [], body })) },
    { type: 'save-soon' },
  );
}

function grantOf(
  { grant, at }: CommandOf<'continue'>,
  state: AgentState,
): { readonly grant: Grant } | { readonly error: ErrorInfo } {
  const reason = stopReason(state);
  const isLimit = reason === null ? undefined : continued[reason];
  if (isLimit === undefined) return { error: namedRefusal('idle') };
  try {
    const found = grant === null ? grantedOnceMore(state, at) : checkedGrant(grant);
    const isLess = isLimit && Object.values(found).every((amount) => amount === 0);
    return isLess ? { error: namedRefusal('nothingGranted') } : { grant: found };
  } catch (thrown) {
    return { error: errorInfo(thrown) };
  }
}
