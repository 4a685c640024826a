import { showChat } from './show-chat.tsx';

const options = new URLSearchParams(window.location.search);
showChat(options);
if (options.has('panel'))
  void import('@vitrine/devtools/production').then(({ mountAgentDevtools }) =>
    mountAgentDevtools(document.body),
  );
