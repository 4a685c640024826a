// The namespace `MessageStore`: messages in named sections.
export { append, compile, empty, of, section, sectionOrder, withSection } from '../graph/message-store.ts';
