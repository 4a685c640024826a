import { showArtifacts } from './show-artifacts.tsx';

showArtifacts();
