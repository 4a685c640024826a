// The parts of a session that are loaded at its first use. Commands wait for them as for the stored session.
export { SessionController } from './session-controller.ts';
export { pageFrames } from '../kit/frame-scheduler.ts';
export { attachmentBytes } from './stores/attachments.ts';

/** Loads the parts of a session with a store. They are loaded from here, as bundlers then leave out what is here. */
export function loadStoring(): Promise<typeof import('./storing-engine.ts')> {
  return import('./storing-engine.ts');
}

/** Loads the link to the other tabs that share the store. */
export function loadLink(): Promise<typeof import('./link/session-link.ts')> {
  return import('./link/session-link.ts');
}
