import { Chat } from './chat.jsx';

export default function Page() {
  return (
    <>
      <Chat name="anonymous" />
      <Chat name="named" sessionId="one" />
    </>
  );
}
