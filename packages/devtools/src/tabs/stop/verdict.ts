import { AgentState, type StopSignal } from '@vitrine/core';
import { eventsOf, type JournalRecord } from '@vitrine/inspect';
import { redactText } from '@vitrine/inspect/internal/redact';
import type { ContinuationBranch, ContinuationEvaluation, FinishReason } from '@vitrine/core/types';
import type { Texts } from '../../texts.ts';

/** A question, and the answer to it that decides, by their texts. */
type Question = { readonly question: StopText; readonly answer: 'stop' | 'goOn' };
type StopText = 'isNoExecution' | 'areSignals' | 'isAskedToGoOn' | 'areTools' | 'isNothingLeft';

/** The question of each branch of `shouldStop` in order of evaluation; null for a branch that asks none. */
const questions: Readonly<Record<ContinuationBranch, Question | null>> = {
  'no-execution': { question: 'isNoExecution', answer: 'stop' },
  'stop-signals': { question: 'areSignals', answer: 'stop' },
  'continuation-requested': { question: 'isAskedToGoOn', answer: 'goOn' },
  'tool-calls-requested': { question: 'areTools', answer: 'goOn' },
  'nothing-left': { question: 'isNothingLeft', answer: 'stop' },
  'no-signals': null,
};

/** The branches of `shouldStop` that ask a question, in order of evaluation. */
export const branches: readonly (Question & { readonly id: string })[] = Object.entries(questions).flatMap(
  ([id, question]) => (question === null ? [] : [{ id, ...question }]),
);

/**
 * One sentence on why the run stopped or that it has not. The state does not contain whether the run is
 * running, so that is a parameter.
 * @param isPast True for the state of a moment that is over.
 */
export function verdict(
  state: AgentState,
  isRunning: boolean | null,
  texts: Texts,
  isPast: boolean = false,
): string {
  const words = texts.verdict;
  const status = AgentState.status(state);
  const signal = AgentState.stopSignal(state);
  const steps = AgentState.stepCount(state);
  if (status === null) return isPast ? words.hadNotRun : words.notRun;
  const awaited = awaitedIn(state, texts);
  if (awaited !== null) return isPast ? words.waited(awaited) : words.waits(awaited);
  if (status === 'in-progress' && isPast) return words.wasRunning;
  if (status === 'in-progress' && isRunning === false) return words.interrupted(steps);
  if (status === 'in-progress') return isRunning === true ? words.running : words.runningOrInterrupted;
  if (status === 'pending') return words.pending;
  if (signal === null) return words.withoutSignal(steps);
  const details = words.details(withoutStop(redactText(signal.message, 'message')) || null, signal.source);
  const cut = cutShort(state);
  if (cut !== null) return words.cutShort(steps, cut);
  if (signal.reason === 'completed') return words.done(steps, details);
  const verb = status === 'completed' ? 'finished' : status === 'failed' ? 'failed' : 'stopped';
  return words[verb](steps, whyOf(signal, texts), details);
}

/** Milliseconds of a run without its waits for a person, up to its latest event. */
export function durationOf({ execution, updatedAt }: AgentState): number {
  if (execution === null) return 0;
  return Math.max(0, (execution.completedAt ?? updatedAt) - execution.startedAt - execution.waitedMs);
}

type CutShort = Exclude<FinishReason, 'stop' | 'tool-calls'>;
const whole: ReadonlySet<string> = new Set(['stop', 'tool-calls']);

/** The reason for which the last answer of a finished run is not whole; null for a whole one. */
export function cutShort(state: AgentState): CutShort | null {
  const isDone = AgentState.status(state) === 'completed' && AgentState.stopReason(state) === 'completed';
  const reason = isDone ? AgentState.lastStep(state)?.inferenceResponse?.finishReason : undefined;
  return reason === undefined || whole.has(reason) ? null : (reason as CutShort);
}

/** Removes the full stop of a message that is used within a sentence. */
function withoutStop(message: string): string {
  let text = message.trimEnd();
  while (text.endsWith('.')) text = text.slice(0, -1).trimEnd();
  return text;
}

function whyOf({ reason, context, source }: StopSignal, { reasons, verdict: words }: Texts): string {
  // The limit is not used up, but the next call alone needs more than its rest.
  if (context['refused'] === true) return words.refused;
  if (source === 'session-budget') return words.sessionBudget;
  if (source === 'ledger') return words.allAgents;
  return reasons[reason] ?? words.otherReason(String(reason));
}

/** The answers that the run waits for, as they follow "waits for"; null when it waits for nobody. */
export function awaitedIn(state: AgentState, { verdict: words }: Texts): string | null {
  const waiting = AgentState.pendingApprovals(state);
  const countOf = (wanted: string): number => waiting.filter(({ status }) => status === wanted).length;
  const [approvals, answers] = [countOf('awaiting-approval'), countOf('awaiting-output')];
  if (approvals > 0 && answers > 0) return words.both(words.approvals(approvals), words.answers(answers));
  if (approvals > 0) return words.approvals(approvals);
  if (answers === 0 && AgentState.breakHits(state).length > 0) return words.release;
  return answers > 0 ? words.answers(answers) : null;
}

/** The branch that decided: the recorded one, otherwise the one that the state of a finished run implies. */
export function decidingBranch(
  state: AgentState,
  evaluations: readonly ContinuationEvaluation[],
): ContinuationBranch | null {
  const last = evaluations.findLast((evaluation) => evaluation.branch !== 'no-signals');
  if (last) return last.branch;
  const status = AgentState.status(state);
  if (status === null) return 'no-execution';
  return AgentState.stopReason(state) === 'completed' ? 'nothing-left' : AgentState.continuationBranch(state);
}

const most = 200;

/** The recorded checks of the root's current execution, oldest first; at most the last 200. */
export function evaluationsOf(record: JournalRecord): readonly ContinuationEvaluation[] {
  const found: ContinuationEvaluation[] = [];
  const events = eventsOf(record);
  for (let at = events.length - 1; at >= 0 && found.length < most; at--) {
    const event = events[at]?.event;
    if (event === undefined || event.path.length > 0) continue;
    if (event.type === 'execution-start') break;
    if (event.type === 'continuation-evaluate') found.push(event.evaluation);
  }
  return found.reverse();
}
