'use client';

import { aguiAgent } from '@vitrine/ag-ui';
import { AgentDevtools } from '@vitrine/devtools';
import { Chat } from '@vitrine/react/components';
import '@vitrine/react/theme.css';

// The change: the backend answers in the place of a model.
const agent = aguiAgent({ url: '/api/agent' });

export default function Page() {
  return (
    <>
      <Chat agent={agent} />
      <AgentDevtools />
    </>
  );
}
