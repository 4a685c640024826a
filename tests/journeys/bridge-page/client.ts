import { showBridge } from './show-bridge.tsx';

void showBridge(location.hash.slice(1));
