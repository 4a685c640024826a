// The namespace `Conversation`: what a chat shows of a state.
export * from '../session/conversation.ts';
export { output } from '../session/conversation-output.ts';
