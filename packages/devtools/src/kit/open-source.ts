import type { HubSource } from '@vitrine/inspect';
import { createContext } from 'react';

/** Shows another source in the panel. */
export const OpenSource = createContext<(source: HubSource) => void>(() => undefined);
