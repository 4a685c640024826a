export { indexedDBSessions } from '@vitrine/react';
