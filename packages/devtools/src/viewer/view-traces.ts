import { mount } from '../shell/mount.tsx';

// The page that shows trace files and nothing else. It is built into one file, which opens without a server.

for (const type of ['dragover', 'drop'] as const)
  // A file beside the panel would be opened by the browser in the place of this page.
  document.addEventListener(type, (event) => event.preventDefault());

const place = document.getElementById('viewer');
if (place !== null) mount(place, {}, 'viewer');
