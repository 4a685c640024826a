import { answerDetectors } from './answers.ts';
import { callDetectors } from './calls.ts';
import { choiceDetectors } from './choices.ts';
import type { Detector } from './detector.ts';
import { detectorsForPeople } from './detectors-for-people.ts';
import { messageDetectors } from './messages.ts';
import { modelDetectors } from './models.ts';
import { requestDetectors } from './requests.ts';
import { resultDetectors } from './results.ts';
import { runDetectors } from './runs.ts';
import { stateDetectors } from './state.ts';

/** The detectors of the library: those that a chat shows first, the others by what they look at. */
export const detectors: readonly Detector[] = [
  ...detectorsForPeople,
  ...answerDetectors,
  ...modelDetectors,
  ...callDetectors,
  ...resultDetectors,
  ...choiceDetectors,
  ...messageDetectors,
  ...requestDetectors,
  ...stateDetectors,
  ...runDetectors,
];
