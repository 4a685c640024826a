import {
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
} from '@assistant-ui/react';
import { AgentDevtools } from '@vitrine/devtools';
import { useVitrineRuntime } from '@vitrine/assistant-ui';
import { createRoot } from 'react-dom/client';
import { session } from './session';

function App() {
  // The change: the runtime is the session.
  const runtime = useVitrineRuntime(session);
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Thread />
      <AgentDevtools />
    </AssistantRuntimeProvider>
  );
}

function Thread() {
  return (
    <ThreadPrimitive.Root>
      <ThreadPrimitive.Viewport>
        <ThreadPrimitive.Messages components={{ UserMessage, AssistantMessage }} />
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Message" placeholder="Write a message..." />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Viewport>
    </ThreadPrimitive.Root>
  );
}

function UserMessage() {
  return (
    <MessagePrimitive.Root>
      User: <MessagePrimitive.Parts />
    </MessagePrimitive.Root>
  );
}

function AssistantMessage() {
  return (
    <MessagePrimitive.Root>
      AI: <MessagePrimitive.Parts />
    </MessagePrimitive.Root>
  );
}

createRoot(document.getElementById('root')!).render(<App />);
