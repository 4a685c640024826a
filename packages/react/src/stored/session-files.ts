// Loaded with the first export or import: both bring what reads and writes whole documents.
export { exportSession, importSession } from '@vitrine/core';
