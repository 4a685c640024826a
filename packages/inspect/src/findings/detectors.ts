import { answerBroken } from './answer-broken.ts';
import { answerCut } from './answer-cut.ts';
import { answerEmpty } from './answer-empty.ts';
import { answerReplaced } from './answer-replaced.ts';
import { answerWithheld } from './answer-withheld.ts';
import { approvalWaited } from './approval-waited.ts';
import { argumentsChanged } from './arguments-changed.ts';
import { budgetGranted } from './budget-granted.ts';
import { budgetWaited } from './budget-waited.ts';
import { callBlocked } from './call-blocked.ts';
import { callChanged } from './call-changed.ts';
import { callFailed } from './call-failed.ts';
import { callInterrupted } from './call-interrupted.ts';
import { callRepeated } from './call-repeated.ts';
import { callsOverLimit } from './calls-over-limit.ts';
import { contextAdded } from './context-added.ts';
import type { Detector } from './detector.ts';
import { errorRecorded } from './error-recorded.ts';
import { eventsSkipped } from './events-skipped.ts';
import { fileMissing } from './file-missing.ts';
import { framesSkipped } from './frames-skipped.ts';
import { hookIgnored } from './hook-ignored.ts';
import { limitOfParent } from './limit-of-parent.ts';
import { marksInText } from './marks-in-text.ts';
import { messagesLeftOut } from './messages-left-out.ts';
import { modelRetried } from './model-retried.ts';
import { outputRepaired } from './output-repaired.ts';
import { pageBlocked } from './page-blocked.ts';
import { partsDropped } from './parts-dropped.ts';
import { priceUnknown } from './price-unknown.ts';
import { promptCut } from './prompt-cut.ts';
import { promptReplaced } from './prompt-replaced.ts';
import { reasoningHeavy } from './reasoning-heavy.ts';
import { requestReplaced } from './request-replaced.ts';
import { resultCut } from './result-cut.ts';
import { runResumed } from './run-resumed.ts';
import { signalOverridden } from './signal-overridden.ts';
import { startNotStored } from './start-not-stored.ts';
import { stateMigrated } from './state-migrated.ts';
import { stateOverwritten } from './state-overwritten.ts';
import { stateSetAside } from './state-set-aside.ts';
import { subagentUninformed } from './subagent-uninformed.ts';
import { toolResultChanged } from './tool-result-changed.ts';
import { toolSlow } from './tool-slow.ts';
import { toolsConfused } from './tools-confused.ts';
import { usageEstimated } from './usage-estimated.ts';
import { writeLost } from './write-lost.ts';

/** The detectors of the library, by area. */
export const detectors: readonly Detector[] = [
  answerCut,
  answerWithheld,
  answerEmpty,
  answerBroken,
  framesSkipped,
  partsDropped,
  marksInText,
  answerReplaced,
  outputRepaired,
  modelRetried,
  reasoningHeavy,
  usageEstimated,
  argumentsChanged,
  callChanged,
  toolResultChanged,
  callBlocked,
  callFailed,
  callInterrupted,
  callRepeated,
  callsOverLimit,
  resultCut,
  approvalWaited,
  toolSlow,
  pageBlocked,
  toolsConfused,
  messagesLeftOut,
  promptCut,
  promptReplaced,
  requestReplaced,
  contextAdded,
  fileMissing,
  hookIgnored,
  subagentUninformed,
  writeLost,
  stateOverwritten,
  stateSetAside,
  stateMigrated,
  limitOfParent,
  priceUnknown,
  signalOverridden,
  budgetGranted,
  budgetWaited,
  runResumed,
  startNotStored,
  errorRecorded,
  eventsSkipped,
];
