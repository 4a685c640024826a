import { mount } from '../shell/mount.tsx';
import { watchRecorder } from './watch-recorder.ts';

// The page of the trace viewer. It is built into one file that opens without a server.

for (const type of ['dragover', 'drop'] as const)
  // A file dropped beside the panel would otherwise replace this page.
  document.addEventListener(type, (event) => event.preventDefault());

const place = document.getElementById('viewer');
const isOfRecorder = document.getElementById('recorder') !== null;
if (place !== null && isOfRecorder) watchRecorder(place);
else if (place !== null) mount(place, {}, 'viewer');
