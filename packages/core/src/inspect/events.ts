// The part of inspect that a page loads before the recorder.
export { type BufferedEvent, bufferEvents, type EventBuffer } from './buffer-events.ts';
