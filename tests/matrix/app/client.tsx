import { type ReactNode, StrictMode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { scenarios } from './scenarios/index.ts';

const [, name = ''] = location.pathname.split('/');
const isStrict = location.search.includes('strict');
for (const [index, Page] of (scenarios[name] ?? []).entries()) {
  const page: ReactNode = <Page />;
  const host = document.getElementById(`root-${index}`) as HTMLElement;
  hydrateRoot(host, isStrict ? <StrictMode>{page}</StrictMode> : page);
}
document.documentElement.dataset['ready'] = 'yes';
