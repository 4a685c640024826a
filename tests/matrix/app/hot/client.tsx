import { createRoot } from 'react-dom/client';
import { Page } from './page.tsx';

createRoot(document.getElementById('root-0') as HTMLElement).render(<Page />);
document.documentElement.dataset['ready'] = 'yes';
