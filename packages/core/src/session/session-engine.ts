// What a session needs only once it is used; commands wait for it as they wait for the stored session.
export { createWorks } from './works.ts';
export { pageFrames } from '../kit/frame-scheduler.ts';
export { attachmentBytes } from './stores/attachments.ts';
