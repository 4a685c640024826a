import { showDebugged } from './show-debugged.tsx';

showDebugged();
