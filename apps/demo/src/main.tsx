// First, before any zod schema is created.
import './shell/without-eval.ts';
import { type ReactNode, StrictMode, Suspense, use } from 'react';
import { createRoot } from 'react-dom/client';
import { placeInAddress, storeOf } from './settings/stores.ts';
import { useSettings } from './settings/use-settings.ts';
import { App } from './shell/app.tsx';
import { PageBoundary } from './shell/page-boundary.tsx';
import '@vitrine/react/theme.css';
import './styles/index.css';

function Root(): ReactNode {
  const { place } = useSettings();
  const sessions = use(storeOf(placeInAddress() ?? place));
  return <App sessions={sessions} />;
}

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <PageBoundary>
        <Suspense fallback={null}>
          <Root />
        </Suspense>
      </PageBoundary>
    </StrictMode>,
  );
}
