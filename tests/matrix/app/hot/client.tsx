import { createRoot } from 'react-dom/client';
import { Page } from './page.tsx';
import { Tools } from './tools.tsx';

createRoot(document.getElementById('root-0') as HTMLElement).render(
  <>
    <Page />
    <Tools />
  </>,
);
document.documentElement.dataset['ready'] = 'yes';
