// The namespace `MessageStore`: messages in named sections.
export { append, empty, of, section, sectionOrder, withSection } from '../graph/message-store.ts';
export { compile } from '../graph/compile-messages.ts';
