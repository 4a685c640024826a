import { type AgentEvent, AgentState } from '@vitrine/core';
import { createDiagnosis, type Finding } from '@vitrine/inspect';
import { detectorsForPeople } from '@vitrine/inspect/internal/findings/detectors-for-people';
import type { UsedTexts } from '../texts.ts';

/**
 * Describes to the person who chats what is missing in the last answer; null when nothing is.
 * @param missing The announcements of missing files in the last run.
 */
export function foundSentence(
  state: AgentState,
  missing: readonly AgentEvent[],
  words: UsedTexts['findings'],
): string | null {
  const diagnosis = createDiagnosis(state, detectorsForPeople);
  for (const event of missing) diagnosis.add(event, state);
  const step = AgentState.lastStep(state);
  const response = step?.inferenceResponse ?? null;
  // The state holds the last response, so it is known after a reload too.
  if (response !== null && AgentState.status(state) === 'completed') {
    const place = { seq: state.seq, at: state.updatedAt, path: [] };
    const inferenceId = step?.sent?.inferenceId ?? '';
    diagnosis.add({ type: 'inference-end', inferenceId, response, toolTrace: 'tagged', ...place }, state);
  }
  const sentences = diagnosis.findings().flatMap((finding) => sentenceOf(finding, words));
  return sentences.length === 0 ? null : sentences.join(' ');
}

function sentenceOf({ code, evidence }: Finding, words: UsedTexts['findings']): string[] {
  switch (code) {
    case 'answer-cut':
      return [words.cut];
    case 'answer-broken':
      return [words.brokenOff];
    case 'file-missing':
      return [words.fileMissing(typeof evidence['filename'] === 'string' ? evidence['filename'] : null)];
    default:
      return [];
  }
}
