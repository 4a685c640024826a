// The namespace `Conversation`: what a chat shows of a state.
export * from '../session/conversation/conversation.ts';
export { output } from '../session/conversation/conversation-output.ts';
