// The namespace `Message`: constructors and readers.
export {
  assistant,
  isTrace,
  of,
  reasoning,
  system,
  text,
  tool,
  toolCalls,
  user,
  withMetadata,
} from '../graph/message.ts';
