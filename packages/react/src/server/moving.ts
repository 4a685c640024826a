// A file of its own, so that bundlers load the code of whole sessions with the first that moves, or that a panel reads.
export { readStoredPast } from '@vitrine/persist/internal/manage/stored-past';
export { writeMovingSession } from '@vitrine/persist/internal/manage/moving-session';
