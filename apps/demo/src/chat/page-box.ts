import { createTimeBox } from './time-box.ts';

/** What all answers of the page may take of a frame; beyond it, their text is shown as it is until there is time. */
export const pageBox = createTimeBox({
  ms: 16,
  now: () => performance.now(),
  nextFrame: (listener) => void setTimeout(listener, 16),
});
