import { answerBroken } from './answer-broken.ts';
import { answerCut } from './answer-cut.ts';
import type { Detector } from './detector.ts';
import { fileMissing } from './file-missing.ts';

/**
 * The detectors of faults that the person who chats should know: a part of the answer, or of the question, is missing.
 * A chat loads only these.
 */
export const detectorsForPeople: readonly Detector[] = [answerCut, answerBroken, fileMissing];
