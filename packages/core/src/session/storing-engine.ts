// The parts of a session with a store, loaded with the engine: nobody else can see or change a session without one.
export { createSessionSaver } from './saving/session-saver.ts';
export { createMembership } from './membership.ts';
export { reduceOthers } from './machine/others.ts';
export { readStored } from './read-stored.ts';
export { watchSurroundings } from './watch-surroundings.ts';
