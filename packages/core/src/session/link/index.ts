// The link between the runner of a session and its followers, for packages that carry it over a connection.
export {
  linkFromJSON,
  type LinkPosition,
  linkToJSON,
  positionFromText,
  positionToText,
} from './link-json.ts';
export { readStoredPast, writeStoredPast } from '../managing/stored-past.ts';
export { takeMovingSession, type TakenSession, writeMovingSession } from '../managing/moving-session.ts';
export { type Envelope, type LinkMessage, opened, sealed } from './protocol.ts';
