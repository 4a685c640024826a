import { AgentProvider } from '@vitrine/react';
import Link from 'next/link';

export const metadata = { title: 'Vitrine in Next', icons: 'data:,' };

// A component of the server. AgentProvider says by itself that it
// belongs to the client.
export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <nav>
          <Link href="/">chat</Link> <Link href="/other">other</Link>
        </nav>
        <AgentProvider>{children}</AgentProvider>
      </body>
    </html>
  );
}
