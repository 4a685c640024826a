// A file of its own, so that bundlers load the code with the first move.
export { writeMovingSession } from '@vitrine/core/link';
