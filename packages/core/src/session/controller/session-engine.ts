// The parts of a session that are loaded at its first use. Commands wait for them as for the stored session.
export { SessionController } from './session-controller.ts';
export { pageFrames } from '../../kit/frame-scheduler.ts';
export { attachmentBytes } from '../store/attachments.ts';
