import { createTimeBox } from './time-box.ts';

/** The rendering time that all answers share in a frame. Beyond it, blocks are shown as text until there is time. */
export const pageBox = createTimeBox({
  ms: 16,
  now: () => performance.now(),
  nextFrame: (listener) => void setTimeout(listener, 16),
});
