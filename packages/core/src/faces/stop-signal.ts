// The namespace `StopSignal`: constructors and order.
export { byPriority, highest, of, stopRequested, userRequested } from '../graph/stop-signal.ts';
