import type { Viewport } from 'next';
import type { ReactNode } from 'react';

export const metadata = { title: 'AG-UI', icons: 'data:,' };
export const viewport: Viewport = { colorScheme: 'light dark' };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
