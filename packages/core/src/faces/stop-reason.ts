// The namespace `StopReason`: reasons and their order.
export { isStopReason, priority, stopReasons, wasForceStopped } from '../graph/stop-signal.ts';
