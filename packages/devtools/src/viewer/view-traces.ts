import { mount } from '../shell/mount.tsx';

// The page of the trace viewer. It is built into one file that opens without a server.

for (const type of ['dragover', 'drop'] as const)
  // A file dropped beside the panel would otherwise replace this page.
  document.addEventListener(type, (event) => event.preventDefault());

const place = document.getElementById('viewer');
if (place !== null) mount(place, {}, 'viewer');
