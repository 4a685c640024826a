import { showSurfaces } from './show-surfaces.tsx';

showSurfaces();
