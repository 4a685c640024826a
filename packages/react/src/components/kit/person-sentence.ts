export { explainError } from '@vitrine/core';
