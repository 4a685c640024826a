// What a session needs only once it is used; commands wait for it as they wait for the stored session.
export { createJournal } from '../run/journal.ts';
export { runOnJournal } from '../run/run-on-journal.ts';
export { isAgentState, stateChanges } from '../run/state-changes.ts';
export { advance, reduce } from './machine.ts';
